// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that are in the store. All are read once, then a watch tells what changes. While no
 * member of etcd answers all stays as it was. What is in force is told under a lease, so that
 * a router that is gone is waited for by nobody.
 */
#include <ctype.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon.h"
#include "follow.h"
#include "store.h"

/* Seconds that the store takes the router for alive, and ms between two signs of life. */
#define LEASE_TTL	30
#define LEASE_RENEW_MS	10000
/* Until what failed is tried again. */
#define RETRY_MS	1000
/* Operations of a transaction, of which the router's own entry is one. */
#define TELL_MAX	(ETCD_TXN_MAX - 1)

int follow_open(struct follow *follow, const struct settings *settings)
{
	follow->settings = settings;
	if (!settings->etcd.nr_urls)
		return 0;
	follow->etcd = etcd_open(&settings->etcd);
	follow->stale = true;
	return follow->etcd ? 0 : -ENOMEM;
}

static void drop_job(struct follow *follow, __u32 job)
{
	if (!follow->spec[job] && !follow->bad[job])
		return;
	if (follow->spec[job])
		jobspec_free(follow->spec[job]);
	free(follow->spec[job]);
	follow->spec[job] = NULL;
	follow->revision[job] = 0;
	follow->bad[job] = false;
	follow->changed = true;
}

static void drop_jobs(struct follow *follow)
{
	__u32 job;

	for (job = 0; job <= JOBSPEC_JOB_MAX; job++)
		drop_job(follow, job);
}

void follow_close(struct follow *follow)
{
	etcd_watch_close(follow->watch);
	etcd_close(follow->etcd);
	drop_jobs(follow);
	memset(follow, 0, sizeof(*follow));
}

int follow_fd(const struct follow *follow)
{
	return follow->etcd ? etcd_fd(follow->etcd) : -1;
}

static void fail(struct follow *follow)
{
	snprintf(follow->error, sizeof(follow->error), "%s", etcd_error(follow->etcd));
	follow->retry_at = etcd_now() + RETRY_MS;
}

/* 0 of a key that is none of a job. */
static __u32 job_of(const char *key)
{
	const char *number = key + strlen(STORE_JOBS);
	unsigned long job;
	char *end;

	if (strncmp(key, STORE_JOBS, strlen(STORE_JOBS)) || !isdigit((unsigned char)*number))
		return 0;
	job = strtoul(number, &end, 10);
	return *end || job > JOBSPEC_JOB_MAX ? 0 : job;
}

static bool is_served(const struct follow *follow, const struct jobspec *spec)
{
	const char *cluster = follow->settings->cluster;

	return !*cluster || !strcmp(cluster, spec->cluster);
}

/* An entry that cannot be read leaves the job as it was. Keys of no job are number 0. */
static void take_job(struct follow *follow, const struct etcd_kv *kv)
{
	struct json_object *object = json_tokener_parse(kv->value);
	char error[JOBSPEC_ERROR_SIZE] = "no JSON";
	struct jobspec spec = { 0 };
	__u32 job = job_of(kv->key);
	int err;

	err = object ? jobspec_read_json(&spec, object, error) : -1;
	json_object_put(object);
	if (!err && spec.job != job)
		err = conf_fail(error, "job: is %u", spec.job);
	follow->bad[job] = err;
	follow->changed = true;
	if (err) {
		say("%s: %s", kv->key, error);
		jobspec_free(&spec);
		return;
	}
	drop_job(follow, job);
	if (is_served(follow, &spec))
		follow->spec[job] = malloc(sizeof(spec));
	if (!follow->spec[job]) {
		jobspec_free(&spec);
		return;
	}
	*follow->spec[job] = spec;
	follow->revision[job] = kv->mod_revision;
}

static void on_event(void *arg, enum etcd_event event, const struct etcd_kv *kv)
{
	struct follow *follow = arg;

	switch (event) {
	case ETCD_UP:
		follow->away = 0;
		follow->changed = true;
		break;
	case ETCD_DOWN:
		follow->away = follow->away ?: time(NULL);
		follow->changed = true;
		fail(follow);
		break;
	case ETCD_LOST:
		follow->stale = true;
		break;
	case ETCD_PUT:
		take_job(follow, kv);
		break;
	case ETCD_DELETE:
		drop_job(follow, job_of(kv->key));
		break;
	}
}

/* Those that are not in the store any more go, others are taken anew if they changed. */
static void take_jobs(struct follow *follow, const struct etcd_range *range)
{
	static bool seen[JOBSPEC_JOB_MAX + 1];
	__u32 job;
	size_t i;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < range->nr; i++) {
		job = job_of(range->kv[i].key);
		seen[job] = true;
		if (follow->revision[job] != range->kv[i].mod_revision)
			take_job(follow, &range->kv[i]);
	}
	for (job = 0; job <= JOBSPEC_JOB_MAX; job++) {
		if (!seen[job])
			drop_job(follow, job);
	}
}

static void on_jobs(void *arg, int err, struct json_object *reply)
{
	struct follow *follow = arg;
	struct etcd_range range = { 0 };

	follow->reading = false;
	err = err ?: etcd_range_read(reply, &range);
	if (err) {
		follow->away = follow->away ?: time(NULL);
		follow->changed = true;
		fail(follow);
		return;
	}
	take_jobs(follow, &range);
	follow->watch = etcd_watch(follow->etcd, STORE_JOBS, range.revision + 1, on_event,
				   follow);
	follow->stale = !follow->watch;
	follow->known = true;
	follow->trim = true;
	follow->away = 0;
	follow->changed = true;
	etcd_range_free(&range);
}

