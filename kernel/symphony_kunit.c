// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suites: tables, the packet path on real skbs, configuration. The
 * algorithm, the anchors and the parser's vectors are tested in user space,
 * with the same headers.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netlink.h>
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>

#include <linux/symphony.h>

#include "symphony.h"
#include "symphony_mark.h"
#include "symphony_name.h"
#include "symphony_queue.h"
#include "symphony_walk.h"

#define SYMPHONY_TEST_IDLE	(60 * NSEC_PER_SEC)
#define SYMPHONY_TEST_PAYLOAD	64
#define SYMPHONY_TEST_BTH	(ETH_HLEN + 20 + 8)
#define SYMPHONY_TEST_LEN	(SYMPHONY_TEST_BTH + 12 + SYMPHONY_TEST_PAYLOAD)

/* Tables */

static struct symphony_table *symphony_test_table(struct kunit *test, u32 jobs)
{
	static const u64 seed = 1;
	struct symphony_table *table;

	table = symphony_table_get(&init_net, 0, jobs, 64, &seed, NULL);
	KUNIT_ASSERT_NOT_NULL(test, table);
	return table;
}

/* As on the packet path */
static struct symphony_state *
symphony_test_job(struct symphony_table *table, u32 job, u64 now,
		  struct symphony_left *left)
{
	struct symphony_state *st;

	local_bh_disable();
	st = symphony_job_create(table, job, now, SYMPHONY_TEST_IDLE, false,
				 left);
	local_bh_enable();
	return st;
}

static u32 symphony_test_sweep(struct symphony_table *table, u64 now)
{
	u32 expired;

	local_bh_disable();
	expired = symphony_table_sweep(table, 64, now, SYMPHONY_TEST_IDLE, NULL);
	local_bh_enable();
	return expired;
}

static void symphony_test_job_capacity(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 1000);
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 1000; job++) {
		struct symphony_state *st = symphony_test_job(table, job * 7, 0,
							      &left);

		KUNIT_ASSERT_NOT_NULL(test, st);
		/* nobody's chance to take its place */
		st->rank = 40;
	}
	KUNIT_EXPECT_NULL(test, symphony_test_job(table, 8, 0, &left));
	KUNIT_EXPECT_EQ(test, table->nr_jobs, 1000);
	KUNIT_EXPECT_EQ(test, left.expired, 0);
	for (job = 1; job <= 1000; job++) {
		struct symphony_state *st = symphony_job_find(table, job * 7);

		KUNIT_ASSERT_NOT_NULL(test, st);
		KUNIT_EXPECT_EQ(test, st->job, job * 7);
	}
	KUNIT_EXPECT_NULL(test, symphony_job_find(table, 8));
	symphony_table_put(table);
}

/*
 * Even multipliers would make half of all addresses look alike. A seed is public:
 * the secrets repeat with it, but do not follow from it alone.
 */
static void symphony_test_seeds(struct kunit *test)
{
	u64 seed;

	for (seed = 0; seed < 16; seed++) {
		struct symphony_table *table[2];
		struct rnd_state rnd;
		u64 guess[2];
		u32 i;

		for (i = 0; i < 2; i++) {
			table[i] = symphony_table_get(&init_net, 0, 1, 4, &seed,
						      NULL);
			KUNIT_ASSERT_NOT_NULL(test, table[i]);
		}
		KUNIT_EXPECT_EQ(test, table[0]->multiplier & 1, 1);
		KUNIT_EXPECT_EQ(test, table[0]->hash_seed[1] & 1, 1);
		KUNIT_EXPECT_EQ(test, table[0]->multiplier, table[1]->multiplier);
		KUNIT_EXPECT_EQ(test, table[0]->hash_seed[0],
				table[1]->hash_seed[0]);
		KUNIT_EXPECT_EQ(test, table[0]->hash_seed[1],
				table[1]->hash_seed[1]);
		prandom_seed_state(&rnd, seed);
		prandom_u32_state(&rnd);
		prandom_bytes_state(&rnd, guess, sizeof(guess));
		KUNIT_EXPECT_NE(test, table[0]->hash_seed[0], guess[0]);
		symphony_table_put(table[0]);
		symphony_table_put(table[1]);
	}
}

static void symphony_test_job_expiry(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 64);
	u64 later = 2 * SYMPHONY_TEST_IDLE;
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 64; job++)
		symphony_test_job(table, job, 0, &left)->window_start =
			job % 2 ? 0 : later;
	KUNIT_EXPECT_EQ(test, symphony_test_sweep(table, later), 32);
	KUNIT_EXPECT_EQ(test, table->nr_jobs, 32);
	for (job = 1; job <= 64; job++)
		KUNIT_EXPECT_EQ(test, !symphony_job_find(table, job), job % 2);
	for (job = 1001; job <= 1032; job++)
		KUNIT_EXPECT_NOT_NULL(test,
				      symphony_test_job(table, job, later, &left));
	KUNIT_EXPECT_EQ(test, left.expired, 0);
	symphony_table_put(table);
}

/* A full table makes room as soon as something in it is idle. */
static void symphony_test_job_reclaim(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 8);
	u64 later = 2 * SYMPHONY_TEST_IDLE;
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 8; job++)
		symphony_test_job(table, job, 0, &left)->window_start = 0;
	KUNIT_EXPECT_NOT_NULL(test, symphony_test_job(table, 9, later, &left));
	KUNIT_EXPECT_EQ(test, left.expired, 8);
	symphony_table_put(table);
}

/* Who makes room in a full table: by packets, by silence, and never all. */
static void symphony_test_job_replace(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 8);
	u64 second = NSEC_PER_SEC;
	struct symphony_left left = {};
	u32 job, taken = 0;

	for (job = 1; job <= 8; job++) {
		struct symphony_state *st = symphony_test_job(table, job, second,
							      &left);

		st->window_start = second;
		st->cnt_total = 1 << job;
	}
	KUNIT_EXPECT_EQ(test, left.replaced, 0);
	/* a second of silence is ten halvings: job 8's 256 packets are not enough */
	symphony_job_find(table, 8)->window_start = 0;
	KUNIT_EXPECT_NOT_NULL(test, symphony_test_job(table, 9, second, &left));
	KUNIT_EXPECT_NULL(test, symphony_job_find(table, 8));
	/* one of no packet goes first, and at once */
	KUNIT_EXPECT_NOT_NULL(test, symphony_test_job(table, 10, second, &left));
	KUNIT_EXPECT_NULL(test, symphony_job_find(table, 9));
	KUNIT_EXPECT_EQ(test, left.replaced, 2);

	/* of 64 packets: in one of 64 tries */
	for (job = 1; job <= 8; job++)
		table->jobs[job - 1].cnt_total = 64;
	for (job = 1000; job < 1000 + 64 * 64; job++) {
		struct symphony_state *st = symphony_test_job(table, job,
							      second, &left);

		if (!st)
			continue;
		taken++;
		st->window_start = second;
		st->cnt_total = 64;
	}
	KUNIT_EXPECT_GT(test, taken, 32);
	KUNIT_EXPECT_LT(test, taken, 96);
	KUNIT_EXPECT_EQ(test, left.replaced, taken + 2);
	KUNIT_EXPECT_EQ(test, left.expired, 0);
	KUNIT_EXPECT_EQ(test, table->nr_jobs, 8);
	symphony_table_put(table);
}

/* A rank is the logarithm of the packets of all windows, in the mean. */
static void symphony_test_job_credit(struct kunit *test)
{
	struct symphony_state st = {};
	u32 i, sum = 0;

	st.cnt_total = 1000;
	symphony_job_credit(&st, 1);
	KUNIT_EXPECT_EQ(test, st.rank, 10);
	/* none of these windows has seen a packet */
	st.cnt_total = 0;
	for (i = 0; i < 1000; i++)
		symphony_job_credit(&st, i);
	KUNIT_EXPECT_EQ(test, st.rank, 10);

	/* 16 jobs of 4096 packets in windows of one */
	for (i = 0; i < 16; i++) {
		u32 window;

		st = (struct symphony_state) { .cnt_total = 1 };
		for (window = 0; window < 4096; window++)
			symphony_job_credit(&st, (i * 4096 + window) * 100000ULL);
		sum += st.rank;
	}
	KUNIT_EXPECT_GE(test, sum, 16 * 12);
	KUNIT_EXPECT_LE(test, sum, 16 * 14);
}

static void symphony_test_idle_count(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 64);
	u64 later = 2 * SYMPHONY_TEST_IDLE;
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 30; job++)
		symphony_test_job(table, job, 0, &left)->window_start =
			job % 3 ? 0 : later;
	KUNIT_EXPECT_EQ(test, symphony_table_idle(table, later,
						  SYMPHONY_TEST_IDLE), 20);
	KUNIT_EXPECT_EQ(test, table->nr_jobs, 30);
	KUNIT_EXPECT_EQ(test, symphony_test_sweep(table, later), 20);
	KUNIT_EXPECT_EQ(test, symphony_table_idle(table, later,
						  SYMPHONY_TEST_IDLE), 0);
	symphony_table_put(table);
}

static void symphony_test_import(struct kunit *test)
{
	struct symphony_table *small = symphony_test_table(test, 4);
	struct symphony_table *same = symphony_test_table(test, 5);
	struct symphony_table *from = symphony_test_table(test, 64);
	struct symphony_table *to = symphony_test_table(test, 100);
	struct symphony_flow *flows;
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 5; job++)
		symphony_test_job(from, job, 0, &left)->step_min = 100 + job;
	symphony_test_job(to, 3, 0, &left)->step_min = 7;
	from->window = NSEC_PER_SEC;
	for (job = 1; job <= 3; job++)
		symphony_test_job(same, job, 0, &left);

	local_bh_disable();
	KUNIT_EXPECT_EQ(test, symphony_table_import(small, from), -ENOSPC);
	/* jobs that both know need room once */
	KUNIT_EXPECT_EQ(test, symphony_table_import(same, from), 0);
	flows = (struct symphony_flow *)from->flows;
	KUNIT_EXPECT_EQ(test, symphony_table_import(to, from), 0);
	local_bh_enable();

	KUNIT_EXPECT_EQ(test, small->nr_jobs, 0);
	KUNIT_EXPECT_EQ(test, small->window, 0);
	KUNIT_EXPECT_EQ(test, to->window, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, same->nr_jobs, 5);
	KUNIT_EXPECT_EQ(test, to->nr_jobs, 5);
	for (job = 1; job <= 5; job++)
		KUNIT_EXPECT_EQ(test, symphony_job_find(to, job)->step_min,
				job == 3 ? 7 : 100 + job);
	KUNIT_EXPECT_PTR_EQ(test, (struct symphony_flow *)to->flows, flows);
	symphony_table_put(small);
	symphony_table_put(same);
	symphony_table_put(from);
	symphony_table_put(to);
}

