// SPDX-License-Identifier: GPL-2.0
/*
 * Symphony: align the steps of ring collectives
 *
 * In a ring collective every node sends step k + 1 once it has received step
 * k. When one path lags, later steps pile up beside earlier ones on the same
 * link and slow the very step everybody waits for. This qdisc tracks, for each
 * job, the smallest step in flight and how far it is, and sets CE on packets
 * of steps that run ahead, so that the endpoints' congestion control yields
 * the link to the laggard. It is the switch logic of "Symphony: Taming Step
 * Misalignments in the Network for Ring-based Collective Operations".
 *
 * enqueue() : passes the packet to the child. Mode prio and filters, which
 *             must act before the child queues the packet, look at it first.
 *
 * dequeue() : takes a packet from the child and reads its headers
 *             (symphony_parse.h), finds its job (symphony_table.h) and its
 *             position in its step (symphony_flow.h), updates the job and
 *             tosses the coin (symphony_algo.h), then marks.
 *
 * The qdisc owns no queue, drops nothing and delays nothing; what it cannot
 * read passes untouched and is counted.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/prefetch.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/inet_ecn.h>
#include <net/netlink.h>
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>

#include "compat/compat.h"
#include "symphony.h"
#include "symphony_trace.h"

/* Jobs looked at with the lock held once while counters are dumped. */
#define SYMPHONY_SWEEP_ON_DUMP	1024

/* Packets that follow a reading of the clock and share it, 2^n - 1 at most. */
#define SYMPHONY_CLOCK_SHARE	7U

/* With more jobs than this their states and anchors outgrow a core's cache. */
#define SYMPHONY_JOBS_CACHED	3072

/* What a packet is due for. */
#define SYMPHONY_DUE_AHEAD	0x01	/* a mark for running ahead */
#define SYMPHONY_DUE_SHIELD	0x02	/* the laggard's thresholds */

