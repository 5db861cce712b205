/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DCQCN at the sender, in integers and without timers: the state is brought
 * up to date whenever somebody looks at it. Compiles in user space too.
 */
#ifndef _COLLGEN_DCQCN_H
#define _COLLGEN_DCQCN_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <linux/types.h>
#include <stdbool.h>
typedef __u32 u32;
typedef __u64 u64;
#endif

#define CG_BILLION	1000000000ULL
#define CG_ALPHA_ONE	0x80000000ULL

/**
 * struct cg_cc_params - settings
 * @on: false = line rate always
 * @g: gain of alpha, billionths
 * @alpha_timer: ns between updates of alpha
 * @decrease_interval: ns between looks whether a CNP came; 0 = each CNP acts
 *	at once, as in the SIGCOMM paper
 * @increase_timer: ns between increases
 * @byte_reset: bytes between increases, 0 = none
 * @threshold: F, increases of fast recovery
 * @ai: additive increase, bit/s
 * @hai: hyper increase, bit/s
 * @growing: the i-th hyper increase is i times @hai
 * @min_rate: bit/s
 * @clamp: the target follows the rate at every decrease
 * @alpha_first: alpha at the first CNP, billionths
 * @min_dec_fac: least factor of one decrease, billionths
 * @cnp_interval: ns between CNPs of the receiver, 0 = for each CE
 * @cnp_in_ack: a flag in the ACK instead of a packet
 */
struct cg_cc_params {
	bool on;
	u64 g;
	u64 alpha_timer;
	u64 decrease_interval;
	u64 increase_timer;
	u64 byte_reset;
	u64 threshold;
	u64 ai;
	u64 hai;
	bool growing;
	u64 min_rate;
	bool clamp;
	u64 alpha_first;
	u64 min_dec_fac;
	u64 cnp_interval;
	bool cnp_in_ack;
};

/**
 * struct cg_cc - state of a queue pair
 * @rate: bit/s
 * @target: bit/s
 * @line: bit/s
 * @alpha: 1.0 is CG_ALPHA_ONE
 * @alpha_at: next update of alpha, ns; 0 = the first CNP has not come
 * @decrease_at: next look for CNPs, 0 = none
 * @increase_at: next increase, 0 = none
 * @bytes: sent since the last increase by bytes
 * @time_stage: increases by time since the last decrease
 * @byte_stage: increases by bytes since the last decrease
 * @cnp_alpha: a CNP came since the last update of alpha
 * @cnp_decrease: a CNP came since the last look
 */
struct cg_cc {
	u64 rate;
	u64 target;
	u64 line;
	u64 alpha;
	u64 alpha_at;
	u64 decrease_at;
	u64 increase_at;
	u64 bytes;
	u32 time_stage;
	u32 byte_stage;
	bool cnp_alpha;
	bool cnp_decrease;
};

bool cg_cc_named(struct cg_cc_params *params, const char *name);
void cg_cc_init(struct cg_cc *cc, u64 line);
void cg_cc_advance(struct cg_cc *cc, const struct cg_cc_params *params,
		   u64 now);
void cg_cc_cnp(struct cg_cc *cc, const struct cg_cc_params *params, u64 now);
void cg_cc_sent(struct cg_cc *cc, const struct cg_cc_params *params,
		u64 bytes);

#endif