/*
 * Another qdisc of the domain enters a job between the two halves of an import:
 * what was reserved for it goes back.
 */
static void symphony_test_import_race(struct kunit *test)
{
	struct symphony_table *from = symphony_test_table(test, 4);
	struct symphony_table *to = symphony_test_table(test, 4);
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 3; job++)
		symphony_test_job(from, job, 0, &left);
	/* a job that is found twice is known when its second state is copied */
	from->jobs[2].job = 1;

	local_bh_disable();
	KUNIT_EXPECT_EQ(test, symphony_table_import(to, from), 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, to->nr_jobs, 2);
	for (job = 11; job <= 12; job++)
		KUNIT_EXPECT_NOT_NULL(test,
				      symphony_test_job(to, job, 0, &left));
	KUNIT_EXPECT_EQ(test, to->nr_jobs, 4);
	symphony_table_put(from);
	symphony_table_put(to);
}

static void symphony_test_domain(struct kunit *test)
{
	struct symphony_table *a, *b;

	rtnl_lock();
	a = symphony_table_get(&init_net, 4711, 8, 8, NULL, NULL);
	b = symphony_table_get(&init_net, 4711, 8, 8, NULL, NULL);
	KUNIT_EXPECT_NOT_NULL(test, a);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	symphony_table_put(a);
	KUNIT_EXPECT_PTR_EQ(test, symphony_domain_find(&init_net, 4711), b);
	symphony_table_put(b);
	KUNIT_EXPECT_NULL(test, symphony_domain_find(&init_net, 4711));
	rtnl_unlock();
}

/* Who makes room in a domain's full table may have the lock that the new job has. */
static void symphony_test_domain_full(struct kunit *test)
{
	struct symphony_table *table;
	struct symphony_left left = {};
	struct symphony_state *st;
	u32 job = 2;

	table = symphony_table_create(4711, 1, 4, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_EXPECT_NOT_NULL(test, symphony_test_job(table, 1, 0, &left));
	while (symphony_job_lock(table, job) != symphony_job_lock(table, 1))
		job++;
	local_bh_disable();
	spin_lock(symphony_job_lock(table, job));
	st = symphony_job_create(table, job, 0, SYMPHONY_TEST_IDLE, false, &left);
	spin_unlock(symphony_job_lock(table, job));
	local_bh_enable();
	KUNIT_EXPECT_NOT_NULL(test, st);
	KUNIT_EXPECT_EQ(test, left.replaced, 1);
	KUNIT_EXPECT_NULL(test, symphony_job_find(table, 1));
	symphony_table_put(table);
}

/* The walk's own lock, as a reader has it. */
static bool symphony_test_walk(const struct symphony_table *table, u32 i,
			       struct symphony_view *view)
{
	bool found;

	rcu_read_lock();
	found = symphony_walk_read(table, i, view);
	rcu_read_unlock();
	return found;
}

static int symphony_test_walk_find(const struct symphony_table *table, u32 job)
{
	int found;

	rcu_read_lock();
	found = symphony_walk_find(table, job);
	rcu_read_unlock();
	return found;
}

/* A table that was given up is there until those who read it have gone. */
static void symphony_test_walk_given_up(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 8);
	struct symphony_left left = {};
	struct symphony_view view;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, symphony_test_job(table, 5, 0, &left));
	rcu_read_lock();
	symphony_table_put(table);
	i = symphony_walk_find(table, 5);
	KUNIT_EXPECT_GE(test, i, 0);
	if (i >= 0) {
		KUNIT_EXPECT_TRUE(test, symphony_walk_read(table, i, &view));
		KUNIT_EXPECT_EQ(test, view.state.job, 5);
	}
	rcu_read_unlock();
}

/* Who walks the table finds each job once, and nothing in what is free. */
static void symphony_test_walk_all(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 1000);
	u64 later = SYMPHONY_TEST_IDLE + NSEC_PER_SEC;
	struct symphony_left left = {};
	struct symphony_view view;
	u32 job, i, seen = 0;

	KUNIT_EXPECT_EQ(test, symphony_walk_end(table), 0);
	KUNIT_EXPECT_FALSE(test, symphony_test_walk(table, 0, &view));
	for (job = 1; job <= 1000; job++)
		symphony_test_job(table, job, job % 2 ? later : 0, &left);
	KUNIT_EXPECT_EQ(test, symphony_test_sweep(table, later), 64 / 2);
	for (i = 0; i < symphony_walk_end(table); i++) {
		if (!symphony_test_walk(table, i, &view))
			continue;
		seen++;
		KUNIT_EXPECT_EQ(test, symphony_test_walk_find(table, view.state.job),
				(int)i);
		KUNIT_EXPECT_EQ(test, view.tally.first_seen,
				view.state.job % 2 ? later : 0);
	}
	KUNIT_EXPECT_EQ(test, seen, table->nr_jobs);
	for (job = 2; job <= 64; job += 2)
		KUNIT_EXPECT_EQ(test, symphony_test_walk_find(table, job),
				-ENOENT);
	symphony_table_put(table);
}

/* A state that is given to another job is no longer what a reader began with. */
static void symphony_test_walk_recycled(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 1);
	u64 later = SYMPHONY_TEST_IDLE + NSEC_PER_SEC;
	struct symphony_left left = {};
	struct symphony_state *st;
	struct symphony_view view;
	u32 seq;

	st = symphony_test_job(table, 3, 0, &left);
	st->cnt_total = 9;
	st->cnt_op = 4;
	st->rank = 20;
	table->records[0].tally.packets = 100;
	KUNIT_ASSERT_TRUE(test, symphony_test_walk(table, 0, &view));
	KUNIT_EXPECT_EQ(test, view.tally.packets, 109);
	KUNIT_EXPECT_EQ(test, view.tally.outpacing, 4);
	seq = table->records[0].seq;

	KUNIT_EXPECT_PTR_EQ(test, symphony_test_job(table, 4, later, &left), st);
	KUNIT_EXPECT_EQ(test, left.expired, 1);
	KUNIT_EXPECT_EQ(test, table->records[0].seq, seq + 2);
	KUNIT_EXPECT_EQ(test, symphony_test_walk_find(table, 3), -ENOENT);
	KUNIT_ASSERT_TRUE(test, symphony_test_walk(table, 0, &view));
	KUNIT_EXPECT_EQ(test, view.state.job, 4);
	KUNIT_EXPECT_EQ(test, view.tally.packets, 0);
	/* nor is it as safe from others as that one was */
	KUNIT_EXPECT_EQ(test, st->rank, 0);

	symphony_job_renew(table, st, later);
	KUNIT_EXPECT_EQ(test, table->records[0].seq, seq + 4);
	/* as in the midst of that */
	table->records[0].seq++;
	KUNIT_EXPECT_FALSE(test, symphony_test_walk(table, 0, &view));
	KUNIT_EXPECT_EQ(test, symphony_test_walk_find(table, 4), 0);
	table->records[0].seq++;
	/* and while a window's packets move */
	table->records[0].fold++;
	KUNIT_EXPECT_FALSE(test, symphony_walk_once(table, 0, &view));
	table->records[0].fold++;
	KUNIT_EXPECT_TRUE(test, symphony_walk_once(table, 0, &view));
	symphony_table_put(table);
}

/* A pinned job makes room for none, and what it was told outlives its table. */
static void symphony_test_pinned(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 2);
	struct symphony_table *to = symphony_test_table(test, 8);
	u64 later = 2 * SYMPHONY_TEST_IDLE;
	struct symphony_left left = {};
	struct symphony_state *st;
	struct symphony_view view;
	u32 job;

	st = symphony_test_job(table, 1, 0, &left);
	st->pinned = 1;
	symphony_record_of(table, st)->override.k = 77;
	for (job = 2; job < 40; job++)
		symphony_test_job(table, job, job * later, &left);
	KUNIT_EXPECT_EQ(test, left.expired, 37);
	KUNIT_EXPECT_PTR_EQ(test, symphony_job_find(table, 1), st);
	KUNIT_EXPECT_EQ(test, symphony_table_idle(table, 99 * later,
						  SYMPHONY_TEST_IDLE), 1);

	KUNIT_EXPECT_EQ(test, symphony_table_import(to, table), 0);
	KUNIT_ASSERT_TRUE(test,
			  symphony_test_walk(to, symphony_test_walk_find(to, 1),
					     &view));
	KUNIT_EXPECT_EQ(test, view.override.k, 77);
	KUNIT_EXPECT_EQ(test, view.override.tau, SYMPHONY_GENL_NO_OVERRIDE);
	KUNIT_EXPECT_TRUE(test, view.state.pinned);
	symphony_job_forget(table, st);
	KUNIT_EXPECT_EQ(test, symphony_test_walk_find(table, 1), -ENOENT);
	/* the next one in its place knows nothing of it */
	st = symphony_test_job(table, 50, 99 * later, &left);
	KUNIT_EXPECT_FALSE(test, st->pinned);
	KUNIT_EXPECT_EQ(test, symphony_record_of(table, st)->override.k,
			SYMPHONY_GENL_NO_OVERRIDE);
	symphony_table_put(table);
	symphony_table_put(to);
}

static u64 symphony_test_flow_key(u32 flow)
{
	return flow * 0x9e3779b97f4a7c15ULL;
}

