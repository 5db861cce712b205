/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A client of etcd v3 by its JSON gateway. Nothing in it blocks but etcd_call() and what
 * says that it calls it: a loop of one's own waits for etcd_fd() and calls etcd_run().
 */
#ifndef _SYMPHONY_ETCD_H
#define _SYMPHONY_ETCD_H

#include <json-c/json.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Members of a cluster that may be named. */
#define ETCD_URLS_MAX		16

/* Seconds of a limit, if none is given. */
#define ETCD_LIMIT_S		10

/* What etcd_config_set() takes, for complaints. */
#define ETCD_CONFIG_KEYS	"etcd, cacert, cert, key, limit"

/* No lease. */
#define ETCD_NO_LEASE		0

/* As many operations a transaction may have with etcd's own defaults. */
#define ETCD_TXN_MAX		128

/**
 * struct etcd_config - where etcd is
 * @urls: of its members, http or https
 * @nr_urls: of them
 * @cacert: file with the authority that signed the members' certificates, or NULL for the
 *	system's
 * @cert: file with the client's certificate, or NULL
 * @key: file with its key, or NULL
 * @limit_ms: after which a call that no member has answered has failed
 */
struct etcd_config {
	char *urls[ETCD_URLS_MAX];
	size_t nr_urls;
	char *cacert;
	char *cert;
	char *key;
	unsigned int limit_ms;
};

/**
 * struct etcd_kv - a key
 * @key: its name
 * @value: what it holds; binary zeros end it
 * @create_revision: the store's revision when it was made
 * @mod_revision: when it was last written; of a deletion, that
 * @lease: it ends with this, or %ETCD_NO_LEASE
 */
struct etcd_kv {
	char *key;
	char *value;
	__s64 create_revision;
	__s64 mod_revision;
	__s64 lease;
};

/**
 * struct etcd_range - keys, in their order
 * @kv: each
 * @nr: of them
 * @count: as @nr, but also of keys that were only counted
 * @revision: the store's, at which this was so
 */
struct etcd_range {
	struct etcd_kv *kv;
	size_t nr;
	size_t count;
	__s64 revision;
};

/**
 * etcd_config_set() - let a key of a configuration have a value
 * @config: changed; to be freed with etcd_config_free()
 * @key: one of %ETCD_CONFIG_KEYS
 * @value: of etcd: URLs with commas between them, which add up; of limit: seconds
 * @error: %CONF_ERROR_SIZE bytes
 *
 * Return: 0; 1 if the key is none of these; -1 after a sentence.
 */
int etcd_config_set(struct etcd_config *config, const char *key, const char *value, char *error);

/**
 * etcd_config_free() - forget a configuration
 * @config: all zero afterwards
 */
void etcd_config_free(struct etcd_config *config);

/**
 * etcd_now() - the time that only goes forward
 *
 * Return: milliseconds.
 */
__u64 etcd_now(void);

struct etcd;
struct etcd_txn;
struct etcd_watch;

/**
 * etcd_open() - prepare, connect to nothing yet
 * @config: where etcd is, with at least one URL; stays as it is until etcd_close()
 *
 * Return: the client, to be closed with etcd_close(); NULL without memory.
 */
struct etcd *etcd_open(const struct etcd_config *config);

/**
 * etcd_close() - close; calls in flight end without a word
 * @etcd: client, or NULL. Its watches are to be closed before
 */
void etcd_close(struct etcd *etcd);

/**
 * etcd_error() - what the last call that failed complained of
 * @etcd: client
 *
 * Return: a line without a full stop.
 */
const char *etcd_error(const struct etcd *etcd);

/**
 * etcd_fd() - what to wait for
 * @etcd: client
 *
 * Return: a descriptor that can be read when etcd_run() has something to do.
 */
int etcd_fd(const struct etcd *etcd);

/**
 * etcd_run() - do what there is to do, without blocking
 * @etcd: client
 *
 * Calls the functions that were handed to etcd_submit() and etcd_watch().
 */
void etcd_run(struct etcd *etcd);

/**
 * typedef etcd_done_fn - a call has ended
 * @arg: what etcd_submit() was given
 * @err: 0; -ENOENT if etcd says that something is not there; -ETIMEDOUT if no member
 *	answered in time; -EIO if etcd or TLS refused. etcd_error() has the sentence
 * @reply: objects of the reply in an array, valid until the function returns
 *
 * May submit other calls; may not close the client.
 */
