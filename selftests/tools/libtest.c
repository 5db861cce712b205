// SPDX-License-Identifier: GPL-2.0
/*
 * The library against the kernel: libtest DEV, in a network namespace of its own where
 * DEV has traffic and may have any qdisc. Prints TAP 13.
 */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symphony.h"

static unsigned int points, failed;

static void check(bool ok, const char *name, const struct symphony *sym)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++points, name);
	if (ok)
		return;
	failed++;
	printf("# %s\n", symphony_error(sym));
}

struct found {
	struct symphony_qdisc qdisc;
	unsigned int nr;
};

static int on_qdisc(const struct symphony_qdisc *qdisc, void *arg)
{
	struct found *found = arg;

	found->qdisc = *qdisc;
	found->nr++;
	return 0;
}

static int stop(const struct symphony_qdisc *qdisc, void *arg)
{
	(void)qdisc;
	(void)arg;
	return 77;
}

static __u64 option(struct symphony *sym, unsigned int ifindex, unsigned int attr)
{
	struct found found = { 0 };

	if (symphony_qdiscs(sym, ifindex, on_qdisc, &found) || found.nr != 1)
		return UINT64_MAX;
	return symphony_get(&found.qdisc.options, attr);
}

static void test_create(struct symphony *sym, unsigned int ifindex)
{
	struct symphony_values options = { 0 };
	struct found found = { 0 };
	int err;

	symphony_put(&options, TCA_SYMPHONY_K, 20000000);
	symphony_put(&options, TCA_SYMPHONY_WINDOW, 200000);
	check(symphony_qdisc_set(sym, SYMPHONY_CHANGE, ifindex, TC_H_ROOT, 0x10000, &options) < 0,
	      "nothing to change", sym);
	check(!symphony_qdisc_set(sym, SYMPHONY_ADD, ifindex, TC_H_ROOT, 0x10000, &options),
	      "add", sym);
	err = symphony_qdisc_set(sym, SYMPHONY_ADD, ifindex, TC_H_ROOT, 0x10000, NULL);
	check(err == -EEXIST, "add a second time", sym);
	err = symphony_qdiscs(sym, ifindex, on_qdisc, &found);
	check(!err && found.nr == 1, "it is there", sym);
	check(found.qdisc.ifindex == ifindex && found.qdisc.handle == 0x10000 &&
	      found.qdisc.parent == TC_H_ROOT, "its place", sym);
	check(symphony_get(&found.qdisc.options, TCA_SYMPHONY_K) == 20000000 &&
	      symphony_get(&found.qdisc.options, TCA_SYMPHONY_WINDOW) == 200000,
	      "its options", sym);
	check(symphony_has(&found.qdisc.stats, TCA_SYMPHONY_STATS_MEMORY) &&
	      symphony_get(&found.qdisc.stats, TCA_SYMPHONY_STATS_MEMORY) > 0,
	      "its statistics", sym);
	check(symphony_qdiscs(sym, ifindex, stop, NULL) == 77, "the caller ends a list", sym);
	found.nr = 0;
	check(!symphony_qdiscs(sym, ifindex + 1000, on_qdisc, &found) && !found.nr,
	      "a device without", sym);
}

static void test_change(struct symphony *sym, unsigned int ifindex)
{
	struct symphony_values options = { 0 };

	symphony_put(&options, TCA_SYMPHONY_TAU, 500000000);
	check(!symphony_qdisc_set(sym, SYMPHONY_CHANGE, ifindex, TC_H_ROOT, 0x10000, &options),
	      "change", sym);
	check(option(sym, ifindex, TCA_SYMPHONY_TAU) == 500000000, "what was given", sym);
	check(option(sym, ifindex, TCA_SYMPHONY_K) == 20000000, "the rest stays", sym);
	check(!symphony_qdisc_set(sym, SYMPHONY_REPLACE, ifindex, TC_H_ROOT, 0x20000, NULL),
	      "replace", sym);
	check(option(sym, ifindex, TCA_SYMPHONY_TAU) == 250000000, "by the default", sym);
}