/* Who flows are: true, or not known any more, but never another's. */
static void symphony_test_names(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 4);
	u32 flow, i, known = 0, shown = 0;
	u64 now = NSEC_PER_SEC;

	table->idle = SYMPHONY_TEST_IDLE;
	for (flow = 1; flow <= 40; flow++) {
		u64 key = symphony_test_flow_key(flow);
		struct symphony_name name = { .dest = flow };
		struct symphony_flow *f;
		bool replaced = false;

		ipv6_addr_set_v4mapped(htonl(flow), &name.src);
		ipv6_addr_set_v4mapped(htonl(77), &name.dst);
		local_bh_disable();
		f = symphony_flow_of(table, key, now, &replaced);
		f->state = SYMPHONY_FLOW_ANCHORED;
		f->step = flow;
		f->base = 100;
		f->next = 100 + flow;
		KUNIT_EXPECT_FALSE(test, symphony_flow_is_named(table, key, 9));
		symphony_flow_set_name(table, key, 9, &name);
		KUNIT_EXPECT_TRUE(test, symphony_flow_is_named(table, key, 9));
		KUNIT_EXPECT_FALSE(test, symphony_flow_is_named(table, key, 8));
		local_bh_enable();
	}
	rcu_read_lock();
	for (i = 0; i < table->flows_max; i++) {
		struct symphony_flow_view view;

		if (!symphony_walk_flow(table, i, now, &view))
			continue;
		shown++;
		KUNIT_EXPECT_EQ(test, view.job, 9);
		KUNIT_EXPECT_EQ(test, view.step, view.dest);
		KUNIT_EXPECT_EQ(test, view.position, view.dest);
		if (ipv6_addr_any(&view.src))
			continue;
		known++;
		KUNIT_EXPECT_EQ(test, ntohl(view.src.s6_addr32[3]), view.dest);
	}
	rcu_read_unlock();
	KUNIT_EXPECT_GE(test, shown, 30);
	/* there is room for four */
	KUNIT_EXPECT_GE(test, known, 1);
	KUNIT_EXPECT_LE(test, known, 4);
	symphony_table_put(table);
}

/* What the packet path reads and writes of 16,384 jobs stays in 1 MiB. */
static void symphony_test_hot(struct kunit *test)
{
	struct symphony_table *table = symphony_test_table(test, 16384);
	size_t apart = 16384 * sizeof(*table->records);

	KUNIT_EXPECT_LE(test, symphony_table_memory(table) - apart, SZ_1M);
	KUNIT_EXPECT_LE(test, sizeof(*table->jobs) + sizeof(*table->bytes) +
			sizeof(*table->runs), 64);
	symphony_table_put(table);
}

static struct kunit_case symphony_table_cases[] = {
	KUNIT_CASE(symphony_test_walk_all),
	KUNIT_CASE(symphony_test_walk_given_up),
	KUNIT_CASE(symphony_test_walk_recycled),
	KUNIT_CASE(symphony_test_pinned),
	KUNIT_CASE(symphony_test_names),
	KUNIT_CASE(symphony_test_hot),
	KUNIT_CASE(symphony_test_job_capacity),
	KUNIT_CASE(symphony_test_seeds),
	KUNIT_CASE(symphony_test_job_expiry),
	KUNIT_CASE(symphony_test_job_reclaim),
	KUNIT_CASE(symphony_test_job_replace),
	KUNIT_CASE(symphony_test_job_credit),
	KUNIT_CASE(symphony_test_idle_count),
	KUNIT_CASE(symphony_test_import),
	KUNIT_CASE(symphony_test_import_race),
	KUNIT_CASE(symphony_test_domain),
	KUNIT_CASE(symphony_test_domain_full),
	{}
};

static struct kunit_suite symphony_table_suite = {
	.name = "symphony_table",
	.test_cases = symphony_table_cases,
};

/* A qdisc on a device that nobody else sees */

struct symphony_test {
	struct net_device *dev;
	struct Qdisc *sch;
	u32 speed;
};

/* What the device tells of its link: nothing, until a test says more. */
static int symphony_test_link(struct net_device *dev,
			      struct ethtool_link_ksettings *link)
{
	const struct symphony_test *t = *(struct symphony_test **)netdev_priv(dev);

	if (!t->speed)
		return -EOPNOTSUPP;
	link->base.speed = t->speed;
	return 0;
}

static const struct ethtool_ops symphony_test_ethtool = {
	.get_link_ksettings = symphony_test_link,
};

static void symphony_test_setup_dev(struct net_device *dev)
{
	ether_setup(dev);
	dev->ethtool_ops = &symphony_test_ethtool;
}

static netdev_tx_t symphony_test_xmit(struct sk_buff *skb,
				      struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops symphony_test_ops = {
	.ndo_start_xmit = symphony_test_xmit,
};

static int symphony_test_init(struct kunit *test)
{
	struct symphony_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	test->priv = t;
	t->dev = alloc_netdev(sizeof(t), "symtest%d", NET_NAME_UNKNOWN,
			      symphony_test_setup_dev);
	if (!t->dev)
		return -ENOMEM;
	*(struct symphony_test **)netdev_priv(t->dev) = t;
	t->dev->netdev_ops = &symphony_test_ops;
	if (register_netdev(t->dev)) {
		free_netdev(t->dev);
		t->dev = NULL;
		return -ENODEV;
	}
	rtnl_lock();
	t->sch = qdisc_create_dflt(netdev_get_tx_queue(t->dev, 0),
				   &symphony_qdisc_ops, TC_H_ROOT, NULL);
	rtnl_unlock();
	return t->sch ? 0 : -ENOMEM;
}

static void symphony_test_exit(struct kunit *test)
{
	struct symphony_test *t = test->priv;

	if (!t || !t->dev)
		return;
	rtnl_lock();
	if (t->sch)
		qdisc_put(t->sch);
	rtnl_unlock();
	unregister_netdev(t->dev);
	free_netdev(t->dev);
}

static int symphony_test_change(struct kunit *test, int type, u64 value,
				bool wide)
{
	struct symphony_test *t = test->priv;
	struct netlink_ext_ack extack = {};
	struct nlattr *nest;
	struct sk_buff *msg;
	int err;

	msg = nlmsg_new(256, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, msg);
	nest = nla_nest_start(msg, TCA_OPTIONS);
	if (wide)
		nla_put_u64_64bit(msg, type, value, TCA_SYMPHONY_PAD);
	else
		nla_put_u32(msg, type, value);
	nla_nest_end(msg, nest);
	rtnl_lock();
	err = t->sch->ops->change(t->sch, nest, &extack);
	rtnl_unlock();
	if (err)
		KUNIT_EXPECT_NOT_NULL(test, extack._msg);
	nlmsg_free(msg);
	return err;
}

/* The packet path on real skbs */

static void symphony_test_ip(struct iphdr *iph, u32 len, u8 ecn)
{
	*iph = (struct iphdr) {
		.version = 4,
		.ihl = 5,
		.tos = ecn,
		.tot_len = htons(len),
		.frag_off = htons(IP_DF),
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.saddr = htonl(0xc0000201),
		.daddr = htonl(0xc0000202),
	};
	iph->check = ip_fast_csum(iph, iph->ihl);
}

/* RC, WRITE MIDDLE or FIRST, job 5, QP 18 */
static void symphony_test_bth(u8 *bth, u32 psn, u8 opcode)
{
	bth[0] = opcode;
	bth[7] = 18;
	put_unaligned_be32(psn, bth + 8);
	bth[8] = 5;
}

/* A whole frame */
static void symphony_test_frame(u8 *frame, u16 step, u32 psn, u8 opcode, u8 ecn)
{
	struct udphdr *udp = (struct udphdr *)(frame + ETH_HLEN + 20);
	struct ethhdr *eth = (struct ethhdr *)frame;
	u8 *bth = frame + SYMPHONY_TEST_BTH;

	memset(frame, 0, SYMPHONY_TEST_LEN);
	eth->h_proto = htons(ETH_P_IP);
	symphony_test_ip((struct iphdr *)(frame + ETH_HLEN),
			 SYMPHONY_TEST_LEN - ETH_HLEN, ecn);
	udp->source = htons(0xc000 | step);
	udp->dest = htons(SYMPHONY_PORT_ROCEV2);
	udp->len = htons(SYMPHONY_TEST_LEN - ETH_HLEN - 20);
	symphony_test_bth(bth, psn, opcode);
}

static struct sk_buff *symphony_test_skb(struct kunit *test, u16 step, u32 psn,
					 u8 opcode, u8 ecn)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *skb;

	skb = alloc_skb(SYMPHONY_TEST_LEN + NET_SKB_PAD, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, NET_SKB_PAD);
	symphony_test_frame(skb_put(skb, SYMPHONY_TEST_LEN), step, psn, opcode,
			    ecn);
	skb->dev = t->dev;
	skb->protocol = htons(ETH_P_IP);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	return skb;
}

/* Takes the packet, as a parent does that counts so many bytes for it. */
static int symphony_test_put_len(struct kunit *test, struct sk_buff *skb, u32 len)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *to_free = NULL;
	int ret;

	qdisc_skb_cb(skb)->pkt_len = len;
	local_bh_disable();
	ret = t->sch->ops->enqueue(skb, t->sch, &to_free);
	local_bh_enable();
	kfree_skb_list(to_free);
	return ret;
}

static int symphony_test_put(struct kunit *test, struct sk_buff *skb)
{
	return symphony_test_put_len(test, skb, skb->len);
}

static struct sk_buff *symphony_test_pass(struct kunit *test,
					  struct sk_buff *skb)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *to_free = NULL, *out;

	qdisc_skb_cb(skb)->pkt_len = skb->len;
	local_bh_disable();
	KUNIT_EXPECT_EQ(test, t->sch->ops->enqueue(skb, t->sch, &to_free),
			NET_XMIT_SUCCESS);
	out = t->sch->ops->dequeue(t->sch);
	local_bh_enable();
	KUNIT_ASSERT_NOT_NULL(test, out);
	KUNIT_EXPECT_EQ(test, t->sch->q.qlen, 0);
	KUNIT_EXPECT_EQ(test, t->sch->qstats.backlog, 0);
	return out;
}

static void symphony_test_counter(struct kunit *test, int counter, u64 value)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);

	KUNIT_EXPECT_EQ_MSG(test, q->stats.count[counter], value,
			    "counter %d", counter);
}

/* Bring job 5 to step 3, position 2, so that step 4 is marked for sure. */
static void symphony_test_lag(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_K,
						   TC_SYMPHONY_ONE, false), 0);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_WARMUP,
						   0, false), 0);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_WINDOW,
						   TC_SYMPHONY_WINDOW_MAX,
						   true), 0);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_PSN,
						   TC_SYMPHONY_PSN_ABSOLUTE,
						   false), 0);
	kfree_skb(symphony_test_pass(test, symphony_test_skb(test, 3, 2, 0x07,
							     INET_ECN_ECT_0)));
}