typedef void (*etcd_done_fn)(void *arg, int err, struct json_object *reply);

/**
 * etcd_submit() - call etcd: the next member if one does not answer, until the limit
 * @etcd: client
 * @path: of the call behind /v3/, such as "kv/range"
 * @request: is put
 * @done: called once by etcd_run()
 * @arg: for it
 *
 * A member that did not answer may have done what it was asked: the request must be one
 * that may be repeated.
 *
 * Return: 0 or -ENOMEM, and then @done is not called.
 */
int etcd_submit(struct etcd *etcd, const char *path, struct json_object *request,
		etcd_done_fn done, void *arg);

/**
 * etcd_call() - etcd_submit(), and wait for its end
 * @etcd: client
 * @path: as there
 * @request: as there
 * @reply: the objects of the reply, to be put; NULL after an error
 *
 * Return: as &etcd_done_fn has it, or -ENOMEM.
 */
int etcd_call(struct etcd *etcd, const char *path, struct json_object *request,
	      struct json_object **reply);

/**
 * etcd_range_request() - ask kv/range for a key, or for all that begin alike
 * @key: name or its beginning
 * @prefix: it is a beginning
 * @keys_only: without values
 *
 * Return: the request.
 */
struct json_object *etcd_range_request(const char *key, bool prefix, bool keys_only);

/**
 * etcd_interval_request() - ask kv/range for keys from one to before another
 * @from: name
 * @to: name of the first that is not meant
 * @count: count them only; else without values
 *
 * Return: the request.
 */
struct json_object *etcd_interval_request(const char *from, const char *to, bool count);

/**
 * etcd_range_read() - read what kv/range answered
 * @reply: its reply
 * @range: result, to be freed with etcd_range_free()
 *
 * Return: 0 or -ENOMEM.
 */
int etcd_range_read(struct json_object *reply, struct etcd_range *range);

/**
 * etcd_range_free() - free keys
 * @range: is empty afterwards
 */
void etcd_range_free(struct etcd_range *range);

/**
 * etcd_get() - read a key, or all that begin alike; blocks
 * @etcd: client
 * @key: as for etcd_range_request()
 * @prefix: as there
 * @keys_only: as there
 * @range: as for etcd_range_read()
 *
 * Return: as etcd_call().
 */
int etcd_get(struct etcd *etcd, const char *key, bool prefix, bool keys_only,
	     struct etcd_range *range);

/**
 * etcd_put_request() - ask kv/put to write a key
 * @key: name
 * @value: value
 * @lease: with which it ends, or %ETCD_NO_LEASE
 *
 * Return: the request.
 */
struct json_object *etcd_put_request(const char *key, const char *value, __s64 lease);

/**
 * etcd_grant() - take a lease; blocks
 * @etcd: client
 * @ttl: seconds; etcd makes very few of them more
 * @lease: result
 *
 * Return: as etcd_call().
 */
int etcd_grant(struct etcd *etcd, unsigned int ttl, __s64 *lease);

/**
 * etcd_revoke() - end a lease and its keys; blocks. One that is not there is fine
 * @etcd: client
 * @lease: lease
 *
 * Return: as etcd_call().
 */
int etcd_revoke(struct etcd *etcd, __s64 lease);

/**
 * etcd_grant_request() - ask lease/grant for a lease
 * @ttl: seconds
 *
 * Return: the request.
 */
struct json_object *etcd_grant_request(unsigned int ttl);

/**
 * etcd_lease_read() - read what lease/grant or lease/keepalive answered of a lease
 * @reply: its reply
 * @at: which of several, from 0
 * @lease: result
 *
 * Return: seconds that it has from now on; 0 if it has ended; -1 if there is no answer at @at.
 */
__s64 etcd_lease_read(struct json_object *reply, size_t at, __s64 *lease);

/**
 * etcd_renew() - renew leases in one call of lease/keepalive
 * @etcd: client
 * @leases: leases
 * @nr: of them
 * @done: as for etcd_submit()
 * @arg: as there
 *
 * Return: as etcd_submit().
 */
int etcd_renew(struct etcd *etcd, const __s64 *leases, size_t nr, etcd_done_fn done, void *arg);

