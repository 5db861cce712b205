/* SPDX-License-Identifier: GPL-2.0 */
/* What a data packet is to its job. */
#ifndef _SYMPHONY_JUDGE_H
#define _SYMPHONY_JUDGE_H

#include <linux/types.h>

struct Qdisc;
struct symphony_pkt;
struct symphony_sched_data;
struct symphony_table;

/* What symphony_judge() finds a packet due for. */
#define SYMPHONY_DUE_AHEAD	0x01	/* a mark for running ahead */
#define SYMPHONY_DUE_SHIELD	0x02	/* the laggard's thresholds */
#define SYMPHONY_DUE_MARK	0x04	/* mode mark, whatever the qdisc's */
#define SYMPHONY_DUE_OBSERVE	0x08	/* mode observe, likewise */
#define SYMPHONY_DUE_NAME	0x10	/* being told who its flow is */

u32 symphony_judge(struct Qdisc *sch, const struct symphony_pkt *pkt, u32 job,
		   u32 weight, u32 len);
void symphony_judge_place(struct Qdisc *sch, struct symphony_pkt *pkt, u32 job,
			  u32 span);
bool symphony_is_lagging(struct symphony_sched_data *q,
			 const struct symphony_pkt *pkt, u32 job);
void symphony_judge_prefetch(const struct symphony_sched_data *q,
			     const struct symphony_pkt *pkt, u32 job);
u32 symphony_idle_jobs(const struct symphony_table *table);
void symphony_expire(struct Qdisc *sch, struct symphony_table *table);

#endif
