// SPDX-License-Identifier: GPL-2.0
/* symphony monitor: a line for each event. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "joblist.h"

#define BUFFER_MIN	2048U
#define BUFFER_MAX	(1024U * 1024 * 1024)

static void print_time(__u64 ns)
{
	time_t seconds = ns / 1000000000;
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&seconds, &tm));
	printf("%s.%06llu", text, ns % 1000000000 / 1000);
}

static void print_json(const struct context *ctx, const struct symphony_happening *event)
{
	static const unsigned int attrs[] = {
		SYMPHONY_ATTR_EVENT, SYMPHONY_ATTR_TIME, SYMPHONY_ATTR_ALPHA,
		SYMPHONY_ATTR_STEP_MIN, SYMPHONY_ATTR_LOST,
	};
	struct symphony_values values = { 0 };
	struct json_object *object;
	size_t i;

	for (i = 0; i < ROWS(attrs); i++) {
		if (symphony_has(&event->values, attrs[i]))
			symphony_put(&values, attrs[i], event->values.value[attrs[i]]);
	}
	object = values_json(&values, symphony_event_field);
	place_json(object, &event->place);
	if (event->job)
		json_object_object_add(object, "job", json_object_new_uint64(event->job));
	cmd_print_json(ctx, object);
}

static void print_text(const struct symphony_happening *event)
{
	char buf[TEXT_MAX];

	print_time(symphony_get(&event->values, SYMPHONY_ATTR_TIME));
	printf(" %s", place_text(&event->place, buf));
	if (event->job)
		printf(" job %u", event->job);
	printf(" %s", text_choice(&event->values, SYMPHONY_ATTR_EVENT, symphony_event_field));
	if (symphony_has(&event->values, SYMPHONY_ATTR_STEP_MIN))
		printf(" step %llu", symphony_get(&event->values, SYMPHONY_ATTR_STEP_MIN));
	if (symphony_has(&event->values, SYMPHONY_ATTR_ALPHA))
		printf(" alpha %llu", symphony_get(&event->values, SYMPHONY_ATTR_ALPHA));
	if (symphony_has(&event->values, SYMPHONY_ATTR_LOST))
		printf(" (%llu before it were not sent)",
		       symphony_get(&event->values, SYMPHONY_ATTR_LOST));
	putchar('\n');
}

static int on_event(const struct symphony_happening *event, void *arg)
{
	const struct context *ctx = arg;

	if (ctx->json)
		print_json(ctx, event);
	else
		print_text(event);
	return 0;
}

/* Some were lost since nobody read them: say so where they are missing, and go on. */
static void print_lost(const struct context *ctx)
{
	struct json_object *object;

	if (!ctx->json) {
		puts("events were lost: they came faster than they were read");
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "event", json_object_new_string("overrun"));
	cmd_print_json(ctx, object);
}

/* As "ip -rcvbuf": how much may wait until it is read. */
static int read_buffer(int argc, char **argv, size_t *buffer)
{
	char *end = NULL;

	if (!argc)
		return 0;
	if (argc == 2 && !strcmp(*argv, "--buffer"))
		*buffer = strtoul(argv[1], &end, 10);
	if (!end)
		return cmd_syntax("monitor: \"%s\" is no option, or wants a value", *argv);
	if (*end || *buffer < BUFFER_MIN || *buffer > BUFFER_MAX)
		return cmd_syntax("monitor: --buffer \"%s\": not bytes from %u to %u", argv[1],
				  BUFFER_MIN, BUFFER_MAX);
	return 0;
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct pollfd fd = { .events = POLLIN };
	size_t buffer = 0;
	int status, err = 0;

	status = read_buffer(argc, argv, &buffer);
	status = status ?: cmd_connect(ctx);
	if (status)
		return status;
	fd.fd = symphony_events_open(ctx->sym, buffer);
	if (fd.fd < 0)
		return cmd_kernel(ctx, "monitor");
	while (!err && !ferror(stdout)) {
		if (poll(&fd, 1, -1) < 0 && errno != EINTR)
			break;
		err = symphony_events_read(ctx->sym, on_event, ctx);
		if (err == -ENOBUFS) {
			print_lost(ctx);
			err = 0;
		}
		/* who reads a pipe wants them now */
		fflush(stdout);
	}
	return err ? cmd_kernel(ctx, "monitor") : 0;
}

const struct command cmd_monitor = {
	.name = "monitor",
	.args = "[ --buffer BYTES ]",
	.help = "Events as they happen: jobs that come and go, misalignment, full tables.",
	.run = run,
};
