/* SPDX-License-Identifier: GPL-2.0 */
/* Jobs and flows that one qdisc, or the qdiscs of a domain, know about. */
#ifndef _SYMPHONY_TABLE_H
#define _SYMPHONY_TABLE_H

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "symphony_algo.h"
#include "symphony_count.h"
#include "symphony_flow.h"
#include "symphony_pkt.h"

struct Qdisc;
struct net;
struct netlink_ext_ack;
struct symphony_name;

#define SYMPHONY_NO_JOB		0xffff	/* end of a list of jobs */

/* Locks of a domain, each for a share of its jobs and of its flows. */
#define SYMPHONY_DOMAIN_LOCKS	256

/**
 * struct symphony_locks - locks for a share of a table
 * @jobs: for some hash chains and the states linked there
 * @flows: for some sets of anchors; nests inside @jobs
 */
struct symphony_locks {
	spinlock_t jobs;	/* chains and states */
	spinlock_t flows;	/* anchors */
} ____cacheline_aligned_in_smp;

/**
 * struct symphony_units - what the numbers in a table mean
 * @window: ns, of which symphony_state::cnt_total and the like count the packets
 * @proto: &enum tc_symphony_proto
 * @step_source: &enum tc_symphony_step
 * @psn: &enum tc_symphony_psn, of symphony_state::psn_rec
 * @messages: of a step, with TC_SYMPHONY_STEP_COUNT
 * @gap: ns of silence after which a job begins anew, with the same
 * @alpha_max: up to which symphony_state::alpha grows
 */
struct symphony_units {
	u64 window;
	u64 gap;
	u32 proto;
	u32 step_source;
	u32 messages;
	u32 psn;
	u32 alpha_max;
};

/**
 * struct symphony_tally - what was counted of a job
 * @first_seen: when it was entered, ns
 * @misaligned: when alpha left 1, ns; 0 at 1
 * @packets: data packets in the windows that are over
 * @outpacing: those of them above the smallest step
 * @marked: packets due for a mark for running ahead, and able to take it
 * @would_mark: the same in mode observe
 * @not_ect: packets due for it but not ECN capable
 * @already_ce: packets due for it that had a mark
 * @corrections: changes of the smallest step to an earlier one
 */
struct symphony_tally {
	u64 first_seen;
	u64 misaligned;
	u64 packets;
	u64 outpacing;
	u64 marked;
	u64 would_mark;
	u64 not_ect;
	u64 already_ce;
	u64 corrections;
};

/**
 * struct symphony_override - what counts for a job instead of its qdisc's options
 * @k: as &symphony_params.k, or %SYMPHONY_GENL_NO_OVERRIDE
 * @tau: as &symphony_params.tau, likewise
 * @mode: &enum tc_symphony_mode, likewise
 */
struct symphony_override {
	u32 k;
	u32 tau;
	u32 mode;
};

/**
 * struct symphony_record - what is known of a job beside its state
 * @seq: odd while the state is entered, another number each time
 * @fold: odd while a window's packets move from the state to the tally
 * @override: if &symphony_state.overridden
 * @tally: counters
 *
 * Written when a window ends or something else happens that is rarer than a
 * packet, by who may write the state.
 */
struct symphony_record {
	u32 seq;
	u32 fold;
	struct symphony_override override;
	struct symphony_tally tally;
};

/* Addresses that a table knows, one for so many flows, and at most. */
#define SYMPHONY_FLOWS_PER_ADDRESS	16
#define SYMPHONY_ADDRESSES_MAX		4096
#define SYMPHONY_ADDRESS_WAYS		4

/**
 * struct symphony_address_ref - an address of a table's
 * @index: where it is
 * @tag: bits of its hash, which tell if another one has taken its place
 */
struct symphony_address_ref {
	u16 index;
	u16 tag;
};

/**
 * struct symphony_flow_name - who a flow is, beside its anchor
 * @job: its job, 24 bits, below eight of its tag; 0 = nobody knows
 * @dest: destination queue pair or PDC identifier, 24 bits, below eight more
 * @src: source address
 * @dst: destination address
 */
struct symphony_flow_name {
	u32 job;
	u32 dest;
	struct symphony_address_ref src;
	struct symphony_address_ref dst;
};

/* Add to a number that others read at any time. */
static inline void symphony_add_once(u64 *number, u64 n)
{
	WRITE_ONCE(*number, *number + n);
}

/* A window's packets move; who reads state and tally must not see them twice. */
static inline void symphony_fold_begin(struct symphony_record *record)
{
	WRITE_ONCE(record->fold, record->fold + 1);
	/* whoever sees what is written next sees the fold, too */
	smp_wmb();
}

static inline void symphony_fold_end(struct symphony_record *record)
{
	/* whoever sees that it is over sees all of it */
	smp_store_release(&record->fold, record->fold + 1);
}

