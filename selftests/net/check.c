// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's view of a frame. It shares nothing with pkt.c: it learns
 * everything from the bytes, and its CRC goes bit by bit.
 */
#include <stddef.h>

#include "pkt.h"

/* A CRC under way, least significant bit first. */
struct icrc {
	u32 state;
};

static void icrc_bit(struct icrc *c, unsigned int bit)
{
	unsigned int low = (c->state ^ bit) & 1;

	c->state >>= 1;
	if (low)
		c->state ^= 0xedb88320;
}

static void icrc_byte(struct icrc *c, u8 byte)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		icrc_bit(c, byte >> i & 1);
}

/* The bits of byte @at that a router may change and the ICRC ignores. */
static u8 variant_bits(unsigned int version, size_t at, size_t udp)
{
	if (at == udp + 6 || at == udp + 7)	/* UDP checksum */
		return 0xff;
	if (at == udp + 12)			/* FECN, BECN, resv6 */
		return 0xff;
	if (version == 4)			/* TOS, TTL, checksum */
		return at == 1 || at == 8 || at == 10 || at == 11 ? 0xff : 0;
	if (at == 0)				/* traffic class */
		return 0x0f;
	/* traffic class, flow label, hop limit */
	return (at >= 1 && at <= 3) || at == 7 ? 0xff : 0;
}

static bool icrc_good(const u8 *ip, size_t len, unsigned int version,
		      size_t udp)
{
	struct icrc c = { .state = 0xffffffff };
	u32 wire;
	size_t i;

	for (i = 0; i < 8; i++)
		icrc_byte(&c, 0xff);
	for (i = 0; i < len - 4; i++)
		icrc_byte(&c, ip[i] | variant_bits(version, i, udp));
	wire = ip[i] | ip[i + 1] << 8 | ip[i + 2] << 16 |
	       (u32)ip[i + 3] << 24;
	return wire == (c.state ^ 0xffffffff);
}

static bool ip4_sum_good(const u8 *ip, size_t len)
{
	u32 sum = 0;
	size_t i;

	for (i = 0; i < len; i += 2)
		sum += get16(ip + i);
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

/* Offset of the transport header, 0 if there is none that is known. */
static size_t ip6_transport(const u8 *ip, size_t len, u8 *proto)
{
	size_t at = 40;

	*proto = ip[6];
	while (at + 8 <= len) {
		switch (*proto) {
		case 0:
		case 43:
		case 60:
			*proto = ip[at];
			at += (ip[at + 1] + 1) * 8;
			break;
		case 44:
			*proto = ip[at];
			at += 8;
			break;
		case 51:
			*proto = ip[at];
			at += (ip[at + 1] + 2) * 4;
			break;
		default:
			return at;
		}
	}
	return 0;
}

static int check_eth(const u8 *b, size_t len, const char **why);

/* @ip: IP header, @len: length of the packet with this header */
static int check_udp(const u8 *ip, size_t len, unsigned int version,
		     size_t udp, const char **why)
{
	u16 dport = get16(ip + udp + 2);

	if (udp + get16(ip + udp + 4) != len) {
		*why = "the UDP length does not fit the packet";
		return -1;
	}
	if (dport == PORT_VXLAN || dport == PORT_VXLAN_OLD || dport == PORT_GENEVE) {
		size_t head = udp + 16;

		if (dport == PORT_GENEVE)
			head += (ip[udp + 8] & 0x3f) * 4;
		return check_eth(ip + head, len - head, why);
	}
	if (dport != PORT_ROCE || len < udp + 8 + 12 + 4)
		return 0;
	if (!icrc_good(ip, len, version, udp)) {
		*why = "wrong ICRC";
		return -1;
	}
	return 1;
}

static int check_ip4(const u8 *ip, size_t len, const char **why)
{
	size_t hlen = (ip[0] & 15) * 4;
	int more = 0;

	if (len < 20 || hlen < 20 || get16(ip + 2) > len ||
	    get16(ip + 2) < hlen) {
		*why = "the IPv4 lengths do not fit the frame";
		return -1;
	}
	if (!ip4_sum_good(ip, hlen)) {
		*why = "wrong IPv4 header checksum";
		return -1;
	}
	if (ip[9] == 17)
		more = check_udp(ip, get16(ip + 2), 4, hlen, why);
	return more < 0 ? -1 : 1 + more;
}

static int check_ip6(const u8 *ip, size_t len, const char **why)
{
	u8 proto;
	size_t udp;

	if (len < 40 || 40u + get16(ip + 4) > len) {
		*why = "the IPv6 length does not fit the frame";
		return -1;
	}
	len = 40 + get16(ip + 4);
	udp = ip6_transport(ip, len, &proto);
	return udp && proto == 17 ? check_udp(ip, len, 6, udp, why) : 0;
}

static int check_eth(const u8 *b, size_t len, const char **why)
{
	size_t at = 12;
	u16 type;

	for (;;) {
		if (at + 2 > len) {
			*why = "no Ethertype";
			return -1;
		}
		type = get16(b + at);
		at += 2;
		if (type != 0x8100 && type != 0x88a8)
			break;
		at += 2;
	}
	if (type == 0x0800)
		return check_ip4(b + at, len - at, why);
	if (type == 0x86dd)
		return check_ip6(b + at, len - at, why);
	return 0;
}

int check_frame(const u8 *b, size_t len, const char **why)
{
	return check_eth(b, len, why);
}
