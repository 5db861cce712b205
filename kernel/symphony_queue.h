/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that the qdisc itself holds: queue order. */
#ifndef _SYMPHONY_QUEUE_H
#define _SYMPHONY_QUEUE_H

#include <linux/types.h>
#include <net/pkt_sched.h>

#include "compat/compat.h"
#include "symphony.h"
#include "symphony_order.h"

struct netlink_ext_ack;

/**
 * struct symphony_queue - packets in the order of their steps
 * @order: who is next
 * @watchdog: for when all that waits is held
 * @holding: whether the link has nothing to send since
 * @room: bytes of which the thresholds are shares, 0 if they are not
 * @limit: packets that it may hold, also in what is being drained
 * @limit_bytes: bytes
 * @wait_max: longest wait of a packet, ticks
 *
 * Covered by the lock of the qdisc's tree.
 */
struct symphony_queue {
	struct symphony_order order;
	struct qdisc_watchdog watchdog;
	bool holding;
	u32 room;
	u32 limit;
	u32 limit_bytes;
	u32 wait_max;
};

struct symphony_queue *symphony_queue_create(struct Qdisc *sch,
					     struct netlink_ext_ack *extack);
void symphony_queue_destroy(struct symphony_queue *queue);
void symphony_queue_purge(struct symphony_queue *queue);
bool symphony_queue_shrink(struct Qdisc *sch, u16 member, u32 len,
			   struct sk_buff **to_free);
void symphony_queue_trim(struct Qdisc *sch, struct sk_buff **to_free);
void symphony_queue_hold(struct Qdisc *sch, u64 now);
u32 symphony_queue_crowd(const struct symphony_queue *queue, u32 bytes);
void symphony_queue_backlogs(const struct symphony_queue *queue, u64 *smallest,
			     u64 *ahead);
size_t symphony_queue_memory(const struct symphony_queue *queue);

/**
 * symphony_queue_weigh() - what the length of a FIFO is to the thresholds
 * @queue: the queue
 * @bytes: of the FIFO
 *
 * Thresholds that are shares of the room shrink with what is left of it once
 * half is taken, so that marks come before drops, however many FIFOs share it.
 *
 * Context: lock of the qdisc's tree held.
 * Return: bytes, more than @bytes if the room runs out.
 */
static inline u32 symphony_queue_weigh(const struct symphony_queue *queue,
				       u32 bytes)
{
	if (likely(queue->order.bytes <= queue->room / 2 || !queue->room))
		return bytes;
	return symphony_queue_crowd(queue, bytes);
}

static inline bool symphony_queue_full(const struct symphony_queue *queue)
{
	return queue->order.packets > queue->limit ||
	       queue->order.bytes > queue->limit_bytes;
}

/**
 * symphony_queue_put() - let a packet wait
 * @sch: the qdisc, in queue order
 * @member: index of the member it belongs to
 * @skb: the packet with its control block written
 * @go_back: whether it had %SYMPHONY_PKT_GO_BACK
 * @psn: its PSN on the wire
 * @to_free: where dropped packets go
 *
 * A full queue drops somebody's packet, perhaps this one. What follows a packet that
 * was dropped is dropped as well.
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: NET_XMIT_SUCCESS, NET_XMIT_CN if a packet of the same member was dropped
 * for it, or NET_XMIT_DROP if it follows a loss: the parent counts no packet then.
 */
static inline int symphony_queue_put(struct Qdisc *sch, u16 member,
				     struct sk_buff *skb, bool go_back, u32 psn,
				     struct sk_buff **to_free)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	u32 len = qdisc_pkt_len(skb);

	symphony_order_put(&q->queue->order, member, skb);
	if (likely(go_back) && symphony_order_vain(&q->queue->order, member, skb, psn,
						   symphony_queue_full(q->queue))) {
		symphony_count(q, DROPS_GAP, 1);
		return qdisc_drop(skb, sch, to_free);
	}
	sch->qstats.backlog += len;
	qdisc_qlen_inc(sch);
	if (likely(!symphony_queue_full(q->queue)))
		return NET_XMIT_SUCCESS;
	return symphony_queue_shrink(sch, member, len, to_free) ?
	       NET_XMIT_CN : NET_XMIT_SUCCESS;
}

/**
 * symphony_queue_take() - the next packet to go
 * @sch: the qdisc
 * @now: time, ns
 * @taken: where it came from
 *
 * Counted as waiting until the caller says otherwise.
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: the packet, or NULL if there is none, or none that may go yet.
 */
static inline struct sk_buff *
symphony_queue_take(struct Qdisc *sch, u64 now, struct symphony_taken *taken)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_queue *queue = q->queue;
	struct sk_buff *skb;

	skb = symphony_order_take(&queue->order, now >> SYMPHONY_TICK_SHIFT,
				  taken);
	if (!skb) {
		if (queue->order.packets)
			symphony_queue_hold(sch, now);
		return NULL;
	}
	queue->holding = false;
	if (taken->passed)
		symphony_count(q, ORDER_PASSED, 1);
	if (taken->waited > queue->wait_max)
		queue->wait_max = taken->waited;
	return skb;
}

#endif