static void test_refused(struct symphony *sym, unsigned int ifindex)
{
	struct symphony_values options = { 0 };

	symphony_put(&options, TCA_SYMPHONY_TAU, 100000000);
	symphony_put(&options, TCA_SYMPHONY_SHIELD, 1000);
	check(symphony_qdisc_set(sym, SYMPHONY_CHANGE, ifindex, TC_H_ROOT, 0x20000, &options) < 0,
	      "a value out of range", sym);
	check(strstr(symphony_error(sym), "shield") && strstr(symphony_error(sym), "64"),
	      "the kernel's sentence names option and range", sym);
	check(option(sym, ifindex, TCA_SYMPHONY_TAU) == 250000000, "nothing is half applied", sym);
	memset(&options, 0, sizeof(options));
	symphony_put(&options, TCA_SYMPHONY_LIMIT, 1ULL << 32);
	check(symphony_qdisc_set(sym, SYMPHONY_CHANGE, ifindex, TC_H_ROOT, 0x20000, &options) ==
	      -ERANGE, "a value of too many bits", sym);
	memset(&options, 0, sizeof(options));
	symphony_put(&options, SYMPHONY_VALUES_MAX - 1, 0);
	check(symphony_qdisc_set(sym, SYMPHONY_CHANGE, ifindex, TC_H_ROOT, 0x20000, &options) ==
	      -EINVAL, "an option that is none", sym);
	check(symphony_qdisc_set(sym, 7, ifindex, TC_H_ROOT, 0x20000, NULL) == -EINVAL,
	      "a way that is none", sym);
	check(symphony_qdisc_set(sym, SYMPHONY_ADD, ifindex + 1000, TC_H_ROOT, 0, NULL) == -ENODEV,
	      "a device that is none", sym);
	check(option(sym, ifindex, TCA_SYMPHONY_TAU) == 250000000,
	      "a failure leaves the connection usable", sym);
}

static int on_job(const struct symphony_job *job, void *arg)
{
	*(struct symphony_job *)arg = *job;
	return 0;
}

static int on_event(const struct symphony_happening *event, void *arg)
{
	unsigned int *seen = arg;

	*seen |= 1U << symphony_get(&event->values, SYMPHONY_ATTR_EVENT);
	return 0;
}

static int on_flow(const struct symphony_flow *flow, void *arg)
{
	(void)flow;
	(void)arg;
	return -EEXIST;
}

static void test_jobs(struct symphony *sym, unsigned int ifindex)
{
	struct symphony_place place = { .ifindex = ifindex };
	struct symphony_values overrides = { 0 };
	const __u32 named[] = { 3, 9 };
	struct symphony_job job = { 0 };
	int err;

	check(!symphony_jobs(sym, NULL, on_job, &job) && !job.job, "no job", sym);
	symphony_put(&overrides, SYMPHONY_OVERRIDE_ATTR_K, 5);
	err = symphony_job_set(sym, &place, 9, &overrides);
	check(err == -ENOENT, "nothing to override", sym);
	symphony_put(&overrides, SYMPHONY_OVERRIDE_ATTR_PINNED, 1);
	check(!symphony_job_set(sym, &place, 9, &overrides), "a job that is pinned", sym);
	check(!symphony_jobs(sym, NULL, on_job, &job) && job.job == 9, "is there", sym);
	memset(&job, 0, sizeof(job));
	check(!symphony_jobs_active(sym, NULL, UINT64_MAX, on_job, &job) && job.job == 9,
	      "may have sent", sym);
	memset(&job, 0, sizeof(job));
	check(!symphony_jobs_listed(sym, NULL, named, 2, on_job, &job) && job.job == 9,
	      "one of those named", sym);
	err = symphony_jobs_listed(sym, NULL, named, 0, on_job, &job);
	check(err == -EINVAL && strstr(symphony_error(sym), "256"), "none is named", sym);
	check(!symphony_flows_listed(sym, &place, named, 2, on_flow, NULL),
	      "no flow of those named", sym);
	check(job.place.ifindex == ifindex && !job.place.domain, "where it was put", sym);
	check(symphony_get(&job.overrides, SYMPHONY_OVERRIDE_ATTR_K) == 5 &&
	      !symphony_has(&job.overrides, SYMPHONY_OVERRIDE_ATTR_TAU), "its overrides", sym);
	check(!symphony_job_reset(sym, &place, 9), "reset", sym);
	check(!symphony_job_delete(sym, &place, 9), "delete a job", sym);
	err = symphony_job_get(sym, &place, 9, on_job, &job);
	check(err == -ENOENT && *symphony_error(sym), "it is gone", sym);
	symphony_put(&overrides, SYMPHONY_OVERRIDE_ATTR_K, TC_SYMPHONY_ONE + 1);
	err = symphony_job_set(sym, &place, 9, &overrides);
	check(err < 0 && strstr(symphony_error(sym), "k must be"), "too large a k", sym);
}

