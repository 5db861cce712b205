// SPDX-License-Identifier: GPL-2.0
/* Bounded tables of jobs and flows, private or shared by a domain. */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "symphony_event.h"
#include "symphony_name.h"
#include "symphony_net.h"
#include "symphony_table.h"

/* A new job looks at this many others when the table is full. */
#define SYMPHONY_SWEEP_ON_CREATE	8

static u32 symphony_buckets(u32 jobs_max)
{
	/* half full at most: a chain has rarely a second link */
	return roundup_pow_of_two(2 * jobs_max);
}

static u32 symphony_addresses(u32 flows_max)
{
	return clamp_t(u32, flows_max / SYMPHONY_FLOWS_PER_ADDRESS,
		       SYMPHONY_ADDRESS_WAYS, SYMPHONY_ADDRESSES_MAX);
}

/**
 * symphony_table_memory() - what a table costs
 * @table: the table
 *
 * Return: bytes of the job and flow tables and of their locks.
 */
size_t symphony_table_memory(const struct symphony_table *table)
{
	return struct_size(table, locks, table->lock_mask + 1) +
	       table->jobs_max * (sizeof(*table->jobs) + sizeof(*table->records) +
				  sizeof(*table->bytes) + sizeof(*table->runs)) +
	       symphony_buckets(table->jobs_max) * sizeof(*table->buckets) +
	       table->flows_max * (sizeof(struct symphony_flow) +
				   sizeof(struct symphony_flow_name)) +
	       (table->address_mask + 1) * sizeof(*table->addresses);
}

static void symphony_table_free(struct symphony_table *table)
{
	kvfree(table->jobs);
	kvfree(table->records);
	kvfree(table->bytes);
	kvfree(table->runs);
	kvfree(table->buckets);
	kvfree(table->flows);
	kvfree(table->names);
	kvfree(table->addresses);
	kvfree(table);
}

static void symphony_table_free_rcu(struct rcu_head *head)
{
	symphony_table_free(container_of(head, struct symphony_table, rcu));
}

/*
 * Secrets of the hash functions. Anybody may read the seed: what follows from it
 * is known to nobody without a key that never leaves the kernel. On one boot a
 * seeded run repeats, with all collisions in the tables.
 */
static void symphony_table_seed(struct symphony_table *table, const u64 *seed)
{
	static siphash_key_t key __read_mostly;
	u64 secret[3];
	u32 i;

	if (seed) {
		net_get_random_once(&key, sizeof(key));
		for (i = 0; i < ARRAY_SIZE(secret); i++)
			secret[i] = siphash_2u64(*seed, i, &key);
	} else {
		get_random_bytes(secret, sizeof(secret));
	}
	/* multipliers: even ones would lose bits of numbers and addresses */
	table->multiplier = (u32)secret[0] | 1;
	table->hash_seed[0] = secret[1];
	table->hash_seed[1] = secret[2] | 1;
	memzero_explicit(secret, sizeof(secret));
}

