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
static void follow(struct top_job *job, const struct job_row *row, double time)
{
	const struct job_row *before = job->row.job ? &job->row : NULL;
	double seconds = time - job->time;

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
	job->time = time;
	job->row = *row;
}

/* One that has not sent since the sample before. */
static void pass_by(struct top_job *job, double time)
{
	job->time = time;
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
static int take_all(struct toplist *top, double time)
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
		follow(&jobs[i], row, time);
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

/* One that was known. */
static void take_one(struct toplist *top, struct top_job *job, const struct job_row *row,
		     double time)
{
	top->misaligned -= is_misaligned(&job->row);
	top->misaligned += is_misaligned(row);
	follow(job, row, time);
}

/* Those that have sent were read, and all of them are known. */
static void take_active(struct toplist *top, double time)
{
	size_t i = 0, b;

	for (b = 0; b < top->nr; b++) {
		struct top_job *job = &top->job[b];

		if (i == top->list.nr || joblist_compare(&job->row, &top->list.row[i])) {
			pass_by(job, time);
			continue;
		}
		take_one(top, job, &top->list.row[i++], time);
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
		take_active(top, time);
	} else {
		err = joblist_read(ctx->sym, place, 0, &top->list);
		err = err ?: take_all(top, time);
		if (err)
			return err;
		top->census = census;
	}
	top->time = time;
	return 0;
}

/* Which of the list, NULL of none. */
static struct top_job *find(const struct toplist *top, const struct symphony_place *place,
			    __u32 number)
{
	struct job_row row = { .place = *place, .job = number };
	size_t low = 0, high = top->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = joblist_compare(&row, &top->job[middle].row);

		if (!order)
			return &top->job[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static int compare_numbers(const void *a, const void *b)
{
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return x < y ? -1 : x > y;
}

/*
 * The numbers of jobs, ascending and each once, into @top->numbers. Return: how many. They
 * are of all these, or of those whose spread is to be asked for.
 */
static size_t number_them(struct toplist *top, struct top_job *const *jobs, size_t nr,
			  bool spread)
{
	size_t i, found = 0, kept = 0;
	__u32 *grown;

	if (nr > top->room) {
		grown = reallocarray(top->numbers, nr, sizeof(*grown));
		if (!grown)
			return 0;
		top->numbers = grown;
		top->room = nr;
	}
	for (i = 0; i < nr; i++) {
		if (!spread || !jobs[i]->spread_known)
			top->numbers[found++] = jobs[i]->row.job;
	}
	if (found)
		qsort(top->numbers, found, sizeof(*top->numbers), compare_numbers);
	for (i = 0; i < found; i++) {
		if (!kept || top->numbers[i] != top->numbers[kept - 1])
			top->numbers[kept++] = top->numbers[i];
	}
	return kept;
}

int toplist_refresh(struct context *ctx, const struct symphony_place *place, struct toplist *top,
		    struct top_job *const *jobs, size_t nr)
{
	double time = now();
	size_t i;
	int err;

	nr = number_them(top, jobs, nr, false);
	err = joblist_named(ctx->sym, place, top->numbers, nr, &top->list);
	for (i = 0; !err && i < top->list.nr; i++) {
		const struct job_row *row = &top->list.row[i];
		struct top_job *job = find(top, &row->place, row->job);

		if (job)
			take_one(top, job, row, time);
	}
	return err;
}

void toplist_free(struct toplist *top)
{
	joblist_free(&top->list);
	free(top->numbers);
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
	struct top_job *job = find(arg, &flow->place, flow->job);
	__u32 step = symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_STEP);
	__u32 smallest, width;
	int ahead;

	if (!job)
		return 0;
	smallest = job->row.state[SYMPHONY_STATE_ATTR_STEP_MIN];
	width = (step | smallest) >> 14 ? 1U << 16 : 1U << 14;
	ahead = (step - smallest) & (width - 1);
	if (ahead < (int)width / 2 && ahead > job->spread)
		job->spread = ahead;
	return 0;
}

void toplist_spread(struct context *ctx, const struct symphony_place *place, struct toplist *top,
		    struct top_job *const *jobs, size_t nr)
{
	size_t i, first, part, found = number_them(top, jobs, nr, true);

	for (i = 0; i < nr; i++) {
		if (jobs[i]->spread_known)
			continue;
		jobs[i]->spread = -1;
		jobs[i]->spread_known = true;
	}
	for (first = 0; first < found; first += part) {
		part = found - first;
		if (part > SYMPHONY_GENL_JOBS_MAX)
			part = SYMPHONY_GENL_JOBS_MAX;
		symphony_flows_listed(ctx->sym, place, top->numbers + first, part, on_flow, top);
	}
}
