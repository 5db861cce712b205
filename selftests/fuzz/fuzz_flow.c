// SPDX-License-Identifier: GPL-2.0
/* Anchors of flows against the reference, for any sender. */
#include "fuzz.h"

#define main	unit_main
#include "test_flow.c"
#undef main

static void fuzz_try(void)
{
	u32 bits = widths[fuzz_take(1) % ARRAY_SIZE(widths)];
	struct trial t = new_trial;
	unsigned long n;
	u64 unused = 0;

	for (n = 0; tap_more(); n++)
		trial_packet(&t, bits, &unused, n);
}

static void fuzz_seeds(const char *dir)
{
	seed_random(dir);
}
