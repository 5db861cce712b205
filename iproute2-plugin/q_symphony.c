// SPDX-License-Identifier: GPL-2.0
/*
 * The symphony queueing discipline in tc: parse options, print options and
 * statistics. Every option is one row of a table; what is typed, sent, printed
 * and said in an error follows from the row.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/pkt_sch_symphony.h>

#include "utils.h"
#include "tc_util.h"

#define ROWS(table)	(sizeof(table) / sizeof((table)[0]))

/* Room for the options: each takes 16 bytes at most, with the padding. */
#define SYMPHONY_MSG_MAX	1024
#define SYMPHONY_TEXT_MAX	64

/* Callbacks take a const pointer from iproute2 6.9 on, a plain one before. */
#define QDISC_UTIL							\
	__typeof__(*__builtin_choose_expr(__builtin_types_compatible_p(	\
		__typeof__(((struct qdisc_util *)0)->has_block),	\
		int (*)(struct qdisc_util *, struct rtattr *, __u32, bool *)), \
		(struct qdisc_util *)0, (const struct qdisc_util *)0))

enum symphony_type {
	SYMPHONY_NUMBER,
	SYMPHONY_PACKETS,	/* may carry the unit p */
	SYMPHONY_PROBABILITY,	/* billionths on the wire */
	SYMPHONY_RATIO,		/* billionths on the wire */
	SYMPHONY_TIME,		/* nanoseconds on the wire */
	SYMPHONY_SIZE,		/* bytes on the wire */
	SYMPHONY_RATE,		/* bytes a second on the wire */
	SYMPHONY_CHOICE,	/* one of option->choices */
};

struct symphony_option {
	const char *name;
	const char *key;	/* in JSON, if it is not the name */
	const char *const *choices;
	__u64 min;
	__u64 max;
	int attr;
	enum symphony_type type;
	bool wide;		/* u64 on the wire, else u32 */
};

static const char *const symphony_protos[__TC_SYMPHONY_PROTO_MAX] = {
	[TC_SYMPHONY_PROTO_ROCEV2]	= "rocev2",
	[TC_SYMPHONY_PROTO_UET]		= "uet",
};

static const char *const symphony_jobs[__TC_SYMPHONY_JOB_MAX] = {
	[TC_SYMPHONY_JOB_RESV]		= "resv",
	[TC_SYMPHONY_JOB_DSCP]		= "dscp",
	[TC_SYMPHONY_JOB_FILTER]	= "filter",
	[TC_SYMPHONY_JOB_FIXED]		= "fixed",
};

static const char *const symphony_steps[__TC_SYMPHONY_STEP_MAX] = {
	[TC_SYMPHONY_STEP_SPORT]	= "sport",
	[TC_SYMPHONY_STEP_SPDCID]	= "spdcid",
	[TC_SYMPHONY_STEP_MSGID]	= "msgid",
	[TC_SYMPHONY_STEP_COUNT]	= "count",
};

static const char *const symphony_psns[__TC_SYMPHONY_PSN_MAX] = {
	[TC_SYMPHONY_PSN_RELATIVE]	= "relative",
	[TC_SYMPHONY_PSN_ABSOLUTE]	= "absolute",
};

static const char *const symphony_modes[__TC_SYMPHONY_MODE_MAX] = {
	[TC_SYMPHONY_MODE_MARK]		= "mark",
	[TC_SYMPHONY_MODE_OBSERVE]	= "observe",
	[TC_SYMPHONY_MODE_PRIO]		= "prio",
};

static const char *const symphony_queues[__TC_SYMPHONY_QUEUE_MAX] = {
	[TC_SYMPHONY_QUEUE_CHILD]	= "child",
	[TC_SYMPHONY_QUEUE_ORDER]	= "order",
};