static void read_jobs(struct follow *follow)
{
	struct json_object *request = etcd_range_request(STORE_JOBS, true, false);

	etcd_watch_close(follow->watch);
	follow->watch = NULL;
	follow->reading = !etcd_submit(follow->etcd, "kv/range", request, on_jobs, follow);
}

/* With another lease nothing of what was told is there. */
static void lose_lease(struct follow *follow)
{
	follow->lease = ETCD_NO_LEASE;
	memset(follow->confirmed, 0, sizeof(follow->confirmed));
}

static void on_lease(void *arg, int err, struct json_object *reply)
{
	struct follow *follow = arg;
	__s64 lease, ttl;

	follow->granting = false;
	follow->renew_at = etcd_now() + (err ? RETRY_MS : LEASE_RENEW_MS);
	if (err && err != -ENOENT)
		return;
	ttl = err ? 0 : etcd_lease_read(reply, 0, &lease);
	if (ttl <= 0) {
		lose_lease(follow);
		follow->renew_at = etcd_now();
		return;
	}
	if (lease != follow->lease)
		lose_lease(follow);
	follow->lease = lease;
	follow->changed = true;
}

static void renew_lease(struct follow *follow)
{
	int err;

	if (follow->lease)
		err = etcd_renew(follow->etcd, &follow->lease, 1, on_lease, follow);
	else
		err = etcd_submit(follow->etcd, "lease/grant", etcd_grant_request(LEASE_TTL),
				  on_lease, follow);
	follow->granting = !err;
}

int follow_run(struct follow *follow)
{
	__u64 now;

	if (!follow->etcd)
		return -1;
	etcd_run(follow->etcd);
	/* a list of all jobs is many times what is kept of it */
	if (follow->trim)
		malloc_trim(0);
	follow->trim = false;
	now = etcd_now();
	if (follow->stale && !follow->reading && now >= follow->retry_at)
		read_jobs(follow);
	if (follow->known && !follow->granting && now >= follow->renew_at)
		renew_lease(follow);
	return RETRY_MS;
}

void follow_troubles(const struct follow *follow, struct troubles *troubles)
{
	char since[32];
	size_t bad = 0;
	struct tm tm;
	__u32 job;

	if (follow->away) {
		strftime(since, sizeof(since), "%FT%TZ", gmtime_r(&follow->away, &tm));
		troubles_add(troubles, "etcd does not answer since %s: %s; %s", since,
			     follow->error,
			     follow->known ? "what it said before counts" : "no job is known");
	}
	for (job = 0; job <= JOBSPEC_JOB_MAX; job++)
		bad += follow->bad[job];
	if (bad)
		troubles_add(troubles, "%zu entries of the store are no jobs", bad);
}

/* Transactions that were sent and whose result is not known yet. */
struct telling {
	struct follow *follow;
	size_t nr;
	struct {
		__u32 job;
		__s64 revision;
	} told[TELL_MAX];
};

static void on_told(void *arg, int err, struct json_object *reply)
{
	struct telling *telling = arg;
	struct follow *follow = telling->follow;
	size_t i;

	(void)reply;
	follow->telling = false;
	if (err == -ENOENT) {
		lose_lease(follow);
		follow->renew_at = 0;
	}
	for (i = 0; i < telling->nr && !err; i++)
		follow->confirmed[telling->told[i].job] = telling->told[i].revision;
	/* there may be more */
	if (!err && (follow->more || telling->nr == TELL_MAX))
		follow->changed = true;
	free(telling);
}

static void tell_job(struct telling *telling, struct etcd_txn *txn, __u32 job, __s64 revision)
{
	struct follow *follow = telling->follow;
	char key[STORE_KEY_SIZE], value[24];

	snprintf(key, sizeof(key), STORE_APPLIED "%s/%u", follow->settings->router, job);
	snprintf(value, sizeof(value), "%lld", (long long)revision);
	if (revision)
		etcd_txn_put(txn, key, value, follow->lease);
	else
		etcd_txn_delete(txn, key);
	telling->told[telling->nr].job = job;
	telling->told[telling->nr++].revision = revision;
}

static void tell_health(struct follow *follow, struct etcd_txn *txn, struct json_object *health)
{
	const char *cluster = follow->settings->cluster;
	char key[STORE_KEY_SIZE];

	snprintf(key, sizeof(key), STORE_ROUTERS "%s", follow->settings->router);
	json_object_object_add(health, "cluster", json_object_new_string(*cluster ? cluster : "*"));
	etcd_txn_put(txn, key, json_object_to_json_string_ext(health, JSON_C_TO_STRING_PLAIN),
		     follow->lease);
}

void follow_tell(struct follow *follow, const bool *in_force, struct json_object *health)
{
	struct telling *telling = NULL;
	struct etcd_txn *txn = NULL;
	__u32 job;

	follow->more = follow->telling;
	if (follow->lease && !follow->telling && !follow->away) {
		telling = calloc(1, sizeof(*telling));
		txn = etcd_txn_new();
	}
	if (!telling || !txn) {
		free(telling);
		json_object_put(health);
		return;
	}
	telling->follow = follow;
	for (job = 1; job <= JOBSPEC_JOB_MAX && telling->nr < TELL_MAX; job++) {
		__s64 revision = in_force[job] ? follow->revision[job] : 0;

		if (follow->confirmed[job] != revision)
			tell_job(telling, txn, job, revision);
	}
	tell_health(follow, txn, health);
	json_object_put(health);
	follow->telling = !etcd_submit(follow->etcd, "kv/txn", etcd_txn_request(txn), on_told,
				       telling);
	if (!follow->telling)
		free(telling);
}
