/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Symphony algorithm: algorithm 1 and equations 1 to 5 of the paper, with
 * integers only and no division per packet. It needs nothing but types, so
 * that the module, the tests and anyone's simulator compile the same file.
 */
#ifndef _SYMPHONY_ALGO_H
#define _SYMPHONY_ALGO_H

#include "symphony_types.h"

/* Scale of k, tau and the congestion marking probability. */
#define SYMPHONY_ONE	1000000000U

/**
 * struct symphony_params - what steers the algorithm
 * @k: gain of equation 4, billionths, 0 to %SYMPHONY_ONE
 * @tau: tolerance of equation 5, billionths, 0 to %SYMPHONY_ONE
 * @warmup: N_warmup of algorithm 1, packets
 * @samples: N_sample of section 3.4.3, packets
 * @alpha_max: upper bound of alpha, 1 to 65535
 * @step_bits: width of the step field on the wire, 1 to 16
 * @window: length of a window, ns, not 0
 */
struct symphony_params {
	u32 k;
	u32 tau;
	u32 warmup;
	u32 samples;
	u32 alpha_max;
	u32 step_bits;
	u64 window;
};

/**
 * struct symphony_state - what a switch knows of a job
 * @window_start: begin of the window of the job's last packet, ns
 * @psn_rec: furthest position seen in @step_min in this window, 0 = none
 * @cnt_total: packets in this window
 * @cnt_op: those of them above @step_min
 * @step_min: smallest step in flight
 * @alpha: aggressiveness, 1 to alpha_max
 * @op_before: whether the window just before this one had outpacing packets
 * @all_only: for the owner: whether the senders send nothing but ONLYs
 * @shown: for the owner: whether it is known that steps are steps
 * @pinned: for the table that holds the state; the algorithm leaves it alone
 * @overridden: the same
 * @unborn: the same
 * @rank: the same
 * @link: the same
 * @job: the same
 *
 * The owner serialises access. Two states fill a cache line.
 */
struct symphony_state {
	u64 window_start;
	u32 psn_rec;
	u32 cnt_total;
	u32 cnt_op;
	u16 step_min;
	u16 alpha;
	u8 op_before : 1;
	u8 all_only : 1;
	u8 shown : 1;
	u8 pinned : 1;
	u8 overridden : 1;
	u8 unborn : 1;
	u8 rank;
	u16 link;
	u32 job;
};

/* What symphony_update() reports, OR-ed together. */
#define SYMPHONY_OUTPACING	0x01	/* the step was above step_min */
#define SYMPHONY_CANDIDATE	0x02	/* toss the coin for this packet */
#define SYMPHONY_WINDOW		0x04	/* a window with traffic ended */
#define SYMPHONY_ALPHA_UP	0x08	/* ... and raised alpha */
#define SYMPHONY_ALPHA_DOWN	0x10	/* ... and lowered alpha */
#define SYMPHONY_ADVANCE	0x20	/* step_min became a later step */
#define SYMPHONY_CORRECT	0x40	/* step_min became an earlier step */

/**
 * symphony_step_diff() - signed distance of two steps
 * @a: a step
 * @b: another
 * @bits: width of the step field
 *
 * Serial number arithmetic (RFC 1982) over @bits bits: a plain comparison
 * fails when the field wraps. Steps half the field apart count as earlier.
 *
 * Return: negative if @a is before @b, 0 if equal, positive if after. Only
 * the sign has a meaning.
 */
static inline s32 symphony_step_diff(u16 a, u16 b, u32 bits)
{
	return (s32)((u32)(a - b) << (32 - bits));
}

/**
 * symphony_state_init() - a job's first packet
 * @st: the state to set
 * @p: parameters
 * @step: step of the packet
 * @position: its position in its step, 0 if unknown
 * @now: time, ns
 *
 * Makes a router that joins in mid-run right at once. symphony_update() for
 * the same packet comes next.
 */