/* In the order of output. */
static const struct symphony_option symphony_options[] = {
	{ .name = "limit", .attr = TCA_SYMPHONY_LIMIT,
	  .type = SYMPHONY_PACKETS, .min = 1, .max = TC_SYMPHONY_LIMIT_MAX },
	{ .name = "k", .attr = TCA_SYMPHONY_K,
	  .type = SYMPHONY_PROBABILITY, .max = TC_SYMPHONY_ONE },
	{ .name = "tau", .attr = TCA_SYMPHONY_TAU,
	  .type = SYMPHONY_RATIO, .max = TC_SYMPHONY_ONE },
	{ .name = "window", .attr = TCA_SYMPHONY_WINDOW, .wide = true,
	  .type = SYMPHONY_TIME,
	  .min = TC_SYMPHONY_WINDOW_MIN, .max = TC_SYMPHONY_WINDOW_MAX },
	{ .name = "warmup", .attr = TCA_SYMPHONY_WARMUP,
	  .type = SYMPHONY_PACKETS, .max = TC_SYMPHONY_WARMUP_MAX },
	{ .name = "samples", .attr = TCA_SYMPHONY_SAMPLES,
	  .type = SYMPHONY_PACKETS, .max = TC_SYMPHONY_WARMUP_MAX },
	{ .name = "alpha_max", .attr = TCA_SYMPHONY_ALPHA_MAX,
	  .type = SYMPHONY_NUMBER, .min = 1, .max = TC_SYMPHONY_ALPHA_MAX },
	{ .name = "proto", .attr = TCA_SYMPHONY_PROTO,
	  .type = SYMPHONY_CHOICE,
	  .choices = symphony_protos, .max = __TC_SYMPHONY_PROTO_MAX - 1 },
	{ .name = "job", .attr = TCA_SYMPHONY_JOB,
	  .type = SYMPHONY_CHOICE,
	  .choices = symphony_jobs, .max = __TC_SYMPHONY_JOB_MAX - 1 },
	{ .name = "step", .attr = TCA_SYMPHONY_STEP,
	  .type = SYMPHONY_CHOICE,
	  .choices = symphony_steps, .max = __TC_SYMPHONY_STEP_MAX - 1 },
	{ .name = "messages", .attr = TCA_SYMPHONY_MESSAGES,
	  .type = SYMPHONY_NUMBER, .min = 1, .max = TC_SYMPHONY_MESSAGES_MAX },
	{ .name = "gap", .attr = TCA_SYMPHONY_GAP, .wide = true,
	  .type = SYMPHONY_TIME,
	  .min = TC_SYMPHONY_GAP_MIN, .max = TC_SYMPHONY_GAP_MAX },
	{ .name = "psn", .attr = TCA_SYMPHONY_PSN,
	  .type = SYMPHONY_CHOICE,
	  .choices = symphony_psns, .max = __TC_SYMPHONY_PSN_MAX - 1 },
	{ .name = "jobs", .attr = TCA_SYMPHONY_JOBS,
	  .type = SYMPHONY_NUMBER, .min = 1, .max = TC_SYMPHONY_JOBS_MAX },
	{ .name = "flows", .attr = TCA_SYMPHONY_FLOWS,
	  .type = SYMPHONY_NUMBER,
	  .min = TC_SYMPHONY_FLOWS_MIN, .max = TC_SYMPHONY_FLOWS_MAX },
	{ .name = "idle", .attr = TCA_SYMPHONY_IDLE, .wide = true,
	  .type = SYMPHONY_TIME,
	  .min = TC_SYMPHONY_IDLE_MIN, .max = TC_SYMPHONY_IDLE_MAX },
	{ .name = "domain", .attr = TCA_SYMPHONY_DOMAIN,
	  .type = SYMPHONY_NUMBER, .max = UINT32_MAX },
	{ .name = "mode", .attr = TCA_SYMPHONY_MODE,
	  .type = SYMPHONY_CHOICE,
	  .choices = symphony_modes, .max = __TC_SYMPHONY_MODE_MAX - 1 },
	{ .name = "seed", .attr = TCA_SYMPHONY_SEED, .wide = true,
	  .type = SYMPHONY_NUMBER, .max = UINT64_MAX },
	{ .name = "ecn_min", .attr = TCA_SYMPHONY_ECN_MIN,
	  .type = SYMPHONY_SIZE, .max = TC_SYMPHONY_ECN_BYTES_MAX },
	{ .name = "ecn_max", .attr = TCA_SYMPHONY_ECN_MAX,
	  .type = SYMPHONY_SIZE, .max = TC_SYMPHONY_ECN_BYTES_MAX },
	{ .name = "ecn_min", .key = "ecn_min_time",
	  .attr = TCA_SYMPHONY_ECN_MIN_TIME, .wide = true,
	  .type = SYMPHONY_TIME, .max = TC_SYMPHONY_ECN_TIME_MAX },
	{ .name = "ecn_max", .key = "ecn_max_time",
	  .attr = TCA_SYMPHONY_ECN_MAX_TIME, .wide = true,
	  .type = SYMPHONY_TIME, .max = TC_SYMPHONY_ECN_TIME_MAX },
	{ .name = "ecn_rate", .attr = TCA_SYMPHONY_ECN_RATE, .wide = true,
	  .type = SYMPHONY_RATE, .max = TC_SYMPHONY_ECN_RATE_MAX },
	{ .name = "ecn_prob", .attr = TCA_SYMPHONY_ECN_PROB,
	  .type = SYMPHONY_PROBABILITY, .max = TC_SYMPHONY_ONE },
	{ .name = "shield", .attr = TCA_SYMPHONY_SHIELD,
	  .type = SYMPHONY_NUMBER, .min = 1, .max = TC_SYMPHONY_SHIELD_MAX },
	{ .name = "queue", .attr = TCA_SYMPHONY_QUEUE,
	  .type = SYMPHONY_CHOICE,
	  .choices = symphony_queues, .max = __TC_SYMPHONY_QUEUE_MAX - 1 },
	{ .name = "patience", .attr = TCA_SYMPHONY_PATIENCE, .wide = true,
	  .type = SYMPHONY_TIME,
	  .min = TC_SYMPHONY_PATIENCE_MIN, .max = TC_SYMPHONY_PATIENCE_MAX },
	{ .name = "hold", .attr = TCA_SYMPHONY_HOLD, .wide = true,
	  .type = SYMPHONY_TIME, .max = TC_SYMPHONY_HOLD_MAX },
	{ .name = "limit_bytes", .attr = TCA_SYMPHONY_LIMIT_BYTES,
	  .type = SYMPHONY_SIZE, .min = 1, .max = TC_SYMPHONY_LIMIT_BYTES_MAX },
};

/* Follows "job fixed" and has no keyword of its own. */
static const struct symphony_option symphony_job_id = {
	.name = "job_id", .attr = TCA_SYMPHONY_JOB_ID,
	.type = SYMPHONY_NUMBER, .min = 1, .max = TC_SYMPHONY_JOB_MAX,
};

/* What the command line said, by attribute. */
struct symphony_request {
	__u64 value[TCA_SYMPHONY_MAX + 1];
	bool given[TCA_SYMPHONY_MAX + 1];
};