static u8 symphony_test_tos(const struct sk_buff *skb)
{
	struct iphdr iph;

	skb_copy_bits(skb, skb_network_offset(skb), &iph, sizeof(iph));
	return ip_fast_csum(&iph, iph.ihl) ? 0xff : iph.tos;
}

static void symphony_test_linear(struct kunit *test)
{
	static const u8 before[] = { INET_ECN_NOT_ECT, INET_ECN_ECT_1,
				     INET_ECN_ECT_0, INET_ECN_CE };
	static const u8 after[] = { INET_ECN_NOT_ECT, INET_ECN_CE,
				    INET_ECN_CE, INET_ECN_CE };
	int i;

	symphony_test_lag(test);
	for (i = 0; i < ARRAY_SIZE(before); i++) {
		struct sk_buff *skb;

		skb = symphony_test_skb(test, 4, 9, 0x07, before[i]);
		skb = symphony_test_pass(test, skb);
		KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), after[i]);
		kfree_skb(skb);
	}
	symphony_test_counter(test, TCA_SYMPHONY_STATS_MARKED, 2);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_NOT_ECT, 1);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_ALREADY_CE, 1);
}

/* The laggard's own packet stays as it is. */
static void symphony_test_lagging(struct kunit *test)
{
	struct sk_buff *skb;

	symphony_test_lag(test);
	skb = symphony_test_pass(test, symphony_test_skb(test, 3, 9, 0x07,
							 INET_ECN_ECT_0));
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_ECT_0);
	kfree_skb(skb);
}

/* All behind the Ethernet header sits in a page. */
static void symphony_test_paged(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct sk_buff *skb;

	KUNIT_ASSERT_NOT_NULL(test, page);
	symphony_test_lag(test);
	skb = symphony_test_skb(test, 4, 9, 0x07, INET_ECN_ECT_0);
	memcpy(page_address(page), skb->data + ETH_HLEN,
	       SYMPHONY_TEST_LEN - ETH_HLEN);
	skb_trim(skb, ETH_HLEN);
	skb_add_rx_frag(skb, 0, page, 0, SYMPHONY_TEST_LEN - ETH_HLEN,
			PAGE_SIZE);
	skb = symphony_test_pass(test, skb);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_CE);
	KUNIT_EXPECT_EQ(test, skb->len, SYMPHONY_TEST_LEN);
	kfree_skb(skb);
}

/* A mark must not show in somebody else's copy. */
static void symphony_test_cloned(struct kunit *test)
{
	struct sk_buff *skb, *clone;

	symphony_test_lag(test);
	skb = symphony_test_skb(test, 4, 9, 0x07, INET_ECN_ECT_0);
	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	skb = symphony_test_pass(test, skb);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_CE);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(clone), INET_ECN_ECT_0);
	kfree_skb(skb);
	kfree_skb(clone);
}

/* Somebody else holds on to the very packet, and to a clone of it. */
static void symphony_test_shared(struct kunit *test)
{
	struct sk_buff *skb, *clone, *out;

	symphony_test_lag(test);
	skb = symphony_test_skb(test, 4, 9, 0x07, INET_ECN_ECT_0);
	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	out = symphony_test_pass(test, skb_get(skb));
	KUNIT_EXPECT_EQ(test, symphony_test_tos(out), INET_ECN_CE);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(clone), INET_ECN_ECT_0);
	KUNIT_EXPECT_FALSE(test, skb_shared(skb));
	kfree_skb(out);
	kfree_skb(skb);
	kfree_skb(clone);
}

/* A job that finds no room must not cost another one its anchors. */
static void symphony_test_no_room(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct symphony_flow *flow;
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_JOBS, 1,
						   false), 0);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_FLOWS,
						   TC_SYMPHONY_FLOWS_MIN,
						   false), 0);
	kfree_skb(symphony_test_pass(test, symphony_test_skb(test, 3, 2, 0x06,
							     INET_ECN_ECT_0)));
	skb = symphony_test_skb(test, 3, 2, 0x06, INET_ECN_ECT_0);
	skb->data[SYMPHONY_TEST_BTH + 8] = 6;
	symphony_table_of(q)->jobs[0].rank = 40;
	kfree_skb(symphony_test_pass(test, skb));
	symphony_test_counter(test, TCA_SYMPHONY_STATS_TABLE_FULL, 1);
	flow = symphony_table_of(q)->flows[0];
	KUNIT_EXPECT_TRUE(test, flow[0].state != SYMPHONY_FLOW_EMPTY);
	KUNIT_EXPECT_EQ(test, flow[1].state | flow[2].state | flow[3].state,
			SYMPHONY_FLOW_EMPTY);
}

/* One tag beside the packet, then one in it with the header behind it. */
static void symphony_test_tagged(struct kunit *test)
{
	struct vlan_hdr *tag;
	struct sk_buff *skb;

	symphony_test_lag(test);
	skb = symphony_test_skb(test, 4, 9, 0x07, INET_ECN_ECT_0);
	__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), 7);
	skb = symphony_test_pass(test, skb);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_CE);
	kfree_skb(skb);

	skb = symphony_test_skb(test, 4, 9, 0x07, INET_ECN_ECT_0);
	memmove(skb_push(skb, VLAN_HLEN), skb->data + VLAN_HLEN, 2 * ETH_ALEN);
	((struct ethhdr *)skb->data)->h_proto = htons(ETH_P_8021AD);
	tag = (struct vlan_hdr *)(skb->data + ETH_HLEN);
	tag->h_vlan_TCI = htons(0x4007);	/* looks like IP version 4 */
	tag->h_vlan_encapsulated_proto = htons(ETH_P_IP);
	skb->protocol = htons(ETH_P_8021AD);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb = symphony_test_pass(test, skb);
	skb_set_network_header(skb, ETH_HLEN + VLAN_HLEN);
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_CE);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_MARKED, 2);
	kfree_skb(skb);
}

static struct sk_buff *symphony_test_gso_skb(struct kunit *test, u16 step,
					     u32 psn)
{
	struct sk_buff *skb = symphony_test_skb(test, step, psn, 0x07,
						INET_ECN_ECT_0);
	int size = (SYMPHONY_TEST_LEN - SYMPHONY_TEST_BTH) / 4;
	int i;

	for (i = 1; i < 4; i++)
		symphony_test_bth(skb->data + SYMPHONY_TEST_BTH + i * size,
				  psn + i, 0x07);
	skb_shinfo(skb)->gso_size = size;
	skb_shinfo(skb)->gso_segs = 4;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	return skb;
}

static void symphony_test_gso(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct sk_buff *skb;

	symphony_test_lag(test);
	skb = symphony_test_pass(test, symphony_test_gso_skb(test, 4, 9));
	KUNIT_EXPECT_EQ(test, symphony_test_tos(skb), INET_ECN_CE);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_MARKED, 4);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DATA, 5);
	kfree_skb(skb);

	/* the laggard is as far as its last segment */
	kfree_skb(symphony_test_pass(test, symphony_test_gso_skb(test, 3, 10)));
	KUNIT_EXPECT_EQ(test, symphony_table_of(q)->jobs[0].psn_rec, 13);

	/* unless that is another queue pair's */
	skb = symphony_test_gso_skb(test, 3, 20);
	skb->data[SYMPHONY_TEST_LEN - 19 + 7] = 19;
	kfree_skb(symphony_test_pass(test, skb));
	KUNIT_EXPECT_EQ(test, symphony_table_of(q)->jobs[0].psn_rec, 20);
}

#ifdef CONFIG_NET_CLS_ACT
/* A filter whose verdict is in its data. */
static int symphony_test_verdict(struct sk_buff *skb, const struct tcf_proto *tp,
				 struct tcf_result *res)
{
	res->classid = TC_H_MAKE(1U << 16, 7);
	/* as an action that puts fragments together does */
	qdisc_skb_cb(skb)->pkt_len += 1000;
	return *(int *)tp->data;
}

/* What a filter may say, of which no two mean the same to whoever sent. */
static void symphony_test_filters(struct kunit *test)
{
	static const struct {
		int verdict;
		int ret;
		bool ours;	/* to be freed if it does not stay */
		u32 drops;
	} cases[] = {
		{ TC_ACT_UNSPEC, NET_XMIT_SUCCESS, true, 0 },
		{ TC_ACT_OK, NET_XMIT_SUCCESS, true, 0 },
		{ TC_ACT_PIPE, NET_XMIT_SUCCESS, true, 0 },
		{ TC_ACT_STOLEN, NET_XMIT_SUCCESS | __NET_XMIT_STOLEN, true, 0 },
		{ TC_ACT_QUEUED, NET_XMIT_SUCCESS | __NET_XMIT_STOLEN, true, 0 },
		{ TC_ACT_TRAP, NET_XMIT_SUCCESS | __NET_XMIT_STOLEN, true, 0 },
		{ TC_ACT_CONSUMED, NET_XMIT_SUCCESS | __NET_XMIT_STOLEN, false, 0 },
		{ TC_ACT_SHOT, NET_XMIT_SUCCESS | __NET_XMIT_BYPASS, true, 1 },
		{ TC_ACT_REDIRECT, NET_XMIT_SUCCESS | __NET_XMIT_BYPASS, true, 1 },
	};
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	int verdict, i;
	struct tcf_proto tp = {
		.classify = symphony_test_verdict,
		.protocol = htons(ETH_P_ALL),
		.data = &verdict,
	};

	rcu_assign_pointer(q->filter_list, &tp);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 drops = t->sch->qstats.drops, qlen = t->sch->q.qlen;
		bool stays = cases[i].ret == NET_XMIT_SUCCESS;
		struct sk_buff *to_free = NULL, *skb;
		int ret;

		verdict = cases[i].verdict;
		skb = symphony_test_skb(test, 3, 2, 0x07, INET_ECN_ECT_0);
		qdisc_skb_cb(skb)->pkt_len = skb->len;
		local_bh_disable();
		ret = t->sch->ops->enqueue(skb, t->sch, &to_free);
		local_bh_enable();
		KUNIT_EXPECT_EQ_MSG(test, ret, cases[i].ret, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, t->sch->q.qlen - qlen, stays,
				    "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, t->sch->qstats.drops - drops,
				    cases[i].drops, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, to_free == skb,
				    !stays && cases[i].ours, "case %d", i);
		if (!stays)
			kfree_skb(skb);
	}
	RCU_INIT_POINTER(q->filter_list, NULL);
	local_bh_disable();
	while (t->sch->q.qlen)
		kfree_skb(t->sch->ops->dequeue(t->sch));
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, t->sch->qstats.backlog, 0);
}
#endif

