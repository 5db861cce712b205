// SPDX-License-Identifier: GPL-2.0
/* Metrics of qdiscs and jobs: all samples of one name together, as the format wants. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "prometheus.h"

struct scrape {
	const struct qdiscs *qdiscs;
	const struct joblist *jobs;
	FILE *file;
	double now;
};

/* Backslashes, quotes and line ends are written as C has them. */
static void write_escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", file);
		else
			fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	}
}

static void write_help(FILE *file, const char *name, const char *type, const char *help)
{
	fprintf(file, "# HELP %s ", name);
	write_escaped(file, help);
	fprintf(file, "\n# TYPE %s %s\n", name, type);
}

/* Names end with their unit, those of counters with _total. */
static void metric_name(char *name, size_t size, const char *prefix,
			const struct symphony_field *field)
{
	const char *unit = "";
	size_t len = strlen(field->name);

	if (field->unit == SYMPHONY_UNIT_PACKETS && strcmp(field->name, "packets"))
		unit = "_packets";
	else if (field->unit == SYMPHONY_UNIT_NANOSECONDS)
		unit = "_seconds";
	else if (field->unit == SYMPHONY_UNIT_BYTES &&
		 (len < 5 || strcmp(field->name + len - 5, "bytes")))
		unit = "_bytes";
	snprintf(name, size, "%s%s%s%s", prefix, field->name, unit, field->gauge ? "" : "_total");
}

static void write_value(FILE *file, const struct symphony_field *field, __u64 value)
{
	if (field->unit == SYMPHONY_UNIT_NANOSECONDS)
		fprintf(file, "} %.9g\n", value / 1e9);
	else
		fprintf(file, "} %llu\n", value);
}

static void write_qdisc(const struct scrape *scrape, const char *name,
			const struct symphony_qdisc *qdisc)
{
	char handle[TEXT_MAX];

	fprintf(scrape->file, "%s{device=\"", name);
	write_escaped(scrape->file, qdisc->dev);
	fprintf(scrape->file, "\",handle=\"%s\"", text_handle(qdisc->handle, handle));
}

static void write_info(const struct scrape *scrape)
{
	static const unsigned int attrs[] = {
		TCA_SYMPHONY_MODE, TCA_SYMPHONY_PROTO, TCA_SYMPHONY_JOB, TCA_SYMPHONY_STEP,
		TCA_SYMPHONY_QUEUE,
	};
	size_t i, a;

	write_help(scrape->file, "symphony_qdisc_info", "gauge",
		   "1 for each qdisc, with its options");
	for (i = 0; i < scrape->qdiscs->nr; i++) {
		const struct symphony_qdisc *qdisc = &scrape->qdiscs->qdisc[i];
		char parent[TEXT_MAX];

		write_qdisc(scrape, "symphony_qdisc_info", qdisc);
		fprintf(scrape->file, ",parent=\"%s\"", text_handle(qdisc->parent, parent));
		for (a = 0; a < ROWS(attrs); a++)
			fprintf(scrape->file, ",%s%s=\"%s\"", symphony_option_field(attrs[a])->name,
				attrs[a] == TCA_SYMPHONY_JOB ? "_source" : "",
				text_option(&qdisc->options, attrs[a]));
		fputs("} 1\n", scrape->file);
	}
}

static void write_fraction(const struct scrape *scrape, const char *name, unsigned int attr,
			   const char *help)
{
	size_t i;

	write_help(scrape->file, name, "gauge", help);
	for (i = 0; i < scrape->qdiscs->nr; i++) {
		write_qdisc(scrape, name, &scrape->qdiscs->qdisc[i]);
		fprintf(scrape->file, "} %.9g\n",
			(double)symphony_get(&scrape->qdiscs->qdisc[i].options, attr) /
			TC_SYMPHONY_ONE);
	}
}

static __u64 queue_value(const struct symphony_qdisc *qdisc, size_t which)
{
	switch (which) {
	case 0:
		return qdisc->packets;
	case 1:
		return qdisc->bytes;
	case 2:
		return qdisc->drops;
	case 3:
		return qdisc->qlen;
	default:
		return qdisc->backlog;
	}
}

/* What every qdisc has. */
static void write_queues(const struct scrape *scrape)
{
	static const struct {
		const char *name, *type, *help;
	} metrics[] = {
		{ "symphony_sent_packets_total", "counter", "packets that left the qdisc" },
		{ "symphony_sent_bytes_total", "counter", "bytes that left the qdisc" },
		{ "symphony_dropped_packets_total", "counter", "packets dropped" },
		{ "symphony_backlog_packets", "gauge", "packets that wait" },
		{ "symphony_backlog_bytes", "gauge", "bytes that wait" },
	};
	size_t m, i;

	for (m = 0; m < ROWS(metrics); m++) {
		write_help(scrape->file, metrics[m].name, metrics[m].type, metrics[m].help);
		for (i = 0; i < scrape->qdiscs->nr; i++) {
			write_qdisc(scrape, metrics[m].name, &scrape->qdiscs->qdisc[i]);
			fprintf(scrape->file, "} %llu\n",
				queue_value(&scrape->qdiscs->qdisc[i], m));
		}
	}
}

