// SPDX-License-Identifier: GPL-2.0
/* Jobs of clusters in etcd: numbers are given and taken back by transactions. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "store.h"

/* Numbers are counted in blocks: a list of all would be long, and etcd slow to write it. */
#define BLOCK_SIZE	128
#define BLOCKS		(JOBSPEC_JOB_MAX / BLOCK_SIZE + 1)

/* Those who lost a number spread over so many of the next at most. */
#define SPREAD_MAX	1024

/* Then the store is not what this takes it for. */
#define LOSSES_MAX	100

struct store *store_open(const struct store_config *config)
{
	struct store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->config = config;
	store->etcd = etcd_open(&config->etcd);
	if (!store->etcd) {
		free(store);
		return NULL;
	}
	return store;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	etcd_close(store->etcd);
	free(store);
}

const char *store_error(const struct store *store)
{
	return store->error;
}

static int __printf(3, 4) fail(struct store *store, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(store->error, sizeof(store->error), format, args);
	va_end(args);
	return err;
}

int store_check(struct store *store, int err)
{
	if (err == -ENOMEM)
		return fail(store, err, "no memory");
	return err ? fail(store, err, "etcd: %s", etcd_error(store->etcd)) : 0;
}

static char *job_key(char *key, __u32 job)
{
	snprintf(key, STORE_KEY_SIZE, STORE_JOBS "%u", job);
	return key;
}

/* The order of these keys is that of the numbers. */
static char *used_key(char *key, __u32 job)
{
	snprintf(key, STORE_KEY_SIZE, STORE_USED "%04u", job);
	return key;
}

static char *id_key(char *key, const char *cluster, const char *id)
{
	snprintf(key, STORE_KEY_SIZE, STORE_IDS "%s/%s", cluster, id);
	return key;
}

bool store_claim_read(const struct etcd_kv *kv, struct store_claim *claim)
{
	struct json_object *object = json_tokener_parse(kv->value);
	struct json_object *job, *used;
	bool whole;

	whole = json_object_object_get_ex(object, "job", &job) &&
		json_object_object_get_ex(object, "used", &used);
	if (whole) {
		claim->job = json_object_get_int(job);
		claim->used = json_object_get_int64(used);
		claim->lease = kv->lease;
		claim->revision = kv->mod_revision;
	}
	json_object_put(object);
	return whole;
}

/* What an ID has; a number of 0 if it has none. */
static int read_claim(struct store *store, const struct etcd_range *range,
		      struct store_claim *claim)
{
	memset(claim, 0, sizeof(*claim));
	if (range->nr && !store_claim_read(&range->kv[0], claim))
		return fail(store, -EIO, "%s: not what belongs there", range->kv[0].key);
	return 0;
}

static __u32 random_below(__u32 bound)
{
	__u32 number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0)
		return 0;
	return number % bound;
}

static struct json_object *block_request(unsigned int block, bool count)
{
	char from[STORE_KEY_SIZE], to[STORE_KEY_SIZE];

	return etcd_interval_request(used_key(from, block * BLOCK_SIZE),
				     used_key(to, (block + 1) * BLOCK_SIZE), count);
}

/* 0 is no number, and the last are not for jobs. */
static bool is_number(__u32 job)
{
	return job && job <= JOBSPEC_JOB_MAX;
}

static unsigned int numbers_of(unsigned int block)
{
	unsigned int i, nr = 0;

	for (i = 0; i < BLOCK_SIZE; i++)
		nr += is_number(block * BLOCK_SIZE + i);
	return nr;
}

