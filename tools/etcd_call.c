// SPDX-License-Identifier: GPL-2.0
/* Calls of etcd: one member after the other until one answers or time is up. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etcd_transfer.h"

/* Between two rounds through the members. */
#define PAUSE_MS	100

/**
 * struct call - a call
 * @transfer: its attempt
 * @tries: attempts that failed
 * @deadline: milliseconds at which it has failed
 * @why: an attempt failed: that there was no time left is the least of reasons
 * @reply: objects that came
 * @done: called at its end
 * @arg: for it
 */
struct call {
	struct etcd_transfer transfer;
	size_t tries;
	__u64 deadline;
	char why[sizeof(((struct etcd *)NULL)->error)];
	struct json_object *reply;
	etcd_done_fn done;
	void *arg;
};

static void drop(struct call *call)
{
	etcd_transfer_release(&call->transfer);
	json_object_put(call->reply);
	free(call);
}

static void finish(struct call *call, int err)
{
	call->done(call->arg, err, call->reply);
	drop(call);
}

static void time_out(struct call *call)
{
	struct etcd *etcd = call->transfer.etcd;

	snprintf(etcd->error, sizeof(etcd->error), "no answer within %g s, the last: %.400s",
		 etcd->config.limit_ms / 1000.0, call->why);
	finish(call, -ETIMEDOUT);
}

/* Each member gets its share of the time, so that all are asked. */
static void attempt(struct call *call, __u64 pause_ms)
{
	const struct etcd_config *config = &call->transfer.etcd->config;
	__u64 share = config->limit_ms / config->nr_urls;
	__u64 left = call->deadline - etcd_now() - pause_ms;

	etcd_transfer_start(&call->transfer, pause_ms, share < left ? share : left);
}

static void again(struct call *call)
{
	size_t nr = call->transfer.etcd->config.nr_urls;
	__u64 pause_ms = ++call->tries % nr ? 0 : PAUSE_MS;

	if (!call->transfer.late || !call->why[0])
		memcpy(call->why, call->transfer.etcd->error, sizeof(call->why));
	etcd_transfer_next(&call->transfer);
	if (etcd_now() + pause_ms >= call->deadline) {
		time_out(call);
		return;
	}
	json_object_put(call->reply);
	call->reply = json_object_new_array();
	attempt(call, pause_ms);
}

static void on_object(void *arg, struct json_object *object)
{
	struct call *call = arg;

	json_object_array_add(call->reply, json_object_get(object));
}

static void on_end(void *arg, enum etcd_end end)
{
	struct call *call = arg;

	switch (end) {
	case ETCD_END_OK:
		finish(call, 0);
		break;
	case ETCD_END_AGAIN:
		again(call);
		break;
	case ETCD_END_NOENT:
		finish(call, -ENOENT);
		break;
	case ETCD_END_REFUSED:
		finish(call, -EIO);
		break;
	case ETCD_END_CLOSED:
		drop(call);
		break;
	}
}

/* As etcd_submit(), of a body in text, which is freed. */
static int submit(struct etcd *etcd, const char *path, char *body, etcd_done_fn done, void *arg)
{
	struct call *call = calloc(1, sizeof(*call));

	if (!call || !body) {
		free(call);
		free(body);
		return -ENOMEM;
	}
	call->transfer.path = path;
	call->transfer.object = on_object;
	call->transfer.end = on_end;
	call->transfer.arg = call;
	call->reply = json_object_new_array();
	call->done = done;
	call->arg = arg;
	if (etcd_transfer_init(etcd, &call->transfer)) {
		json_object_put(call->reply);
		free(call);
		free(body);
		return -ENOMEM;
	}
	call->transfer.body = body;
	call->deadline = etcd_now() + etcd->config.limit_ms;
	attempt(call, 0);
	return 0;
}

int etcd_submit(struct etcd *etcd, const char *path, struct json_object *request,
		etcd_done_fn done, void *arg)
{
	char *body = strdup(json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN));

	json_object_put(request);
	return submit(etcd, path, body, done, arg);
}

/* What etcd_call() waits for. */
struct outcome {
	bool done;
	int err;
	struct json_object *reply;
};

static void on_done(void *arg, int err, struct json_object *reply)
{
	struct outcome *outcome = arg;

	outcome->done = true;
	outcome->err = err;
	outcome->reply = err ? NULL : json_object_get(reply);
}

int etcd_call(struct etcd *etcd, const char *path, struct json_object *request,
	      struct json_object **reply)
{
	struct pollfd fd = { .fd = etcd_fd(etcd), .events = POLLIN };
	struct outcome outcome = { 0 };
	int err;

	*reply = NULL;
	err = etcd_submit(etcd, path, request, on_done, &outcome);
	if (err)
		return err;
	while (!outcome.done) {
		poll(&fd, 1, -1);
		etcd_run(etcd);
	}
	*reply = outcome.reply;
	return outcome.err;
}

/* The gateway takes many requests in a body, and answers each. */
int etcd_renew(struct etcd *etcd, const __s64 *leases, size_t nr, etcd_done_fn done, void *arg)
{
	char *body = NULL;
	size_t size, i;
	FILE *file;

	file = open_memstream(&body, &size);
	if (!file)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		fprintf(file, "{\"ID\":\"%lld\"}\n", (long long)leases[i]);
	if (fclose(file)) {
		free(body);
		return -ENOMEM;
	}
	return submit(etcd, "lease/keepalive", body, done, arg);
}
