// SPDX-License-Identifier: GPL-2.0
/* Bounded tables of jobs and flows, private or shared by a domain. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "symphony_table.h"

/* A new job looks at this many others when the table is full. */
#define SYMPHONY_SWEEP_ON_CREATE	8

static unsigned int symphony_net_id __read_mostly;

struct symphony_net {
	struct list_head domains;
};

static u32 symphony_buckets(u32 jobs_max)
{
	/* half full at most: a chain has rarely a second link */
	return roundup_pow_of_two(2 * jobs_max);
}

/**
 * symphony_table_memory() - what a table costs
 * @table: the table
 *
 * Return: bytes of the job and flow tables.
 */
size_t symphony_table_memory(const struct symphony_table *table)
{
	return sizeof(*table) + table->jobs_max * sizeof(*table->jobs) +
	       symphony_buckets(table->jobs_max) * sizeof(*table->buckets) +
	       table->flows_max * sizeof(struct symphony_flow);
}

static void symphony_table_free(struct symphony_table *table)
{
	kvfree(table->jobs);
	kvfree(table->buckets);
	kvfree(table->flows);
	kfree(table);
}

/* Secrets of the hash functions: a seeded qdisc repeats its run. */
static void symphony_table_seed(struct symphony_table *table, u64 seed)
{
	struct rnd_state rnd;

	prandom_seed_state(&rnd, seed);
	table->multiplier = prandom_u32_state(&rnd) | 1;
	prandom_bytes_state(&rnd, table->hash_seed, sizeof(table->hash_seed));
	/* a multiplier: an even one would lose bits of the addresses */
	table->hash_seed[1] |= 1;
}

static struct symphony_table *symphony_table_alloc(u32 jobs_max, u32 flows_max)
{
	u32 buckets = symphony_buckets(jobs_max);
	struct symphony_table *table;

	table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->jobs = kvcalloc(jobs_max, sizeof(*table->jobs),
			       GFP_KERNEL_ACCOUNT);
	table->buckets = kvmalloc_array(buckets, sizeof(*table->buckets),
					GFP_KERNEL_ACCOUNT);
	table->flows = kvcalloc(flows_max, sizeof(struct symphony_flow),
				GFP_KERNEL_ACCOUNT);
	if (!table->jobs || !table->buckets || !table->flows) {
		symphony_table_free(table);
		return NULL;
	}
	memset(table->buckets, 0xff, buckets * sizeof(*table->buckets));
	table->bucket_shift = 32 - ilog2(buckets);
	table->flow_mask = flows_max / SYMPHONY_FLOW_WAYS - 1;
	spin_lock_init(&table->lock);
	table->jobs_max = jobs_max;
	table->flows_max = flows_max;
	table->free_job = SYMPHONY_NO_JOB;
	refcount_set(&table->refs, 1);
	INIT_LIST_HEAD(&table->node);
	return table;
}

/**
 * symphony_domain_find() - look a domain up
 * @net: network namespace
 * @domain: its number, not 0
 *
 * Context: RTNL held.
 * Return: the domain's table, without a reference, or NULL.
 */
struct symphony_table *symphony_domain_find(struct net *net, u32 domain)
{
	struct symphony_net *sn = net_generic(net, symphony_net_id);
	struct symphony_table *table;

	ASSERT_RTNL();
	list_for_each_entry(table, &sn->domains, node)
		if (table->domain == domain)
			return table;
	return NULL;
}

/**
 * symphony_table_get() - a table for a qdisc
 * @net: network namespace
 * @domain: number of a domain, or 0 for a private table
 * @jobs_max: capacity for jobs
 * @flows_max: capacity for flows, a power of two
 * @seed: seed of the hash functions, NULL for a random one
 * @extack: where to explain a refusal
 *
 * A domain that exists is joined; the caller has checked its capacity.
 *
 * Context: RTNL held, may sleep.
 * Return: the table with a reference for the caller, or NULL.
 */
struct symphony_table *symphony_table_get(struct net *net, u32 domain,
					  u32 jobs_max, u32 flows_max,
					  const u64 *seed,
					  struct netlink_ext_ack *extack)
{
	struct symphony_net *sn = net_generic(net, symphony_net_id);
	struct symphony_table *table;

	if (domain) {
		table = symphony_domain_find(net, domain);
		if (table) {
			refcount_inc(&table->refs);
			return table;
		}
	}
	table = symphony_table_alloc(jobs_max, flows_max);
	if (!table) {
		NL_SET_ERR_MSG_MOD(extack, "no memory for jobs and flows");
		return NULL;
	}
	symphony_table_seed(table, seed ? *seed : get_random_u64());
	if (domain) {
		table->domain = domain;
		list_add(&table->node, &sn->domains);
	}
	return table;
}

/**
 * symphony_domain_replace() - put a table into a domain's place
 * @old: the domain's table, of which the caller is the only user
 * @table: a private table, to become the domain's
 *
 * Context: RTNL and the lock of the caller's qdisc tree held.
 */
void symphony_domain_replace(struct symphony_table *old,
			     struct symphony_table *table)
{
	table->domain = old->domain;
	list_replace_init(&old->node, &table->node);
}

/**
 * symphony_table_put() - give a table up
 * @table: the table, or NULL
 *
 * The caller's qdisc must not be able to reach it any more.
 *
 * Context: RTNL held, may sleep.
 */
void symphony_table_put(struct symphony_table *table)
{
	if (!table || !refcount_dec_and_test(&table->refs))
		return;
	list_del(&table->node);
	symphony_table_free(table);
}

static void symphony_job_link(struct symphony_table *table,
			      struct symphony_state *st, u32 job)
{
	u32 bucket = symphony_job_bucket(table, job);

