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
 *             (symphony_parse.h), has it judged (symphony_judge.c) and, if it
 *             is due, marked (symphony_mark.c).
 *
 * With a child the qdisc owns no queue, drops nothing and delays nothing; what it
 * cannot read passes untouched and is counted. In queue order it has no child but
 * holds the packets itself (symphony_queue.c), reads them at enqueue() and serves
 * a job's smallest step first.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/netlink.h>
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>

#include "compat/compat.h"
#include "symphony.h"
#include "symphony_clock.h"
#include "symphony_config.h"
#include "symphony_genl.h"
#include "symphony_judge.h"
#include "symphony_mark.h"
#include "symphony_name.h"
#include "symphony_net.h"
#include "symphony_parse.h"
#include "symphony_queue.h"

/* With more jobs than this their states and anchors outgrow a core's cache. */
#define SYMPHONY_JOBS_CACHED	3072

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

/*
 * What a packet is, with job and the key of its flow's anchor if it is data
 * that the judge can do something with.
 */
static __always_inline enum symphony_class
symphony_look(const struct symphony_sched_data *q, const struct sk_buff *skb,
	      struct symphony_pkt *pkt, u32 *job)
{
	enum symphony_class class = symphony_parse(skb, &q->parse, pkt);

	if (class != SYMPHONY_DATA)
		return class;
	*job = symphony_job_number(q, skb, pkt);
	if (!*job)
		return SYMPHONY_JOBLESS;
	if (unlikely(!(pkt->flags & SYMPHONY_PKT_STEP)) &&
	    q->config.step_source != TC_SYMPHONY_STEP_COUNT)
		return SYMPHONY_STEPLESS;
	pkt->flow = symphony_flow_key(pkt, *job);
	return SYMPHONY_DATA;
}

/* Remember who a flow is, for those who ask. */
static noinline void symphony_name(struct symphony_sched_data *q,
				   const struct sk_buff *skb,
				   const struct symphony_pkt *pkt, u32 job)
{
	struct symphony_table *table = symphony_table_of(q);
	struct symphony_name name;

	if (!symphony_flow_is_named(table, pkt->flow, job) &&
	    symphony_name_read(skb, &q->parse, &name))
		symphony_flow_set_name(table, pkt->flow, job, &name);
}

/* A packet leaves @queue bytes behind: account it and mark it. */
static __always_inline struct sk_buff *
symphony_verdict(struct Qdisc *sch, struct sk_buff *skb,
		 const struct symphony_pkt *pkt, enum symphony_class class,
		 u32 job, u32 queue)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 weight = symphony_weight(skb);
	u32 due = 0;

	switch (class) {
	case SYMPHONY_DATA:
		due = symphony_judge(sch, pkt, job, weight, qdisc_pkt_len(skb));
		if (unlikely(due & SYMPHONY_DUE_NAME))
			symphony_name(q, skb, pkt, job);
		break;
	case SYMPHONY_JOBLESS:
		symphony_count(q, NO_JOB, weight);
		break;
	case SYMPHONY_STEPLESS:
		symphony_count(q, NO_STEP, weight);
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
	    (pkt->ip_version && symphony_congested(q, pkt, queue, due, weight)))
		return symphony_mark(q, skb, pkt, due, weight);
	return skb;
}

/*
 * Have the filters look at a packet; they may take it whatever the source of
 * jobs. Whether it stays; if not, *@ret is for enqueue() to return.
 */
static noinline bool symphony_classify(struct Qdisc *sch, struct sk_buff *skb,
				       struct sk_buff **to_free, int *ret)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct tcf_proto *fl = rcu_dereference_bh(q->filter_list);
	struct tcf_result res;
	int verdict;

	verdict = tcf_classify_qdisc(skb, fl, &res, false);
#ifdef CONFIG_NET_CLS_ACT
	switch (verdict) {
	case TC_ACT_CONSUMED:
		/* somebody else has it: not even to be freed */
		*ret = NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
		return false;
	case TC_ACT_STOLEN:
	case TC_ACT_QUEUED:
	case TC_ACT_TRAP:
		__qdisc_drop(skb, to_free);
		*ret = NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
		return false;
	case TC_ACT_SHOT:
		qdisc_qstats_drop(sch);
		__qdisc_drop(skb, to_free);
		*ret = NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
		return false;
	}
#endif
	/* survives the child, unlike skb->cb, until dequeue needs it */
	if (q->config.job_source == TC_SYMPHONY_JOB_FILTER)
		skb->tc_index = verdict < 0 ? 0 : TC_H_MIN(res.classid);
	return true;
}