/* What waits in the child does not outlive a reset. */
static void symphony_test_reset_child(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct sk_buff *skb;

	skb = symphony_test_skb(test, 3, 2, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb_get(skb)), NET_XMIT_SUCCESS);
	KUNIT_EXPECT_EQ(test, q->qdisc->q.qlen, 1);
	rtnl_lock();
	qdisc_reset(t->sch);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, q->qdisc->q.qlen, 0);
	KUNIT_EXPECT_EQ(test, t->sch->q.qlen, 0);
	KUNIT_EXPECT_FALSE(test, skb_shared(skb));
	kfree_skb(skb);
}

/* A flow goes on after its job was forgotten: where its step began is not known any more. */
static void symphony_test_expired_anchor(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct symphony_table *table = symphony_table_of(q);

	kfree_skb(symphony_test_pass(test, symphony_test_skb(test, 3, 100, 0x06,
							     INET_ECN_ECT_0)));
	kfree_skb(symphony_test_pass(test, symphony_test_skb(test, 3, 105, 0x07,
							     INET_ECN_ECT_0)));
	symphony_test_counter(test, TCA_SYMPHONY_STATS_NO_POSITION, 0);
	table->jobs[0].window_start -= symphony_expire_after(table);
	kfree_skb(symphony_test_pass(test, symphony_test_skb(test, 3, 110, 0x07,
							     INET_ECN_ECT_0)));
	symphony_test_counter(test, TCA_SYMPHONY_STATS_JOBS_EXPIRED, 1);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_NO_POSITION, 1);
}

static void symphony_test_join(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_DOMAIN, 99,
						   false), 0);
}

/* Each packet takes and gives back the locks of a domain's table. */
static void symphony_test_domain_judge(struct kunit *test)
{
	symphony_test_join(test);
	symphony_test_linear(test);
}

/* The same where the smallest step is asked for before the packet waits. */
static void symphony_test_domain_prio(struct kunit *test)
{
	static const u32 priority[] = { TC_PRIO_INTERACTIVE, 0 };
	int i;

	symphony_test_join(test);
	symphony_test_lag(test);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_MODE,
						   TC_SYMPHONY_MODE_PRIO,
						   false), 0);
	for (i = 0; i < ARRAY_SIZE(priority); i++) {
		struct sk_buff *skb;

		skb = symphony_test_skb(test, 3 + i, 9, 0x07, INET_ECN_ECT_0);
		skb = symphony_test_pass(test, skb);
		KUNIT_EXPECT_EQ(test, skb->priority, priority[i]);
		kfree_skb(skb);
	}
}

static struct kunit_case symphony_path_cases[] = {
	KUNIT_CASE(symphony_test_linear),
	KUNIT_CASE(symphony_test_lagging),
	KUNIT_CASE(symphony_test_paged),
	KUNIT_CASE(symphony_test_cloned),
	KUNIT_CASE(symphony_test_shared),
	KUNIT_CASE(symphony_test_no_room),
	KUNIT_CASE(symphony_test_tagged),
	KUNIT_CASE(symphony_test_gso),
#ifdef CONFIG_NET_CLS_ACT
	KUNIT_CASE(symphony_test_filters),
#endif
	KUNIT_CASE(symphony_test_reset_child),
	KUNIT_CASE(symphony_test_expired_anchor),
	KUNIT_CASE(symphony_test_domain_judge),
	KUNIT_CASE(symphony_test_domain_prio),
	{}
};

static struct kunit_suite symphony_path_suite = {
	.name = "symphony_path",
	.init = symphony_test_init,
	.exit = symphony_test_exit,
	.test_cases = symphony_path_cases,
};

/* Queue order */

static int symphony_test_order_init(struct kunit *test)
{
	int err = symphony_test_init(test);

	if (err)
		return err;
	/* steps come one right after the other, from one sender */
	err = symphony_test_change(test, TCA_SYMPHONY_HOLD, 0, true);
	if (err)
		return err;
	return symphony_test_change(test, TCA_SYMPHONY_QUEUE,
				    TC_SYMPHONY_QUEUE_ORDER, false);
}

static void symphony_test_put_data(struct kunit *test, u16 step, u32 psn)
{
	KUNIT_EXPECT_EQ(test, NET_XMIT_SUCCESS,
			symphony_test_put(test,
					  symphony_test_skb(test, step, psn,
							    0x07,
							    INET_ECN_ECT_0)));
}

static void symphony_test_waiting(struct kunit *test, u32 packets)
{
	struct symphony_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, t->sch->q.qlen, packets);
	KUNIT_EXPECT_EQ(test, t->sch->qstats.backlog,
			packets * SYMPHONY_TEST_LEN);
}

static u8 symphony_test_psn(const struct sk_buff *skb)
{
	return skb->data[SYMPHONY_TEST_BTH + 11];
}

/* The next packet has this PSN. */
static void symphony_test_take(struct kunit *test, u8 psn)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *skb;

	local_bh_disable();
	skb = qdisc_dequeue_peeked(t->sch);
	local_bh_enable();
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, symphony_test_psn(skb), psn);
	kfree_skb(skb);
}

static void symphony_test_nothing(struct kunit *test)
{
	struct symphony_test *t = test->priv;

	symphony_test_waiting(test, 0);
	local_bh_disable();
	KUNIT_EXPECT_NULL(test, t->sch->ops->dequeue(t->sch));
	local_bh_enable();
}

static void symphony_test_steps(struct kunit *test)
{
	static const u8 order[] = { 2, 4, 3, 1, 5 };
	static const u16 steps[] = { 7, 5, 6, 5, 7 };
	int i;

	/* no reading of the clock is shared, and no two arrivals are one */
	symphony_test_change(test, TCA_SYMPHONY_WINDOW, TC_SYMPHONY_WINDOW_MIN,
			     true);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		symphony_test_put_data(test, steps[i], i + 1);
		udelay(2);
	}
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DATA, 0);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		symphony_test_waiting(test, ARRAY_SIZE(order) - i);
		symphony_test_take(test, order[i]);
	}
	symphony_test_nothing(test);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DATA, 5);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_ORDER_PASSED, 3);
}

static void symphony_test_cb_of(struct kunit *test, u64 flow)
{
	struct symphony_pkt in = {
		.psn = SYMPHONY_PSN_MASK, .flow = flow,
		.step = U16_MAX, .pair = 0xba9, .flags = 0x15, .ecn = 2,
		.ip_version = 6, .ip_offset = 0xfedc,
	};
	struct symphony_table *table = symphony_test_table(test, 8);
	struct symphony_pkt out = {};
	struct symphony_cb cb;

	symphony_cb_write(&cb, &in, SYMPHONY_STEPLESS, 0x12345678);
	symphony_cb_read(&cb, &out);
	KUNIT_EXPECT_EQ(test, cb.when, 0x12345678);
	KUNIT_EXPECT_EQ(test, (u32)cb.pair, in.pair);
	KUNIT_EXPECT_EQ(test, (u32)cb.class, SYMPHONY_STEPLESS);
	KUNIT_EXPECT_EQ(test, out.psn, in.psn);
	KUNIT_EXPECT_EQ(test, out.step, in.step);
	KUNIT_EXPECT_EQ(test, out.flags, in.flags);
	KUNIT_EXPECT_EQ(test, out.ecn, in.ecn);
	KUNIT_EXPECT_EQ(test, out.ip_version, in.ip_version);
	KUNIT_EXPECT_EQ(test, out.ip_offset, in.ip_offset);
	/* the same tag, and the same set even in the largest table */
	KUNIT_EXPECT_EQ(test, (u32)out.flow >> 8, (u32)in.flow >> 8);
	table->flow_mask = TC_SYMPHONY_FLOWS_MAX / SYMPHONY_FLOW_WAYS - 1;
	KUNIT_EXPECT_EQ(test, symphony_flow_bucket(table, out.flow),
			symphony_flow_bucket(table, in.flow));
	symphony_table_put(table);
}

/* What the judge asks for comes through the control block. */
static void symphony_test_cb(struct kunit *test)
{
	/* each bit of the set and of the tag is once 0 and once 1 */
	symphony_test_cb_of(test, 0xfedcba9876543210ULL);
	symphony_test_cb_of(test, ~0xfedcba9876543210ULL);
}

/* Default thresholds shrink with the room that is left, once half is taken. */
static void symphony_test_weigh(struct kunit *test)
{
	struct symphony_queue *queue;

	queue = kunit_kzalloc(test, sizeof(*queue), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	queue->room = 1000;
	queue->order.bytes = 500;
	KUNIT_EXPECT_EQ(test, symphony_queue_weigh(queue, 100), 100);
	queue->order.bytes = 900;
	KUNIT_EXPECT_EQ(test, symphony_queue_weigh(queue, 100), 500);
	queue->order.bytes = 1000;
	KUNIT_EXPECT_EQ(test, symphony_queue_weigh(queue, 100), U32_MAX);
	queue->room = 0;
	KUNIT_EXPECT_EQ(test, symphony_queue_weigh(queue, 100), 100);
}

/* A parent that peeks gets the packet that it then dequeues, judged once. */
static void symphony_test_peek(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *skb;

	symphony_test_put_data(test, 6, 1);
	symphony_test_put_data(test, 5, 2);
	local_bh_disable();
	skb = t->sch->ops->peek(t->sch);
	KUNIT_EXPECT_PTR_EQ(test, t->sch->ops->peek(t->sch), skb);
	local_bh_enable();
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, symphony_test_psn(skb), 2);
	symphony_test_waiting(test, 2);
	/* what was promised goes first, also if an earlier step comes */
	symphony_test_put_data(test, 4, 3);
	symphony_test_take(test, 2);
	symphony_test_take(test, 3);
	symphony_test_take(test, 1);
	symphony_test_nothing(test);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DATA, 3);
}

