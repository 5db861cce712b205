// SPDX-License-Identifier: GPL-2.0
/* symphony record: samples of jobs as CSV. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "joblist.h"

#define INTERVAL_MAX	86400.0

struct recording {
	struct symphony_place place;
	struct timespec interval;
	unsigned long count;	/* 0 for ever */
	FILE *file;
};

/* The columns behind "time,table,job": what the fields are called. */
static void print_head(FILE *file)
{
	const struct symphony_field *field;
	unsigned int attr;

	fputs("time,table,job", file);
	for (attr = 0; attr <= SYMPHONY_STATE_ATTR_MAX; attr++) {
		field = symphony_state_field(attr);
		if (field && field->unit != SYMPHONY_UNIT_FLAG)
			fprintf(file, ",%s", field->name);
	}
	for (attr = 0; attr <= SYMPHONY_STATS_ATTR_MAX; attr++) {
		field = symphony_job_stat_field(attr);
		if (field)
			fprintf(file, ",%s", field->name);
	}
	fputc('\n', file);
}

/* What is not there is empty. */
static void print_number(FILE *file, bool has, __u64 value)
{
	if (has)
		fprintf(file, ",%llu", value);
	else
		fputc(',', file);
}

static void print_sample(FILE *file, double now, const struct job_row *row)
{
	const struct symphony_field *field;
	unsigned int attr;
	char table[TEXT_MAX];

	fprintf(file, "%.6f,%s,%u", now, place_text(&row->place, table), row->job);
	for (attr = 0; attr <= SYMPHONY_STATE_ATTR_MAX; attr++) {
		field = symphony_state_field(attr);
		if (field && field->unit != SYMPHONY_UNIT_FLAG)
			print_number(file, row->has_state & 1U << attr, row->state[attr]);
	}
	for (attr = 0; attr <= SYMPHONY_STATS_ATTR_MAX; attr++) {
		if (symphony_job_stat_field(attr))
			print_number(file, row->has_stats & 1U << attr, row->stats[attr]);
	}
	fputc('\n', file);
}

static void add_interval(struct timespec *due, const struct timespec *interval)
{
	due->tv_sec += interval->tv_sec;
	due->tv_nsec += interval->tv_nsec;
	if (due->tv_nsec >= 1000000000) {
		due->tv_nsec -= 1000000000;
		due->tv_sec++;
	}
}

static int sample(struct context *ctx, const struct recording *recording, struct joblist *list)
{
	struct timespec now;
	int status;
	size_t i;

	status = joblist_get(ctx, &recording->place, list);
	if (status)
		return status;
	clock_gettime(CLOCK_REALTIME, &now);
	for (i = 0; i < list->nr; i++)
		print_sample(recording->file, now.tv_sec + now.tv_nsec / 1e9, &list->row[i]);
	return 0;
}

/* Until it is time for the next sample; false if a signal ends it. */
static bool wait_until(const struct timespec *due, const sigset_t *signals)
{
	struct timespec now, left;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left.tv_sec = due->tv_sec - now.tv_sec;
		left.tv_nsec = due->tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_nsec += 1000000000;
			left.tv_sec--;
		}
		if (left.tv_sec < 0)
			left = (struct timespec) { 0 };
		if (sigtimedwait(signals, NULL, &left) > 0)
			return false;
		if (errno == EAGAIN)
			return true;
	}
}

static int record_jobs(struct context *ctx, const struct recording *recording)
{
	struct joblist list = { 0 };
	unsigned long taken = 0;
	struct timespec due;
	sigset_t signals;
	int status = 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	clock_gettime(CLOCK_MONOTONIC, &due);
	print_head(recording->file);
	while (!status) {
		status = sample(ctx, recording, &list);
		if (fflush(recording->file) && !status) {
			fprintf(stderr, "symphony: record: %s\n", strerror(errno));
			status = EXIT_SYNTAX;
		}
		add_interval(&due, &recording->interval);
		if (status || ++taken == recording->count || !wait_until(&due, &signals))
			break;
	}
	joblist_free(&list);
	return status;
}

static int read_interval(const char *word, struct timespec *interval)
{
	char *end;
	double seconds = strtod(word, &end);

	if (end == word || *end || !(seconds >= 0.001 && seconds <= INTERVAL_MAX))
		return cmd_syntax("record: --interval \"%s\": not seconds from 0.001 to %.0f", word,
				  INTERVAL_MAX);
	interval->tv_sec = (time_t)seconds;
	interval->tv_nsec = (long)((seconds - interval->tv_sec) * 1e9);
	return 0;
}

static int read_count(const char *word, unsigned long *count)
{
	char *end;

	*count = strtoul(word, &end, 10);
	if (end == word || *end || !*count)
		return cmd_syntax("record: --count \"%s\": not a number from 1 up", word);
	return 0;
}

static int read_option(int *argc, char ***argv, struct recording *recording, const char **output)
{
	const char *word = **argv;
	int status = 0;

	if (*argc < 2)
		return cmd_syntax("record: \"%s\" is no option, or wants a value", word);
	if (!strcmp(word, "--interval"))
		status = read_interval((*argv)[1], &recording->interval);
	else if (!strcmp(word, "--count"))
		status = read_count((*argv)[1], &recording->count);
	else if (!strcmp(word, "--output"))
		*output = (*argv)[1];
	else
		return cmd_syntax("record: there is no option \"%s\"", word);
	*argc -= 2;
	*argv += 2;
	return status;
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct recording recording = { .interval = { .tv_sec = 1 }, .file = stdout };
	const char *output = NULL;
	int status = 0;

	while (argc && !status) {
		if (!strncmp(*argv, "--", 2))
			status = read_option(&argc, &argv, &recording, &output);
		else
			status = place_argument("record", &argc, &argv, &recording.place);
	}
	status = status ?: cmd_connect(ctx);
	if (status)
		return status;
	if (output) {
		recording.file = fopen(output, "we");
		if (!recording.file) {
			fprintf(stderr, "symphony: record: %s: %s\n", output, strerror(errno));
			return EXIT_SYNTAX;
		}
	}
	status = record_jobs(ctx, &recording);
	if (output)
		fclose(recording.file);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.args = "[ --interval SECONDS ] [ --count N ] [ --output FILE ] " PLACE_ARGS,
	.help = "Samples of all jobs as CSV, one a second by itself, until Ctrl-C.",
	.run = run,
};
