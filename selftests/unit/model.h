/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Algorithm 1 and equations 1 to 5 of the paper in floating point, as the text
 * says them, with the decisions of this project where the paper is silent:
 * serial number arithmetic, windows on a fixed grid, unknown positions. Written
 * apart from kernel/symphony_algo.h and sharing nothing with it, to judge it.
 */
#ifndef _SYMPHONY_MODEL_H
#define _SYMPHONY_MODEL_H

#include <stdbool.h>

struct model_params {
	long double k;			/* gain */
	long double tau_billionths;	/* tolerance, times 10^9 to be exact */
	long double n_warmup;
	long double n_sample;
	long double alpha_max;
	long double t_win;		/* ns */
	int step_bits;
};

struct model_job {
	long double window;		/* number of the last packet's window */
	long double op_window;		/* last one with packets ahead, or -1 */
	long double psn_rec;
	long double cnt_total;
	long double cnt_op;
	long double alpha;
	long step_min;
	bool known;
	bool shield;			/* packets ahead now or a window ago */
};

struct model_verdict {
	long double probability;	/* of a mark */
	bool ahead;
	bool candidate;			/* the coin decides */
	bool window_ended;
	int alpha_moved;		/* +1, 0, -1 */
	int step_moved;			/* the same for step_min */
};

struct model_verdict model_packet(struct model_job *job,
				  const struct model_params *params,
				  long step, long double position, bool last,
				  long double weight, long double now);
int model_step_order(long a, long b, int bits);

#endif