static void explain(void)
{
	fprintf(stderr,
		"Usage: ... symphony [ limit PACKETS ] [ k PROB ] [ tau RATIO ] [ window TIME ]\n"
		"                    [ warmup PACKETS ] [ samples PACKETS ] [ alpha_max N ]\n"
		"                    [ proto { rocev2 | uet } ]\n"
		"                    [ job { resv | dscp | filter | fixed N } ]\n"
		"                    [ step { sport | spdcid | msgid | count } ]\n"
		"                    [ messages N ] [ gap TIME ]\n"
		"                    [ psn { relative | absolute } ]\n"
		"                    [ jobs MAX ] [ flows MAX ] [ idle TIME ] [ domain ID ]\n"
		"                    [ mode { mark | observe | prio } ] [ seed N ]\n"
		"                    [ ecn_min BYTES | TIME ] [ ecn_max BYTES | TIME ]\n"
		"                    [ ecn_rate RATE ] [ ecn_prob PROB ]\n"
		"                    [ shield FACTOR ] [ queue { child | order } ]\n"
		"                    [ patience TIME ] [ hold TIME ] [ limit_bytes BYTES ]\n"
		"PROB and RATIO are 0.01, 1%% or 1e-2, TIME is 100us (s, ms, us, ns; us without\n"
		"a unit), BYTES is 50kb, RATE is 100gbit. See tc-symphony(8).\n");
}

/* A decimal number as typed: digits * 10^exponent, and what comes after it. */
struct symphony_decimal {
	__u64 digits;
	int exponent;
	const char *suffix;
};

static bool symphony_add_digit(__u64 *number, char digit)
{
	return !__builtin_mul_overflow(*number, 10, number) &&
	       !__builtin_add_overflow(*number, digit - '0', number);
}

/* Doubles would turn 0.29 into 289999999 billionths: keep every digit. */
static int symphony_parse_decimal(const char *arg, struct symphony_decimal *d)
{
	bool point = false, any = false;
	unsigned int zeros = 0;
	const char *c;

	d->digits = 0;
	d->exponent = 0;
	for (c = arg; isdigit((unsigned char)*c) || (*c == '.' && !point); c++) {
		if (*c == '.') {
			point = true;
			continue;
		}
		any = true;
		/* zeros at the end of 0.50 mean nothing and need no room */
		if (point && *c == '0') {
			zeros++;
			continue;
		}
		for (; zeros; zeros--, d->exponent--) {
			if (!symphony_add_digit(&d->digits, '0'))
				return -EDOM;
		}
		if (!symphony_add_digit(&d->digits, *c))
			return point ? -EDOM : -ERANGE;
		d->exponent -= point;
	}
	if (!any)
		return -EINVAL;

	if (tolower((unsigned char)*c) == 'e') {
		char *end;
		long exponent;

		if (c[1] != '-' && c[1] != '+' && !isdigit((unsigned char)c[1]))
			return -EINVAL;
		exponent = strtol(c + 1, &end, 10);
		if (end == c + 1 || exponent < -99 || exponent > 99)
			return -EINVAL;
		d->exponent += exponent;
		c = end;
	}
	d->suffix = c;
	return 0;
}

/* -EDOM if the number has a finer part than the unit of the wire. */
static int symphony_scale(const struct symphony_decimal *d, __u64 factor,
			  __u64 *value)
{
	__u64 digits = d->digits;
	int exponent = d->exponent;

	for (; exponent < 0 && factor % 10 == 0; exponent++)
		factor /= 10;
	if (__builtin_mul_overflow(digits, factor, value))
		return -ERANGE;
	for (; exponent < 0; exponent++) {
		if (*value % 10)
			return -EDOM;
		*value /= 10;
	}
	for (; exponent > 0; exponent--) {
		if (__builtin_mul_overflow(*value, 10, value))
			return -ERANGE;
	}
	return 0;
}

struct symphony_unit {
	const char *name;
	__u64 factor;
};

static const struct symphony_unit symphony_fractions[] = {
	{ "",		TC_SYMPHONY_ONE },
	{ "%",		TC_SYMPHONY_ONE / 100 },
};

/* A plain number is microseconds, as everywhere in tc. */
static const struct symphony_unit symphony_times[] = {
	{ "",		1000 },
	{ "s",		1000000000 },
	{ "sec",	1000000000 },
	{ "secs",	1000000000 },
	{ "ms",		1000000 },
	{ "msec",	1000000 },
	{ "msecs",	1000000 },
	{ "us",		1000 },
	{ "usec",	1000 },
	{ "usecs",	1000 },
	{ "ns",		1 },
	{ "nsec",	1 },
	{ "nsecs",	1 },
};

/* 1024 and not 1000, as everywhere in tc. */
static const struct symphony_unit symphony_sizes[] = {
	{ "",		1 },
	{ "b",		1 },
	{ "k",		1 << 10 },
	{ "kb",		1 << 10 },
	{ "m",		1 << 20 },
	{ "mb",		1 << 20 },
	{ "g",		1 << 30 },
	{ "gb",		1 << 30 },
	{ "kbit",	(1 << 10) / 8 },
	{ "mbit",	(1 << 20) / 8 },
	{ "gbit",	(1 << 30) / 8 },
};

