// SPDX-License-Identifier: GPL-2.0
/* symphony flows: what a job's flows are at. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "joblist.h"

struct listing {
	const struct context *ctx;
	struct json_object *rows;
	bool head;
};

static const char *address(const struct symphony_flow *flow, const __u8 *bytes, char *buf,
			   size_t size)
{
	return flow->family && inet_ntop(flow->family, bytes, buf, size) ? buf : "?";
}

static struct json_object *flow_json(const struct symphony_flow *flow)
{
	struct json_object *object = json_object_new_object();
	struct json_object *values;
	char buf[INET6_ADDRSTRLEN];

	place_json(object, &flow->place);
	json_object_object_add(object, "job", json_object_new_uint64(flow->job));
	if (flow->family) {
		address(flow, flow->src, buf, sizeof(buf));
		json_object_object_add(object, "src", json_object_new_string(buf));
		address(flow, flow->dst, buf, sizeof(buf));
		json_object_object_add(object, "dst", json_object_new_string(buf));
	}
	values = values_json(&flow->values, symphony_flow_field);
	json_object_object_foreach(values, name, value)
		json_object_object_add(object, name, json_object_get(value));
	json_object_put(values);
	return object;
}

static void print_flow(const struct symphony_flow *flow)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	char age[TEXT_MAX], position[TEXT_MAX] = "-";

	if (symphony_has(&flow->values, SYMPHONY_FLOW_ATTR_POSITION))
		snprintf(position, sizeof(position), "%llu",
			 symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_POSITION));
	printf("%-18s %-18s %8llu %8llu %10s %8s\n", address(flow, flow->src, src, sizeof(src)),
	       address(flow, flow->dst, dst, sizeof(dst)),
	       symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_DEST),
	       symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_STEP), position,
	       text_age(symphony_get(&flow->values, SYMPHONY_FLOW_ATTR_LAST_SEEN), age));
}

static int on_flow(const struct symphony_flow *flow, void *arg)
{
	struct listing *listing = arg;

	if (listing->rows) {
		json_object_array_add(listing->rows, flow_json(flow));
		return 0;
	}
	if (!listing->head)
		printf("%-18s %-18s %8s %8s %10s %8s\n", "SRC", "DST", "QP", "STEP", "POSITION",
		       "SEEN");
	listing->head = true;
	print_flow(flow);
	return 0;
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct listing listing = { .ctx = ctx };
	struct symphony_place place = { 0 };
	int status, err;
	__u32 job;

	status = job_argument("flows", &argc, &argv, &job);
	while (argc && !status)
		status = place_argument("flows", &argc, &argv, &place);
	status = status ?: cmd_connect(ctx);
	status = status ?: place_of_job(ctx, job, &place);
	if (status)
		return status;
	if (ctx->json)
		listing.rows = json_object_new_array();
	err = symphony_flows(ctx->sym, &place, job, on_flow, &listing);
	/* the table may have changed meanwhile: it is a look at what moves */
	if (err && err != -EINTR) {
		json_object_put(listing.rows);
		return cmd_kernel(ctx, "flows");
	}
	if (listing.rows)
		cmd_print_json(ctx, listing.rows);
	return 0;
}

const struct command cmd_flows = {
	.name = "flows",
	.args = "JOB " PLACE_ARGS,
	.help = "Flows of a job: addresses, destination queue pair, step, position in it.",
	.run = run,
};
