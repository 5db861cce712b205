// SPDX-License-Identifier: GPL-2.0
/* The algorithm against the floating point model, on traffic that a fuzzer thinks up. */
#include "fuzz.h"

#define main	unit_main
#include "test_algo.c"
#undef main

static void fuzz_try(void)
{
	struct traffic t = traffics[fuzz_take(1) % ARRAY_SIZE(traffics)];
	u64 unused = 0;

	change(&t.params, &t, &unused);
	run(&t, 1000, fuzz_take(1) & 1);
}

static void fuzz_seeds(const char *dir)
{
	seed_random(dir);
}