/* Bits as in tc: 1000 of them, or 1024; bytes with bps. */
static const struct symphony_unit symphony_rates[] = {
	{ "bit",	1 },
	{ "",		1 },
	{ "kbit",	1000 },
	{ "mbit",	1000000 },
	{ "gbit",	1000000000 },
	{ "tbit",	1000000000000ULL },
	{ "kibit",	1ULL << 10 },
	{ "mibit",	1ULL << 20 },
	{ "gibit",	1ULL << 30 },
	{ "tibit",	1ULL << 40 },
	{ "bps",	8 },
	{ "kbps",	8000 },
	{ "mbps",	8000000 },
	{ "gbps",	8000000000ULL },
	{ "tbps",	8000000000000ULL },
};

static int symphony_parse_unit(const char *arg,
			       const struct symphony_unit *units, size_t rows,
			       __u64 *value)
{
	struct symphony_decimal decimal;
	size_t i;
	int err;

	err = symphony_parse_decimal(arg, &decimal);
	if (err)
		return err;
	for (i = 0; i < rows; i++) {
		if (!strcasecmp(decimal.suffix, units[i].name))
			return symphony_scale(&decimal, units[i].factor, value);
	}
	return -EINVAL;
}

static int symphony_parse_number(const char *arg, const char *unit,
				 __u64 *value)
{
	char *end;
	int base;

	/* keeps out signs and blanks, which strtoull() lets pass */
	if (!isdigit((unsigned char)*arg))
		return -EINVAL;
	base = arg[0] == '0' && tolower((unsigned char)arg[1]) == 'x' ? 16 : 10;
	errno = 0;
	*value = strtoull(arg, &end, base);
	if (errno)
		return -errno;
	return *end && strcmp(end, unit) ? -EINVAL : 0;
}

static int symphony_parse_choice(const char *arg,
				 const struct symphony_option *opt,
				 __u64 *value)
{
	for (*value = 0; *value <= opt->max; (*value)++) {
		if (!strcmp(arg, opt->choices[*value]))
			return 0;
	}
	return -EINVAL;
}

/* Typed in bits a second; whole bytes a second on the wire. */
static int symphony_parse_rate(const char *arg, __u64 *value)
{
	int err = symphony_parse_unit(arg, symphony_rates,
				      ROWS(symphony_rates), value);

	if (!err && *value % 8)
		err = -EDOM;
	*value /= 8;
	return err;
}

static int symphony_parse_value(const struct symphony_option *opt,
				const char *arg, __u64 *value)
{
	switch (opt->type) {
	case SYMPHONY_NUMBER:
		return symphony_parse_number(arg, "", value);
	case SYMPHONY_PACKETS:
		return symphony_parse_number(arg, "p", value);
	case SYMPHONY_PROBABILITY:
	case SYMPHONY_RATIO:
		return symphony_parse_unit(arg, symphony_fractions,
					   ROWS(symphony_fractions), value);
	case SYMPHONY_TIME:
		return symphony_parse_unit(arg, symphony_times,
					   ROWS(symphony_times), value);
	case SYMPHONY_SIZE:
		return symphony_parse_unit(arg, symphony_sizes,
					   ROWS(symphony_sizes), value);
	case SYMPHONY_RATE:
		return symphony_parse_rate(arg, value);
	case SYMPHONY_CHOICE:
		return symphony_parse_choice(arg, opt, value);
	}
	return -EINVAL;
}