static struct symphony_table *symphony_table_alloc(u32 jobs_max, u32 flows_max,
						   u32 locks)
{
	u32 addresses = symphony_addresses(flows_max);
	u32 buckets = symphony_buckets(jobs_max);
	struct symphony_table *table;
	u32 i;

	table = kvzalloc(struct_size(table, locks, locks), GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->jobs = kvcalloc(jobs_max, sizeof(*table->jobs),
			       GFP_KERNEL_ACCOUNT);
	table->records = kvcalloc(jobs_max, sizeof(*table->records),
				  GFP_KERNEL_ACCOUNT);
	table->bytes = kvcalloc(jobs_max, sizeof(*table->bytes),
				GFP_KERNEL_ACCOUNT);
	table->runs = kvcalloc(jobs_max, sizeof(*table->runs),
			       GFP_KERNEL_ACCOUNT);
	table->buckets = kvmalloc_array(buckets, sizeof(*table->buckets),
					GFP_KERNEL_ACCOUNT);
	table->flows = kvcalloc(flows_max, sizeof(struct symphony_flow),
				GFP_KERNEL_ACCOUNT);
	table->names = kvcalloc(flows_max, sizeof(struct symphony_flow_name),
				GFP_KERNEL_ACCOUNT);
	table->addresses = kvcalloc(addresses, sizeof(*table->addresses),
				    GFP_KERNEL_ACCOUNT);
	if (!table->jobs || !table->records || !table->bytes || !table->runs ||
	    !table->buckets || !table->flows || !table->names ||
	    !table->addresses) {
		symphony_table_free(table);
		return NULL;
	}
	memset(table->buckets, 0xff, buckets * sizeof(*table->buckets));
	table->bucket_shift = 32 - ilog2(buckets);
	table->flow_mask = flows_max / SYMPHONY_FLOW_WAYS - 1;
	table->address_mask = addresses - 1;
	table->lock_mask = locks - 1;
	spin_lock_init(&table->lock);
	for (i = 0; i < locks; i++) {
		spin_lock_init(&table->locks[i].jobs);
		spin_lock_init(&table->locks[i].flows);
	}
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
	struct symphony_net *sn = symphony_net(net);
	struct symphony_table *table;

	ASSERT_RTNL();
	list_for_each_entry(table, &sn->domains, node)
		if (table->domain == domain)
			return table;
	return NULL;
}

/**
 * symphony_table_create() - a table that nobody uses yet
 * @domain: number of the domain it is for, 0 for a private one
 * @jobs_max: capacity for jobs
 * @flows_max: capacity for flows, a power of two
 * @seed: seed of the hash functions, NULL for a random one
 * @extack: where to explain a refusal
 *
 * Context: may sleep.
 * Return: the table with a reference for the caller, or NULL.
 */
struct symphony_table *symphony_table_create(u32 domain, u32 jobs_max,
					     u32 flows_max, const u64 *seed,
					     struct netlink_ext_ack *extack)
{
	struct symphony_table *table;

	table = symphony_table_alloc(jobs_max, flows_max,
				     domain ? SYMPHONY_DOMAIN_LOCKS : 1);
	if (!table) {
		NL_SET_ERR_MSG_MOD(extack, "no memory for jobs and flows");
		return NULL;
	}
	table->domain = domain;
	symphony_table_seed(table, seed);
	return table;
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
	struct symphony_net *sn = symphony_net(net);
	struct symphony_table *table;

	if (domain) {
		table = symphony_domain_find(net, domain);
		if (table) {
			refcount_inc(&table->refs);
			return table;
		}
	}
	table = symphony_table_create(domain, jobs_max, flows_max, seed,
				      extack);
	if (table && domain)
		list_add(&table->node, &sn->domains);
	return table;
}

/**
 * symphony_domain_replace() - put a table into a domain's place
 * @old: the domain's table, of which the caller is the only user
 * @table: a table that was created for the domain
 *
 * Context: RTNL and the lock of the caller's qdisc tree held.
 */
void symphony_domain_replace(struct symphony_table *old,
			     struct symphony_table *table)
{
	list_replace_init(&old->node, &table->node);
}

/**
 * symphony_table_put() - give a table up
 * @table: the table, or NULL
 *
 * The caller's qdisc must not be able to reach it any more. Those who read it
 * under RCU may: it is freed after a grace period.
 *
 * Context: RTNL held.
 */
void symphony_table_put(struct symphony_table *table)
{
	if (!table || !refcount_dec_and_test(&table->refs))
		return;
	list_del(&table->node);
	call_rcu(&table->rcu, symphony_table_free_rcu);
}

/* The next number of a state's sequence. */
static void symphony_record_turn(struct symphony_record *record)
{
	/* whoever sees it sees what was written before */
	smp_store_release(&record->seq, record->seq + 1);
}

/*
 * Enter a state into its job's chain, whose lock is held. Others walk the chain:
 * they must find nothing in it that is not complete.
 */
static void symphony_job_link(struct symphony_table *table,
			      struct symphony_state *st, u32 job)
{
	u32 bucket = symphony_job_bucket(table, job);

	WRITE_ONCE(st->job, job);
	WRITE_ONCE(st->link, table->buckets[bucket]);
	symphony_record_turn(symphony_record_of(table, st));
	/* last: who walks the chain comes by this to what is above */
	smp_store_release(&table->buckets[bucket], st - table->jobs);
}

static void symphony_job_unlink(struct symphony_table *table,
				struct symphony_state *st)
{
	u16 *link = &table->buckets[symphony_job_bucket(table, st->job)];
	u16 index = st - table->jobs;

	while (*link != index)
		link = &table->jobs[*link].link;
	WRITE_ONCE(*link, st->link);
	symphony_record_turn(symphony_record_of(table, st));
	/* whoever sees what is written from here on sees the turn, too */
	smp_wmb();
	WRITE_ONCE(st->job, 0);
}

/**
 * symphony_table_set_window() - how old the window of a job in use may be
 * @table: the table
 * @window: length of its qdisc's window, ns
 *
 * A shorter one than before changes nothing: windows that began under the
 * longer one are still open.
 *
 * Context: bottom halves off, no lock of @table held.
 */
void symphony_table_set_window(struct symphony_table *table, u64 window)
{
	spin_lock(&table->lock);
	WRITE_ONCE(table->window, max(table->window, window));
	spin_unlock(&table->lock);
}

/* A state in no chain, or NULL if all are in use. */
static struct symphony_state *symphony_slot_alloc(struct symphony_table *table)
{
	struct symphony_state *st = NULL;

	spin_lock(&table->lock);
	if (table->free_job != SYMPHONY_NO_JOB) {
		st = &table->jobs[table->free_job];
		table->free_job = st->link;
	} else if (table->jobs_touched < table->jobs_max) {
		st = &table->jobs[table->jobs_touched];
		WRITE_ONCE(table->jobs_touched, table->jobs_touched + 1);
	}
	if (st) {
		WRITE_ONCE(table->nr_jobs, table->nr_jobs + 1);
		WRITE_ONCE(table->generation, table->generation + 1);
	}
	spin_unlock(&table->lock);
	return st;
}

static void symphony_slot_free(struct symphony_table *table,
			       struct symphony_state *st)
{
	spin_lock(&table->lock);
	WRITE_ONCE(st->link, table->free_job);
	table->free_job = st - table->jobs;
	WRITE_ONCE(table->nr_jobs, table->nr_jobs - 1);
	WRITE_ONCE(table->generation, table->generation + 1);
	spin_unlock(&table->lock);
}

/**
 * symphony_job_set_mode() - give a job a mode of its own
 * @table: the table
 * @st: state of the job, or one that is in no chain yet
 * @mode: &enum tc_symphony_mode, or %SYMPHONY_GENL_NO_OVERRIDE
 *
 * Context: the job's lock or that of a private table's qdisc held.
 */
void symphony_job_set_mode(struct symphony_table *table,
			   struct symphony_state *st, u32 mode)
{
	struct symphony_override *override;
	u32 more;

	override = &symphony_record_of(table, st)->override;
	more = (mode == TC_SYMPHONY_MODE_PRIO) -
	       (override->mode == TC_SYMPHONY_MODE_PRIO);
	WRITE_ONCE(override->mode, mode);
	if (!more)
		return;
	spin_lock(&table->lock);
	WRITE_ONCE(table->nr_prio, table->nr_prio + more);
	spin_unlock(&table->lock);
}

/**
 * symphony_job_forget() - take a job out of its table
 * @table: the table
 * @st: state of the job
 *
 * Context: the job's lock or that of a private table's qdisc held.
 */
void symphony_job_forget(struct symphony_table *table,
			 struct symphony_state *st)
{
	symphony_job_unlink(table, st);
	symphony_job_set_mode(table, st, SYMPHONY_GENL_NO_OVERRIDE);
	symphony_slot_free(table, st);
}

/**
 * struct symphony_sweep - a look at some states
 * @sch: the qdisc that tells those who listen, or NULL
 * @held: lock of a job that the caller holds, or NULL
 * @now: time, ns
 * @expire_after: age of a job's window at which it is idle, ns
 * @expired: increased by the jobs that were forgotten
 * @least: the job with the least to show of those that stay, NULL if none does
 * @score: what that job has to show
 * @packets: logarithm of its packets, which decides between equal scores
 */
struct symphony_sweep {
	struct Qdisc *sch;
	const spinlock_t *held;
	u64 now;
	u64 expire_after;
	u32 expired;
	struct symphony_state *least;
	u32 score;
	u32 packets;
};

/*
 * What a job has to show: about the logarithm of its packets, less that of the
 * milliseconds for which it has been silent for sure. 0 with a packet or none.
 */
static void symphony_job_weigh(const struct symphony_table *table,
			       struct symphony_state *st,
			       struct symphony_sweep *sweep)
{
	u32 packets = max_t(u32, st->rank, fls(st->cnt_total));
	s64 silence = sweep->now - st->window_start - READ_ONCE(table->window);
	u32 silent = silence > 0 ? fls64(silence >> 20) : 0;
	u32 score = packets > silent + 1 ? packets - silent - 1 : 0;

	if (sweep->least && (score > sweep->score ||
			     (score == sweep->score &&
			      packets >= sweep->packets)))
		return;
	sweep->least = st;
	sweep->score = score;
	sweep->packets = packets;
}

/* Forget a job if it is idle; its lock is held. */
static void symphony_job_look(struct symphony_table *table,
			      struct symphony_state *st, u32 job,
			      struct symphony_sweep *sweep)
{
	/* until the lock was taken the state may have become another's */
	if (READ_ONCE(st->job) != job || st->pinned)
		return;
	if ((s64)(sweep->now - st->window_start) >= (s64)sweep->expire_after) {
		if (sweep->sch)
			symphony_event(sweep->sch, SYMPHONY_EVENT_JOB_EXPIRED,
				       job, st->alpha, st->step_min);
		symphony_job_forget(table, st);
		sweep->expired++;
		return;
	}
	symphony_job_weigh(table, st, sweep);
}

/* The same for whatever job has the state, with one job's lock held or none. */
static void symphony_job_visit(struct symphony_table *table,
			       struct symphony_state *st,
			       struct symphony_sweep *sweep)
{
	u32 job = READ_ONCE(st->job);
	spinlock_t *lock = symphony_job_lock(table, job);

	if (!job)
		return;
	if (lock == sweep->held) {
		symphony_job_look(table, st, job, sweep);
		return;
	}
	/* who holds it may want @held: leave the job to the next sweep */
	if (!spin_trylock(lock))
		return;
	symphony_job_look(table, st, job, sweep);
	spin_unlock(lock);
}

static void symphony_sweep(struct symphony_table *table, u32 count,
			   struct symphony_sweep *sweep)
{
	u32 i, touched;

	spin_lock(&table->lock);
	touched = table->jobs_touched;
	count = min(count, touched);
	i = table->sweep;
	table->sweep = i + count < touched ? i + count : i + count - touched;
	spin_unlock(&table->lock);

	while (count--) {
		symphony_job_visit(table, &table->jobs[i], sweep);
		if (++i == touched)
			i = 0;
	}
}

/**
 * symphony_table_sweep() - forget idle jobs
 * @table: the table
 * @count: states to look at, from where the last sweep ended
 * @now: time, ns
 * @expire_after: age of a job's window at which it is idle, ns
 * @sch: the qdisc that tells those who listen, or NULL
 *
 * Context: bottom halves off, no lock of @table held.
 * Return: how many were forgotten.
 */
u32 symphony_table_sweep(struct symphony_table *table, u32 count, u64 now,
			 u64 expire_after, struct Qdisc *sch)
{
	struct symphony_sweep sweep = {
		.sch = sch,
		.now = now,
		.expire_after = expire_after,
	};

	symphony_sweep(table, count, &sweep);
	return sweep.expired;
}

/**
 * symphony_table_idle() - count idle jobs
 * @table: the table
 * @now: time, ns
 * @expire_after: age of a job's window at which it is idle, ns
 *
 * Takes no lock: of a job whose packet comes meanwhile the answer is that of
 * before or after.
 *
 * Context: any; @table stays.
 * Return: how many jobs of the table are idle, pinned ones left out.
 */
u32 symphony_table_idle(const struct symphony_table *table, u64 now,
			u64 expire_after)
{
	u32 touched = READ_ONCE(table->jobs_touched);
	u32 i, idle = 0;

	for (i = 0; i < touched; i++) {
		const struct symphony_state *st = &table->jobs[i];
		/* before or after a packet: either will do */
		u64 start = data_race(st->window_start);
		/* the same: an operator changes it rarely */
		bool pinned = data_race((bool)st->pinned);

		if (READ_ONCE(st->job) && !pinned &&
		    (s64)(now - start) >= (s64)expire_after)
			idle++;
	}
	return idle;
}

/* Nothing is known of a job yet; those who walk the table pass its state by. */
static void symphony_job_clear(struct symphony_table *table,
			       struct symphony_state *st, u64 now)
{
	st->window_start = now;
	st->psn_rec = 0;
	st->cnt_total = 0;
	st->cnt_op = 0;
	st->step_min = 0;
	st->alpha = 1;
	st->rank = 0;
	symphony_record_of(table, st)->tally = (struct symphony_tally) {
		.first_seen = now,
	};
	table->bytes[st - table->jobs] = 0;
}

/* What is in force for a job, all of it, whoever looks meanwhile. */
static void symphony_job_set_override(struct symphony_table *table,
				      struct symphony_state *st,
				      const struct symphony_override *to)
{
	struct symphony_override *override;

	override = &symphony_record_of(table, st)->override;
	WRITE_ONCE(override->k, to->k);
	WRITE_ONCE(override->tau, to->tau);
	symphony_job_set_mode(table, st, to->mode);
}

/**
 * symphony_job_release() - the qdisc's options count for a job, as for others
 * @table: the table
 * @st: state of the job, or one that is in no chain yet
 *
 * Context: as for symphony_job_renew().
 */
void symphony_job_release(struct symphony_table *table,
			  struct symphony_state *st)
{
	static const struct symphony_override none = {
		.k = SYMPHONY_GENL_NO_OVERRIDE,
		.tau = SYMPHONY_GENL_NO_OVERRIDE,
		.mode = SYMPHONY_GENL_NO_OVERRIDE,
	};

	symphony_job_set_override(table, st, &none);
	st->overridden = 0;
	st->pinned = 0;
	st->unborn = 0;
}

/**
 * symphony_job_unborn() - what is known of a job begins with its next packet
 * @table: the table
 * @st: state of the job, of which nothing is known
 * @now: time, ns
 *
 * Context: as for symphony_job_renew().
 */
void symphony_job_unborn(struct symphony_table *table,
			 struct symphony_state *st, u64 now)
{
	u64 window = READ_ONCE(table->window);

	st->unborn = 1;
	/* over for all qdiscs, some of whose clocks are a little behind */
	st->window_start = now - window - window / 64;
}

/**
 * symphony_job_renew() - a job begins anew
 * @table: the table
 * @st: state of the job, for symphony_state_init()
 * @now: time, ns
 *
 * To those who walk the table it is another job from here on.
 *
 * Context: the job's lock or that of a private table's qdisc held.
 */
void symphony_job_renew(struct symphony_table *table,
			struct symphony_state *st, u64 now)
{
	struct symphony_record *record = symphony_record_of(table, st);

	symphony_record_turn(record);
	/* whoever sees what is written from here on sees the turn, too */
	smp_wmb();
	symphony_job_clear(table, st, now);
	symphony_record_turn(record);
}

/*
 * Some job has to go, idle or not: that with the least to show of a few. Jobs of
 * one packet, as anybody can make up, go at once; those of 2^n are safe from all
 * but one new packet in 2^n, so that many made-up numbers do not displace what
 * is in use, nor keep a job out that goes on to send.
 */
static void symphony_job_replace(struct symphony_table *table, u32 job,
				 bool insist, struct symphony_sweep *sweep,
				 struct symphony_left *left)
{
	u32 coin = hash_64(sweep->now ^ (u64)job << 32, 32);
	/* whatever its age, even if it is a little ahead of us */
	struct symphony_sweep evict = {
		.sch = sweep->sch,
		.held = sweep->held,
		.now = sweep->now,
		.expire_after = S64_MIN,
	};

	if (!sweep->least)
		return;
	if (!insist && (sweep->score >= 32 ||
			coin & ((1U << sweep->score) - 1)))
		return;
	symphony_job_visit(table, sweep->least, &evict);
	left->replaced += evict.expired;
}

/**
 * symphony_job_create() - enter a job
 * @table: the table, which does not hold the job; in a domain the job's lock
 *	is held
 * @job: job number, not 0
 * @now: time, ns
 * @expire_after: age of a job's window at which it is idle, ns
 * @insist: another has to go, whatever it has to show, unless it is pinned
 * @left: increased by the jobs that made room
 *
 * Looks at a few jobs at most if the table is full, with @insist until there is
 * one that is not pinned.
 *
 * Return: the state, for symphony_state_init(), or NULL if all that were looked
 * at have more to show than a packet or, with @insist, are pinned.
 */
struct symphony_state *symphony_job_create(struct symphony_table *table,
					   u32 job, u64 now, u64 expire_after,
					   bool insist,
					   struct symphony_left *left)
{
	struct symphony_state *st = symphony_slot_alloc(table);

	if (!st) {
		struct symphony_sweep sweep = {
			.sch = left->sch,
			.held = symphony_job_lock(table, job),
			.now = now,
			.expire_after = expire_after,
		};
		u32 looked = 0;

		do {
			symphony_sweep(table, SYMPHONY_SWEEP_ON_CREATE, &sweep);
			looked += SYMPHONY_SWEEP_ON_CREATE;
		} while (insist && !sweep.expired && !sweep.least &&
			 looked < table->jobs_max);
		left->expired += sweep.expired;
		if (!sweep.expired)
			symphony_job_replace(table, job, insist, &sweep, left);
		st = symphony_slot_alloc(table);
		if (!st)
			return NULL;
	}
	symphony_job_clear(table, st, now);
	symphony_job_release(table, st);
	symphony_job_link(table, st, job);
	return st;
}

/**
 * struct symphony_job_copy - all that is known of a job
 * @state: its state
 * @override: its overrides
 * @tally: what was counted
 * @bytes: of its packets
 * @run: when it began
 */
struct symphony_job_copy {
	struct symphony_state state;
	struct symphony_override override;
	struct symphony_tally tally;
	u64 bytes;
	u32 run;
};

/* A copy of the i-th state, false if that is free, or nobody's who was @steered. */
static bool symphony_job_read(struct symphony_table *table, u32 i, bool steered,
			      struct symphony_job_copy *copy)
{
	struct symphony_state *st = &table->jobs[i];
	u32 job = READ_ONCE(st->job);
	spinlock_t *lock = symphony_job_lock(table, job);
	bool found;

	if (!job)
		return false;
	spin_lock(lock);
	found = READ_ONCE(st->job) == job &&
		(!steered || st->pinned || st->overridden);
	if (found) {
		copy->state = *st;
		copy->override = table->records[i].override;
		copy->tally = table->records[i].tally;
		copy->bytes = table->bytes[i];
		copy->run = table->runs[i];
	}
	spin_unlock(lock);
	return found;
}

static bool symphony_job_known(struct symphony_table *table, u32 job)
{
	spinlock_t *lock = symphony_job_lock(table, job);
	bool known;

	spin_lock(lock);
	known = symphony_job_find(table, job);
	spin_unlock(lock);
	return known;
}

/*
 * A list of states of @to, one for each job that only @from knows. False if
 * there are not enough.
 */
static bool symphony_table_reserve(struct symphony_table *to,
				   struct symphony_table *from, bool steered,
				   u16 *reserved)
{
	struct symphony_job_copy copy;
	u32 i;

	for (i = 0; i < READ_ONCE(from->jobs_touched); i++) {
		struct symphony_state *st;

		if (!symphony_job_read(from, i, steered, &copy) ||
		    symphony_job_known(to, copy.state.job))
			continue;
		st = symphony_slot_alloc(to);
		if (!st)
			return false;
		WRITE_ONCE(st->link, *reserved);
		*reserved = st - to->jobs;
	}
	return true;
}

static void symphony_table_unreserve(struct symphony_table *table, u16 reserved)
{
	while (reserved != SYMPHONY_NO_JOB) {
		struct symphony_state *st = &table->jobs[reserved];

		reserved = st->link;
		symphony_slot_free(table, st);
	}
}

/*
 * Enter a copy of a job that is not known in the first reserved state; of one that was
 * @steered nothing else is known any more. False if it is known.
 */
static bool symphony_job_import(struct symphony_table *to,
				const struct symphony_job_copy *copy,
				bool steered, u16 *reserved)
{
	u32 job = copy->state.job;
	spinlock_t *lock = symphony_job_lock(to, job);
	bool known;

	spin_lock(lock);
	known = symphony_job_find(to, job);
	if (!known) {
		u64 now = ktime_get_ns();
		u32 i = *reserved;
		struct symphony_state *st = &to->jobs[i];

		*reserved = st->link;
		to->runs[i] = copy->run;
		to->bytes[i] = copy->bytes;
		symphony_job_set_override(to, st, &copy->override);
		to->records[i].tally = copy->tally;
		/* link and number come last: others follow the one and look for the other */
		memcpy(st, &copy->state, offsetof(struct symphony_state, link));
		if (steered) {
			symphony_job_clear(to, st, now);
			symphony_job_unborn(to, st, now);
		}
		symphony_job_link(to, st, job);
	}
	spin_unlock(lock);
	return !known;
}

/* Return: how many jobs were entered. */
static u32 symphony_table_copy(struct symphony_table *to,
			       struct symphony_table *from, bool steered,
			       u16 *reserved)
{
	struct symphony_job_copy copy;
	u32 i, entered = 0;

	/* before the first job is there to be found idle */
	symphony_table_set_window(to, READ_ONCE(from->window));
	for (i = 0; i < READ_ONCE(from->jobs_touched) &&
	     *reserved != SYMPHONY_NO_JOB; i++)
		if (symphony_job_read(from, i, steered, &copy))
			entered += symphony_job_import(to, &copy, steered,
						       reserved);
	return entered;
}

/* Anchors follow if nobody else uses either table and both have room for as many. */
static void symphony_table_take_flows(struct symphony_table *to,
				      struct symphony_table *from)
{
	if (refcount_read(&to->refs) == 1 && refcount_read(&from->refs) == 1 &&
	    to->flows_max == from->flows_max) {
		/* who reads takes each of these once, and all are as large as before */
		swap(to->flows, from->flows);
		swap(to->names, from->names);
		swap(to->addresses, from->addresses);
		memcpy(to->hash_seed, from->hash_seed, sizeof(to->hash_seed));
	}
}

/**
 * symphony_address_hash() - hash of an address in a table
 * @table: the table
 * @address: the address
 *
 * Return: its tag in the low half; the high half says where to look for it.
 */
u32 symphony_address_hash(const struct symphony_table *table,
			  const struct in6_addr *address)
{
	u64 hash = table->hash_seed[0];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(address->s6_addr32); i++) {
		hash = (hash ^ (__force u32)address->s6_addr32[i]) *
		       table->hash_seed[1];
		hash ^= hash >> 32;
	}
	return hash;
}

