/* SPDX-License-Identifier: GPL-2.0 */
/* Reading tables of jobs under RCU, without a lock of the packet path. */
#ifndef _SYMPHONY_WALK_H
#define _SYMPHONY_WALK_H

#include <linux/types.h>

#include "symphony_algo.h"
#include "symphony_table.h"

/**
 * struct symphony_view - a job as it was at one moment
 * @state: its state
 * @override: what counts for it instead of the qdisc's options
 * @tally: what was counted, @state's window included
 * @bytes: of its packets
 */
struct symphony_view {
	struct symphony_state state;
	struct symphony_override override;
	struct symphony_tally tally;
	u64 bytes;
};

/**
 * struct symphony_flow_view - a flow as it was at one moment
 * @src: source address, unspecified if it is not known any more
 * @dst: destination address, likewise
 * @job: its job
 * @dest: destination queue pair or PDC identifier
 * @step: its step
 * @position: the furthest in it, 0 if its first packet was not seen
 * @age: since its last packet, ns
 */
struct symphony_flow_view {
	struct in6_addr src;
	struct in6_addr dst;
	u32 job;
	u32 dest;
	u32 step;
	u32 position;
	u64 age;
};

bool symphony_walk_flow(const struct symphony_table *table, u32 i, u64 now,
			struct symphony_flow_view *view);
u32 symphony_walk_flow_job(const struct symphony_table *table, u32 i, u64 now);
bool symphony_walk_once(const struct symphony_table *table, u32 i,
			struct symphony_view *view);
bool symphony_walk_is_active(const struct symphony_table *table, u32 i, u64 now,
			     u64 active);
bool symphony_walk_read(const struct symphony_table *table, u32 i,
			struct symphony_view *view);
int symphony_walk_find(const struct symphony_table *table, u32 job);

/**
 * symphony_walk_end() - how many states there are to be read
 * @table: the table
 *
 * Jobs that are entered later may be beyond it.
 *
 * Return: the number, for symphony_walk_read().
 */
static inline u32 symphony_walk_end(const struct symphony_table *table)
{
	return READ_ONCE(table->jobs_touched);
}

#endif
