// SPDX-License-Identifier: GPL-2.0
/* Anchors of flows: positions in a step, and the sets they live in. */
#include <string.h>

#include "model.h"
#include "symphony_flow.h"
#include "tap.h"

#define FIRST	SYMPHONY_PKT_FIRST
#define RESENT	SYMPHONY_PKT_RESENT

struct width {
	u32 psn_bits;
	u32 step_bits;
};

static const struct width widths[] = { { 24, 14 }, { 32, 16 } };

/* Steps and PSNs count from anywhere; 0 as position is "unknown". */
struct arrival {
	s32 step;
	s32 psn;
	u8 flags;
	u32 position;
};

struct scenario {
	const char *name;
	struct arrival arrivals[12];	/* up to one of flags 0xff */
};

#define END	{ 0, 0, 0xff, 0 }

static const struct scenario scenarios[] = {
	{ "a step of one message", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, 0, 3 },
		{ 0, 500000, 0, 500001 }, END } },
	{ "a step of several messages", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, FIRST, 3 },
		{ 0, 3, 0, 4 }, { 0, 4, FIRST, 5 }, END } },
	{ "the next step", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 2, FIRST, 1 },
		{ 1, 3, 0, 2 }, { 2, 4, FIRST, 1 }, END } },
	{ "steps left out", {
		{ 0, 0, FIRST, 1 }, { 7, 1, FIRST, 1 }, { 7, 2, 0, 2 }, END } },
	{ "joined in the middle of a step", {
		{ 0, 10, 0, 0 }, { 0, 11, 0, 0 }, { 0, 12, FIRST, 0 },
		{ 0, 13, 0, 0 }, { 1, 14, FIRST, 1 }, { 1, 15, 0, 2 }, END } },
	{ "first packet of a later step lost", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 3, 0, 0 },
		{ 1, 4, 0, 0 }, { 1, 5, FIRST, 0 }, { 1, 6, 0, 0 },
		{ 2, 7, FIRST, 1 }, { 2, 8, 0, 2 }, END } },
	{ "first packet overtaken", {
		{ 0, 1, 0, 0 }, { 0, 0, FIRST, 1 }, { 0, 2, 0, 3 }, END } },
	{ "first packet lost and sent again", {
		{ 0, 0, FIRST, 1 }, { 1, 2, 0, 0 }, { 1, 3, 0, 0 },
		{ 1, 1, FIRST, 1 }, { 1, 2, 0, 2 }, { 1, 4, 0, 4 }, END } },
	{ "first packet sent again", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 0, FIRST, 1 },
		{ 0, 1, 0, 2 }, { 0, 2, 0, 3 }, END } },
	{ "without anchor the lowest PSN counts", {
		{ 0, 12, 0, 0 }, { 0, 10, 0, 0 }, { 0, 11, FIRST, 0 },
		{ 0, 12, 0, 0 }, { 0, 9, FIRST, 1 }, { 0, 10, 0, 2 },
		{ 0, 12, 0, 4 }, END } },
	{ "first at the lowest PSN seen", {
		{ 0, 10, 0, 0 }, { 0, 10, FIRST, 1 }, { 0, 11, 0, 2 }, END } },
	{ "second message before the first", {
		{ 0, 4, FIRST, 1 }, { 0, 5, 0, 2 }, { 0, 0, FIRST, 1 },
		{ 0, 1, 0, 2 }, { 0, 5, 0, 6 }, END } },
	{ "before the base", {
		{ 0, 10, FIRST, 1 }, { 0, 9, 0, 0 }, { 0, 8, 0, 0 },
		{ 0, 11, 0, 2 }, END } },
	{ "go-back-N inside a step", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, 0, 3 },
		{ 0, 1, 0, 2 }, { 0, 2, 0, 3 }, { 0, 3, 0, 4 }, END } },
	{ "go-back-N into the step before", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 2, FIRST, 1 },
		{ 1, 3, 0, 2 }, { 0, 1, 0, 0 }, { 1, 2, FIRST, 1 },
		{ 1, 3, 0, 2 }, { 1, 4, 0, 3 }, END } },
	{ "go-back-N to the begin of the step before", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 2, FIRST, 1 },
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 2, FIRST, 1 },
		{ 1, 3, 0, 2 }, END } },
	{ "stragglers of the step before", {
		{ 0, 0, FIRST, 1 }, { 1, 3, FIRST, 1 }, { 0, 1, 0, 0 },
		{ 1, 4, 0, 2 }, { 0, 2, 0, 0 }, { 1, 5, 0, 3 }, END } },
	{ "stragglers do not anchor", {
		{ 1, 3, 0, 0 }, { 0, 1, 0, 0 }, { 1, 2, FIRST, 1 },
		{ 1, 3, 0, 2 }, END } },
	{ "a queue pair used again", {
		{ 100, 5000, FIRST, 1 }, { 100, 5001, 0, 2 },
		{ 3, 77, FIRST, 1 }, { 3, 78, 0, 2 }, { 4, 79, FIRST, 1 },
		END } },
	{ "a queue pair used again, first packet lost", {
		{ 100, 5000, FIRST, 1 }, { 103, 78, 0, 0 }, { 103, 79, 0, 0 },
		{ 104, 80, FIRST, 1 }, END } },
	{ "a packet marked as resent changes nothing", {
		{ 0, 0, FIRST | RESENT, 0 }, { 0, 1, 0, 0 },
		{ 0, 0, RESENT, 0 }, { 0, 1, FIRST, 1 },
		{ 1, 4, FIRST | RESENT, 0 }, { 1, 5, RESENT, 0 },
		{ 0, 2, 0, 2 }, { 0, 1, RESENT, 0 }, { 0, 3, 0, 3 }, END } },
};

