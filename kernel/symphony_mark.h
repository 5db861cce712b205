/* SPDX-License-Identifier: GPL-2.0 */
/* Marks. */
#ifndef _SYMPHONY_MARK_H
#define _SYMPHONY_MARK_H

#include <linux/types.h>

#include "symphony.h"

bool symphony_ramp_marks(struct symphony_sched_data *q,
			 const struct symphony_pkt *pkt, u32 queue, u32 due,
			 u32 weight);
struct sk_buff *symphony_mark(struct symphony_sched_data *q,
			      struct sk_buff *skb,
			      const struct symphony_pkt *pkt, u32 due,
			      u32 weight);

void symphony_ramp_set(struct symphony_sched_data *q);
void symphony_measure(struct symphony_sched_data *q, u32 len, bool backlogged);

/**
 * symphony_congested() - whether the length of its queue marks a packet
 * @q: the qdisc's data
 * @pkt: the packet
 * @queue: bytes of the queue that it leaves behind
 * @due: what symphony_judge() found
 * @weight: packets of the wire that it stands for
 *
 * Return: true if the packet is due for a mark.
 */
static inline bool symphony_congested(struct symphony_sched_data *q,
				      const struct symphony_pkt *pkt, u32 queue,
				      u32 due, u32 weight)
{
	if (!q->congestion || queue <= q->ramp.min)
		return false;
	return symphony_ramp_marks(q, pkt, queue, due, weight);
}

#endif
