/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the bytes of a packet to job, step, PSN and what the packet is to its
 * message. Nothing is written to the packet.
 *
 * Almost every packet has its headers in the linear area, no in-band tag, no
 * IP option and no tunnel: symphony_parse() reads it with one bounds check.
 * Everything else, and everything that looks wrong, goes the long way through
 * symphony_parse_slow(), which alone decides that a packet is malformed.
 *
 * It and what it includes compile in user space after a header that provides struct sk_buff,
 * skb_network_offset(), skb_headlen(), skb_header_pointer(), skb_is_gso(),
 * skb_shinfo(), eth_type_vlan(), get_unaligned(), get_unaligned_be16() and
 * get_unaligned_be32().
 */
#ifndef _SYMPHONY_PARSE_H
#define _SYMPHONY_PARSE_H

#include "symphony_gso.h"
#include "symphony_ip.h"
#include "symphony_profile.h"
#include "symphony_tunnel.h"

/*
 * To the UDP header of the profile, past tags, options and a tunnel; *@ports has its
 * ports then, source in the high half.
 */
static __always_inline enum symphony_class
symphony_reach(const struct sk_buff *skb,
	       const struct symphony_parse_config *cfg,
	       struct symphony_pkt *pkt, struct symphony_cursor *pc, u32 *pports)
{
	struct symphony_cursor c = {
		.offset = skb_network_offset(skb),
		.end = skb->len,
		.hash = cfg->hash_seed[0],
	};
	__be16 proto = skb->protocol;
	enum symphony_class class;
	u32 ports;

	pkt->ip_version = 0;
	if (eth_type_vlan(proto)) {
		if (!cfg->eth)
			return SYMPHONY_OTHER;
		/* the network header may be behind any of the tags */
		c.offset = ETH_HLEN;
		class = symphony_skip_tags(skb, &c, &proto);
		if (class != SYMPHONY_DATA)
			return class;
	}
	pkt->ip_offset = c.offset;
	class = symphony_read_ip(skb, cfg, &c, proto);
	if (c.version)
		symphony_set_ip(pkt, pkt->ip_offset, c.version, c.tos);
	if (class != SYMPHONY_DATA)
		return class;
	if (!symphony_read_ports(skb, &c, &ports))
		return SYMPHONY_UNPARSABLE;

	if (symphony_is_tunnel(ports)) {
		class = symphony_enter_tunnel(skb, cfg, &c, ports);
		/* a Not-ECT packet that leaves a tunnel with CE is dropped */
		if (!c.version || !(c.tos & 3))
			pkt->flags &= ~SYMPHONY_PKT_INNER_ECT;
		if (c.version)
			pkt->dscp = c.tos >> 2;
		if (class != SYMPHONY_DATA)
			return class;
		if (!symphony_read_ports(skb, &c, &ports))
			return SYMPHONY_UNPARSABLE;
	}
	*pc = c;
	*pports = ports;
	return (u16)ports == cfg->udp_port ? SYMPHONY_DATA : SYMPHONY_OTHER;
}

/* The long way. Starts over and decides alone. */
static noinline enum symphony_class
symphony_parse_slow(const struct sk_buff *skb,
		    const struct symphony_parse_config *cfg,
		    struct symphony_pkt *pkt)
{
	u8 buf[SYMPHONY_READ_MAX];
	struct symphony_room room;
	enum symphony_class class;
	struct symphony_cursor c;
	const u8 *udp;
	u32 ports;

	class = symphony_reach(skb, cfg, pkt, &c, &ports);
	if (class != SYMPHONY_DATA)
		return class;

	room.ip = c.end - c.offset;
	room.readable = min_t(u32, room.ip, sizeof(buf));
	udp = symphony_pull(skb, &c, room.readable, buf);
	if (!udp)
		return SYMPHONY_UNPARSABLE;
	room.udp = get_unaligned_be16(udp + SYMPHONY_UDP_TOTLEN);
	class = symphony_parse_udp(udp, room, ports >> 16, c.hash, cfg, pkt);
	pkt->span = 0;
	if (class == SYMPHONY_DATA && unlikely(skb_is_gso(skb)) &&
	    skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4)
		symphony_parse_last(skb, cfg, c, ports >> 16, pkt);
	return class;
}

