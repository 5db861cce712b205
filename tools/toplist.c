// SPDX-License-Identifier: GPL-2.0
/* Rates and history of jobs, from one sample to the next. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "toplist.h"

/* The kernel's clock of packets may be behind, seconds. */
#define MARGIN	0.1

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

/* One that is in this sample; @job is what it was, or zero. */
static void follow(struct top_job *job, const struct job_row *row, double seconds)
{
	const struct job_row *before = job->row.job ? &job->row : NULL;

	job->ahead = share_ahead(row, before);
	if (before) {
		job->marks = rate(row_marks(row), row_marks(before), seconds);
		job->bytes = rate(row->stats[SYMPHONY_STATS_ATTR_BYTES],
				  before->stats[SYMPHONY_STATS_ATTR_BYTES], seconds);
		memmove(job->history, job->history + 1, (HISTORY - 1) * sizeof(*job->history));
		job->history[HISTORY - 1] = job->marks;
	}
	if (!before || row->stats[SYMPHONY_STATS_ATTR_PACKETS] !=
		       before->stats[SYMPHONY_STATS_ATTR_PACKETS])
		job->spread_known = false;
	job->silent = 0;
	job->row = *row;
}

/* One that has not sent since the sample before. */
static void pass_by(struct top_job *job)
{
	/* all that it shows is 0 */
	if (job->silent == HISTORY)
		return;
	job->silent++;
	job->marks = 0;
	job->bytes = 0;
	job->ahead = 0;
	memmove(job->history, job->history + 1, (HISTORY - 1) * sizeof(*job->history));
	job->history[HISTORY - 1] = 0;
}

static bool is_misaligned(const struct job_row *row)
{
	return row->state[SYMPHONY_STATE_ATTR_ALPHA] > 1;
}

/* All jobs were read. Both lists are sorted: one walk. */
static int take_all(struct toplist *top, double seconds)
{
	struct top_job *jobs = calloc(top->list.nr + 1, sizeof(*jobs));
	size_t i, b = 0, misaligned = 0;

	if (!jobs)
		return -ENOMEM;
	for (i = 0; i < top->list.nr; i++) {
		const struct job_row *row = &top->list.row[i];

		while (b < top->nr && joblist_compare(&top->job[b].row, row) < 0)
			b++;
		if (b < top->nr && !joblist_compare(&top->job[b].row, row))
			jobs[i] = top->job[b];
		follow(&jobs[i], row, seconds);
		misaligned += is_misaligned(row);
	}
	free(top->job);
	top->misaligned = misaligned;
	top->job = jobs;
	top->nr = top->list.nr;
	return 0;
}

/* Whether all that have sent were known. */
static bool all_known(const struct toplist *top)
{
	size_t i, b = 0;

	for (i = 0; i < top->list.nr; i++) {
		while (b < top->nr &&
		       joblist_compare(&top->job[b].row, &top->list.row[i]) < 0)
			b++;
		if (b == top->nr || joblist_compare(&top->job[b].row, &top->list.row[i]))
			return false;
	}
	return true;
}

/* Those that have sent were read, and all of them are known. */
static void take_active(struct toplist *top, double seconds)
{
	size_t i = 0, b;

	for (b = 0; b < top->nr; b++) {
		struct top_job *job = &top->job[b];

		if (i == top->list.nr || joblist_compare(&job->row, &top->list.row[i])) {
			pass_by(job);
			continue;
		}
		top->misaligned -= is_misaligned(&job->row);
		top->misaligned += is_misaligned(&top->list.row[i]);
		follow(job, &top->list.row[i++], seconds);
	}
}

/* Another number if a qdisc came or went or a job left a table. */
static int count_in(const struct symphony_qdisc *qdisc, void *arg)
{
	const __u64 number[] = {
		qdisc->ifindex, qdisc->handle, qdisc->parent,
		symphony_get(&qdisc->options, TCA_SYMPHONY_DOMAIN),
		symphony_get(&qdisc->stats, TCA_SYMPHONY_STATS_JOBS_EXPIRED),
		symphony_get(&qdisc->stats, TCA_SYMPHONY_STATS_JOBS_REPLACED),
	};
	__u64 hash = 0xcbf29ce484222325, *census = arg;
	size_t i;

	for (i = 0; i < sizeof(number) / sizeof(*number); i++)
		hash = (hash ^ number[i]) * 0x100000001b3;
	*census += hash;
	return 0;
}