static void write_stat(const struct scrape *scrape, unsigned int attr,
		       const struct symphony_field *field)
{
	char name[128];
	size_t i;

	metric_name(name, sizeof(name), "symphony_", field);
	write_help(scrape->file, name, field->gauge ? "gauge" : "counter", field->help);
	for (i = 0; i < scrape->qdiscs->nr; i++) {
		const struct symphony_qdisc *qdisc = &scrape->qdiscs->qdisc[i];

		if (!symphony_has(&qdisc->stats, attr))
			continue;
		write_qdisc(scrape, name, qdisc);
		write_value(scrape->file, field, qdisc->stats.value[attr]);
	}
}

static void write_job(const struct scrape *scrape, const char *name, const struct job_row *row)
{
	char dev[TEXT_MAX], handle[TEXT_MAX];

	fprintf(scrape->file, "%s{", name);
	if (row->place.domain) {
		fprintf(scrape->file, "domain=\"%u\"", row->place.domain);
	} else {
		fputs("device=\"", scrape->file);
		write_escaped(scrape->file, text_device(row->place.ifindex, dev));
		fprintf(scrape->file, "\",handle=\"%s\"", text_handle(row->place.handle, handle));
	}
	fprintf(scrape->file, ",job=\"%u\"", row->job);
}

/* Idle jobs stay in the table until their place is needed: their series would, too. */
static bool is_exported(const struct job_row *row)
{
	return !(row->has_state & 1U << SYMPHONY_STATE_ATTR_IDLE);
}

static void write_job_stat(const struct scrape *scrape, unsigned int attr,
			   const struct symphony_field *field)
{
	char name[128];
	size_t i;

	metric_name(name, sizeof(name), "symphony_job_", field);
	write_help(scrape->file, name, "counter", field->help);
	for (i = 0; i < scrape->jobs->nr; i++) {
		const struct job_row *row = &scrape->jobs->row[i];

		if (!is_exported(row) || !(row->has_stats & 1U << attr))
			continue;
		write_job(scrape, name, row);
		write_value(scrape->file, field, row->stats[attr]);
	}
}

/* Ages become moments, as the conventions want, but for how long something lasts. */
static void write_job_state(const struct scrape *scrape, unsigned int attr,
			    const struct symphony_field *field)
{
	bool age = attr == SYMPHONY_STATE_ATTR_FIRST_SEEN || attr == SYMPHONY_STATE_ATTR_LAST_SEEN;
	char name[128];
	size_t i;

	snprintf(name, sizeof(name), "symphony_job_%s%s", field->name,
		 age ? "_timestamp_seconds" :
		 field->unit == SYMPHONY_UNIT_NANOSECONDS ? "_seconds" : "");
	write_help(scrape->file, name, "gauge", age ? "when it was, Unix time" : field->help);
	for (i = 0; i < scrape->jobs->nr; i++) {
		const struct job_row *row = &scrape->jobs->row[i];

		if (!is_exported(row) || (age && !(row->has_state & 1U << attr)))
			continue;
		write_job(scrape, name, row);
		if (age)
			fprintf(scrape->file, "} %.3f\n", scrape->now - row->state[attr] / 1e9);
		else
			write_value(scrape->file, field, row->state[attr]);
	}
}

static void write_jobs(const struct scrape *scrape)
{
	static const unsigned int states[] = {
		SYMPHONY_STATE_ATTR_STEP_MIN, SYMPHONY_STATE_ATTR_ALPHA,
		SYMPHONY_STATE_ATTR_MISALIGNED, SYMPHONY_STATE_ATTR_FLOWS,
		SYMPHONY_STATE_ATTR_FIRST_SEEN, SYMPHONY_STATE_ATTR_LAST_SEEN,
	};
	const struct symphony_field *field;
	unsigned int attr;
	size_t i;

	for (i = 0; i < ROWS(states); i++)
		write_job_state(scrape, states[i], symphony_state_field(states[i]));
	for (attr = 0; attr <= SYMPHONY_STATS_ATTR_MAX; attr++) {
		field = symphony_job_stat_field(attr);
		if (field)
			write_job_stat(scrape, attr, field);
	}
}

static void write_all(const struct scrape *scrape)
{
	const struct symphony_field *field;
	unsigned int attr;

	write_info(scrape);
	write_fraction(scrape, "symphony_tau_ratio", TCA_SYMPHONY_TAU,
		       "share ahead from which a window is misaligned");
	write_queues(scrape);
	for (attr = 0; attr < SYMPHONY_VALUES_MAX; attr++) {
		field = symphony_stat_field(attr);
		if (field)
			write_stat(scrape, attr, field);
	}
	if (scrape->jobs)
		write_jobs(scrape);
}

int prometheus_write(struct context *ctx, const struct exported *what, FILE *file)
{
	struct symphony_place place = { .ifindex = what->ifindex };
	struct scrape scrape = { .file = file };
	struct joblist jobs = { 0 };
	struct qdiscs qdiscs;
	struct timespec now;
	int status, err;

	status = qdiscs_get(ctx, what->ifindex, &qdiscs);
	if (status)
		return status;
	err = what->no_jobs ? -EOPNOTSUPP : joblist_read(ctx->sym, &place, 0, &jobs);
	if (!err)
		scrape.jobs = &jobs;
	/* a device without symphony has no table; an older module tells of none */
	if (err && err != -EOPNOTSUPP && qdiscs.nr)
		status = cmd_kernel(ctx, "jobs");
	clock_gettime(CLOCK_REALTIME, &now);
	scrape.now = now.tv_sec + now.tv_nsec / 1e9;
	scrape.qdiscs = &qdiscs;
	if (!status)
		write_all(&scrape);
	joblist_free(&jobs);
	qdiscs_free(&qdiscs);
	return status;
}