static void symphony_test_reset(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct sk_buff *skb[3];
	int i;

	for (i = 0; i < ARRAY_SIZE(skb); i++) {
		skb[i] = symphony_test_skb(test, 5 + i % 2, i, 0x07,
					   INET_ECN_ECT_0);
		symphony_test_put(test, skb_get(skb[i]));
	}
	rtnl_lock();
	qdisc_reset(t->sch);
	rtnl_unlock();
	symphony_test_nothing(test);
	KUNIT_EXPECT_EQ(test, q->queue->order.packets, 0);
	KUNIT_EXPECT_EQ(test, q->queue->order.nr_fifos, 0);
	for (i = 0; i < ARRAY_SIZE(skb); i++) {
		KUNIT_EXPECT_FALSE(test, skb_shared(skb[i]));
		kfree_skb(skb[i]);
	}
	symphony_test_put_data(test, 5, 9);
	symphony_test_take(test, 9);
}

/* The parent counts a packet just if it hears of success. */
static void symphony_test_overload(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_LIMIT, 3,
						   false), 0);
	symphony_test_put_data(test, 5, 1);
	symphony_test_put_data(test, 6, 2);
	symphony_test_put_data(test, 7, 3);
	/* the furthest goes for it */
	skb = symphony_test_skb(test, 5, 4, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	symphony_test_waiting(test, 3);
	/* itself, of a connection that does not go back */
	skb = symphony_test_skb(test, 9, 5, 0x27, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	symphony_test_waiting(test, 3);
	/* another's, which the parent has counted */
	skb = symphony_test_skb(test, 0, 6, 0x11, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_SUCCESS);
	symphony_test_waiting(test, 3);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_AHEAD, 3);
	KUNIT_EXPECT_EQ(test, t->sch->qstats.drops, 3);
	symphony_test_take(test, 6);
	symphony_test_take(test, 1);
	symphony_test_take(test, 4);
	symphony_test_nothing(test);

	/* a packet larger than all the room there is */
	KUNIT_ASSERT_EQ(test, symphony_test_change(test,
						   TCA_SYMPHONY_LIMIT_BYTES, 1,
						   false), 0);
	skb = symphony_test_skb(test, 5, 3, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	symphony_test_nothing(test);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_LAGGARD, 1);
}

/* What follows a loss is dropped, and the parent hears that it never came. */
static void symphony_test_overload_gap(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_LIMIT, 2,
						   false), 0);
	symphony_test_put_data(test, 5, 1);
	symphony_test_put_data(test, 7, 2);
	skb = symphony_test_skb(test, 7, 3, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	skb = symphony_test_skb(test, 7, 4, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_DROP);
	symphony_test_waiting(test, 2);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_AHEAD, 1);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_GAP, 1);
	KUNIT_EXPECT_EQ(test, t->sch->qstats.drops, 2);
	symphony_test_take(test, 1);
	/* an unreliable connection does not go back */
	skb = symphony_test_skb(test, 7, 4, 0x27, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_SUCCESS);
	symphony_test_take(test, 2);
	symphony_test_take(test, 4);
	/* its turn: one to make the receiver ask, then from the lost one on */
	symphony_test_put_data(test, 7, 5);
	skb = symphony_test_skb(test, 7, 6, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_DROP);
	symphony_test_take(test, 5);
	symphony_test_put_data(test, 7, 3);
	symphony_test_put_data(test, 7, 4);
	symphony_test_take(test, 3);
	symphony_test_take(test, 4);
	symphony_test_nothing(test);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_GAP, 2);
}

/* After the loss of an end the sender waits for its timer, so that is the last to go. */
static void symphony_test_overload_ends(struct kunit *test)
{
	struct sk_buff *skb;
	u32 step;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_LIMIT, 3,
						   false), 0);
	symphony_test_put_data(test, 5, 1);
	for (step = 6; step <= 7; step++) {
		skb = symphony_test_skb(test, step, step, 0x08, INET_ECN_ECT_0);
		KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_SUCCESS);
	}
	skb = symphony_test_skb(test, 5, 2, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_AHEAD, 0);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_LAGGARD, 1);
	symphony_test_take(test, 1);
	symphony_test_take(test, 6);
	symphony_test_take(test, 7);
	symphony_test_nothing(test);
}

/* Nor does a receiver ask twice for what was lost. */
static void symphony_test_overload_repeats(struct kunit *test)
{
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_LIMIT, 2,
						   false), 0);
	symphony_test_put_data(test, 5, 1);
	symphony_test_put_data(test, 5, 2);
	skb = symphony_test_skb(test, 5, 3, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	symphony_test_take(test, 1);
	symphony_test_put_data(test, 5, 3);
	skb = symphony_test_skb(test, 4, 9, 0x07, INET_ECN_ECT_0);
	KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_CN);
	symphony_test_take(test, 9);
	symphony_test_take(test, 3);
	symphony_test_nothing(test);
}

/* One packet may push out some of its own job and some of another. */
static void symphony_test_overload_jobs(struct kunit *test)
{
	static const u8 jobs[] = { 5, 5, 5, 5, 6, 6 };
	static const u8 steps[] = { 5, 6, 6, 6, 5, 6 };
	struct symphony_test *t = test->priv;
	struct sk_buff *skb;
	int i;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_LIMIT_BYTES,
						   6 * SYMPHONY_TEST_LEN, false), 0);
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		skb = symphony_test_skb(test, steps[i], i + 1, 0x07, INET_ECN_ECT_0);
		skb->data[SYMPHONY_TEST_BTH + 8] = jobs[i];
		KUNIT_EXPECT_EQ(test, symphony_test_put(test, skb), NET_XMIT_SUCCESS);
	}
	/* the longest one's first, which the parent is not told of apart from this one */
	skb = symphony_test_skb(test, 5, 9, 0x07, INET_ECN_ECT_0);
	skb->data[SYMPHONY_TEST_BTH + 8] = 6;
	KUNIT_EXPECT_EQ(test, NET_XMIT_CN,
			symphony_test_put_len(test, skb, 3 * SYMPHONY_TEST_LEN));
	KUNIT_EXPECT_EQ(test, t->sch->q.qlen, 4);
	KUNIT_EXPECT_EQ(test, t->sch->qstats.backlog, 6 * SYMPHONY_TEST_LEN);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_AHEAD, 3);
}

/* A packet's step is counted under the locks of a domain's table. */
static void symphony_test_domain_count(struct kunit *test)
{
	symphony_test_join(test);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_STEP,
						   TC_SYMPHONY_STEP_COUNT,
						   false), 0);
	symphony_test_put_data(test, 5, 1);
	symphony_test_put_data(test, 5, 2);
	symphony_test_take(test, 1);
	symphony_test_take(test, 2);
	symphony_test_nothing(test);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DATA, 2);
}

static void symphony_test_trim(struct kunit *test)
{
	symphony_test_put_data(test, 5, 1);
	symphony_test_put_data(test, 7, 2);
	symphony_test_put_data(test, 6, 3);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_LIMIT, 2,
						   false), 0);
	symphony_test_waiting(test, 2);
	symphony_test_counter(test, TCA_SYMPHONY_STATS_DROPS_AHEAD, 1);
	symphony_test_take(test, 1);
	symphony_test_take(test, 3);
	symphony_test_nothing(test);
}

/* Both ways, with packets in either place. */
static void symphony_test_switch(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);

	symphony_test_put_data(test, 7, 1);
	symphony_test_put_data(test, 6, 2);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_QUEUE,
						   TC_SYMPHONY_QUEUE_CHILD,
						   false), 0);
	KUNIT_EXPECT_PTR_NE(test, q->qdisc, &noop_qdisc);
	symphony_test_put_data(test, 9, 3);
	symphony_test_put_data(test, 5, 4);
	symphony_test_waiting(test, 4);
	/* and back, before anything has left */
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_QUEUE,
						   TC_SYMPHONY_QUEUE_ORDER,
						   false), 0);
	symphony_test_put_data(test, 4, 5);
	symphony_test_waiting(test, 5);
	symphony_test_take(test, 3);
	symphony_test_take(test, 4);
	symphony_test_take(test, 5);
	symphony_test_take(test, 2);
	symphony_test_take(test, 1);
	symphony_test_nothing(test);
	/* whatever change comes next gives up what is empty */
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_QUEUE,
						   TC_SYMPHONY_QUEUE_ORDER,
						   false), 0);
	KUNIT_EXPECT_PTR_EQ(test, q->qdisc, &noop_qdisc);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_QUEUE,
						   TC_SYMPHONY_QUEUE_CHILD,
						   false), 0);
	KUNIT_EXPECT_NULL(test, q->queue);
	symphony_test_put_data(test, 7, 6);
	symphony_test_put_data(test, 6, 7);
	symphony_test_take(test, 6);
	symphony_test_take(test, 7);
	symphony_test_nothing(test);
}

static int symphony_test_graft(struct kunit *test, struct Qdisc *new)
{
	struct symphony_test *t = test->priv;
	struct netlink_ext_ack extack = {};
	struct Qdisc *old = NULL;
	int err;

	err = t->sch->ops->cl_ops->graft(t->sch, 1, new, &old, &extack);
	if (err)
		KUNIT_EXPECT_NOT_NULL(test, extack._msg);
	else
		qdisc_put(old);
	return err;
}

static void symphony_test_no_child(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct Qdisc *child;

	rtnl_lock();
	child = qdisc_create_dflt(netdev_get_tx_queue(t->dev, 0),
				  &pfifo_qdisc_ops, TC_H_MAKE(1, 1), NULL);
	KUNIT_EXPECT_NOT_NULL(test, child);
	KUNIT_EXPECT_EQ(test, symphony_test_graft(test, child), -EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, t->sch->ops->cl_ops->leaf(t->sch, 1));
	qdisc_put(child);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_MODE,
						   TC_SYMPHONY_MODE_PRIO,
						   false), -EINVAL);
}

