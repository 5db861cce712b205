// SPDX-License-Identifier: GPL-2.0
/* The keeper of a cluster's jobs: they stay for as long as it renews their leases. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "store.h"

/* Jobs of one request. */
#define BATCH_JOBS	500

/* Until what failed is tried again. */
#define RETRY_MS	1000

/**
 * struct kept - a job that is kept
 * @id: the scheduler's
 * @claim: what it has
 * @due: milliseconds at which its leases are to be renewed
 */
struct kept {
	char id[JOBSPEC_NAME_SIZE];
	struct store_claim claim;
	__u64 due;
};

/**
 * struct keeper - who keeps
 * @config: where the store is, and the cluster
 * @etcd: client
 * @prefix: beginning of the cluster's IDs
 * @watch: of these, NULL while they are being listed
 * @listing: a list is under way
 * @list_due: milliseconds at which a list is to be made, if there is no watch
 * @stale: the watch has missed something
 * @kept: jobs, in no order
 * @nr: of them
 * @room: for so many
 */
struct keeper {
	const struct store_config *config;
	struct etcd *etcd;
	char prefix[STORE_KEY_SIZE];
	struct etcd_watch *watch;
	bool listing;
	__u64 list_due;
	bool stale;
	struct kept *kept;
	size_t nr;
	size_t room;
};

/**
 * struct batch - leases that are being renewed
 * @keeper: whose
 * @nr: of them
 * @leases: of each job the number's, then the job's: that of the number must last longer
 */
struct batch {
	struct keeper *keeper;
	size_t nr;
	__s64 leases[2 * BATCH_JOBS];
};

static void complain(const struct keeper *keeper, const char *what)
{
	fprintf(stderr, "symphony: job keep: %s: %s\n", what, etcd_error(keeper->etcd));
}

static struct kept *find_id(struct keeper *keeper, const char *id)
{
	size_t i;

	for (i = 0; i < keeper->nr; i++) {
		if (!strcmp(keeper->kept[i].id, id))
			return &keeper->kept[i];
	}
	return NULL;
}

/* Answers come in the order of the jobs, so that it is mostly the one at the hint. */
static struct kept *find_lease(struct keeper *keeper, __s64 lease, size_t hint)
{
	size_t i;

	for (i = 0; i < keeper->nr; i++) {
		struct kept *kept = &keeper->kept[(hint + i) % keeper->nr];

		if (kept->claim.lease == lease)
			return kept;
	}
	return NULL;
}

static struct kept *add_kept(struct keeper *keeper)
{
	size_t room = keeper->room ? 2 * keeper->room : 64;
	struct kept *kept = keeper->kept;

	if (keeper->nr == keeper->room) {
		kept = reallocarray(kept, room, sizeof(*kept));
		if (!kept)
			return NULL;
		keeper->kept = kept;
		keeper->room = room;
	}
	kept += keeper->nr++;
	memset(kept, 0, sizeof(*kept));
	return kept;
}

static void take(struct keeper *keeper, const struct etcd_kv *kv)
{
	const char *id = kv->key + strlen(keeper->prefix);
	struct store_claim claim;
	struct kept *kept;

	if (!store_claim_read(kv, &claim)) {
		fprintf(stderr, "symphony: job keep: %s: not what belongs there\n", kv->key);
		return;
	}
	kept = find_id(keeper, id) ?: add_kept(keeper);
	if (!kept) {
		keeper->stale = true;
		return;
	}
	snprintf(kept->id, sizeof(kept->id), "%s", id);
	kept->claim = claim;
	kept->due = etcd_now();
}

static void forget(struct keeper *keeper, struct kept *kept)
{
	if (kept)
		*kept = keeper->kept[--keeper->nr];
}

static void on_event(void *arg, enum etcd_event event, const struct etcd_kv *kv)
{
	struct keeper *keeper = arg;

	switch (event) {
	case ETCD_UP:
		fprintf(stderr, "symphony: job keep: keeps %zu jobs of cluster %s\n", keeper->nr,
			keeper->config->cluster);
		break;
	case ETCD_PUT:
		take(keeper, kv);
		break;
	case ETCD_DELETE:
		forget(keeper, find_id(keeper, kv->key + strlen(keeper->prefix)));
		break;
	case ETCD_DOWN:
		complain(keeper, "etcd");
		break;
	case ETCD_LOST:
		keeper->stale = true;
		break;
	}
}

