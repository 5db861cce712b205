// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin of tc without tc: its option parser on any words, its printers on any
 * attributes. What it takes is one well-formed message of values within the range of the
 * UAPI, and what it prints of that it takes again, for the same message.
 */
#include <errno.h>
#include <stdarg.h>

#include <linux/pkt_sch_symphony.h>

#include "fuzz.h"

#include "q_symphony.c"

/* --- as much of tc as the plugin asks for --- */

static bool json;
static char text[8192];
static size_t text_len;

static struct rtattr *add(struct nlmsghdr *n, int maxlen, int type, const void *data, size_t len)
{
	struct rtattr *rta = (struct rtattr *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	/* it has no way to say so and would send less than was asked for */
	tap_check(NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(RTA_LENGTH(len)) <= (u32)maxlen,
		  "message longer than %d", maxlen);
	rta->rta_type = type;
	rta->rta_len = RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(rta), data, len);
	n->nlmsg_len = NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(rta->rta_len);
	return rta;
}

int addattr32(struct nlmsghdr *n, int maxlen, int type, __u32 data)
{
	add(n, maxlen, type, &data, sizeof(data));
	return 0;
}

int addattr64(struct nlmsghdr *n, int maxlen, int type, __u64 data)
{
	add(n, maxlen, type, &data, sizeof(data));
	return 0;
}

struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type)
{
	return add(n, maxlen, type, NULL, 0);
}

int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest)
{
	nest->rta_len = (char *)n + n->nlmsg_len - (char *)nest;
	return 0;
}

int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta, int len,
		       unsigned short flags)
{
	memset(tb, 0, sizeof(*tb) * (max + 1));
	for (; RTA_OK(rta, len); rta = RTA_NEXT(rta, len)) {
		unsigned short type = rta->rta_type & ~flags;

		if (type <= max && !tb[type])
			tb[type] = rta;
	}
	return 0;
}

bool is_json_context(void)
{
	return json;
}

static void print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_len += vsnprintf(text + text_len, sizeof(text) - text_len, fmt, ap);
	va_end(ap);
	tap_check(text_len < sizeof(text), "more text than there should be");
}

void print_nl(void)
{
	print("\n");
}