/* What an ID has, and how many numbers of each block are taken, of one moment. */
static int look(struct store *store, const struct jobspec *spec, struct store_claim *claim,
		size_t *taken)
{
	struct etcd_txn *txn = etcd_txn_new();
	char key[STORE_KEY_SIZE];
	struct json_object *reply;
	struct etcd_range range;
	unsigned int block;
	int err;

	if (!txn)
		return store_check(store, -ENOMEM);
	etcd_txn_get(txn, etcd_range_request(id_key(key, spec->cluster, spec->id), false, false));
	for (block = 0; block < BLOCKS; block++)
		etcd_txn_get(txn, block_request(block, true));
	err = etcd_txn_commit(store->etcd, txn, &reply);
	err = store_check(store, err ?: etcd_txn_read(reply, 0, &range));
	if (!err) {
		err = read_claim(store, &range, claim);
		etcd_range_free(&range);
	}
	for (block = 0; block < BLOCKS && !err; block++) {
		err = store_check(store, etcd_txn_read(reply, block + 1, &range));
		taken[block] = range.count;
	}
	json_object_put(reply);
	return err;
}

/* The block of the free number before which so many others are free, or the last with one. */
static int find_block(const size_t *taken, size_t *before)
{
	size_t skip = *before, nr_free;
	unsigned int block;
	int last = -1;

	for (block = 0; block < BLOCKS; block++) {
		nr_free = numbers_of(block) - taken[block];
		if (!nr_free)
			continue;
		last = block;
		*before = skip < nr_free ? skip : nr_free - 1;
		if (skip < nr_free)
			break;
		skip -= nr_free;
	}
	return last;
}

/* As find_block(), in a block; 0 if all have been taken meanwhile. */
static __u32 find_number(unsigned int block, const struct etcd_range *used, size_t before)
{
	bool taken[BLOCK_SIZE] = { false };
	__u32 job, last = 0;
	unsigned int i;

	for (i = 0; i < used->nr; i++)
		taken[strtoul(used->kv[i].key + strlen(STORE_USED), NULL, 10) % BLOCK_SIZE] = true;
	for (i = 0; i < BLOCK_SIZE; i++) {
		job = block * BLOCK_SIZE + i;
		if (taken[i] || !is_number(job))
			continue;
		last = job;
		if (!before--)
			break;
	}
	return last;
}

/* The lowest number, for who has lost so often one of the next; 0 for losing once more. */
static int choose_number(struct store *store, const size_t *taken, unsigned int losses,
			 __u32 *job)
{
	size_t before = random_below(losses < 4 ? 1U << 3 * losses : SPREAD_MAX);
	int block = find_block(taken, &before);
	struct json_object *reply;
	struct etcd_range used;
	int err;

	if (block < 0)
		return fail(store, -ENOSPC,
			    "no number is free: all %u are of jobs or in their grace period",
			    JOBSPEC_JOB_MAX);
	err = etcd_call(store->etcd, "kv/range", block_request(block, false), &reply);
	err = store_check(store, err ?: etcd_range_read(reply, &used));
	json_object_put(reply);
	if (err)
		return err;
	*job = find_number(block, &used, before);
	etcd_range_free(&used);
	return 0;
}

static int commit(struct store *store, struct etcd_txn *txn, bool *done, __s64 *revision)
{
	struct json_object *reply;
	int err;

	err = store_check(store, etcd_txn_commit(store->etcd, txn, &reply));
	if (!err) {
		*done = etcd_txn_done(reply);
		*revision = etcd_txn_revision(reply);
	}
	json_object_put(reply);
	return err;
}

static void put_job(struct etcd_txn *txn, const struct jobspec *spec, __s64 lease)
{
	struct json_object *object = jobspec_to_json(spec);
	char key[STORE_KEY_SIZE];

	etcd_txn_put(txn, job_key(key, spec->job),
		     json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), lease);
	json_object_put(object);
}

static void put_claim(struct etcd_txn *txn, const struct jobspec *spec,
		      const struct store_claim *claim)
{
	char key[STORE_KEY_SIZE], value[64];

	snprintf(value, sizeof(value), "{\"job\":%u,\"used\":\"%lld\"}", spec->job, claim->used);
	etcd_txn_put(txn, id_key(key, spec->cluster, spec->id), value, claim->lease);
}