/**
 * symphony_parse() - read a packet
 * @skb: the packet, as a qdisc sees it: skb->protocol says what the network
 *	header is, unless it is a VLAN type; an accelerated tag is invisible
 * @cfg: what to look for
 * @pkt: where the answer goes
 *
 * Of @pkt, all is set for %SYMPHONY_DATA. Otherwise @ip_version says whether
 * an outermost IP header was found, 0 if not; if so, @ip_offset, @ecn, @dscp
 * and the flag %SYMPHONY_PKT_INNER_ECT describe it. The flag means that a mark
 * on the outermost header would change it and reach the receiver.
 *
 * Only what is in the IP and the UDP datagram counts, the rest is padding. The
 * checksums are not verified. A packet that the stack has yet to cut into many
 * datagrams is described as the first of them, but has the flag
 * %SYMPHONY_PKT_LAST if the last one has, and tells its PSN by
 * symphony_pkt::span.
 *
 * Return: what the packet is. %SYMPHONY_OTHER: not IP, not UDP, not the
 * profile's port, a fragment other than the first, or of the profile and not
 * known to be without data, but nothing that is followed.
 */
static __always_inline enum symphony_class
symphony_parse(const struct sk_buff *skb,
	       const struct symphony_parse_config *cfg,
	       struct symphony_pkt *pkt)
{
	u32 offset = skb_network_offset(skb);
	struct symphony_room room;
	enum symphony_class class;
	const u8 *ip, *udp;
	u32 ports;
	u64 hash;

	/* a negative offset is above it, too */
	if (unlikely(offset > U16_MAX))
		goto slow;
	room.readable = skb_headlen(skb) - offset;
	ip = skb->data + offset;

	if (likely(skb->protocol == htons(ETH_P_IP))) {
		room.readable -= SYMPHONY_IP4_LEN;
		if (unlikely(room.readable < SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN))
			goto slow;
		/* version 4 and no options */
		if (unlikely(ip[0] != 0x45))
			goto slow;
		symphony_set_ip(pkt, offset, 4, ip[1]);
		if (ip[SYMPHONY_IP4_PROTO] != IPPROTO_UDP ||
		    unlikely(get_unaligned((const __be16 *)
					   (ip + SYMPHONY_IP4_FRAG)) &
			     htons(SYMPHONY_IP4_FRAG_OFF)))
			return SYMPHONY_OTHER;

		room.ip = get_unaligned_be16(ip + SYMPHONY_IP4_TOTLEN);
		room.ip -= SYMPHONY_IP4_LEN;
		udp = ip + SYMPHONY_IP4_LEN;
		hash = symphony_hash_ip4(cfg, cfg->hash_seed[0], ip);
	} else if (skb->protocol == htons(ETH_P_IPV6)) {
		room.readable -= SYMPHONY_IP6_LEN;
		if (unlikely(room.readable < SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN))
			goto slow;
		if (unlikely(ip[0] >> 4 != 6))
			goto slow;
		if (unlikely(symphony_is_exthdr(ip[SYMPHONY_IP6_NEXT])))
			goto slow;
		symphony_set_ip(pkt, offset, 6, get_unaligned_be16(ip) >> 4);
		if (ip[SYMPHONY_IP6_NEXT] != IPPROTO_UDP)
			return SYMPHONY_OTHER;

		room.ip = get_unaligned_be16(ip + SYMPHONY_IP6_PAYLOAD);
		udp = ip + SYMPHONY_IP6_LEN;
		hash = symphony_hash_ip6(cfg, cfg->hash_seed[0], ip);
	} else {
		if (eth_type_vlan(skb->protocol))
			goto slow;
		pkt->ip_version = 0;
		return SYMPHONY_OTHER;
	}

	if (unlikely(room.ip < SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN))
		goto slow;
	room.udp = get_unaligned_be16(udp + SYMPHONY_UDP_TOTLEN);
	ports = get_unaligned_be32(udp);
	if ((u16)ports != cfg->udp_port) {
		if (symphony_is_tunnel(ports))
			goto slow;
		return SYMPHONY_OTHER;
	}
	/* many datagrams in one packet: the last one has something to say, too */
	if (unlikely(skb_is_gso(skb)))
		goto slow;
	class = symphony_parse_udp(udp, room, ports >> 16, hash, cfg, pkt);
	/* perhaps only the linear area was too short */
	if (unlikely(class == SYMPHONY_UNPARSABLE))
		goto slow;
	return class;
slow:
	return symphony_parse_slow(skb, cfg, pkt);
}

#endif