/* What test_jobs() did. */
static void test_events(struct symphony *sym, int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	const unsigned int expired = 1U << SYMPHONY_EVENT_JOB_EXPIRED;
	unsigned int seen = 0;
	int err = 0;

	while (!err && !(seen & expired) && poll(&poll_fd, 1, 10000) > 0)
		err = symphony_events_read(sym, on_event, &seen);
	check(!err && (seen & expired), "a job expired", sym);
	check(!symphony_events_read(sym, on_event, &seen), "no more events", sym);
}

static void test_attrs(const struct symphony *sym)
{
	const struct symphony_field *attr = symphony_option_field(TCA_SYMPHONY_MODE);

	check(attr && !strcmp(attr->name, "mode") && attr->unit == SYMPHONY_UNIT_CHOICE &&
	      attr->nr_choices == 3 && !strcmp(attr->choices[1], "observe"),
	      "an option with choices", sym);
	attr = symphony_option_field(TCA_SYMPHONY_WINDOW);
	check(attr && attr->wide && attr->unit == SYMPHONY_UNIT_NANOSECONDS, "a wide one", sym);
	attr = symphony_stat_field(TCA_SYMPHONY_STATS_MARKED_BYTES);
	check(attr && !attr->gauge && attr->unit == SYMPHONY_UNIT_BYTES, "a counter", sym);
	attr = symphony_stat_field(TCA_SYMPHONY_STATS_JOBS);
	check(attr && attr->gauge && attr->unit == SYMPHONY_UNIT_NONE, "a gauge", sym);
	check(!symphony_stat_field(TCA_SYMPHONY_STATS_UNSPEC) && !symphony_stat_field(UINT32_MAX),
	      "what is none", sym);
}

int main(int argc, char **argv)
{
	struct symphony *sym;
	unsigned int ifindex;
	int fd;

	if (argc != 2)
		return 2;
	printf("TAP version 13\n");
	ifindex = if_nametoindex(argv[1]);
	check(!symphony_open(&sym), "open", sym);
	test_attrs(sym);
	test_create(sym, ifindex);
	test_change(sym, ifindex);
	test_refused(sym, ifindex);
	fd = symphony_events_open(sym, 0);
	check(fd >= 0 && symphony_events_open(sym, 0) == fd, "listen", sym);
	test_jobs(sym, ifindex);
	test_events(sym, fd);
	check(!symphony_qdisc_delete(sym, ifindex, TC_H_ROOT), "delete", sym);
	check(symphony_qdisc_delete(sym, ifindex, TC_H_ROOT) < 0 && *symphony_error(sym),
	      "nothing to delete", sym);
	symphony_close(sym);
	symphony_close(NULL);
	printf("1..%u\n", points);
	return failed ? 1 : 0;
}
