// SPDX-License-Identifier: GPL-2.0
/*
 * Configure a symphony qdisc with random attributes. After each request the
 * options are dumped: a refused request must not have changed a byte of them,
 * an accepted one must have set what it named and nothing else it did not
 * imply.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_sch_symphony.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "random.h"

#define BUF_MAX		16384
#define HANDLE		(5U << 16)
#define TYPE_OF(attr)	((attr)->rta_type & NLA_TYPE_MASK)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct request {
	struct nlmsghdr nlh;
	struct tcmsg tcm;
	__u8 attrs[2048];
};

struct options {
	__u8 byte[1024];
	unsigned int len;
};

static const __u8 widths[TCA_SYMPHONY_MAX + 1] = {
	[TCA_SYMPHONY_LIMIT] = 4, [TCA_SYMPHONY_K] = 4, [TCA_SYMPHONY_TAU] = 4,
	[TCA_SYMPHONY_WINDOW] = 8, [TCA_SYMPHONY_WARMUP] = 4,
	[TCA_SYMPHONY_SAMPLES] = 4, [TCA_SYMPHONY_ALPHA_MAX] = 4,
	[TCA_SYMPHONY_PROTO] = 4, [TCA_SYMPHONY_JOB] = 4,
	[TCA_SYMPHONY_JOB_ID] = 4, [TCA_SYMPHONY_STEP] = 4,
	[TCA_SYMPHONY_PSN] = 4, [TCA_SYMPHONY_JOBS] = 4,
	[TCA_SYMPHONY_FLOWS] = 4, [TCA_SYMPHONY_IDLE] = 8,
	[TCA_SYMPHONY_DOMAIN] = 4, [TCA_SYMPHONY_MODE] = 4,
	[TCA_SYMPHONY_SEED] = 8, [TCA_SYMPHONY_ECN_MIN] = 4,
	[TCA_SYMPHONY_ECN_MAX] = 4, [TCA_SYMPHONY_ECN_PROB] = 4,
	[TCA_SYMPHONY_SHIELD] = 4, [TCA_SYMPHONY_QUEUE] = 4,
	[TCA_SYMPHONY_PATIENCE] = 8, [TCA_SYMPHONY_LIMIT_BYTES] = 4,
	[TCA_SYMPHONY_ECN_MIN_TIME] = 8, [TCA_SYMPHONY_ECN_MAX_TIME] = 8,
	[TCA_SYMPHONY_ECN_RATE] = 8,
	[TCA_SYMPHONY_MESSAGES] = 4, [TCA_SYMPHONY_GAP] = 8,
	[TCA_SYMPHONY_HOLD] = 8,
};

static __u32 sequence;
static int fail_nth = -1;

/* Mostly around the bounds of the ranges, seldom large enough to cost memory. */
static __u64 value_of(int type)
{
	static const __u64 bounds[] = {
		0, 1, 2, 3, 4, 5, 8, 64, 65, 255, 1000, 16384, 65535, 65536,
		999999, 1000000, 16777215, 16777216, 0x10000000, 0x10000001,
		0x40000000, 0x40000001, 999999999, 1000000000, 1000000001,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 60000000000,
		60000000001, 86400000000000, 86400000000001, ~0ULL >> 1, ~0ULL,
	};

	if (type == TCA_SYMPHONY_FLOWS && rnd(8))
		return rnd(5000);
	if (rnd(3))
		return rnd(5);
	if (rnd(2))
		return bounds[rnd(ARRAY_SIZE(bounds))];
	return (__u64)rnd(0xffffffff) << 32 | rnd(0xffffffff);
}

static struct rtattr *tail(struct request *req)
{
	return (void *)((__u8 *)req + NLMSG_ALIGN(req->nlh.nlmsg_len));
}

