/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that the qdisc itself holds: queue order. */
#ifndef _SYMPHONY_QUEUE_H
#define _SYMPHONY_QUEUE_H

#include <linux/types.h>
#include <net/sch_generic.h>

#include "symphony_order.h"

struct netlink_ext_ack;
struct symphony_sched_data;

/**
 * struct symphony_queue - packets in the order of their steps
 * @order: who is next
 * @limit: packets that it may hold, also in what is being drained
 * @limit_bytes: bytes
 * @wait_max: longest wait of a packet, ticks
 *
 * Covered by the lock of the qdisc's tree.
 */
struct symphony_queue {
	struct symphony_order order;
	u32 limit;
	u32 limit_bytes;
	u32 wait_max;
};

struct symphony_queue *symphony_queue_create(struct netlink_ext_ack *extack);
void symphony_queue_destroy(struct symphony_queue *queue);
void symphony_queue_purge(struct symphony_queue *queue);
int symphony_queue_put(struct Qdisc *sch, u16 member, struct sk_buff *skb,
		       struct sk_buff **to_free);
void symphony_queue_trim(struct Qdisc *sch, struct sk_buff **to_free);
struct sk_buff *symphony_queue_take(struct Qdisc *sch, u64 now,
				    struct symphony_taken *taken);
void symphony_queue_backlogs(const struct symphony_queue *queue, u64 *smallest,
			     u64 *ahead);
size_t symphony_queue_memory(const struct symphony_queue *queue);

#endif
