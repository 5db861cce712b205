// SPDX-License-Identifier: GPL-2.0
/*
 * Configure a symphony qdisc with attributes that tc would never send: out of
 * range, of a wrong length, unknown, not nested. Prints what the kernel says.
 *
 *	rawopt [-u] [-x] DEV add|change|replace [ATTR=TYPE:VALUE]...
 *	rawopt -b DEV add|change|replace < LINES
 *
 * works on the root qdisc 1: of DEV. ATTR is the name of a TCA_SYMPHONY_*
 * attribute in lower case or its number, TYPE is u8, u16, u32, u64 or len (VALUE
 * zero bytes). -u leaves the nested flag out, -x leaves TCA_OPTIONS out. Exits
 * as tc: 0, 1 for a mistake in the command, 2 if the kernel refuses. -b sends a
 * request for each line of attributes and prints a line about each.
 */
#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <linux/pkt_sch_symphony.h>

#define ROWS(table)	(sizeof(table) / sizeof((table)[0]))

#define EXIT_USAGE	1
#define EXIT_REFUSED	2

static const char *const attr_names[TCA_SYMPHONY_MAX + 1] = {
	[TCA_SYMPHONY_UNSPEC]		= "unspec",
	[TCA_SYMPHONY_PAD]		= "pad",
	[TCA_SYMPHONY_LIMIT]		= "limit",
	[TCA_SYMPHONY_K]		= "k",
	[TCA_SYMPHONY_TAU]		= "tau",
	[TCA_SYMPHONY_WINDOW]		= "window",
	[TCA_SYMPHONY_WARMUP]		= "warmup",
	[TCA_SYMPHONY_SAMPLES]		= "samples",
	[TCA_SYMPHONY_ALPHA_MAX]	= "alpha_max",
	[TCA_SYMPHONY_PROTO]		= "proto",
	[TCA_SYMPHONY_JOB]		= "job",
	[TCA_SYMPHONY_JOB_ID]		= "job_id",
	[TCA_SYMPHONY_STEP]		= "step",
	[TCA_SYMPHONY_PSN]		= "psn",
	[TCA_SYMPHONY_JOBS]		= "jobs",
	[TCA_SYMPHONY_FLOWS]		= "flows",
	[TCA_SYMPHONY_IDLE]		= "idle",
	[TCA_SYMPHONY_DOMAIN]		= "domain",
	[TCA_SYMPHONY_MODE]		= "mode",
	[TCA_SYMPHONY_SEED]		= "seed",
	[TCA_SYMPHONY_ECN_MIN]		= "ecn_min",
	[TCA_SYMPHONY_ECN_MAX]		= "ecn_max",
	[TCA_SYMPHONY_ECN_PROB]		= "ecn_prob",
	[TCA_SYMPHONY_SHIELD]		= "shield",
	[TCA_SYMPHONY_QUEUE]		= "queue",
	[TCA_SYMPHONY_PATIENCE]		= "patience",
	[TCA_SYMPHONY_LIMIT_BYTES]	= "limit_bytes",
	[TCA_SYMPHONY_ECN_MIN_TIME]	= "ecn_min_time",
	[TCA_SYMPHONY_ECN_MAX_TIME]	= "ecn_max_time",
	[TCA_SYMPHONY_ECN_RATE]		= "ecn_rate",
	[TCA_SYMPHONY_MESSAGES]		= "messages",
	[TCA_SYMPHONY_GAP]		= "gap",
	[TCA_SYMPHONY_HOLD]		= "hold",
};

struct request {
	struct nlmsghdr n;
	struct tcmsg t;
	char attrs[8192];
};

static int usage(void)
{
	fprintf(stderr,
		"Usage: rawopt [-u] [-x] DEV { add | change | replace } [ ATTR=TYPE:VALUE ]...\n"
		"       rawopt -b DEV { add | change | replace } < LINES\n");
	return EXIT_USAGE;
}

