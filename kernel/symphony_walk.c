// SPDX-License-Identifier: GPL-2.0
/*
 * Reading tables of jobs under RCU. States are recycled at once, not after a grace
 * period: the sequence in a job's record tells a reader that the state became
 * another's under his eyes.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "symphony_walk.h"

/* A job whose packets come so fast is taken as the last reading found it. */
#define SYMPHONY_WALK_READINGS	16

/* A chain that changes so often is not followed any more. */
#define SYMPHONY_WALK_TRIES	16

/* Read each number once; on 32 bits a half of it. */
static void symphony_walk_copy(void *to, const void *from, size_t size)
{
	const unsigned long *number = from;
	unsigned long *copy = to;
	size_t i;

	for (i = 0; i < size / sizeof(*number); i++)
		copy[i] = READ_ONCE(number[i]);
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
