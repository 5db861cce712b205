// SPDX-License-Identifier: GPL-2.0
/*
 * What a host can do to a job by writing its number: a hundred queue pairs in step over a
 * 100 Gbit/s port, and somebody who sends a few packets of the same job in each window. The
 * share of marks that the job gets is printed for SECURITY.md, and checked where it is bounded.
 */
#include <string.h>

#include "symphony_algo.h"
#include "symphony_count.h"
#include "symphony_flow.h"
#include "tap.h"

#define QPS	96
#define MESSAGE	128		/* packets of a step */
#define GAP	330		/* ns a packet: 4 KiB at 100 Gbit/s */
#define STEPS	60		/* looked at; the first ones are left out */
#define WINDOW	100000

/* What the liar writes; @step is the one that the job is in. */
enum lie {
	LIE_NONE,
	LIE_BEHIND,		/* one step, as a laggard would */
	LIE_ZERO,
	LIE_HIGHEST,
	LIE_RANDOM,
	LIE_LAST,		/* each packet ends a message of the present step */
	LIE_LAST_AHEAD,
	LIE_PSN,		/* of the step, at a PSN far ahead */
	LIES
};

static const char *const names[LIES] = {
	[LIE_NONE] = "nobody lies",
	[LIE_BEHIND] = "always the step before",
	[LIE_ZERO] = "always step 0",
	[LIE_HIGHEST] = "always the highest step",
	[LIE_RANDOM] = "any step",
	[LIE_LAST] = "endless ends of messages",
	[LIE_LAST_AHEAD] = "the same, a step ahead",
	[LIE_PSN] = "PSNs that jump",
};

struct world {
	struct symphony_params params;
	struct symphony_state st;
	struct symphony_flow flows[QPS];
	struct symphony_flow liar;
	bool counted;		/* steps are not read but counted */
	bool known;
	u32 liar_step;
	u32 liar_psn;
	u64 now;
	u64 rnd;
	unsigned long packets;
	unsigned long marks;
};

/* A packet comes; true if it is due for a mark. */
static bool arrives(struct world *w, struct symphony_flow *f, u32 step, u32 psn, u8 flags)
{
	struct symphony_pkt pkt = {
		.step = step & ((1U << w->params.step_bits) - 1),
		.psn = psn,
		.flags = flags | SYMPHONY_PKT_STEP,
	};
	struct symphony_spot spot;
	u32 events;

	if (w->counted)
		spot = symphony_count_place(f, &pkt, 0, 1, w->st.step_min);
	else
		spot = symphony_flow_place(f, &pkt, 0, w->params.step_bits,
					   w->st.step_min != pkt.step, false);
	if (!w->known)
		symphony_state_init(&w->st, &w->params, spot.step, spot.position, w->now);
	w->known = true;
	symphony_note_shown(&w->st, &spot);
	events = symphony_update(&w->st, &w->params, spot.step, spot.position,
				 spot.flags & SYMPHONY_SPOT_LAST, 1, w->now);
	return events & SYMPHONY_CANDIDATE &&
	       (w->counted || symphony_is_step(&w->st, &spot)) &&
	       symphony_coin(&w->params, w->st.alpha, w->st.psn_rec, spot.position,
			     random64(&w->rnd));
}

/*
 * What does most: a FIRST when its step changes, then always just so far in it that it is
 * past the warm-up.
 */
