// SPDX-License-Identifier: GPL-2.0
/*
 * What a data packet is to its job: looks the job and the flow's anchor up,
 * accounts the packet, tosses the coin. Knows no skb and no queue.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/prefetch.h>
#include <linux/spinlock.h>
#include <net/inet_ecn.h>
#include <net/pkt_sched.h>

#include "symphony.h"
#include "symphony_clock.h"
#include "symphony_event.h"
#include "symphony_judge.h"
#include "symphony_trace.h"

/* States looked at with the lock of the qdisc's tree held once. */
#define SYMPHONY_SWEEP_AT_ONCE	1024

static u32 symphony_silence(const struct symphony_table *table)
{
	return symphony_flow_silence(READ_ONCE(table->idle));
}

/* The entry of a packet's flow. */
static __always_inline struct symphony_flow *
symphony_flow(struct symphony_sched_data *q, const struct symphony_pkt *pkt,
	      u64 now)
{
	struct symphony_flow *flow;
	bool replaced = false;

	flow = symphony_flow_of(symphony_table_of(q), pkt->flow, now, &replaced);
	if (unlikely(replaced))
		symphony_count(q, FLOWS_REPLACED, 1);
	return flow;
}

/* Where the packet is in its job, by what the flow has completed. */
static noinline struct symphony_spot
symphony_locate_count(struct symphony_sched_data *q,
		      const struct symphony_pkt *pkt, u32 span,
		      u32 begun, u16 low, u64 now)
{
	struct symphony_flow *flow = symphony_flow(q, pkt, now);

	if (flow->stamp != symphony_flow_now(now))
		symphony_count_touch(flow, symphony_flow_now(now),
				     symphony_silence(symphony_table_of(q)), begun);
	return symphony_count_place(flow, pkt, span, q->config.messages, low);
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

	if (unlikely(pkt->flags & SYMPHONY_PKT_RESENT))
		return place;
	if (unlikely(q->config.psn == TC_SYMPHONY_PSN_ABSOLUTE)) {
		place.position = min(pkt->psn + span, SYMPHONY_POSITION_MAX);
		return place;
	}

	flow = symphony_flow(q, pkt, now);
	if (flow->stamp != symphony_flow_now(now))
		symphony_flow_touch(flow, symphony_flow_now(now),
				    symphony_silence(symphony_table_of(q)));
	/* anchors die with their job */
	if (unlikely(!st))
		flow->state = SYMPHONY_FLOW_EMPTY;
	return symphony_flow_place(flow, pkt, span, q->config.params.step_bits,
				   st && st->step_min != pkt->step,
				   st && st->all_only);
}

/* The algorithm's parameters and the mode as they are for a job with overrides. */
static noinline void symphony_overrides(const struct symphony_sched_data *q,
					const struct symphony_state *st,
					struct symphony_params *params,
					u32 *mode)
{
	const struct symphony_override *override;

	override = &symphony_record_of(symphony_table_of(q), st)->override;
	*params = q->config.params;
	*mode = q->config.mode;
	if (override->k != SYMPHONY_GENL_NO_OVERRIDE)
		params->k = override->k;
	if (override->tau != SYMPHONY_GENL_NO_OVERRIDE)
		params->tau = override->tau;
	if (override->mode != SYMPHONY_GENL_NO_OVERRIDE)
		*mode = override->mode;
}

/* What a job's own mode means for the marks of its packets. */
static noinline u32 symphony_due_mode(const struct symphony_sched_data *q,
				      const struct symphony_state *st)
{
	switch (symphony_record_of(symphony_table_of(q), st)->override.mode) {
	case TC_SYMPHONY_MODE_MARK:
	case TC_SYMPHONY_MODE_PRIO:
		return SYMPHONY_DUE_MARK;
	case TC_SYMPHONY_MODE_OBSERVE:
		return SYMPHONY_DUE_OBSERVE;
	default:
		return 0;
	}
}

