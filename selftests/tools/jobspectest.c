// SPDX-License-Identifier: GPL-2.0
/* Jobs as files and as JSON: jobspectest DIR, where it may write. Prints TAP 13. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobspec.h"
#include "override.h"

static const char *dir;
static unsigned int points, failed;

static void check(bool ok, const char *name, const char *have)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++points, name);
	if (ok)
		return;
	failed++;
	printf("# have: %s\n", have);
}

static void equal(const char *name, const char *want, const char *have)
{
	check(!strcmp(want, have), name, have);
	if (strcmp(want, have))
		printf("# want: %s\n", want);
}

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static const char *write_conf(const char *text)
{
	const char *path = path_of("job.conf");
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		printf("Bail out! cannot write %s\n", path);
		exit(1);
	}
	return path;
}

static const char *text_of(const struct jobspec *spec)
{
	static char text[1024];
	struct json_object *object = jobspec_to_json(spec);

	snprintf(text, sizeof(text), "%s",
		 json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
						JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return text;
}

static void good(const char *name, const char *conf, const char *want)
{
	char error[JOBSPEC_ERROR_SIZE] = "";
	struct json_object *object;
	struct jobspec spec, again;

	if (jobspec_read_conf(&spec, write_conf(conf), error)) {
		check(false, name, error);
		jobspec_free(&spec);
		return;
	}
	equal(name, want, text_of(&spec));
	object = json_tokener_parse(text_of(&spec));
	if (jobspec_read_json(&again, object, error))
		check(false, "and back", error);
	else
		check(jobspec_is_equal(&spec, &again), "and back", text_of(&again));
	json_object_put(object);
	jobspec_free(&spec);
	jobspec_free(&again);
}

/* The sentence without directory. */
static void bad(const char *conf, const char *want)
{
	char error[JOBSPEC_ERROR_SIZE] = "read";
	struct jobspec spec;
	size_t len = strlen(dir) + 1;

	jobspec_read_conf(&spec, write_conf(conf), error);
	equal(want, want, strlen(error) > len ? error + len : error);
	jobspec_free(&spec);
}

static void bad_json(const char *json, const char *want)
{
	struct json_object *object = json_tokener_parse(json);
	char error[JOBSPEC_ERROR_SIZE] = "read";
	struct jobspec spec;

	jobspec_read_json(&spec, object, error);
	equal(want, want, error);
	jobspec_free(&spec);
	json_object_put(object);
}

static void test_good(void)
{
	good("the least", "job 1\nhosts 10.0.0.1\n", "{\"job\":1,\"hosts\":[\"10.0.0.1\"]}");
	good("names", "# who\n\njob 8190 # the last\ncluster a.b\nid 17_3\nhosts 10.0.0.1",
	     "{\"job\":8190,\"cluster\":\"a.b\",\"id\":\"17_3\",\"hosts\":[\"10.0.0.1\"]}");
	good("overrides", "job 3\nhosts 10.0.0.1\nk 12.5%\ntau 0.123456789\nmode observe\n",
	     "{\"job\":3,\"hosts\":[\"10.0.0.1\"],\"k\":0.125,\"tau\":0.123456789,\"mode\":\"observe\"}");
	good("hosts in any order", "job 4\nhosts fd00::/64,10.0.0.2\n\thosts\t10.0.0.1\r\n",
	     "{\"job\":4,\"hosts\":[\"10.0.0.1\",\"10.0.0.2\",\"fd00::/64\"]}");
	good("a host given twice", "hosts 10.0.0.1,10.0.0.1/32\njob 2\n",
	     "{\"job\":2,\"hosts\":[\"10.0.0.1\"]}");
}