/**
 * struct symphony_table - bounded tables of jobs and flows
 * @jobs: the jobs' states, @jobs_max of them; ::job is 0 in a free one
 * @records: the rest of what is known of each of @jobs
 * @bytes: of all its packets; apart, since it alone grows with each of them
 * @runs: when each of @jobs began, symphony_flow_now(), for step count
 * @buckets: heads of the hash chains, indices into @jobs
 * @bucket_shift: 32 minus the bits of a bucket number
 * @multiplier: random odd number, the hash function
 * @flows: anchors, in sets of %SYMPHONY_FLOW_WAYS
 * @names: who each of @flows is
 * @addresses: to which @names refer
 * @flow_mask: number of sets minus one
 * @address_mask: number of @addresses minus one
 * @hash_seed: secret of the flows' hash
 * @lock_mask: number of @locks minus one
 * @domain: number of the domain, 0 for a private table
 * @units: of all its qdiscs; RTNL
 * @window: the longest window that its qdiscs ever had, ns
 * @idle: ns after which a silent job is forgotten; written under RTNL
 * @jobs_max: capacity
 * @flows_max: capacity
 * @lock: covers @window, @addresses, and @nr_jobs to @generation
 * @nr_jobs: states in use
 * @nr_prio: those of jobs whose own mode is prio
 * @jobs_touched: states from here on were never used
 * @free_job: head of the list of free states below @jobs_touched
 * @sweep: where the search for idle jobs goes on
 * @generation: grows when a job is entered or forgotten
 * @full_told: jiffies when somebody was told last that the table is full
 * @refs: qdiscs that use the table
 * @node: in the namespace's list of domains
 * @rcu: frees the table when the last reader is gone
 * @locks: one in a private table, %SYMPHONY_DOMAIN_LOCKS in a domain's
 *
 * All memory is allocated at configuration; nothing grows with traffic.
 *
 * Who only reads holds rcu_read_lock() and uses symphony_walk.h.
 *
 * Locks nest in this order: that of a qdisc's tree, symphony_locks::jobs,
 * symphony_locks::flows or @lock. A private table is covered by the first: its
 * packets take @lock when a job is entered or forgotten, and no other.
 */
struct symphony_table {
	struct symphony_state *jobs;
	struct symphony_record *records;
	u64 *bytes;
	u32 *runs;
	u16 *buckets;
	u32 bucket_shift;
	u32 multiplier;
	struct symphony_flow (*flows)[SYMPHONY_FLOW_WAYS];
	struct symphony_flow_name (*names)[SYMPHONY_FLOW_WAYS];
	struct in6_addr *addresses;
	u32 flow_mask;
	u32 address_mask;
	u32 lock_mask;
	u32 domain;
	struct symphony_units units;
	u64 hash_seed[2];
	u64 window;
	u64 idle;
	u32 jobs_max;
	u32 flows_max;

	spinlock_t lock ____cacheline_aligned_in_smp;
	u32 nr_jobs;
	u32 nr_prio;
	u32 jobs_touched;
	u32 free_job;
	u32 sweep;
	u32 generation;
	unsigned long full_told;
	refcount_t refs;
	struct list_head node;
	struct rcu_head rcu;

	struct symphony_locks locks[];
};

/**
 * struct symphony_left - jobs that left a full table for a new one
 * @sch: the qdisc that tells those who listen, or NULL
 * @expired: they were idle
 * @replaced: they had the least to show
 */
struct symphony_left {
	struct Qdisc *sch;
	u32 expired;
	u32 replaced;
};

struct symphony_table *symphony_table_create(u32 domain, u32 jobs_max,
					     u32 flows_max, const u64 *seed,
					     struct netlink_ext_ack *extack);
struct symphony_table *symphony_table_get(struct net *net, u32 domain,
					  u32 jobs_max, u32 flows_max,
					  const u64 *seed,
					  struct netlink_ext_ack *extack);
void symphony_table_put(struct symphony_table *table);
struct symphony_table *symphony_domain_find(struct net *net, u32 domain);
void symphony_domain_replace(struct symphony_table *old,
			     struct symphony_table *table);
size_t symphony_table_memory(const struct symphony_table *table);

void symphony_table_set_window(struct symphony_table *table, u64 window);
int symphony_table_keep(struct symphony_table *to, struct symphony_table *from);
int symphony_table_import(struct symphony_table *to,
			  struct symphony_table *from);
void symphony_job_renew(struct symphony_table *table,
			struct symphony_state *st, u64 now);
struct symphony_state *symphony_job_create(struct symphony_table *table,
					   u32 job, u64 now, u64 expire_after,
					   bool insist,
					   struct symphony_left *left);
u32 symphony_address_hash(const struct symphony_table *table,
			  const struct in6_addr *address);
