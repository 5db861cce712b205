/* SPDX-License-Identifier: GPL-2.0 */
/* Who a flow is: what its key is a hash of. Read again where it is to be shown. */
#ifndef _SYMPHONY_NAME_H
#define _SYMPHONY_NAME_H

#include <linux/in6.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "symphony_parse.h"

/* Where both profiles have what identifies the flow, behind the UDP header. */
#define SYMPHONY_NAME_DEST_QP	4
#define SYMPHONY_NAME_PDCID	8

/**
 * struct symphony_name - who a flow is
 * @src: source address, the inner one of a tunnel; an IPv4 one is mapped
 * @dst: destination address, likewise
 * @dest: destination queue pair, or PDC identifier
 */
struct symphony_name {
	struct in6_addr src;
	struct in6_addr dst;
	u32 dest;
};

/**
 * symphony_name_read() - who sends a packet to whom
 * @skb: a packet that symphony_parse() found to be data
 * @cfg: as there
 * @name: where to put it
 *
 * Return: whether it could be read once more.
 */
static inline bool symphony_name_read(const struct sk_buff *skb,
				      const struct symphony_parse_config *cfg,
				      struct symphony_name *name)
{
	u8 ip_buf[SYMPHONY_IP6_LEN], buf[4];
	struct symphony_cursor c;
	struct symphony_pkt pkt;
	const u8 *ip, *dest;
	u32 ports, offset;

	if (symphony_reach(skb, cfg, &pkt, &c, &ports) != SYMPHONY_DATA)
		return false;
	offset = c.offset + SYMPHONY_UDP_LEN;
	offset += cfg->proto == TC_SYMPHONY_PROTO_UET ? SYMPHONY_NAME_PDCID :
							SYMPHONY_NAME_DEST_QP;
	dest = skb_header_pointer(skb, offset, sizeof(buf), buf);
	ip = skb_header_pointer(skb, c.ip, c.version == 4 ? SYMPHONY_IP4_LEN :
				SYMPHONY_IP6_LEN, ip_buf);
	if (!dest || !ip)
		return false;
	name->dest = cfg->proto == TC_SYMPHONY_PROTO_UET ?
		     get_unaligned_be16(dest) :
		     get_unaligned_be32(dest) & 0xffffff;
	if (c.version == 4) {
		ipv6_addr_set_v4mapped(get_unaligned((const __be32 *)(ip + 12)),
				       &name->src);
		ipv6_addr_set_v4mapped(get_unaligned((const __be32 *)(ip + 16)),
				       &name->dst);
	} else {
		memcpy(&name->src, ip + 8, sizeof(name->src));
		memcpy(&name->dst, ip + 24, sizeof(name->dst));
	}
	return true;
}

#endif
