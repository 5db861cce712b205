/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps that no sender wrote. In a ring every connection sends the same messages
 * in the same order, so the number of messages that a flow has completed since
 * its job began is its step. A flow's entry is that of symphony_flow.h; some
 * fields mean something else here.
 */
#ifndef _SYMPHONY_COUNT_H
#define _SYMPHONY_COUNT_H

#include "symphony_flow.h"

/* Width of a step that was counted. */
#define SYMPHONY_COUNT_BITS	16

/* Go-back-N begins no further back than this, in packets. */
#define SYMPHONY_COUNT_BACK	65536

/* Ends of messages behind a gap that are remembered, at most. */
#define SYMPHONY_PENDING_MAX	15

/* symphony_flow::state: the entry is of a run of the job that is over. */
#define SYMPHONY_FLOW_OVER	SYMPHONY_FLOW_OPEN

/*
 * Other names for fields of struct symphony_flow: messages completed in the step,
 * fewer than it has; those that were counted behind a gap; whether this is the
 * message amid which, or with which, the flow joined.
 */
#define count_messages	doubt
#define count_pending	since
#define count_joins	only

static inline bool symphony_count_before(u16 a, u16 b)
{
	return symphony_step_diff(a, b, SYMPHONY_COUNT_BITS) < 0;
}

/* A job that began longer ago, in ticks, began then: stamps wrap. */
#define SYMPHONY_RUN_MAX	(SYMPHONY_STAMP_MASK / 4)

/* When the job began, on which it has gone on until @now. */
static inline u32 symphony_count_begun(u32 begun, u32 now)
{
	if (((now - begun) & SYMPHONY_STAMP_MASK) <= SYMPHONY_RUN_MAX)
		return begun;
	return (now - SYMPHONY_RUN_MAX) & SYMPHONY_STAMP_MASK;
}

/* Use an entry again, as symphony_flow_touch(), of a job that began at @begun. */
static inline void symphony_count_touch(struct symphony_flow *f, u32 now,
					u32 silence, u32 begun)
{
	u32 since_begin = (f->stamp - begun) & SYMPHONY_STAMP_MASK;

	if (since_begin > SYMPHONY_STAMP_MASK / 2 && f->state)
		f->state = SYMPHONY_FLOW_OVER;
	symphony_flow_touch(f, now, silence < SYMPHONY_RUN_MAX ? silence :
							 SYMPHONY_RUN_MAX);
}

/* A flow joins its job. */
static inline void symphony_count_begin(struct symphony_flow *f,
					const struct symphony_arrival *a,
					u16 step, bool joins)
{
	f->step = step;
	f->base = a->psn;
	f->next = a->psn;
	f->count_messages = 0;
	f->count_pending = 0;
	f->count_joins = joins;
	f->state = a->first ? SYMPHONY_FLOW_ANCHORED : SYMPHONY_FLOW_BLIND;
}

static inline bool symphony_psn_before(u32 a, u32 b)
{
	return ((a - b) & SYMPHONY_PSN_MASK) > SYMPHONY_PSN_MASK / 2;
}

/* Whether the flow's number is used for something else now. */
static inline bool symphony_count_is_another(const struct symphony_flow *f,
					     const struct symphony_arrival *a,
					     bool syn)
{
	if (!a->first && !syn)
		return false;
	if (symphony_psn_before(a->psn, f->next))
		return ((f->next - a->psn) & SYMPHONY_PSN_MASK) >
		       SYMPHONY_COUNT_BACK;
	return ((a->psn - f->next) & SYMPHONY_PSN_MASK) >= SYMPHONY_FLOW_REACH;
}

/*
 * Whether the end of a message, not behind what was seen in order, is counted
 * now. Behind a gap, which go-back-N repeats, it is remembered. It is counted
 * there already if it is behind all that were; but if a step has more messages,
 * ::base does not tell that, and it waits until the gap is filled, or given up.
 */
static inline bool symphony_count_is_new(struct symphony_flow *f,
					 const struct symphony_arrival *a,
					 u32 messages)
{
	u32 end = a->psn + a->span + 1;
	bool beyond = symphony_psn_before(f->base, end);
	u32 pending = f->count_pending;

	if (a->psn == f->next) {
		if (!pending)
			return true;
		f->count_pending = pending - 1;
		return messages > 1;
	}
	if (pending == SYMPHONY_PENDING_MAX || (messages == 1 && !beyond))
		return false;
	f->count_pending = pending + 1;
	return messages == 1;
}

/* A message is complete; does its step end? */
static inline bool symphony_count_message(struct symphony_flow *f, u32 end,
					  u32 messages)
{
	u32 done = f->count_messages + 1;

	f->count_joins = 0;
	if (done < messages) {
		f->count_messages = done;
		return false;
	}
	f->count_messages = 0;
	f->step++;
	if (symphony_psn_before(f->base, end)) {
		f->base = end;
		f->state = SYMPHONY_FLOW_ANCHORED;
	}
	return true;
}