#define symphony_count(q, counter, n) \
	((q)->stats.count[TCA_SYMPHONY_STATS_##counter] += (n))

static u32 symphony_job_number(const struct symphony_sched_data *q,
			       const struct sk_buff *skb,
			       const struct symphony_pkt *pkt)
{
	switch (q->config.job_source) {
	case TC_SYMPHONY_JOB_DSCP:
		return pkt->dscp;
	case TC_SYMPHONY_JOB_FILTER:
		return skb->tc_index;
	case TC_SYMPHONY_JOB_FIXED:
		return q->config.job_id;
	default:
		return pkt->job;
	}
}

/*
 * The time of a packet. Reading the clock costs more than all else here, so
 * that packets which leave back to back share a reading: never beyond the next
 * enqueue or an empty queue, at most SYMPHONY_CLOCK_SHARE, and so many that
 * readings stay a 128th of a window apart at the pace of the last ones. After
 * a pause of the link those few packets count for the window before it.
 */
static __always_inline u64 symphony_now(struct symphony_sched_data *q)
{
	u64 now;

	if (q->clock_left) {
		q->clock_left--;
		return q->clock;
	}
	now = ktime_get_ns();
	if (now - q->clock < q->config.params.window >> 7)
		q->clock_share = min(2 * q->clock_share + 1,
				     SYMPHONY_CLOCK_SHARE);
	else
		q->clock_share >>= 1;
	q->clock_left = q->clock_share;
	q->clock = now;
	return now;
}

/* Age of a job's window, ns, at which the job was silent for idle. */
static u64 symphony_expire_after(const struct symphony_table *table)
{
	return READ_ONCE(table->idle) + READ_ONCE(table->window);
}

static __always_inline u32
symphony_position(struct symphony_sched_data *q, const struct symphony_pkt *pkt,
		  u64 key, u64 now)
{
	u32 psn_bits = symphony_psn_bits(q->config.proto);
	struct symphony_flow *flow;
	bool replaced = false;

	if (unlikely(pkt->flags & SYMPHONY_PKT_RESENT))
		return 0;
	if (unlikely(q->config.psn == TC_SYMPHONY_PSN_ABSOLUTE))
		return min(pkt->psn, SYMPHONY_POSITION_MAX);

	flow = symphony_flow_of(q->table, key, now, &replaced);
	if (unlikely(replaced))
		symphony_count(q, FLOWS_REPLACED, 1);
	return symphony_flow_position(flow, pkt, psn_bits,
				      q->config.params.step_bits);
}

/* The same for a table that other qdiscs use, too. */
static __always_inline u32
symphony_position_shared(struct symphony_sched_data *q,
			 const struct symphony_pkt *pkt, u64 key, u64 now)
{
	spinlock_t *lock = symphony_flow_lock(q->table, key);
	u32 position;

	spin_lock(lock);
	position = symphony_position(q, pkt, key, now);
	spin_unlock(lock);
	return position;
}

/* The window of a job's last packet is over. */
static void symphony_window(struct Qdisc *sch, u32 job,
			    struct symphony_state *st, u64 now)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_state before = *st;
	u32 events = symphony_window_end(st, &q->config.params, now);

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
	u32 expired = 0;

	if (likely(st && (s64)(now - st->window_start) < (s64)expire_after)) {
		symphony_window(sch, job, st, now);
		return st;
	}

	if (st)
		expired++;
	else
		st = symphony_job_create(q->table, job, now, expire_after,
					 &expired);
	symphony_count(q, JOBS_EXPIRED, expired);
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

/* Update and judge the job of a data packet; its lock is held if it is shared. */
static __always_inline u32
symphony_judge(struct Qdisc *sch, const struct symphony_pkt *pkt, u32 job,
	       u32 weight, u32 len, bool shared)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_config *cfg = &q->config;
	u64 key = symphony_flow_key(pkt, job);
	struct symphony_state *st;
	u32 position, events;
	bool fresh = false;
	u16 step_before;
	u64 now;

	/* both are under way while the clock is read */
	prefetchw(symphony_flow_set(q->table, key));
	st = symphony_job_find(q->table, job);
	now = symphony_now(q);
	if (unlikely(!st || symphony_window_over(st, &cfg->params, now))) {
		st = symphony_turn(sch, job, st, now, &fresh);
		if (unlikely(!st)) {
			symphony_count(q, TABLE_FULL, weight);
			return 0;
		}
	}
	position = shared ? symphony_position_shared(q, pkt, key, now) :
			    symphony_position(q, pkt, key, now);
	/* a GSO packet is as far as the last of its segments */
	if (unlikely(weight > 1) && position)
		position = min(position + pkt->span, SYMPHONY_POSITION_MAX);
	if (unlikely(fresh))
		symphony_state_init(st, &cfg->params, pkt->step, position, now);
	step_before = st->step_min;
	events = symphony_account(st, &cfg->params, pkt->step, position,
				  pkt->flags & SYMPHONY_PKT_LAST, weight);

	symphony_count(q, DATA, weight);
	symphony_count(q, DATA_BYTES, len);
	if (unlikely(!position))
		symphony_count(q, NO_POSITION, weight);
	if (unlikely(pkt->flags & SYMPHONY_PKT_LAST))
		symphony_count(q, LAST_SEEN, 1);
	if (unlikely(events & (SYMPHONY_ADVANCE | SYMPHONY_CORRECT)))
		symphony_moved(sch, job, events, step_before, st->step_min);

	if (!(events & SYMPHONY_OUTPACING))
		return symphony_misaligned(st) ? SYMPHONY_DUE_SHIELD : 0;
	symphony_count(q, OUTPACING, weight);
	symphony_count(q, OUTPACING_BYTES, len);
	if (!(events & SYMPHONY_CANDIDATE) ||
	    cfg->mode == TC_SYMPHONY_MODE_PRIO ||
	    !symphony_coin(&cfg->params, st->alpha, st->psn_rec, position,
			   prandom_u32_state(&q->rnd)))
		return 0;
	trace_symphony_mark(sch, job, pkt->step, position, pkt->ecn, st);
	return SYMPHONY_DUE_AHEAD;
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
	due = symphony_judge(sch, pkt, job, weight, len, true);
	spin_unlock(lock);
	return due;
}

/* Whether the queue's length marks the packet. */
static bool symphony_congested(struct Qdisc *sch,
			       const struct symphony_pkt *pkt, u32 due,
			       u32 weight)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 queue = sch->qstats.backlog;
	u32 random;

	if (!q->config.ecn_max || queue <= q->ramp.min)
		return false;
	random = prandom_u32_state(&q->rnd);
	if (!symphony_ramp_coin(&q->ramp, queue, random))
		return false;
	if (!(due & SYMPHONY_DUE_SHIELD) ||
	    symphony_ramp_coin(&q->shield_ramp, queue, random))
		return true;
	if (pkt->flags & SYMPHONY_PKT_INNER_ECT)
		symphony_count(q, SHIELDED, weight);
	return false;
}

