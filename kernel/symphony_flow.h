/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Anchors of flows. A PSN starts anywhere and never restarts, while the
 * algorithm needs a packet's position in its flow's current step: an anchor
 * remembers with which PSN that step began.
 */
#ifndef _SYMPHONY_FLOW_H
#define _SYMPHONY_FLOW_H

#include "symphony_algo.h"
#include "symphony_pkt.h"

#define SYMPHONY_FLOW_WAYS	4	/* a set fills a cache line */

/* So far, in units of symphony_flow::stamp, may the clocks of owners differ. */
#define SYMPHONY_FLOW_SKEW	1024U

/* struct symphony_flow::flags */
#define SYMPHONY_FLOW_VALID	0x01	/* @step and @base mean something */
#define SYMPHONY_FLOW_ANCHORED	0x02	/* @base is where @step began */

/**
 * struct symphony_flow - what is known of one flow
 * @tag: bits of the flow's hash that its place in the table does not tell
 * @base: PSN of the first packet of @step; the lowest PSN seen of it as long
 *	as %SYMPHONY_FLOW_ANCHORED is not set
 * @step: the flow's current step
 * @flags: SYMPHONY_FLOW_*, 0 in an empty entry
 * @unused: keeps the size at 16 bytes
 * @stamp: time of last use, in units of the table's owner
 */
struct symphony_flow {
	u32 tag;
	u32 base;
	u16 step;
	u8 flags;
	u8 unused;
	u32 stamp;
};

static inline struct symphony_flow *
symphony_flow_replace(struct symphony_flow set[SYMPHONY_FLOW_WAYS], u32 tag,
		      u32 now, bool *replaced)
{
	struct symphony_flow *victim = set;
	u64 oldest = 0;
	u32 i;

	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		/* owners' clocks differ a little; an empty entry is the oldest */
		u64 age = set[i].flags ?
			  now + SYMPHONY_FLOW_SKEW - set[i].stamp : 1ULL << 32;

		if (age > oldest) {
			oldest = age;
			victim = &set[i];
		}
	}
	if (victim->flags)
		*replaced = true;
	victim->tag = tag;
	victim->flags = 0;
	victim->stamp = now;
	return victim;
}

/**
 * symphony_flow_find() - a flow's entry in its set
 * @set: the set
 * @tag: the flow's tag
 * @now: current time in the units of symphony_flow::stamp, which may wrap
 * @replaced: set to true if another flow lost its entry, else left alone
 *
 * The owner serialises access. A packet that is %SYMPHONY_PKT_RESENT has no
 * position and is better not looked up.
 *
 * Return: the flow's entry; without one an empty entry, or the one out of use
 * for the longest time, emptied for this flow. Never NULL.
 */
static inline struct symphony_flow *
symphony_flow_find(struct symphony_flow set[SYMPHONY_FLOW_WAYS], u32 tag,
		   u32 now, bool *replaced)
{
	u32 i;

	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		struct symphony_flow *f = &set[i];

		if (f->tag == tag && likely(f->flags)) {
			f->stamp = now;
			return f;
		}
	}
	return symphony_flow_replace(set, tag, now, replaced);
}

static inline u32 symphony_flow_anchor(struct symphony_flow *f,
				       const struct symphony_pkt *pkt)
{
	f->base = pkt->psn;
	f->step = pkt->step;
	f->flags = SYMPHONY_FLOW_VALID | SYMPHONY_FLOW_ANCHORED;
	return 1;
}

static inline u32 symphony_flow_miss(struct symphony_flow *f,
				     const struct symphony_pkt *pkt)
{
	f->base = pkt->psn;
	f->step = pkt->step;
	f->flags = SYMPHONY_FLOW_VALID;
	return 0;
}

/**
 * symphony_flow_position() - a data packet's position in its step
 * @f: entry of its flow
 * @pkt: the packet, with %SYMPHONY_PKT_STEP set
 * @psn_bits: width of the PSN on the wire, 24 or 32
 * @step_bits: width of the step, 1 to 16
 *
 * "Before" and "later" are those of serial number arithmetic. FIRST is the
 * first packet of a message.
 *
 * - No entry yet: FIRST anchors, its PSN is the base. Any other packet makes
 *   an entry without anchor that keeps the lowest PSN seen.
 * - Same step: FIRST before the base anchors there, it was resent or overtaken;
 *   so does a FIRST no later than all that is known of a step without anchor.
 *   A later FIRST changes nothing: the messages of a step share its base, and
 *   a flow whose first packet was missed has no anchor until its next step.
 * - Another step: FIRST always anchors, be the step later or earlier (a new
 *   run, go-back-N, a queue pair used again). Any other packet of a later step
 *   makes an entry without anchor for it; one of an earlier step (the tail of
 *   go-back-N, reordering) leaves the entry alone.
 * - A packet that says it was resent leaves the entry alone.
 *
 * Return: 1 for the step's first packet, and so on; never above
 * %SYMPHONY_POSITION_MAX. 0 if it is unknown: without anchor, before the base,
 * of an earlier step, resent.
 */
static inline u32 symphony_flow_position(struct symphony_flow *f,
					 const struct symphony_pkt *pkt,
					 u32 psn_bits, u32 step_bits)
{
	u32 ahead = (pkt->psn - f->base) << (32 - psn_bits);
	bool first = pkt->flags & SYMPHONY_PKT_FIRST;

	if (unlikely(pkt->flags & SYMPHONY_PKT_RESENT))
		return 0;

	if (unlikely(!(f->flags & SYMPHONY_FLOW_VALID) ||
		     f->step != pkt->step)) {
		if (first)
			return symphony_flow_anchor(f, pkt);
		if (!(f->flags & SYMPHONY_FLOW_VALID) ||
		    symphony_step_diff(pkt->step, f->step, step_bits) > 0)
			return symphony_flow_miss(f, pkt);
		return 0;
	}

	if (unlikely((s32)ahead < 0)) {
		if (first)
			return symphony_flow_anchor(f, pkt);
		if (!(f->flags & SYMPHONY_FLOW_ANCHORED))
			f->base = pkt->psn;
		return 0;
	}
	if (unlikely(!(f->flags & SYMPHONY_FLOW_ANCHORED))) {
		if (first && !ahead)
			return symphony_flow_anchor(f, pkt);
		return 0;
	}

	ahead >>= 32 - psn_bits;
	return ahead < SYMPHONY_POSITION_MAX ? ahead + 1 :
					       SYMPHONY_POSITION_MAX;
}

#endif
