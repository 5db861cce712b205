// SPDX-License-Identifier: GPL-2.0
/*
 * The coins of symphony_algo.h against their formulas. A coin is true for all
 * random numbers below some number and for none above it; that number, found by
 * bisection, is the probability in units of 2^-32, exactly.
 */
#include <math.h>

#include "symphony_algo.h"
#include "tap.h"

#define RANDOMS		4294967296.0L

/* What is promised is 1e-6; integers can do it to one part in 2^32. */
#define TOLERANCE	(1 / RANDOMS)

struct toss {
	struct symphony_params params;
	u32 alpha;
	u32 psn_rec;
	u32 position;
};

struct ramp_toss {
	struct symphony_ramp ramp;
	u64 queue;
};

static bool toss_coin(const void *ctx, u32 random)
{
	const struct toss *t = ctx;

	return symphony_coin(&t->params, t->alpha, t->psn_rec, t->position,
			     random);
}

static bool toss_ramp(const void *ctx, u32 random)
{
	const struct ramp_toss *t = ctx;

	return symphony_ramp_coin(&t->ramp, t->queue, random);
}

/* How many of the 2^32 random numbers mark, if those below the others do. */
static u64 marking(bool (*coin)(const void *, u32), const void *ctx)
{
	u64 low = 0, high = 1ULL << 32;

	while (low < high) {
		u64 middle = (low + high) / 2;

		if (coin(ctx, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* That they do, at random places. */
static bool monotone(bool (*coin)(const void *, u32), const void *ctx,
		     u64 threshold, u64 *rnd)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		u32 random = random64(rnd);

		bool below = random < threshold;

		if (coin(ctx, random) != below)
			return false;
	}
	return true;
}

static void check_coin(u32 k, u32 alpha, u32 psn_rec, u32 position, u64 *rnd)
{
	long double formula;
	const struct toss t = {
		.params = { .k = k, .alpha_max = 65535 },
		.alpha = alpha,
		.psn_rec = psn_rec,
		.position = position,
	};
	u64 threshold = marking(toss_coin, &t);

	formula = fminl(1, k / 1e9L * alpha * position / psn_rec);

	tap_check(fabsl(threshold / RANDOMS - formula) <= TOLERANCE,
		  "k %u/10^9 alpha %u psn_rec %u position %u: %Lg, not %Lg",
		  k, alpha, psn_rec, position, threshold / RANDOMS, formula);
	tap_check(monotone(toss_coin, &t, threshold, rnd),
		  "k %u/10^9 alpha %u psn_rec %u position %u: not monotone",
		  k, alpha, psn_rec, position);
}

static void check_ramp(u64 min, u64 span, u32 prob, u64 queue, u64 *rnd)
{
	long double formula;
	const struct ramp_toss t = { { min, span, prob }, queue };
	u64 threshold = marking(toss_ramp, &t);

	if (queue <= min)
		formula = 0;
	else if (queue > min + span)
		formula = 1;
	else
		formula = prob / 1e9L * (queue - min) / span;

	tap_check(fabsl(threshold / RANDOMS - formula) <= TOLERANCE,
		  "ramp %llu + %llu, %u/10^9, queue %llu: %Lg, not %Lg",
		  (unsigned long long)min, (unsigned long long)span, prob,
		  (unsigned long long)queue, threshold / RANDOMS, formula);
	tap_check(monotone(toss_ramp, &t, threshold, rnd),
		  "ramp %llu + %llu, %u/10^9, queue %llu: not monotone",
		  (unsigned long long)min, (unsigned long long)span, prob,
		  (unsigned long long)queue);
}

/* From 1 to @max, every magnitude as often as any other. */
static u64 random_magnitude(u64 *rnd, u64 max)
{
	u32 bits = 64 - __builtin_clzll(max);
	u64 n;

	do {
		n = random64(rnd) >> (63 - random_below(rnd, bits));
	} while (n < 1 || n > max);
	return n;
}

static const u32 some_k[] = {
	0, 1, 2, 3, 999, 1000, 10000000, 250000000, 333333333, 999999999,
	SYMPHONY_ONE,
};

static const u32 some_alpha[] = { 1, 2, 3, 10, 100, 32768, 65534, 65535 };

static const u32 some_psn[] = {
	1, 2, 3, 7, 8, 9, 100, 4095, 4096, 65536, 0x7fffff, 0x800000, 0xfffffe,
	0xffffff,
};

static void coin_grid(u64 *rnd)
{
	u32 k, a, r, p;

	for (k = 0; k < ARRAY_SIZE(some_k); k++)
		for (a = 0; a < ARRAY_SIZE(some_alpha); a++)
			for (r = 0; r < ARRAY_SIZE(some_psn); r++)
				for (p = 0; p < ARRAY_SIZE(some_psn); p++)
					check_coin(some_k[k], some_alpha[a],
						   some_psn[r], some_psn[p],
						   rnd);
	tap_point("coin as equation 4 at the corners");
}

static void coin_random(unsigned long repeats, u64 *rnd)
{
	unsigned long n;

	for (n = 0; n < repeats; n++)
		check_coin(random_magnitude(rnd, SYMPHONY_ONE),
			   random_magnitude(rnd, 65535),
			   random_magnitude(rnd, 0xffffff),
			   random_magnitude(rnd, 0xffffff), rnd);
	tap_point("coin as equation 4 over the whole range");
}

/* Where the probability is neither 0 nor 1, which random numbers seldom hit. */
static void coin_between(unsigned long repeats, u64 *rnd)
{
	unsigned long n;

	for (n = 0; n < repeats; n++) {
		u32 psn_rec = random_magnitude(rnd, 0xffffff);
		u32 position = random_magnitude(rnd, 0xffffff);
		u32 alpha = random_magnitude(rnd, 65535);
		u64 most = 1 + (u64)SYMPHONY_ONE * psn_rec / position / alpha;

		if (most > SYMPHONY_ONE)
			most = SYMPHONY_ONE;
		check_coin(1 + random_below(rnd, most), alpha, psn_rec, position, rnd);
	}
	tap_point("coin as equation 4 between 0 and 1");
}

/* Where the product of the right side is just too long for 64 bits. */
static void coin_overflow(unsigned long repeats, u64 *rnd)
{
	unsigned long n;

	for (n = 0; n < repeats; n++) {
		u32 k = SYMPHONY_ONE - random_below(rnd, SYMPHONY_ONE / 2);
		u32 alpha = 65535 - random_below(rnd, 32768);
		u32 position = ~0ULL / k / alpha;

		check_coin(k, alpha, 0xffffff - random_below(rnd, 1000),
			   position + random_below(rnd, 3), rnd);
	}
	tap_point("coin as equation 4 around the largest product");
}

/* An alpha from before alpha_max was lowered. */
static void coin_alpha_max(u64 *rnd)
{
	struct toss high = { { .k = 10000000, .alpha_max = 7 }, 65535, 50, 60 };
	struct toss low = { { .k = 10000000, .alpha_max = 7 }, 7, 50, 60 };
	u64 threshold = marking(toss_coin, &low);

	tap_check(marking(toss_coin, &high) == threshold, "alpha above alpha_max");
	tap_check(monotone(toss_coin, &high, threshold, rnd), "not monotone");
	tap_point("coin of an alpha above alpha_max");
}

static void ramp_corners(u64 *rnd)
{
	static const u64 mins[] = { 0, 1, 1500, 50000, 0x400000000ULL };
	static const u64 spans[] = {
		0, 1, 2, 1000, 50000, 1ULL << 33, 1ULL << 34,
	};
	static const u64 offsets[] = { 0, 1, 2, 3 };
	u32 m, s, k, o;

	for (m = 0; m < ARRAY_SIZE(mins); m++)
		for (s = 0; s < ARRAY_SIZE(spans); s++)
			for (k = 0; k < ARRAY_SIZE(some_k); k++)
				for (o = 0; o < ARRAY_SIZE(offsets); o++) {
					u64 at = offsets[o];

					check_ramp(mins[m], spans[s], some_k[k],
						   mins[m] + at, rnd);
					check_ramp(mins[m], spans[s], some_k[k],
						   mins[m] + spans[s] / 2 + at,
						   rnd);
					check_ramp(mins[m], spans[s], some_k[k],
						   mins[m] + spans[s] + at, rnd);
					check_ramp(mins[m], spans[s], some_k[k],
						   mins[m] > at ?
						   mins[m] - at : 0, rnd);
				}
	tap_point("congestion ramp at its corners");
}

static void ramp_random(unsigned long repeats, u64 *rnd)
{
	unsigned long n;

	for (n = 0; n < repeats; n++) {
		u64 min = random_magnitude(rnd, 1ULL << 34);
		u64 span = random_magnitude(rnd, 1ULL << 34);

		check_ramp(min, span, random_magnitude(rnd, SYMPHONY_ONE),
			   min + random_below(rnd, span + 1), rnd);
	}
	tap_point("congestion ramp over the whole range");
}

int main(int argc, char **argv)
{
	unsigned long repeats = tap_repeats(argc, argv, 500000);
	u64 rnd = 0xc014;

	tap_begin();
	coin_grid(&rnd);
	coin_random(repeats, &rnd);
	coin_between(repeats, &rnd);
	coin_overflow(repeats, &rnd);
	coin_alpha_max(&rnd);
	ramp_corners(&rnd);
	ramp_random(repeats, &rnd);
	return tap_end();
}