static const char *symphony_sprint_fraction(__u64 value, char *buf)
{
	int len;

	len = snprintf(buf, SYMPHONY_TEXT_MAX, "%llu.%09llu",
		       (unsigned long long)value / TC_SYMPHONY_ONE,
		       (unsigned long long)value % TC_SYMPHONY_ONE);
	while (buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[--len] = '\0';
	return buf;
}

/* The largest of the units, ordered by size, that divides exactly. */
static const char *symphony_sprint_unit(__u64 value,
					const struct symphony_unit *units,
					char *buf)
{
	while (!value ? units->factor != 1 : value % units->factor)
		units++;
	snprintf(buf, SYMPHONY_TEXT_MAX, "%llu%s",
		 (unsigned long long)(value / units->factor), units->name);
	return buf;
}

static const char *symphony_sprint(const struct symphony_option *opt,
				   __u64 value, char *buf)
{
	static const struct symphony_unit times[] = {
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	static const struct symphony_unit sizes[] = {
		{ "Mb", 1 << 20 }, { "Kb", 1 << 10 }, { "b", 1 },
	};

	static const struct symphony_unit rates[] = {
		{ "Tbit", 1000000000000ULL }, { "Gbit", 1000000000 },
		{ "Mbit", 1000000 }, { "Kbit", 1000 }, { "bit", 1 },
	};

	switch (opt->type) {
	case SYMPHONY_PROBABILITY:
	case SYMPHONY_RATIO:
		return symphony_sprint_fraction(value, buf);
	case SYMPHONY_TIME:
		return symphony_sprint_unit(value, times, buf);
	case SYMPHONY_SIZE:
		return symphony_sprint_unit(value, sizes, buf);
	case SYMPHONY_RATE:
		return symphony_sprint_unit(value * 8, rates, buf);
	case SYMPHONY_CHOICE:
		if (value <= opt->max)
			return opt->choices[value];
		break;
	case SYMPHONY_NUMBER:
	case SYMPHONY_PACKETS:
		break;
	}
	/* also the choices of a newer kernel */
	snprintf(buf, SYMPHONY_TEXT_MAX, "%llu", (unsigned long long)value);
	return buf;
}

/* What was typed: the job's number has no keyword of its own. */
static const char *symphony_keyword(const struct symphony_option *opt)
{
	return opt == &symphony_job_id ? "job fixed" : opt->name;
}

static void symphony_complain_range(const struct symphony_option *opt)
{
	static const char *const what[] = {
		[SYMPHONY_NUMBER]	= "a number",
		[SYMPHONY_PACKETS]	= "a number of packets",
		[SYMPHONY_PROBABILITY]	= "a probability",
		[SYMPHONY_RATIO]	= "a ratio",
		[SYMPHONY_TIME]		= "a time",
		[SYMPHONY_SIZE]		= "a size",
		[SYMPHONY_RATE]		= "a rate",
	};
	char min[SYMPHONY_TEXT_MAX], max[SYMPHONY_TEXT_MAX];
	__u64 i;

	if (opt->type != SYMPHONY_CHOICE) {
		fprintf(stderr, "%s from %s to %s\n", what[opt->type],
			symphony_sprint(opt, opt->min, min),
			symphony_sprint(opt, opt->max, max));
		return;
	}
	for (i = 0; i <= opt->max; i++)
		fprintf(stderr, "%s%s", i ? ", " : "one of ", opt->choices[i]);
	fprintf(stderr, "\n");
}

static void symphony_complain(const struct symphony_option *opt, const char *arg,
			      int err)
{
	fprintf(stderr, "symphony: %s \"%s\": ", symphony_keyword(opt), arg);
	if (err == -EDOM)
		fprintf(stderr, "finer than %s, ",
			opt->type == SYMPHONY_TIME ? "a nanosecond" :
			opt->type == SYMPHONY_SIZE ? "a byte" :
			opt->type == SYMPHONY_RATE ? "a byte a second" :
			"a billionth");
	else
		fprintf(stderr, "not ");
	symphony_complain_range(opt);
}

static int symphony_parse_one(const struct symphony_option *opt, int argc,
			      char **argv, struct symphony_request *req)
{
	__u64 *value = &req->value[opt->attr];
	int err;

	if (!argc) {
		fprintf(stderr, "symphony: %s: no value given, needs ",
			symphony_keyword(opt));
		symphony_complain_range(opt);
		return -1;
	}
	if (req->given[opt->attr]) {
		fprintf(stderr, "symphony: %s \"%s\": given twice\n",
			symphony_keyword(opt), *argv);
		return -1;
	}
	err = symphony_parse_value(opt, *argv, value);
	if (!err && (*value < opt->min || *value > opt->max))
		err = -ERANGE;
	if (err) {
		symphony_complain(opt, *argv, err);
		return -1;
	}
	req->given[opt->attr] = true;
	return 0;
}

/* Whether it has a unit of time and is no size. */
static bool symphony_is_time(const char *arg)
{
	struct symphony_decimal decimal;
	size_t i;

	if (!arg || symphony_parse_decimal(arg, &decimal) || !*decimal.suffix)
		return false;
	for (i = 0; i < ROWS(symphony_times); i++) {
		if (!strcasecmp(decimal.suffix, symphony_times[i].name))
			return true;
	}
	return false;
}

/* A name may have two rows: of a size, and of a time. */
static const struct symphony_option *symphony_find(const char *name,
						   const char *arg)
{
	const struct symphony_option *found = NULL;
	size_t i;

	for (i = 0; i < ROWS(symphony_options); i++) {
		const struct symphony_option *opt = &symphony_options[i];

		if (strcmp(name, opt->name))
			continue;
		if (!found || (opt->type == SYMPHONY_TIME && symphony_is_time(arg)))
			found = opt;
	}
	return found;
}

static int symphony_parse_args(int argc, char **argv,
			       struct symphony_request *req)
{
	while (argc > 0) {
		const struct symphony_option *opt;

		if (!strcmp(*argv, "help")) {
			explain();
			return -1;
		}
		opt = symphony_find(*argv, argc > 1 ? argv[1] : NULL);
		if (!opt) {
			fprintf(stderr,
				"symphony: \"%s\" is not an option, \"help\" lists them\n",
				*argv);
			return -1;
		}
		if (symphony_parse_one(opt, --argc, ++argv, req))
			return -1;
		argc--;
		argv++;
		if (opt->attr != TCA_SYMPHONY_JOB ||
		    req->value[opt->attr] != TC_SYMPHONY_JOB_FIXED)
			continue;
		if (symphony_parse_one(&symphony_job_id, argc, argv, req))
			return -1;
		argc--;
		argv++;
	}
	return 0;
}

static void symphony_put(struct nlmsghdr *n, const struct symphony_option *opt,
			 const struct symphony_request *req)
{
	if (!req->given[opt->attr])
		return;
	if (opt->wide)
		addattr64(n, SYMPHONY_MSG_MAX, opt->attr, req->value[opt->attr]);
	else
		addattr32(n, SYMPHONY_MSG_MAX, opt->attr, req->value[opt->attr]);
}

static int symphony_parse_opt(QDISC_UTIL *qu, int argc, char **argv,
			      struct nlmsghdr *n, const char *dev)
{
	struct symphony_request req = { 0 };
	struct rtattr *nest;
	size_t i;

	(void)qu;
	(void)dev;
	if (symphony_parse_args(argc, argv, &req))
		return -1;

	/* the kernel keeps or defaults what is not sent */
	nest = addattr_nest(n, SYMPHONY_MSG_MAX, TCA_OPTIONS | NLA_F_NESTED);
	for (i = 0; i < ROWS(symphony_options); i++)
		symphony_put(n, &symphony_options[i], &req);
	symphony_put(n, &symphony_job_id, &req);
	addattr_nest_end(n, nest);
	return 0;
}

static bool symphony_get(struct rtattr **tb, const struct symphony_option *opt,
			 __u64 *value)
{
	const struct rtattr *attr = tb[opt->attr];

	if (!attr || RTA_PAYLOAD(attr) < (opt->wide ? sizeof(__u64) : sizeof(__u32)))
		return false;
	*value = opt->wide ? rta_getattr_u64(attr) : rta_getattr_u32(attr);
	return true;
}

static bool symphony_by_size(struct rtattr **tb)
{
	const struct rtattr *ecn_max = tb[TCA_SYMPHONY_ECN_MAX];

	return ecn_max && RTA_PAYLOAD(ecn_max) >= sizeof(__u32) &&
	       rta_getattr_u32(ecn_max);
}

static bool symphony_by_time(struct rtattr **tb)
{
	const struct rtattr *ecn_max = tb[TCA_SYMPHONY_ECN_MAX_TIME];

	return ecn_max && RTA_PAYLOAD(ecn_max) >= sizeof(__u64) &&
	       rta_getattr_u64(ecn_max);
}

static bool symphony_holds(struct rtattr **tb)
{
	const struct rtattr *queue = tb[TCA_SYMPHONY_QUEUE];

	return queue && RTA_PAYLOAD(queue) >= sizeof(__u32) &&
	       rta_getattr_u32(queue) != TC_SYMPHONY_QUEUE_CHILD;
}

/* Text leaves out what is switched off; JSON has every attribute. */
static bool symphony_is_off(struct rtattr **tb, int attr, __u64 value)
{
	switch (attr) {
	case TCA_SYMPHONY_DOMAIN:
		return value == 0;
	case TCA_SYMPHONY_SHIELD:
		return value == 1 ||
		       !(symphony_by_size(tb) || symphony_by_time(tb));
	case TCA_SYMPHONY_ECN_MIN:
	case TCA_SYMPHONY_ECN_MAX:
		return !symphony_by_size(tb);
	case TCA_SYMPHONY_ECN_MIN_TIME:
	case TCA_SYMPHONY_ECN_MAX_TIME:
		return !symphony_by_time(tb);
	case TCA_SYMPHONY_ECN_RATE:
		return !value || !symphony_by_time(tb);
	case TCA_SYMPHONY_ECN_PROB:
		return !(symphony_by_size(tb) || symphony_by_time(tb));
	case TCA_SYMPHONY_QUEUE:
	case TCA_SYMPHONY_PATIENCE:
	case TCA_SYMPHONY_HOLD:
	case TCA_SYMPHONY_LIMIT_BYTES:
		return !symphony_holds(tb);
	default:
		return false;
	}
}

static void symphony_print_text(const struct symphony_option *opt,
				const char *text)
{
	print_string(PRINT_FP, NULL, "%s ", opt->name);
	print_string(PRINT_FP, NULL, "%s", text);
	print_string(PRINT_FP, NULL, "%s ",
		     opt->type == SYMPHONY_PACKETS ? "p" : "");
}

static void symphony_print_json(const struct symphony_option *opt,
				__u64 value, const char *text)
{
	const char *name = opt->key ? opt->key : opt->name;

	switch (opt->type) {
	case SYMPHONY_CHOICE:
		print_string(PRINT_JSON, name, NULL, text);
		break;
	case SYMPHONY_PROBABILITY:
	case SYMPHONY_RATIO:
		/* print_float() keeps six digits only */
		jsonw_name(get_json_writer(), name);
		jsonw_printf(get_json_writer(), "%s", text);
		break;
	default:
		print_u64(PRINT_JSON, name, NULL, value);
	}
}

static void symphony_print_option(struct rtattr **tb,
				  const struct symphony_option *opt)
{
	char buf[SYMPHONY_TEXT_MAX];
	const char *text;
	__u64 value;

	if (!symphony_get(tb, opt, &value))
		return;
	text = symphony_sprint(opt, value, buf);
	if (is_json_context())
		symphony_print_json(opt, value, text);
	else if (!symphony_is_off(tb, opt->attr, value))
		symphony_print_text(opt, text);
}

/* In text the number stands where it is typed, behind "job fixed". */
static void symphony_print_job_id(struct rtattr **tb, __u64 job)
{
	char buf[SYMPHONY_TEXT_MAX];
	__u64 value;

	if (job != TC_SYMPHONY_JOB_FIXED ||
	    !symphony_get(tb, &symphony_job_id, &value))
		return;
	if (is_json_context())
		symphony_print_json(&symphony_job_id, value, NULL);
	else
		print_string(PRINT_FP, NULL, "%s ",
			     symphony_sprint(&symphony_job_id, value, buf));
}

static int symphony_print_opt(QDISC_UTIL *qu, FILE *f, struct rtattr *opt)
{
	struct rtattr *tb[TCA_SYMPHONY_MAX + 1];
	__u64 job;
	size_t i;

	(void)qu;
	(void)f;
	if (!opt)
		return 0;

	parse_rtattr_nested(tb, TCA_SYMPHONY_MAX, opt);
	for (i = 0; i < ROWS(symphony_options); i++) {
		symphony_print_option(tb, &symphony_options[i]);
		if (symphony_options[i].attr == TCA_SYMPHONY_JOB &&
		    symphony_get(tb, &symphony_options[i], &job))
			symphony_print_job_id(tb, job);
	}
	return 0;
}

enum symphony_place {
	SYMPHONY_NEXT,		/* behind the one before */
	SYMPHONY_LINE,		/* begins a line of text */
	SYMPHONY_JOINED,	/* in text without its name: bytes behind packets */
};

struct symphony_counter {
	const char *name;
	const char *unit;
	int attr;
	enum symphony_place place;
};

static const struct symphony_counter symphony_counters[] = {
	{ "data", "p", TCA_SYMPHONY_STATS_DATA, SYMPHONY_LINE },
	{ "data_bytes", "b", TCA_SYMPHONY_STATS_DATA_BYTES, SYMPHONY_JOINED },
	{ "lagging", "p", TCA_SYMPHONY_STATS_LAGGING, SYMPHONY_NEXT },
	{ "lagging_bytes", "b", TCA_SYMPHONY_STATS_LAGGING_BYTES, SYMPHONY_JOINED },
	{ "outpacing", "p", TCA_SYMPHONY_STATS_OUTPACING, SYMPHONY_NEXT },
	{ "outpacing_bytes", "b", TCA_SYMPHONY_STATS_OUTPACING_BYTES, SYMPHONY_JOINED },
	{ "marked", "p", TCA_SYMPHONY_STATS_MARKED, SYMPHONY_LINE },
	{ "marked_bytes", "b", TCA_SYMPHONY_STATS_MARKED_BYTES, SYMPHONY_JOINED },
	{ "would_mark", "p", TCA_SYMPHONY_STATS_WOULD_MARK, SYMPHONY_NEXT },
	{ "would_mark_bytes", "b", TCA_SYMPHONY_STATS_WOULD_MARK_BYTES, SYMPHONY_JOINED },
	{ "not_ect", "p", TCA_SYMPHONY_STATS_NOT_ECT, SYMPHONY_NEXT },
	{ "already_ce", "p", TCA_SYMPHONY_STATS_ALREADY_CE, SYMPHONY_NEXT },
	{ "mark_failed", "p", TCA_SYMPHONY_STATS_MARK_FAILED, SYMPHONY_NEXT },
	{ "ecn_marked", "p", TCA_SYMPHONY_STATS_ECN_MARKED, SYMPHONY_LINE },
	{ "shielded", "p", TCA_SYMPHONY_STATS_SHIELDED, SYMPHONY_NEXT },
	{ "prioritized", "p", TCA_SYMPHONY_STATS_PRIORITIZED, SYMPHONY_NEXT },
	{ "control", "p", TCA_SYMPHONY_STATS_CONTROL, SYMPHONY_LINE },
	{ "no_job", "p", TCA_SYMPHONY_STATS_NO_JOB, SYMPHONY_NEXT },
	{ "no_step", "p", TCA_SYMPHONY_STATS_NO_STEP, SYMPHONY_NEXT },
	{ "no_position", "p", TCA_SYMPHONY_STATS_NO_POSITION, SYMPHONY_NEXT },
	{ "table_full", "p", TCA_SYMPHONY_STATS_TABLE_FULL, SYMPHONY_NEXT },
	{ "unparsable", "p", TCA_SYMPHONY_STATS_UNPARSABLE, SYMPHONY_NEXT },
	{ "other", "p", TCA_SYMPHONY_STATS_OTHER, SYMPHONY_NEXT },
	{ "last_seen", "p", TCA_SYMPHONY_STATS_LAST_SEEN, SYMPHONY_LINE },
	{ "step_advances", "", TCA_SYMPHONY_STATS_STEP_ADVANCES, SYMPHONY_NEXT },
	{ "step_corrections", "", TCA_SYMPHONY_STATS_STEP_CORRECTIONS, SYMPHONY_NEXT },
	{ "windows", "", TCA_SYMPHONY_STATS_WINDOWS, SYMPHONY_NEXT },
	{ "alpha_ups", "", TCA_SYMPHONY_STATS_ALPHA_UPS, SYMPHONY_NEXT },
	{ "alpha_downs", "", TCA_SYMPHONY_STATS_ALPHA_DOWNS, SYMPHONY_NEXT },
	{ "jobs", "", TCA_SYMPHONY_STATS_JOBS, SYMPHONY_LINE },
	{ "jobs_created", "", TCA_SYMPHONY_STATS_JOBS_CREATED, SYMPHONY_NEXT },
	{ "jobs_expired", "", TCA_SYMPHONY_STATS_JOBS_EXPIRED, SYMPHONY_NEXT },
	{ "flows_replaced", "", TCA_SYMPHONY_STATS_FLOWS_REPLACED, SYMPHONY_NEXT },
	{ "memory", "b", TCA_SYMPHONY_STATS_MEMORY, SYMPHONY_NEXT },
	{ "jobs_replaced", "", TCA_SYMPHONY_STATS_JOBS_REPLACED, SYMPHONY_NEXT },
	{ "order_passed", "p", TCA_SYMPHONY_STATS_ORDER_PASSED, SYMPHONY_LINE },
	{ "order_fifos", "", TCA_SYMPHONY_STATS_ORDER_FIFOS, SYMPHONY_NEXT },
	{ "order_backlog_smallest", "b", TCA_SYMPHONY_STATS_ORDER_BACKLOG_SMALLEST, SYMPHONY_NEXT },
	{ "order_backlog_ahead", "b", TCA_SYMPHONY_STATS_ORDER_BACKLOG_AHEAD, SYMPHONY_NEXT },
	{ "order_wait_max", "ns", TCA_SYMPHONY_STATS_ORDER_WAIT_MAX, SYMPHONY_NEXT },
	{ "order_holds", "", TCA_SYMPHONY_STATS_ORDER_HOLDS, SYMPHONY_NEXT },
	{ "drops_ahead", "p", TCA_SYMPHONY_STATS_DROPS_AHEAD, SYMPHONY_LINE },
	{ "drops_other", "p", TCA_SYMPHONY_STATS_DROPS_OTHER, SYMPHONY_NEXT },
	{ "drops_laggard", "p", TCA_SYMPHONY_STATS_DROPS_LAGGARD, SYMPHONY_NEXT },
	{ "drops_gap", "p", TCA_SYMPHONY_STATS_DROPS_GAP, SYMPHONY_NEXT },
	{ "only", "p", TCA_SYMPHONY_STATS_ONLY, SYMPHONY_LINE },
	{ "step_entropy", "p", TCA_SYMPHONY_STATS_STEP_ENTROPY, SYMPHONY_NEXT },
	{ "step_restarts", "", TCA_SYMPHONY_STATS_STEP_RESTARTS, SYMPHONY_NEXT },
};

static void symphony_print_counter(const struct symphony_counter *counter,
				   __u64 value)
{
	if (counter->place != SYMPHONY_JOINED)
		print_string(PRINT_FP, NULL, "%s ", counter->name);
	print_u64(PRINT_ANY, counter->name, "%llu", value);
	print_string(PRINT_FP, NULL, "%s", counter->unit);
}

static __u64 symphony_sum(struct rtattr **tb, const int *attrs, size_t rows)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < rows; i++) {
		const struct rtattr *attr = tb[attrs[i]];

		if (attr && RTA_PAYLOAD(attr) >= sizeof(__u64))
			sum += rta_getattr_u64(attr);
	}
	return sum;
}