static void lies(struct world *w, enum lie told, u32 step)
{
	u8 flags = 0;
	u32 psn;

	switch (told) {
	case LIE_NONE:
	case LIES:
		return;
	case LIE_BEHIND:
		step--;
		break;
	case LIE_ZERO:
		step = 0;
		break;
	case LIE_HIGHEST:
		step = (1U << w->params.step_bits) - 1;
		break;
	case LIE_RANDOM:
		step = random64(&w->rnd) % (1U << w->params.step_bits);
		break;
	case LIE_LAST_AHEAD:
	case LIE_LAST:
		step += told == LIE_LAST_AHEAD;
		flags = SYMPHONY_PKT_FIRST | SYMPHONY_PKT_LAST;
		break;
	case LIE_PSN:
		break;
	}
	if (step != w->liar_step) {
		w->liar_step = step;
		w->liar_psn += 5000;
		flags |= SYMPHONY_PKT_FIRST;
	}
	psn = w->liar_psn;
	if (told == LIE_PSN)
		psn = random64(&w->rnd);
	else if (!flags)
		psn += 8;
	arrives(w, &w->liar, step, psn & SYMPHONY_PSN_MASK, flags);
}

/* The job goes through a step: all queue pairs in turn, a packet each. */
static void goes_on(struct world *w, enum lie told, u32 rate, u32 step, bool look)
{
	u32 n, qp, psn;

	for (n = 0; n < MESSAGE; n++) {
		for (qp = 0; qp < QPS; qp++) {
			u8 flags = (n ? 0 : SYMPHONY_PKT_FIRST) |
				   (n == MESSAGE - 1 ? SYMPHONY_PKT_LAST : 0);
			bool mark;

			w->now += GAP;
			if (rate && w->now % (WINDOW / rate) < GAP)
				lies(w, told, step);
			psn = (step * MESSAGE + n) & SYMPHONY_PSN_MASK;
			mark = arrives(w, &w->flows[qp], step, psn, flags);
			if (!look)
				continue;
			w->packets++;
			w->marks += mark;
		}
	}
}

/* Percent of the job's packets that are due for a mark. */
static double damage(enum lie told, u32 rate, bool counted, u32 alpha_max)
{
	struct world *w = calloc(1, sizeof(*w));
	double share;
	u32 step;

	if (!w)
		abort();
	w->params = (struct symphony_params) {
		.k = 10000000, .tau = 250000000, .warmup = 8, .samples = 8,
		.alpha_max = alpha_max, .step_bits = counted ? SYMPHONY_COUNT_BITS : 14,
		.window = WINDOW,
	};
	w->counted = counted;
	w->rnd = 0xf0e;
	w->liar_step = ~0U;
	/* anywhere */
	for (step = 3000; step < 3000 + 2 * STEPS; step++)
		goes_on(w, told, rate, step, step >= 3000 + STEPS);
	share = 100.0 * w->marks / w->packets;
	free(w);
	return share;
}

int main(int argc, char **argv)
{
	static const u32 rates[] = { 1, 2, 10 };
	static const struct {
		const char *name;
		bool counted;
		u32 alpha_max;
		double most;	/* percent */
	} settings[] = {
		{ "steps read", false, 65535, 100 },
		{ "steps counted", true, 65535, 100 },
		{ "steps read, alpha_max 10", false, 10, 70 },
		{ "steps counted, alpha_max 10", true, 10, 70 },
		{ "steps read, alpha_max 1: few marks, whatever is said", false, 1, 8 },
		{ "steps counted, alpha_max 1: the same", true, 1, 8 },
	};
	u32 i, r, lie;

	(void)tap_repeats(argc, argv, 1);
	tap_begin();
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		double worst = 0, honest = 100;

		for (lie = 0; lie < LIES; lie++) {
			printf("# %-25s", names[lie]);
			for (r = 0; r < ARRAY_SIZE(rates); r++) {
				double share = damage(lie, rates[r], settings[i].counted,
						      settings[i].alpha_max);

				printf(" %2u a window: %4.1f %%", rates[r], share);
				worst = share > worst ? share : worst;
				honest = lie ? honest : share;
			}
			putchar('\n');
		}
		tap_check(honest < 0.1, "%.1f %% without a lie", honest);
		tap_check(worst <= settings[i].most, "%.1f %%", worst);
		tap_point(settings[i].name);
	}
	return tap_end();
}
