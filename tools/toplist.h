/* SPDX-License-Identifier: GPL-2.0 */
/* What symphony top knows of each job: rates and their history. */
#ifndef _SYMPHONY_TOPLIST_H
#define _SYMPHONY_TOPLIST_H

#include "joblist.h"

/* Samples in a job's sparkline. */
#define HISTORY		10

/**
 * struct top_job - a job
 * @marks: a second, due and possible
 * @bytes: a second
 * @ahead: share of its packets that ran ahead since the sample before
 * @time: of its last sample, seconds
 * @silent: samples since it last sent, up to HISTORY
 * @spread: steps that its flows are ahead of the smallest; -1 if no flow tells
 * @spread_known: whether @spread is of its last packet
 * @history: @marks of the last samples, the newest last
 * @row: its last sample
 */
struct top_job {
	double marks;
	double bytes;
	double ahead;
	double time;
	unsigned int silent;
	int spread;
	bool spread_known;
	float history[HISTORY];
	struct job_row row;
};

/**
 * struct toplist - all jobs
 * @job: each, sorted as joblist_compare() does
 * @nr: of them
 * @list: jobs that the last sample brought: all, those that had sent, or some
 * @numbers: room for those of jobs that are asked for
 * @room: for so many
 * @time: when all were sampled, seconds
 * @census: of the qdiscs, when all jobs were read last: another one if jobs may be gone
 * @misaligned: jobs whose alpha is above 1
 */
struct toplist {
	struct top_job *job;
	size_t nr;
	struct joblist list;
	__u32 *numbers;
	size_t room;
	double time;
	__u64 census;
	size_t misaligned;
};

/**
 * enum top_order - what a list is sorted by
 * @BY_MARKS: marks a second
 * @BY_BYTES: bytes a second
 * @BY_ALPHA: alpha
 * @BY_AHEAD: share ahead
 * @BY_STEP: smallest step
 * @BY_JOB: table and number
 * @NR_ORDERS: of them
 */
enum top_order {
	BY_MARKS,
	BY_BYTES,
	BY_ALPHA,
	BY_AHEAD,
	BY_STEP,
	BY_JOB,
	NR_ORDERS,
};

/**
 * toplist_sample() - take the next sample
 * @ctx: context, connected
 * @place: which tables
 * @top: zero at first; to be freed with toplist_free()
 *
 * Return: 0 or a negative errno.
 */
int toplist_sample(struct context *ctx, const struct symphony_place *place, struct toplist *top);

/**
 * toplist_refresh() - take the next sample of some jobs
 * @ctx: context, connected
 * @place: as for toplist_sample()
 * @top: has had a sample of all
 * @jobs: those to be sampled
 * @nr: of them
 *
 * Return: as toplist_sample().
 */
int toplist_refresh(struct context *ctx, const struct symphony_place *place, struct toplist *top,
		    struct top_job *const *jobs, size_t nr);

/**
 * toplist_free() - free what toplist_sample() gave
 * @top: is empty afterwards
 */
void toplist_free(struct toplist *top);

/**
 * toplist_select() - jobs that a filter lets pass, sorted
 * @top: list
 * @filter: part of the table's name or of the number, or ""
 * @misaligned: those alone
 * @order: what comes first
 * @reverse: or last
 * @selected: room for all of them
 *
 * Return: their number.
 */
size_t toplist_select(const struct toplist *top, const char *filter, bool misaligned,
		      enum top_order order, bool reverse, struct top_job **selected);

/**
 * toplist_spread() - ask for the steps of jobs' flows
 * @ctx: context, connected
 * @place: as for toplist_sample()
 * @top: list
 * @jobs: whose spread is set, if they have sent since
 * @nr: of them
 */
void toplist_spread(struct context *ctx, const struct symphony_place *place, struct toplist *top,
		    struct top_job *const *jobs, size_t nr);

#endif
