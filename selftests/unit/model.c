// SPDX-License-Identifier: GPL-2.0
/* The algorithm in floating point: see model.h. */
#include "model.h"

#include <math.h>

/* 1 if @a is after @b, -1 if before, 0 if equal; half the circle is before. */
int model_step_order(long a, long b, int bits)
{
	long circle = 1L << bits;
	long ahead = ((a - b) % circle + circle) % circle;

	if (ahead == 0)
		return 0;
	return 2 * ahead < circle ? 1 : -1;
}

/* Equations 2, 3 and 5, for the window of the job's last packet. */
static int model_adapt(struct model_job *job, const struct model_params *params)
{
	long double before = job->alpha;

	if (!(job->cnt_total > params->n_sample))
		return 0;
	if (job->cnt_op * 1e9L >= params->tau_billionths * job->cnt_total)
		job->alpha = job->alpha + 1;
	else
		job->alpha = job->alpha - 1;
	job->alpha = fmaxl(1, fminl(job->alpha, params->alpha_max));
	return (job->alpha > before) - (job->alpha < before);
}

struct model_verdict model_packet(struct model_job *job,
				  const struct model_params *params,
				  long step, long double position, bool last,
				  long double weight, long double now)
{
	long double window = floorl(now / params->t_win);
	struct model_verdict verdict = { 0 };
	long step_min_before;
	int order;

	/* the first packet of a job */
	if (!job->known) {
		*job = (struct model_job) {
			.known = true,
			.window = window,
			.step_min = step,
			.psn_rec = position,
			.alpha = 1,
			.op_window = -1,
		};
	}
	step_min_before = job->step_min;

	/* a window boundary since the last packet */
	if (window > job->window) {
		verdict.window_ended = true;
		verdict.alpha_moved = model_adapt(job, params);
		job->cnt_total = 0;
		job->cnt_op = 0;
		job->psn_rec = 0;
		job->window = window;
	}

	/* equation 2: count */
	order = model_step_order(step, job->step_min, params->step_bits);
	job->cnt_total += weight;
	if (order > 0) {
		verdict.ahead = true;
		job->cnt_op += weight;
		job->op_window = job->window;
	}

	/* algorithm 1, lines 3 to 10 */
	if (last) {
		job->step_min = (step + 1) % (1L << params->step_bits);
		job->psn_rec = 0;
	} else if (order < 0) {
		job->step_min = step;
		job->psn_rec = position;
	} else if (order == 0) {
		job->psn_rec = fmaxl(job->psn_rec, position);
	}
	verdict.step_moved = model_step_order(job->step_min, step_min_before,
					      params->step_bits);

	/* algorithm 1, lines 11 and on; equations 1 and 4 */
	order = model_step_order(step, job->step_min, params->step_bits);
	if (order > 0 && position > 0 && job->psn_rec > params->n_warmup) {
		long double alpha = fminl(job->alpha, params->alpha_max);
		long double delta = alpha * position / job->psn_rec;

		verdict.candidate = true;
		verdict.probability = fminl(1, params->k * delta);
	}

	/* packets ahead in this window or the one before raise the shield */
	job->shield = job->op_window >= 0 &&
		      job->op_window >= job->window - 1;
	return verdict;
}
