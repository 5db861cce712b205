// SPDX-License-Identifier: GPL-2.0
/*
 * Drive the store as many schedulers do at once, and count.
 *
 *	storedrive race ROUNDS	two schedulers want a number at the same moment, so often
 *	storedrive many JOBS	so many jobs begin at once, then all end at once
 *	storedrive fill JOBS	so many jobs begin one by one
 *
 * Prints "jobs N failed N duplicates N highest N" and, of many, how many were not deleted.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

/**
 * struct drive - what all threads share
 * @config: of the store
 * @barrier: where they wait for each other
 * @rounds: jobs of each thread
 * @end: delete them, too
 * @jobs: the numbers, those of a thread side by side
 * @failed: deletions
 */
struct drive {
	struct store_config config;
	pthread_barrier_t barrier;
	size_t rounds;
	bool end;
	__u32 *jobs;
	size_t failed;
};

struct thread {
	struct drive *drive;
	size_t number;
	pthread_t id;
};

static __u32 add(struct store *store, const struct thread *thread, size_t round)
{
	struct jobspec spec = { 0 };
	char error[CONF_ERROR_SIZE];
	__s64 revision;
	__u32 job;

	jobspec_set(&spec, "cluster", "drive", error);
	snprintf(spec.id, sizeof(spec.id), "%zu.%zu", thread->number, round);
	jobspec_set(&spec, "hosts", "192.0.2.1", error);
	if (store_add(store, &spec, &revision)) {
		fprintf(stderr, "%s: %s\n", spec.id, store_error(store));
		spec.job = 0;
	}
	job = spec.job;
	jobspec_free(&spec);
	return job;
}

static void del(struct store *store, const struct thread *thread, size_t round)
{
	char id[JOBSPEC_NAME_SIZE];
	__u32 job;

	snprintf(id, sizeof(id), "%zu.%zu", thread->number, round);
	if (store_del(store, "drive", id, &job) || !job)
		__atomic_fetch_add(&thread->drive->failed, 1, __ATOMIC_RELAXED);
}

static void *run(void *arg)
{
	struct thread *thread = arg;
	struct drive *drive = thread->drive;
	struct store *store = store_open(&drive->config);
	__u32 *jobs = drive->jobs + thread->number * drive->rounds;
	size_t i;

	for (i = 0; i < drive->rounds; i++) {
		pthread_barrier_wait(&drive->barrier);
		jobs[i] = add(store, thread, i);
	}
	pthread_barrier_wait(&drive->barrier);
	for (i = 0; i < drive->rounds && drive->end; i++)
		del(store, thread, i);
	store_close(store);
	return NULL;
}

static void start(struct drive *drive, size_t nr)
{
	struct thread *threads = calloc(nr, sizeof(*threads));
	size_t i;

	drive->jobs = calloc(nr * drive->rounds, sizeof(*drive->jobs));
	pthread_barrier_init(&drive->barrier, NULL, nr);
	for (i = 0; i < nr; i++) {
		threads[i].drive = drive;
		threads[i].number = i;
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			abort();
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i].id, NULL);
	free(threads);
}

static void report(const struct drive *drive, size_t nr)
{
	bool given[JOBSPEC_JOB_MAX + 1] = { false };
	size_t i, failed = 0, duplicates = 0;
	__u32 job, highest = 0;

	for (i = 0; i < nr; i++) {
		job = drive->jobs[i];
		failed += !job;
		duplicates += job && given[job];
		given[job] = true;
		highest = job > highest ? job : highest;
	}
	printf("jobs %zu failed %zu duplicates %zu highest %u\n", nr, failed, duplicates, highest);
}

int main(int argc, char **argv)
{
	struct drive drive = { .rounds = 1 };
	char error[CONF_ERROR_SIZE];
	size_t count, nr = 1;

	if (argc != 3 || store_config_finish(&drive.config, error))
		return 1;
	count = atoi(argv[2]);
	if (!strcmp(argv[1], "race")) {
		drive.rounds = count;
		nr = 2;
	} else if (!strcmp(argv[1], "fill")) {
		drive.rounds = count;
	} else {
		drive.end = true;
		nr = count;
	}
	start(&drive, nr);
	report(&drive, nr * drive.rounds);
	if (drive.end)
		printf("not deleted %zu\n", drive.failed);
	free(drive.jobs);
	store_config_free(&drive.config);
	return 0;
}