static void put_used(struct etcd_txn *txn, __u32 job, const char *cluster, const char *id,
		     __s64 lease)
{
	char key[STORE_KEY_SIZE], value[2 * JOBSPEC_NAME_SIZE + 32];

	snprintf(value, sizeof(value), "{\"cluster\":\"%s\",\"id\":\"%s\"}", cluster, id);
	etcd_txn_put(txn, used_key(key, job), value, lease);
}

/* The leases end by themselves, should this fail. */
static void drop_leases(struct store *store, const struct store_claim *claim)
{
	if (claim->lease)
		etcd_revoke(store->etcd, claim->lease);
	if (claim->used)
		etcd_revoke(store->etcd, claim->used);
}

/*
 * A keeper renews the number's lease first, and the job's only if that was no longer than a
 * time to live ago. So whenever the job's ends, the number's has the grace period left.
 */
static int take_leases(struct store *store, struct store_claim *claim)
{
	const struct store_config *config = store->config;
	int err;

	err = etcd_grant(store->etcd, 2 * config->ttl + config->grace, &claim->used);
	err = err ?: etcd_grant(store->etcd, config->ttl, &claim->lease);
	return store_check(store, err);
}

static int try_number(struct store *store, struct jobspec *spec, const struct store_claim *claim,
		      bool *done, __s64 *revision)
{
	struct etcd_txn *txn = etcd_txn_new();
	char key[STORE_KEY_SIZE];

	if (!txn)
		return store_check(store, -ENOMEM);
	etcd_txn_if(txn, id_key(key, spec->cluster, spec->id), 0);
	etcd_txn_if(txn, used_key(key, spec->job), 0);
	etcd_txn_if(txn, job_key(key, spec->job), 0);
	put_job(txn, spec, claim->lease);
	put_claim(txn, spec, claim);
	put_used(txn, spec->job, spec->cluster, spec->id, claim->used);
	return commit(store, txn, done, revision);
}

