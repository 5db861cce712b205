/* SPDX-License-Identifier: GPL-2.0 */
/* TAP 13 on stdout, and random numbers that repeat. */
#ifndef _SYMPHONY_TAP_H
#define _SYMPHONY_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "symphony_types.h"

/* Notes a failed point may leave, lest a broken header floods the log. */
#define TAP_NOTES_MAX	8

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

struct tap {
	unsigned int points;
	unsigned int failed_points;
	unsigned long checks;
	unsigned long failed_checks;
};

static struct tap tap;

/**
 * tap_check() - one of the checks that make up a point
 * @ok: whether it holds
 * @...: what was checked, a printf format and its arguments
 */
#define tap_check(ok, ...) do {						\
	tap.checks++;							\
	if (!(ok) && tap.failed_checks++ < TAP_NOTES_MAX) {		\
		printf("# %s:%d: ", __FILE__, __LINE__);		\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
	}								\
} while (0)

/* End a point: it is good if all checks since the last one held, and any. */
static inline void tap_point(const char *name)
{
	bool ok = tap.checks && !tap.failed_checks;

	printf("%sok %u - %s (%lu checks)\n", ok ? "" : "not ", ++tap.points,
	       name, tap.checks);
	if (!ok)
		tap.failed_points++;
	tap.checks = 0;
	tap.failed_checks = 0;
	fflush(stdout);
}

static inline void tap_begin(void)
{
	printf("TAP version 13\n");
}

/* The plan and the exit status. */
static inline int tap_end(void)
{
	printf("1..%u\n", tap.points);
	return tap.failed_points ? 1 : 0;
}

/* How often to repeat: the only argument, or the number given here. */
static inline unsigned long tap_repeats(int argc, char **argv,
					unsigned long usual)
{
	unsigned long n = usual;
	char *end = NULL;

	if (argc > 1)
		n = strtoul(argv[1], &end, 10);
	if (argc > 2 || (end && (*end || !n))) {
		fprintf(stderr, "usage: %s [REPEATS]\n", argv[0]);
		exit(2);
	}
	return n;
}

/* splitmix64: any seed is good, the same seed gives the same numbers. */
static inline u64 random64(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Whether there is any more to draw: of these always, a fuzzer's bytes end. */
static inline bool tap_more(void)
{
	return true;
}

/* Uniform below @n, which is small beside 2^64. */
static inline u64 random_below(u64 *state, u64 n)
{
	return random64(state) % n;
}

/* True once in @n times. */
static inline bool random_once_in(u64 *state, u64 n)
{
	return !random_below(state, n);
}

#endif