static inline void symphony_state_init(struct symphony_state *st,
				       const struct symphony_params *p,
				       u16 step, u32 position, u64 now)
{
	u64 into_window;

	div64_u64_rem(now, p->window, &into_window);
	st->window_start = now - into_window;
	st->psn_rec = position;
	st->cnt_total = 0;
	st->cnt_op = 0;
	st->step_min = step;
	st->alpha = 1;
	st->op_before = 0;
	st->all_only = 0;
	st->shown = 0;
}

/*
 * Equations 2, 3 and 5. Only the window of the job's last packet is judged:
 * idle windows change nothing.
 */
static inline u32 symphony_window_end(struct symphony_state *st,
				      const struct symphony_params *p, u64 now)
{
	u32 events = SYMPHONY_WINDOW;
	u64 into_window;

	if (st->cnt_total > p->samples) {
		u32 alpha = st->alpha;

		if ((u64)st->cnt_op * SYMPHONY_ONE >=
		    (u64)st->cnt_total * p->tau)
			alpha++;
		else
			alpha--;
		if (alpha > p->alpha_max)
			alpha = p->alpha_max;
		if (alpha < 1)
			alpha = 1;
		if (alpha > st->alpha)
			events |= SYMPHONY_ALPHA_UP;
		else if (alpha < st->alpha)
			events |= SYMPHONY_ALPHA_DOWN;
		st->alpha = alpha;
	}
	div64_u64_rem(now, p->window, &into_window);
	st->op_before = st->cnt_op &&
			now - into_window - st->window_start <= p->window;
	st->window_start = now - into_window;
	st->cnt_total = 0;
	st->cnt_op = 0;
	st->psn_rec = 0;
	return events;
}

/**
 * symphony_window_over() - whether the window of the job's last packet ended
 * @st: state of the job
 * @p: parameters
 * @now: time, ns; must not run backwards by more than a window
 *
 * Return: true if symphony_window_end() is due before the next packet.
 */
static inline bool symphony_window_over(const struct symphony_state *st,
					const struct symphony_params *p,
					u64 now)
{
	return (s64)(now - st->window_start) >= (s64)p->window;
}

/* Steps 3 of DESIGN and lines 3 to 10 of algorithm 1. */
static inline u32 symphony_track(struct symphony_state *st, s32 diff, u16 step,
				 u32 position, bool last, u32 step_bits)
{
	u32 events = 0;

	if (last) {
		u16 next = (step + 1) & ((1U << step_bits) - 1);
		s32 moved = symphony_step_diff(next, st->step_min, step_bits);

		if (moved > 0)
			events = SYMPHONY_ADVANCE;
		else if (moved < 0)
			events = SYMPHONY_CORRECT;
		st->step_min = next;
		st->psn_rec = 0;
	} else if (diff < 0) {
		st->step_min = step;
		st->psn_rec = position;
		events = SYMPHONY_CORRECT;
	} else if (diff == 0 && position > st->psn_rec) {
		st->psn_rec = position;
	}
	return events;
}

/**
 * symphony_leave() - a flow has gone on to another step
 * @st: state of its job
 * @p: parameters
 * @step: the step that it went on to
 *
 * For flows whose packets do not say which of them is the last of a message:
 * the step before @step has ended, as if its last packet had been seen, unless
 * it is known to have. symphony_account() for the packet comes next.
 *
 * Return: SYMPHONY_* events.
 */
static inline u32 symphony_leave(struct symphony_state *st,
				 const struct symphony_params *p, u16 step)
{
	if (symphony_step_diff(step, st->step_min, p->step_bits) <= 0)
		return 0;
	st->step_min = step;
	st->psn_rec = 0;
	return SYMPHONY_ADVANCE;
}

/**
 * symphony_account() - account one data packet within a window
 * @st: state of its job
 * @p: parameters
 * @step: its step, below 2^step_bits
 * @position: its position in its step (1 = first packet), at most 2^24 - 1;
 *	0 if unknown: it then never raises psn_rec and is never a candidate
 * @last: whether it ends a message
 * @weight: packets it stands for on the wire, 1 unless it is a GSO packet
 *
 * Algorithm 1 up to the coin, which symphony_coin() tosses; without the ends
 * of windows, for a caller that treats them apart.
 *
 * Return: SYMPHONY_* events.
 */
