// SPDX-License-Identifier: GPL-2.0
/* The order of service against the model, for what comes and goes as a fuzzer likes. */
#include "fuzz.h"

#define main	unit_main
#include "test_order.c"
#undef main

static void fuzz_try(void)
{
	struct traffic t = {
		.jobs = 1 + fuzz_take(1) % 64,
		.steps = 1 + fuzz_take(1) % 128,
		.most = 1 + fuzz_take(2) % 2048,
		.patience = fuzz_take(1) << fuzz_take(1) % 8,
		.quantum = 1 + fuzz_take(2),
		.control = fuzz_take(1) % 16,
	};

	t.pairs = 1 + fuzz_take(1);
	t.hold = fuzz_take(1) << fuzz_take(1) % 8;
	t.limit = fuzz_take(1) & 1 ? ~0U : 65536 + fuzz_take(2);
	run(&t, 5000);
}

static void fuzz_seeds(const char *dir)
{
	seed_random(dir);
}