static struct rtattr *put(struct request *req, int type, const void *data,
			  unsigned int len)
{
	struct rtattr *attr = tail(req);

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(len);
	memset(RTA_DATA(attr), 0, RTA_ALIGN(len));
	if (len)
		memcpy(RTA_DATA(attr), data, len);
	req->nlh.nlmsg_len = NLMSG_ALIGN(req->nlh.nlmsg_len) +
			     RTA_ALIGN(attr->rta_len);
	return attr;
}

static void begin(struct request *req, const char *dev, int type, int flags,
		  __u32 parent)
{
	memset(req, 0, sizeof(*req));
	req->nlh.nlmsg_len = NLMSG_LENGTH(sizeof(req->tcm));
	req->nlh.nlmsg_type = type;
	req->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	req->nlh.nlmsg_seq = ++sequence;
	req->tcm.tcm_family = AF_UNSPEC;
	req->tcm.tcm_ifindex = if_nametoindex(dev);
	req->tcm.tcm_parent = parent;
	req->tcm.tcm_handle = HANDLE;
	put(req, TCA_KIND, "symphony", 9);
}

/* Attributes that the kernel may or may not like. */
static void put_options(struct request *req)
{
	struct rtattr *nest = put(req, TCA_OPTIONS | (rnd(32) ? NLA_F_NESTED : 0),
				  NULL, 0);
	unsigned int n = rnd(5), type, width;

	while (n--) {
		__u64 value;

		type = rnd(TCA_SYMPHONY_MAX + (rnd(16) ? 1 : 4));
		value = value_of(type);
		width = type <= TCA_SYMPHONY_MAX ? widths[type] : 4;
		if (!rnd(24))
			width = rnd(12);
		put(req, type | (rnd(48) ? 0 : NLA_F_NESTED), &value,
		    width > 8 ? 8 : width);
	}
	nest->rta_len = (__u8 *)tail(req) - (__u8 *)nest;
}

/* Return: the kernel's answer, 0 or a negative errno; 1 if there was none yet. */
static int receive(int fd, struct options *opts)
{
	static __u8 buf[BUF_MAX];
	ssize_t len = recv(fd, buf, sizeof(buf), 0);
	struct nlmsghdr *nlh;

	/* the kernel had no memory for its answer */
	if (len < 0 && errno == ENOBUFS)
		return -ENOBUFS;
	if (len < 0) {
		perror("nlfuzz: recv");
		exit(1);
	}
	for (nlh = (void *)buf; NLMSG_OK(nlh, (size_t)len); nlh = NLMSG_NEXT(nlh, len)) {
		struct tcmsg *tcm = NLMSG_DATA(nlh);
		struct rtattr *attr = TCA_RTA(tcm);
		int left = TCA_PAYLOAD(nlh);

		if (nlh->nlmsg_seq != sequence)
			continue;
		if (nlh->nlmsg_type == NLMSG_ERROR)
			return ((struct nlmsgerr *)NLMSG_DATA(nlh))->error;
		if (nlh->nlmsg_type != RTM_NEWQDISC || !opts)
			continue;
		for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left)) {
			if (TYPE_OF(attr) != TCA_OPTIONS)
				continue;
			opts->len = RTA_PAYLOAD(attr);
			memcpy(opts->byte, RTA_DATA(attr), opts->len);
		}
	}
	return 1;
}

/*
 * Arm the @nth allocation of this process to fail, 0 disarms. Where copies from and to
 * user space fail, too, that may be the one of this number, which then was the last to.
 */
static void arm(unsigned int nth)
{
	char buf[16];
	int len = snprintf(buf, sizeof(buf), "%u", nth);

	if (pwrite(fail_nth, buf, len, 0) != len &&
	    (errno != EFAULT || pwrite(fail_nth, buf, len, 0) != len)) {
		perror("nlfuzz: fail-nth");
		exit(1);
	}
}

/* Whether the allocation armed for has happened; that of reading it does not count. */
static bool failed(void)
{
	char buf[16] = "";

	if (pread(fail_nth, buf, sizeof(buf) - 1, 0) > 0)
		return atoi(buf) == 0;
	if (errno != EFAULT) {
		perror("nlfuzz: fail-nth");
		exit(1);
	}
	return false;
}