/**
 * etcd_txn_new() - begin a transaction
 *
 * Return: it, to be handed to etcd_txn_commit() or etcd_txn_request(); NULL without memory.
 */
struct etcd_txn *etcd_txn_new(void);

/**
 * etcd_txn_if() - only if a key was last written at a revision
 * @txn: transaction
 * @key: name
 * @mod_revision: revision, 0 of a key that is not there
 */
void etcd_txn_if(struct etcd_txn *txn, const char *key, __s64 mod_revision);

/**
 * etcd_txn_put() - then write a key
 * @txn: transaction
 * @key: as for etcd_put_request()
 * @value: as there
 * @lease: as there
 */
void etcd_txn_put(struct etcd_txn *txn, const char *key, const char *value, __s64 lease);

/**
 * etcd_txn_delete() - then delete a key
 * @txn: transaction
 * @key: name
 */
void etcd_txn_delete(struct etcd_txn *txn, const char *key);

/**
 * etcd_txn_get() - then read
 * @txn: transaction
 * @request: of etcd_range_request(), is put
 */
void etcd_txn_get(struct etcd_txn *txn, struct json_object *request);

/**
 * etcd_txn_request() - what kv/txn is asked for
 * @txn: is freed
 *
 * Return: the request.
 */
struct json_object *etcd_txn_request(struct etcd_txn *txn);

/**
 * etcd_txn_done() - whether a transaction's conditions were met, and so all was done
 * @reply: of it
 *
 * Return: true if so; else nothing was done.
 */
bool etcd_txn_done(struct json_object *reply);

/**
 * etcd_txn_revision() - the store's revision after a transaction
 * @reply: of it
 *
 * Return: the revision, at which all was written that it wrote.
 */
__s64 etcd_txn_revision(struct json_object *reply);

/**
 * etcd_txn_commit() - commit; blocks
 * @etcd: client
 * @txn: is freed
 * @reply: result for etcd_txn_done() and etcd_txn_read(), to be put
 *
 * Return: as etcd_call().
 */
int etcd_txn_commit(struct etcd *etcd, struct etcd_txn *txn, struct json_object **reply);

/**
 * etcd_txn_read() - read what an etcd_txn_get() of a transaction answered
 * @reply: of the transaction
 * @at: which operation, from 0
 * @range: as for etcd_range_read()
 *
 * Return: as etcd_range_read().
 */
int etcd_txn_read(struct json_object *reply, size_t at, struct etcd_range *range);

/**
 * enum etcd_event - what a watch tells
 * @ETCD_UP: it is established, at first or again; nothing was missed
 * @ETCD_PUT: a key was written
 * @ETCD_DELETE: a key was deleted, or its lease has ended
 * @ETCD_DOWN: no member answers; what the store had may have changed meanwhile, and will
 *	be told after %ETCD_UP
 * @ETCD_LOST: what happened was compacted, or the store is another one. The watch has
 *	ended: close it, read the keys anew and watch from there
 */
enum etcd_event {
	ETCD_UP,
	ETCD_PUT,
	ETCD_DELETE,
	ETCD_DOWN,
	ETCD_LOST,
};

/**
 * typedef etcd_event_fn - something happened
 * @arg: what etcd_watch() was given
 * @event: what
 * @kv: the key of %ETCD_PUT and %ETCD_DELETE, valid until the function returns; NULL of
 *	others
 *
 * May submit calls; may not close the watch.
 */
typedef void (*etcd_event_fn)(void *arg, enum etcd_event event, const struct etcd_kv *kv);

/**
 * etcd_watch() - hear of all changes of keys that begin alike, in their order
 * @etcd: client
 * @prefix: their beginning
 * @revision: of the first change to be told: that of an &struct etcd_range, and one
 * @event: called by etcd_run()
 * @arg: for it
 *
 * Ends never by itself: a member that falls silent, has no leader or is gone is left for
 * the next.
 *
 * Return: the watch, to be closed with etcd_watch_close(); NULL without memory.
 */
struct etcd_watch *etcd_watch(struct etcd *etcd, const char *prefix, __s64 revision,
			      etcd_event_fn event, void *arg);

/**
 * etcd_watch_close() - hear no more
 * @watch: watch, or NULL
 */
void etcd_watch_close(struct etcd_watch *watch);

#endif
