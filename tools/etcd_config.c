// SPDX-License-Identifier: GPL-2.0
/* Where etcd is, as files and command lines say it. */
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "etcd.h"

#define LIMIT_MAX_S	3600

/* The longest that fits with a call's path. */
#define URL_LEN_MAX	255

static int add_url(void *arg, const char *url, char *error)
{
	struct etcd_config *config = arg;
	size_t len = strlen(url);

	if ((strncmp(url, "http://", 7) && strncmp(url, "https://", 8)) || len > URL_LEN_MAX)
		return conf_fail(error, "etcd: \"%.200s\" is no URL with http:// or https://", url);
	if (config->nr_urls == ETCD_URLS_MAX)
		return conf_fail(error, "etcd: more than %u URLs", ETCD_URLS_MAX);
	while (url[len - 1] == '/')
		len--;
	config->urls[config->nr_urls] = strndup(url, len);
	if (!config->urls[config->nr_urls])
		return conf_fail(error, "etcd: no memory");
	config->nr_urls++;
	return 0;
}

static int set_file(char **file, const char *key, const char *value, char *error)
{
	free(*file);
	*file = strdup(value);
	return *file ? 0 : conf_fail(error, "%s: no memory", key);
}

static int set_limit(struct etcd_config *config, const char *value, char *error)
{
	unsigned int seconds;

	if (conf_number("limit", value, 1, LIMIT_MAX_S, &seconds, error))
		return -1;
	config->limit_ms = seconds * 1000;
	return 0;
}

int etcd_config_set(struct etcd_config *config, const char *key, const char *value, char *error)
{
	if (!strcmp(key, "etcd"))
		return conf_words(key, value, add_url, config, error);
	if (!strcmp(key, "cacert"))
		return set_file(&config->cacert, key, value, error);
	if (!strcmp(key, "cert"))
		return set_file(&config->cert, key, value, error);
	if (!strcmp(key, "key"))
		return set_file(&config->key, key, value, error);
	if (!strcmp(key, "limit"))
		return set_limit(config, value, error);
	return 1;
}

void etcd_config_free(struct etcd_config *config)
{
	while (config->nr_urls)
		free(config->urls[--config->nr_urls]);
	free(config->cacert);
	free(config->cert);
	free(config->key);
	memset(config, 0, sizeof(*config));
}
