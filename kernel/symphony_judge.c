// SPDX-License-Identifier: GPL-2.0
/*
 * What a data packet is to its job: looks the job and the flow's anchor up,
 * accounts the packet, tosses the coin. Knows no skb and no queue.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/prefetch.h>
#include <linux/spinlock.h>
#include <net/pkt_sched.h>

#include "symphony.h"
#include "symphony_clock.h"
#include "symphony_judge.h"
#include "symphony_trace.h"

/* States looked at with the lock of the qdisc's tree held once. */
#define SYMPHONY_SWEEP_AT_ONCE	1024

/* Age of a job's window, ns, at which the job was silent for idle. */
static u64 symphony_expire_after(const struct symphony_table *table)
{
	return READ_ONCE(table->idle) + READ_ONCE(table->window);
}

/* Where the packet is in its job, of which @st is NULL if it is new. */
static __always_inline struct symphony_spot
symphony_locate(struct symphony_sched_data *q, const struct symphony_pkt *pkt,
		u32 span, const struct symphony_state *st, u64 now)
{
	struct symphony_spot place = {
		.step = pkt->step,
		.flags = pkt->flags & SYMPHONY_PKT_LAST,
	};
	struct symphony_flow *flow;
	bool replaced = false;

	if (unlikely(pkt->flags & SYMPHONY_PKT_RESENT))
		return place;
	if (unlikely(q->config.psn == TC_SYMPHONY_PSN_ABSOLUTE)) {
		place.position = min(pkt->psn + span, SYMPHONY_POSITION_MAX);
		return place;
	}

	flow = symphony_flow_of(q->table, pkt->flow, now, &replaced);
	if (unlikely(replaced))
		symphony_count(q, FLOWS_REPLACED, 1);
	/* anchors die with their job */
	if (unlikely(!st))
		flow->state = SYMPHONY_FLOW_EMPTY;
	return symphony_flow_place(flow, pkt, span, q->config.params.step_bits,
				   st && st->step_min != pkt->step,
				   st && st->all_only);
}

/* The same for a table that other qdiscs use, too. */
static __always_inline struct symphony_spot
symphony_locate_shared(struct symphony_sched_data *q,
		       const struct symphony_pkt *pkt, u32 span,
		       const struct symphony_state *st, u64 now)
{
	spinlock_t *lock = symphony_flow_lock(q->table, pkt->flow);
	struct symphony_spot place;

	spin_lock(lock);
	place = symphony_locate(q, pkt, span, st, now);
	spin_unlock(lock);
	return place;
}

/* The window of a job's last packet is over. */
static void symphony_window(struct Qdisc *sch, u32 job,
			    struct symphony_state *st, u64 now)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_state before = *st;
	u32 events;

	symphony_job_credit(st, now);
	events = symphony_window_end(st, &q->config.params, now);

	symphony_count(q, WINDOWS, 1);
	if (events & SYMPHONY_ALPHA_UP)
		symphony_count(q, ALPHA_UPS, 1);
	if (events & SYMPHONY_ALPHA_DOWN)
		symphony_count(q, ALPHA_DOWNS, 1);
	trace_symphony_window(sch, job, &before, st->alpha);
}

/*
 * The first packet of a job in a window: @st is the job's state if it is in the
 * table. *@fresh if the job is new or was idle, and its state is to be set.
 */
static noinline struct symphony_state *
symphony_turn(struct Qdisc *sch, u32 job, struct symphony_state *st, u64 now,
	      bool *fresh)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u64 expire_after = symphony_expire_after(q->table);
	struct symphony_left left = {};

	if (likely(st && (s64)(now - st->window_start) < (s64)expire_after)) {
		symphony_window(sch, job, st, now);
		return st;
	}

	if (st) {
		left.expired++;
		st->rank = 0;
	} else {
		st = symphony_job_create(q->table, job, now, expire_after,
					 &left);
	}
	symphony_count(q, JOBS_EXPIRED, left.expired);
	symphony_count(q, JOBS_REPLACED, left.replaced);
	if (!st)
		return NULL;
	symphony_count(q, JOBS_CREATED, 1);
	*fresh = true;
	return st;
}