/*
 * A packet that somebody else holds on to, such as pktgen, can get no head of
 * its own; a clone can, and takes its place.
 */
static bool symphony_unshare(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb, *clone;

	if (likely(!skb_shared(skb)))
		return true;
	clone = skb_clone(skb, GFP_ATOMIC);
	if (!clone)
		return false;
	consume_skb(skb);
	*pskb = clone;
	return true;
}

static bool symphony_set_ce(struct sk_buff **pskb,
			    const struct symphony_pkt *pkt)
{
	u32 end = pkt->ip_offset;
	struct sk_buff *skb;

	end += pkt->ip_version == 4 ? sizeof(struct iphdr) :
				      sizeof(struct ipv6hdr);
	if (!symphony_unshare(pskb))
		return false;
	skb = *pskb;
	/* segments that have headers of their own, not a copy of this one */
	if (skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST && skb_linearize(skb))
		return false;
	if (skb_ensure_writable(skb, end))
		return false;
	if (pkt->ip_version == 4)
		IP_ECN_set_ce((struct iphdr *)(skb->data + pkt->ip_offset));
	else
		IP6_ECN_set_ce(skb,
			       (struct ipv6hdr *)(skb->data + pkt->ip_offset));
	return true;
}

/* The packet is due for a mark, for running ahead or for congestion. */
static noinline struct sk_buff *
symphony_mark(struct symphony_sched_data *q, struct sk_buff *skb,
	      const struct symphony_pkt *pkt, u32 due, u32 weight)
{
	u32 len = qdisc_pkt_len(skb);

	if (pkt->ecn == INET_ECN_CE) {
		symphony_count(q, ALREADY_CE, weight);
	} else if (!(pkt->flags & SYMPHONY_PKT_INNER_ECT)) {
		symphony_count(q, NOT_ECT, weight);
	} else if (q->config.mode == TC_SYMPHONY_MODE_OBSERVE) {
		symphony_count(q, WOULD_MARK, weight);
		symphony_count(q, WOULD_MARK_BYTES, len);
	} else if (!symphony_set_ce(&skb, pkt)) {
		symphony_count(q, MARK_FAILED, weight);
	} else if (due & SYMPHONY_DUE_AHEAD) {
		symphony_count(q, MARKED, weight);
		symphony_count(q, MARKED_BYTES, len);
	} else {
		symphony_count(q, ECN_MARKED, weight);
	}
	return skb;
}

/* Segments of a GSO packet whose sender, tun or a packet socket, did not say. */
static noinline u32 symphony_segments(const struct sk_buff *skb)
{
	const struct skb_shared_info *info = skb_shinfo(skb);
	const struct tcphdr *th;
	struct tcphdr buf;
	u32 headers;

	if (!skb_transport_header_was_set(skb))
		return 1;
	headers = skb_transport_offset(skb);
	if (info->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) {
		th = skb_header_pointer(skb, headers, sizeof(buf), &buf);
		headers += th ? __tcp_hdrlen(th) : sizeof(buf);
	} else {
		headers += sizeof(struct udphdr);
	}
	if (skb->len <= headers)
		return 1;
	return DIV_ROUND_UP(skb->len - headers, info->gso_size);
}

static u32 symphony_weight(const struct sk_buff *skb)
{
	if (likely(!skb_is_gso(skb)))
		return 1;
	return skb_shinfo(skb)->gso_segs ?: symphony_segments(skb);
}

