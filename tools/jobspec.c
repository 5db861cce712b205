// SPDX-License-Identifier: GPL-2.0
/* Jobs as files and as JSON. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "conf.h"
#include "jobspec.h"
#include "override.h"

#define NAME_CHARACTERS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

static bool is_zero_behind(const struct jobhost *host, unsigned int size)
{
	unsigned int bit;

	for (bit = host->len; bit < 8 * size; bit++) {
		if (host->address[bit / 8] & 0x80 >> bit % 8)
			return false;
	}
	return true;
}

static int read_length(const char *word, unsigned int max, __u8 *len)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*word))
		return -1;
	value = strtoul(word, &end, 10);
	if (*end || !value || value > max)
		return -1;
	*len = value;
	return 0;
}

int jobhost_read(struct jobhost *host, const char *word)
{
	const char *slash = strchr(word, '/');
	char address[INET6_ADDRSTRLEN];
	unsigned int size;

	memset(host, 0, sizeof(*host));
	if (snprintf(address, sizeof(address), "%.*s", slash ? (int)(slash - word) : -1, word) >=
	    (int)sizeof(address))
		return -1;
	host->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	size = host->family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
	if (inet_pton(host->family, address, host->address) != 1)
		return -1;
	host->len = 8 * size;
	if (slash && read_length(slash + 1, 8 * size, &host->len))
		return -1;
	return is_zero_behind(host, size) ? 0 : -1;
}

const char *jobhost_text(const struct jobhost *host, char *buf)
{
	char address[INET6_ADDRSTRLEN];

	inet_ntop(host->family, host->address, address, sizeof(address));
	if (host->len == (host->family == AF_INET ? 32 : 128))
		snprintf(buf, JOBSPEC_HOST_SIZE, "%s", address);
	else
		snprintf(buf, JOBSPEC_HOST_SIZE, "%s/%u", address, host->len);
	return buf;
}

int jobhost_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct jobhost));
}

/* Where a host is or would be. */
static size_t host_place(const struct jobspec *spec, const struct jobhost *host)
{
	size_t from = 0, to = spec->nr_hosts;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (jobhost_compare(&spec->hosts[middle], host) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static int add_host(void *arg, const char *word, char *error)
{
	struct jobspec *spec = arg;
	struct jobhost *hosts;
	struct jobhost host;
	size_t place;

	if (jobhost_read(&host, word))
		return conf_fail(error, "hosts: \"%s\" is no IPv4 or IPv6 address or prefix", word);
	place = host_place(spec, &host);
	if (place < spec->nr_hosts && !jobhost_compare(&spec->hosts[place], &host))
		return 0;
	if (spec->nr_hosts == JOBSPEC_HOSTS_MAX)
		return conf_fail(error, "hosts: more than %u", JOBSPEC_HOSTS_MAX);
	hosts = reallocarray(spec->hosts, spec->nr_hosts + 1, sizeof(*hosts));
	if (!hosts)
		return conf_fail(error, "hosts: no memory");
	memmove(&hosts[place + 1], &hosts[place], (spec->nr_hosts - place) * sizeof(*hosts));
	hosts[place] = host;
	spec->hosts = hosts;
	spec->nr_hosts++;
	return 0;
}

int jobspec_set_name(char *name, const char *key, const char *value, char *error)
{
	size_t len = strlen(value);

	if (*name)
		return conf_fail(error, "%s: there twice", key);
	/* names are parts of paths, and of words in a shell */
	if (!len || len >= JOBSPEC_NAME_SIZE || !isalnum((unsigned char)*value) ||
	    strspn(value, NAME_CHARACTERS) != len)
		return conf_fail(error,
				 "%s: \"%s\" is not 1 to %u letters, digits, _.-, first no sign",
				 key, value, JOBSPEC_NAME_SIZE - 1);
	memcpy(name, value, len + 1);
	return 0;
}

static int set_job(struct jobspec *spec, const char *value, char *error)
{
	if (spec->job)
		return conf_fail(error, "job: there twice");
	return conf_number("job", value, 1, JOBSPEC_JOB_MAX, &spec->job, error);
}

static int set_override(struct jobspec *spec, unsigned int attr, const char *value, char *error)
{
	const char *name = symphony_override_field(attr)->name;
	__u64 number;

	if (spec->has_overrides & 1U << attr)
		return conf_fail(error, "%s: there twice", name);
	if (override_read(attr, value, &number))
		return conf_fail(error, "%s: \"%s\" is not %s", name, value, override_wants(attr));
	spec->overrides[attr] = number;
	spec->has_overrides |= 1U << attr;
	return 0;
}

int jobspec_set(struct jobspec *spec, const char *key, const char *value, char *error)
{
	unsigned int attr = override_find(key);

	if (!strcmp(key, "job"))
		return set_job(spec, value, error);
	if (!strcmp(key, "cluster"))
		return jobspec_set_name(spec->cluster, key, value, error);
	if (!strcmp(key, "id"))
		return jobspec_set_name(spec->id, key, value, error);
	if (!strcmp(key, "hosts"))
		return conf_words(key, value, add_host, spec, error);
	/* whoever puts a job in force pins it */
	if (attr && attr != SYMPHONY_OVERRIDE_ATTR_PINNED)
		return set_override(spec, attr, value, error);
	return conf_fail(error, "%s: not one of job, cluster, id, hosts, k, tau, mode", key);
}

static int check_whole(const struct jobspec *spec, char *error)
{
	if (!spec->job)
		return conf_fail(error, "job: not there");
	return spec->nr_hosts ? 0 : conf_fail(error, "hosts: not there");
}

static int set_line(void *arg, const char *key, const char *value, char *error)
{
	return jobspec_set(arg, key, value, error);
}

int jobspec_read_conf(struct jobspec *spec, const char *path, char *error)
{
	char sentence[JOBSPEC_ERROR_SIZE];

	memset(spec, 0, sizeof(*spec));
	if (conf_read(path, set_line, spec, error))
		return -1;
	return check_whole(spec, sentence) ? conf_fail(error, "%.160s: %.320s", path, sentence) : 0;
}

static int set_array(struct jobspec *spec, const char *key, struct json_object *array, char *error)
{
	const char *word;
	int err = 0;
	size_t i;

	if (strcmp(key, "hosts"))
		return conf_fail(error, "%s: is an array", key);
	for (i = 0; !err && i < json_object_array_length(array); i++) {
		word = json_object_get_string(json_object_array_get_idx(array, i));
		err = add_host(spec, word ?: "", error);
	}
	return err;
}

int jobspec_read_json(struct jobspec *spec, struct json_object *object, char *error)
{
	int err = 0;

	memset(spec, 0, sizeof(*spec));
	if (!json_object_is_type(object, json_type_object))
		return conf_fail(error, "a job is no JSON object");
	json_object_object_foreach(object, key, value) {
		if (json_object_is_type(value, json_type_array))
			err = set_array(spec, key, value, error);
		else
			err = jobspec_set(spec, key, json_object_get_string(value) ?: "", error);
		if (err)
			return err;
	}
	return check_whole(spec, error);
}

static void add_overrides(struct json_object *object, const struct jobspec *spec)
{
	struct symphony_values values = { 0 };
	struct json_object *overrides;
	unsigned int attr;

	for (attr = 1; attr <= SYMPHONY_OVERRIDE_ATTR_MAX; attr++) {
		if (spec->has_overrides & 1U << attr)
			symphony_put(&values, attr, spec->overrides[attr]);
	}
	overrides = values_json(&values, symphony_override_field);
	json_object_object_foreach(overrides, name, value)
		json_object_object_add(object, name, json_object_get(value));
	json_object_put(overrides);
}

struct json_object *jobspec_to_json(const struct jobspec *spec)
{
	struct json_object *object = json_object_new_object();
	struct json_object *hosts = json_object_new_array();
	char buf[JOBSPEC_HOST_SIZE];
	size_t i;

	if (spec->job)
		json_object_object_add(object, "job", json_object_new_int64(spec->job));
	if (*spec->cluster)
		json_object_object_add(object, "cluster", json_object_new_string(spec->cluster));
	if (*spec->id)
		json_object_object_add(object, "id", json_object_new_string(spec->id));
	for (i = 0; i < spec->nr_hosts; i++)
		json_object_array_add(hosts,
				      json_object_new_string(jobhost_text(&spec->hosts[i], buf)));
	json_object_object_add(object, "hosts", hosts);
	add_overrides(object, spec);
	return object;
}

bool jobspec_is_equal(const struct jobspec *a, const struct jobspec *b)
{
	return a->job == b->job && a->has_overrides == b->has_overrides &&
	       !memcmp(a->overrides, b->overrides, sizeof(a->overrides)) &&
	       !strcmp(a->cluster, b->cluster) && !strcmp(a->id, b->id) &&
	       a->nr_hosts == b->nr_hosts &&
	       (!a->nr_hosts || !memcmp(a->hosts, b->hosts, a->nr_hosts * sizeof(*a->hosts)));
}

void jobspec_free(struct jobspec *spec)
{
	free(spec->hosts);
	memset(spec, 0, sizeof(*spec));
}