/*
 * With @nth, allocation @nth fails on the way, and @hit says whether there was
 * one. Return: the kernel's answer, 0 or a negative errno.
 */
static int ask_failing(int fd, struct request *req, struct options *opts,
		       unsigned int nth, bool *hit)
{
	int err;

	req->nlh.nlmsg_flags |= NLM_F_ACK;
	req->nlh.nlmsg_seq = ++sequence;
	if (nth)
		arm(nth);
	err = send(fd, req, req->nlh.nlmsg_len, 0) < 0 ? -errno : 0;
	if (nth) {
		*hit = failed();
		arm(0);
	}
	if (err) {
		if (nth && *hit)
			return err;
		perror("nlfuzz: send");
		exit(1);
	}
	do {
		err = receive(fd, opts);
	} while (err > 0);
	return err;
}

static int ask(int fd, struct request *req, struct options *opts)
{
	return ask_failing(fd, req, opts, 0, NULL);
}

static int dump(int fd, const char *dev, struct options *opts)
{
	struct request req;

	opts->len = 0;
	/* without NLM_F_ECHO the answer goes to the listeners alone */
	begin(&req, dev, RTM_GETQDISC, NLM_F_ECHO, 0);
	return ask(fd, &req, opts);
}

static bool lookup(const void *attrs, unsigned int len, unsigned int type,
		   __u64 *value)
{
	const struct rtattr *attr = attrs;
	bool found = false;

	/* of several, the last one counts */
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (TYPE_OF(attr) != type)
			continue;
		*value = 0;
		memcpy(value, RTA_DATA(attr), RTA_PAYLOAD(attr));
		found = true;
	}
	return found;
}

static bool names(const struct rtattr *nest, const int *types)
{
	__u64 value;

	for (; *types; types++)
		if (lookup(RTA_DATA(nest), RTA_PAYLOAD(nest), *types, &value))
			return true;
	return false;
}

/* Whether an option follows from others that a request names. */
static bool implied(const struct rtattr *nest, int type)
{
	static const int thresholds[] = {
		TCA_SYMPHONY_ECN_MIN, TCA_SYMPHONY_ECN_MAX,
		TCA_SYMPHONY_ECN_MIN_TIME, TCA_SYMPHONY_ECN_MAX_TIME,
		TCA_SYMPHONY_QUEUE, TCA_SYMPHONY_LIMIT,
		TCA_SYMPHONY_LIMIT_BYTES, 0
	};
	static const int queue[] = { TCA_SYMPHONY_QUEUE, 0 };
	static const int room[] = {
		TCA_SYMPHONY_QUEUE, TCA_SYMPHONY_LIMIT,
		TCA_SYMPHONY_LIMIT_BYTES, 0
	};
	static const int steps[] = {
		TCA_SYMPHONY_STEP, TCA_SYMPHONY_PROTO, TCA_SYMPHONY_DOMAIN, 0
	};

	switch (type) {
	case TCA_SYMPHONY_STEP:
	case TCA_SYMPHONY_JOB_ID:
	case TCA_SYMPHONY_JOBS:
	case TCA_SYMPHONY_FLOWS:
		/* by proto, by job and by the domain's other members */
		return true;
	case TCA_SYMPHONY_K:
	case TCA_SYMPHONY_LIMIT:
		return names(nest, queue);
	case TCA_SYMPHONY_HOLD:
		return names(nest, room);
	case TCA_SYMPHONY_ECN_MIN:
	case TCA_SYMPHONY_ECN_MAX:
	case TCA_SYMPHONY_ECN_MIN_TIME:
	case TCA_SYMPHONY_ECN_MAX_TIME:
	case TCA_SYMPHONY_ECN_PROB:
		return names(nest, thresholds);
	case TCA_SYMPHONY_MESSAGES:
	case TCA_SYMPHONY_GAP:
		/* there with step count alone */
		return names(nest, steps);
	}
	return false;
}