/* Whether an entry says what it is to say. */
static bool is_current(const struct etcd_kv *kv, const struct jobspec *spec)
{
	struct json_object *object = jobspec_to_json(spec);
	bool current;

	current = !strcmp(kv->value, json_object_to_json_string_ext(object,
								    JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	return current;
}

/* Of a job that has a number: change its entry if it says something else. */
static int update(struct store *store, struct jobspec *spec, const struct store_claim *claim,
		  bool *done, __s64 *revision)
{
	struct etcd_range range;
	char key[STORE_KEY_SIZE];
	struct etcd_txn *txn;
	int err;

	spec->job = claim->job;
	job_key(key, spec->job);
	err = store_check(store, etcd_get(store->etcd, key, false, false, &range));
	if (err)
		return err;
	*done = range.nr && is_current(&range.kv[0], spec);
	*revision = *done ? range.kv[0].mod_revision : 0;
	etcd_range_free(&range);
	if (*done)
		return 0;
	txn = etcd_txn_new();
	if (!txn)
		return store_check(store, -ENOMEM);
	etcd_txn_if(txn, id_key(key, spec->cluster, spec->id), claim->revision);
	put_job(txn, spec, claim->lease);
	return commit(store, txn, done, revision);
}

/* Of a job that has no number. */
static int give(struct store *store, struct jobspec *spec, const size_t *taken, unsigned int losses,
		struct store_claim *mine, bool *done, __s64 *revision)
{
	int err;

	err = choose_number(store, taken, losses, &spec->job);
	if (err || !spec->job)
		return err;
	if (!mine->lease)
		err = take_leases(store, mine);
	err = err ?: try_number(store, spec, mine, done, revision);
	if (!err && *done)
		memset(mine, 0, sizeof(*mine));
	return err;
}

/* One round; it is not @done if somebody else changed the store meanwhile. */
static int add_once(struct store *store, struct jobspec *spec, unsigned int losses,
		    struct store_claim *mine, bool *done, __s64 *revision)
{
	struct store_claim claim;
	size_t taken[BLOCKS];
	int err;

	err = look(store, spec, &claim, taken);
	if (err)
		return err;
	if (!claim.job)
		return give(store, spec, taken, losses, mine, done, revision);
	/* what was thought lost had been done */
	if (claim.lease == mine->lease)
		memset(mine, 0, sizeof(*mine));
	return update(store, spec, &claim, done, revision);
}

int store_add(struct store *store, struct jobspec *spec, __s64 *revision)
{
	struct store_claim mine = { 0 };
	unsigned int losses = 0;
	bool done = false;
	int err = 0;

	while (!err && !done) {
		if (losses == LOSSES_MAX)
			err = fail(store, -EAGAIN, "others were faster, %u times", losses);
		else
			err = add_once(store, spec, losses++, &mine, &done, revision);
	}
	/* after another failure the number may have been given: it stays taken until they end */
	if (!err || err == -ENOSPC)
		drop_leases(store, &mine);
	return err;
}

/* One round of a deletion; as add_once(). */
static int del_once(struct store *store, const char *cluster, const char *id,
		    struct store_claim *claim, bool *done)
{
	char key[STORE_KEY_SIZE];
	struct etcd_range range;
	struct etcd_txn *txn;
	__s64 revision, grace;
	int err;

	id_key(key, cluster, id);
	err = store_check(store, etcd_get(store->etcd, key, false, false, &range));
	if (err)
		return err;
	err = read_claim(store, &range, claim);
	etcd_range_free(&range);
	*done = !claim->job;
	if (err || *done)
		return err;
	err = store_check(store, etcd_grant(store->etcd, store->config->grace, &grace));
	if (err)
		return err;
	txn = etcd_txn_new();
	if (!txn)
		return store_check(store, -ENOMEM);
	etcd_txn_if(txn, key, claim->revision);
	etcd_txn_delete(txn, key);
	etcd_txn_delete(txn, job_key(key, claim->job));
	put_used(txn, claim->job, cluster, id, grace);
	return commit(store, txn, done, &revision);
}

int store_del(struct store *store, const char *cluster, const char *id, __u32 *job)
{
	struct store_claim claim;
	unsigned int losses = 0;
	bool done = false;
	int err = 0;

	while (!err && !done) {
		if (losses++ == LOSSES_MAX)
			err = fail(store, -EAGAIN, "others change the job all the time");
		else
			err = del_once(store, cluster, id, &claim, &done);
	}
	if (err)
		return err;
	drop_leases(store, &claim);
	*job = claim.job;
	return 0;
}

static int compare_jobs(const void *a, const void *b)
{
	const struct jobspec *one = a, *other = b;

	return one->job < other->job ? -1 : one->job > other->job;
}

/* The jobs of keys, sorted. */
static size_t read_jobs(const struct etcd_range *range, struct jobspec *specs)
{
	char error[CONF_ERROR_SIZE];
	struct json_object *object;
	size_t i, nr = 0;

	for (i = 0; i < range->nr; i++) {
		object = json_tokener_parse(range->kv[i].value);
		if (jobspec_read_json(&specs[nr], object, error)) {
			fprintf(stderr, "symphony: %s: %s\n", range->kv[i].key, error);
			jobspec_free(&specs[nr]);
		} else {
			nr++;
		}
		json_object_put(object);
	}
	qsort(specs, nr, sizeof(*specs), compare_jobs);
	return nr;
}

int store_list(struct store *store, void (*each)(void *arg, const struct jobspec *spec), void *arg)
{
	struct jobspec *specs;
	struct etcd_range range;
	size_t i, nr;
	int err;

	err = store_check(store, etcd_get(store->etcd, STORE_JOBS, true, false, &range));
	if (err)
		return err;
	specs = calloc(range.nr + 1, sizeof(*specs));
	nr = specs ? read_jobs(&range, specs) : 0;
	etcd_range_free(&range);
	for (i = 0; i < nr; i++) {
		each(arg, &specs[i]);
		jobspec_free(&specs[i]);
	}
	err = specs ? 0 : store_check(store, -ENOMEM);
	free(specs);
	return err;
}
