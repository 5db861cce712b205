/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of jobs: many, so each in little room. */
#ifndef _SYMPHONY_JOBLIST_H
#define _SYMPHONY_JOBLIST_H

#include "cmd.h"

/* What place_argument() reads, as help has it. */
#define PLACE_ARGS	"[ [ dev ] DEV ] [ handle H ] [ parent P ] [ domain N ]"

/**
 * struct job_row - a job
 * @place: its table
 * @job: its number
 * @has_state: a bit for each number of @state that is there
 * @has_stats: for @stats
 * @has_overrides: for @overrides
 * @state: by &enum symphony_state_attr
 * @stats: by &enum symphony_stats_attr
 * @overrides: by &enum symphony_override_attr
 */
struct job_row {
	struct symphony_place place;
	__u32 job;
	__u32 has_state;
	__u32 has_stats;
	__u32 has_overrides;
	__u64 state[SYMPHONY_STATE_ATTR_MAX + 1];
	__u64 stats[SYMPHONY_STATS_ATTR_MAX + 1];
	__u64 overrides[SYMPHONY_OVERRIDE_ATTR_MAX + 1];
};

/**
 * struct joblist - jobs, sorted by table and number
 * @row: each
 * @nr: of them
 * @room: for so many
 */
struct joblist {
	struct job_row *row;
	size_t nr;
	size_t room;
};

/**
 * joblist_read() - read the jobs of tables; also again into the same list
 * @sym: connection
 * @place: which tables
 * @active: 0, or nanoseconds: jobs that may have sent since then
 * @list: zero at first; to be freed with joblist_free()
 *
 * Return: 0 or a negative errno.
 */
int joblist_read(struct symphony *sym, const struct symphony_place *place, __u64 active,
		 struct joblist *list);

/**
 * joblist_named() - joblist_read() for jobs of some numbers
 * @sym: connection
 * @place: which tables
 * @jobs: numbers, ascending
 * @nr: of them, any number
 * @list: as there
 *
 * Return: 0 or a negative errno.
 */
int joblist_named(struct symphony *sym, const struct symphony_place *place, const __u32 *jobs,
		  size_t nr, struct joblist *list);

/**
 * joblist_get() - joblist_read(), with a complaint
 * @ctx: context, connected
 * @place: which tables
 * @list: as there
 *
 * Return: 0, or an exit status after a complaint.
 */
int joblist_get(struct context *ctx, const struct symphony_place *place, struct joblist *list);

/**
 * joblist_free() - free what joblist_read() gave
 * @list: is empty afterwards
 */
void joblist_free(struct joblist *list);

/**
 * joblist_compare() - order of two jobs: by table, then by number
 * @a: a row
 * @b: another
 *
 * Return: as for qsort().
 */
int joblist_compare(const void *a, const void *b);

/**
 * row_marks() - packets of a job that were due for a mark and could be marked
 * @row: job
 *
 * Return: those marked and those that would have been.
 */
__u64 row_marks(const struct job_row *row);

/**
 * row_json() - a job as JSON has it
 * @row: job
 *
 * Return: the object.
 */
struct json_object *row_json(const struct job_row *row);

/**
 * place_json() - add to an object which table is meant
 * @object: object
 * @place: table
 */
void place_json(struct json_object *object, const struct symphony_place *place);

/**
 * place_text() - name of a table: "eth1 1:", "domain 3"
 * @place: table
 * @buf: %TEXT_MAX bytes
 *
 * Return: @buf.
 */
const char *place_text(const struct symphony_place *place, char *buf);

/**
 * place_argument() - read one of "[ dev ] DEV", "handle H", "parent P", "domain N"
 * @command: name of the command, for complaints
 * @argc: words left, changed
 * @argv: these, changed
 * @place: result
 *
 * Return: 0, or an exit status after a complaint.
 */
int place_argument(const char *command, int *argc, char ***argv, struct symphony_place *place);

/**
 * job_argument() - read the number of a job
 * @command: name of the command, for complaints
 * @argc: words left, changed
 * @argv: these, changed
 * @job: result
 *
 * Return: 0, or an exit status after a complaint.
 */
int job_argument(const char *command, int *argc, char ***argv, __u32 *job);

/**
 * place_of_job() - the only table that knows a job, if no table was named
 * @ctx: context, connected
 * @job: its number
 * @place: changed
 *
 * Return: 0, or an exit status after a complaint.
 */
int place_of_job(struct context *ctx, __u32 job, struct symphony_place *place);

#endif
