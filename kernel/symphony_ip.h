/* SPDX-License-Identifier: GPL-2.0 */
/* From a packet's begin to its UDP header: VLAN tags, IPv4, IPv6. */
#ifndef _SYMPHONY_IP_H
#define _SYMPHONY_IP_H

#include "symphony_wire.h"

/* What is followed before a packet counts as malformed. */
#define SYMPHONY_TAGS_MAX	4	/* in-band VLAN tags */
#define SYMPHONY_EXTHDRS_MAX	8	/* IPv6 extension headers */

/* Layout of the headers: bytes from the begin of each. */
#define SYMPHONY_TAG_LEN	4

#define SYMPHONY_IP4_LEN	20
#define SYMPHONY_IP4_TOTLEN	2
#define SYMPHONY_IP4_FRAG	6
#define SYMPHONY_IP4_PROTO	9
#define SYMPHONY_IP4_ADDRS	12
#define SYMPHONY_IP4_FRAG_OFF	0x1fff	/* of the word at IP4_FRAG */

#define SYMPHONY_IP6_LEN	40
#define SYMPHONY_IP6_PAYLOAD	4
#define SYMPHONY_IP6_NEXT	6
#define SYMPHONY_IP6_ADDRS	8
#define SYMPHONY_EXTHDR_LEN	8	/* the least */
#define SYMPHONY_IP6_FRAG_OFF	0xfff8	/* of the fragment header's word at 2 */

static inline u64 symphony_hash_ip4(const struct symphony_parse_config *cfg,
				    u64 hash, const u8 *ip)
{
	const u64 *addrs = (const u64 *)(ip + SYMPHONY_IP4_ADDRS);

	return symphony_hash(cfg, hash, get_unaligned(addrs));
}

static inline u64 symphony_hash_ip6(const struct symphony_parse_config *cfg,
				    u64 hash, const u8 *ip)
{
	const u64 *addrs = (const u64 *)(ip + SYMPHONY_IP6_ADDRS);

	hash = symphony_hash(cfg, hash, get_unaligned(addrs));
	hash = symphony_hash(cfg, hash, get_unaligned(addrs + 1));
	hash = symphony_hash(cfg, hash, get_unaligned(addrs + 2));
	return symphony_hash(cfg, hash, get_unaligned(addrs + 3));
}

static inline void symphony_set_ip(struct symphony_pkt *pkt, u32 offset,
				   u8 version, u8 tos)
{
	u8 ecn = tos & 3;

	pkt->ip_offset = offset;
	pkt->ip_version = version;
	pkt->ecn = ecn;
	pkt->dscp = tos >> 2;
	/* ECT(1) is 1, ECT(0) is 2, and 3 already is CE */
	pkt->flags = ((ecn + 1) & 2) ? SYMPHONY_PKT_INNER_ECT : 0;
}

/* VLAN tags: from behind an EtherType to behind the last one. */
static inline enum symphony_class
symphony_skip_tags(const struct sk_buff *skb, struct symphony_cursor *c,
		   __be16 *proto)
{
	u8 buf[SYMPHONY_TAG_LEN];
	const u8 *tag;
	u32 i;

	for (i = 0; eth_type_vlan(*proto); i++) {
		tag = symphony_pull(skb, c, sizeof(buf), buf);
		if (!tag || i == SYMPHONY_TAGS_MAX)
			return SYMPHONY_UNPARSABLE;
		*proto = get_unaligned((const __be16 *)(tag + 2));
		c->offset += SYMPHONY_TAG_LEN;
	}
	return SYMPHONY_DATA;
}

static inline enum symphony_class
symphony_read_ip4(const struct sk_buff *skb,
		  const struct symphony_parse_config *cfg,
		  struct symphony_cursor *c)
{
	u8 buf[SYMPHONY_IP4_LEN];
	u32 header_len;
	const u8 *ip;

	ip = symphony_pull(skb, c, sizeof(buf), buf);
	if (!ip || ip[0] >> 4 != 4)
		return SYMPHONY_UNPARSABLE;
	header_len = (ip[0] & 0xf) * 4;
	if (header_len < SYMPHONY_IP4_LEN)
		return SYMPHONY_UNPARSABLE;
	c->version = 4;
	c->tos = ip[1];