static void on_list(void *arg, int err, struct json_object *reply)
{
	struct keeper *keeper = arg;
	struct etcd_range range;
	size_t i;

	keeper->listing = false;
	keeper->list_due = etcd_now() + RETRY_MS;
	if (err || etcd_range_read(reply, &range)) {
		complain(keeper, "list of jobs");
		return;
	}
	keeper->nr = 0;
	for (i = 0; i < range.nr; i++)
		take(keeper, &range.kv[i]);
	keeper->watch = etcd_watch(keeper->etcd, keeper->prefix, range.revision + 1, on_event,
				   keeper);
	etcd_range_free(&range);
}

/* Without a watch, or with one that has missed something, begin anew. */
static void list_if_due(struct keeper *keeper)
{
	if (keeper->stale) {
		etcd_watch_close(keeper->watch);
		keeper->watch = NULL;
		keeper->stale = false;
	}
	if (keeper->watch || keeper->listing || keeper->list_due > etcd_now())
		return;
	keeper->listing = !etcd_submit(keeper->etcd, "kv/range",
				       etcd_range_request(keeper->prefix, true, false), on_list,
				       keeper);
	if (!keeper->listing)
		keeper->list_due = etcd_now() + RETRY_MS;
}

static void renewed(struct keeper *keeper, struct kept *kept, __s64 ttl)
{
	if (!kept)
		return;
	if (ttl > 0) {
		kept->due = etcd_now() + ttl * 1000 / 3;
		return;
	}
	fprintf(stderr, "symphony: job keep: job %u, ID %s, has lapsed\n", kept->claim.job,
		kept->id);
	forget(keeper, kept);
}

static void on_renewed(void *arg, int err, struct json_object *reply)
{
	struct batch *batch = arg;
	struct kept *kept;
	size_t i, hint = 0;
	__s64 ttl, lease;

	if (err)
		complain(batch->keeper, "leases");
	for (i = 1; i < batch->nr; i += 2) {
		kept = find_lease(batch->keeper, batch->leases[i], hint);
		hint = kept ? (size_t)(kept - batch->keeper->kept) + 1 : hint;
		ttl = err ? -1 : etcd_lease_read(reply, i, &lease);
		if (ttl >= 0)
			renewed(batch->keeper, kept, ttl);
		else if (kept)
			kept->due = etcd_now() + RETRY_MS;
	}
	free(batch);
}

static void submit(struct batch *batch)
{
	if (etcd_renew(batch->keeper->etcd, batch->leases, batch->nr, on_renewed, batch))
		on_renewed(batch, -ENOMEM, NULL);
}

/* Renew what is due, and let it not be due until there is an answer. */
static void renew_due(struct keeper *keeper)
{
	struct batch *batch = NULL;
	__u64 now = etcd_now();
	struct kept *kept;

	for (kept = keeper->kept; kept < keeper->kept + keeper->nr; kept++) {
		if (kept->due > now)
			continue;
		batch = batch ?: calloc(1, sizeof(*batch));
		if (!batch)
			return;
		batch->keeper = keeper;
		batch->leases[batch->nr++] = kept->claim.used;
		batch->leases[batch->nr++] = kept->claim.lease;
		kept->due = ~0ULL;
		if (batch->nr == 2 * BATCH_JOBS) {
			submit(batch);
			batch = NULL;
		}
	}
	if (batch)
		submit(batch);
}

/* Milliseconds until something is due. */
static int time_left(const struct keeper *keeper)
{
	__u64 now = etcd_now(), due = ~0ULL;
	size_t i;

	if (keeper->stale)
		return 0;
	if (!keeper->watch && !keeper->listing)
		due = keeper->list_due;
	for (i = 0; i < keeper->nr; i++)
		due = keeper->kept[i].due < due ? keeper->kept[i].due : due;
	if (due <= now)
		return 0;
	return due - now < RETRY_MS ? due - now : RETRY_MS;
}

static void loop(struct keeper *keeper, int signals)
{
	struct pollfd fds[] = {
		{ .fd = etcd_fd(keeper->etcd), .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	while (!fds[1].revents) {
		list_if_due(keeper);
		renew_due(keeper);
		poll(fds, 2, time_left(keeper));
		etcd_run(keeper->etcd);
	}
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* what a member that hangs up means to TLS */
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int store_keep(const struct store_config *config)
{
	struct keeper keeper = { .config = config };
	int signals = open_signals();

	keeper.etcd = etcd_open(&config->etcd);
	if (signals < 0 || !keeper.etcd) {
		etcd_close(keeper.etcd);
		return -ENOMEM;
	}
	snprintf(keeper.prefix, sizeof(keeper.prefix), STORE_IDS "%s/", config->cluster);
	loop(&keeper, signals);
	etcd_watch_close(keeper.watch);
	etcd_close(keeper.etcd);
	close(signals);
	free(keeper.kept);
	return 0;
}
