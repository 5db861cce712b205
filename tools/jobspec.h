/* SPDX-License-Identifier: GPL-2.0 */
/* What a job is to a cluster: its number, its hosts, what counts for it alone. */
#ifndef _SYMPHONY_JOBSPEC_H
#define _SYMPHONY_JOBSPEC_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "conf.h"

/* The wire has 13 bits for the number; the highest is kept free. */
#define JOBSPEC_JOB_MAX		8190
#define JOBSPEC_HOSTS_MAX	1024
/* Names and their end. */
#define JOBSPEC_NAME_SIZE	64
/* Room for a sentence on what is wrong. */
#define JOBSPEC_ERROR_SIZE	CONF_ERROR_SIZE
/* Room for a host as text. */
#define JOBSPEC_HOST_SIZE	52

/**
 * struct jobhost - where packets of a job come from
 * @family: AF_INET or AF_INET6
 * @len: bits of @address that count
 * @address: in network byte order, 0 behind these bits
 */
struct jobhost {
	__u8 family;
	__u8 len;
	__u8 address[16];
};

/**
 * struct jobspec - a job; all zero is one of which nothing is known
 * @job: its number, 0 if it has none yet
 * @has_overrides: a bit for each of @overrides that is there
 * @overrides: by &enum symphony_override_attr
 * @cluster: name of the cluster, or empty
 * @id: what the scheduler calls it, or empty
 * @hosts: sorted, each once
 * @nr_hosts: of them
 */
struct jobspec {
	__u32 job;
	__u32 has_overrides;
	__u32 overrides[SYMPHONY_OVERRIDE_ATTR_MAX + 1];
	char cluster[JOBSPEC_NAME_SIZE];
	char id[JOBSPEC_NAME_SIZE];
	struct jobhost *hosts;
	size_t nr_hosts;
};

/**
 * jobspec_set() - let a key have a value
 * @spec: job
 * @key: job, cluster, id, hosts, k, tau or mode
 * @value: what it is to have; hosts with commas between them add up
 * @error: %JOBSPEC_ERROR_SIZE bytes for a sentence
 *
 * What has a value must not get another, but for hosts.
 *
 * Return: 0, or -1 after a sentence on key and value.
 */
int jobspec_set(struct jobspec *spec, const char *key, const char *value, char *error);

/**
 * jobspec_set_name() - let something have a name
 * @name: %JOBSPEC_NAME_SIZE bytes, empty before
 * @key: what it is, for the sentence
 * @value: what it is to be
 * @error: as of jobspec_set()
 *
 * Return: as jobspec_set().
 */
int jobspec_set_name(char *name, const char *key, const char *value, char *error);

/**
 * jobspec_read_conf() - read a file with a key and its value in each line
 * @spec: result, to be freed with jobspec_free(), also after a failure
 * @path: of the file; "#" begins a comment
 * @error: as jobspec_set(), begins with file and line
 *
 * Return: 0, or -1 if a key or value is wrong, or job or hosts are not there.
 */
int jobspec_read_conf(struct jobspec *spec, const char *path, char *error);

/**
 * jobspec_read_json() - read what jobspec_to_json() made
 * @spec: result, as of jobspec_read_conf()
 * @object: the same keys; hosts are an array of strings
 * @error: as jobspec_set()
 *
 * Return: as jobspec_read_conf().
 */
int jobspec_read_json(struct jobspec *spec, struct json_object *object, char *error);

/**
 * jobspec_to_json() - a job as an object
 * @spec: job
 *
 * Return: the object; what is not given is not there.
 */
struct json_object *jobspec_to_json(const struct jobspec *spec);

/**
 * jobspec_is_equal() - whether two say the same
 * @a: job
 * @b: another
 *
 * Return: true if they do.
 */
bool jobspec_is_equal(const struct jobspec *a, const struct jobspec *b);

/**
 * jobspec_free() - forget all of a job
 * @spec: job, all zero afterwards
 */
void jobspec_free(struct jobspec *spec);

/**
 * jobhost_read() - read an address, with or without a length
 * @host: result
 * @word: ADDRESS[/LENGTH]
 *
 * Return: 0, or -1 if it is none, or has bits behind its length.
 */
int jobhost_read(struct jobhost *host, const char *word);

/**
 * jobhost_text() - a host as jobhost_read() reads it
 * @host: host
 * @buf: %JOBSPEC_HOST_SIZE bytes
 *
 * Return: @buf.
 */
const char *jobhost_text(const struct jobhost *host, char *buf);

/**
 * jobhost_compare() - an order of hosts, for qsort() and bsearch()
 * @a: &struct jobhost
 * @b: &struct jobhost
 *
 * Return: less than, equal to or more than 0.
 */
int jobhost_compare(const void *a, const void *b);

#endif