/* Where an address is; it takes the place of another if there is no other. */
static struct symphony_address_ref
symphony_address_put(struct symphony_table *table, const struct in6_addr *address)
{
	u32 hash = symphony_address_hash(table, address);
	struct in6_addr *place = NULL;
	u32 i, at;

	spin_lock(&table->lock);
	for (i = 0; i < SYMPHONY_ADDRESS_WAYS; i++) {
		at = (hash >> 16 ^ i) & table->address_mask;
		place = &table->addresses[at];
		if (ipv6_addr_equal(place, address) || ipv6_addr_any(place))
			break;
	}
	for (i = 0; i < ARRAY_SIZE(place->s6_addr32); i++)
		WRITE_ONCE(place->s6_addr32[i], address->s6_addr32[i]);
	spin_unlock(&table->lock);
	return (struct symphony_address_ref) { .index = at, .tag = hash };
}

/* Number of a flow's entry in its set, or that of no entry. */
static u32 symphony_flow_way(const struct symphony_table *table, u64 key)
{
	const struct symphony_flow *set = symphony_flow_set(table, key);
	u32 way;

	for (way = 0; way < SYMPHONY_FLOW_WAYS; way++)
		if (set[way].state && set[way].tag == (u32)key >> 8)
			break;
	return way;
}