/* Returns the attribute, NULL if the request is full. */
static struct rtattr *put(struct request *req, unsigned short type,
			  const void *data, size_t len)
{
	size_t old = NLMSG_ALIGN(req->n.nlmsg_len);
	struct rtattr *attr;

	if (old + RTA_SPACE(len) > sizeof(*req))
		return NULL;
	attr = (struct rtattr *)((char *)req + old);
	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(len);
	memcpy(RTA_DATA(attr), data, len);
	req->n.nlmsg_len = old + RTA_SPACE(len);
	return attr;
}

static int attr_by_name(const char *name)
{
	char *end;
	long number;
	size_t i;

	for (i = 0; i < ROWS(attr_names); i++) {
		if (!strcmp(name, attr_names[i]))
			return i;
	}
	number = strtol(name, &end, 0);
	return *name && !*end && number >= 0 && number <= 0x3fff ? number : -1;
}

/* Takes "ATTR=TYPE:VALUE" apart in place. */
static bool put_argument(struct request *req, char *arg)
{
	static const char zeros[4096];
	char *type = strchr(arg, '=');
	char *text = type ? strchr(type, ':') : NULL;
	unsigned long long value;
	const void *data;
	size_t len;
	char *end;
	__u32 u32;
	__u16 u16;
	__u8 u8;
	int attr;

	if (!text)
		return false;
	*type++ = '\0';
	*text++ = '\0';
	attr = attr_by_name(arg);
	errno = 0;
	value = strtoull(text, &end, 0);
	if (attr < 0 || errno || end == text || *end)
		return false;

	u8 = value;
	u16 = value;
	u32 = value;
	if (!strcmp(type, "u8")) {
		data = &u8;
		len = sizeof(u8);
	} else if (!strcmp(type, "u16")) {
		data = &u16;
		len = sizeof(u16);
	} else if (!strcmp(type, "u32")) {
		data = &u32;
		len = sizeof(u32);
	} else if (!strcmp(type, "u64")) {
		data = &value;
		len = sizeof(value);
	} else if (!strcmp(type, "len") && value <= sizeof(zeros)) {
		data = zeros;
		len = value;
	} else {
		return false;
	}
	return put(req, attr, data, len);
}

/* The attribute of the request's nest that begins at this offset. */
static const char *attr_at(const struct request *req, const struct rtattr *nest,
			   __u32 offset)
{
	const struct rtattr *attr = RTA_DATA(nest);
	int len = RTA_PAYLOAD(nest);

	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		int type = attr->rta_type & NLA_TYPE_MASK;

		if ((__u32)((const char *)attr - (const char *)req) == offset)
			return type <= TCA_SYMPHONY_MAX ? attr_names[type] : "unknown";
	}
	return NULL;
}

static void explain(const struct request *req, const struct rtattr *nest,
		    const struct nlmsghdr *reply)
{
	const struct nlmsgerr *err = NLMSG_DATA(reply);
	const char *message = NULL, *where = NULL;
	const struct rtattr *attr;
	int skip = sizeof(*err);
	int len;

	/* the request comes back with the error unless the kernel caps it */
	if (!(reply->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - sizeof(err->msg);
	attr = (const struct rtattr *)((const char *)err + NLMSG_ALIGN(skip));
	len = reply->nlmsg_len - NLMSG_LENGTH(NLMSG_ALIGN(skip));
	for (; reply->nlmsg_flags & NLM_F_ACK_TLVS && RTA_OK(attr, len);
	     attr = RTA_NEXT(attr, len)) {
		int type = attr->rta_type & NLA_TYPE_MASK;

		if (type == NLMSGERR_ATTR_MSG)
			message = RTA_DATA(attr);
		else if (type == NLMSGERR_ATTR_OFFS && nest)
			where = attr_at(req, nest, *(const __u32 *)RTA_DATA(attr));
	}
	printf("refused: %s: %s: %s\n", strerror(-err->error),
	       where ? where : "-", message ? message : "-");
}

static int talk(int fd, struct request *req, const struct rtattr *nest)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	char buf[16384];
	const struct nlmsghdr *reply = (const struct nlmsghdr *)buf;
	const struct nlmsgerr *err = NLMSG_DATA(reply);
	ssize_t len;

	len = sendto(fd, req, req->n.nlmsg_len, 0, (struct sockaddr *)&kernel,
		     sizeof(kernel));
	if (len >= 0)
		len = recv(fd, buf, sizeof(buf), 0);
	if (len < 0) {
		perror("rawopt: netlink");
		return EXIT_USAGE;
	}
	if ((size_t)len < NLMSG_LENGTH(sizeof(*err)) ||
	    reply->nlmsg_type != NLMSG_ERROR) {
		fprintf(stderr, "rawopt: the kernel's answer makes no sense\n");
		return EXIT_USAGE;
	}
	if (!err->error)
		return 0;
	explain(req, nest, reply);
	return EXIT_REFUSED;
}

static int open_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int on = 1;

	if (fd < 0 ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on))) {
		perror("rawopt: netlink");
		exit(EXIT_USAGE);
	}
	return fd;
}

