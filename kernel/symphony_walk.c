// SPDX-License-Identifier: GPL-2.0
/*
 * Reading tables of jobs under RCU. States are recycled at once, not after a grace
 * period: the sequence in a job's record tells a reader that the state became
 * another's under his eyes.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <linux/symphony.h>

#include "symphony_walk.h"

/* A job whose packets come so fast is taken as the last reading found it. */
#define SYMPHONY_WALK_READINGS	16

/* A chain that changes so often is not followed any more. */
#define SYMPHONY_WALK_TRIES	16

/*
 * Read each number once; on 32 bits a half of it. Packets write them plainly, under
 * locks that a reader does not take: whether they belong together is for him to find
 * out. A store that KCSAN finds at such a number is no fault, two of them are.
 */
static void symphony_walk_copy(void *to, const void *from, size_t size)
{
	const unsigned long *number = from;
	unsigned long *copy = to;
	size_t i;

	for (i = 0; i < size / sizeof(*number); i++)
		/* see above */
		copy[i] = data_race(READ_ONCE(number[i]));
}

/**
 * symphony_walk_once() - one reading of a job
 * @table: the table
 * @i: number of its state
 * @view: where to put it, without the window's packets in the tally
 *
 * Return: whether it is of one moment: no window's packets moved, and the state was
 * the same before and after.
 */
bool symphony_walk_once(const struct symphony_table *table, u32 i,
			struct symphony_view *view)
{
	const struct symphony_record *record = &table->records[i];
	struct symphony_state after;
	u32 fold;

	BUILD_BUG_ON(sizeof(view->state) % sizeof(long));
	BUILD_BUG_ON(sizeof(view->tally) % sizeof(long));
	/* before all that a fold writes */
	fold = smp_load_acquire(&record->fold);
	symphony_walk_copy(&view->state, &table->jobs[i], sizeof(view->state));
	/* the tally lies between two readings of the state */
	smp_rmb();
	symphony_walk_copy(&view->tally, &record->tally, sizeof(view->tally));
	view->override.k = READ_ONCE(record->override.k);
	view->override.tau = READ_ONCE(record->override.tau);
	view->override.mode = READ_ONCE(record->override.mode);
	symphony_walk_copy(&view->bytes, &table->bytes[i], sizeof(view->bytes));
	/* as above */
	smp_rmb();
	symphony_walk_copy(&after, &table->jobs[i], sizeof(after));
	/* pairs with that of symphony_fold_begin() */
	smp_rmb();
	if (fold & 1 || READ_ONCE(record->fold) != fold)
		return false;
	return !memcmp(&after, &view->state, sizeof(after));
}

/**
 * symphony_walk_is_active() - whether a job may have sent lately
 * @table: the table
 * @i: number of its state, below symphony_walk_end()
 * @now: time, ns
 * @active: since so many ns before; U64_MAX = ever
 *
 * Packets of a window do not tell when they came: what counts is its begin.
 *
 * Context: rcu_read_lock() held; no lock.
 * Return: false if all that is known of it is older.
 */
bool symphony_walk_is_active(const struct symphony_table *table, u32 i, u64 now,
			     u64 active)
{
	u64 window = READ_ONCE(table->window);
	/* a packet that comes meanwhile is of the next dump */
	s64 age = now - data_race(table->jobs[i].window_start);

	/* a job that waits for its first packet has a window that is over */
	window += window / 64;
	return active == U64_MAX || age <= (s64)window ||
	       (u64)age - window <= active;
}

/**
 * symphony_walk_read() - what is known of a job
 * @table: the table
 * @i: number of its state, below symphony_walk_end()
 * @view: where to put it
 *
 * Context: rcu_read_lock() held; no lock.
 * Return: false if the state is free, or was given to another job meanwhile.
 */
bool symphony_walk_read(const struct symphony_table *table, u32 i,
			struct symphony_view *view)
{
	const struct symphony_record *record = &table->records[i];
	u32 seq, readings;

	/* pairs with symphony_record_turn(), as that below */
	seq = smp_load_acquire(&record->seq);
	if (!(seq & 1))
		return false;
	for (readings = 0; readings < SYMPHONY_WALK_READINGS; readings++)
		if (symphony_walk_once(table, i, view))
			break;
	/* was it the same job's all the time? */
	smp_rmb();
	if (READ_ONCE(record->seq) != seq)
		return false;
	view->tally.packets += view->state.cnt_total;
	view->tally.outpacing += view->state.cnt_op;
	return true;
}

/* One way down a chain. -EAGAIN if it led into another one. */
static int symphony_walk_chain(const struct symphony_table *table, u32 job)
{
	u32 bucket = symphony_job_bucket(table, job);
	u32 i = READ_ONCE(table->buckets[bucket]);

	while (i != SYMPHONY_NO_JOB) {
		const struct symphony_state *st = &table->jobs[i];
		const struct symphony_record *record = &table->records[i];
		u32 seq, found, link;

		/* pairs with symphony_record_turn(), as that below */
		seq = smp_load_acquire(&record->seq);
		found = READ_ONCE(st->job);
		link = READ_ONCE(st->link);
		/* was the state in this chain all the time? */
		smp_rmb();
		if (!(seq & 1) || READ_ONCE(record->seq) != seq ||
		    symphony_job_bucket(table, found) != bucket)
			return -EAGAIN;
		if (found == job)
			return i;
		i = link;
	}
	return -ENOENT;
}