bool symphony_flow_is_named(struct symphony_table *table, u64 key, u32 job);
void symphony_flow_set_name(struct symphony_table *table, u64 key, u32 job,
			    const struct symphony_name *name);
void symphony_job_forget(struct symphony_table *table,
			 struct symphony_state *st);
void symphony_job_set_mode(struct symphony_table *table,
			   struct symphony_state *st, u32 mode);
void symphony_job_unborn(struct symphony_table *table,
			 struct symphony_state *st, u64 now);
void symphony_job_release(struct symphony_table *table,
			  struct symphony_state *st);
u32 symphony_table_sweep(struct symphony_table *table, u32 count, u64 now,
			 u64 expire_after, struct Qdisc *sch);

u32 symphony_table_idle(const struct symphony_table *table, u64 now,
			u64 expire_after);

/**
 * symphony_expire_after() - which age of a job's window means that it is idle
 * @table: the table
 *
 * Return: ns, after which the job was silent for idle whenever its last packet came.
 */
static inline u64 symphony_expire_after(const struct symphony_table *table)
{
	return READ_ONCE(table->idle) + READ_ONCE(table->window);
}

static inline u32 symphony_job_bucket(const struct symphony_table *table,
				      u32 job)
{
	return job * table->multiplier >> table->bucket_shift;
}

static inline struct symphony_record *
symphony_record_of(const struct symphony_table *table,
		   const struct symphony_state *st)
{
	return &table->records[st - table->jobs];
}

/**
 * symphony_job_lock() - the lock of a job's hash chain
 * @table: the table
 * @job: job number
 *
 * Return: the lock; other jobs may have the same one.
 */
static inline spinlock_t *symphony_job_lock(struct symphony_table *table,
					    u32 job)
{
	u32 i = symphony_job_bucket(table, job) & table->lock_mask;

	return &table->locks[i].jobs;
}

/**
 * symphony_job_find() - look a job up
 * @table: the table; in a domain the job's lock is held
 * @job: job number, not 0
 *
 * Return: the job's state or NULL.
 */
static inline struct symphony_state *
symphony_job_find(const struct symphony_table *table, u32 job)
{
	u16 i = table->buckets[symphony_job_bucket(table, job)];

	while (i != SYMPHONY_NO_JOB) {
		struct symphony_state *st = &table->jobs[i];

		if (likely(st->job == job))
			return st;
		i = st->link;
	}
	return NULL;
}

/**
 * symphony_job_credit() - remember a window's packets beyond its end
 * @st: the job's state, before symphony_window_end()
 * @now: time, ns, of which chance is made
 *
 * symphony_state::rank is about one more than the logarithm of the job's packets:
 * from r it goes up with so many packets, or as likely with a part of them.
 */
static inline void symphony_job_credit(struct symphony_state *st, u64 now)
{
	u32 rank = fls(st->cnt_total);

	if (rank > st->rank)
		st->rank = rank;
	else if (rank && st->rank < 32 &&
		 (hash_64(now, 32) & ((1U << (st->rank - 1)) - 1)) < st->cnt_total)
		st->rank++;
}

/**
 * symphony_flow_key() - where to look for the anchor of a packet's flow
 * @pkt: the packet
 * @job: its job; part of the key, since jobs may share addresses and QPs
 *
 * Return: the key; bits 40 to 59 choose the set, 8 to 31 are the tag.
 */
static inline u64 symphony_flow_key(const struct symphony_pkt *pkt, u32 job)
{
	return (pkt->flow ^ job) * 0x9e3779b97f4a7c15ULL;
}

static inline u32 symphony_flow_bucket(const struct symphony_table *table,
				       u64 key)
{
	return key >> 40 & table->flow_mask;
}

static inline struct symphony_flow *
symphony_flow_set(const struct symphony_table *table, u64 key)
{
	return table->flows[symphony_flow_bucket(table, key)];
}

/**
 * symphony_flow_lock() - the lock of a flow's set of anchors
 * @table: the table
 * @key: the flow's key
 *
 * Return: the lock; other sets may have the same one.
 */
static inline spinlock_t *symphony_flow_lock(struct symphony_table *table,
					     u64 key)
{
	u32 i = symphony_flow_bucket(table, key) & table->lock_mask;

	return &table->locks[i].flows;
}

/**
 * symphony_flow_of() - the anchor of a packet's flow
 * @table: the table; in a domain the flow's lock is held
 * @key: the flow's key
 * @now: time, ns
 * @replaced: set if another live flow lost its entry
 *
 * Return: the entry, never NULL.
 */
static inline struct symphony_flow *
symphony_flow_of(const struct symphony_table *table, u64 key, u64 now,
		 bool *replaced)
{
	return symphony_flow_find(symphony_flow_set(table, key),
				  (u32)key >> 8, symphony_flow_now(now),
				  replaced);
}

#endif