static bool set_command(struct request *req, const char *command)
{
	req->n.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (!strcmp(command, "add"))
		req->n.nlmsg_flags |= NLM_F_CREATE | NLM_F_EXCL;
	else if (!strcmp(command, "replace"))
		req->n.nlmsg_flags |= NLM_F_CREATE | NLM_F_REPLACE;
	else if (strcmp(command, "change"))
		return false;
	return true;
}

/* Appends the options to a copy of the request and sends it. */
static int configure(int fd, const struct request *base, unsigned short options,
		     int argc, char **argv)
{
	struct request req = *base;
	struct rtattr *nest = put(&req, options, "", 0);
	int i;

	for (i = 0; i < argc; i++) {
		if (!put_argument(&req, argv[i])) {
			fprintf(stderr, "rawopt: %s: not ATTR=TYPE:VALUE\n", argv[i]);
			return EXIT_USAGE;
		}
	}
	nest->rta_len = (char *)&req + req.n.nlmsg_len - (char *)nest;
	return talk(fd, &req, nest);
}

static int configure_lines(int fd, const struct request *base)
{
	static const char blanks[] = " \t\n";
	char line[1024], *words[64];

	while (fgets(line, sizeof(line), stdin)) {
		int count = 0, err;
		char *word;

		for (word = strtok(line, blanks); word && count < 64; word = strtok(NULL, blanks))
			words[count++] = word;
		err = configure(fd, base, TCA_OPTIONS | NLA_F_NESTED, count, words);
		if (err == EXIT_USAGE)
			return err;
		if (!err)
			printf("accepted\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char kind[] = "symphony";
	struct request req = {
		.n.nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)),
		.n.nlmsg_type = RTM_NEWQDISC,
		.t.tcm_family = AF_UNSPEC,
		.t.tcm_parent = TC_H_ROOT,
		.t.tcm_handle = 1 << 16,
	};
	unsigned short options = TCA_OPTIONS | NLA_F_NESTED;
	bool lines = false, absent = false;
	int fd, c;

	while ((c = getopt(argc, argv, "bux")) != -1) {
		if (c == 'b')
			lines = true;
		else if (c == 'u')
			options = TCA_OPTIONS;
		else if (c == 'x')
			absent = true;
		else
			return usage();
	}
	argc -= optind;
	argv += optind;
	if (argc < 2 || ((lines || absent) && argc > 2) || !set_command(&req, argv[1]))
		return usage();
	req.t.tcm_ifindex = if_nametoindex(argv[0]);
	if (!req.t.tcm_ifindex) {
		fprintf(stderr, "rawopt: %s: no such device\n", argv[0]);
		return EXIT_USAGE;
	}

	put(&req, TCA_KIND, kind, sizeof(kind));
	fd = open_socket();
	if (lines)
		return configure_lines(fd, &req);
	if (absent)
		return talk(fd, &req, NULL);
	return configure(fd, &req, options, argc - 2, argv + 2);
}