/**
 * symphony_flow_is_named() - whether it is known who a flow is
 * @table: the table
 * @key: the flow's key
 * @job: its job
 *
 * Context: bottom halves off; no lock of @table held.
 * Return: true if it is, or if the flow has no entry.
 */
bool symphony_flow_is_named(struct symphony_table *table, u64 key, u32 job)
{
	spinlock_t *lock = symphony_flow_lock(table, key);
	const struct symphony_flow_name *set;
	bool named;
	u32 way;

	spin_lock(lock);
	set = table->names[symphony_flow_bucket(table, key)];
	way = symphony_flow_way(table, key);
	named = way == SYMPHONY_FLOW_WAYS ||
		set[way].job == (job | (u32)(key >> 8) << 24);
	spin_unlock(lock);
	return named;
}

/**
 * symphony_flow_set_name() - say who a flow is
 * @table: the table
 * @key: the flow's key
 * @job: its job
 * @name: who it is
 *
 * Context: bottom halves off; no lock of @table held.
 */
void symphony_flow_set_name(struct symphony_table *table, u64 key, u32 job,
			    const struct symphony_name *name)
{
	struct symphony_address_ref src = symphony_address_put(table, &name->src);
	struct symphony_address_ref dst = symphony_address_put(table, &name->dst);
	spinlock_t *lock = symphony_flow_lock(table, key);
	struct symphony_flow_name *named;
	u32 way;

	spin_lock(lock);
	way = symphony_flow_way(table, key);
	if (way < SYMPHONY_FLOW_WAYS) {
		named = &table->names[symphony_flow_bucket(table, key)][way];
		WRITE_ONCE(named->job, 0);
		/* whoever sees the job sees the rest */
		smp_wmb();
		WRITE_ONCE(named->dest, name->dest | (u32)(key >> 16) << 24);
		WRITE_ONCE(named->src, src);
		WRITE_ONCE(named->dst, dst);
		/* as above */
		smp_store_release(&named->job, job | (u32)(key >> 8) << 24);
	}
	spin_unlock(lock);
}