static struct symphony_pkt packet(const struct width *w, u32 step, u32 psn,
				  u8 flags)
{
	return (struct symphony_pkt) {
		.step = step & ((1U << w->step_bits) - 1),
		.psn = psn & (~0U >> (32 - w->psn_bits)),
		.flags = flags | SYMPHONY_PKT_STEP,
	};
}

static void play(const struct scenario *s, const struct width *w, u32 step,
		 u32 psn)
{
	struct symphony_flow f = { .tag = 1 };
	u32 i;

	for (i = 0; s->arrivals[i].flags != 0xff; i++) {
		const struct arrival *a = &s->arrivals[i];
		struct symphony_pkt pkt = packet(w, step + a->step,
						 psn + a->psn, a->flags);
		u32 position = symphony_flow_position(&f, &pkt, w->psn_bits,
						      w->step_bits);

		tap_check(position == a->position,
			  "arrival %u, steps from %u, PSNs from %#x, %u bits: position %u, not %u",
			  i, step, psn, w->psn_bits, position, a->position);
	}
	tap_check(f.tag == 1, "the tag changed");
}

/* The same wherever counting begins, so across every wrap. */
static void play_everywhere(const struct scenario *s)
{
	u32 w, psn, step;

	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		u32 half = 1U << (widths[w].psn_bits - 1);

		for (step = 0; step < 8; step++)
			for (psn = 0; psn < 20; psn++) {
				play(s, &widths[w], -step, -psn);
				play(s, &widths[w], -step, half - psn);
				play(s, &widths[w],
				     (1U << (widths[w].step_bits - 1)) - step,
				     psn);
			}
	}
	tap_point(s->name);
}

