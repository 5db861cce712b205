// SPDX-License-Identifier: GPL-2.0
/* symphony job: turn a job down, or forget it; what is the store's is in jobstore.c. */
#include <string.h>

#include "joblist.h"
#include "jobstore.h"
#include "override.h"

#define OVERRIDE_ARGS \
	" [ k PROB ] [ tau RATIO ] [ mode { mark | observe | prio } ] [ pinned { on | off } ]"

static int read_override(unsigned int attr, const char *word, __u64 *value)
{
	if (!strcmp(word, "default")) {
		*value = SYMPHONY_GENL_NO_OVERRIDE;
		return 0;
	}
	if (override_read(attr, word, value))
		return cmd_syntax("job set: %s \"%s\": not %s, or default",
				  symphony_override_field(attr)->name, word, override_wants(attr));
	return 0;
}

/* An override's name and value, if that is what comes next. */
static int override_argument(int *argc, char ***argv, struct symphony_values *overrides, bool *took)
{
	unsigned int attr = override_find(**argv);
	__u64 value = 0;
	int status;

	*took = attr;
	if (!attr)
		return 0;
	if (*argc < 2)
		return cmd_syntax("job set: \"%s\" wants a value", **argv);
	status = read_override(attr, (*argv)[1], &value);
	if (status)
		return status;
	symphony_put(overrides, attr, value);
	*argc -= 2;
	*argv += 2;
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

static int delete_job(struct context *ctx, int argc, char **argv)
{
	if (argc && (!strcmp(*argv, "id") || !strcmp(*argv, "cluster")))
		return jobstore_del(ctx, argc, argv);
	return change(ctx, "job del", argc, argv, symphony_job_delete);
}

static int reset_job(struct context *ctx, int argc, char **argv)
{
	return change(ctx, "job reset", argc, argv, symphony_job_reset);
}

static int run(struct context *ctx, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct context *ctx, int argc, char **argv);
	} verbs[] = {
		{ "set", set_job },
		{ "reset", reset_job },
		{ "del", delete_job },
		{ "delete", delete_job },
		{ "add", jobstore_add },
		{ "list", jobstore_list },
		{ "keep", jobstore_keep },
	};
	size_t i;

	for (i = 0; i < ROWS(verbs) && argc; i++) {
		if (!strcmp(*argv, verbs[i].name))
			return verbs[i].run(ctx, argc - 1, argv + 1);
	}
	return cmd_syntax("job: \"%s\" is not set, reset, del, add, list or keep",
			  argc ? *argv : "");
}

const struct command cmd_job = {
	.name = "job",
	.args = "{ set | reset | del } JOB " PLACE_ARGS OVERRIDE_ARGS " " JOBSTORE_ARGS,
	.help = "set: what counts for a job alone; \"default\" ends that, pinned on lets it stay.\n"
		"reset: its counters begin at 0. del: it is forgotten.\n"
		"add: a scheduler's job gets a number. del: its number ends. list: all jobs of\n"
		"clusters. keep: this cluster's do not lapse while this runs.",
	.run = run,
};