static u32 symphony_data(struct Qdisc *sch, const struct sk_buff *skb,
			 const struct symphony_pkt *pkt, u32 weight)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 job = symphony_job_number(q, skb, pkt);
	u32 len = qdisc_pkt_len(skb);

	if (!job) {
		symphony_count(q, NO_JOB, weight);
		return 0;
	}
	if (unlikely(!(pkt->flags & SYMPHONY_PKT_STEP))) {
		symphony_count(q, NO_STEP, weight);
		return 0;
	}
	if (unlikely(q->table->domain))
		return symphony_judge_shared(sch, pkt, job, weight, len);
	return symphony_judge(sch, pkt, job, weight, len, false);
}

/* A packet leaves: account it and mark it, in a clone if it must be. */
static struct sk_buff *symphony_handle(struct Qdisc *sch, struct sk_buff *skb)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 weight = symphony_weight(skb);
	struct symphony_pkt pkt;
	u32 due = 0;

	switch (symphony_parse(skb, &q->parse, &pkt)) {
	case SYMPHONY_DATA:
		due = symphony_data(sch, skb, &pkt, weight);
		break;
	case SYMPHONY_OTHER:
		symphony_count(q, OTHER, weight);
		break;
	case SYMPHONY_CONTROL:
		/* not even for congestion: nobody slows down an ACK or a CNP */
		symphony_count(q, CONTROL, weight);
		return skb;
	case SYMPHONY_UNPARSABLE:
		symphony_count(q, UNPARSABLE, weight);
		return skb;
	}
	if (due & SYMPHONY_DUE_AHEAD ||
	    (pkt.ip_version && symphony_congested(sch, &pkt, due, weight)))
		return symphony_mark(q, skb, &pkt, due, weight);
	return skb;
}

/* The class that the filters select, or false if they took the packet. */
static bool symphony_classify(struct Qdisc *sch, struct sk_buff *skb, int *ret)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct tcf_proto *fl = rcu_dereference_bh(q->filter_list);
	struct tcf_result res;
	int verdict;

	/* survives the child, unlike skb->cb, until dequeue needs it */
	skb->tc_index = 0;
	if (!fl)
		return true;
	verdict = tcf_classify(skb, NULL, fl, &res, false);
	if (verdict < 0)
		return true;
#ifdef CONFIG_NET_CLS_ACT
	switch (verdict) {
	case TC_ACT_STOLEN:
	case TC_ACT_QUEUED:
	case TC_ACT_TRAP:
		*ret = NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
		return false;
	case TC_ACT_SHOT:
		*ret = NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
		return false;
	}
#endif
	skb->tc_index = TC_H_MIN(res.classid);
	return true;
}

/* Whether the packet is of its job's smallest step, as far as is known. */
static bool symphony_is_lagging(struct symphony_sched_data *q,
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

/* Mode prio: lift packets of the smallest step above best effort. */
static noinline void symphony_prioritize(struct symphony_sched_data *q,
					 struct sk_buff *skb)
{
	struct symphony_pkt pkt;
	u32 job;

	if (symphony_parse(skb, &q->parse, &pkt) != SYMPHONY_DATA ||
	    !(pkt.flags & SYMPHONY_PKT_STEP))
		return;
	job = symphony_job_number(q, skb, &pkt);
	if (!job || skb->priority >= TC_PRIO_INTERACTIVE ||
	    !symphony_is_lagging(q, &pkt, job))
		return;
	skb->priority = TC_PRIO_INTERACTIVE;
	symphony_count(q, PRIORITIZED, symphony_weight(skb));
}

/* Ask the memory for the job and the anchor that dequeue() will need. */
static noinline void symphony_lookahead(const struct symphony_sched_data *q,
					const struct sk_buff *skb)
{
	const struct symphony_table *table = q->table;
	struct symphony_pkt pkt;
	u32 job;
	u16 i;

	if (symphony_parse(skb, &q->parse, &pkt) != SYMPHONY_DATA)
		return;
	job = symphony_job_number(q, skb, &pkt);
	prefetchw(symphony_flow_set(table, symphony_flow_key(&pkt, job)));
	/* a hint: others of the domain may change it at any time */
	i = data_race(table->buckets[symphony_job_bucket(table, job)]);
	if (i != SYMPHONY_NO_JOB)
		prefetchw(&table->jobs[i]);
}

static int symphony_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			    struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	unsigned int len = qdisc_pkt_len(skb);
	int ret;

	if (unlikely(q->config.job_source == TC_SYMPHONY_JOB_FILTER) &&
	    !symphony_classify(sch, skb, &ret)) {
		if (ret & __NET_XMIT_BYPASS)
			qdisc_qstats_drop(sch);
		__qdisc_drop(skb, to_free);
		return ret;
	}
	if (unlikely(q->config.mode == TC_SYMPHONY_MODE_PRIO))
		symphony_prioritize(q, skb);

	if (unlikely(READ_ONCE(q->table->nr_jobs) > SYMPHONY_JOBS_CACHED) &&
	    qdisc_qlen(sch))
		symphony_lookahead(q, skb);

	/* the child may free or split the packet: skb is gone after this */
	ret = qdisc_enqueue(skb, q->qdisc, to_free);
	if (likely(ret == NET_XMIT_SUCCESS)) {
		q->clock_left = 0;
		sch->qstats.backlog += len;
		qdisc_qlen_inc(sch);
	} else if (net_xmit_drop_count(ret)) {
		qdisc_qstats_drop(sch);
	}
	return ret;
}

