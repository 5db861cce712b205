// SPDX-License-Identifier: GPL-2.0
/* Serial number arithmetic of steps, for every width and every wrap. */
#include "model.h"
#include "symphony_algo.h"
#include "tap.h"

static int sign(s32 n)
{
	return (n > 0) - (n < 0);
}

static void check(u32 a, u32 b, u32 bits)
{
	int expected = model_step_order(a, b, bits);

	tap_check(sign(symphony_step_diff(a, b, bits)) == expected,
		  "%u bits: %u after %u is not %d", bits, a, b, expected);
}

/* All distances from some steps, those around the wrap and half way too. */
static void width(u32 bits)
{
	static const u32 around[] = { 0, 1, 2, 3, 5, 100, 1000, 5000 };
	u32 circle = 1U << bits, mask = circle - 1;
	u32 i, a;

	for (i = 0; i < ARRAY_SIZE(around); i++)
		for (a = 0; a < circle; a++) {
			check(a, around[i] & mask, bits);
			check(a, -around[i] & mask, bits);
			check(a, (circle / 2 + around[i]) & mask, bits);
			check(a, (circle / 2 - around[i]) & mask, bits);
		}
}

/* What the user sees: a step is earlier up to half the circle behind. */
static void documented(void)
{
	tap_check(symphony_step_diff(0, 0x3fff, 14) > 0, "0 follows 16383");
	tap_check(symphony_step_diff(0x3fff, 0, 14) < 0, "16383 precedes 0");
	tap_check(symphony_step_diff(0x1fff, 0, 14) > 0, "8191 is after 0");
	tap_check(symphony_step_diff(0x2000, 0, 14) < 0, "8192 is before 0");
	tap_check(symphony_step_diff(0, 0xffff, 16) > 0, "0 follows 65535");
	tap_check(symphony_step_diff(0x7fff, 0, 16) > 0, "32767 is after 0");
	tap_check(symphony_step_diff(0x8000, 0, 16) < 0, "32768 is before 0");
	tap_check(!symphony_step_diff(0x3fff, 0x3fff, 14), "equal");
}

int main(void)
{
	char name[40];
	u32 bits;

	tap_begin();
	for (bits = 1; bits <= 16; bits++) {
		width(bits);
		snprintf(name, sizeof(name), "order of steps of %u bits", bits);
		tap_point(name);
	}
	documented();
	tap_point("order of steps as documented");
	return tap_end();
}
