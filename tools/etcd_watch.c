// SPDX-License-Identifier: GPL-2.0
/* Watches of etcd: a stream of changes, begun anew where it broke off. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "etcd_codec.h"
#include "etcd_transfer.h"

/* A stream in which nothing has come for so long is begun anew, at the next member. */
#define SILENCE_MS	30000

/* Between two rounds through members of which none answers. */
#define PAUSE_MS	500

/**
 * struct etcd_watch - a watch
 * @transfer: its stream
 * @prefix: beginning of the keys
 * @revision: of the next change to be told
 * @tries: streams that failed since one came up
 * @answered: the stream that there is came up
 * @up: the owner thinks so
 * @lost: it has ended
 * @event: called when something happens
 * @arg: for it
 */
struct etcd_watch {
	struct etcd_transfer transfer;
	char *prefix;
	__s64 revision;
	size_t tries;
	bool answered;
	bool up;
	bool lost;
	etcd_event_fn event;
	void *arg;
};

static int write_request(struct etcd_watch *watch)
{
	struct json_object *request = json_object_new_object();
	struct json_object *create = etcd_range_request(watch->prefix, true, false);

	json_object_object_add(create, "start_revision", json_object_new_int64(watch->revision));
	json_object_object_add(request, "create_request", create);
	free(watch->transfer.body);
	watch->transfer.body = strdup(json_object_to_json_string_ext(request,
								     JSON_C_TO_STRING_PLAIN));
	json_object_put(request);
	return watch->transfer.body ? 0 : -ENOMEM;
}

static void start(struct etcd_watch *watch, __u64 pause_ms)
{
	const struct etcd_config *config = &watch->transfer.etcd->config;

	watch->answered = false;
	etcd_transfer_start(&watch->transfer, pause_ms, config->limit_ms / config->nr_urls);
}

static void tell_state(struct etcd_watch *watch, bool up)
{
	if (watch->up == up)
		return;
	watch->up = up;
	watch->event(watch->arg, up ? ETCD_UP : ETCD_DOWN, NULL);
}

static void tell_change(struct etcd_watch *watch, struct json_object *change)
{
	struct json_object *object;
	struct etcd_kv kv = { 0 };

	if (json_object_object_get_ex(change, "kv", &object) && !etcd_kv_read(object, &kv)) {
		watch->revision = kv.mod_revision;
		watch->event(watch->arg, json_object_object_get_ex(change, "type", &object) ?
			     ETCD_DELETE : ETCD_PUT, &kv);
	}
	etcd_kv_release(&kv);
}

static void tell_changes(struct etcd_watch *watch, struct json_object *changes)
{
	size_t i;

	for (i = 0; i < json_object_array_length(changes); i++)
		tell_change(watch, json_object_array_get_idx(changes, i));
	/* those of one revision come together */
	if (i)
		watch->revision++;
}

/* A store that knows less than was heard of it has been replaced by another. */
static bool is_lost(const struct etcd_watch *watch, struct json_object *result)
{
	struct json_object *header, *object;

	if (json_object_object_get_ex(result, "compact_revision", &object))
		return true;
	return json_object_object_get_ex(result, "created", &object) &&
	       json_object_object_get_ex(result, "header", &header) &&
	       etcd_int(header, "revision") < watch->revision - 1;
}

static void on_object(void *arg, struct json_object *object)
{
	struct json_object *result, *events;
	struct etcd_watch *watch = arg;

	if (watch->lost || !json_object_object_get_ex(object, "result", &result))
		return;
	etcd_transfer_allow(&watch->transfer, SILENCE_MS);
	if (is_lost(watch, result)) {
		watch->lost = true;
		watch->event(watch->arg, ETCD_LOST, NULL);
		return;
	}
	watch->tries = 0;
	watch->answered = true;
	tell_state(watch, true);
	if (json_object_object_get_ex(result, "events", &events))
		tell_changes(watch, events);
}

/*
 * One member's silence is no news: only if none answers the owner hears of it. Nor is that of
 * a stream in which there was nothing to tell: how it is the next one says.
 */
static void on_end(void *arg, enum etcd_end end)
{
	struct etcd_watch *watch = arg;
	size_t nr = watch->transfer.etcd->config.nr_urls;
	bool quiet = watch->transfer.late && watch->answered;

	if (end == ETCD_END_CLOSED) {
		etcd_watch_close(watch);
		return;
	}
	if (watch->lost)
		return;
	etcd_transfer_next(&watch->transfer);
	if (!quiet && ++watch->tries % nr == 0)
		tell_state(watch, false);
	/* without memory the old request tells some changes twice */
	write_request(watch);
	start(watch, quiet || watch->tries % nr ? 0 : PAUSE_MS);
}

struct etcd_watch *etcd_watch(struct etcd *etcd, const char *prefix, __s64 revision,
			      etcd_event_fn event, void *arg)
{
	struct etcd_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	watch->transfer.path = "watch";
	watch->transfer.object = on_object;
	watch->transfer.end = on_end;
	watch->transfer.arg = watch;
	watch->prefix = strdup(prefix);
	watch->revision = revision;
	watch->event = event;
	watch->arg = arg;
	if (!watch->prefix || write_request(watch) ||
	    etcd_transfer_init(etcd, &watch->transfer)) {
		free(watch->transfer.body);
		free(watch->prefix);
		free(watch);
		return NULL;
	}
	start(watch, 0);
	return watch;
}

void etcd_watch_close(struct etcd_watch *watch)
{
	if (!watch)
		return;
	etcd_transfer_release(&watch->transfer);
	free(watch->prefix);
	free(watch);
}