/* Thresholds follow the room, until somebody sets one. */
static void symphony_test_room(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);

	KUNIT_EXPECT_EQ(test, q->config.limit, 65536);
	KUNIT_EXPECT_EQ(test, q->ramp.min, 8 << 20);
	KUNIT_EXPECT_EQ(test, q->ramp.min + q->ramp.span, 32 << 20);
	symphony_test_change(test, TCA_SYMPHONY_LIMIT_BYTES, 40 << 20, false);
	KUNIT_EXPECT_EQ(test, q->ramp.min, 5 << 20);
	symphony_test_change(test, TCA_SYMPHONY_LIMIT, 32768, false);
	KUNIT_EXPECT_EQ(test, q->ramp.min, 4 << 20);
	KUNIT_EXPECT_TRUE(test, q->congestion);
	/* a small one has none */
	symphony_test_change(test, TCA_SYMPHONY_LIMIT, 32767, false);
	KUNIT_EXPECT_FALSE(test, q->congestion);
	symphony_test_change(test, TCA_SYMPHONY_ECN_MAX, 77, false);
	KUNIT_EXPECT_TRUE(test, q->congestion);
	KUNIT_EXPECT_EQ(test, q->ramp.min, 0);
	KUNIT_EXPECT_EQ(test, q->ramp.span, 77);
	symphony_test_change(test, TCA_SYMPHONY_LIMIT, 3, false);
	KUNIT_EXPECT_EQ(test, q->ramp.span, 77);
	symphony_test_change(test, TCA_SYMPHONY_ECN_MAX, 0, false);
	KUNIT_EXPECT_FALSE(test, q->congestion);
}

/* The default of hold is as long as packets take, and no shorter than 8 us. */
static void symphony_test_hold_of_link(struct kunit *test)
{
	static const u32 links[][2] = {
		{ 0, 8000 }, { SPEED_UNKNOWN, 8000 }, { SPEED_400000, 8000 },
		{ SPEED_10000, 8000 }, { SPEED_2500, 32000 },
		{ SPEED_1000, 80000 }, { SPEED_10, 8000000 },
	};
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	size_t i;

	/* as if the suite had not turned it off */
	q->config.hold_given = false;
	for (i = 0; i < ARRAY_SIZE(links); i++) {
		t->speed = links[i][0];
		symphony_test_change(test, TCA_SYMPHONY_LIMIT, 65536, false);
		KUNIT_EXPECT_EQ(test, q->config.hold, links[i][1]);
	}
	symphony_test_change(test, TCA_SYMPHONY_HOLD, 5000, true);
	symphony_test_change(test, TCA_SYMPHONY_LIMIT, 65536, false);
	KUNIT_EXPECT_EQ(test, q->config.hold, 5000);
}

/* Thresholds in time follow the rate at which a backlog is served. */
static void symphony_test_rate(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	u64 start = 5 * NSEC_PER_SEC;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test,
						   TCA_SYMPHONY_ECN_MAX_TIME,
						   NSEC_PER_MSEC, true), 0);
	KUNIT_EXPECT_TRUE(test, q->measuring);
	KUNIT_EXPECT_FALSE(test, q->congestion);
	local_bh_disable();
	/* as if the clock had been read at these times */
	q->clock_jiffies = jiffies;
	q->clock = start;
	q->clock_left = 1;
	symphony_measure(q, 1000, true);
	KUNIT_EXPECT_EQ(test, q->rate, 0);
	q->clock_jiffies = jiffies;
	q->clock = start + 2 * NSEC_PER_MSEC;
	q->clock_left = 1;
	symphony_measure(q, 2000000, true);
	KUNIT_EXPECT_EQ(test, q->rate, 1000000000);
	KUNIT_EXPECT_TRUE(test, q->congestion);
	KUNIT_EXPECT_EQ(test, q->ramp.span, 1000000);
	/* a quarter of the way to twice the rate */
	q->clock_jiffies = jiffies;
	q->clock = start + 3 * NSEC_PER_MSEC;
	q->clock_left = 1;
	symphony_measure(q, 2000000, true);
	KUNIT_EXPECT_EQ(test, q->rate, 1250000000);
	/* the time of an empty queue does not count */
	q->clock_jiffies = jiffies;
	q->clock_left = 1;
	symphony_measure(q, 1000, false);
	q->clock_jiffies = jiffies;
	q->clock = start + NSEC_PER_SEC;
	q->clock_left = 1;
	symphony_measure(q, 1000, true);
	KUNIT_EXPECT_EQ(test, q->rate, 1250000000);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_ECN_RATE,
						   8000, true), 0);
	KUNIT_EXPECT_FALSE(test, q->measuring);
	KUNIT_EXPECT_EQ(test, q->ramp.span, 8);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_ECN_MIN,
						   1, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_ECN_MAX,
						   99, false), 0);
	KUNIT_EXPECT_EQ(test, q->ramp.span, 99);
}

static void symphony_test_memory(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);

	KUNIT_EXPECT_LT(test, symphony_queue_memory(q->queue), SZ_1M);
}

static struct kunit_case symphony_order_cases[] = {
	KUNIT_CASE(symphony_test_linear),
	KUNIT_CASE(symphony_test_lagging),
	KUNIT_CASE(symphony_test_paged),
	KUNIT_CASE(symphony_test_cloned),
	KUNIT_CASE(symphony_test_shared),
	KUNIT_CASE(symphony_test_no_room),
	KUNIT_CASE(symphony_test_tagged),
	KUNIT_CASE(symphony_test_gso),
#ifdef CONFIG_NET_CLS_ACT
	KUNIT_CASE(symphony_test_filters),
#endif
	KUNIT_CASE(symphony_test_steps),
	KUNIT_CASE(symphony_test_cb),
	KUNIT_CASE(symphony_test_weigh),
	KUNIT_CASE(symphony_test_peek),
	KUNIT_CASE(symphony_test_reset),
	KUNIT_CASE(symphony_test_overload),
	KUNIT_CASE(symphony_test_overload_gap),
	KUNIT_CASE(symphony_test_overload_ends),
	KUNIT_CASE(symphony_test_overload_repeats),
	KUNIT_CASE(symphony_test_overload_jobs),
	KUNIT_CASE(symphony_test_domain_count),
	KUNIT_CASE(symphony_test_trim),
	KUNIT_CASE(symphony_test_switch),
	KUNIT_CASE(symphony_test_no_child),
	KUNIT_CASE(symphony_test_room),
	KUNIT_CASE(symphony_test_hold_of_link),
	KUNIT_CASE(symphony_test_rate),
	KUNIT_CASE(symphony_test_memory),
	{}
};

static struct kunit_suite symphony_order_suite = {
	.name = "symphony_order",
	.init = symphony_test_order_init,
	.exit = symphony_test_exit,
	.test_cases = symphony_order_cases,
};

/* Configuration */

static struct symphony_config *symphony_test_config(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);

	return &q->config;
}

static void symphony_test_defaults(struct kunit *test)
{
	const struct symphony_config *cfg = symphony_test_config(test);

	KUNIT_EXPECT_EQ(test, cfg->params.k, TC_SYMPHONY_ONE / 100);
	KUNIT_EXPECT_EQ(test, cfg->params.tau, TC_SYMPHONY_ONE / 4);
	KUNIT_EXPECT_EQ(test, cfg->params.window, 100000);
	KUNIT_EXPECT_EQ(test, cfg->params.warmup, 8);
	KUNIT_EXPECT_EQ(test, cfg->params.samples, 8);
	KUNIT_EXPECT_EQ(test, cfg->jobs_max, 16384);
	KUNIT_EXPECT_EQ(test, cfg->mode, TC_SYMPHONY_MODE_MARK);
	KUNIT_EXPECT_EQ(test, cfg->ecn_max, 0);
	KUNIT_EXPECT_EQ(test, cfg->shield, 1);
}

