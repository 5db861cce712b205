// SPDX-License-Identifier: GPL-2.0
/* symphony show: devices and their sums. */
#include <string.h>

#include "cmd.h"

static struct json_object *qdisc_json(const struct symphony_qdisc *qdisc)
{
	struct json_object *object = json_object_new_object();
	char buf[TEXT_MAX];

	json_object_object_add(object, "handle",
			       json_object_new_string(text_handle(qdisc->handle, buf)));
	json_object_object_add(object, "parent",
			       json_object_new_string(text_handle(qdisc->parent, buf)));
	json_object_object_add(object, "options",
			       values_json(&qdisc->options, symphony_option_field));
	json_object_object_add(object, "bytes", json_object_new_uint64(qdisc->bytes));
	json_object_object_add(object, "packets", json_object_new_uint64(qdisc->packets));
	json_object_object_add(object, "drops", json_object_new_uint64(qdisc->drops));
	json_object_object_add(object, "overlimits", json_object_new_uint64(qdisc->overlimits));
	json_object_object_add(object, "requeues", json_object_new_uint64(qdisc->requeues));
	json_object_object_add(object, "backlog", json_object_new_uint64(qdisc->backlog));
	json_object_object_add(object, "qlen", json_object_new_uint64(qdisc->qlen));
	json_object_object_add(object, "stats", values_json(&qdisc->stats, symphony_stat_field));
	return object;
}

static struct json_object *device_json(const struct symphony_qdisc *qdisc, size_t nr)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct symphony_values sum;
	size_t i;

	qdiscs_sum(qdisc, nr, &sum);
	json_object_object_add(object, "dev", json_object_new_string(qdisc->dev));
	json_object_object_add(object, "ifindex", json_object_new_uint64(qdisc->ifindex));
	json_object_object_add(object, "stats", values_json(&sum, symphony_stat_field));
	for (i = 0; i < nr; i++)
		json_object_array_add(list, qdisc_json(&qdisc[i]));
	json_object_object_add(object, "qdiscs", list);
	return object;
}

static void print_head(void)
{
	printf("%-10s %6s %-8s%7s %7s %6s %7s %7s %7s %7s\n", "DEV", "QDISC", "MODE", "JOBS",
	       "DATA", "AHEAD", "MARKS", "NOT_ECT", "NO_JOB", "NO_STEP");
}

static void print_row(const char *dev, const char *which, const char *mode,
		      const struct symphony_values *stats)
{
	__u64 marks = symphony_get(stats, TCA_SYMPHONY_STATS_MARKED) +
			 symphony_get(stats, TCA_SYMPHONY_STATS_WOULD_MARK);
	__u64 data = symphony_get(stats, TCA_SYMPHONY_STATS_DATA);
	char buf[7][TEXT_MAX];

	printf("%-10s %6s %-8s%7s %7s %6s %7s %7s %7s %7s\n", dev, which, mode,
	       text_number(symphony_get(stats, TCA_SYMPHONY_STATS_JOBS), buf[0]),
	       text_number(data, buf[1]),
	       text_share(symphony_get(stats, TCA_SYMPHONY_STATS_OUTPACING), data, buf[2]),
	       text_number(marks, buf[3]),
	       text_number(symphony_get(stats, TCA_SYMPHONY_STATS_NOT_ECT), buf[4]),
	       text_number(symphony_get(stats, TCA_SYMPHONY_STATS_NO_JOB), buf[5]),
	       text_number(symphony_get(stats, TCA_SYMPHONY_STATS_NO_STEP), buf[6]));
}

/* One mode, or that they differ. */
static const char *mode_of(const struct symphony_qdisc *qdisc, size_t nr)
{
	const char *mode = text_option(&qdisc->options, TCA_SYMPHONY_MODE);
	size_t i;

	for (i = 1; i < nr; i++) {
		if (strcmp(mode, text_option(&qdisc[i].options, TCA_SYMPHONY_MODE)))
			return "several";
	}
	return mode;
}

static void print_device(const struct context *ctx, const struct symphony_qdisc *qdisc, size_t nr)
{
	struct symphony_values sum;
	char which[TEXT_MAX];
	size_t i;

	qdiscs_sum(qdisc, nr, &sum);
	if (nr == 1)
		text_handle(qdisc->handle, which);
	else
		snprintf(which, sizeof(which), "%zu", nr);
	print_row(qdisc->dev, which, mode_of(qdisc, nr), &sum);
	for (i = 0; ctx->details && nr > 1 && i < nr; i++)
		print_row("", text_handle(qdisc[i].handle, which), mode_of(&qdisc[i], 1),
			  &qdisc[i].stats);
}

static size_t same_device(const struct qdiscs *list, size_t first)
{
	size_t nr = 1;

	while (first + nr < list->nr &&
	       list->qdisc[first + nr].ifindex == list->qdisc[first].ifindex)
		nr++;
	return nr;
}

static void show(const struct context *ctx, const struct qdiscs *list)
{
	struct json_object *devices = ctx->json ? json_object_new_array() : NULL;
	size_t i, nr;

	if (!devices && list->nr)
		print_head();
	for (i = 0; i < list->nr; i += nr) {
		nr = same_device(list, i);
		if (devices)
			json_object_array_add(devices, device_json(&list->qdisc[i], nr));
		else
			print_device(ctx, &list->qdisc[i], nr);
	}
	if (devices)
		cmd_print_json(ctx, devices);
}

static int run(struct context *ctx, int argc, char **argv)
{
	unsigned int ifindex = 0;
	struct qdiscs list;
	int status;

	status = cmd_argument_device("show", argc, argv, &ifindex);
	status = status ?: cmd_connect(ctx);
	status = status ?: qdiscs_get(ctx, ifindex, &list);
	if (status)
		return status;
	show(ctx, &list);
	qdiscs_free(&list);
	return 0;
}

const struct command cmd_show = {
	.name = "show",
	.args = "[ [ dev ] DEV ]",
	.help = "Devices with symphony and the sums of their qdiscs; -d has each qdisc.",
	.run = run,
};
