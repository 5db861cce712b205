// SPDX-License-Identifier: GPL-2.0
/* Counted steps against what the sender knows, for losses that a fuzzer thinks up. */
#include <linux/pkt_sch_symphony.h>

#include "fuzz.h"

#define main	unit_main
#include "test_count.c"
#undef main

static void fuzz_try(void)
{
	u32 size = 1 + fuzz_take(1);
	u32 messages = 1 + fuzz_take(1) % TC_SYMPHONY_MESSAGES_MAX;
	struct sender s = new_sender(size, 1 + fuzz_take(1));
	unsigned long n, checks = 0, known = 0;
	u64 unused = 0;

	/* where a flow begins is where the router first sees it */
	count_packet(&s, messages, 0, &unused, 0, &checks, &known);
	for (n = 1; tap_more(); n++)
		count_packet(&s, messages, 16, &unused, n, &checks, &known);
}

static void fuzz_seeds(const char *dir)
{
	seed_random(dir);
}