/*
 * Programs that read the text of tc, such as flent, know the line of fq_pie.
 * Every figure in it is true: symphony drops for want of room alone, if at all.
 */
static void symphony_print_sums(struct rtattr **tb)
{
	static const int ecn_mark[] = {
		TCA_SYMPHONY_STATS_MARKED, TCA_SYMPHONY_STATS_ECN_MARKED,
	};
	static const int pkts_in[] = {
		TCA_SYMPHONY_STATS_DATA, TCA_SYMPHONY_STATS_CONTROL,
		TCA_SYMPHONY_STATS_NO_JOB, TCA_SYMPHONY_STATS_NO_STEP,
		TCA_SYMPHONY_STATS_TABLE_FULL, TCA_SYMPHONY_STATS_UNPARSABLE,
		TCA_SYMPHONY_STATS_OTHER,
	};
	static const int overlimit[] = {
		TCA_SYMPHONY_STATS_DROPS_AHEAD, TCA_SYMPHONY_STATS_DROPS_OTHER,
		TCA_SYMPHONY_STATS_DROPS_LAGGARD, TCA_SYMPHONY_STATS_DROPS_GAP,
	};

	print_nl();
	print_u64(PRINT_ANY, "pkts_in", "  pkts_in %llu",
		  symphony_sum(tb, pkts_in, ROWS(pkts_in)));
	print_u64(PRINT_FP, NULL, " overlimit %llu overmemory 0 dropped 0",
		  symphony_sum(tb, overlimit, ROWS(overlimit)));
	print_u64(PRINT_ANY, "ecn_mark", " ecn_mark %llu",
		  symphony_sum(tb, ecn_mark, ROWS(ecn_mark)));
}

