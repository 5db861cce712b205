// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that the qdisc itself holds. Who is next and who goes when there are
 * too many is for symphony_order.h to say; here are memory, limits, statistics.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/pkt_sched.h>

#include "compat/compat.h"
#include "symphony.h"
#include "symphony_queue.h"

/**
 * symphony_queue_create() - an empty queue
 * @sch: the qdisc whose it will be
 * @extack: where to explain a refusal
 *
 * Limits, quantum, patience, hold and step_bits are for the caller to set.
 *
 * Context: may sleep.
 * Return: the queue or NULL.
 */
struct symphony_queue *symphony_queue_create(struct Qdisc *sch,
					     struct netlink_ext_ack *extack)
{
	struct symphony_queue *queue;
	struct symphony_order *o;

	queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	if (!queue)
		goto no_memory;
	qdisc_watchdog_init(&queue->watchdog, sch);
	o = &queue->order;
	o->members = kvcalloc(SYMPHONY_MEMBERS, sizeof(*o->members),
			      GFP_KERNEL_ACCOUNT);
	o->fifos = kvcalloc(SYMPHONY_FIFOS, sizeof(*o->fifos),
			    GFP_KERNEL_ACCOUNT);
	o->buckets = kvmalloc_array(1 << SYMPHONY_BUCKET_BITS,
				    sizeof(*o->buckets), GFP_KERNEL_ACCOUNT);
	o->senders = kvcalloc(1 << SYMPHONY_SENDER_BITS, sizeof(*o->senders),
			      GFP_KERNEL_ACCOUNT);
	o->losses.flows = kvcalloc(SYMPHONY_LOSSES, sizeof(*o->losses.flows),
				   GFP_KERNEL_ACCOUNT);
	if (!o->members || !o->fifos || !o->buckets || !o->senders ||
	    !o->losses.flows) {
		symphony_queue_destroy(queue);
		goto no_memory;
	}
	o->multiplier = get_random_u32() | 1;
	symphony_order_init(o);
	return queue;

no_memory:
	NL_SET_ERR_MSG_MOD(extack, "no memory for queue order");
	return NULL;
}

/**
 * symphony_queue_destroy() - free a queue
 * @queue: the queue or NULL
 *
 * Context: RTNL held, nobody else reaches the queue.
 */
void symphony_queue_destroy(struct symphony_queue *queue)
{
	if (!queue)
		return;
	qdisc_watchdog_cancel(&queue->watchdog);
	if (queue->order.members)
		symphony_queue_purge(queue);
	kvfree(queue->order.losses.flows);
	kvfree(queue->order.senders);
	kvfree(queue->order.members);
	kvfree(queue->order.fifos);
	kvfree(queue->order.buckets);
	kfree(queue);
}

/**
 * symphony_queue_purge() - free all packets
 * @queue: the queue
 *
 * Context: RTNL held; lock of the qdisc's tree, or nobody else reaches it.
 */
void symphony_queue_purge(struct symphony_queue *queue)
{
	u32 hold = queue->order.hold;
	struct symphony_taken taken;
	struct sk_buff *skb;

	queue->order.hold = 0;
	while ((skb = symphony_order_take(&queue->order, 0, &taken)))
		rtnl_kfree_skbs(skb, skb);
	queue->order.hold = hold;
	queue->holding = false;
}

/* A packet's PSN on the wire, where the control block has its position instead. */
static u32 symphony_queue_psn(const struct symphony_sched_data *q,
			      const struct sk_buff *skb)
{
	const struct symphony_cb *cb = symphony_cb(skb);
	struct symphony_pkt pkt = {};

	if (!(cb->flags & SYMPHONY_PKT_PLACED) ||
	    symphony_parse(skb, &q->parse, &pkt) != SYMPHONY_DATA)
		return cb->psn;
	return pkt.psn;
}

/* Who pays for a full queue. */
static void symphony_queue_drop(struct Qdisc *sch, u16 member,
				struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_order *o = &q->queue->order;
	struct sk_buff *skb;
	bool ahead;

	skb = symphony_order_drop(o, member, &ahead);
	symphony_order_lost(o, member, skb, symphony_queue_psn(q, skb));
	if (member < SYMPHONY_MEMBER_JOBS)
		symphony_count(q, DROPS_OTHER, 1);
	else if (ahead)
		symphony_count(q, DROPS_AHEAD, 1);
	else
		symphony_count(q, DROPS_LAGGARD, 1);
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_qlen_dec(sch);
	qdisc_drop(skb, sch, to_free);
}