/* Whether some jobs, or all, are in mode prio. */
static bool symphony_lifts(const struct symphony_sched_data *q)
{
	return q->config.mode == TC_SYMPHONY_MODE_PRIO ||
	       READ_ONCE(symphony_table_of(q)->nr_prio);
}

/* Mode prio: lift packets of the smallest step above best effort. */
static noinline void symphony_prioritize(struct symphony_sched_data *q,
					 struct sk_buff *skb)
{
	struct symphony_pkt pkt;
	u32 job;

	if (symphony_look(q, skb, &pkt, &job) != SYMPHONY_DATA ||
	    skb->priority >= TC_PRIO_INTERACTIVE ||
	    !symphony_is_lagging(q, &pkt, job))
		return;
	skb->priority = TC_PRIO_INTERACTIVE;
	symphony_count(q, PRIORITIZED, symphony_weight(skb));
}

/* Ask the memory for the job and the anchor that dequeue() will need. */
static noinline void symphony_lookahead(const struct symphony_sched_data *q,
					const struct sk_buff *skb)
{
	struct symphony_pkt pkt;
	u32 job;

	if (symphony_look(q, skb, &pkt, &job) == SYMPHONY_DATA)
		symphony_judge_prefetch(q, &pkt, job);
}

/* Whether the memory is better asked for a job before it is needed. */
static bool symphony_is_crowded(const struct symphony_sched_data *q)
{
	return READ_ONCE(symphony_table_of(q)->nr_jobs) > SYMPHONY_JOBS_CACHED;
}

static int symphony_enqueue_child(struct Qdisc *sch, struct sk_buff *skb,
				  struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	unsigned int len;
	int ret;

	if (unlikely(symphony_lifts(q)))
		symphony_prioritize(q, skb);
	if (unlikely(symphony_is_crowded(q)) && qdisc_qlen(sch))
		symphony_lookahead(q, skb);

	/* an action may have changed it, and after this skb is the child's */
	len = qdisc_pkt_len(skb);
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

static int symphony_enqueue_order(struct Qdisc *sch, struct sk_buff *skb,
				  struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_order *o = &q->queue->order;
	u16 member = SYMPHONY_MEMBER_OTHER;
	struct symphony_pkt pkt = {};
	enum symphony_class class;
	u32 job, psn;
	bool go_back;

	class = symphony_look(q, skb, &pkt, &job);
	psn = pkt.psn;
	go_back = pkt.flags & SYMPHONY_PKT_GO_BACK;
	if (class == SYMPHONY_DATA) {
		if (unlikely(symphony_is_crowded(q)))
			symphony_judge_prefetch(q, &pkt, job);
		/* in the order of arrival, and the FIFO depends on it */
		if (q->config.step_source == TC_SYMPHONY_STEP_COUNT)
			symphony_judge_place(sch, &pkt, job,
					     skb_is_gso(skb) ? pkt.span : 0);
		member = symphony_order_member(o, job);
	} else if (class == SYMPHONY_CONTROL) {
		member = SYMPHONY_MEMBER_CONTROL;
	}
	/* the control block has no room for more bits, and positions end there */
	if (unlikely(q->config.psn == TC_SYMPHONY_PSN_ABSOLUTE))
		pkt.psn = min(pkt.psn, SYMPHONY_POSITION_MAX);
	/* after a pause of the traffic the last reading is of no use */
	if (!o->packets)
		q->clock_left = 0;
	qdisc_cb_private_validate(skb, sizeof(struct symphony_cb));
	symphony_cb_write(symphony_cb(skb), &pkt, class,
			  symphony_now(q) >> SYMPHONY_TICK_SHIFT);
	return symphony_queue_put(sch, member, skb, go_back, psn, to_free);
}

static int symphony_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			    struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	int ret;

	if (unlikely(rcu_access_pointer(q->filter_list) ||
		     q->config.job_source == TC_SYMPHONY_JOB_FILTER) &&
	    !symphony_classify(sch, skb, to_free, &ret))
		return ret;
	if (q->config.queue == TC_SYMPHONY_QUEUE_ORDER)
		return symphony_enqueue_order(sch, skb, to_free);
	return symphony_enqueue_child(sch, skb, to_free);
}

static void symphony_leaves(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	qdisc_bstats_update(sch, skb);
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_qlen_dec(sch);
	if (!qdisc_qlen(sch))
		q->clock_left = 0;
	if (unlikely(q->measuring))
		symphony_measure(q, qdisc_pkt_len(skb), qdisc_qlen(sch));
}

