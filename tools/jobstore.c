// SPDX-License-Identifier: GPL-2.0
/* symphony job add|del|list|keep: jobs of clusters, which schedulers name. */
#include <string.h>

#include "jobstore.h"
#include "store.h"

#define WAIT_MAX	3600

/**
 * struct request - what a command line wants
 * @command: name of the command, for complaints
 * @config: where the store is
 * @store: connection
 * @spec: job
 * @wait: seconds to wait for routers, 0 not to
 */
struct request {
	const char *command;
	struct store_config config;
	struct store *store;
	struct jobspec spec;
	unsigned int wait;
};

static int complain(const struct request *request)
{
	fprintf(stderr, "symphony: %s: %s\n", request->command, store_error(request->store));
	return EXIT_KERNEL;
}

/* A word is the store's or the job's. */
static int set_word(struct request *request, const char *key, const char *value, bool job,
		    char *error)
{
	int err = store_config_set(&request->config, key, value, error);

	if (err != 1)
		return err;
	if (!job)
		return conf_fail(error, "\"%s\" is no word of it", key);
	if (!strcmp(key, "wait"))
		return conf_number(key, value, 1, WAIT_MAX, &request->wait, error);
	if (!strcmp(key, "job"))
		return conf_fail(error, "job: the store chooses the number");
	return jobspec_set(&request->spec, key, value, error);
}

/* Read the words, which come in pairs, and open the store. */
static int begin(struct request *request, int argc, char **argv, bool job)
{
	char error[CONF_ERROR_SIZE];
	int err = 0;

	for (; argc && !err; argc -= 2, argv += 2) {
		if (argc == 1)
			return cmd_syntax("%s: \"%s\" wants a value", request->command, *argv);
		err = set_word(request, argv[0], argv[1], job, error);
	}
	err = err ?: store_config_finish(&request->config, error);
	if (err)
		return cmd_syntax("%s: %s", request->command, error);
	if (job && !*request->spec.id)
		return cmd_syntax("%s: which job? \"id ID\"", request->command);
	request->store = store_open(&request->config);
	if (!request->store)
		return cmd_syntax("%s: no memory", request->command);
	memcpy(request->spec.cluster, request->config.cluster, sizeof(request->spec.cluster));
	return 0;
}

static int end(struct request *request, int status)
{
	store_close(request->store);
	store_config_free(&request->config);
	jobspec_free(&request->spec);
	return status;
}

/* What a prologue hands on to the job. */
static void print_number(const struct context *ctx, const struct jobspec *spec)
{
	struct json_object *object, *environment;
	char number[TEXT_MAX];

	snprintf(number, sizeof(number), "%u", spec->job);
	if (!ctx->json) {
		printf("SYMPHONY_JOB=%s\n", number);
		/* routers may take their time */
		fflush(stdout);
		return;
	}
	object = jobspec_to_json(spec);
	environment = json_object_new_object();
	json_object_object_add(environment, "SYMPHONY_JOB", json_object_new_string(number));
	json_object_object_add(object, "environment", environment);
	cmd_print_json(ctx, object);
}

static int wait_for_routers(const struct request *request, __s64 revision)
{
	struct store_waiting waiting;
	int err;

	if (!request->wait)
		return 0;
	err = store_wait(request->store, &request->spec, revision, request->wait, &waiting);
	if (err < 0)
		return complain(request);
	if (!err)
		return 0;
	if (!waiting.routers)
		fprintf(stderr, "symphony: %s: no router within %u s; job %u is kept\n",
			request->command, request->wait, request->spec.job);
	else
		fprintf(stderr,
			"symphony: %s: %zu of %zu routers not within %u s; job %u is kept: %s\n",
			request->command, waiting.missing, waiting.routers, request->wait,
			request->spec.job, waiting.names);
	return EXIT_LATE;
}

int jobstore_add(struct context *ctx, int argc, char **argv)
{
	struct request request = { .command = "job add" };
	__s64 revision;
	int status;

	status = begin(&request, argc, argv, true);
	if (!status && !request.spec.nr_hosts)
		status = cmd_syntax("job add: from where? \"hosts ADDRESS[/LENGTH][,...]\"");
	if (!status && store_add(request.store, &request.spec, &revision))
		status = complain(&request);
	if (!status) {
		print_number(ctx, &request.spec);
		status = wait_for_routers(&request, revision);
	}
	return end(&request, status);
}

int jobstore_del(struct context *ctx, int argc, char **argv)
{
	struct request request = { .command = "job del" };
	int status;

	status = begin(&request, argc, argv, true);
	if (!status && store_del(request.store, request.spec.cluster, request.spec.id,
				 &request.spec.job))
		status = complain(&request);
	if (!status && request.spec.job)
		print_number(ctx, &request.spec);
	return end(&request, status);
}

#define ROW	"%5s %-16s %-24s %5s\n"

/**
 * struct listing - a list that is being printed
 * @array: of objects, or NULL for text
 * @begun: its head is printed
 */
struct listing {
	struct json_object *array;
	bool begun;
};

static void print_job(void *arg, const struct jobspec *spec)
{
	struct listing *listing = arg;
	char number[2][TEXT_MAX];

	if (listing->array) {
		json_object_array_add(listing->array, jobspec_to_json(spec));
		return;
	}
	if (!listing->begun)
		printf(ROW, "JOB", "CLUSTER", "ID", "HOSTS");
	listing->begun = true;
	snprintf(number[0], TEXT_MAX, "%u", spec->job);
	snprintf(number[1], TEXT_MAX, "%zu", spec->nr_hosts);
	printf(ROW, number[0], spec->cluster, spec->id, number[1]);
}

int jobstore_list(struct context *ctx, int argc, char **argv)
{
	struct listing listing = { .array = ctx->json ? json_object_new_array() : NULL };
	struct request request = { .command = "job list" };
	int status;

	status = begin(&request, argc, argv, false);
	if (!status && store_list(request.store, print_job, &listing))
		status = complain(&request);
	if (!status && listing.array)
		cmd_print_json(ctx, json_object_get(listing.array));
	json_object_put(listing.array);
	return end(&request, status);
}

int jobstore_keep(struct context *ctx, int argc, char **argv)
{
	struct request request = { .command = "job keep" };
	int status;

	(void)ctx;
	status = begin(&request, argc, argv, false);
	if (!status && store_keep(&request.config))
		status = cmd_syntax("job keep: no memory");
	return end(&request, status);
}
