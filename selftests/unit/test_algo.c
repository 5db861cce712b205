// SPDX-License-Identifier: GPL-2.0
/* symphony_algo.h against the floating point model, on random traffic. */
#include <math.h>
#include <string.h>

#include "model.h"
#include "symphony_algo.h"
#include "tap.h"

#define JOBS	8
#define FLOWS	6		/* of a job */
#define HELD	16		/* packets that wait to be overtaken */

struct packet {
	u16 step;
	u32 position;		/* 0 unknown */
	bool last;
	u32 weight;
};

/* A sender that goes through steps, at its own pace. */
struct flow {
	u32 step;
	u32 position;
	u32 length;		/* of the step, packets */
	u32 pace;		/* packets in a row */
};

struct job {
	struct flow flows[FLOWS];
	struct packet held[HELD];
	u32 nr_held;
	struct packet previous;
	struct symphony_state state;
	struct model_job model;
	bool known;
};

struct traffic {
	const char *name;
	struct symphony_params params;
	u32 length_max;		/* of a step, packets */
	u32 gap;		/* mean time between packets, ns */
	u32 start;		/* about the first step */
	u32 disorder;		/* one packet in that many meets trouble */
	u32 segments;		/* at most, of a GSO packet */
};

/* How often each thing happened, over all traffic. */
struct coverage {
	unsigned long events[8];	/* by bit of SYMPHONY_* */
	unsigned long marked;
	unsigned long spared;		/* candidates that were not marked */
	unsigned long shielded;
};

static struct coverage coverage;

static const struct traffic traffics[] = {
	{ "defaults", { 10000000, 250000000, 8, 8, 65535, 14, 100000 },
	  2000, 3000, 16380, 50, 1 },
	{ "short windows, steep", { SYMPHONY_ONE, 500000000, 0, 2, 40, 14, 1000 },
	  50, 300, 8190, 10, 1 },
	{ "16 bits", { 1000000, 333333333, 4, 16, 1000, 16, 50000 },
	  300, 700, 65530, 20, 1 },
	{ "GSO", { 20000000, 250000000, 8, 8, 65535, 14, 100000 },
	  500, 5000, 0, 30, 64 },
	{ "tau 0", { 5000000, 0, 8, 8, 5, 14, 20000 }, 100, 500, 100, 40, 4 },
	{ "tau 1", { 5000000, SYMPHONY_ONE, 8, 8, 65535, 14, 20000 },
	  100, 500, 100, 40, 1 },
	{ "tau 1/10, alpha at its bounds",
	  { 100000000, 100000000, 1, 0, 2, 14, 5000 }, 30, 400, 16383, 25, 1 },
	{ "alpha_max 1", { 300000000, 250000000, 2, 4, 1, 14, 10000 },
	  200, 600, 3, 15, 1 },
	{ "k 0", { 0, 250000000, 0, 0, 65535, 14, 10000 },
	  200, 600, 3, 15, 1 },
	{ "windows of one packet", { 10000000, 250000000, 0, 0, 65535, 14, 1000 },
	  40, 1500, 1000, 20, 3 },
	{ "long windows", { 1, 1, 1000, 100000, 65535, 14, 60000000000ULL },
	  100000, 40000, 5, 1000, 1 },
	{ "8 bits", { 50000000, 750000000, 3, 3, 100, 8, 30000 },
	  20, 900, 250, 8, 2 },
	{ "3 bits, heavy disorder", { 900000000, 250000000, 0, 1, 65535, 3, 7001 },
	  5, 333, 6, 2, 2 },
	{ "1 bit", { 700000000, 250000000, 0, 1, 9, 1, 999 },
	  5, 100, 0, 4, 1 },
};

static void flow_new_step(struct flow *f, const struct traffic *t, u32 step,
			  u64 *rnd)
{
	f->step = step & ((1U << t->params.step_bits) - 1);
	f->position = 0;
	f->length = 1 + random_below(rnd, t->length_max);
	f->pace = 1 + random_below(rnd, 8);
}

static void job_start(struct job *job, const struct traffic *t, u64 *rnd)
{
	u32 i;

	memset(job, 0, sizeof(*job));
	for (i = 0; i < FLOWS; i++)
		flow_new_step(&job->flows[i], t,
			      t->start + random_below(rnd, 4), rnd);
}

static struct packet flow_next(struct flow *f, const struct traffic *t,
			       u64 *rnd)
{
	struct packet pkt = { .step = f->step, .position = ++f->position };

	pkt.weight = t->segments > 1 && random_once_in(rnd, 3) ?
		     1 + random_below(rnd, t->segments) : 1;
	/* messages end inside steps, too */
	pkt.last = f->position >= f->length || random_once_in(rnd, 500);
	if (f->position >= f->length)
		flow_new_step(f, t, f->step + 1, rnd);
	return pkt;
}