static struct sk_buff *symphony_dequeue_child(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	enum symphony_class class;
	struct symphony_pkt pkt;
	struct sk_buff *skb;
	u32 job = 0;
	u32 queue;

	/* a parent may have made the child park a packet by peeking */
	skb = qdisc_dequeue_peeked(q->qdisc);
	if (unlikely(!skb))
		return NULL;
	symphony_leaves(sch, skb);
	class = symphony_look(q, skb, &pkt, &job);
	queue = sch->qstats.backlog;
	/* what came after it to queue order is no queue of the child's */
	if (unlikely(q->draining))
		queue -= q->queue->order.bytes;
	return symphony_verdict(sch, skb, &pkt, class, job, queue);
}

static struct sk_buff *symphony_dequeue_order(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_taken taken;
	enum symphony_class class;
	struct symphony_pkt pkt;
	struct sk_buff *skb;
	u32 job;

	skb = symphony_queue_take(sch, symphony_now(q), &taken);
	if (unlikely(!skb))
		return NULL;
	symphony_leaves(sch, skb);
	class = symphony_cb(skb)->class;
	job = q->queue->order.members[taken.member].job;
	/* the control block has no room for the job nor for many in one */
	if (unlikely(class == SYMPHONY_DATA && (!job || skb_is_gso(skb))))
		class = symphony_look(q, skb, &pkt, &job);
	else
		symphony_cb_read(symphony_cb(skb), &pkt);
	/* counted when it came */
	if (class == SYMPHONY_DATA)
		symphony_cb_place(symphony_cb(skb), &pkt);
	/* whoever judges it shares the reading of the clock */
	if (class == SYMPHONY_DATA)
		q->clock_left++;
	return symphony_verdict(sch, skb, &pkt, class, job,
				symphony_queue_weigh(q->queue, taken.queue));
}

/* Whether all that waited when the queue was changed has left. */
static bool symphony_is_drained(struct symphony_sched_data *q)
{
	bool order = q->config.queue == TC_SYMPHONY_QUEUE_ORDER;

	q->draining = order ? qdisc_qlen(q->qdisc) : q->queue->order.packets;
	return !q->draining;
}

static struct sk_buff *symphony_dequeue(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	bool order = q->config.queue == TC_SYMPHONY_QUEUE_ORDER;

	if (unlikely(q->draining) && !symphony_is_drained(q))
		order = !order;
	return order ? symphony_dequeue_order(sch) :
		       symphony_dequeue_child(sch);
}

static struct sk_buff *symphony_peek(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	if (q->config.queue == TC_SYMPHONY_QUEUE_ORDER || q->draining ||
	    !skb_queue_empty(&sch->gso_skb))
		return qdisc_peek_dequeued(sch);
	return q->qdisc->ops->peek(q->qdisc);
}

/* What is known of the jobs outlives a reset: it is not of the queue. */
static void symphony_reset(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	qdisc_reset(q->qdisc);
	if (q->queue)
		symphony_queue_purge(q->queue);
}

static void symphony_destroy(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	symphony_net_unlink(sch);
	tcf_block_put_ext(q->block, sch, &q->block_info);
	qdisc_put(q->qdisc);
	symphony_queue_destroy(q->queue);
	symphony_table_put(symphony_table_of(q));
}

/* The first of the block's filters is another. */
static void symphony_chain_head_change(struct tcf_proto *tp_head, void *priv)
{
	struct symphony_sched_data *q = priv;

	rcu_assign_pointer(q->filter_list, tp_head);
}

static int symphony_init(struct Qdisc *sch, struct nlattr *opt,
			 struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	int err;

	/* destroy runs after any failure below */
	q->qdisc = &noop_qdisc;
	q->block_info.chain_head_change = symphony_chain_head_change;
	q->block_info.chain_head_change_priv = q;
	err = tcf_block_get_ext(&q->block, sch, &q->block_info, extack);
	if (err)
		return err;
	err = symphony_config_init(sch, opt, extack);
	if (err)
		return err;
	return symphony_net_link(sch, extack);
}

/* Statistics of queue order; also of what is left of it. */
static void symphony_queue_stats(const struct symphony_queue *queue,
				 struct symphony_stats *st)
{
	u64 wait = queue->wait_max;

