/* SPDX-License-Identifier: GPL-2.0 */
/* From the UDP header of a tunnel to the headers inside. */
#ifndef _SYMPHONY_TUNNEL_H
#define _SYMPHONY_TUNNEL_H

#include "symphony_ip.h"

#define SYMPHONY_PORT_VXLAN	4789

#define SYMPHONY_VXLAN_LEN	8
#define SYMPHONY_VXLAN_VALID	0x08	/* byte 0: has a network identifier */

/* From a UDP header before VXLAN to the inner one; ::version 0 if no IP. */
static inline enum symphony_class
symphony_enter_vxlan(const struct sk_buff *skb,
		     const struct symphony_parse_config *cfg,
		     struct symphony_cursor *c)
{
	u8 buf[SYMPHONY_UDP_LEN + SYMPHONY_VXLAN_LEN + ETH_HLEN];
	const u8 *udp, *vxlan;
	enum symphony_class class;
	__be16 proto;

	c->version = 0;
	udp = symphony_pull(skb, c, sizeof(buf), buf);
	if (!udp)
		return SYMPHONY_UNPARSABLE;
	vxlan = udp + SYMPHONY_UDP_LEN;
	if (!(vxlan[0] & SYMPHONY_VXLAN_VALID))
		return SYMPHONY_OTHER;
	/* tenants may use the same addresses: the network is part of the key */
	c->hash = symphony_hash(cfg, cfg->hash_seed[0],
				get_unaligned_be32(vxlan + 4) >> 8);
	symphony_limit(c, get_unaligned_be16(udp + 4));
	proto = get_unaligned((const __be16 *)(udp + sizeof(buf) - 2));
	c->offset += sizeof(buf);

	class = symphony_skip_tags(skb, c, &proto);
	if (class != SYMPHONY_DATA)
		return class;
	return symphony_read_ip(skb, cfg, c, proto);
}

#endif
