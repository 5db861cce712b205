// SPDX-License-Identifier: GPL-2.0
/* symphony jobs: which jobs there are, and how they do. */
#include "joblist.h"

#define ROW	"%-14s %8s %5s %5s %6s %6s %7s %7s %7s %5s\n"

static void print_row(const struct job_row *row)
{
	__u64 packets = row->stats[SYMPHONY_STATS_ATTR_PACKETS];
	char buf[9][TEXT_MAX];

	snprintf(buf[0], TEXT_MAX, "%u", row->job);
	snprintf(buf[1], TEXT_MAX, "%llu", row->state[SYMPHONY_STATE_ATTR_STEP_MIN]);
	snprintf(buf[2], TEXT_MAX, "%llu", row->state[SYMPHONY_STATE_ATTR_ALPHA]);
	printf(ROW, place_text(&row->place, buf[3]), buf[0], buf[1], buf[2],
	       text_share(row->stats[SYMPHONY_STATS_ATTR_OUTPACING], packets, buf[4]),
	       row->has_state & 1U << SYMPHONY_STATE_ATTR_MISALIGNED ?
	       text_age(row->state[SYMPHONY_STATE_ATTR_MISALIGNED], buf[5]) : "-",
	       text_number(packets, buf[6]), text_number(row_marks(row), buf[7]),
	       text_number(row->stats[SYMPHONY_STATS_ATTR_NOT_ECT], buf[8]),
	       row->has_state & 1U << SYMPHONY_STATE_ATTR_LAST_SEEN ?
	       text_age(row->state[SYMPHONY_STATE_ATTR_LAST_SEEN], (char[TEXT_MAX]) { 0 }) : "-");
}

static void show(const struct context *ctx, const struct joblist *list)
{
	struct json_object *rows = ctx->json ? json_object_new_array() : NULL;
	size_t i;

	if (!rows && list->nr)
		printf(ROW, "TABLE", "JOB", "STEP", "ALPHA", "AHEAD", "SINCE", "DATA", "MARKS",
		       "NOT_ECT", "SEEN");
	for (i = 0; i < list->nr; i++) {
		if (rows)
			json_object_array_add(rows, row_json(&list->row[i]));
		else
			print_row(&list->row[i]);
	}
	if (rows)
		cmd_print_json(ctx, rows);
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct symphony_place place = { 0 };
	struct joblist list = { 0 };
	int status = 0;

	while (argc && !status)
		status = place_argument("jobs", &argc, &argv, &place);
	status = status ?: cmd_connect(ctx);
	status = status ?: joblist_get(ctx, &place, &list);
	if (status)
		return status;
	show(ctx, &list);
	joblist_free(&list);
	return 0;
}

const struct command cmd_jobs = {
	.name = "jobs",
	.args = PLACE_ARGS,
	.help = "Jobs: their smallest step, alpha, share ahead, for how long misaligned.",
	.run = run,
};