/* Alpha left its rest, or came back. */
static void symphony_note_alpha(struct Qdisc *sch, u32 job,
				const struct symphony_state *st, u64 now)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_tally *tally;

	tally = &symphony_record_of(symphony_table_of(q), st)->tally;
	if (st->alpha > 1 && !tally->misaligned) {
		WRITE_ONCE(tally->misaligned, now);
		symphony_event(sch, SYMPHONY_EVENT_MISALIGNED, job, st->alpha,
			       st->step_min);
	} else if (st->alpha == 1 && tally->misaligned) {
		WRITE_ONCE(tally->misaligned, 0);
		symphony_event(sch, SYMPHONY_EVENT_ALIGNED, job, st->alpha,
			       st->step_min);
	}
}

/* The window of a job's last packet is over. */
static void symphony_window(struct Qdisc *sch, u32 job,
			    struct symphony_state *st, u64 now)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_params *params = &q->config.params;
	struct symphony_state before = *st;
	struct symphony_record *record;
	struct symphony_tally *tally;
	struct symphony_params own;
	u32 events, mode;

	if (unlikely(st->overridden)) {
		symphony_overrides(q, st, &own, &mode);
		params = &own;
	}
	record = symphony_record_of(symphony_table_of(q), st);
	tally = &record->tally;
	symphony_fold_begin(record);
	symphony_add_once(&tally->packets, before.cnt_total);
	symphony_add_once(&tally->outpacing, before.cnt_op);
	symphony_job_credit(st, now);
	events = symphony_window_end(st, params, now);
	symphony_fold_end(record);

	symphony_count(q, WINDOWS, 1);
	if (events & SYMPHONY_ALPHA_UP)
		symphony_count(q, ALPHA_UPS, 1);
	if (events & SYMPHONY_ALPHA_DOWN)
		symphony_count(q, ALPHA_DOWNS, 1);
	symphony_note_alpha(sch, job, st, now);
	trace_symphony_window(sch, job, &before, st->alpha);
}

/* Whether a job was silent for so long that its counts begin anew. */
static bool symphony_is_over(struct symphony_sched_data *q,
			     const struct symphony_state *st, u64 now)
{
	u64 silent = now - st->window_start;

	if (q->config.step_source != TC_SYMPHONY_STEP_COUNT ||
	    silent < q->config.gap + q->config.params.window)
		return false;
	symphony_count(q, STEP_RESTARTS, 1);
	return true;
}

/*
 * Whether what is known of a job's steps begins with this packet, although its place
 * in the table was kept.
 */
static bool symphony_is_reborn(struct symphony_sched_data *q,
			       struct symphony_state *st, u64 now, bool idle)
{
	if (st->unborn) {
		st->unborn = 0;
		return true;
	}
	return idle || symphony_is_over(q, st, now);
}

/*
 * The first packet of a job in a window: @st is the job's state if it is in the
 * table. *@fresh if the job is new, was idle or begins anew, and its state is to
 * be set.
 */
static noinline struct symphony_state *
symphony_turn(struct Qdisc *sch, u32 job, struct symphony_state *st, u64 now,
	      bool *fresh)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_table *table = symphony_table_of(q);
	u64 expire_after = symphony_expire_after(table);
	struct symphony_left left = { .sch = sch };
	bool idle;

	idle = st && (s64)(now - st->window_start) >= (s64)expire_after;
	if (likely(st && (!idle || st->pinned || st->unborn))) {
		*fresh = symphony_is_reborn(q, st, now, idle);
		if (st->cnt_total)
			symphony_window(sch, job, st, now);
		if (unlikely(*fresh)) {
			st->alpha = 1;
			symphony_note_alpha(sch, job, st, now);
		}
		return st;
	}

	if (st) {
		left.expired++;
		symphony_event(sch, SYMPHONY_EVENT_JOB_EXPIRED, job, st->alpha,
			       st->step_min);
		symphony_job_renew(table, st, now);
		symphony_job_release(table, st);
	} else {
		st = symphony_job_create(table, job, now, expire_after, false,
					 &left);
	}
	symphony_count(q, JOBS_EXPIRED, left.expired);
	symphony_count(q, JOBS_REPLACED, left.replaced);
	if (!st)
		return NULL;
	symphony_count(q, JOBS_CREATED, 1);
	symphony_event(sch, SYMPHONY_EVENT_JOB_APPEARED, job, st->alpha,
		       st->step_min);
	*fresh = true;
	return st;
}