/* What to do about it, where a number alone would leave the reader puzzled. */
static void symphony_print_advice(struct rtattr **tb)
{
	static const int entropy[] = { TCA_SYMPHONY_STATS_STEP_ENTROPY };

	if (is_json_context() || !symphony_sum(tb, entropy, ROWS(entropy)))
		return;
	print_nl();
	print_string(PRINT_FP, NULL, "%s",
		     "  step_entropy: the numbers taken for steps are none, try \"step count\"");
}

/* A kernel older or newer than this file leaves out or adds attributes. */
static int symphony_print_xstats(QDISC_UTIL *qu, FILE *f,
				 struct rtattr *xstats)
{
	struct rtattr *tb[TCA_SYMPHONY_STATS_MAX + 1];
	bool begun = false;
	size_t i;

	(void)qu;
	(void)f;
	if (!xstats)
		return 0;

	parse_rtattr_nested(tb, TCA_SYMPHONY_STATS_MAX, xstats);
	for (i = 0; i < ROWS(symphony_counters); i++) {
		const struct symphony_counter *counter = &symphony_counters[i];
		const struct rtattr *attr = tb[counter->attr];

		if (counter->place == SYMPHONY_LINE && begun) {
			print_nl();
			begun = false;
		}
		if (!attr || RTA_PAYLOAD(attr) < sizeof(__u64))
			continue;
		print_string(PRINT_FP, NULL, "%s", begun ? " " : "  ");
		symphony_print_counter(counter, rta_getattr_u64(attr));
		begun = true;
	}
	symphony_print_sums(tb);
	symphony_print_advice(tb);
	return 0;
}

struct qdisc_util symphony_qdisc_util = {
	.id		= "symphony",
	.parse_qopt	= symphony_parse_opt,
	.print_qopt	= symphony_print_opt,
	.print_xstats	= symphony_print_xstats,
};
