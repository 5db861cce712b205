/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs of clusters in etcd: who has which number, and since when routers know.
 *
 *	/symphony/jobs/NUMBER		the job as JSON, under the job's lease
 *	/symphony/ids/CLUSTER/ID	its number and the other lease, under the same lease
 *	/symphony/used/NUMBER		whose number it is, under a lease that ends later by a
 *					grace period: so long nobody else gets the number
 *	/symphony/routers/NAME		a router that is alive, written by its symphonyd
 *	/symphony/applied/NAME/NUMBER	revision of the job's entry that is in force there
 */
#ifndef _SYMPHONY_STORE_H
#define _SYMPHONY_STORE_H

#include "etcd.h"
#include "jobspec.h"

#define STORE_CONF		"/etc/symphony/store.conf"

/* Beginnings of keys. */
#define STORE_JOBS		"/symphony/jobs/"
#define STORE_IDS		"/symphony/ids/"
#define STORE_USED		"/symphony/used/"
#define STORE_ROUTERS		"/symphony/routers/"
#define STORE_APPLIED		"/symphony/applied/"
/* Longest key and its end. */
#define STORE_KEY_SIZE		(2 * JOBSPEC_NAME_SIZE + 32)

/* Whose jobs they are if nothing says so. */
#define STORE_CLUSTER		"default"

/* Seconds. */
#define STORE_TTL		60
#define STORE_GRACE		60
#define STORE_TIME_MAX		86400

/**
 * struct store_config - where the store is and what counts in it
 * @etcd: where etcd is
 * @cluster: whose jobs these are
 * @ttl: seconds that a job stays if nobody keeps it
 * @grace: seconds that its number then stays taken
 */
struct store_config {
	struct etcd_config etcd;
	char cluster[JOBSPEC_NAME_SIZE];
	unsigned int ttl;
	unsigned int grace;
};

/**
 * store_config_set() - let a key have a value
 * @config: changed
 * @key: one of %ETCD_CONFIG_KEYS, cluster, ttl, grace
 * @value: value
 * @error: %CONF_ERROR_SIZE bytes
 *
 * Return: 0; 1 if the key is none of these; -1 after a sentence.
 */
int store_config_set(struct store_config *config, const char *key, const char *value, char *error);

/**
 * store_config_finish() - add what was not set: from the environment's SYMPHONY_ETCD, the
 *	file that SYMPHONY_STORE_CONF names or %STORE_CONF, and the defaults
 * @config: changed; to be freed with store_config_free(), also after a failure
 * @error: %CONF_ERROR_SIZE bytes
 *
 * Return: 0, or -1 after a sentence.
 */
int store_config_finish(struct store_config *config, char *error);

/**
 * store_config_free() - forget a configuration
 * @config: all zero afterwards
 */
void store_config_free(struct store_config *config);

/**
 * struct store - a store
 * @config: where it is and what counts in it
 * @etcd: client
 * @error: what the last function that failed complained of
 */
struct store {
	const struct store_config *config;
	struct etcd *etcd;
	char error[CONF_ERROR_SIZE];
};

/**
 * store_open() - prepare, connect to nothing yet
 * @config: stays as it is until store_close()
 *
 * Return: the store, NULL without memory.
 */
struct store *store_open(const struct store_config *config);

/**
 * store_close() - close
 * @store: store, or NULL
 */
void store_close(struct store *store);

/**
 * store_check() - keep the sentence of what failed
 * @store: store
 * @err: of a function of &struct etcd
 *
 * Return: @err.
 */
int store_check(struct store *store, int err);

/**
 * store_error() - what the last function that failed complained of
 * @store: store
 *
 * Return: a line without a full stop.
 */
const char *store_error(const struct store *store);

/**
 * store_add() - give a job a number, unless its cluster and ID have one
 * @store: store
 * @spec: job without a number, which is put there. One that has a number gets the hosts and
 *	overrides of this
 * @revision: result: of its entry, which routers are to confirm
 *
 * The number is the lowest that is free. Of several schedulers that want it at once one
 * gets it, and others one of the next.
 *
 * Return: 0 or a negative errno: -ENOSPC if no number is free.
 */
int store_add(struct store *store, struct jobspec *spec, __s64 *revision);

/**
 * store_del() - end a job; its number stays taken for the grace period
 * @store: store
 * @cluster: of it
 * @id: of it
 * @job: result: the number that it had, 0 if it had none, which is fine
 *
 * Return: 0 or a negative errno.
 */
int store_del(struct store *store, const char *cluster, const char *id, __u32 *job);

/**
 * store_list() - all jobs of all clusters, by number
 * @store: store
 * @each: called for each; an entry that cannot be read is passed over with a complaint
 * @arg: for it
 *
 * Return: 0 or a negative errno.
 */
int store_list(struct store *store, void (*each)(void *arg, const struct jobspec *spec),
	       void *arg);

/**
 * struct store_claim - what a cluster's ID has: a number and two leases
 * @job: number
 * @lease: of the job's entry and of this
 * @used: of the number
 * @revision: at which this was written
 */
struct store_claim {
	__u32 job;
	__s64 lease;
	__s64 used;
	__s64 revision;
};

/**
 * store_claim_read() - read the value of a key below %STORE_IDS
 * @kv: key
 * @claim: result
 *
 * Return: true if it is one.
 */
bool store_claim_read(const struct etcd_kv *kv, struct store_claim *claim);

/**
 * struct store_waiting - how far the routers are
 * @routers: that are alive and of the job's cluster, or of all
 * @missing: of them, that have not confirmed
 * @names: of a few of these
 */
struct store_waiting {
	size_t routers;
	size_t missing;
	char names[128];
};

/**
 * store_wait() - wait until there are routers and all have put a job in force
 * @store: store
 * @spec: job
 * @revision: of its entry
 * @seconds: longest time
 * @waiting: result: how far they are
 *
 * Return: 0; 1 if some are missing, or there is none; or a negative errno.
 */
int store_wait(struct store *store, const struct jobspec *spec, __s64 revision,
	       unsigned int seconds, struct store_waiting *waiting);

/**
 * store_keep() - renew the leases of a cluster's jobs, until SIGINT or SIGTERM
 * @config: where the store is, and the cluster
 *
 * Says on standard error what it cannot do, and goes on.
 *
 * Return: 0, or -ENOMEM.
 */
int store_keep(const struct store_config *config);

#endif
