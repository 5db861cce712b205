// SPDX-License-Identifier: GPL-2.0
/* Where the store is: command line, environment, file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store.h"

int store_config_set(struct store_config *config, const char *key, const char *value, char *error)
{
	char name[JOBSPEC_NAME_SIZE] = "";

	if (!strcmp(key, "cluster")) {
		if (jobspec_set_name(name, key, value, error))
			return -1;
		memcpy(config->cluster, name, sizeof(config->cluster));
		return 0;
	}
	if (!strcmp(key, "ttl"))
		return conf_number(key, value, 1, STORE_TIME_MAX, &config->ttl, error);
	if (!strcmp(key, "grace"))
		return conf_number(key, value, 1, STORE_TIME_MAX, &config->grace, error);
	return etcd_config_set(&config->etcd, key, value, error);
}

static int set_line(void *arg, const char *key, const char *value, char *error)
{
	int err = store_config_set(arg, key, value, error);

	return err == 1 ? conf_fail(error, "%s: not one of " ETCD_CONFIG_KEYS
				    ", cluster, ttl, grace", key) : err;
}

static void take_string(char **to, char **from)
{
	if (*to)
		return;
	*to = *from;
	*from = NULL;
}

/* What was said before counts more. */
static void fill(struct store_config *config, struct store_config *from)
{
	if (!config->etcd.nr_urls) {
		memcpy(config->etcd.urls, from->etcd.urls, sizeof(config->etcd.urls));
		config->etcd.nr_urls = from->etcd.nr_urls;
		from->etcd.nr_urls = 0;
	}
	take_string(&config->etcd.cacert, &from->etcd.cacert);
	take_string(&config->etcd.cert, &from->etcd.cert);
	take_string(&config->etcd.key, &from->etcd.key);
	config->etcd.limit_ms = config->etcd.limit_ms ?: from->etcd.limit_ms ?: ETCD_LIMIT_S * 1000;
	if (!*config->cluster)
		memcpy(config->cluster, from->cluster, sizeof(config->cluster));
	config->ttl = config->ttl ?: from->ttl ?: STORE_TTL;
	config->grace = config->grace ?: from->grace ?: STORE_GRACE;
}

int store_config_finish(struct store_config *config, char *error)
{
	const char *named = getenv("SYMPHONY_STORE_CONF"), *urls = getenv("SYMPHONY_ETCD");
	const char *path = named ?: STORE_CONF;
	struct store_config file = { 0 };
	int err = 0;

	if (urls && !config->etcd.nr_urls)
		err = etcd_config_set(&config->etcd, "etcd", urls, error);
	if (!err && (named || !access(path, F_OK)))
		err = conf_read(path, set_line, &file, error);
	fill(config, &file);
	store_config_free(&file);
	if (err)
		return err;
	if (!*config->cluster)
		memcpy(config->cluster, STORE_CLUSTER, sizeof(STORE_CLUSTER));
	if (!config->etcd.nr_urls)
		return conf_fail(error, "no etcd is named: \"etcd URL\" here or in " STORE_CONF);
	return 0;
}

void store_config_free(struct store_config *config)
{
	etcd_config_free(&config->etcd);
	memset(config, 0, sizeof(*config));
}