static struct symphony_tally *
symphony_tally_of(const struct symphony_sched_data *q,
		  const struct symphony_state *st)
{
	return &symphony_record_of(symphony_table_of(q), st)->tally;
}

static noinline void symphony_moved(struct Qdisc *sch, u32 job, u32 events,
				    u16 before, const struct symphony_state *st)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	if (events & SYMPHONY_ADVANCE) {
		symphony_count(q, STEP_ADVANCES, 1);
	} else {
		symphony_count(q, STEP_CORRECTIONS, 1);
		symphony_add_once(&symphony_tally_of(q, st)->corrections, 1);
	}
	trace_symphony_step(sch, job, before, st->step_min);
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
		symphony_moved(sch, job, events, step_before, st);
	return events;
}

/* A packet is due for a mark: count what will come of it. */
static void symphony_tally_mark(struct symphony_tally *tally,
				const struct symphony_pkt *pkt, u32 weight,
				bool observe)
{
	if (pkt->ecn == INET_ECN_CE)
		symphony_add_once(&tally->already_ce, weight);
	else if (!(pkt->flags & SYMPHONY_PKT_INNER_ECT))
		symphony_add_once(&tally->not_ect, weight);
	else if (observe)
		symphony_add_once(&tally->would_mark, weight);
	else
		symphony_add_once(&tally->marked, weight);
}

/*
 * Whether a packet runs ahead, as far as is known. All senders write some source port,
 * few a step; of other numbers, and where flows are not followed, none is doubted.
 */
static bool symphony_is_credible(const struct symphony_sched_data *q,
				 const struct symphony_state *st,
				 const struct symphony_spot *place)
{
	return q->config.step_source != TC_SYMPHONY_STEP_SPORT ||
	       q->config.psn == TC_SYMPHONY_PSN_ABSOLUTE ||
	       symphony_is_step(st, place);
}

/* What a packet that runs ahead is due for. */
static __always_inline u32
symphony_toss(struct Qdisc *sch, const struct symphony_state *st, u32 job,
	      const struct symphony_pkt *pkt, const struct symphony_spot *place,
	      u32 weight)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_params *params = &q->config.params;
	u32 position = place->position;
	struct symphony_params own;
	u32 mode = q->config.mode;

	if (unlikely(st->overridden)) {
		symphony_overrides(q, st, &own, &mode);
		params = &own;
	}
	if (!symphony_is_credible(q, st, place))
		return 0;
	/* by its step's number alone: as if it were as far as the laggard */
	if (unlikely(place->flags & SYMPHONY_SPOT_ONLY))
		position = st->psn_rec;
	if (mode == TC_SYMPHONY_MODE_PRIO ||
	    !symphony_coin(params, st->alpha, st->psn_rec, position,
			   prandom_u32_state(&q->rnd)))
		return 0;
	symphony_tally_mark(symphony_tally_of(q, st), pkt, weight,
			    mode == TC_SYMPHONY_MODE_OBSERVE);
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

/* All counts of a job begin together, at the latest here. */
static void symphony_begin(struct symphony_table *table,
			   const struct symphony_state *st, u64 now, bool fresh)
{
	u32 *begun = &table->runs[st - table->jobs];

	*begun = fresh ? symphony_flow_now(now) :
			 symphony_count_begun(*begun, symphony_flow_now(now));
}

/* The state of a packet's job; NULL if there is no room for it. */
static __always_inline struct symphony_state *
symphony_job_now(struct Qdisc *sch, u32 job, u64 *now, bool *fresh)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_state *st = symphony_job_find(symphony_table_of(q), job);

	/* both are under way while the clock is read */
	*now = symphony_now(q);
	if (likely(st && !symphony_window_over(st, &q->config.params, *now)))
		return st;
	st = symphony_turn(sch, job, st, *now, fresh);
	if (st)
		symphony_begin(symphony_table_of(q), st, *now, *fresh);
	return st;
}

