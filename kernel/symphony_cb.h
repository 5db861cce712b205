/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a packet that waits in queue order carries in its control block: all
 * that the parser found and the judge will ask for, so that nothing is read
 * twice.
 *
 * It compiles in user space after a header that provides struct sk_buff,
 * struct qdisc_skb_cb and qdisc_skb_cb().
 */
#ifndef _SYMPHONY_CB_H
#define _SYMPHONY_CB_H

#include "symphony_pkt.h"

/* Unit of symphony_cb::when: 1024 ns; differences below half an hour count. */
#define SYMPHONY_TICK_SHIFT	10

/**
 * struct symphony_cb - control block of a packet in queue order
 * @psn: packet sequence number, the bits that are compared, or a position
 * @flags: SYMPHONY_PKT_*
 * @tag: bits 8 to 31 of the key of its flow, the anchor's tag
 * @ecn: ECN codepoint of the outermost IP header
 * @class: &enum symphony_class
 * @version: half the version of that header, 0 if there is none
 * @again: whether it repeats the packet of its flow that was dropped first, as far as
 *	is known; symphony_order_put() says
 * @when: arrival, ticks of 2^%SYMPHONY_TICK_SHIFT ns
 * @set: bits 40 to 59 of the key of its flow, which choose the anchor's set
 * @pair: %SYMPHONY_PAIR_BITS of a hash of source and destination
 * @step: step, of data with one
 * @ip_offset: offset of the outermost IP header
 */
struct symphony_cb {
	u32 psn:24,
	    flags:8;
	u32 tag:24,
	    ecn:2,
	    class:3,
	    version:2,
	    again:1;
	u32 when;
	u32 set:20,
	    pair:12;
	u16 step;
	u16 ip_offset;
};

static inline struct symphony_cb *symphony_cb(const struct sk_buff *skb)
{
	return (struct symphony_cb *)qdisc_skb_cb(skb)->data;
}

/**
 * symphony_cb_write() - keep what was found
 * @cb: where
 * @pkt: what the parser found; @pkt->flow is the key of the flow's anchor
 * @class: &enum symphony_class
 * @when: arrival, ticks
 *
 * What a packet has only if it stands for many, symphony_pkt::span, does not
 * fit, nor does the job's number.
 */
static inline void symphony_cb_write(struct symphony_cb *cb,
				     const struct symphony_pkt *pkt, u32 class,
				     u32 when)
{
	cb->tag = (u32)pkt->flow >> 8;
	cb->psn = pkt->psn;
	cb->pair = pkt->pair;
	cb->when = when;
	cb->set = pkt->flow >> 40 & 0xfffff;
	cb->ecn = pkt->ecn;
	cb->class = class;
	cb->version = pkt->ip_version / 2;
	cb->again = 0;
	cb->flags = pkt->flags;
	cb->step = pkt->step;
	cb->ip_offset = pkt->ip_offset;
}

/**
 * symphony_cb_place() - of what symphony_cb_write() kept, the place in the job
 * @cb: from where
 * @pkt: to where, if there is one
 */
static inline void symphony_cb_place(const struct symphony_cb *cb,
				     struct symphony_pkt *pkt)
{
	if (!(cb->flags & SYMPHONY_PKT_PLACED))
		return;
	pkt->psn = cb->psn;
	pkt->step = cb->step;
	pkt->flags = cb->flags;
}

/**
 * symphony_cb_read() - what symphony_cb_write() kept
 * @cb: from where
 * @pkt: to where; not the job, nor DSCP and span
 */
static inline void symphony_cb_read(const struct symphony_cb *cb,
				    struct symphony_pkt *pkt)
{
	pkt->flow = (u64)cb->set << 40 | (u32)cb->tag << 8;
	pkt->psn = cb->psn;
	pkt->ecn = cb->ecn;
	pkt->ip_version = cb->version * 2;
	pkt->flags = cb->flags;
	pkt->step = cb->step;
	pkt->ip_offset = cb->ip_offset;
}

/**
 * symphony_cb_ends() - whether a packet of data is the last of its step
 * @cb: its control block
 *
 * Return: whether it is, as far as one packet tells: a step may have several
 * messages, and each has a last packet.
 */
static inline bool symphony_cb_ends(const struct symphony_cb *cb)
{
	return cb->flags & (cb->flags & SYMPHONY_PKT_PLACED ?
			    SYMPHONY_PKT_ENDS : SYMPHONY_PKT_LAST);
}

#endif
