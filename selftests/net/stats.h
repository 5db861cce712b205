/* SPDX-License-Identifier: GPL-2.0 */
/* Counters from the JSON that tc prints. */
#ifndef _STATS_H
#define _STATS_H

#include <stdbool.h>

#include "names.h"

#define QDISC_COUNTERS	64
#define QDISCS_MAX	32

/* One top-level number of a qdisc. */
struct counter {
	char name[32];
	u64 value;
};

/**
 * struct qdisc_stats - one qdisc of a device
 * @kind: name
 * @handle: as tc prints it, with the colon
 * @counter: numbers at top level
 * @nr: of them
 */
struct qdisc_stats {
	char kind[16];
	char handle[16];
	struct counter counter[QDISC_COUNTERS];
	unsigned int nr;
};

/**
 * stats_parse() - read the output of tc -s -j qdisc show
 * @json: text
 * @q: result, %QDISCS_MAX of them
 *
 * Return: number of qdiscs, -1 if the text is no array of objects.
 */
int stats_parse(const char *json, struct qdisc_stats *q);

/**
 * stats_get() - look a counter up
 * @q: qdisc
 * @name: of the counter
 *
 * Return: the counter or NULL.
 */
const struct counter *stats_get(const struct qdisc_stats *q, const char *name);

#endif