/* Things that go wrong on a network; false if the packet gets lost. */
static bool disturb(struct job *job, struct flow *f, struct packet *pkt,
		    const struct traffic *t, u64 *rnd)
{
	struct packet held;
	u32 i;

	switch (random_below(rnd, 8)) {
	case 0: /* lost, perhaps the last of its message */
		return false;
	case 1: /* twice */
		*pkt = job->previous;
		break;
	case 2: /* its flow's first packet was missed */
		pkt->position = 0;
		break;
	case 3: /* go-back-N, over the step's begin at times */
		if (f->position > 10)
			f->position -= 10;
		else
			flow_new_step(f, t, f->step - 1, rnd);
		break;
	case 4: /* a queue pair used again, a new run */
		flow_new_step(f, t, random64(rnd), rnd);
		break;
	case 5: /* far ahead in its step */
		pkt->position = 1 + random_below(rnd, 0xffffff);
		break;
	default: /* overtaken */
		i = random_below(rnd, HELD);
		if (i >= job->nr_held) {
			job->held[job->nr_held++] = *pkt;
			return false;
		}
		held = job->held[i];
		job->held[i] = *pkt;
		*pkt = held;
	}
	return true;
}

static u64 time_passes(u64 now, const struct traffic *t, u64 *rnd)
{
	u64 window = t->params.window;

	/* idle for some windows, exactly to a boundary, just before one */
	if (random_once_in(rnd, 5000))
		return now + random_below(rnd, 5 * window);
	if (random_once_in(rnd, 300))
		return now - now % window + window;
	if (random_once_in(rnd, 300))
		return now - now % window + window - 1;
	/* another processor's clock is a little behind */
	if (random_once_in(rnd, 1000))
		return now - random_below(rnd, window);
	return now + random_below(rnd, 2 * t->gap);
}

static struct model_params model_of(const struct symphony_params *p)
{
	return (struct model_params) {
		.k = p->k / 1e9L,
		.tau_billionths = p->tau,
		.n_warmup = p->warmup,
		.n_sample = p->samples,
		.alpha_max = p->alpha_max,
		.t_win = p->window,
		.step_bits = p->step_bits,
	};
}

/* What a user may change while packets flow. */
static void change(struct symphony_params *p, const struct traffic *t, u64 *rnd)
{
	*p = t->params;
	if (random_once_in(rnd, 2))
		p->k = random_below(rnd, SYMPHONY_ONE + 1ULL);
	if (random_once_in(rnd, 2))
		p->tau = random_below(rnd, SYMPHONY_ONE + 1ULL);
	if (random_once_in(rnd, 2))
		p->warmup = random_below(rnd, 20);
	if (random_once_in(rnd, 2))
		p->samples = random_below(rnd, 20);
	if (random_once_in(rnd, 2))
		p->alpha_max = 1 + random_below(rnd, 20);
}

static void check_state(const struct job *job, const struct symphony_params *p,
			unsigned long n)
{
	const struct symphony_state *st = &job->state;
	const struct model_job *m = &job->model;

	tap_check(st->step_min == m->step_min, "packet %lu: step_min %u, not %ld",
		  n, st->step_min, m->step_min);
	tap_check(st->psn_rec == m->psn_rec, "packet %lu: psn_rec %u, not %Lg",
		  n, st->psn_rec, m->psn_rec);
	tap_check(st->cnt_total == m->cnt_total,
		  "packet %lu: cnt_total %u, not %Lg",
		  n, st->cnt_total, m->cnt_total);
	tap_check(st->cnt_op == m->cnt_op, "packet %lu: cnt_op %u, not %Lg",
		  n, st->cnt_op, m->cnt_op);
	tap_check(st->alpha == m->alpha, "packet %lu: alpha %u, not %Lg",
		  n, st->alpha, m->alpha);
	tap_check(st->window_start == m->window * p->window,
		  "packet %lu: window begins at %llu, not %Lg", n,
		  (unsigned long long)st->window_start, m->window * p->window);
	tap_check(symphony_misaligned(st) == m->shield,
		  "packet %lu: shield %s", n, m->shield ? "down" : "up");
}

static void check_events(u32 events, struct model_verdict v, unsigned long n)
{
	u32 expected = 0;

	if (v.ahead)
		expected |= SYMPHONY_OUTPACING;
	if (v.candidate)
		expected |= SYMPHONY_CANDIDATE;
	if (v.window_ended)
		expected |= SYMPHONY_WINDOW;
	if (v.alpha_moved > 0)
		expected |= SYMPHONY_ALPHA_UP;
	if (v.alpha_moved < 0)
		expected |= SYMPHONY_ALPHA_DOWN;
	if (v.step_moved > 0)
		expected |= SYMPHONY_ADVANCE;
	if (v.step_moved < 0)
		expected |= SYMPHONY_CORRECT;
	tap_check(events == expected, "packet %lu: events %#x, not %#x", n,
		  events, expected);
}

static void cover(u32 events, bool mark, bool shield)
{
	u32 i;

	for (i = 0; i < 8; i++)
		coverage.events[i] += events >> i & 1;
	coverage.marked += mark;
	coverage.spared += (events & SYMPHONY_CANDIDATE) && !mark;
	coverage.shielded += shield;
}