	st->count[TCA_SYMPHONY_STATS_ORDER_FIFOS] = queue->order.nr_fifos;
	st->count[TCA_SYMPHONY_STATS_ORDER_WAIT_MAX] =
		wait << SYMPHONY_TICK_SHIFT;
	symphony_queue_backlogs(queue,
				&st->count[TCA_SYMPHONY_STATS_ORDER_BACKLOG_SMALLEST],
				&st->count[TCA_SYMPHONY_STATS_ORDER_BACKLOG_AHEAD]);
}

static int symphony_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_stats st;
	struct nlattr *nest;
	u32 idle, jobs;
	int i;

	rcu_read_lock();
	idle = symphony_idle_jobs(rcu_dereference(q->table));
	rcu_read_unlock();
	sch_tree_lock(sch);
	st = q->stats;
	jobs = READ_ONCE(symphony_table_of(q)->nr_jobs);
	if (q->queue)
		symphony_queue_stats(q->queue, &st);
	sch_tree_unlock(sch);

	/* idle jobs are as good as forgotten, which is left to who needs room */
	st.count[TCA_SYMPHONY_STATS_JOBS] = jobs - min(idle, jobs);
	if (!symphony_table_of(q)->domain)
		st.count[TCA_SYMPHONY_STATS_JOBS_EXPIRED] += idle;
	/* the packet path keeps no second counter for what follows */
	st.count[TCA_SYMPHONY_STATS_LAGGING] =
		st.count[TCA_SYMPHONY_STATS_DATA] -
		st.count[TCA_SYMPHONY_STATS_OUTPACING];
	st.count[TCA_SYMPHONY_STATS_LAGGING_BYTES] =
		st.count[TCA_SYMPHONY_STATS_DATA_BYTES] -
		st.count[TCA_SYMPHONY_STATS_OUTPACING_BYTES];
	st.count[TCA_SYMPHONY_STATS_MEMORY] = symphony_table_memory(symphony_table_of(q)) +
						symphony_queue_memory(q->queue);

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
	bool order = q->config.queue == TC_SYMPHONY_QUEUE_ORDER;

	if (order && new) {
		NL_SET_ERR_MSG_MOD(extack,
				   "queue order holds the packets itself and takes no child");
		return -EOPNOTSUPP;
	}
	/* the default child comes back, or all that follows would be lost */
	if (!new && order) {
		new = &noop_qdisc;
	} else if (!new) {
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

/* In queue order only for as long as a child is drained. */
static bool symphony_has_child(const struct symphony_sched_data *q)
{
	return q->config.queue == TC_SYMPHONY_QUEUE_CHILD ||
	       q->qdisc != &noop_qdisc;
}

static struct Qdisc *symphony_leaf(struct Qdisc *sch, unsigned long arg)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	return symphony_has_child(q) ? q->qdisc : NULL;
}

/* There is one class; any minor number is a name of it. */
static unsigned long symphony_find(struct Qdisc *sch, u32 classid)
{
	return 1;
}

static void symphony_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	if (!walker->stop && symphony_has_child(qdisc_priv(sch)))
		tc_qdisc_stats_dump(sch, 1, walker);
}

static struct tcf_block *symphony_tcf_block(struct Qdisc *sch, unsigned long cl,
					    struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	/* filters are the qdisc's, not its class's */
	return cl ? NULL : q->block;
}

static void symphony_egress_block_set(struct Qdisc *sch, u32 block_index)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	q->block_info.block_index = block_index;
}

static u32 symphony_egress_block_get(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	return q->block_info.block_index;
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
	.egress_block_set = symphony_egress_block_set,
	.egress_block_get = symphony_egress_block_get,
	.owner		= THIS_MODULE,
};

static int __init symphony_module_init(void)
{
	int err = symphony_net_register();

	if (err)
		return err;
	err = symphony_genl_register();
	if (err)
		goto no_family;
	err = register_qdisc(&symphony_qdisc_ops);
	if (err)
		goto no_qdisc;
	return 0;

no_qdisc:
	symphony_genl_unregister();
no_family:
	symphony_net_unregister();
	return err;
}

static void __exit symphony_module_exit(void)
{
	unregister_qdisc(&symphony_qdisc_ops);
	symphony_genl_unregister();
	symphony_net_unregister();
}

module_init(symphony_module_init);
module_exit(symphony_module_exit);

MODULE_ALIAS_NET_SCH("symphony");
MODULE_ALIAS_GENL_FAMILY("symphony");
MODULE_DESCRIPTION("Symphony: step alignment of ring collectives");
MODULE_LICENSE("GPL");
#ifdef SYMPHONY_VERSION
MODULE_VERSION(SYMPHONY_VERSION);
#endif
