// SPDX-License-Identifier: GPL-2.0
/* Rates and history of jobs, from one sample to the next. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "toplist.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static double rate(__u64 after, __u64 before, double seconds)
{
	/* one that was reset begins at 0 */
	return seconds > 0 && after >= before ? (after - before) / seconds : 0;
}

static double share_ahead(const struct job_row *row, const struct job_row *before)
{
	__u64 packets = row->stats[SYMPHONY_STATS_ATTR_PACKETS];
	__u64 ahead = row->stats[SYMPHONY_STATS_ATTR_OUTPACING];

	if (before && packets >= before->stats[SYMPHONY_STATS_ATTR_PACKETS] &&
	    ahead >= before->stats[SYMPHONY_STATS_ATTR_OUTPACING]) {
		packets -= before->stats[SYMPHONY_STATS_ATTR_PACKETS];
		ahead -= before->stats[SYMPHONY_STATS_ATTR_OUTPACING];
	}
	return packets ? (double)ahead / packets : 0;
}

static void follow(struct top_job *job, const struct top_job *was, double seconds)
{
	const struct job_row *row = job->row, *before = was ? was->row : NULL;

	job->spread = -1;
	job->marks = 0;
	job->bytes = 0;
	job->ahead = share_ahead(row, before);
	memset(job->history, 0, sizeof(job->history));
	if (!before)
		return;
	job->marks = rate(row_marks(row), row_marks(before), seconds);
	job->bytes = rate(row->stats[SYMPHONY_STATS_ATTR_BYTES],
			  before->stats[SYMPHONY_STATS_ATTR_BYTES], seconds);
	memcpy(job->history, was->history + 1, (HISTORY - 1) * sizeof(*job->history));
	job->history[HISTORY - 1] = job->marks;
}

/* Both lists are sorted: one walk. */
static void follow_all(struct toplist *top, double seconds)
{
	size_t i, b = 0;

	top->misaligned = 0;
	for (i = 0; i < top->list.nr; i++) {
		const struct top_job *was = NULL;

		top->job[i].row = &top->list.row[i];
		while (b < top->before.nr &&
		       joblist_compare(&top->before.row[b], &top->list.row[i]) < 0)
			b++;
		if (b < top->before.nr &&
		    !joblist_compare(&top->before.row[b], &top->list.row[i]))
			was = &top->was[b];
		follow(&top->job[i], was, seconds);
		top->misaligned += top->list.row[i].state[SYMPHONY_STATE_ATTR_ALPHA] > 1;
	}
}

int toplist_sample(struct context *ctx, const struct symphony_place *place, struct toplist *top)
{
	struct joblist list = top->before;
	double seconds = now() - top->time;
	struct top_job *jobs = top->was;
	int err;

	top->before = top->list;
	top->was = top->job;
	top->list = list;
	top->job = jobs;
	err = joblist_read(ctx->sym, place, &top->list);
	if (err)
		return err;
	jobs = reallocarray(top->job, top->list.nr + 1, sizeof(*jobs));
	if (!jobs)
		return -ENOMEM;
	top->job = jobs;
	top->time += seconds;
	follow_all(top, seconds);
	return 0;
}

void toplist_free(struct toplist *top)
{
	joblist_free(&top->list);
	joblist_free(&top->before);
	free(top->job);
	free(top->was);
	memset(top, 0, sizeof(*top));
}

static bool passes(const struct top_job *job, const char *filter, bool misaligned)
{
	char table[TEXT_MAX], number[TEXT_MAX];

	if (misaligned && job->row->state[SYMPHONY_STATE_ATTR_ALPHA] <= 1)
		return false;
	if (!*filter)
		return true;
	snprintf(number, sizeof(number), "%u", job->row->job);
	return strstr(number, filter) || strstr(place_text(&job->row->place, table), filter);
}

static double key_of(const struct top_job *job, enum top_order order)
{
	switch (order) {
	case BY_BYTES:
		return job->bytes;
	case BY_ALPHA:
		return job->row->state[SYMPHONY_STATE_ATTR_ALPHA];
	case BY_AHEAD:
		return job->ahead;
	case BY_STEP:
		return job->row->state[SYMPHONY_STATE_ATTR_STEP_MIN];
	default:
		return job->marks;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct top_job *x = *(struct top_job **)a, *y = *(struct top_job **)b;
	enum top_order order = *(enum top_order *)arg;

	if (order != BY_JOB && key_of(x, order) != key_of(y, order))
		return key_of(x, order) > key_of(y, order) ? -1 : 1;
	return joblist_compare(x->row, y->row);
}

size_t toplist_select(const struct toplist *top, const char *filter, bool misaligned,
		      enum top_order order, bool reverse, struct top_job **selected)
{
	struct top_job *other;
	size_t i, nr = 0;

	for (i = 0; i < top->list.nr; i++) {
		if (passes(&top->job[i], filter, misaligned))
			selected[nr++] = &top->job[i];
	}
	if (nr)
		qsort_r(selected, nr, sizeof(*selected), compare, &order);
	for (i = 0; reverse && i < nr / 2; i++) {
		other = selected[i];
		selected[i] = selected[nr - 1 - i];
		selected[nr - 1 - i] = other;
	}
	return nr;
}

/* Steps are 14 bits wide in source ports, else 16. */
static int on_flow(const struct symphony_flow *flow, void *arg)
{
	struct top_job *job = arg;
	__u32 smallest = job->row->state[SYMPHONY_STATE_ATTR_STEP_MIN];
	__u32 step = symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_STEP);
	__u32 width = (step | smallest) >> 14 ? 1U << 16 : 1U << 14;
	int ahead = (step - smallest) & (width - 1);

	if (ahead < (int)width / 2 && ahead > job->spread)
		job->spread = ahead;
	return 0;
}

void toplist_spread(struct context *ctx, struct top_job *job)
{
	job->spread = -1;
	symphony_flows(ctx->sym, &job->row->place, job->row->job, on_flow, job);
}