/* Where a packet is in its job; locks of a shared table are taken. */
static __always_inline struct symphony_spot
symphony_spot(struct Qdisc *sch, struct symphony_state *st,
	      const struct symphony_pkt *pkt, u32 span, u64 now, bool fresh,
	      bool shared)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_table *table = symphony_table_of(q);
	spinlock_t *lock = NULL;
	struct symphony_spot spot;

	if (shared) {
		lock = symphony_flow_lock(symphony_table_of(q), pkt->flow);
		spin_lock(lock);
	}
	if (unlikely(q->config.step_source == TC_SYMPHONY_STEP_COUNT))
		spot = symphony_locate_count(q, pkt, span,
					     table->runs[st - table->jobs],
					     fresh ? 0 : st->step_min, now);
	else
		spot = symphony_locate(q, pkt, span, fresh ? NULL : st, now);
	if (shared)
		spin_unlock(lock);
	if (unlikely(fresh))
		symphony_state_init(st, &q->config.params, spot.step,
				    spot.position, now);
	return spot;
}

/* The same of a packet that was placed before. */
static struct symphony_spot
symphony_spot_placed(const struct symphony_pkt *pkt)
{
	return (struct symphony_spot) {
		.position = pkt->psn,
		.step = pkt->step,
		.flags = pkt->flags & SYMPHONY_PKT_ENDS ?
			 SYMPHONY_SPOT_LAST : 0,
	};
}

/* A packet's job has no place; whoever listens is told once a second. */
static noinline u32 symphony_no_place(struct Qdisc *sch, u32 job, u32 weight)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_table *table = symphony_table_of(q);
	unsigned long told = READ_ONCE(table->full_told);

	symphony_count(q, TABLE_FULL, weight);
	if (!told || time_after_eq(jiffies, told + HZ)) {
		WRITE_ONCE(table->full_told, jiffies ?: 1);
		symphony_event(sch, SYMPHONY_EVENT_TABLE_FULL, job, 1, 0);
	}
	return 0;
}

/* Update and judge the job of a data packet; its lock is held if it is shared. */
static __always_inline u32
symphony_judge_locked(struct Qdisc *sch, const struct symphony_pkt *pkt,
		      u32 job, u32 weight, u32 len, bool shared)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_table *table = symphony_table_of(q);
	u32 span = likely(weight == 1) ? 0 : pkt->span;
	struct symphony_spot place;
	struct symphony_state *st;
	bool fresh = false;
	u64 *bytes, now;
	u32 events;
	u32 due = 0;

	prefetchw(symphony_flow_set(table, pkt->flow));
	st = symphony_job_now(sch, job, &now, &fresh);
	if (unlikely(!st))
		return symphony_no_place(sch, job, weight);
	if (unlikely(pkt->flags & SYMPHONY_PKT_PLACED)) {
		place = symphony_spot_placed(pkt);
		if (unlikely(fresh))
			symphony_state_init(st, &q->config.params, place.step,
					    place.position, now);
	} else {
		place = symphony_spot(sch, st, pkt, span, now, fresh, shared);
	}
	symphony_note_shown(st, &place);
	if (unlikely(place.flags & SYMPHONY_SPOT_ENTROPY)) {
		symphony_count(q, NO_STEP, weight);
		symphony_count(q, STEP_ENTROPY, weight);
		return 0;
	}
	symphony_note_only(st, pkt, &place);
	events = symphony_account_place(sch, st, job, &place, weight);

	symphony_count(q, DATA, weight);
	symphony_count(q, DATA_BYTES, len);
	bytes = &table->bytes[st - table->jobs];
	symphony_add_once(bytes, len);
	if (unlikely(!place.position))
		symphony_count(q, NO_POSITION, weight);
	if (unlikely(pkt->flags & SYMPHONY_PKT_LAST))
		symphony_count(q, LAST_SEEN, 1);
	if (unlikely(place.flags & SYMPHONY_SPOT_ONLY))
		symphony_count(q, ONLY, weight);

	if (unlikely(st->overridden))
		due = symphony_due_mode(q, st);
	/* from its second packet on a flow is no stranger any more */
	if (unlikely(place.position - 2 <= span))
		due |= SYMPHONY_DUE_NAME;
	if (!(events & SYMPHONY_OUTPACING))
		return symphony_misaligned(st) ? due | SYMPHONY_DUE_SHIELD : due;
	symphony_count(q, OUTPACING, weight);
	symphony_count(q, OUTPACING_BYTES, len);
	if (!(events & SYMPHONY_CANDIDATE))
		return due;
	return due | symphony_toss(sch, st, job, pkt, &place, weight);
}