static void far_apart(void)
{
	const struct width *w24 = &widths[0], *w32 = &widths[1];
	static const struct {
		const struct width *width;
		u32 psn;
		u32 position;
	} far[] = {
		{ &widths[0], 0x7ffffe, 0x7fffff },
		{ &widths[0], 0x7fffff, 0x800000 },
		{ &widths[0], 0x800000, 0 },
		{ &widths[0], 0xffffff, 0 },
		{ &widths[1], 0xfffffd, 0xfffffe },
		{ &widths[1], 0xfffffe, 0xffffff },
		{ &widths[1], 0xffffff, 0xffffff },
		{ &widths[1], 0x1000000, 0xffffff },
		{ &widths[1], 0x7fffffff, 0xffffff },
		{ &widths[1], 0x80000000, 0 },
	};
	struct symphony_flow f = { 0 };
	struct symphony_pkt pkt;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(far); i++) {
		const struct width *w = far[i].width;
		u32 position;

		pkt = packet(w, 5, 1000, FIRST);
		memset(&f, 0, sizeof(f));
		symphony_flow_position(&f, &pkt, w->psn_bits, w->step_bits);
		pkt = packet(w, 5, 1000 + far[i].psn, 0);
		position = symphony_flow_position(&f, &pkt, w->psn_bits,
						  w->step_bits);
		tap_check(position == far[i].position,
			  "PSN %#x of %u bits: position %#x, not %#x",
			  far[i].psn, w->psn_bits, position, far[i].position);
	}
	tap_check(SYMPHONY_POSITION_MAX == 0xffffff, "largest position");

	/* a step half the circle ahead counts as an earlier one */
	memset(&f, 0, sizeof(f));
	pkt = packet(w24, 5, 0, FIRST);
	symphony_flow_position(&f, &pkt, 24, w24->step_bits);
	pkt = packet(w24, 5 + 0x2000, 9, 0);
	symphony_flow_position(&f, &pkt, 24, w24->step_bits);
	tap_check(f.step == 5, "step half the circle ahead was taken");
	pkt = packet(w24, 5 + 0x1fff, 9, 0);
	symphony_flow_position(&f, &pkt, 24, w24->step_bits);
	tap_check(f.step == 5 + 0x1fff, "later step was not taken");

	/* the same difference is later in the wider field */
	memset(&f, 0, sizeof(f));
	pkt = packet(w32, 5, 0, FIRST);
	symphony_flow_position(&f, &pkt, 32, w32->step_bits);
	pkt = packet(w32, 5 + 0x2000, 9, 0);
	symphony_flow_position(&f, &pkt, 32, w32->step_bits);
	tap_check(f.step == 5 + 0x2000, "later step was not taken");
	tap_point("far ahead, and what counts as behind");
}

/* The rules again, straight down. */
struct reference {
	bool known;
	bool anchored;
	u32 step;
	u32 base;
};

static u32 reference_position(struct reference *r, const struct width *w,
			      const struct symphony_pkt *pkt)
{
	bool first = pkt->flags & FIRST;
	int step_order, psn_order;
	u64 ahead;

	if (pkt->flags & RESENT)
		return 0;

	step_order = model_step_order(pkt->step, r->step, w->step_bits);
	if (!r->known || step_order > 0 || (step_order < 0 && first)) {
		*r = (struct reference) { true, first, pkt->step, pkt->psn };
		return first;
	}
	if (step_order < 0)
		return 0;

	psn_order = model_step_order(pkt->psn, r->base, w->psn_bits);
	if (first && (psn_order < 0 || (psn_order == 0 && !r->anchored))) {
		r->anchored = true;
		r->base = pkt->psn;
		return 1;
	}
	if (psn_order < 0 && !r->anchored)
		r->base = pkt->psn;
	if (psn_order < 0 || !r->anchored)
		return 0;

	ahead = (pkt->psn + (1ULL << w->psn_bits) - r->base) &
		((1ULL << w->psn_bits) - 1);
	return ahead + 1 > 0xffffff ? 0xffffff : ahead + 1;
}

static void as_reference(const struct width *w, unsigned long repeats)
{
	struct symphony_flow f = { 0 };
	struct reference r = { 0 };
	unsigned long n, known = 0;
	u32 step = 0, psn = 0;
	u64 rnd = 0xf10;
	char name[60];

	for (n = 0; n < repeats; n++) {
		struct symphony_pkt pkt;
		u32 expected, position;
		u8 flags = 0;

		if (random_once_in(&rnd, 4))
			flags |= FIRST;
		if (random_once_in(&rnd, 20))
			flags |= RESENT;
		if (random_once_in(&rnd, 8))
			step += random_below(&rnd, 4) - 1;
		psn += random_below(&rnd, 5) - 1;
		if (random_once_in(&rnd, 200)) {
			step = random64(&rnd);
			psn = random64(&rnd);
		}
		if (random_once_in(&rnd, 500)) {
			memset(&f, 0, sizeof(f));
			memset(&r, 0, sizeof(r));
		}
		pkt = packet(w, step, psn, flags);
		expected = reference_position(&r, w, &pkt);
		position = symphony_flow_position(&f, &pkt, w->psn_bits,
						  w->step_bits);
		tap_check(position == expected,
			  "packet %lu: position %u, not %u", n, position,
			  expected);
		known += !!position;
	}
	tap_check(known > repeats / 10 && known < repeats - repeats / 10,
		  "%lu positions of %lu known", known, repeats);
	snprintf(name, sizeof(name), "random packets, PSNs of %u bits",
		 w->psn_bits);
	tap_point(name);
}

