// SPDX-License-Identifier: GPL-2.0
/*
 * DCQCN of the testbed against the formulas, computed here a second time in
 * floating point from their descriptions. Prints what differs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/collgen_dcqcn.h"

#define US	1000ULL
#define LINE	10000000000ULL
#define CNPS	200

static int failures;

static void compare(const char *set, int cnp, const char *what, double is,
		    double should)
{
	/* the rate is held in bit/s and alpha in 2^-31: rounding adds up */
	if (fabs(is - should) <= should * 0.00001)
		return;
	printf("%s: after CNP %d %s is %.9g, should be %.9g\n", set, cnp,
	       what, is, should);
	failures++;
}

static struct cg_cc_params named(const char *name)
{
	struct cg_cc_params params;

	if (!cg_cc_named(&params, name)) {
		fprintf(stderr, "dcqcn_test: there is no set %s\n", name);
		exit(2);
	}
	return params;
}

/*
 * SIGCOMM 2015: a CNP every 120 us. Of the 55 us timers two run out between
 * CNPs: two decays of alpha and two halvings of the way back to the target.
 */
static void test_sigcomm15(void)
{
	struct cg_cc_params params = named("sigcomm15");
	double g = 1.0 / 256, alpha = 1, rate = LINE, target;
	struct cg_cc cc;
	int n;

	cg_cc_init(&cc, LINE);
	for (n = 1; n <= CNPS; n++) {
		cg_cc_cnp(&cc, &params, n * 120 * US);

		target = rate;
		rate *= 1 - alpha / 2;
		if (rate < 100e6)
			rate = 100e6;
		alpha = (1 - g) * alpha + g;
		compare("sigcomm15", n, "the rate", cc.rate, rate);
		compare("sigcomm15", n, "the target", cc.target, target);

		alpha *= (1 - g) * (1 - g);
		rate = target - (target - rate) / 4;
	}
}

/*
 * The simulators: alpha is updated every microsecond, the rate is looked at
 * every 4 us. A CNP comes every 40 us, in the middle of a microsecond. The
 * timer of 300 us begins anew with every decrease and never runs out, and the
 * first CNP alone sets the target.
 */
static void test_hpcc(void)
{
	struct cg_cc_params params = named("hpcc");
	double g = 1.0 / 256, alpha = 1, rate = LINE;
	u64 first = 1000 * US;
	struct cg_cc cc;
	int n, us;

	cg_cc_init(&cc, LINE);
	for (n = 1; n <= CNPS; n++) {
		/* the first CNP starts both timers, later ones come half way */
		u64 at = first + (n - 1) * 40 * US + (n > 1 ? US / 2 : 0);

		cg_cc_cnp(&cc, &params, at);
		cg_cc_advance(&cc, &params, first + n * 40 * US);
		for (us = 1; us <= 40; us++) {
			/* the first CNP sets alpha and counts for no update */
			alpha *= 1 - g;
			if (us == 1 && n > 1)
				alpha += g;
			/* a look is 1 ns after the update of the same time */
			if (us == 4) {
				rate *= 1 - alpha / 2;
				if (rate < 1000e6)
					rate = 1000e6;
			}
		}
		compare("hpcc", n, "the rate", cc.rate, rate);
		compare("hpcc", n, "alpha", cc.alpha / (double)CG_ALPHA_ONE,
			alpha);
		compare("hpcc", n, "the target", cc.target, LINE);
	}
}

/* Recovery without CNPs: F halvings, one additive step, then hyper ones. */
static void test_recovery(void)
{
	struct cg_cc_params params = named("hpcc");
	double rate, target = LINE;
	struct cg_cc cc;
	u64 base;
	int n;

	cg_cc_init(&cc, LINE);
	cg_cc_cnp(&cc, &params, 1000 * US);
	cg_cc_advance(&cc, &params, 1005 * US);
	rate = cc.rate;
	/* a second decrease after an increase lowers the target, too */
	base = cc.increase_at;
	cg_cc_advance(&cc, &params, base);
	rate = (rate + target) / 2;
	compare("recovery", 1, "the rate", cc.rate, rate);
	target = rate;
	cg_cc_cnp(&cc, &params, base + US / 2);
	cg_cc_advance(&cc, &params, base + 4 * US);
	compare("recovery", 2, "the target", cc.target, target);

	rate = cc.rate;
	base = cc.increase_at;
	for (n = 0; n < 30; n++) {
		cg_cc_advance(&cc, &params, base + n * 300 * US);
		if (n == 1)
			target += 2e6;
		else if (n > 1)
			target += 20e6;
		if (target > LINE)
			target = LINE;
		rate = (rate + target) / 2;
		compare("recovery", 2, "the rate", cc.rate, rate);
	}
}

int main(void)
{
	test_sigcomm15();
	test_hpcc();
	test_recovery();
	return failures != 0;
}