/* The jobs that may have sent since the last sample, if no other has changed. */
static bool read_active(struct context *ctx, const struct symphony_place *place,
			struct toplist *top, __u64 census, double seconds)
{
	__u64 active = (seconds + MARGIN) * 1e9;

	return census && census == top->census &&
	       !joblist_read(ctx->sym, place, active, &top->list) && all_known(top);
}

int toplist_sample(struct context *ctx, const struct symphony_place *place, struct toplist *top)
{
	double time = now(), seconds = time - top->time;
	__u64 census = 0;
	int err;

	if (symphony_qdiscs(ctx->sym, 0, count_in, &census))
		census = 0;
	if (read_active(ctx, place, top, census, seconds)) {
		take_active(top, seconds);
	} else {
		err = joblist_read(ctx->sym, place, 0, &top->list);
		err = err ?: take_all(top, seconds);
		if (err)
			return err;
		top->census = census;
	}
	top->time = time;
	return 0;
}

void toplist_free(struct toplist *top)
{
	joblist_free(&top->list);
	free(top->job);
	memset(top, 0, sizeof(*top));
}

static bool passes(const struct top_job *job, const char *filter, bool misaligned)
{
	char table[TEXT_MAX], number[TEXT_MAX];

	if (misaligned && !is_misaligned(&job->row))
		return false;
	if (!*filter)
		return true;
	snprintf(number, sizeof(number), "%u", job->row.job);
	return strstr(number, filter) || strstr(place_text(&job->row.place, table), filter);
}

static double key_of(const struct top_job *job, enum top_order order)
{
	switch (order) {
	case BY_BYTES:
		return job->bytes;
	case BY_ALPHA:
		return job->row.state[SYMPHONY_STATE_ATTR_ALPHA];
	case BY_AHEAD:
		return job->ahead;
	case BY_STEP:
		return job->row.state[SYMPHONY_STATE_ATTR_STEP_MIN];
	default:
		return job->marks;
	}
}

/* Others are equal in this order, and stand by table and number. */
static bool goes_first(const struct top_job *job, enum top_order order)
{
	return order != BY_JOB && key_of(job, order) > (order == BY_ALPHA ? 1 : 0);
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct top_job *x = *(struct top_job **)a, *y = *(struct top_job **)b;
	enum top_order order = *(enum top_order *)arg;

	if (key_of(x, order) != key_of(y, order))
		return key_of(x, order) > key_of(y, order) ? -1 : 1;
	return x < y ? -1 : x > y;
}

size_t toplist_select(const struct toplist *top, const char *filter, bool misaligned,
		      enum top_order order, bool reverse, struct top_job **selected)
{
	struct top_job *other;
	size_t i, nr, sorted = 0;

	for (i = 0; i < top->nr; i++) {
		if (passes(&top->job[i], filter, misaligned) && goes_first(&top->job[i], order))
			selected[sorted++] = &top->job[i];
	}
	if (sorted)
		qsort_r(selected, sorted, sizeof(*selected), compare, &order);
	/* the rest, which may be nearly all, is in order as it is */
	for (i = 0, nr = sorted; i < top->nr; i++) {
		if (passes(&top->job[i], filter, misaligned) && !goes_first(&top->job[i], order))
			selected[nr++] = &top->job[i];
	}
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
	__u32 smallest = job->row.state[SYMPHONY_STATE_ATTR_STEP_MIN];
	__u32 step = symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_STEP);
	__u32 width = (step | smallest) >> 14 ? 1U << 16 : 1U << 14;
	int ahead = (step - smallest) & (width - 1);

	if (ahead < (int)width / 2 && ahead > job->spread)
		job->spread = ahead;
	return 0;
}

void toplist_spread(struct context *ctx, struct top_job *job)
{
	if (job->spread_known)
		return;
	job->spread = -1;
	job->spread_known = true;
	symphony_flows(ctx->sym, &job->row.place, job->row.job, on_flow, job);
}
