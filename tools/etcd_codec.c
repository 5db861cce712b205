// SPDX-License-Identifier: GPL-2.0
/* Requests and replies of etcd as the JSON gateway has them: bytes are base64. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etcd_codec.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes as four digits. */
static void encode_group(const unsigned char *bytes, size_t nr, char *text)
{
	__u32 bits = bytes[0] << 16;

	if (nr > 1)
		bits |= bytes[1] << 8;
	if (nr > 2)
		bits |= bytes[2];
	text[0] = digits[bits >> 18];
	text[1] = digits[bits >> 12 & 63];
	text[2] = nr > 1 ? digits[bits >> 6 & 63] : '=';
	text[3] = nr > 2 ? digits[bits & 63] : '=';
}

static struct json_object *encode(const char *bytes, size_t len)
{
	struct json_object *object;
	char *text;
	size_t i;

	text = malloc((len + 2) / 3 * 4 + 1);
	if (!text)
		return NULL;
	for (i = 0; i < len; i += 3)
		encode_group((const unsigned char *)bytes + i, len - i, text + i / 3 * 4);
	object = json_object_new_string_len(text, (len + 2) / 3 * 4);
	free(text);
	return object;
}

static char *decode(const char *text)
{
	char *bytes = malloc(strlen(text) / 4 * 3 + 1);
	const char *digit;
	__u32 bits = 0;
	unsigned int nr;
	size_t len = 0;

	if (!bytes)
		return NULL;
	for (nr = 0; *text && (digit = strchr(digits, *text)); text++) {
		bits = bits << 6 | (digit - digits);
		if (nr++ % 4)
			bytes[len++] = bits >> (6 - 2 * ((nr - 1) % 4));
	}
	bytes[len] = '\0';
	return bytes;
}

static void add_bytes(struct json_object *object, const char *name, const char *bytes)
{
	json_object_object_add(object, name, encode(bytes, strlen(bytes)));
}

/* As text, which the gateway reads as well, and jq without loss. */
static void add_int(struct json_object *object, const char *name, __s64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	json_object_object_add(object, name, json_object_new_string(text));
}

__s64 etcd_int(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) ? json_object_get_int64(value) : 0;
}

static char *get_bytes(struct json_object *object, const char *name)
{
	struct json_object *value;

	return decode(json_object_object_get_ex(object, name, &value) ?
		      json_object_get_string(value) : "");
}

int etcd_kv_read(struct json_object *object, struct etcd_kv *kv)
{
	kv->key = get_bytes(object, "key");
	kv->value = get_bytes(object, "value");
	kv->create_revision = etcd_int(object, "create_revision");
	kv->mod_revision = etcd_int(object, "mod_revision");
	kv->lease = etcd_int(object, "lease");
	return kv->key && kv->value ? 0 : -ENOMEM;
}

void etcd_kv_release(struct etcd_kv *kv)
{
	free(kv->key);
	free(kv->value);
}

struct json_object *etcd_range_request(const char *key, bool prefix, bool keys_only)
{
	struct json_object *request = json_object_new_object();
	size_t len = strlen(key);
	char *end;

	add_bytes(request, "key", key);
	if (prefix) {
		end = strdup(key);
		if (end && len) {
			end[len - 1]++;
			add_bytes(request, "range_end", end);
		}
		free(end);
	}
	if (keys_only)
		json_object_object_add(request, "keys_only", json_object_new_boolean(true));
	return request;
}

struct json_object *etcd_interval_request(const char *from, const char *to, bool count)
{
	struct json_object *request = json_object_new_object();

	add_bytes(request, "key", from);
	add_bytes(request, "range_end", to);
	json_object_object_add(request, count ? "count_only" : "keys_only",
			       json_object_new_boolean(true));
	return request;
}

/* Of an answer to a range, alone or in a transaction. */
static int read_keys(struct json_object *answer, struct etcd_range *range)
{
	struct json_object *kvs;
	size_t nr;
	int err;

	range->count = etcd_int(answer, "count");
	if (!json_object_object_get_ex(answer, "kvs", &kvs))
		return 0;
	nr = json_object_array_length(kvs);
	range->kv = calloc(nr, sizeof(*range->kv));
	if (!range->kv)
		return -ENOMEM;
	for (; range->nr < nr; range->nr++) {
		err = etcd_kv_read(json_object_array_get_idx(kvs, range->nr),
				   &range->kv[range->nr]);
		if (err) {
			range->nr++;
			etcd_range_free(range);
			return err;
		}
	}
	return 0;
}

static __s64 read_revision(struct json_object *object)
{
	struct json_object *header;

	return json_object_object_get_ex(object, "header", &header) ? etcd_int(header, "revision") :
								      0;
}

int etcd_range_read(struct json_object *reply, struct etcd_range *range)
{
	struct json_object *answer = json_object_array_get_idx(reply, 0);

	memset(range, 0, sizeof(*range));
	range->revision = read_revision(answer);
	return read_keys(answer, range);
}