static bool printed(enum output_type t)
{
	return t & (json ? PRINT_JSON | PRINT_ANY : PRINT_FP | PRINT_ANY);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

int print_color_string(enum output_type t, enum color_attr color, const char *key,
		       const char *fmt, const char *value)
{
	(void)color;
	if (printed(t) && json)
		print("\"%s\":\"%s\",", key, value);
	else if (printed(t))
		print(fmt, value);
	return 0;
}

int print_color_u64(enum output_type t, enum color_attr color, const char *key, const char *fmt,
		    uint64_t value)
{
	(void)color;
	if (printed(t) && json)
		print("\"%s\":%llu,", key, (unsigned long long)value);
	else if (printed(t))
		print(fmt, (unsigned long long)value);
	return 0;
}

struct json_writer *get_json_writer(void)
{
	return NULL;
}

void jsonw_name(struct json_writer *self, const char *name)
{
	(void)self;
	print("\"%s\":", name);
}

void jsonw_printf(struct json_writer *self, const char *fmt, ...)
{
	va_list ap;
	char value[128];

	(void)self;
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	print("%s,", value);
}

/* --- what must hold --- */

/* From include/uapi/linux/pkt_sch_symphony.h, apart from the plugin's own table. */
static const struct {
	u64 min;
	u64 max;
	bool wide;
} ranges[TCA_SYMPHONY_MAX + 1] = {
	[TCA_SYMPHONY_LIMIT] = { 1, TC_SYMPHONY_LIMIT_MAX, false },
	[TCA_SYMPHONY_K] = { 0, TC_SYMPHONY_ONE, false },
	[TCA_SYMPHONY_TAU] = { 0, TC_SYMPHONY_ONE, false },
	[TCA_SYMPHONY_WINDOW] = { TC_SYMPHONY_WINDOW_MIN, TC_SYMPHONY_WINDOW_MAX, true },
	[TCA_SYMPHONY_WARMUP] = { 0, TC_SYMPHONY_WARMUP_MAX, false },
	[TCA_SYMPHONY_SAMPLES] = { 0, TC_SYMPHONY_WARMUP_MAX, false },
	[TCA_SYMPHONY_ALPHA_MAX] = { 1, TC_SYMPHONY_ALPHA_MAX, false },
	[TCA_SYMPHONY_PROTO] = { 0, __TC_SYMPHONY_PROTO_MAX - 1, false },
	[TCA_SYMPHONY_JOB] = { 0, __TC_SYMPHONY_JOB_MAX - 1, false },
	[TCA_SYMPHONY_JOB_ID] = { 1, TC_SYMPHONY_JOB_MAX, false },
	[TCA_SYMPHONY_STEP] = { 0, __TC_SYMPHONY_STEP_MAX - 1, false },
	[TCA_SYMPHONY_PSN] = { 0, __TC_SYMPHONY_PSN_MAX - 1, false },
	[TCA_SYMPHONY_JOBS] = { 1, TC_SYMPHONY_JOBS_MAX, false },
	[TCA_SYMPHONY_FLOWS] = { TC_SYMPHONY_FLOWS_MIN, TC_SYMPHONY_FLOWS_MAX, false },
	[TCA_SYMPHONY_IDLE] = { TC_SYMPHONY_IDLE_MIN, TC_SYMPHONY_IDLE_MAX, true },
	[TCA_SYMPHONY_DOMAIN] = { 0, UINT32_MAX, false },
	[TCA_SYMPHONY_MODE] = { 0, __TC_SYMPHONY_MODE_MAX - 1, false },
	[TCA_SYMPHONY_SEED] = { 0, UINT64_MAX, true },
	[TCA_SYMPHONY_ECN_MIN] = { 0, TC_SYMPHONY_ECN_BYTES_MAX, false },
	[TCA_SYMPHONY_ECN_MAX] = { 0, TC_SYMPHONY_ECN_BYTES_MAX, false },
	[TCA_SYMPHONY_ECN_PROB] = { 0, TC_SYMPHONY_ONE, false },
	[TCA_SYMPHONY_SHIELD] = { 1, TC_SYMPHONY_SHIELD_MAX, false },
	[TCA_SYMPHONY_QUEUE] = { 0, __TC_SYMPHONY_QUEUE_MAX - 1, false },
	[TCA_SYMPHONY_PATIENCE] = { TC_SYMPHONY_PATIENCE_MIN, TC_SYMPHONY_PATIENCE_MAX, true },
	[TCA_SYMPHONY_LIMIT_BYTES] = { 1, TC_SYMPHONY_LIMIT_BYTES_MAX, false },
	[TCA_SYMPHONY_ECN_MIN_TIME] = { 0, TC_SYMPHONY_ECN_TIME_MAX, true },
	[TCA_SYMPHONY_ECN_MAX_TIME] = { 0, TC_SYMPHONY_ECN_TIME_MAX, true },
	[TCA_SYMPHONY_ECN_RATE] = { 0, TC_SYMPHONY_ECN_RATE_MAX, true },
	[TCA_SYMPHONY_MESSAGES] = { 1, TC_SYMPHONY_MESSAGES_MAX, false },
	[TCA_SYMPHONY_HOLD] = { 0, TC_SYMPHONY_HOLD_MAX, true },
	[TCA_SYMPHONY_GAP] = { TC_SYMPHONY_GAP_MIN, TC_SYMPHONY_GAP_MAX, true },
};

struct message {
	struct nlmsghdr header;
	char room[2048];
};

/* Splits at blanks, and calls the plugin as tc would: -1 if it refuses. */
static int parse(const char *line, size_t len, struct message *m)
{
	static char copy[8192];
	char *argv[256];
	int argc = 0;
	char *word, *rest = copy;

	if (len >= sizeof(copy))
		len = sizeof(copy) - 1;
	memcpy(copy, line, len);
	copy[len] = '\0';
	while ((word = strsep(&rest, "\n ")) && argc < (int)ARRAY_SIZE(argv))
		if (*word)
			argv[argc++] = word;
	memset(m, 0, sizeof(*m));
	m->header.nlmsg_len = NLMSG_LENGTH(0);
	return symphony_qdisc_util.parse_qopt(&symphony_qdisc_util, argc, argv, &m->header,
					      "eth0");
}

static struct rtattr *options(struct message *m)
{
	return NLMSG_DATA(&m->header);
}

/* Each attribute once, of the right size, in its range. */
static void check_message(struct message *m, bool *has, u64 *value)
{
	struct rtattr *nest = options(m), *rta = RTA_DATA(nest);
	int len = RTA_PAYLOAD(nest);

	memset(has, 0, TCA_SYMPHONY_MAX + 1);
	tap_check(nest->rta_type == (TCA_OPTIONS | NLA_F_NESTED), "type %#x", nest->rta_type);
	for (; RTA_OK(rta, len); rta = RTA_NEXT(rta, len)) {
		u32 type = rta->rta_type;

		tap_check(type <= TCA_SYMPHONY_MAX && ranges[type].max, "attribute %u", type);
		tap_check(!has[type], "attribute %u twice", type);
		tap_check(RTA_PAYLOAD(rta) == (ranges[type].wide ? 8 : 4),
			  "attribute %u has %zu bytes", type, (size_t)RTA_PAYLOAD(rta));
		has[type] = true;
		value[type] = ranges[type].wide ? rta_getattr_u64(rta) : rta_getattr_u32(rta);
		tap_check(value[type] >= ranges[type].min && value[type] <= ranges[type].max,
			  "attribute %u is %llu", type, (unsigned long long)value[type]);
	}
	tap_check(!len, "%d bytes behind the last attribute", len);
	tap_check(!has[TCA_SYMPHONY_JOB] ||
		  (value[TCA_SYMPHONY_JOB] == TC_SYMPHONY_JOB_FIXED) ==
		  has[TCA_SYMPHONY_JOB_ID], "a fixed job without number, or the reverse");
}

static void try_parse(void)
{
	u64 value[TCA_SYMPHONY_MAX + 1], again[TCA_SYMPHONY_MAX + 1];
	bool has[TCA_SYMPHONY_MAX + 1], had[TCA_SYMPHONY_MAX + 1];
	static struct message m;
	u32 i;

	if (parse((const char *)fuzz_input.bytes, fuzz_input.left, &m))
		return;
	check_message(&m, has, value);
	json = true;
	text_len = 0;
	symphony_qdisc_util.print_qopt(&symphony_qdisc_util, stdout, options(&m));
	json = false;
	text_len = 0;
	symphony_qdisc_util.print_qopt(&symphony_qdisc_util, stdout, options(&m));
	tap_check(!parse(text, text_len, &m), "takes not what it prints: %s", text);
	check_message(&m, had, again);
	for (i = 0; i <= TCA_SYMPHONY_MAX; i++)
		tap_check(!had[i] || (has[i] && value[i] == again[i]),
			  "attribute %u is %llu, but read again %llu: %s", i,
			  (unsigned long long)value[i], (unsigned long long)again[i], text);
	/* what decides the rest is never left out */
	for (i = TCA_SYMPHONY_LIMIT; i <= TCA_SYMPHONY_STEP; i++)
		tap_check(had[i] == has[i], "attribute %u is not printed: %s", i, text);
}

static void try_print(void)
{
	struct rtattr *rta = malloc(RTA_LENGTH(fuzz_input.left));

	if (!rta)
		abort();
	rta->rta_type = TCA_OPTIONS;
	rta->rta_len = RTA_LENGTH(fuzz_input.left);
	memcpy(RTA_DATA(rta), fuzz_input.bytes, fuzz_input.left);
	for (text_len = 0, json = false;; text_len = 0, json = true) {
		symphony_qdisc_util.print_qopt(&symphony_qdisc_util, stdout, rta);
		symphony_qdisc_util.print_xstats(&symphony_qdisc_util, stdout, rta);
		if (json)
			break;
	}
	free(rta);
}

static void fuzz_try(void)
{
	/* words do not begin with it */
	if (fuzz_input.left && fuzz_input.left < 4096 && *fuzz_input.bytes == '\0') {
		fuzz_take(1);
		try_print();
		return;
	}
	try_parse();
}

static void fuzz_seeds(const char *dir)
{
	static const char *const lines[] = {
		"limit 10p k 0.01 tau 25% window 100us warmup 8 samples 8 alpha_max 65535",
		"proto uet job fixed 0xffffff step msgid psn absolute jobs 1 flows 256 idle 5s",
		"domain 7 mode observe seed 18446744073709551615 ecn_prob 1e-2 shield 2",
		"ecn_min 0 ecn_max 256mb", "ecn_min 100us ecn_max 1ms ecn_rate 100gbit",
		"queue order patience 1ms limit_bytes 1gb", "step count messages 16 gap 1s",
		"help", "job fixed", "k 0.33333333333333",
	};
	u8 bytes[1 + TCA_SYMPHONY_STATS_MAX * 12] = { 0 };
	struct message m;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		seed_write(dir, lines[i], strlen(lines[i]));
		if (parse(lines[i], strlen(lines[i]), &m))
			continue;
		memcpy(bytes + 1, RTA_DATA(options(&m)), RTA_PAYLOAD(options(&m)));
		seed_write(dir, bytes, 1 + RTA_PAYLOAD(options(&m)));
	}
	for (i = 0; i < TCA_SYMPHONY_STATS_MAX; i++)
		memcpy(bytes + 1 + 12 * i, (u16 []){ 12, i + 1, 7, 0, 0, 0 }, 12);
	seed_write(dir, bytes, sizeof(bytes));
}
