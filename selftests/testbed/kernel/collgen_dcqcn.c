// SPDX-License-Identifier: GPL-2.0
/* DCQCN at the sender: the formulas, and the sets of parameters in use. */
#include "collgen_dcqcn.h"

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#else
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)((__uint128_t)a * mul >> shift);
}

static u64 div_u64(u64 a, u32 b)
{
	return a / b;
}
#endif

#define US		1000ULL
#define MBIT		1000000ULL

/**
 * struct cg_cc_set - parameters with a name
 * @name: as typed
 * @params: the parameters; increases are those of a 10 Gbit/s link
 */
struct cg_cc_set {
	const char *name;
	struct cg_cc_params params;
};

static const struct cg_cc_set cg_cc_sets[] = {
	{
		/* The congestion control of the SIGCOMM 2015 paper. */
		.name = "sigcomm15",
		.params = {
			.on = true,
			.g = CG_BILLION / 256,
			.alpha_timer = 55 * US,
			.increase_timer = 55 * US,
			.byte_reset = 10000000,
			.threshold = 5,
			.ai = 40 * MBIT,
			.hai = 400 * MBIT,
			.growing = true,
			.min_rate = 100 * MBIT,
			.clamp = true,
			.alpha_first = CG_BILLION,
			.cnp_interval = 50 * US,
		},
	}, {
		/*
		 * The same timers without the byte counter, which at low rates
		 * keeps the hyper increase away for ever: 55 us, F 5, then the
		 * simulators' chain of additive and hyper increase.
		 */
		.name = "fast55",
		.params = {
			.on = true,
			.g = CG_BILLION / 256,
			.alpha_timer = 55 * US,
			.increase_timer = 55 * US,
			.threshold = 5,
			.ai = 40 * MBIT,
			.hai = 400 * MBIT,
			.min_rate = 100 * MBIT,
			.clamp = true,
			.alpha_first = CG_BILLION,
			.cnp_interval = 50 * US,
		},
	}, {
		/* The HPCC simulator, run.py "dcqcn". */
		.name = "hpcc",
		.params = {
			.on = true,
			.g = CG_BILLION / 256,
			.alpha_timer = 1 * US,
			.decrease_interval = 4 * US,
			.increase_timer = 300 * US,
			.threshold = 1,
			.ai = 2 * MBIT,
			.hai = 20 * MBIT,
			.min_rate = 1000 * MBIT,
			.alpha_first = CG_BILLION,
			.cnp_in_ack = true,
		},
	}, {
		/* The HPCC simulator, run.py "dcqcn_paper". */
		.name = "hpcc_paper",
		.params = {
			.on = true,
			.g = CG_BILLION / 256,
			.alpha_timer = 50 * US,
			.decrease_interval = 50 * US,
			.increase_timer = 55 * US,
			.threshold = 1,
			.ai = 2 * MBIT,
			.hai = 20 * MBIT,
			.min_rate = 1000 * MBIT,
			.alpha_first = CG_BILLION,
			.cnp_in_ack = true,
		},
	}, {
		/* The ConWeave simulator. */
		.name = "conweave",
		.params = {
			.on = true,
			.g = CG_BILLION / 256,
			.alpha_timer = 1 * US,
			.decrease_interval = 4 * US,
			.increase_timer = 300 * US,
			.threshold = 1,
			.ai = 4 * MBIT,
			.hai = 10 * MBIT,
			.min_rate = 100 * MBIT,
			.alpha_first = CG_BILLION,
			.cnp_in_ack = true,
		},
	}, {
		/*
		 * ConnectX firmware: g, the alpha period, the monitor period,
		 * alpha and the rate limits are documented; the timers and the
		 * increases are those commonly quoted.
		 */
		.name = "nvidia",
		.params = {
			.on = true,
			.g = CG_BILLION * 5 / 1024,
			.alpha_timer = 1 * US,
			.decrease_interval = 4 * US,
			.increase_timer = 300 * US,
			.byte_reset = 32767,
			.threshold = 1,
			.ai = 5 * MBIT,
			.hai = 50 * MBIT,
			.min_rate = 1 * MBIT,
			.alpha_first = CG_BILLION * 1023 / 1024,
			.min_dec_fac = CG_BILLION / 2,
			.cnp_interval = 4 * US,
		},
	}, {
		.name = "off",
	},
};

/**
 * cg_cc_named() - look up a set of parameters
 * @params: where to put it
 * @name: its name
 *
 * Return: false if there is no such set.
 */
bool cg_cc_named(struct cg_cc_params *params, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cg_cc_sets); i++) {
		if (strcmp(cg_cc_sets[i].name, name))
			continue;
		*params = cg_cc_sets[i].params;
		return true;
	}
	return false;
}

void cg_cc_init(struct cg_cc *cc, u64 line)
{
	memset(cc, 0, sizeof(*cc));
	cc->rate = line;
	cc->target = line;
	cc->line = line;
}

/* billionths to the scale of alpha */
static u32 cg_cc_scale(u64 billionths)
{
	return div_u64(billionths * CG_ALPHA_ONE, CG_BILLION);
}

static void cg_cc_update_alpha(struct cg_cc *cc,
			       const struct cg_cc_params *params, bool cnp)
{
	u32 g = cg_cc_scale(params->g);

	cc->alpha -= cc->alpha * g / CG_ALPHA_ONE;
	if (cnp)
		cc->alpha += g;
	if (cc->alpha > CG_ALPHA_ONE)
		cc->alpha = CG_ALPHA_ONE;
}