static struct sk_buff *symphony_dequeue(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	/* a parent may have made the child park a packet by peeking */
	skb = qdisc_dequeue_peeked(q->qdisc);
	if (unlikely(!skb))
		return NULL;
	qdisc_bstats_update(sch, skb);
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_qlen_dec(sch);
	if (!qdisc_qlen(sch))
		q->clock_left = 0;
	return symphony_handle(sch, skb);
}

static struct sk_buff *symphony_peek(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	return q->qdisc->ops->peek(q->qdisc);
}

/* What is known of the jobs outlives a reset: it is not of the queue. */
static void symphony_reset(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	qdisc_reset(q->qdisc);
}

static void symphony_destroy(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	tcf_block_put(q->block);
	qdisc_put(q->qdisc);
	symphony_table_put(q->table);
}

static int symphony_init(struct Qdisc *sch, struct nlattr *opt,
			 struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct Qdisc *child;
	int err;

	/* destroy runs after any failure below */
	q->qdisc = &noop_qdisc;
	err = tcf_block_get(&q->block, &q->filter_list, sch, extack);
	if (err)
		return err;
	err = symphony_config_init(sch, opt, extack);
	if (err)
		return err;
	child = fifo_create_dflt(sch, &pfifo_qdisc_ops, q->config.limit,
				 extack);
	if (IS_ERR(child))
		return PTR_ERR(child);
	qdisc_hash_add(child, true);
	q->qdisc = child;
	return 0;
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
		u32 count = min_t(u32, left, SYMPHONY_SWEEP_ON_DUMP);
		u32 expired;

		sch_tree_lock(sch);
		expired = symphony_table_sweep(table, count, ktime_get_ns(),
					       symphony_expire_after(table));
		symphony_count(q, JOBS_EXPIRED, expired);
		sch_tree_unlock(sch);
		left -= count;
	}
}

static int symphony_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_stats st;
	struct nlattr *nest;
	int i;

	symphony_expire(sch, q->table);
	sch_tree_lock(sch);
	st = q->stats;
	st.count[TCA_SYMPHONY_STATS_JOBS] = READ_ONCE(q->table->nr_jobs);
	sch_tree_unlock(sch);

	/* the packet path keeps no second counter for what follows */
	st.count[TCA_SYMPHONY_STATS_LAGGING] =
		st.count[TCA_SYMPHONY_STATS_DATA] -
		st.count[TCA_SYMPHONY_STATS_OUTPACING];
	st.count[TCA_SYMPHONY_STATS_LAGGING_BYTES] =
		st.count[TCA_SYMPHONY_STATS_DATA_BYTES] -
		st.count[TCA_SYMPHONY_STATS_OUTPACING_BYTES];
	st.count[TCA_SYMPHONY_STATS_MEMORY] = symphony_table_memory(q->table);

	nest = nla_nest_start_noflag(d->skb, TCA_STATS_APP);
	if (!nest)
		return -1;
	for (i = TCA_SYMPHONY_STATS_DATA; i <= TCA_SYMPHONY_STATS_MAX; i++)
		if (nla_put_u64_64bit(d->skb, i, st.count[i],
				      TCA_SYMPHONY_STATS_PAD))
			goto nla_put_failure;
	return nla_nest_end(d->skb, nest);

