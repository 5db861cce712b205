/* SPDX-License-Identifier: GPL-2.0 */
/* From the UDP header of a tunnel, VXLAN or Geneve, to the headers inside. */
#ifndef _SYMPHONY_TUNNEL_H
#define _SYMPHONY_TUNNEL_H

#include "symphony_ip.h"

#define SYMPHONY_PORT_VXLAN	4789
#define SYMPHONY_PORT_VXLAN_OLD	8472	/* Linux's default, before IANA's */
#define SYMPHONY_PORT_GENEVE	6081

/* Layout of the headers: bytes from the begin of each. */
#define SYMPHONY_TUNNEL_LEN	8
#define SYMPHONY_TUNNEL_VNI	4	/* network, three bytes */
#define SYMPHONY_VXLAN_VALID	0x08	/* byte 0: has a network identifier */
#define SYMPHONY_GENEVE_VERSION	0xc0	/* byte 0 */
#define SYMPHONY_GENEVE_OPTIONS	0x3f	/* byte 0: length, in words */
#define SYMPHONY_GENEVE_CONTROL	0x80	/* byte 1: for the tunnel's endpoint */
#define SYMPHONY_GENEVE_TYPE	2	/* EtherType of what is inside */

/* Transparent Ethernet bridging: inside is a frame. */
#define SYMPHONY_TYPE_FRAME	0x6558

/* Asked of all other UDP traffic, most of which is beyond the outer two. */
static inline bool symphony_is_tunnel(u16 port)
{
	if (likely(port < SYMPHONY_PORT_VXLAN || port > SYMPHONY_PORT_VXLAN_OLD))
		return false;
	return port == SYMPHONY_PORT_VXLAN || port == SYMPHONY_PORT_VXLAN_OLD ||
	       port == SYMPHONY_PORT_GENEVE;
}

/* What is in a tunnel, host byte order; 0 if nothing that is followed. */
static inline u16 symphony_tunnel_type(const u8 *hdr, u16 port)
{
	if (port != SYMPHONY_PORT_GENEVE)
		return hdr[0] & SYMPHONY_VXLAN_VALID ? SYMPHONY_TYPE_FRAME : 0;
	if (hdr[0] & SYMPHONY_GENEVE_VERSION || hdr[1] & SYMPHONY_GENEVE_CONTROL)
		return 0;
	return get_unaligned_be16(hdr + SYMPHONY_GENEVE_TYPE);
}

/*
 * From the UDP header of a tunnel, of which @port is the destination, to the
 * UDP header inside; ::version 0 if there is no IP.
 */
static inline enum symphony_class
symphony_enter_tunnel(const struct sk_buff *skb,
		      const struct symphony_parse_config *cfg,
		      struct symphony_cursor *c, u16 port)
{
	u8 buf[SYMPHONY_UDP_LEN + SYMPHONY_TUNNEL_LEN], eth_buf[ETH_HLEN];
	enum symphony_class class;
	const u8 *udp, *hdr, *eth;
	__be16 proto;
	u16 type;

	c->version = 0;
	udp = symphony_pull(skb, c, sizeof(buf), buf);
	if (!udp)
		return SYMPHONY_UNPARSABLE;
	symphony_limit(c, get_unaligned_be16(udp + SYMPHONY_UDP_TOTLEN));
	hdr = udp + SYMPHONY_UDP_LEN;
	type = symphony_tunnel_type(hdr, port);
	if (!type)
		return SYMPHONY_OTHER;
	/* tenants may use the same addresses: the network is part of the key */
	c->hash = symphony_hash(cfg, cfg->hash_seed[0], (u64)port << 32 |
				get_unaligned_be32(hdr + SYMPHONY_TUNNEL_VNI) >> 8);
	c->offset += sizeof(buf);
	if (port == SYMPHONY_PORT_GENEVE)
		c->offset += (hdr[0] & SYMPHONY_GENEVE_OPTIONS) * 4;

	proto = htons(type);
	if (type == SYMPHONY_TYPE_FRAME) {
		eth = symphony_pull(skb, c, ETH_HLEN, eth_buf);
		if (!eth)
			return SYMPHONY_UNPARSABLE;
		proto = get_unaligned((const __be16 *)(eth + ETH_HLEN - 2));
		c->offset += ETH_HLEN;
	}
	class = symphony_skip_tags(skb, c, &proto);
	if (class != SYMPHONY_DATA)
		return class;
	return symphony_read_ip(skb, cfg, c, proto);
}

#endif
