// SPDX-License-Identifier: GPL-2.0
/* Waiting for routers: each writes the revision of what it has put in force. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store.h"

/* Between two looks, longer from time to time: many jobs may begin at once. */
#define PAUSE_MIN_MS	5
#define PAUSE_MAX_MS	200

/* A router without a cluster's name serves all. */
static bool serves(const struct etcd_kv *router, const char *cluster)
{
	struct json_object *object = json_tokener_parse(router->value), *name;
	bool served = true;

	if (json_object_object_get_ex(object, "cluster", &name))
		served = !strcmp(json_object_get_string(name), "*") ||
			 !strcmp(json_object_get_string(name), cluster);
	json_object_put(object);
	return served;
}

static const char *name_of(const struct etcd_kv *router)
{
	return router->key + strlen(STORE_ROUTERS);
}

/**
 * struct wait - a wait for routers
 * @etcd: client
 * @spec: job
 * @revision: of its entry
 * @waiting: result
 * @done: names of routers that have confirmed, which are not asked again
 * @nr_done: of these
 */
struct wait {
	struct etcd *etcd;
	const struct jobspec *spec;
	__s64 revision;
	struct store_waiting *waiting;
	char **done;
	size_t nr_done;
};

static bool is_done(const struct wait *wait, const char *name)
{
	size_t i;

	for (i = 0; i < wait->nr_done; i++) {
		if (!strcmp(wait->done[i], name))
			return true;
	}
	return false;
}

/* Without memory it is asked again. */
static void set_done(struct wait *wait, const char *name)
{
	char **all = reallocarray(wait->done, wait->nr_done + 1, sizeof(*all));

	if (!all)
		return;
	wait->done = all;
	all[wait->nr_done] = strdup(name);
	wait->nr_done += !!all[wait->nr_done];
}

static void count_missing(struct store_waiting *waiting, const char *name)
{
	size_t len = strlen(waiting->names);

	waiting->missing++;
	snprintf(waiting->names + len, sizeof(waiting->names) - len, "%s%s", len ? ", " : "", name);
}

static void take_answer(struct wait *wait, const struct etcd_range *range, const char *name)
{
	if (range->nr && strtoll(range->kv[0].value, NULL, 10) >= wait->revision)
		set_done(wait, name);
	else
		count_missing(wait->waiting, name);
}

/* A few routers, in one transaction that only reads. */
static int ask_some(struct wait *wait, struct etcd_kv *const *routers, size_t nr)
{
	struct etcd_txn *txn = etcd_txn_new();
	char key[STORE_KEY_SIZE];
	struct json_object *reply;
	struct etcd_range range;
	size_t i;
	int err;

	if (!txn)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		snprintf(key, sizeof(key), STORE_APPLIED "%.63s/%u", name_of(routers[i]),
			 wait->spec->job);
		etcd_txn_get(txn, etcd_range_request(key, false, false));
	}
	err = etcd_txn_commit(wait->etcd, txn, &reply);
	for (i = 0; i < nr && !err; i++) {
		err = etcd_txn_read(reply, i, &range);
		if (!err)
			take_answer(wait, &range, name_of(routers[i]));
		etcd_range_free(&range);
	}
	json_object_put(reply);
	return err;
}

static int ask(struct wait *wait, const struct etcd_range *range)
{
	struct etcd_kv *some[ETCD_TXN_MAX];
	size_t i, nr = 0;
	int err = 0;

	for (i = 0; i < range->nr && !err; i++) {
		if (!serves(&range->kv[i], wait->spec->cluster))
			continue;
		wait->waiting->routers++;
		if (is_done(wait, name_of(&range->kv[i])))
			continue;
		some[nr++] = &range->kv[i];
		if (nr == ETCD_TXN_MAX) {
			err = ask_some(wait, some, nr);
			nr = 0;
		}
	}
	return err || !nr ? err : ask_some(wait, some, nr);
}

static int look(struct wait *wait)
{
	struct etcd_range range;
	int err;

	memset(wait->waiting, 0, sizeof(*wait->waiting));
	err = etcd_get(wait->etcd, STORE_ROUTERS, true, false, &range);
	err = err ?: ask(wait, &range);
	etcd_range_free(&range);
	return err;
}

static void pause_for(__u64 ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static int wait_for_all(struct store *store, struct wait *wait, __u64 deadline)
{
	__u64 pause = PAUSE_MIN_MS;
	int err;

	while (true) {
		err = store_check(store, look(wait));
		if (err || (wait->waiting->routers && !wait->waiting->missing))
			return err;
		if (etcd_now() >= deadline)
			return 1;
		pause_for(pause);
		pause = pause * 2 < PAUSE_MAX_MS ? pause * 2 : PAUSE_MAX_MS;
	}
}

int store_wait(struct store *store, const struct jobspec *spec, __s64 revision,
	       unsigned int seconds, struct store_waiting *waiting)
{
	struct wait wait = {
		.etcd = store->etcd,
		.spec = spec,
		.revision = revision,
		.waiting = waiting,
	};
	int err = wait_for_all(store, &wait, etcd_now() + seconds * 1000ULL);
	size_t i;

	for (i = 0; i < wait.nr_done; i++)
		free(wait.done[i]);
	free(wait.done);
	return err;
}