static noinline void symphony_moved(struct Qdisc *sch, u32 job, u32 events,
				    u16 before, u16 step_min)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	if (events & SYMPHONY_ADVANCE)
		symphony_count(q, STEP_ADVANCES, 1);
	else
		symphony_count(q, STEP_CORRECTIONS, 1);
	trace_symphony_step(sch, job, before, step_min);
}

/* Account a packet whose place in its job is known. */
static __always_inline u32
symphony_account_place(struct Qdisc *sch, struct symphony_state *st, u32 job,
		       const struct symphony_spot *place, u32 weight)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_params *params = &q->config.params;
	u16 step_before = st->step_min;
	u32 events = 0;

	if (unlikely(place->flags & SYMPHONY_SPOT_MOVED))
		events = symphony_leave(st, params, place->step);
	events |= symphony_account(st, params, place->step, place->position,
				   place->flags & SYMPHONY_SPOT_LAST, weight);
	if (unlikely(events & (SYMPHONY_ADVANCE | SYMPHONY_CORRECT)))
		symphony_moved(sch, job, events, step_before, st->step_min);
	return events;
}

/* What a packet that runs ahead is due for. */
static __always_inline u32
symphony_toss(struct Qdisc *sch, const struct symphony_state *st, u32 job,
	      const struct symphony_pkt *pkt, const struct symphony_spot *place)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 position = place->position;

	/* by its step's number alone: as if it were as far as the laggard */
	if (unlikely(place->flags & SYMPHONY_SPOT_ONLY))
		position = st->psn_rec;
	if (q->config.mode == TC_SYMPHONY_MODE_PRIO ||
	    !symphony_coin(&q->config.params, st->alpha, st->psn_rec, position,
			   prandom_u32_state(&q->rnd)))
		return 0;
	trace_symphony_mark(sch, job, place->step, position, pkt->ecn, st);
	return SYMPHONY_DUE_AHEAD;
}

/* Whether the job's queue pairs send nothing but ONLYs. */
static __always_inline void symphony_note_only(struct symphony_state *st,
					       const struct symphony_pkt *pkt,
					       const struct symphony_spot *place)
{
	const u8 only = SYMPHONY_PKT_FIRST | SYMPHONY_PKT_LAST;

	if (unlikely(place->flags & SYMPHONY_SPOT_ONLY))
		st->all_only = 1;
	else if (unlikely(st->all_only) && (pkt->flags & only) != only)
		st->all_only = 0;
}

/* Update and judge the job of a data packet; its lock is held if it is shared. */
static __always_inline u32
symphony_judge_locked(struct Qdisc *sch, const struct symphony_pkt *pkt,
		      u32 job, u32 weight, u32 len, bool shared)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_config *cfg = &q->config;
	u32 span = likely(weight == 1) ? 0 : pkt->span;
	struct symphony_spot place;
	struct symphony_state *st;
	bool fresh = false;
	u32 events;
	u64 now;

	/* both are under way while the clock is read */
	prefetchw(symphony_flow_set(q->table, pkt->flow));
	st = symphony_job_find(q->table, job);
	now = symphony_now(q);
	if (unlikely(!st || symphony_window_over(st, &cfg->params, now))) {
		st = symphony_turn(sch, job, st, now, &fresh);
		if (unlikely(!st)) {
			symphony_count(q, TABLE_FULL, weight);
			return 0;
		}
	}
	if (shared)
		place = symphony_locate_shared(q, pkt, span, fresh ? NULL : st,
					       now);
	else
		place = symphony_locate(q, pkt, span, fresh ? NULL : st, now);
	if (unlikely(fresh))
		symphony_state_init(st, &cfg->params, place.step,
				    place.position, now);
	if (unlikely(place.flags & SYMPHONY_SPOT_ENTROPY)) {
		symphony_count(q, NO_STEP, weight);
		symphony_count(q, STEP_ENTROPY, weight);
		return 0;
	}
	symphony_note_only(st, pkt, &place);
	events = symphony_account_place(sch, st, job, &place, weight);

	symphony_count(q, DATA, weight);
	symphony_count(q, DATA_BYTES, len);
	if (unlikely(!place.position))
		symphony_count(q, NO_POSITION, weight);
	if (unlikely(pkt->flags & SYMPHONY_PKT_LAST))
		symphony_count(q, LAST_SEEN, 1);
	if (unlikely(place.flags & SYMPHONY_SPOT_ONLY))
		symphony_count(q, ONLY, weight);

	if (!(events & SYMPHONY_OUTPACING))
		return symphony_misaligned(st) ? SYMPHONY_DUE_SHIELD : 0;
	symphony_count(q, OUTPACING, weight);
	symphony_count(q, OUTPACING_BYTES, len);
	if (!(events & SYMPHONY_CANDIDATE))
		return 0;
	return symphony_toss(sch, st, job, pkt, &place);
}