/* An accepted request: what it named is there, the rest is as before. */
static bool agrees(const struct request *req, const struct options *before,
		   const struct options *after)
{
	const __u8 *start = (const __u8 *)req +
			       NLMSG_LENGTH(sizeof(req->tcm)) + RTA_SPACE(9);
	const struct rtattr *nest = (const void *)start;
	bool ok = true;
	int type;

	for (type = 1; type <= TCA_SYMPHONY_MAX; type++) {
		__u64 wish = 0, was = 0, is = 0;
		bool named = lookup(RTA_DATA(nest), RTA_PAYLOAD(nest), type, &wish);
		bool had = lookup(before->byte, before->len, type, &was);
		bool has = lookup(after->byte, after->len, type, &is);

		if (named && has && wish == is)
			continue;
		if (!named && had == has && was == is)
			continue;
		if (!named && (!before->len || implied(nest, type)))
			continue;
		printf("# attribute %d: %s %llu, was %llu, is %llu\n", type,
		       named ? "named" : "not named", (unsigned long long)wish,
		       (unsigned long long)was, (unsigned long long)is);
		ok = false;
	}
	return ok;
}

struct tally {
	unsigned long requests;
	unsigned long refused;
	unsigned long wrong;
	unsigned long errors[256];
};

/* Return: whether another allocation may be left to fail. */
static bool attempt(int fd, const char *dev, struct request *req,
		    unsigned int nth, struct tally *t)
{
	struct options before, after;
	bool hit = false, same, done;
	int err;

	if (dump(fd, dev, &before))
		before.len = 0;
	err = ask_failing(fd, req, NULL, nth, &hit);
	if (dump(fd, dev, &after))
		after.len = 0;
	same = before.len == after.len &&
	       !memcmp(before.byte, after.byte, before.len);
	t->requests++;
	t->errors[-err & 255]++;
	t->refused += !!err;
	if (err == -ENOBUFS && hit) {
		/* the answer is lost, not the request */
		done = same || agrees(req, &before, &after);
	} else if (err) {
		done = same;
	} else {
		done = agrees(req, &before, &after);
	}
	if (!done) {
		printf("# request %lu, allocation %u: errno %d, %s\n",
		       t->requests, nth, -err, err ? "yet changed" : "not as asked");
		t->wrong++;
	}
	return hit;
}

static void explain(void)
{
	fprintf(stderr, "usage: nlfuzz DEV COUNT SEED [fail]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned long count, i, hits = 0;
	struct tally t = {};
	struct request req;
	const char *dev;
	int fd;

	if (argc < 4 || argc > 5 || (argc == 5 && strcmp(argv[4], "fail")))
		explain();
	dev = argv[1];
	count = strtoul(argv[2], NULL, 0);
	state = 0x9e3779b97f4a7c15 ^ strtoul(argv[3], NULL, 0);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (fd < 0 || !if_nametoindex(dev)) {
		fprintf(stderr, "nlfuzz: %s: no such device or no netlink\n", dev);
		return 1;
	}
	if (argc == 5) {
		fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
		if (fail_nth < 0) {
			perror("nlfuzz: fail-nth");
			return 4;
		}
	}

	for (i = 0; i < count; i++) {
		unsigned int nth = fail_nth >= 0;

		if (!rnd(argc == 5 ? 3 : 40)) {
			begin(&req, dev, RTM_DELQDISC, 0, TC_H_ROOT);
			ask(fd, &req, NULL);
		}
		begin(&req, dev, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE,
		      TC_H_ROOT);
		put_options(&req);
		while (attempt(fd, dev, &req, nth, &t)) {
			hits++;
			nth++;
		}
	}
	printf("# %lu requests, %lu refused, %lu wrong, %lu allocations failed\n",
	       t.requests, t.refused, t.wrong, hits);
	for (i = 0; i < 256; i++)
		if (t.errors[i])
			printf("# errno %lu: %lu\n", i, t.errors[i]);
	close(fd);
	return t.wrong ? 1 : 0;
}