/* A refused change leaves every byte of the configuration as it was. */
static void symphony_test_bounds(struct kunit *test)
{
	static const struct {
		int type;
		bool wide;
		int err;
		u64 value;
	} cases[] = {
		{ TCA_SYMPHONY_LIMIT, false, -ERANGE, 0 },
		{ TCA_SYMPHONY_LIMIT, false, 0, 1 },
		{ TCA_SYMPHONY_LIMIT, false, 0, TC_SYMPHONY_LIMIT_MAX },
		{ TCA_SYMPHONY_LIMIT, false, -ERANGE,
		  TC_SYMPHONY_LIMIT_MAX + 1 },
		{ TCA_SYMPHONY_K, false, 0, 0 },
		{ TCA_SYMPHONY_K, false, 0, TC_SYMPHONY_ONE },
		{ TCA_SYMPHONY_K, false, -ERANGE, TC_SYMPHONY_ONE + 1 },
		{ TCA_SYMPHONY_TAU, false, -ERANGE, TC_SYMPHONY_ONE + 1 },
		{ TCA_SYMPHONY_WINDOW, true, -ERANGE,
		  TC_SYMPHONY_WINDOW_MIN - 1 },
		{ TCA_SYMPHONY_WINDOW, true, 0, TC_SYMPHONY_WINDOW_MIN },
		{ TCA_SYMPHONY_WINDOW, true, -ERANGE,
		  TC_SYMPHONY_WINDOW_MAX + 1 },
		{ TCA_SYMPHONY_WINDOW, false, -EINVAL, TC_SYMPHONY_WINDOW_MIN },
		{ TCA_SYMPHONY_ALPHA_MAX, false, -ERANGE, 0 },
		{ TCA_SYMPHONY_ALPHA_MAX, false, 0, 1 },
		{ TCA_SYMPHONY_ALPHA_MAX, false, -ERANGE, 65536 },
		{ TCA_SYMPHONY_PROTO, false, 0, TC_SYMPHONY_PROTO_UET },
		{ TCA_SYMPHONY_STEP, false, -EINVAL, TC_SYMPHONY_STEP_SPORT },
		{ TCA_SYMPHONY_STEP, false, 0, TC_SYMPHONY_STEP_MSGID },
		{ TCA_SYMPHONY_PROTO, false, -ERANGE, __TC_SYMPHONY_PROTO_MAX },
		{ TCA_SYMPHONY_JOB, false, -EINVAL, TC_SYMPHONY_JOB_FIXED },
		{ TCA_SYMPHONY_JOB_ID, false, -EINVAL, 1 },
		{ TCA_SYMPHONY_JOBS, false, -ERANGE, 0 },
		{ TCA_SYMPHONY_JOBS, false, 0, 1 },
		{ TCA_SYMPHONY_JOBS, false, 0, TC_SYMPHONY_JOBS_MAX },
		{ TCA_SYMPHONY_JOBS, false, -ERANGE, TC_SYMPHONY_JOBS_MAX + 1 },
		{ TCA_SYMPHONY_FLOWS, false, -ERANGE, 3 },
		{ TCA_SYMPHONY_FLOWS, false, 0, 4 },
		{ TCA_SYMPHONY_IDLE, true, -ERANGE, 0 },
		{ TCA_SYMPHONY_IDLE, true, 0, TC_SYMPHONY_IDLE_MAX },
		{ TCA_SYMPHONY_ECN_MIN, false, -EINVAL, 1 },
		{ TCA_SYMPHONY_SHIELD, false, -EINVAL, 2 },
		{ TCA_SYMPHONY_ECN_MAX, false, 0, TC_SYMPHONY_ECN_BYTES_MAX },
		{ TCA_SYMPHONY_SHIELD, false, 0, TC_SYMPHONY_SHIELD_MAX },
		{ TCA_SYMPHONY_SHIELD, false, -ERANGE, 65 },
		{ TCA_SYMPHONY_ECN_MIN, false, 0, 1 },
		{ TCA_SYMPHONY_ECN_MAX, false, 0, 0 },
		{ TCA_SYMPHONY_QUEUE, false, 0, TC_SYMPHONY_QUEUE_ORDER },
		{ TCA_SYMPHONY_QUEUE, false, -ERANGE, __TC_SYMPHONY_QUEUE_MAX },
		{ TCA_SYMPHONY_PATIENCE, true, -ERANGE,
		  TC_SYMPHONY_PATIENCE_MIN - 1 },
		{ TCA_SYMPHONY_PATIENCE, true, 0, TC_SYMPHONY_PATIENCE_MIN },
		{ TCA_SYMPHONY_PATIENCE, true, 0, TC_SYMPHONY_PATIENCE_MAX },
		{ TCA_SYMPHONY_HOLD, true, 0, 0 },
		{ TCA_SYMPHONY_HOLD, true, 0, TC_SYMPHONY_HOLD_MAX },
		{ TCA_SYMPHONY_HOLD, true, -ERANGE, TC_SYMPHONY_HOLD_MAX + 1 },
		{ TCA_SYMPHONY_LIMIT_BYTES, false, -ERANGE, 0 },
		{ TCA_SYMPHONY_LIMIT_BYTES, false, 0,
		  TC_SYMPHONY_LIMIT_BYTES_MAX },
		{ TCA_SYMPHONY_MAX + 1, false, -EINVAL, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symphony_config before = *symphony_test_config(test);
		int err;

		err = symphony_test_change(test, cases[i].type, cases[i].value,
					   cases[i].wide);
		KUNIT_EXPECT_EQ_MSG(test, err, cases[i].err, "case %d", i);
		if (err)
			KUNIT_EXPECT_EQ_MSG(test, 0,
					    memcmp(&before,
						   symphony_test_config(test),
						   sizeof(before)),
					    "case %d", i);
	}
}

/* Jobs in use survive a change of the tables and bound how small they get. */
static void symphony_test_resize(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct symphony_left left = {};
	u32 job;

	for (job = 1; job <= 10; job++)
		symphony_test_job(symphony_table_of(q), job, ktime_get_ns(), &left)
			->step_min = job;
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_JOBS, 9,
						   false), -ENOSPC);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_JOBS, 10,
						   false), 0);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_DOMAIN,
						   99, false), 0);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_FLOWS,
						   128, false), 0);
	KUNIT_EXPECT_EQ(test, symphony_table_of(q)->domain, 99);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_DOMAIN,
						   0, false), 0);
	KUNIT_EXPECT_EQ(test, symphony_table_of(q)->nr_jobs, 10);
	for (job = 1; job <= 10; job++) {
		struct symphony_state *st = symphony_job_find(symphony_table_of(q), job);

		KUNIT_ASSERT_NOT_NULL(test, st);
		KUNIT_EXPECT_EQ(test, st->step_min, job);
	}
	rtnl_lock();
	KUNIT_EXPECT_NULL(test, symphony_domain_find(&init_net, 99));
	rtnl_unlock();
}

/* Whoever joins a domain that was resized finds the table that is in use. */
static void symphony_test_resized_domain(struct kunit *test)
{
	static const struct {
		int type;
		u32 value;
	} changes[] = {
		{ TCA_SYMPHONY_FLOWS, 128 },
		{ TCA_SYMPHONY_JOBS, 77 },
		{ TCA_SYMPHONY_PSN, TC_SYMPHONY_PSN_ABSOLUTE },
	};
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch), *other;
	struct Qdisc *first = t->sch;
	int i;

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_DOMAIN,
						   99, false), 0);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		KUNIT_EXPECT_EQ(test, symphony_test_change(test, changes[i].type,
							   changes[i].value,
							   false), 0);
		rtnl_lock();
		KUNIT_EXPECT_PTR_EQ(test, symphony_domain_find(&init_net, 99),
				    symphony_table_of(q));
		rtnl_unlock();
	}
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_PSN,
						   TC_SYMPHONY_PSN_RELATIVE,
						   false), 0);

	rtnl_lock();
	t->sch = qdisc_create_dflt(netdev_get_tx_queue(t->dev, 0),
				   &symphony_qdisc_ops, TC_H_MAKE(1U << 16, 2),
				   NULL);
	rtnl_unlock();
	KUNIT_EXPECT_NOT_NULL(test, t->sch);
	if (t->sch) {
		other = qdisc_priv(t->sch);
		KUNIT_EXPECT_EQ(test, symphony_test_change(test,
							   TCA_SYMPHONY_DOMAIN,
							   99, false), 0);
		KUNIT_EXPECT_PTR_EQ(test, symphony_table_of(other), symphony_table_of(q));
		KUNIT_EXPECT_EQ(test, other->config.jobs_max, 77);
		rtnl_lock();
		qdisc_put(t->sch);
		rtnl_unlock();
	}
	t->sch = first;
}

/* A job that is silent for less than its window was long is not idle. */
static void symphony_test_shorter_window(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	u64 now = ktime_get_ns();
	struct symphony_left left = {};

	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_IDLE,
						   NSEC_PER_MSEC, true), 0);
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_WINDOW,
						   TC_SYMPHONY_WINDOW_MAX,
						   true), 0);
	symphony_test_job(symphony_table_of(q), 5, now, &left)
		->window_start = now - NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_WINDOW,
						   TC_SYMPHONY_WINDOW_MIN,
						   true), 0);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_JOBS, 10,
						   false), 0);
	KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_JOBS, 9,
						   false), 0);
	KUNIT_EXPECT_NOT_NULL(test, symphony_job_find(symphony_table_of(q), 5));
}

/* The first toss after a change of the seed. */
static u32 symphony_test_first_coin(struct kunit *test, struct Qdisc *sch,
				    u64 seed)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_test *t = test->priv;
	struct Qdisc *before = t->sch;
	struct rnd_state rnd;

	t->sch = sch;
	KUNIT_ASSERT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_SEED, seed,
						   true), 0);
	t->sch = before;
	rnd = q->rnd;
	return prandom_u32_state(&rnd);
}

/* Small seeds are what people take: of 1000, each bit is set in about half. */
static void symphony_test_small_seeds(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	u32 ones[32] = {}, small = 0;
	u64 seed;
	int i;

	for (seed = 0; seed < 1000; seed++) {
		u32 coin = symphony_test_first_coin(test, t->sch, seed);

		for (i = 0; i < 32; i++)
			ones[i] += coin >> i & 1;
		small += coin < U32_MAX / 100;
	}
	for (i = 0; i < 32; i++) {
		KUNIT_EXPECT_GT_MSG(test, ones[i], 420, "bit %d", i);
		KUNIT_EXPECT_LT_MSG(test, ones[i], 580, "bit %d", i);
	}
	KUNIT_EXPECT_LT(test, small, 30);
}

/* One seed repeats one sequence on one port, and makes another on the next. */
static void symphony_test_seed_places(struct kunit *test)
{
	struct symphony_test *t = test->priv;
	struct symphony_sched_data *q = qdisc_priv(t->sch);
	struct rnd_state rnd;
	struct Qdisc *below;
	u64 seed;

	rtnl_lock();
	below = qdisc_create_dflt(netdev_get_tx_queue(t->dev, 0),
				  &symphony_qdisc_ops, TC_H_MAKE(1U << 16, 2),
				  NULL);
	rtnl_unlock();
	KUNIT_ASSERT_NOT_NULL(test, below);
	for (seed = 0; seed < 16; seed++) {
		u32 coin = symphony_test_first_coin(test, t->sch, seed);

		KUNIT_EXPECT_NE(test, symphony_test_first_coin(test, below, seed),
				coin);
		KUNIT_EXPECT_EQ(test, symphony_test_first_coin(test, t->sch, seed),
				coin);
		t->dev->name[0] ^= 1;
		KUNIT_EXPECT_NE(test, symphony_test_first_coin(test, t->sch, seed),
				coin);
		t->dev->name[0] ^= 1;
		/* other changes go on with the sequence */
		rnd = q->rnd;
		KUNIT_EXPECT_EQ(test, symphony_test_change(test, TCA_SYMPHONY_K,
							   seed, false), 0);
		KUNIT_EXPECT_EQ(test, memcmp(&rnd, &q->rnd, sizeof(rnd)), 0);
	}
	rtnl_lock();
	qdisc_put(below);
	rtnl_unlock();
}

static struct kunit_case symphony_config_cases[] = {
	KUNIT_CASE(symphony_test_defaults),
	KUNIT_CASE(symphony_test_bounds),
	KUNIT_CASE(symphony_test_resize),
	KUNIT_CASE(symphony_test_resized_domain),
	KUNIT_CASE(symphony_test_shorter_window),
	KUNIT_CASE(symphony_test_small_seeds),
	KUNIT_CASE(symphony_test_seed_places),
	{}
};

static struct kunit_suite symphony_config_suite = {
	.name = "symphony_config",
	.init = symphony_test_init,
	.exit = symphony_test_exit,
	.test_cases = symphony_config_cases,
};

kunit_test_suites(&symphony_table_suite, &symphony_path_suite,
		  &symphony_order_suite, &symphony_config_suite);