static void use(struct symphony_flow *f, u32 psn)
{
	struct symphony_pkt pkt = { .psn = psn, .flags = FIRST };

	symphony_flow_position(f, &pkt, 24, 14);
}

static void sets(void)
{
	struct symphony_flow set[SYMPHONY_FLOW_WAYS] = { 0 };
	struct symphony_flow *f, *used[SYMPHONY_FLOW_WAYS];
	bool replaced = false;
	u32 i, j;

	tap_check(sizeof(struct symphony_flow) == 16 && sizeof(set) == 64,
		  "an entry of %zu bytes", sizeof(struct symphony_flow));

	/* tag 0 is a tag like any other, not an empty entry */
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		f = symphony_flow_find(set, i, 100 + i, &replaced);
		tap_check(f >= set && f < set + SYMPHONY_FLOW_WAYS,
			  "outside the set");
		tap_check(!f->flags && f->tag == i && f->stamp == 100 + i,
			  "not an empty entry for flow %u", i);
		for (j = 0; j < i; j++)
			tap_check(f != used[j], "flows %u and %u share", i, j);
		use(f, i);
		used[i] = f;
	}
	tap_check(!replaced, "replaced while there was room");
	tap_point("a set fills");

	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		f = symphony_flow_find(set, i, 200 - i, &replaced);
		tap_check(f == used[i] && f->base == i && f->stamp == 200 - i,
			  "flow %u not found", i);
	}
	tap_check(!replaced, "replaced what was found");
	tap_point("a set remembers");

	/* the last was used longest ago */
	f = symphony_flow_find(set, 77, 201, &replaced);
	tap_check(replaced, "not said to be replaced");
	tap_check(f == used[3] && !f->flags && f->tag == 77 && f->stamp == 201,
		  "not the oldest entry");
	use(f, 77);
	replaced = false;
	f = symphony_flow_find(set, 78, 202, &replaced);
	tap_check(replaced && f == used[2], "not the next oldest");
	/* not used: it stays empty and goes first, at no cost */
	replaced = false;
	f = symphony_flow_find(set, 79, 203, &replaced);
	tap_check(!replaced && f == used[2], "not the empty one");
	use(f, 79);
	tap_check(symphony_flow_find(set, 0, 204, &replaced) == used[0] &&
		  symphony_flow_find(set, 1, 204, &replaced) == used[1] &&
		  symphony_flow_find(set, 77, 204, &replaced) == used[3],
		  "another flow lost its entry");
	tap_point("a full set replaces the oldest");

	/* another owner's clock is a tick ahead: the youngest, not the oldest */
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		memset(&set[i], 0, sizeof(set[i]));
		set[i].tag = i;
		set[i].stamp = i == 2 ? 1001 : 1000 - i;
		set[i].flags = SYMPHONY_FLOW_VALID;
	}
	f = symphony_flow_find(set, 97, 1000, &replaced);
	tap_check(f == &set[3], "not the oldest beside one of the future");
	tap_point("clocks may differ");

	/* stamps wrap */
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		memset(&set[i], 0, sizeof(set[i]));
		set[i].tag = i;
		set[i].stamp = 0xfffffffeU + i;
		set[i].flags = SYMPHONY_FLOW_VALID;
	}
	replaced = false;
	f = symphony_flow_find(set, 99, 5, &replaced);
	tap_check(replaced && f == &set[0], "not the one from before the wrap");
	/* as old as can be, still no empty entry */
	set[0].flags = 0;
	set[3].stamp = 6;
	replaced = false;
	f = symphony_flow_find(set, 98, 5, &replaced);
	tap_check(!replaced && f == &set[0], "not the empty one");
	/* four of the same age */
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		set[i].stamp = 5;
		set[i].flags = SYMPHONY_FLOW_VALID;
	}
	replaced = false;
	f = symphony_flow_find(set, 97, 5, &replaced);
	tap_check(replaced && !f->flags && f->tag == 97, "none of equals");
	tap_point("ages across the wrap of the clock");
}

int main(int argc, char **argv)
{
	unsigned long repeats = tap_repeats(argc, argv, 1000000);
	u32 i;

	tap_begin();
	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		play_everywhere(&scenarios[i]);
	far_apart();
	for (i = 0; i < ARRAY_SIZE(widths); i++)
		as_reference(&widths[i], repeats);
	sets();
	return tap_end();
}