nla_put_failure:
	nla_nest_cancel(d->skb, nest);
	return -1;
}

static int symphony_dump_class(struct Qdisc *sch, unsigned long cl,
			       struct sk_buff *skb, struct tcmsg *tcm)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	tcm->tcm_handle |= TC_H_MIN(1);
	tcm->tcm_info = q->qdisc->handle;
	return 0;
}

static int symphony_graft(struct Qdisc *sch, unsigned long arg,
			  struct Qdisc *new, struct Qdisc **old,
			  struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	/* the default child comes back, or all that follows would be lost */
	if (!new) {
		new = fifo_create_dflt(sch, &pfifo_qdisc_ops, q->config.limit,
				       extack);
		if (IS_ERR(new))
			new = &noop_qdisc;
		else
			qdisc_hash_add(new, true);
	}
	*old = qdisc_replace(sch, new, &q->qdisc);
	return 0;
}

static struct Qdisc *symphony_leaf(struct Qdisc *sch, unsigned long arg)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	return q->qdisc;
}

/* There is one class; any minor number is a name of it. */
static unsigned long symphony_find(struct Qdisc *sch, u32 classid)
{
	return 1;
}

static void symphony_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	if (!walker->stop)
		tc_qdisc_stats_dump(sch, 1, walker);
}

static struct tcf_block *symphony_tcf_block(struct Qdisc *sch, unsigned long cl,
					    struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	/* filters are the qdisc's, not its class's */
	return cl ? NULL : q->block;
}

/* A filter's class is a job number, not a class that could go away. */
static unsigned long symphony_bind_filter(struct Qdisc *sch,
					  unsigned long parent, u32 classid)
{
	return 0;
}

static void symphony_unbind_filter(struct Qdisc *sch, unsigned long cl)
{
}

static const struct Qdisc_class_ops symphony_class_ops = {
	.graft		= symphony_graft,
	.leaf		= symphony_leaf,
	.find		= symphony_find,
	.walk		= symphony_walk,
	.tcf_block	= symphony_tcf_block,
	.bind_tcf	= symphony_bind_filter,
	.unbind_tcf	= symphony_unbind_filter,
	.dump		= symphony_dump_class,
};

/*
 * Without TCQ_F_CAN_BYPASS: a packet that skipped an empty queue would be one
 * that its job never sees.
 */
struct Qdisc_ops symphony_qdisc_ops __read_mostly = {
	.id		= "symphony",
	.priv_size	= sizeof(struct symphony_sched_data),
	.cl_ops		= &symphony_class_ops,
	.enqueue	= symphony_enqueue,
	.dequeue	= symphony_dequeue,
	.peek		= symphony_peek,
	.init		= symphony_init,
	.reset		= symphony_reset,
	.destroy	= symphony_destroy,
	.change		= symphony_config_change,
	.dump		= symphony_config_dump,
	.dump_stats	= symphony_dump_stats,
	.owner		= THIS_MODULE,
};

static int __init symphony_module_init(void)
{
	int err = symphony_table_module_init();

	if (err)
		return err;
	err = register_qdisc(&symphony_qdisc_ops);
	if (err)
		symphony_table_module_exit();
	return err;
}

static void __exit symphony_module_exit(void)
{
	unregister_qdisc(&symphony_qdisc_ops);
	symphony_table_module_exit();
}

module_init(symphony_module_init);
module_exit(symphony_module_exit);

MODULE_ALIAS_NET_SCH("symphony");
MODULE_DESCRIPTION("Symphony: step alignment of ring collectives");
MODULE_LICENSE("GPL");
