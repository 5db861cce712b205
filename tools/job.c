// SPDX-License-Identifier: GPL-2.0
/* symphony job set|reset|del: turn a job down, or forget it. */
#include <ctype.h>
#include <string.h>

#include "joblist.h"

#define OVERRIDE_ARGS \
	" [ k PROB ] [ tau RATIO ] [ mode { mark | observe } ] [ pinned { on | off } ]"

/* A fraction from 0 to 1 with at most nine digits behind the point, or percent. */
static int read_fraction(const char *word, __u64 *value)
{
	__u64 scale = TC_SYMPHONY_ONE, number = 0;
	bool point = false, any = false;
	const char *c;

	if (*word && word[strlen(word) - 1] == '%')
		scale /= 100;
	for (c = word; isdigit((unsigned char)*c) || (*c == '.' && !point); c++) {
		if (*c == '.') {
			point = true;
			continue;
		}
		any = true;
		if (point) {
			if (scale % 10)
				return *c == '0' ? 0 : -1;
			scale /= 10;
			number += (*c - '0') * scale;
		} else {
			number = number * 10 + (*c - '0') * scale;
			if (number > TC_SYMPHONY_ONE)
				return -1;
		}
	}
	if (!any || (*c && strcmp(c, "%")) || number > TC_SYMPHONY_ONE)
		return -1;
	*value = number;
	return 0;
}

static int read_choice(const struct symphony_field *field, const char *word, __u64 *value)
{
	unsigned int i;

	for (i = 0; i < field->nr_choices; i++) {
		if (!strcmp(field->choices[i], word) && i != TC_SYMPHONY_MODE_PRIO) {
			*value = i;
			return 0;
		}
	}
	return -1;
}

static int read_override(unsigned int attr, const char *word, __u64 *value)
{
	static const char *const wants[] = {
		[SYMPHONY_OVERRIDE_ATTR_K]	= "a probability from 0 to 1",
		[SYMPHONY_OVERRIDE_ATTR_TAU]	= "a ratio from 0 to 1",
		[SYMPHONY_OVERRIDE_ATTR_MODE]	= "mark or observe",
		[SYMPHONY_OVERRIDE_ATTR_PINNED]	= "on or off",
	};
	const struct symphony_field *field = symphony_override_field(attr);
	int err;

	if (!strcmp(word, "default")) {
		*value = SYMPHONY_GENL_NO_OVERRIDE;
		return 0;
	}
	if (attr == SYMPHONY_OVERRIDE_ATTR_PINNED) {
		*value = !strcmp(word, "on");
		err = !*value && strcmp(word, "off");
	} else if (field->unit == SYMPHONY_UNIT_CHOICE) {
		err = read_choice(field, word, value);
	} else {
		err = read_fraction(word, value);
	}
	if (err)
		return cmd_syntax("job set: %s \"%s\": not %s, or default", field->name, word,
				  wants[attr]);
	return 0;
}

/* An override's name and value, if that is what comes next. */
static int override_argument(int *argc, char ***argv, struct symphony_values *overrides, bool *took)
{
	unsigned int attr;
	__u64 value = 0;
	int status;

	*took = false;
	for (attr = 0; attr <= SYMPHONY_OVERRIDE_ATTR_MAX; attr++) {
		const struct symphony_field *field = symphony_override_field(attr);

		if (!field || strcmp(field->name, **argv))
			continue;
		if (*argc < 2)
			return cmd_syntax("job set: \"%s\" wants a value", field->name);
		status = read_override(attr, (*argv)[1], &value);
		if (status)
			return status;
		symphony_put(overrides, attr, value);
		*argc -= 2;
		*argv += 2;
		*took = true;
		return 0;
	}
	return 0;
}

static int set_job(struct context *ctx, int argc, char **argv)
{
	struct symphony_values overrides = { 0 };
	struct symphony_place place = { 0 };
	int status;
	bool took;
	__u32 job;

	status = job_argument("job set", &argc, &argv, &job);
	while (argc && !status) {
		status = override_argument(&argc, &argv, &overrides, &took);
		if (!status && !took)
			status = place_argument("job set", &argc, &argv, &place);
	}
	if (!status && !overrides.given[0])
		status = cmd_syntax("job set: nothing to set, k, tau, mode or pinned");
	status = status ?: cmd_connect(ctx);
	status = status ?: place_of_job(ctx, job, &place);
	if (status)
		return status;
	return symphony_job_set(ctx->sym, &place, job, &overrides) ? cmd_kernel(ctx, "job set") : 0;
}

static int change(struct context *ctx, const char *command, int argc, char **argv,
		  int (*how)(struct symphony *sym, const struct symphony_place *place, __u32 job))
{
	struct symphony_place place = { 0 };
	int status;
	__u32 job;

	status = job_argument(command, &argc, &argv, &job);
	while (argc && !status)
		status = place_argument(command, &argc, &argv, &place);
	status = status ?: cmd_connect(ctx);
	status = status ?: place_of_job(ctx, job, &place);
	if (status)
		return status;
	return how(ctx->sym, &place, job) ? cmd_kernel(ctx, command) : 0;
}

static int run(struct context *ctx, int argc, char **argv)
{
	if (argc && !strcmp(*argv, "set"))
		return set_job(ctx, argc - 1, argv + 1);
	if (argc && !strcmp(*argv, "reset"))
		return change(ctx, "job reset", argc - 1, argv + 1, symphony_job_reset);
	if (argc && (!strcmp(*argv, "del") || !strcmp(*argv, "delete")))
		return change(ctx, "job del", argc - 1, argv + 1, symphony_job_delete);
	return cmd_syntax("job: \"%s\" is not set, reset or del", argc ? *argv : "");
}

const struct command cmd_job = {
	.name = "job",
	.args = "{ set | reset | del } JOB " PLACE_ARGS OVERRIDE_ARGS,
	.help = "set: what counts for a job alone; \"default\" ends that, pinned on lets it stay.\n"
		"reset: its counters begin at 0. del: it is forgotten.",
	.run = run,
};
