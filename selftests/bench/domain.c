// SPDX-License-Identifier: GPL-2.0
/*
 * Two processors and one table: what a lock a table costs beside those of the
 * module, one for some jobs and one for some sets of anchors, natively. The
 * module's own algorithm and anchors, with jobs and flows found as it does.
 *
 * usage: domain [ROUNDS]
 *
 * Prints for each scheme and number of jobs the time of a packet on one thread
 * alone and on each of two, medians; of two threads only those rounds count in
 * which both ran nearly all the time. Fails if an update is lost.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symphony_algo.h"
#include "symphony_flow.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define JOBS		16384
#define SETS		16384
#define LOCKS		256
#define PACKETS		500	/* a round: short enough to be left alone */
#define OTHER_WORK	150	/* steps of arithmetic between two packets */

enum scheme {
	PRIVATE,	/* a table for each thread */
	TABLE,		/* one lock */
	HASHED,		/* a lock for some jobs, another for some sets: the module's */
};

static const char * const names[] = {
	"a table each", "a lock a table", "a lock a job",
};

struct lock {
	atomic_int held;
};

/* As in the module; no two of them in one cache line. */
struct locks {
	struct lock jobs;
	struct lock flows;
	char pad[56];
};

struct table {
	struct symphony_state jobs[JOBS];
	struct symphony_flow flows[SETS][SYMPHONY_FLOW_WAYS];
};

static const struct symphony_params params = {
	.k = 10000000, .tau = 250000000, .warmup = 8, .samples = 8,
	.alpha_max = 65535, .step_bits = 14, .window = 100000,
};

static struct table *tables[2];
static struct locks *locks;
static atomic_int at_start;

struct round {
	u64 start;
	u64 end;
};

struct worker {
	pthread_t thread;
	enum scheme scheme;
	struct table *table;
	unsigned int number;
	unsigned int workers;
	unsigned int jobs;
	unsigned int rounds;
	struct round *times;
	unsigned long sink;
};

static void take(struct lock *lock)
{
	unsigned int spins = 0;

	while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
		while (atomic_load_explicit(&lock->held, memory_order_relaxed)) {
			__builtin_ia32_pause();
			/* the owner has lost its processor */
			if (!(++spins % 1024))
				sched_yield();
		}
}

static void give(struct lock *lock)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void one_packet(struct worker *w, unsigned int n, u64 now)
{
	unsigned int job = n % w->jobs;
	struct symphony_pkt pkt = {
		.job = job,
		.psn = n / w->jobs & 0xffffff,
		.flow = (job * 2ULL + w->number) * 0x9e3779b97f4a7c15ULL,
		.step = n / w->jobs / 512 & 0x3fff,
		.flags = n / w->jobs % 512 ? 0 : SYMPHONY_PKT_FIRST,
	};
	unsigned int set = pkt.flow >> 40 & (SETS - 1);
	struct lock *set_lock = &locks[set % LOCKS].flows;
	struct lock *job_lock = &locks[w->scheme == TABLE ? 0 : job % LOCKS].jobs;
	struct symphony_state *st = &w->table->jobs[job];
	struct symphony_flow *flow;
	bool replaced = false;
	u32 position;

	if (w->scheme != PRIVATE)
		take(job_lock);
	if (w->scheme == HASHED)
		take(set_lock);
	flow = symphony_flow_find(w->table->flows[set],
				  pkt.flow >> 16 & 0xffffff,
				  symphony_flow_now(now), &replaced);
	if (flow->stamp != symphony_flow_now(now))
		symphony_flow_touch(flow, symphony_flow_now(now),
				    symphony_flow_silence(60000000000ULL));
	position = symphony_flow_place(flow, &pkt, 0, params.step_bits, false,
				       false).position;
	if (w->scheme == HASHED)
		give(set_lock);
	w->sink += symphony_update(st, &params, pkt.step, position, false, 1,
				   now);
	/* the owner's field: counts what no window resets */
	st->job++;
	if (w->scheme != PRIVATE)
		give(job_lock);
}

/* The rest of what a processor does for a packet, about as long. */
static void other_work(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < OTHER_WORK; i++)
		w->sink = w->sink * 6364136223846793005UL + 1;
}