/**
 * symphony_walk_find() - look a job up
 * @table: the table
 * @job: its number, not 0
 *
 * Context: rcu_read_lock() held; no lock.
 * Return: number of its state, for symphony_walk_read(), or -ENOENT.
 */
int symphony_walk_find(const struct symphony_table *table, u32 job)
{
	u32 tries, i;

	for (tries = 0; tries < SYMPHONY_WALK_TRIES; tries++) {
		int found = symphony_walk_chain(table, job);

		if (found != -EAGAIN)
			return found;
		cpu_relax();
	}
	for (i = 0; i < symphony_walk_end(table); i++)
		if (READ_ONCE(table->jobs[i].job) == job)
			return i;
	return -ENOENT;
}

/*
 * An entry of the flow table and its job, 0 if it is free, nobody knows who the flow
 * is, or it has been silent for so long that its anchor is dead.
 */
static u32 symphony_walk_entry(const struct symphony_table *table, u32 i, u64 now,
			       struct symphony_flow *flow,
			       struct symphony_flow_name *name)
{
	const struct symphony_flow *flows = READ_ONCE(table->flows)[0];
	const struct symphony_flow_name *names = READ_ONCE(table->names)[0];
	u32 silence;

	/* pairs with symphony_flow_set_name(): the rest is what belongs to it */
	name->job = smp_load_acquire(&names[i].job);
	if (!name->job)
		return 0;
	name->dest = READ_ONCE(names[i].dest);
	name->src = READ_ONCE(names[i].src);
	name->dst = READ_ONCE(names[i].dst);
	symphony_walk_copy(flow, &flows[i], sizeof(*flow));
	/* has it been another's meanwhile? */
	smp_rmb();
	if (READ_ONCE(names[i].job) != name->job || !flow->state ||
	    name->job >> 24 != (flow->tag & 0xff) ||
	    name->dest >> 24 != (flow->tag >> 8 & 0xff))
		return 0;
	silence = symphony_flow_silence(READ_ONCE(table->idle));
	if (symphony_flow_age(flow, symphony_flow_now(now)) >=
	    silence + SYMPHONY_FLOW_SKEW)
		return 0;
	return name->job & SYMPHONY_GENL_JOB_MAX;
}

/* An address, if it is still there. */
static void symphony_walk_address(const struct symphony_table *table,
				  struct symphony_address_ref ref,
				  struct in6_addr *address)
{
	const struct in6_addr *addresses = READ_ONCE(table->addresses);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(address->s6_addr32); i++)
		address->s6_addr32[i] =
			READ_ONCE(addresses[ref.index].s6_addr32[i]);
	if ((u16)symphony_address_hash(table, address) != ref.tag)
		memset(address, 0, sizeof(*address));
}

/**
 * symphony_walk_flow_job() - whose a flow is
 * @table: the table
 * @i: number of its entry, below symphony_table::flows_max
 * @now: time, ns
 *
 * Context: rcu_read_lock() held; no lock.
 * Return: the flow's job, 0 if there is no flow.
 */
u32 symphony_walk_flow_job(const struct symphony_table *table, u32 i, u64 now)
{
	struct symphony_flow_name name;
	struct symphony_flow flow;

	return symphony_walk_entry(table, i, now, &flow, &name);
}

/**
 * symphony_walk_flow() - what is known of a flow
 * @table: the table
 * @i: number of its entry, below symphony_table::flows_max
 * @now: time, ns
 * @view: where to put it
 *
 * Context: rcu_read_lock() held; no lock.
 * Return: false if there is no flow, or nobody knows who it is.
 */
bool symphony_walk_flow(const struct symphony_table *table, u32 i, u64 now,
			struct symphony_flow_view *view)
{
	struct symphony_flow_name name;
	struct symphony_flow flow;
	u32 age;

	view->job = symphony_walk_entry(table, i, now, &flow, &name);
	if (!view->job)
		return false;
	view->dest = name.dest & 0xffffff;
	view->step = flow.step;
	view->position = flow.state == SYMPHONY_FLOW_ANCHORED ?
			 symphony_flow_seen(&flow) : 0;
	age = symphony_flow_age(&flow, symphony_flow_now(now));
	view->age = age > SYMPHONY_FLOW_SKEW ?
		    (u64)(age - SYMPHONY_FLOW_SKEW) << SYMPHONY_FLOW_TICK : 0;
	symphony_walk_address(table, name.src, &view->src);
	symphony_walk_address(table, name.dst, &view->dst);
	return true;
}