static void cg_cc_decrease(struct cg_cc *cc, const struct cg_cc_params *params,
			   u64 now)
{
	/* alpha / 2 of the rate: one more bit than the scale of alpha */
	u64 rate = cc->rate - mul_u64_u32_shr(cc->rate, cc->alpha, 32);
	u64 least = mul_u64_u32_shr(cc->rate, cg_cc_scale(params->min_dec_fac),
				    31);

	if (params->clamp || cc->time_stage)
		cc->target = cc->rate;
	if (rate < least)
		rate = least;
	cc->rate = rate > params->min_rate ? rate : params->min_rate;
	cc->time_stage = 0;
	cc->byte_stage = 0;
	cc->bytes = 0;
	cc->increase_at = now + params->increase_timer;
}

static void cg_cc_raise(struct cg_cc *cc, u64 by)
{
	cc->target += by;
	if (cc->target > cc->line)
		cc->target = cc->line;
}

/* With a byte counter: the SIGCOMM paper's three cases. */
static void cg_cc_increase_both(struct cg_cc *cc,
				const struct cg_cc_params *params)
{
	u32 least = cc->time_stage, most = cc->byte_stage;
	u64 i;

	if (least > most) {
		least = cc->byte_stage;
		most = cc->time_stage;
	}
	if (least > params->threshold) {
		i = params->growing ? least - params->threshold : 1;
		cg_cc_raise(cc, i * params->hai);
	} else if (most >= params->threshold) {
		cg_cc_raise(cc, params->ai);
	}
}

/* Without one: the simulators' chain of stages. */
static void cg_cc_increase_timed(struct cg_cc *cc,
				 const struct cg_cc_params *params)
{
	if (cc->time_stage == params->threshold)
		cg_cc_raise(cc, params->ai);
	else if (cc->time_stage > params->threshold)
		cg_cc_raise(cc, params->hai);
}

static void cg_cc_average(struct cg_cc *cc)
{
	cc->rate = (cc->rate + cc->target) / 2;
	if (cc->rate > cc->line)
		cc->rate = cc->line;
}

static void cg_cc_increase(struct cg_cc *cc, const struct cg_cc_params *params,
			   u64 now)
{
	if (params->byte_reset) {
		cc->time_stage++;
		cg_cc_increase_both(cc, params);
	} else {
		cg_cc_increase_timed(cc, params);
		cc->time_stage++;
	}
	cg_cc_average(cc);
	cc->increase_at = now + params->increase_timer;
}

static u64 cg_cc_next(const struct cg_cc *cc)
{
	u64 next = cc->alpha_at;

	if (cc->decrease_at && cc->decrease_at < next)
		next = cc->decrease_at;
	if (cc->increase_at && cc->increase_at < next)
		next = cc->increase_at;
	return next;
}

/**
 * cg_cc_advance() - let the timers run that are due
 * @cc: state
 * @params: settings
 * @now: ns
 *
 * Of one moment, alpha is updated first, then the rate is decreased, then
 * increased.
 */
void cg_cc_advance(struct cg_cc *cc, const struct cg_cc_params *params, u64 now)
{
	u64 at;

	while (cc->alpha_at && (at = cg_cc_next(cc)) <= now) {
		if (at == cc->alpha_at) {
			cg_cc_update_alpha(cc, params, cc->cnp_alpha);
			cc->cnp_alpha = false;
			cc->alpha_at = at + params->alpha_timer;
		} else if (at == cc->decrease_at) {
			if (cc->cnp_decrease)
				cg_cc_decrease(cc, params, at);
			cc->cnp_decrease = false;
			cc->decrease_at = at + params->decrease_interval;
		} else {
			cg_cc_increase(cc, params, at);
		}
	}
}

static void cg_cc_first_cnp(struct cg_cc *cc,
			    const struct cg_cc_params *params, u64 now)
{
	cc->alpha = cg_cc_scale(params->alpha_first);
	cc->alpha_at = now + params->alpha_timer;
	cc->target = cc->rate;
	cc->cnp_alpha = false;
	/* one later, so that alpha has been updated */
	if (params->decrease_interval)
		cc->decrease_at = now + params->decrease_interval + 1;
}

/**
 * cg_cc_cnp() - a CNP has come
 * @cc: state
 * @params: settings
 * @now: ns
 */
void cg_cc_cnp(struct cg_cc *cc, const struct cg_cc_params *params, u64 now)
{
	bool first = !cc->alpha_at;

	if (!params->on)
		return;
	cg_cc_advance(cc, params, now);
	cc->cnp_alpha = true;
	cc->cnp_decrease = true;
	if (first)
		cg_cc_first_cnp(cc, params, now);
	if (params->decrease_interval)
		return;
	cg_cc_decrease(cc, params, now);
	cg_cc_update_alpha(cc, params, true);
	cc->cnp_alpha = false;
	cc->alpha_at = now + params->alpha_timer;
}

/**
 * cg_cc_sent() - bytes have been sent
 * @cc: state, up to date
 * @params: settings
 * @bytes: number of bytes
 */
void cg_cc_sent(struct cg_cc *cc, const struct cg_cc_params *params, u64 bytes)
{
	if (!params->byte_reset || !cc->increase_at)
		return;
	cc->bytes += bytes;
	while (cc->bytes >= params->byte_reset) {
		cc->bytes -= params->byte_reset;
		cc->byte_stage++;
		cg_cc_increase_both(cc, params);
		cg_cc_average(cc);
	}
}
