// SPDX-License-Identifier: GPL-2.0
/* The configuration. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"

static int set_path(char **path, const char *key, const char *value, char *error)
{
	if (*path)
		return conf_fail(error, "%s: there twice", key);
	if (*value != '/')
		return conf_fail(error, "%s: \"%s\" does not begin with /", key, value);
	*path = strdup(value);
	return *path ? 0 : conf_fail(error, "%s: no memory", key);
}

static int set(void *arg, const char *key, const char *value, char *error)
{
	struct settings *settings = arg;
	int err;

	if (!strcmp(key, "block")) {
		if (settings->block)
			return conf_fail(error, "block: there twice");
		return conf_number(key, value, 1, UINT32_MAX, &settings->block, error);
	}
	if (!strcmp(key, "jobs"))
		return set_path(&settings->jobs, key, value, error);
	if (!strcmp(key, "run"))
		return set_path(&settings->run, key, value, error);
	if (!strcmp(key, "router"))
		return jobspec_set_name(settings->router, key, value, error);
	if (!strcmp(key, "cluster"))
		return strcmp(value, "*") ?
		       jobspec_set_name(settings->cluster, key, value, error) : 0;
	err = etcd_config_set(&settings->etcd, key, value, error);
	return err == 1 ? conf_fail(error, "%s: not one of block, jobs, run, router, cluster, "
				    ETCD_CONFIG_KEYS, key) : err;
}

int settings_read(struct settings *settings, const char *path, char *error)
{
	memset(settings, 0, sizeof(*settings));
	if (conf_read(path, set, settings, error))
		return -1;
	if (!settings->block)
		return conf_fail(error, "%.160s: block: not there", path);
	if (!*settings->router)
		gethostname(settings->router, sizeof(settings->router) - 1);
	if (!settings->jobs && !settings->etcd.nr_urls)
		settings->jobs = strdup(DAEMON_JOBS);
	settings->run = settings->run ?: strdup(DAEMON_RUN);
	settings->etcd.limit_ms = settings->etcd.limit_ms ?: ETCD_LIMIT_S * 1000;
	return settings->run ? 0 : conf_fail(error, "%.160s: no memory", path);
}

void settings_free(struct settings *settings)
{
	free(settings->jobs);
	free(settings->run);
	etcd_config_free(&settings->etcd);
	memset(settings, 0, sizeof(*settings));
}