void etcd_range_free(struct etcd_range *range)
{
	size_t i;

	for (i = 0; i < range->nr; i++)
		etcd_kv_release(&range->kv[i]);
	free(range->kv);
	memset(range, 0, sizeof(*range));
}

int etcd_get(struct etcd *etcd, const char *key, bool prefix, bool keys_only,
	     struct etcd_range *range)
{
	struct json_object *reply;
	int err;

	memset(range, 0, sizeof(*range));
	err = etcd_call(etcd, "kv/range", etcd_range_request(key, prefix, keys_only), &reply);
	err = err ?: etcd_range_read(reply, range);
	json_object_put(reply);
	return err;
}

struct json_object *etcd_put_request(const char *key, const char *value, __s64 lease)
{
	struct json_object *request = json_object_new_object();

	add_bytes(request, "key", key);
	add_bytes(request, "value", value);
	if (lease != ETCD_NO_LEASE)
		add_int(request, "lease", lease);
	return request;
}

struct json_object *etcd_grant_request(unsigned int ttl)
{
	struct json_object *request = json_object_new_object();

	add_int(request, "TTL", ttl);
	return request;
}

/* A keepalive's answers are a stream's. */
__s64 etcd_lease_read(struct json_object *reply, size_t at, __s64 *lease)
{
	struct json_object *object = json_object_array_get_idx(reply, at), *answer;

	if (!object)
		return -1;
	if (!json_object_object_get_ex(object, "result", &answer))
		answer = object;
	*lease = etcd_int(answer, "ID");
	return etcd_int(answer, "TTL");
}

int etcd_grant(struct etcd *etcd, unsigned int ttl, __s64 *lease)
{
	struct json_object *reply;
	int err;

	err = etcd_call(etcd, "lease/grant", etcd_grant_request(ttl), &reply);
	if (!err && etcd_lease_read(reply, 0, lease) <= 0)
		err = -EIO;
	json_object_put(reply);
	return err;
}

int etcd_revoke(struct etcd *etcd, __s64 lease)
{
	struct json_object *request = json_object_new_object();
	struct json_object *reply;
	int err;

	add_int(request, "ID", lease);
	err = etcd_call(etcd, "lease/revoke", request, &reply);
	json_object_put(reply);
	return err == -ENOENT ? 0 : err;
}

/**
 * struct etcd_txn - a transaction
 * @compare: conditions
 * @success: operations
 */
struct etcd_txn {
	struct json_object *compare;
	struct json_object *success;
};

struct etcd_txn *etcd_txn_new(void)
{
	struct etcd_txn *txn = calloc(1, sizeof(*txn));

	if (!txn)
		return NULL;
	txn->compare = json_object_new_array();
	txn->success = json_object_new_array();
	return txn;
}

void etcd_txn_if(struct etcd_txn *txn, const char *key, __s64 mod_revision)
{
	struct json_object *compare = json_object_new_object();

	add_bytes(compare, "key", key);
	json_object_object_add(compare, "target", json_object_new_string("MOD"));
	json_object_object_add(compare, "result", json_object_new_string("EQUAL"));
	add_int(compare, "mod_revision", mod_revision);
	json_object_array_add(txn->compare, compare);
}

static void add_operation(struct etcd_txn *txn, const char *name, struct json_object *request)
{
	struct json_object *operation = json_object_new_object();

	json_object_object_add(operation, name, request);
	json_object_array_add(txn->success, operation);
}

void etcd_txn_put(struct etcd_txn *txn, const char *key, const char *value, __s64 lease)
{
	add_operation(txn, "request_put", etcd_put_request(key, value, lease));
}

void etcd_txn_delete(struct etcd_txn *txn, const char *key)
{
	add_operation(txn, "request_delete_range", etcd_range_request(key, false, false));
}

void etcd_txn_get(struct etcd_txn *txn, struct json_object *request)
{
	add_operation(txn, "request_range", request);
}

struct json_object *etcd_txn_request(struct etcd_txn *txn)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "compare", txn->compare);
	json_object_object_add(request, "success", txn->success);
	free(txn);
	return request;
}

bool etcd_txn_done(struct json_object *reply)
{
	struct json_object *done;

	return json_object_object_get_ex(json_object_array_get_idx(reply, 0), "succeeded", &done) &&
	       json_object_get_boolean(done);
}

__s64 etcd_txn_revision(struct json_object *reply)
{
	return read_revision(json_object_array_get_idx(reply, 0));
}

int etcd_txn_commit(struct etcd *etcd, struct etcd_txn *txn, struct json_object **reply)
{
	return etcd_call(etcd, "kv/txn", etcd_txn_request(txn), reply);
}

int etcd_txn_read(struct json_object *reply, size_t at, struct etcd_range *range)
{
	struct json_object *answers, *answer;

	memset(range, 0, sizeof(*range));
	if (!json_object_object_get_ex(json_object_array_get_idx(reply, 0), "responses", &answers))
		return 0;
	answer = json_object_array_get_idx(answers, at);
	if (!json_object_object_get_ex(answer, "response_range", &answer))
		return 0;
	return read_keys(answer, range);
}