/* Step and position of a packet by its PSN. */
static inline void symphony_count_locate(struct symphony_flow *f,
					 const struct symphony_arrival *a,
					 struct symphony_spot *spot)
{
	u32 behind = (f->base - a->psn) & SYMPHONY_PSN_MASK;

	spot->step = f->step;
	if (!symphony_psn_before(a->psn, f->base)) {
		if (f->state == SYMPHONY_FLOW_ANCHORED)
			spot->position = ((a->psn - f->base) &
					  SYMPHONY_PSN_MASK) + 1 + a->span;
	} else if (f->state == SYMPHONY_FLOW_BLIND &&
		   behind <= SYMPHONY_FLOW_REACH) {
		f->base = a->psn;
	} else if (a->psn == f->next) {
		/* the messages counted behind the gap that this fills */
		spot->step -= f->count_pending;
	} else {
		spot->step--;
	}
}

/* Nothing fills a gap: what was seen behind it is all that there is to come. */
static inline void symphony_count_give_up(struct symphony_flow *f, u32 psn,
					  u32 messages)
{
	u32 pending = messages > 1 ? f->count_pending : 0;

	f->next = psn;
	f->count_pending = 0;
	if (!pending)
		return;
	while (pending--)
		symphony_count_message(f, psn, messages);
	f->base = psn;
	f->state = SYMPHONY_FLOW_BLIND;
}

/* symphony_count_place() of a packet that is not the next one of its message. */
static noinline struct symphony_spot
symphony_count_place_slow(struct symphony_flow *f,
			  const struct symphony_pkt *pkt, u32 span,
			  u32 messages, u16 low)
{
	struct symphony_arrival a = {
		.psn = pkt->psn & SYMPHONY_PSN_MASK,
		.span = span,
		.first = pkt->flags & SYMPHONY_PKT_FIRST,
		.last = pkt->flags & SYMPHONY_PKT_LAST,
	};
	u32 end = (a.psn + span + 1) & SYMPHONY_PSN_MASK;
	struct symphony_spot spot = {};

	if (f->state == SYMPHONY_FLOW_OVER)
		symphony_count_begin(f, &a, 0, false);
	else if (f->state == SYMPHONY_FLOW_EMPTY ||
		 symphony_count_is_another(f, &a,
					   pkt->flags & SYMPHONY_PKT_SYN))
		symphony_count_begin(f, &a, low, true);
	else if (f->count_joins && symphony_count_before(low, f->step))
		f->step = low;

	if (symphony_flow_order(f, a.psn) == SYMPHONY_PSN_BEYOND)
		symphony_count_give_up(f, a.psn, messages);
	symphony_count_locate(f, &a, &spot);
	if (symphony_psn_before(a.psn, f->next)) {
		/* a GSO packet may go on beyond what was seen */
		if (symphony_psn_before(f->next, end))
			f->next = end;
		return spot;
	}
	if (a.last && symphony_count_is_new(f, &a, messages) &&
	    symphony_count_message(f, end, messages))
		spot.flags = SYMPHONY_SPOT_LAST;
	if (a.psn == f->next)
		f->next = end;
	return spot;
}

/**
 * symphony_count_place() - where a data packet is in its job, by counting
 * @f: entry of its flow, after symphony_count_touch()
 * @pkt: the packet; whether it bears a step does not matter
 * @span: PSNs from its first to its last, 0 unless it is a GSO packet
 * @messages: messages of a step, 1 to 16
 * @low: its job's smallest step
 *
 * - A flow that the job does not know joins at the job's smallest step; while its
 *   first message lasts that may still turn out to be a smaller one. So does a
 *   flow at a FIRST that does not continue it: the queue pair is used again. One
 *   that was there in an earlier run begins with this one, at 0.
 * - A message is complete when its last packet has been seen, once; repeats are
 *   told by their PSN. Behind a gap this is exact for go-back-N, which sends all
 *   of it again. A gap of %SYMPHONY_FLOW_REACH packets is given up.
 * - A packet before the present step's first is of the step before.
 * - Positions are those in the step, whose first packet follows the last one of
 *   the step before; unknown in the message amid which a flow joined.
 *
 * Return: the packet's step, %SYMPHONY_COUNT_BITS wide, and position; whether it
 * ends the step.
 */
static __always_inline struct symphony_spot
symphony_count_place(struct symphony_flow *f, const struct symphony_pkt *pkt,
		     u32 span, u32 messages, u16 low)
{
	u8 unusual = SYMPHONY_PKT_FIRST | SYMPHONY_PKT_LAST | SYMPHONY_PKT_SYN;
	u32 psn = pkt->psn & SYMPHONY_PSN_MASK;
	struct symphony_spot spot = { .step = f->step };

	if (unlikely(f->state != SYMPHONY_FLOW_ANCHORED || psn != f->next ||
		     symphony_psn_before(psn, f->base) ||
		     pkt->flags & unusual || f->count_joins))
		return symphony_count_place_slow(f, pkt, span, messages, low);
	f->next = psn + span + 1;
	spot.position = symphony_flow_seen(f);
	return spot;
}

#endif
