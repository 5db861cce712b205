/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that the stack has yet to cut into many. */
#ifndef _SYMPHONY_GSO_H
#define _SYMPHONY_GSO_H

#include "symphony_ip.h"
#include "symphony_profile.h"

/*
 * What the stack carries as one packet may be many of the wire, cut apart behind
 * the qdisc, each with headers of its own above UDP. Whether the message goes on
 * and how far it is, is for the last of them to say, if it is of the same flow,
 * job and step.
 */
static noinline void
symphony_parse_last(const struct sk_buff *skb,
		    const struct symphony_parse_config *cfg,
		    struct symphony_cursor c, u16 sport,
		    struct symphony_pkt *pkt)
{
	u32 psn_mask = ~0U >> (32 - symphony_psn_bits(cfg->proto));
	u32 size = skb_shinfo(skb)->gso_size;
	struct symphony_pkt last = {};
	u8 buf[SYMPHONY_READ_MAX];
	struct symphony_room room;
	const u8 *udp;

	/* what is before the last one in place of a UDP header is not read */
	c.offset += (skb->len - c.offset - SYMPHONY_UDP_LEN - 1) / size * size;
	c.end = skb->len;
	room.ip = c.end - c.offset;
	room.udp = room.ip;
	room.readable = min_t(u32, room.ip, sizeof(buf));
	udp = symphony_pull(skb, &c, room.readable, buf);
	if (!udp || symphony_parse_udp(udp, room, sport, c.hash, cfg, &last) !=
		    SYMPHONY_DATA)
		return;
	if (last.flow != pkt->flow || last.job != pkt->job ||
	    last.step != pkt->step)
		return;
	pkt->flags &= ~SYMPHONY_PKT_LAST;
	pkt->flags |= last.flags & SYMPHONY_PKT_LAST;
	/* fewer PSNs than segments, or it was restarted in between */
	pkt->span = (last.psn - pkt->psn) & psn_mask;
	if (pkt->span > skb->len / size)
		pkt->span = 0;
}

#endif