static inline u32 symphony_account(struct symphony_state *st,
				   const struct symphony_params *p, u16 step,
				   u32 position, bool last, u32 weight)
{
	s32 diff = symphony_step_diff(step, st->step_min, p->step_bits);
	u32 events = 0;

	st->cnt_total += weight;
	if (diff > 0) {
		st->cnt_op += weight;
		events |= SYMPHONY_OUTPACING;
	}
	events |= symphony_track(st, diff, step, position, last, p->step_bits);

	if (diff > 0 && !last && position && st->psn_rec > p->warmup)
		events |= SYMPHONY_CANDIDATE;
	return events;
}

/**
 * symphony_update() - account one data packet and judge it
 * @st: state of its job
 * @p: parameters
 * @step: its step
 * @position: its position in its step
 * @last: whether it ends a message
 * @weight: packets it stands for
 * @now: time, ns; must not run backwards by more than a window
 *
 * symphony_account() after the end of a window, if one has passed.
 *
 * Return: SYMPHONY_* events.
 */
static inline u32 symphony_update(struct symphony_state *st,
				  const struct symphony_params *p, u16 step,
				  u32 position, bool last, u32 weight, u64 now)
{
	u32 events = 0;

	if (unlikely(symphony_window_over(st, p, now)))
		events = symphony_window_end(st, p, now);
	return events | symphony_account(st, p, step, position, last, weight);
}

/**
 * symphony_coin() - toss the coin for a packet that runs ahead
 * @p: parameters
 * @alpha: the job's alpha; counts as @p->alpha_max if that was lowered below
 * @psn_rec: the job's psn_rec, not 0, at most 2^24 - 1
 * @position: the packet's position, at most 2^24 - 1
 * @random: uniform over 32 bits
 *
 * Equations 1 and 4: true with probability min(1, k * alpha * position /
 * psn_rec), exact to 2^-32. With d = 10^9 * psn_rec and n = k * 10^9 * alpha *
 * position, both integers, random / 2^32 < n / d holds just if
 * floor(random * d / 2^32) < n.
 *
 * Return: whether to mark.
 */
static inline bool symphony_coin(const struct symphony_params *p, u32 alpha,
				 u32 psn_rec, u32 position, u32 random)
{
	u64 gain = (u64)p->k * (alpha < p->alpha_max ? alpha : p->alpha_max);
	u64 d = (u64)psn_rec * SYMPHONY_ONE;
	u64 n;

	/* beyond 64 bits n is above any d */
	if (unlikely(__builtin_mul_overflow(gain, (u64)position, &n)))
		return true;
	return mul_u64_u32_shr(d, random, 32) < n;
}

/**
 * symphony_misaligned() - whether the shield is up
 * @st: state of a job, after symphony_update()
 *
 * Return: true while the job had outpacing packets in this window or the one
 * before.
 */
static inline bool symphony_misaligned(const struct symphony_state *st)
{
	return st->cnt_op || st->op_before;
}

/**
 * struct symphony_ramp - the congestion point's marking curve
 * @min: queue length up to which nothing is marked, bytes
 * @span: length of the ramp above @min, bytes; at most 2^34
 * @prob: probability at the ramp's end, billionths
 *
 * DCQCN's congestion point: 0 up to min, a line up to @prob at min + span,
 * 1 above.
 */
struct symphony_ramp {
	u64 min;
	u64 span;
	u32 prob;
};

/**
 * symphony_ramp_coin() - whether a queue length marks a packet
 * @ramp: the curve
 * @queue: instantaneous queue length without this packet, bytes
 * @random: uniform over 32 bits
 *
 * Return: true with the curve's probability, exact to 2^-32.
 */
static inline bool symphony_ramp_coin(const struct symphony_ramp *ramp,
				      u64 queue, u32 random)
{
	u64 above;

	if (queue <= ramp->min)
		return false;
	above = queue - ramp->min;
	if (above > ramp->span)
		return true;
	return mul_u64_u32_shr(ramp->span * SYMPHONY_ONE, random, 32) <
	       ramp->prob * above;
}

#endif