	if (ip[SYMPHONY_IP4_PROTO] != IPPROTO_UDP ||
	    get_unaligned_be16(ip + SYMPHONY_IP4_FRAG) & SYMPHONY_IP4_FRAG_OFF)
		return SYMPHONY_OTHER;

	c->hash = symphony_hash_ip4(cfg, c->hash, ip);
	symphony_limit(c, get_unaligned_be16(ip + SYMPHONY_IP4_TOTLEN));
	c->offset += header_len;
	return SYMPHONY_DATA;
}

static inline bool symphony_is_exthdr(u8 next)
{
	switch (next) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
	case IPPROTO_FRAGMENT:
	case IPPROTO_AH:
		return true;
	default:
		return false;
	}
}

/* To behind the extension headers, the first of which is of type @next. */
static inline enum symphony_class
symphony_skip_exthdrs(const struct sk_buff *skb, struct symphony_cursor *c,
		      u8 next)
{
	u8 buf[SYMPHONY_EXTHDR_LEN];
	const u8 *hdr;
	u32 i;

	for (i = 0; next != IPPROTO_UDP; i++) {
		u32 len;

		if (!symphony_is_exthdr(next))
			return SYMPHONY_OTHER;
		hdr = symphony_pull(skb, c, sizeof(buf), buf);
		if (!hdr || i == SYMPHONY_EXTHDRS_MAX)
			return SYMPHONY_UNPARSABLE;

		if (next == IPPROTO_FRAGMENT) {
			if (get_unaligned_be16(hdr + 2) & SYMPHONY_IP6_FRAG_OFF)
				return SYMPHONY_OTHER;
			len = SYMPHONY_EXTHDR_LEN;
		} else if (next == IPPROTO_AH) {
			len = (hdr[1] + 2) * 4;
		} else {
			len = (hdr[1] + 1) * 8;
		}
		next = hdr[0];
		c->offset += len;
	}
	return SYMPHONY_DATA;
}

static inline enum symphony_class
symphony_read_ip6(const struct sk_buff *skb,
		  const struct symphony_parse_config *cfg,
		  struct symphony_cursor *c)
{
	u8 buf[SYMPHONY_IP6_LEN];
	u32 payload_len;
	const u8 *ip;
	u8 next;

	ip = symphony_pull(skb, c, sizeof(buf), buf);
	if (!ip || ip[0] >> 4 != 6)
		return SYMPHONY_UNPARSABLE;
	c->version = 6;
	c->tos = get_unaligned_be16(ip) >> 4;
	c->hash = symphony_hash_ip6(cfg, c->hash, ip);

	next = ip[SYMPHONY_IP6_NEXT];
	payload_len = get_unaligned_be16(ip + SYMPHONY_IP6_PAYLOAD);
	/* 0 before hop-by-hop options: a jumbogram, or a GSO packet as long */
	if (payload_len || next != IPPROTO_HOPOPTS)
		symphony_limit(c, SYMPHONY_IP6_LEN + payload_len);
	c->offset += SYMPHONY_IP6_LEN;
	return symphony_skip_exthdrs(skb, c, next);
}

static inline enum symphony_class
symphony_read_ip(const struct sk_buff *skb,
		 const struct symphony_parse_config *cfg,
		 struct symphony_cursor *c, __be16 proto)
{
	c->version = 0;
	if (proto != htons(ETH_P_IP) && proto != htons(ETH_P_IPV6))
		return SYMPHONY_OTHER;
	/* symphony_pkt has 16 bits for it; a negative one is above them, too */
	if (c->offset > U16_MAX)
		return SYMPHONY_UNPARSABLE;
	c->ip = c->offset;
	if (proto == htons(ETH_P_IP))
		return symphony_read_ip4(skb, cfg, c);
	return symphony_read_ip6(skb, cfg, c);
}

/* Whether a UDP header is there, and its ports, source in the high half. */
static inline bool symphony_read_ports(const struct sk_buff *skb,
				       const struct symphony_cursor *c,
				       u32 *ports)
{
	u8 buf[SYMPHONY_UDP_LEN];
	const u8 *udp;

	udp = symphony_pull(skb, c, sizeof(buf), buf);
	if (!udp)
		return false;
	*ports = get_unaligned_be32(udp);
	return true;
}

#endif