/* The same for a table that other qdiscs use, too. */
static noinline u32 symphony_judge_shared(struct Qdisc *sch,
					  const struct symphony_pkt *pkt,
					  u32 job, u32 weight, u32 len)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	spinlock_t *lock = symphony_job_lock(q->table, job);
	u32 due;

	spin_lock(lock);
	due = symphony_judge_locked(sch, pkt, job, weight, len, true);
	spin_unlock(lock);
	return due;
}

/**
 * symphony_judge() - account a data packet of a job and judge it
 * @sch: the qdisc
 * @pkt: the packet, with %SYMPHONY_PKT_STEP set and the key of its anchor
 * @job: its job, not 0
 * @weight: packets of the wire that it stands for
 * @len: its bytes
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: what the packet is due for, SYMPHONY_DUE_*.
 */
u32 symphony_judge(struct Qdisc *sch, const struct symphony_pkt *pkt, u32 job,
		   u32 weight, u32 len)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	if (unlikely(q->table->domain))
		return symphony_judge_shared(sch, pkt, job, weight, len);
	return symphony_judge_locked(sch, pkt, job, weight, len, false);
}

/**
 * symphony_is_lagging() - whether a packet is of its job's smallest step
 * @q: the qdisc's data
 * @pkt: the packet, with %SYMPHONY_PKT_STEP set
 * @job: its job, not 0
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: true if it is, as far as is known.
 */
bool symphony_is_lagging(struct symphony_sched_data *q,
			 const struct symphony_pkt *pkt, u32 job)
{
	spinlock_t *lock = symphony_job_lock(q->table, job);
	u32 bits = q->config.params.step_bits;
	const struct symphony_state *st;
	bool lagging = true;

	spin_lock(lock);
	st = symphony_job_find(q->table, job);
	if (st)
		lagging = symphony_step_diff(pkt->step, st->step_min, bits) <= 0;
	spin_unlock(lock);
	return lagging;
}

/**
 * symphony_judge_prefetch() - ask the memory for what symphony_judge() reads
 * @q: the qdisc's data
 * @pkt: the packet, with the key of its anchor
 * @job: its job
 *
 * Context: lock of the qdisc's tree held.
 */
void symphony_judge_prefetch(const struct symphony_sched_data *q,
			     const struct symphony_pkt *pkt, u32 job)
{
	const struct symphony_table *table = q->table;
	u16 i;

	prefetchw(symphony_flow_set(table, pkt->flow));
	/* a hint: others of the domain may change it at any time */
	i = data_race(table->buckets[symphony_job_bucket(table, job)]);
	if (i != SYMPHONY_NO_JOB)
		prefetchw(&table->jobs[i]);
}

/**
 * symphony_idle_jobs() - count the jobs of a table that have been silent for idle
 * @table: the table
 *
 * Context: RTNL held; takes no lock.
 * Return: how many they are; they stay until their place is needed.
 */
u32 symphony_idle_jobs(const struct symphony_table *table)
{
	return symphony_table_idle(table, ktime_get_ns(),
				   symphony_expire_after(table));
}

/**
 * symphony_expire() - forget the idle jobs of a table
 * @sch: the qdisc that counts them
 * @table: its table, or one that it is about to use
 *
 * Without holding the tree's lock for long.
 *
 * Context: RTNL held, no lock.
 */
void symphony_expire(struct Qdisc *sch, struct symphony_table *table)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 left = READ_ONCE(table->jobs_touched);

	while (left) {
		u32 count = min_t(u32, left, SYMPHONY_SWEEP_AT_ONCE);
		u32 expired;

		sch_tree_lock(sch);
		expired = symphony_table_sweep(table, count, ktime_get_ns(),
					       symphony_expire_after(table));
		symphony_count(q, JOBS_EXPIRED, expired);
		sch_tree_unlock(sch);
		left -= count;
	}
}