static void test_bad(void)
{
	bad("job 1\n", "job.conf: hosts: not there");
	bad("hosts 10.0.0.1\n", "job.conf: job: not there");
	bad("job 0\n", "job.conf:1: job: \"0\" is not a number from 1 to 8190");
	bad("\njob 8191\n", "job.conf:2: job: \"8191\" is not a number from 1 to 8190");
	bad("job -1\n", "job.conf:1: job: \"-1\" is not a number from 1 to 8190");
	bad("job 1x\n", "job.conf:1: job: \"1x\" is not a number from 1 to 8190");
	bad("job 1\njob 1\n", "job.conf:2: job: there twice");
	bad("job\n", "job.conf:1: job: has no value");
	bad("job 1 2\n", "job.conf:1: job: more than one value");
	bad("k 0.1\nk 0.1\n", "job.conf:2: k: there twice");
	bad("k 2\n", "job.conf:1: k: \"2\" is not a probability from 0 to 1");
	bad("tau default\n", "job.conf:1: tau: \"default\" is not a ratio from 0 to 1");
	bad("mode fast\n", "job.conf:1: mode: \"fast\" is not mark, observe or prio");
	bad("id a\nid b\n", "job.conf:2: id: there twice");
	bad("cluster a/b\n",
	    "job.conf:1: cluster: \"a/b\" is not 1 to 63 letters, digits, _.-, first no sign");
	bad("id ..\n",
	    "job.conf:1: id: \"..\" is not 1 to 63 letters, digits, _.-, first no sign");
	bad("pinned on\n",
	    "job.conf:1: pinned: not one of job, cluster, id, hosts, k, tau, mode");
	bad("hosts 10.0.0.1,,\n",
	    "job.conf:1: hosts: \"\" is no IPv4 or IPv6 address or prefix");
	bad("hosts 10.0.0.1/24\n",
	    "job.conf:1: hosts: \"10.0.0.1/24\" is no IPv4 or IPv6 address or prefix");
	bad("hosts fd00::/0\n",
	    "job.conf:1: hosts: \"fd00::/0\" is no IPv4 or IPv6 address or prefix");
	bad("hosts node1\n",
	    "job.conf:1: hosts: \"node1\" is no IPv4 or IPv6 address or prefix");
	bad_json("[]", "a job is no JSON object");
	bad_json("{\"job\":1,\"hosts\":[]}", "hosts: not there");
	bad_json("{\"job\":[1]}", "job: is an array");
	bad_json("{\"job\":1.5}", "job: \"1.5\" is not a number from 1 to 8190");
	bad_json("{\"hosts\":[null]}",
		 "hosts: \"\" is no IPv4 or IPv6 address or prefix");
}

/* As many hosts as there may be, in one line, and one more. */
static void test_many(void)
{
	static char conf[JOBSPEC_HOSTS_MAX * 16 + 64];
	char error[JOBSPEC_ERROR_SIZE] = "";
	struct jobspec spec = { 0 };
	size_t len;
	int i;

	len = sprintf(conf, "job 1\nhosts 10.1.0.0");
	for (i = 1; i < JOBSPEC_HOSTS_MAX; i++)
		len += sprintf(conf + len, ",10.1.%d.%d", i >> 8, i & 255);
	check(!jobspec_read_conf(&spec, write_conf(conf), error) &&
	      spec.nr_hosts == JOBSPEC_HOSTS_MAX, "as many hosts as there may be", error);
	jobspec_set(&spec, "hosts", "fd00::1", error);
	equal("but not one more", "hosts: more than 1024", error);
	jobspec_free(&spec);
}

static void test_fraction(void)
{
	__u64 value = 7;

	check(!override_read(SYMPHONY_OVERRIDE_ATTR_K, "0.1234567890", &value) &&
	      value == 123456789, "zeros behind the last digit that counts", "another value");
	check(override_read(SYMPHONY_OVERRIDE_ATTR_K, "0.12345678901", &value),
	      "but no other digit", "a value");
}

int main(int argc, char **argv)
{
	char error[JOBSPEC_ERROR_SIZE] = "";
	struct jobspec spec;

	if (argc != 2) {
		fprintf(stderr, "usage: jobspectest DIR\n");
		return 2;
	}
	dir = argv[1];
	printf("TAP version 13\n");
	test_good();
	test_bad();
	test_many();
	test_fraction();
	jobspec_read_conf(&spec, path_of("none"), error);
	equal("no file", "none: No such file or directory", error + strlen(dir) + 1);
	printf("1..%u\n", points);
	return failed ? 1 : 0;
}