/* The same for a table that other qdiscs use, too. */
static noinline u32 symphony_judge_shared(struct Qdisc *sch,
					  const struct symphony_pkt *pkt,
					  u32 job, u32 weight, u32 len)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	spinlock_t *lock = symphony_job_lock(symphony_table_of(q), job);
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

	if (unlikely(symphony_table_of(q)->domain))
		return symphony_judge_shared(sch, pkt, job, weight, len);
	return symphony_judge_locked(sch, pkt, job, weight, len, false);
}

static __always_inline void
symphony_place_locked(struct Qdisc *sch, struct symphony_pkt *pkt, u32 job,
		      u32 span, bool shared)
{
	struct symphony_state *st;
	struct symphony_spot spot;
	bool fresh = false;
	u64 now;

	st = symphony_job_now(sch, job, &now, &fresh);
	if (!st)
		return;
	spot = symphony_spot(sch, st, pkt, span, now, fresh, shared);
	pkt->step = spot.step;
	pkt->psn = spot.position;
	pkt->flags &= ~SYMPHONY_PKT_GO_BACK;
	pkt->flags |= SYMPHONY_PKT_STEP | SYMPHONY_PKT_PLACED;
	if (spot.flags & SYMPHONY_SPOT_LAST)
		pkt->flags |= SYMPHONY_PKT_ENDS;
}

/**
 * symphony_judge_place() - find out a packet's step before it is judged
 * @sch: the qdisc, with step count
 * @pkt: the packet; ::step is its step then, ::psn its position, and the flags
 *	say so, unless there is no room for its job
 * @job: its job, not 0
 * @span: PSNs from its first to its last, 0 unless it is a GSO packet
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 */
void symphony_judge_place(struct Qdisc *sch, struct symphony_pkt *pkt, u32 job,
			  u32 span)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	spinlock_t *lock = symphony_job_lock(symphony_table_of(q), job);

	if (!symphony_table_of(q)->domain) {
		symphony_place_locked(sch, pkt, job, span, false);
		return;
	}
	spin_lock(lock);
	symphony_place_locked(sch, pkt, job, span, true);
	spin_unlock(lock);
}

/**
 * symphony_is_lagging() - whether a packet is of its job's smallest step
 * @q: the qdisc's data
 * @pkt: the packet, with %SYMPHONY_PKT_STEP set
 * @job: its job, not 0
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: true if it is, as far as is known, and its job is in mode prio.
 */
bool symphony_is_lagging(struct symphony_sched_data *q,
			 const struct symphony_pkt *pkt, u32 job)
{
	spinlock_t *lock = symphony_job_lock(symphony_table_of(q), job);
	u32 bits = q->config.params.step_bits;
	const struct symphony_state *st;
	struct symphony_params own;
	u32 mode = q->config.mode;
	bool lagging = true;

	spin_lock(lock);
	st = symphony_job_find(symphony_table_of(q), job);
	if (st && unlikely(st->overridden))
		symphony_overrides(q, st, &own, &mode);
	if (st && !st->unborn)
		lagging = symphony_step_diff(pkt->step, st->step_min, bits) <= 0;
	spin_unlock(lock);
	return lagging && mode == TC_SYMPHONY_MODE_PRIO;
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
	const struct symphony_table *table = symphony_table_of(q);
	u16 i;

	prefetchw(symphony_flow_set(table, pkt->flow));
	/* a hint: others of the domain may change it at any time */
	i = data_race(table->buckets[symphony_job_bucket(table, job)]);
	if (i != SYMPHONY_NO_JOB) {
		prefetchw(&table->jobs[i]);
		prefetchw(&table->bytes[i]);
	}
}

/**
 * symphony_idle_jobs() - count the jobs of a table that have been silent for idle
 * @table: the table
 *
 * Context: RTNL or rcu_read_lock() held; takes no lock.
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
					       symphony_expire_after(table), sch);
		symphony_count(q, JOBS_EXPIRED, expired);
		sch_tree_unlock(sch);
		left -= count;
	}
}