/* Return: how many jobs were taken, or -ENOSPC. */
static int symphony_table_take(struct symphony_table *to,
			       struct symphony_table *from, bool steered)
{
	u16 reserved = SYMPHONY_NO_JOB;
	int taken = -ENOSPC;

	if (symphony_table_reserve(to, from, steered, &reserved))
		taken = symphony_table_copy(to, from, steered, &reserved);
	/* left if other qdiscs of a domain entered or forgot jobs meanwhile */
	symphony_table_unreserve(to, reserved);
	return taken;
}

/**
 * symphony_table_keep() - take over what an operator said of another table's jobs
 * @to: table that receives them; a job it knows already keeps its state
 * @from: table that is about to be given up
 *
 * Of jobs that are pinned or have an override nothing else is taken over: they begin
 * anew.
 *
 * Context: RTNL and the qdisc's tree lock held, bottom halves off.
 * Return: how many they are, or -ENOSPC with the jobs of @to unchanged if they do not
 * fit.
 */
int symphony_table_keep(struct symphony_table *to, struct symphony_table *from)
{
	return symphony_table_take(to, from, true);
}

/**
 * symphony_table_import() - take over the jobs of another table
 * @to: table that receives them; a job it knows already keeps its state
 * @from: table that is about to be given up
 *
 * Anchors follow if nobody else uses either table and both have room for as
 * many; otherwise positions come back with each flow's next step.
 *
 * Context: RTNL and the qdisc's tree lock held, bottom halves off.
 * Return: 0, or -ENOSPC with the jobs of @to unchanged if they do not fit.
 */
int symphony_table_import(struct symphony_table *to,
			  struct symphony_table *from)
{
	int taken = symphony_table_take(to, from, false);

	if (taken < 0)
		return taken;
	symphony_table_take_flows(to, from);
	return 0;
}