/**
 * symphony_queue_shrink() - drop until there is room, and tell the parents
 * @sch: the qdisc, which has a queue
 * @member: whose packet has just come, which the parents have not counted yet, or
 *	%SYMPHONY_NONE
 * @len: bytes of that packet
 * @to_free: where dropped packets go
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: whether one of @member was dropped: the parents, who have not heard of it,
 * count no packet then.
 */
bool symphony_queue_shrink(struct Qdisc *sch, u16 member, u32 len,
			   struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 backlog = sch->qstats.backlog;
	u32 packets = qdisc_qlen(sch);
	bool same = false;

	while (symphony_queue_full(q->queue)) {
		u16 victim = symphony_order_victim(&q->queue->order);

		symphony_queue_drop(sch, victim, to_free);
		same |= victim == member;
	}
	packets -= qdisc_qlen(sch);
	backlog -= sch->qstats.backlog;
	if (same) {
		packets--;
		backlog -= len;
	}
	qdisc_tree_reduce_backlog(sch, packets, backlog);
	return same;
}

/**
 * symphony_queue_trim() - drop what is above the limits
 * @sch: the qdisc, which has a queue
 * @to_free: where dropped packets go
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 */
void symphony_queue_trim(struct Qdisc *sch, struct sk_buff **to_free)
{
	symphony_queue_shrink(sch, SYMPHONY_NONE, 0, to_free);
}

/**
 * symphony_queue_hold() - come back when the first of those held need not be
 * @sch: the qdisc, in which all that waits is held
 * @now: time, ns
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 */
void symphony_queue_hold(struct Qdisc *sch, u64 now)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_queue *queue = q->queue;
	u64 left = queue->order.hold_left;

	if (!queue->holding)
		symphony_count(q, ORDER_HOLDS, 1);
	queue->holding = true;
	/* an old reading of the clock would hold them again */
	q->clock_left = 0;
	qdisc_watchdog_schedule_ns(&queue->watchdog,
				   now + (left << SYMPHONY_TICK_SHIFT));
}

/* More than half of the room is taken. */
u32 symphony_queue_crowd(const struct symphony_queue *queue, u32 bytes)
{
	u32 half = queue->room / 2, taken = queue->order.bytes;

	if (taken >= queue->room)
		return U32_MAX;
	return min_t(u64, div_u64((u64)bytes * half, queue->room - taken),
		     U32_MAX);
}

/**
 * symphony_queue_backlogs() - what waits of the jobs
 * @queue: the queue
 * @smallest: bytes of their smallest steps
 * @ahead: bytes of all others
 *
 * Context: lock of the qdisc's tree held.
 */
void symphony_queue_backlogs(const struct symphony_queue *queue, u64 *smallest,
			     u64 *ahead)
{
	const struct symphony_order *o = &queue->order;
	u16 i;

	*smallest = 0;
	*ahead = 0;
	for (i = o->turn; i != SYMPHONY_NONE; i = o->members[i].next) {
		const struct symphony_member *m = &o->members[i];
		u32 first;

		if (i < SYMPHONY_MEMBER_JOBS || !m->packets)
			continue;
		first = o->fifos[m->first].bytes;
		*smallest += first;
		*ahead += m->bytes - first;
	}
}

/**
 * symphony_queue_memory() - what a queue costs without its packets
 * @queue: the queue or NULL
 *
 * Return: bytes.
 */
size_t symphony_queue_memory(const struct symphony_queue *queue)
{
	const struct symphony_order *o = &queue->order;

	if (!queue)
		return 0;
	return sizeof(*queue) + SYMPHONY_MEMBERS * sizeof(*o->members) +
	       SYMPHONY_FIFOS * sizeof(*o->fifos) +
	       (sizeof(*o->senders) << SYMPHONY_SENDER_BITS) +
	       SYMPHONY_LOSSES * sizeof(*o->losses.flows) +
	       (sizeof(*o->buckets) << SYMPHONY_BUCKET_BITS);
}