	st->job = job;
	st->link = table->buckets[bucket];
	table->buckets[bucket] = st - table->jobs;
	table->nr_jobs++;
}

static void symphony_job_unlink(struct symphony_table *table,
				struct symphony_state *st)
{
	u16 *link = &table->buckets[symphony_job_bucket(table, st->job)];
	u16 index = st - table->jobs;

	while (*link != index)
		link = &table->jobs[*link].link;
	*link = st->link;
	st->job = 0;
	st->link = table->free_job;
	table->free_job = index;
	table->nr_jobs--;
}

static struct symphony_state *symphony_job_slot(struct symphony_table *table)
{
	struct symphony_state *st;

	if (table->free_job != SYMPHONY_NO_JOB) {
		st = &table->jobs[table->free_job];
		table->free_job = st->link;
		return st;
	}
	if (table->jobs_touched < table->jobs_max)
		return &table->jobs[table->jobs_touched++];
	return NULL;
}

/**
 * symphony_table_sweep() - forget idle jobs
 * @table: the table, locked
 * @count: states to look at, from where the last sweep ended
 * @now: time, ns
 * @expire_after: age of a job's window at which it is idle, ns
 *
 * Return: how many were forgotten.
 */
u32 symphony_table_sweep(struct symphony_table *table, u32 count, u64 now,
			 u64 expire_after)
{
	u32 expired = 0;

	count = min(count, table->jobs_touched);
	while (count--) {
		struct symphony_state *st;

		if (table->sweep >= table->jobs_touched)
			table->sweep = 0;
		st = &table->jobs[table->sweep++];
		if (st->job &&
		    (s64)(now - st->window_start) >= (s64)expire_after) {
			symphony_job_unlink(table, st);
			expired++;
		}
	}
	return expired;
}

/**
 * symphony_job_create() - enter a job
 * @table: the table, locked, which does not hold the job
 * @job: job number, not 0
 * @now: time, ns
 * @expire_after: age of a job's window at which it is idle, ns
 * @expired: increased by the number of idle jobs forgotten to make room
 *
 * Return: the state, for symphony_state_init(), or NULL if there is no room.
 */
struct symphony_state *symphony_job_create(struct symphony_table *table,
					   u32 job, u64 now, u64 expire_after,
					   u32 *expired)
{
	struct symphony_state *st = symphony_job_slot(table);

	if (!st) {
		*expired += symphony_table_sweep(table,
						 SYMPHONY_SWEEP_ON_CREATE, now,
						 expire_after);
		st = symphony_job_slot(table);
		if (!st)
			return NULL;
	}
	symphony_job_link(table, st, job);
	return st;
}

/* The next job of @from, after @st, that @to does not know; NULL if none. */
static struct symphony_state *
symphony_job_missing(struct symphony_table *to, struct symphony_table *from,
		     struct symphony_state *st)
{
	struct symphony_state *end = from->jobs + from->jobs_touched;

	for (st = st ? st + 1 : from->jobs; st < end; st++)
		if (st->job && !symphony_job_find(to, st->job))
			return st;
	return NULL;
}

static bool symphony_table_has_room(struct symphony_table *to,
				    struct symphony_table *from)
{
	u32 room = to->jobs_max - to->nr_jobs;
	struct symphony_state *st = NULL;

	while ((st = symphony_job_missing(to, from, st)))
		if (!room--)
			return false;
	return true;
}

static void symphony_table_copy(struct symphony_table *to,
				struct symphony_table *from)
{
	struct symphony_state *st = NULL;

	while ((st = symphony_job_missing(to, from, st))) {
		struct symphony_state *copy = symphony_job_slot(to);

		*copy = *st;
		symphony_job_link(to, copy, st->job);
	}
	if (refcount_read(&to->refs) == 1 && refcount_read(&from->refs) == 1 &&
	    to->flows_max == from->flows_max) {
		swap(to->flows, from->flows);
		memcpy(to->hash_seed, from->hash_seed, sizeof(to->hash_seed));
	}
}

/**
 * symphony_table_import() - take over the jobs of another table
 * @to: table that receives them; a job it knows already keeps its state
 * @from: table that is about to be given up
 *
 * Anchors follow if nobody else uses either table and both have room for as
 * many; otherwise positions come back with each flow's next step.
 *
 * Context: the qdisc's tree lock held, bottom halves off.
 * Return: 0, or -ENOSPC with @to unchanged if the jobs do not fit.
 */
int symphony_table_import(struct symphony_table *to,
			  struct symphony_table *from)
{
	int err = -ENOSPC;

	spin_lock(&from->lock);
	spin_lock_nested(&to->lock, SINGLE_DEPTH_NESTING);
	if (symphony_table_has_room(to, from)) {
		symphony_table_copy(to, from);
		err = 0;
	}
	spin_unlock(&to->lock);
	spin_unlock(&from->lock);
	return err;
}

static int __net_init symphony_net_init(struct net *net)
{
	struct symphony_net *sn = net_generic(net, symphony_net_id);

	INIT_LIST_HEAD(&sn->domains);
	return 0;
}

static struct pernet_operations symphony_net_ops = {
	.init = symphony_net_init,
	.id = &symphony_net_id,
	.size = sizeof(struct symphony_net),
};

/**
 * symphony_table_module_init() - make room for domains in every namespace
 *
 * Return: 0 or a negative errno.
 */
int symphony_table_module_init(void)
{
	return register_pernet_subsys(&symphony_net_ops);
}

/**
 * symphony_table_module_exit() - undo symphony_table_module_init()
 */
void symphony_table_module_exit(void)
{
	unregister_pernet_subsys(&symphony_net_ops);
}
