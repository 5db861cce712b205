/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands for selftests/unit/tap.h where a fuzzer runs what that directory's tests run:
 * random numbers are drawn from the fuzzer's bytes, and a check that fails aborts. To be
 * included before the test, whose own tap.h then adds nothing.
 */
#ifndef _SYMPHONY_TAP_H
#define _SYMPHONY_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "symphony_types.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* What the fuzzer has not yet given away. */
struct fuzz_input {
	const u8 *bytes;
	size_t left;
};

static struct fuzz_input fuzz_input;

#define tap_check(ok, ...) do {						\
	if (!(ok)) {							\
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);		\
		fprintf(stderr, __VA_ARGS__);				\
		fputc('\n', stderr);					\
		abort();						\
	}								\
} while (0)

static inline void tap_point(const char *name)
{
	(void)name;
}

static inline void tap_begin(void)
{
}

static inline int tap_end(void)
{
	return 0;
}

static inline unsigned long tap_repeats(int argc, char **argv, unsigned long usual)
{
	(void)argc;
	(void)argv;
	return usual;
}

static inline bool tap_more(void)
{
	return fuzz_input.left;
}

/* The next @n bytes as a number; zeroes follow the last one. */
static inline u64 fuzz_take(u32 n)
{
	u64 value = 0;

	for (; n; n--) {
		value <<= 8;
		if (!fuzz_input.left)
			continue;
		value |= *fuzz_input.bytes++;
		fuzz_input.left--;
	}
	return value;
}

static inline u64 random64(u64 *state)
{
	(void)state;
	return fuzz_take(8);
}

/* No more bytes than it takes, so that each means something. */
static inline u64 random_below(u64 *state, u64 n)
{
	(void)state;
	return fuzz_take(n <= 1 << 8 ? 1 : n <= 1 << 16 ? 2 : n <= 1ULL << 32 ? 4 : 8) % n;
}

/* What is rare at random need not be here: one byte value of sixteen does it. */
static inline bool random_once_in(u64 *state, u64 n)
{
	return !random_below(state, n < 16 ? n : 16);
}

#endif
