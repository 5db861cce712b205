// SPDX-License-Identifier: GPL-2.0
/* KEY=VALUE arguments. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "topo.h"

struct unit {
	const char *name;
	double factor;
};

static const struct unit plain[] = { { "", 1 }, {} };
static const struct unit sizes[] = {
	{ "", 1 }, { "k", 1e3 }, { "m", 1e6 }, { "g", 1e9 }, {}
};

static const struct unit times[] = {
	{ "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, {}
};

static const struct unit rates[] = {
	{ "", 1 }, { "bit", 1 }, { "kbit", 1e3 }, { "mbit", 1e6 },
	{ "gbit", 1e9 }, {}
};

static const char *const routings[] = { "ecmp", "pair", "balanced", NULL };
static const char *const switches[] = { "off", "on", NULL };

/**
 * struct key - a number or a word
 * @name: as typed
 * @offset: of a __u64
 * @units: how a number is read
 * @words: for a word, its place is the value
 * @min: least number
 * @max: greatest
 */
struct key {
	const char *name;
	size_t offset;
	const struct unit *units;
	const char *const *words;
	__u64 min, max;
};

#define NUMBER(k, u, lo, hi) \
	{ .name = #k, .offset = offsetof(struct topo_options, k), \
	  .units = u, .min = lo, .max = hi }
#define WORD(k, w) \
	{ .name = #k, .offset = offsetof(struct topo_options, k), .words = w }

static const struct key keys[] = {
	NUMBER(hosts, plain, 1, TOPO_HOSTS_MAX),
	NUMBER(tors, plain, 1, 64),
	NUMBER(spines, plain, 0, 64),
	NUMBER(pods, plain, 1, 64),
	NUMBER(cores, plain, 0, 64),
	NUMBER(rate, rates, 1000, 1000000000000ULL),
	NUMBER(host_rate, rates, 1000, 1000000000000ULL),
	NUMBER(spine_rate, rates, 1000, 1000000000000ULL),
	NUMBER(core_rate, rates, 1000, 1000000000000ULL),
	NUMBER(delay, times, 0, 1000000000),
	NUMBER(overhead, plain, 0, 1000),
	NUMBER(classes, plain, 1, 2),
	NUMBER(buffer, sizes, 0, UINT32_MAX),
	NUMBER(pfc_shift, plain, 0, 16),
	NUMBER(pfc_xon, sizes, 0, UINT32_MAX),
	NUMBER(headroom, sizes, 0, UINT32_MAX),
	NUMBER(seed, plain, 0, UINT32_MAX),
	NUMBER(txqlen, plain, 1, 10000000),
	WORD(pfc, switches),
	WORD(routing, routings),
	WORD(print, switches),
	{}
};

static __u64 parse_number(const struct key *key, const char *text)
{
	const struct unit *unit;
	double value;
	char *end;

	value = strtod(text, &end);
	for (unit = key->units; unit->name; unit++) {
		if (end == text || strcmp(end, unit->name))
			continue;
		value *= unit->factor;
		if (value < key->min || value > key->max)
			break;
		return value;
	}
	topo_die("%s: %s is not in %llu to %llu", key->name, text,
		 key->min, key->max);
}

static __u64 parse_word(const struct key *key, const char *text)
{
	unsigned int i;

	for (i = 0; key->words[i]; i++)
		if (!strcmp(key->words[i], text))
			return i;
	topo_die("%s: %s is not one of %s %s %s", key->name, text,
		 key->words[0], key->words[1],
		 key->words[2] ? key->words[2] : "");
}

/* DEV:FACTOR[,DEV:FACTOR] */
static void parse_skew(struct topo_options *o, char *text)
{
	struct topo_skew *skew;
	char *item, *end;

	if (!strcmp(text, "none"))
		return;
	while ((item = strsep(&text, ","))) {
		if (o->nskews == TOPO_SKEWS_MAX)
			topo_die("skew: more than %d devices", TOPO_SKEWS_MAX);
		skew = &o->skews[o->nskews++];
		end = strchr(item, ':');
		if (!end || end - item >= TOPO_NAME_MAX)
			topo_die("skew: %s is not DEV:FACTOR", item);
		memcpy(skew->dev, item, end - item);
		skew->factor = strtod(end + 1, &end);
		if (*end || skew->factor < 0.001 || skew->factor > 1000)
			topo_die("skew: %s: factor is not in 0.001 to 1000",
				 item);
	}
}

static void parse_argument(struct topo_options *o, char *name, char *value)
{
	const struct key *key;
	__u64 number;

	if (!strcmp(name, "qdisc")) {
		o->qdisc = value;
		return;
	}
	if (!strcmp(name, "qdisc_host_port")) {
		o->qdisc_host_port = value;
		return;
	}
	if (!strcmp(name, "skew")) {
		parse_skew(o, value);
		return;
	}
	for (key = keys; key->name; key++) {
		if (strcmp(key->name, name))
			continue;
		number = key->words ? parse_word(key, value) :
				      parse_number(key, value);
		*(__u64 *)((char *)o + key->offset) = number;
		return;
	}
	topo_die("there is no key %s", name);
}

static void check(const struct topo_options *o)
{
	if (o->hosts < o->tors)
		topo_die("hosts: %llu are fewer than tors %llu",
			 o->hosts, o->tors);
	if (o->tors > 1 && !o->spines)
		topo_die("spines: 0 do not join tors %llu", o->tors);
	if (o->tors % o->pods)
		topo_die("pods: %llu do not divide tors %llu",
			 o->pods, o->tors);
	if (o->pods > 1 && !o->cores)
		topo_die("cores: 0 do not join pods %llu", o->pods);
	if (o->tors + o->spines * o->pods + o->cores > TOPO_SWITCHES_MAX)
		topo_die("more than %d switches", TOPO_SWITCHES_MAX);
}

void topo_parse(struct topo_options *o, int argc, char **argv)
{
	char *value;
	int i;

	*o = (struct topo_options) {
		.hosts = 2,
		.tors = 1,
		.pods = 1,
		.rate = 10000000000ULL,
		.delay = 1000,
		.overhead = 24,
		.classes = 1,
		.pfc_shift = 3,
		.pfc_xon = 3000,
		.headroom = 100000,
		.seed = 1,
		.txqlen = 1000,
	};
	for (i = 1; i < argc; i++) {
		value = strchr(argv[i], '=');
		if (!value)
			topo_die("%s is not KEY=VALUE", argv[i]);
		*value++ = '\0';
		parse_argument(o, argv[i], value);
	}
	if (!o->host_rate)
		o->host_rate = o->rate;
	if (!o->spine_rate)
		o->spine_rate = o->rate;
	if (!o->core_rate)
		o->core_rate = o->rate;
	if (!o->qdisc)
		o->qdisc = o->classes == 1 ?
			   "qdisc replace dev DEV root handle 1: bfifo limit 16000000" :
			   "qdisc replace dev DEV root handle 1: mq;"
			   "qdisc replace dev DEV parent 1:1 bfifo limit 16000000;"
			   "qdisc replace dev DEV parent 1:2 bfifo limit 16000000";
	if (!o->qdisc_host_port)
		o->qdisc_host_port = o->qdisc;
	check(o);
}