/* A test of what never happens would prove nothing. */
static void check_coverage(unsigned long packets)
{
	u32 i;

	for (i = 0; 1U << i <= SYMPHONY_CORRECT; i++)
		tap_check(coverage.events[i] > packets / 1000,
			  "event %#x only %lu times", 1U << i,
			  coverage.events[i]);
	tap_check(coverage.marked > packets / 1000, "%lu marks only",
		  coverage.marked);
	tap_check(coverage.spared > packets / 1000, "only %lu not marked",
		  coverage.spared);
	tap_check(coverage.shielded > packets / 1000, "%lu shields only",
		  coverage.shielded);
	tap_point("the traffic makes everything happen");
}

static void packet_passes(struct job *job, const struct symphony_params *p,
			  const struct packet *pkt, u64 now, u32 random,
			  unsigned long n)
{
	const struct model_params params = model_of(p);
	struct symphony_state *st = &job->state;
	struct model_verdict verdict;
	bool mark = false;
	u32 events;

	verdict = model_packet(&job->model, &params, pkt->step, pkt->position,
			       pkt->last, pkt->weight, now);

	if (!job->known)
		symphony_state_init(st, p, pkt->step, pkt->position, now);
	job->known = true;
	events = symphony_update(st, p, pkt->step, pkt->position, pkt->last,
				 pkt->weight, now);
	if (events & SYMPHONY_CANDIDATE)
		mark = symphony_coin(p, st->alpha, st->psn_rec, pkt->position,
				     random);

	cover(events, mark, symphony_misaligned(st));
	check_state(job, p, n);
	check_events(events, verdict, n);
	tap_check(mark == (random / 4294967296.0L < verdict.probability),
		  "packet %lu: %s, but probability %Lg and random %u", n,
		  mark ? "marked" : "not marked", verdict.probability, random);
}

static void run(const struct traffic *t, unsigned long packets, bool live)
{
	struct symphony_params params = t->params;
	static struct job jobs[JOBS];
	u64 rnd = 0x5e9a11 + live;
	u64 now = 1ULL << 60;
	unsigned long n;
	u32 i, burst = 0;
	struct job *job;
	struct flow *f;

	for (i = 0; i < JOBS; i++)
		job_start(&jobs[i], t, &rnd);

	for (n = 0; n < packets && tap_more();) {
		struct packet pkt;

		if (!burst) {
			job = &jobs[random_below(&rnd, JOBS)];
			f = &job->flows[random_below(&rnd, FLOWS)];
			burst = f->pace;
		}
		burst--;
		now = time_passes(now, t, &rnd);
		if (random_once_in(&rnd, 100000))
			job_start(job, t, &rnd);
		if (live && random_once_in(&rnd, 2000))
			change(&params, t, &rnd);

		pkt = flow_next(f, t, &rnd);
		if (random_once_in(&rnd, t->disorder) &&
		    !disturb(job, f, &pkt, t, &rnd))
			continue;
		job->previous = pkt;
		packet_passes(job, &params, &pkt, now, random64(&rnd), n++);
	}
}

/* A flow that goes on to a step has ended the one before, unless that is known. */
static void leave(void)
{
	static const struct {
		s32 step;
		u32 events;
	} cases[] = {
		{ 1, SYMPHONY_ADVANCE }, { 100, SYMPHONY_ADVANCE },
		{ 0, 0 }, { -1, 0 }, { -100, 0 },
	};
	struct symphony_params p = { .window = 1000, .alpha_max = 10 };
	u32 i, step;

	for (p.step_bits = 14; p.step_bits <= 16; p.step_bits += 2) {
		u32 mask = (1U << p.step_bits) - 1;

		for (i = 0; i < ARRAY_SIZE(cases) * 200; i++) {
			s32 distance = cases[i / 200].step;
			struct symphony_state st;
			u32 events;

			step = (0U - i % 200 + distance) & mask;
			symphony_state_init(&st, &p, (0U - i % 200) & mask, 7, 0);
			events = symphony_leave(&st, &p, step);
			tap_check(events == cases[i / 200].events,
				  "%d steps on: events %#x", distance, events);
			tap_check(st.step_min == (events ? step :
				  ((step - distance) & mask)) &&
				  st.psn_rec == (events ? 0 : 7),
				  "%d steps on: step_min %u, psn_rec %u",
				  distance, st.step_min, st.psn_rec);
		}
	}
	tap_point("a flow that goes on to another step");
}

int main(int argc, char **argv)
{
	unsigned long packets = tap_repeats(argc, argv, 10000000);
	unsigned long each = packets / (2 * ARRAY_SIZE(traffics)) + 1;
	char name[80];
	u32 i;

	tap_begin();
	for (i = 0; i < ARRAY_SIZE(traffics); i++) {
		const struct traffic *t = &traffics[i];

		run(t, each, false);
		snprintf(name, sizeof(name), "algorithm as the model: %s",
			 t->name);
		tap_point(name);
		run(t, each, true);
		snprintf(name, sizeof(name),
			 "algorithm as the model, changed live: %s", t->name);
		tap_point(name);
	}
	check_coverage(packets);
	leave();
	return tap_end();
}