static void wait_for_all(const struct worker *w)
{
	int round = atomic_fetch_add(&at_start, 1) / w->workers + 1;

	while (atomic_load(&at_start) < round * (int)w->workers)
		sched_yield();
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int round, n = 0, i;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(w->number, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	for (round = 0; round < w->rounds; round++) {
		struct round *time = &w->times[round];

		wait_for_all(w);
		time->start = now_ns();
		for (i = 0; i < PACKETS; i++) {
			one_packet(w, n++, time->start);
			other_work(w);
		}
		time->end = now_ns();
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static unsigned long count_jobs(const struct table *table)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < JOBS; i++)
		sum += table->jobs[i].job;
	return sum;
}

/* Whether two threads ran at the same time for nine tenths of the longer. */
static bool side_by_side(const struct round *a, const struct round *b)
{
	u64 first = a->start < b->start ? a->start : b->start;
	u64 last = a->end > b->end ? a->end : b->end;
	u64 from = a->start > b->start ? a->start : b->start;
	u64 to = a->end < b->end ? a->end : b->end;

	return to > from && (to - from) * 10 >= (last - first) * 9;
}

/* Median time of a packet, 0 if the threads never ran side by side. */
static double median(const struct worker *w, unsigned int workers,
		     unsigned int rounds, double *ns)
{
	unsigned int i, n = 0;

	for (i = 0; i < rounds; i++) {
		const struct round *time = &w[0].times[i];

		if (workers == 1 || side_by_side(time, &w[1].times[i]))
			ns[n++] = (double)(time->end - time->start) / PACKETS;
	}
	qsort(ns, n, sizeof(*ns), compare);
	return n ? ns[n / 2] : 0;
}

/* Time of a packet, or a negative number if updates were lost. */
static double run(enum scheme scheme, unsigned int workers, unsigned int jobs,
		  unsigned int rounds)
{
	struct worker w[2] = {};
	unsigned long want = (unsigned long)workers * rounds * PACKETS;
	unsigned long have = 0;
	unsigned int i;
	double *ns = calloc(rounds, sizeof(*ns)), result;

	memset(tables[0], 0, sizeof(*tables[0]));
	memset(tables[1], 0, sizeof(*tables[1]));
	atomic_store(&at_start, 0);
	for (i = 0; i < workers; i++) {
		w[i] = (struct worker){
			.scheme = scheme, .number = i, .workers = workers,
			.table = tables[scheme == PRIVATE ? i : 0],
			.jobs = jobs, .rounds = rounds,
			.times = calloc(rounds, sizeof(struct round)),
		};
		if (!ns || !w[i].times || pthread_create(&w[i].thread, NULL, work, &w[i])) {
			perror("domain");
			exit(1);
		}
	}
	for (i = 0; i < workers; i++)
		pthread_join(w[i].thread, NULL);
	for (i = 0; i < 2; i++)
		have += count_jobs(tables[i]);
	result = median(w, workers, rounds, ns);
	for (i = 0; i < workers; i++)
		free(w[i].times);
	free(ns);
	return have == want ? result : -1;
}

int main(int argc, char **argv)
{
	static const unsigned int jobs[] = { 1, 64, 1024, JOBS };
	unsigned int rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	unsigned int i, scheme, workers;
	int lost = 0;

	for (i = 0; i < 2; i++)
		tables[i] = aligned_alloc(64, sizeof(*tables[i]));
	locks = aligned_alloc(64, LOCKS * sizeof(*locks));
	if (!tables[0] || !tables[1] || !locks || !rounds) {
		fprintf(stderr, "domain: no memory or no rounds\n");
		return 1;
	}
	memset(locks, 0, LOCKS * sizeof(*locks));
	printf("%-16s %8s %12s %12s\n", "scheme", "jobs", "one thread",
	       "each of two");
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		for (scheme = PRIVATE; scheme <= HASHED; scheme++) {
			printf("%-16s %8u", names[scheme], jobs[i]);
			for (workers = 1; workers <= 2; workers++) {
				double ns = run(scheme, workers, jobs[i],
						rounds);

				printf(" %9.1f ns", ns);
				lost |= ns < 0;
			}
			printf("\n");
		}
	if (lost)
		fprintf(stderr, "domain: updates were lost\n");
	return lost;
}
