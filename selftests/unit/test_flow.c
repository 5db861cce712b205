// SPDX-License-Identifier: GPL-2.0
/* Anchors of flows: positions in a step, and the sets they live in. */
#include <string.h>

#include "model.h"
#include "symphony_flow.h"
#include "tap.h"

#define FIRST	SYMPHONY_PKT_FIRST
#define LAST	SYMPHONY_PKT_LAST
#define ONLY	(FIRST | LAST)
#define SYN	SYMPHONY_PKT_SYN

/* what struct symphony_spot says of a packet besides its position */
#define ENDS	0x1000000	/* its step */
#define EARLY	0x2000000	/* it is of the step before the one on it */
#define MOVED	0x4000000
#define BY_STEP	0x8000000	/* by its number alone */
#define NO_STEP	0x10000000
#define SHOWN	0x20000000	/* the number went on as a step does */
#define WILD	0x40000000	/* it jumped */
#define DOUBTED	0x80000000
#define SAYS	(ENDS | EARLY | MOVED | BY_STEP | NO_STEP)
#define DOUBTS	(SHOWN | WILD | DOUBTED)	/* scenarios leave these out */

static const u32 widths[] = { 14, 16 };

/* Steps and PSNs count from anywhere; 0 as position is "unknown". */
struct arrival {
	s32 step;
	s32 psn;
	u8 flags;
	u32 place;	/* position, and what else there is to say */
};

struct scenario {
	const char *name;
	struct arrival arrivals[24];	/* up to one of flags 0xff */
};

#define END	{ 0, 0, 0xff, 0 }

static const struct scenario scenarios[] = {
	{ "a step of one message", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, 0, 3 },
		{ 0, 500000, 0, 500001 }, END } },
	{ "a step of several messages", {
		{ 0, 0, FIRST, 1 }, { 0, 1, LAST, 2 | ENDS }, { 0, 2, FIRST, 3 },
		{ 0, 3, LAST, 4 | ENDS }, { 0, 4, FIRST, 5 }, END } },
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
	{ "go-back-N to the begin of a later message of the step", {
		{ 0, 0, FIRST, 1 }, { 0, 1, LAST, 2 | ENDS }, { 0, 2, FIRST, 3 },
		{ 0, 3, 0, 4 }, { 0, 2, FIRST, 3 }, { 0, 3, 0, 4 },
		{ 0, 4, 0, 5 }, END } },
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
	{ "used again in the same step, further on", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 1026, FIRST, 1 },
		{ 0, 1027, 0, 2 }, END } },
	{ "a message as far on as can be", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 1025, FIRST, 1026 },
		{ 0, 1026, 0, 1027 }, END } },
	{ "used again in the same step, before", {
		{ 0, 90000, FIRST, 1 }, { 0, 90001, 0, 2 },
		{ 0, 5000, FIRST, 1 }, { 0, 5001, 0, 2 }, END } },
	{ "used again, without an anchor", {
		{ 0, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 5000, FIRST, 1 },
		{ 0, 5001, 0, 2 }, END } },
	{ "used again before, without an anchor, first packet lost", {
		{ 0, 90000, 0, 0 }, { 0, 5000, 0, 0 }, { 0, 7000, FIRST, 1 },
		{ 0, 7001, 0, 2 }, END } },
	{ "the end of a message that bears the next number", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 },
		{ 1, 2, LAST, 3 | ENDS | EARLY }, { 1, 3, FIRST, 1 },
		{ 1, 4, 0, 2 }, { 1, 5, LAST, 3 | ENDS }, END } },
	{ "the same, its begin unseen", {
		{ 0, 1, 0, 0 }, { 1, 2, LAST, ENDS | EARLY },
		{ 1, 3, FIRST, 1 }, { 1, 4, 0, 2 }, END } },
	{ "the same after a packet lost", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 3, LAST, ENDS },
		{ 1, 4, FIRST, 0 }, { 2, 5, FIRST, 1 }, END } },
	{ "several packets early", {
		{ 0, 0, FIRST, 1 }, { 0, 20, 0, 21 }, { 1, 21, 0, 0 },
		{ 1, 22, 0, 0 }, { 1, 23, LAST, ENDS | EARLY },
		{ 1, 24, FIRST, 1 },
		{ 1, 25, 0, 2 }, END } },
	{ "several packets early, some lost", {
		{ 0, 0, FIRST, 1 }, { 0, 20, 0, 21 }, { 1, 21, 0, 0 },
		{ 1, 24, FIRST, 1 }, { 1, 25, 0, 2 }, END } },
	{ "several packets early, all sent again", {
		{ 0, 0, FIRST, 1 }, { 0, 20, 0, 21 }, { 1, 21, 0, 0 },
		{ 1, 22, LAST, ENDS | EARLY }, { 1, 21, 0, 0 },
		{ 1, 22, LAST, ENDS | EARLY }, { 1, 23, FIRST, 1 }, END } },
	{ "first packets that bear the number before", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, LAST, 3 | ENDS },
		{ 0, 3, FIRST, 4 }, { 0, 4, 0, 5 }, { 1, 5, 0, 3 },
		{ 1, 6, 0, 4 }, { 1, 7, LAST, 5 | ENDS }, { 2, 8, FIRST, 1 },
		END } },
	{ "the most of first packets that are late", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, 0, 3 },
		{ 0, 3, 0, 4 }, { 0, 4, 0, 5 }, { 0, 5, 0, 6 }, { 0, 6, 0, 7 },
		{ 0, 7, 0, 8 }, { 0, 8, 0, 9 }, { 0, 9, 0, 10 },
		{ 0, 10, 0, 11 }, { 0, 11, 0, 12 }, { 0, 12, 0, 13 },
		{ 0, 13, 0, 14 }, { 0, 14, 0, 15 }, { 1, 15, 0, 16 }, END } },
	{ "one more", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, 0, 3 },
		{ 0, 3, 0, 4 }, { 0, 4, 0, 5 }, { 0, 5, 0, 6 }, { 0, 6, 0, 7 },
		{ 0, 7, 0, 8 }, { 0, 8, 0, 9 }, { 0, 9, 0, 10 },
		{ 0, 10, 0, 11 }, { 0, 11, 0, 12 }, { 0, 12, 0, 13 },
		{ 0, 13, 0, 14 }, { 0, 14, 0, 15 }, { 0, 15, 0, 16 },
		{ 1, 16, 0, 0 }, { 1, 17, FIRST, 1 }, END } },
	{ "late first packets with one missed among them", {
		{ 0, 0, FIRST, 1 }, { 0, 2, 0, 3 }, { 1, 3, 0, 0 }, END } },
	{ "late first packets sent again", {
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 0, 2, 0, 3 },
		{ 0, 0, FIRST, 1 }, { 0, 1, 0, 2 }, { 1, 3, 0, 4 }, END } },
	{ "late first packets of a step whose own first was missed", {
		{ 0, 0, 0, 0 }, { 0, 1, LAST, ENDS }, { 0, 2, FIRST, 0 },
		{ 1, 3, 0, 2 }, { 1, 4, 0, 3 }, END } },
	{ "opened anew behind", {
		{ 0, 1000, FIRST | SYN, 1 }, { 0, 1001, SYN, 2 },
		{ 0, 7, FIRST | SYN, 1 }, { 0, 8, SYN, 2 }, END } },
	{ "opened anew among what was seen", {
		{ 0, 0, FIRST | SYN, 1 }, { 0, 5000, 0, 5001 },
		{ 0, 3000, FIRST | SYN, 1 }, { 0, 3001, SYN, 2 }, END } },
	{ "opened anew, first packet lost", {
		{ 0, 0, FIRST | SYN, 1 }, { 0, 20, SYN, 21 },
		{ 0, 9000, SYN, 0 }, { 0, 9001, SYN, 0 }, END } },
	{ "opened anew behind, first packet lost", {
		{ 0, 9000, FIRST | SYN, 1 }, { 0, 9001, 0, 2 },
		{ 0, 1, SYN, 0 }, { 0, 2, SYN, 0 }, END } },
	{ "a second message before the first is acknowledged", {
		{ 0, 0, FIRST | SYN, 1 }, { 0, 1, SYN | LAST, 2 | ENDS },
		{ 0, 2, FIRST | SYN, 3 }, { 0, 3, SYN, 4 }, { 0, 1, SYN, 2 },
		{ 0, 4, 0, 5 }, END } },
	{ "ONLYs are messages", {
		{ 0, 0, ONLY, 1 | ENDS }, { 0, 1, ONLY, 2 | ENDS },
		{ 1, 2, ONLY, 1 | ENDS }, { 1, 3, ONLY, 2 | ENDS },
		{ 2, 4, ONLY, 1 | ENDS }, END } },
	{ "nothing but ONLYs", {
		{ 0, 0, ONLY, 1 | ENDS }, { 0, 1, ONLY, 2 | ENDS },
		{ 0, 2, ONLY, 3 | BY_STEP }, { 0, 3, ONLY, 4 | BY_STEP },
		{ 1, 4, ONLY, 1 | BY_STEP | MOVED }, { 1, 5, ONLY, 2 | BY_STEP },
		{ 2, 6, ONLY, 1 | BY_STEP | MOVED }, END } },
	{ "nothing but ONLYs, out of order", {
		{ 0, 0, ONLY, 1 | ENDS }, { 0, 2, ONLY, 3 | ENDS },
		{ 0, 4, ONLY, 5 | BY_STEP }, { 0, 1, ONLY, 2 | BY_STEP },
		{ 1, 6, ONLY, 1 | BY_STEP | MOVED }, { 0, 3, ONLY, BY_STEP },
		{ 1, 5, ONLY, 1 | BY_STEP }, { 1, 6, ONLY, 2 | BY_STEP }, END } },
	{ "ONLYs sent again show nothing", {
		{ 0, 0, ONLY, 1 | ENDS }, { 0, 0, ONLY, 1 | ENDS },
		{ 0, 0, ONLY, 1 | ENDS }, { 0, 1, ONLY, 2 | ENDS }, END } },
	{ "nothing but ONLYs, until something else comes", {
		{ 0, 0, ONLY, 1 | ENDS }, { 0, 1, ONLY, 2 | ENDS },
		{ 0, 2, ONLY, 3 | BY_STEP }, { 0, 3, FIRST, 4 },
		{ 0, 4, LAST, 5 | ENDS }, { 1, 5, ONLY, 1 | ENDS }, END } },
	{ "nothing but ONLYs, and a new run", {
		{ 9, 0, ONLY, 1 | ENDS }, { 9, 1, ONLY, 2 | ENDS },
		{ 9, 2, ONLY, 3 | BY_STEP }, { 0, 3, ONLY, 1 | BY_STEP },
		{ 0, 4, ONLY, 2 | BY_STEP }, END } },
	{ "a number that jumps about is no step", {
		{ 0, 0, FIRST, 1 }, { 700, 1, FIRST, 1 }, { 300, 2, FIRST, 1 },
		{ 900, 3, FIRST, 1 }, { 100, 4, FIRST, 1 | NO_STEP },
		{ 100, 5, LAST, 2 | ENDS | NO_STEP }, END } },
	{ "nor one that jumps about amid a message", {
		{ 0, 0, FIRST, 1 }, { 700, 1, 0, 2 }, { 300, 2, 0, 0 },
		{ 900, 3, 0, 0 }, { 100, 4, 0, NO_STEP },
		{ 50, 5, 0, NO_STEP }, END } },
	{ "a step nearby is one", {
		{ 0, 0, FIRST, 1 }, { 700, 1, FIRST, 1 }, { 300, 2, FIRST, 1 },
		{ 900, 3, FIRST, 1 }, { 964, 4, FIRST, 1 },
		{ 1029, 5, FIRST, 1 }, { 1094, 6, FIRST, 1 }, END } },
};

static struct symphony_pkt packet(u32 bits, u32 step, u32 psn, u8 flags)
{
	return (struct symphony_pkt) {
		.step = step & ((1U << bits) - 1),
		.psn = psn,
		.flags = flags | SYMPHONY_PKT_STEP,
	};
}

static void compare(const struct symphony_spot *place,
		    const struct symphony_pkt *pkt, u32 says, u32 bits,
		    unsigned long i)
{
	u32 position = says & ~(SAYS | DOUBTS);
	u8 flags = (says & ENDS ? SYMPHONY_SPOT_LAST : 0) |
		   (says & MOVED ? SYMPHONY_SPOT_MOVED : 0) |
		   (says & BY_STEP ? SYMPHONY_SPOT_ONLY : 0) |
		   (says & NO_STEP ? SYMPHONY_SPOT_ENTROPY : 0) |
		   (says & SHOWN ? SYMPHONY_SPOT_SHOWN : 0) |
		   (says & WILD ? SYMPHONY_SPOT_WILD : 0) |
		   (says & DOUBTED ? SYMPHONY_SPOT_DOUBTED : 0);
	u32 step = (pkt->step - !!(says & EARLY)) & ((1U << bits) - 1);

	tap_check(place->position == position && place->flags == flags &&
		  place->step == step,
		  "arrival %lu, step %u, PSN %#x, %u bits: position %u, step %u, flags %#x, not %u, %u, %#x",
		  i, pkt->step, pkt->psn, bits, place->position, place->step,
		  place->flags, position, step, flags);
}

static void play(const struct scenario *s, u32 bits, u32 step, u32 psn)
{
	struct symphony_flow f = { .tag = 1 };
	u32 i;

	for (i = 0; s->arrivals[i].flags != 0xff; i++) {
		const struct arrival *a = &s->arrivals[i];
		struct symphony_pkt pkt = packet(bits, step + a->step,
						 psn + a->psn, a->flags);
		struct symphony_spot place;

		place = symphony_flow_place(&f, &pkt, 0, bits, false, false);
		place.flags &= ~(SYMPHONY_SPOT_SHOWN | SYMPHONY_SPOT_WILD |
				 SYMPHONY_SPOT_DOUBTED);
		compare(&place, &pkt, a->place, bits, i);
	}
	tap_check(f.tag == 1, "the tag changed");
}

/* The same wherever counting begins, so across every wrap. */
static void play_everywhere(const struct scenario *s)
{
	u32 w, psn, step;

	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		u32 half = 1U << (widths[w] - 1);

		for (step = 0; step < 8; step++)
			for (psn = 0; psn < 30; psn++) {
				play(s, widths[w], -step, -psn);
				play(s, widths[w], -step, 0x800000 - psn);
				play(s, widths[w], half - step, psn);
				play(s, widths[w], step, 0x7fffffff + psn);
			}
	}
	tap_point(s->name);
}

static struct symphony_spot place(struct symphony_flow *f, u32 bits, u32 step,
				  u32 psn, u8 flags)
{
	struct symphony_pkt pkt = packet(bits, step, psn, flags);

	return symphony_flow_place(f, &pkt, 0, bits, false, false);
}

static void far_apart(void)
{
	static const struct {
		u32 psn;
		u32 position;
	} far[] = {
		{ 0x7ffffe, 0x7fffff },
		{ 0x800000, 0x800001 },
		{ 0x800001, 0 },
		{ 0xffffff, 0 },
	};
	struct symphony_flow f;
	u32 i, position;

	for (i = 0; i < ARRAY_SIZE(far); i++) {
		memset(&f, 0, sizeof(f));
		place(&f, 14, 5, 1000, FIRST);
		position = place(&f, 14, 5, 1000 + far[i].psn, 0).position;
		tap_check(position == far[i].position,
			  "PSN %#x: position %#x, not %#x", far[i].psn,
			  position, far[i].position);
	}

	/* a step without an end */
	memset(&f, 0, sizeof(f));
	place(&f, 16, 5, 1000, FIRST);
	for (i = 0x400000; i < 0x4000000; i += 0x400000) {
		u32 expected = i < 0x1000000 ? i + 1 : SYMPHONY_POSITION_MAX;

		position = place(&f, 16, 5, 1000 + i, 0).position;
		tap_check(position == expected, "PSN %#x: position %#x, not %#x",
			  i, position, expected);
		position = place(&f, 16, 5, 1000 + i - 1, 0).position;
		tap_check(position == expected - 1,
			  "one before PSN %#x: position %#x", i, position);
	}
	tap_check(SYMPHONY_POSITION_MAX == 0xffffff, "largest position");

	/* a step half the circle ahead counts as an earlier one */
	memset(&f, 0, sizeof(f));
	place(&f, 14, 5, 0, FIRST);
	place(&f, 14, 5 + 0x2000, 9, 0);
	tap_check(f.step == 5, "step half the circle ahead was taken");
	place(&f, 14, 5 + 0x1fff, 9, 0);
	tap_check(f.step == 5 + 0x1fff, "later step was not taken");

	/* the same difference is later in the wider field */
	memset(&f, 0, sizeof(f));
	place(&f, 16, 5, 0, FIRST);
	place(&f, 16, 5 + 0x2000, 9, 0);
	tap_check(f.step == 5 + 0x2000, "later step was not taken");
	tap_point("far ahead, and what counts as behind");
}

/* A packet that the stack has yet to cut stands for all its segments. */
static void test_segments(void)
{
	struct symphony_flow f = { 0 };
	struct symphony_pkt pkt = packet(14, 3, 100, FIRST);
	struct symphony_spot p;
	u32 i;

	p = symphony_flow_place(&f, &pkt, 9, 14, false, false);
	tap_check(p.position == 10, "first: position %u", p.position);
	pkt = packet(14, 3, 110, 0);
	p = symphony_flow_place(&f, &pkt, 0, 14, false, false);
	tap_check(p.position == 11, "behind it: position %u", p.position);
	pkt = packet(14, 3, 104, 0);
	p = symphony_flow_place(&f, &pkt, 1, 14, false, false);
	tap_check(p.position == 6, "sent again: position %u", p.position);
	pkt = packet(14, 3, 111, 0);
	p = symphony_flow_place(&f, &pkt, 39, 14, false, false);
	tap_check(p.position == 51, "the next: position %u", p.position);
	pkt = packet(14, 3, 151, 0);
	p = symphony_flow_place(&f, &pkt, 1, 14, false, false);
	tap_check(p.position == 53, "one more: position %u", p.position);
	pkt = packet(14, 4, 153, LAST);
	p = symphony_flow_place(&f, &pkt, 7, 14, false, false);
	tap_check(p.position == 61 && p.step == 3, "the last: position %u, step %u",
		  p.position, p.step);
	pkt = packet(14, 4, 161, FIRST);
	p = symphony_flow_place(&f, &pkt, 3, 14, false, false);
	tap_check(p.position == 4, "next step: position %u", p.position);
	pkt = packet(14, 5, 165, 0);
	p = symphony_flow_place(&f, &pkt, 3, 14, false, false);
	tap_check(p.position == 8 && p.step == 5, "late: position %u, step %u",
		  p.position, p.step);
	pkt = packet(14, 6, 169, 0);
	p = symphony_flow_place(&f, &pkt, 8, 14, false, false);
	tap_check(p.position == 17, "the same again: position %u", p.position);
	pkt = packet(14, 7, 178, 0);
	p = symphony_flow_place(&f, &pkt, 3, 14, false, false);
	tap_check(!p.position, "too late: position %u", p.position);

	/* whole messages are not ONLYs */
	memset(&f, 0, sizeof(f));
	for (i = 0; i < 10; i++) {
		pkt = packet(14, 3, 2 * i, ONLY);
		p = symphony_flow_place(&f, &pkt, 1, 14, false, true);
		tap_check((p.flags & ~SYMPHONY_SPOT_DOUBTED) ==
			  SYMPHONY_SPOT_LAST, "message %u: flags %#x", i,
			  p.flags);
	}
	tap_point("many segments in one packet");
}

/* How many messages go by until the number on them counts as none. */
static u32 doubtful(u32 messages_a_step, bool apart, u32 messages)
{
	struct symphony_flow f = { 0 };
	u32 i, psn = 0;

	for (i = 0; i < messages; i++) {
		struct symphony_pkt pkt = packet(14, i / messages_a_step, psn++,
						 FIRST);
		struct symphony_spot p;

		p = symphony_flow_place(&f, &pkt, 0, 14, apart, false);
		if (p.flags & SYMPHONY_SPOT_ENTROPY)
			return i + 1;
		pkt = packet(14, i / messages_a_step, psn++, LAST);
		p = symphony_flow_place(&f, &pkt, 0, 14, apart, false);
		tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY),
			  "message %u ends in doubt, but did not begin so", i);
	}
	return 0;
}

static void entropy(void)
{
	struct symphony_flow f = { 0 };
	struct symphony_spot p;
	u32 i;

	tap_check(doubtful(1000, false, 1000) == 16, "alone: after %u",
		  doubtful(1000, false, 1000));
	tap_check(doubtful(1000, true, 1000) == 9, "beside another: after %u",
		  doubtful(1000, true, 1000));
	for (i = 1; i <= 15; i++)
		tap_check(!doubtful(i, false, 1000), "%u a step", i);
	for (i = 1; i <= 8; i++)
		tap_check(!doubtful(i, true, 1000), "%u a step, ahead", i);

	/* the number begins to move */
	for (i = 0; i < 40; i++)
		p = place(&f, 14, 7, i, i % 2 ? LAST : FIRST);
	tap_check(p.flags & SYMPHONY_SPOT_ENTROPY, "not recognised");
	p = place(&f, 14, 7, 40, 0);
	tap_check(p.flags & SYMPHONY_SPOT_ENTROPY, "amid a message");
	p = place(&f, 14, 8, 41, FIRST);
	tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY), "moves, and is no step");

	/* messages that are sent again are the same messages */
	memset(&f, 0, sizeof(f));
	for (i = 0; i < 100; i++)
		p = place(&f, 14, 7, i % 10, i % 2 ? LAST : FIRST);
	tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY), "sent again");

	/* a message that goes on and on is one */
	memset(&f, 0, sizeof(f));
	for (i = 0; i < 100; i++)
		p = place(&f, 14, 7, i, FIRST);
	tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY), "no message ended");

	/* ONLYs: a step has many */
	memset(&f, 0, sizeof(f));
	for (i = 0; i < 65536; i++) {
		p = place(&f, 14, 7, i, ONLY);
		tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY), "ONLY %u", i);
	}
	p = place(&f, 14, 7, i, ONLY);
	tap_check(p.flags & SYMPHONY_SPOT_ENTROPY, "65537 ONLYs");
	p = place(&f, 14, 8, i + 1, ONLY);
	tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY), "the next step");

	/* a sender that is late to write each number */
	memset(&f, 0, sizeof(f));
	for (i = 0; i < 500; i++) {
		p = place(&f, 14, i / 5 - (i % 5 < 2), i, i % 5 == 0 ? FIRST :
			  i % 5 == 4 ? LAST : 0);
		tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY),
			  "packet %u of one that is late", i);
	}

	/* silence: it may be something else now */
	memset(&f, 0, sizeof(f));
	for (i = 0; i < 40; i++)
		place(&f, 14, 7, i, i % 2 ? LAST : FIRST);
	f.state = SYMPHONY_FLOW_EMPTY;
	p = place(&f, 14, 7, i, FIRST);
	tap_check(!(p.flags & SYMPHONY_SPOT_ENTROPY), "after silence");
	tap_point("what is no step");
}

/*
 * Queue pairs of a job, each up to two messages ahead of the slowest. How many of the
 * packets that are due for a mark get none, since nobody knows their number to be a
 * step? A number that is another with each message may for once be a little later.
 */
#define QPS	12
#define SIZE	20		/* packets of a message */

enum number {
	STEP,			/* of a queue pair that goes on to the next */
	STEP_OF_QP,		/* a queue pair a step */
	HASH,
	HASH_IN_TURN,		/* of queue pairs in a row */
	HASH_OF_MESSAGE,	/* each goes another way */
};

struct numbers {
	const char *name;
	enum number number;
	u32 messages;		/* of a step */
};

struct marks {
	unsigned long due;
	unsigned long set;
	unsigned long later;	/* of these behind a queue pair's first message */
};

static u32 number_of(const struct numbers *k, u32 qp, u32 sent, const u32 *hash,
		     u64 *rnd)
{
	switch (k->number) {
	case HASH:
		return hash[qp];
	case HASH_IN_TURN:
		return hash[0] + qp;
	case HASH_OF_MESSAGE:
		return random_below(rnd, 1 << 14);
	default:
		return sent / SIZE / k->messages;
	}
}

static void send_job(const struct numbers *k, u64 *rnd, struct marks *marks)
{
	struct symphony_params params = {
		.k = 1, .tau = 250000000, .warmup = 8, .samples = 8,
		.alpha_max = 10, .step_bits = 14, .window = 100000,
	};
	u32 hash[QPS], number[QPS] = { 0 }, sent[QPS] = { 0 }, i, slowest;
	struct symphony_flow f[QPS] = { 0 };
	struct symphony_state st = { 0 };
	u64 now = 1;
	u32 n;

	for (i = 0; i < QPS; i++)
		hash[i] = random_below(rnd, 1 << 14);
	for (n = 0; n < 5000; n++, now += 800) {
		u32 in_message, step, flags = 0;
		struct symphony_pkt pkt;
		struct symphony_spot p;

		/* the last lags */
		i = random_below(rnd, random_once_in(rnd, 4) ? QPS : QPS - 1);
		for (slowest = 0, step = 1; step < QPS; step++)
			if (sent[step] < sent[slowest])
				slowest = step;
		if (sent[i] > sent[slowest] + 2 * SIZE * k->messages)
			i = slowest;
		in_message = sent[i] % SIZE;
		if (!in_message) {
			flags = FIRST;
			number[i] = number_of(k, i, sent[i], hash, rnd) & 0x3fff;
			if (k->number == STEP_OF_QP &&
			    sent[i] % (SIZE * k->messages) == 0)
				memset(&f[i], 0, sizeof(f[i]));
		}
		if (in_message == SIZE - 1)
			flags = LAST;
		pkt = packet(14, number[i], sent[i]++, flags);
		p = symphony_flow_place(&f[i], &pkt, 0, 14, n &&
					st.step_min != pkt.step, false);
		if (!n)
			symphony_state_init(&st, &params, p.step, p.position, now);
		symphony_note_shown(&st, &p);
		if (p.flags & SYMPHONY_SPOT_ENTROPY ||
		    !(symphony_update(&st, &params, p.step, p.position,
				      p.flags & SYMPHONY_SPOT_LAST, 1, now) &
		      SYMPHONY_CANDIDATE))
			continue;
		marks->due++;
		if (!symphony_is_step(&st, &p))
			continue;
		marks->set++;
		marks->later += sent[i] > SIZE;
	}
}

static void steps_and_hashes(void)
{
	static const struct numbers kinds[] = {
		{ "steps, one after the other", STEP, 1 },
		{ "the same of two messages each", STEP, 2 },
		{ "the same of eight", STEP, 8 },
		{ "a queue pair a step", STEP_OF_QP, 1 },
		{ "hashes of queue pairs", HASH, 1 },
		{ "hashes of queue pairs in a row", HASH_IN_TURN, 1 },
		{ "hashes of messages", HASH_OF_MESSAGE, 1 },
	};
	u64 rnd = 0x57e9;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct numbers *k = &kinds[i];
		struct marks m = { 0 };

		for (j = 0; j < 50; j++)
			send_job(k, &rnd, &m);
		tap_check(m.due > 100, "only %lu packets are due", m.due);
		printf("# %s: of %lu packets due for a mark %lu may get it\n",
		       k->name, m.due, m.set);
		if (k->number < HASH)
			tap_check(m.set == m.due, "%lu of %lu", m.set, m.due);
		else
			tap_check(m.later <= m.due / 50,
				  "%lu of %lu later than in the first message",
				  m.later, m.due);
		tap_point(k->name);
	}
}

/* What one flow has shown counts for all of its job. */
static void may_be_a_step(void)
{
	struct symphony_spot shown = { .flags = SYMPHONY_SPOT_SHOWN };
	struct symphony_spot doubted = { .flags = SYMPHONY_SPOT_DOUBTED };
	struct symphony_spot wild = { .flags = SYMPHONY_SPOT_WILD };
	struct symphony_spot first = { 0 };
	struct symphony_state st = { 0 };

	symphony_note_shown(&st, &first);
	tap_check(symphony_is_step(&st, &first), "a first message");
	symphony_note_shown(&st, &doubted);
	tap_check(!symphony_is_step(&st, &doubted), "a second one");
	symphony_note_shown(&st, &shown);
	symphony_note_shown(&st, &doubted);
	symphony_note_shown(&st, &first);
	tap_check(symphony_is_step(&st, &doubted), "a second one of a step");
	symphony_note_shown(&st, &wild);
	tap_check(!symphony_is_step(&st, &doubted), "after a jump");
	tap_check(symphony_is_step(&st, &first), "after a jump, a first one");
	tap_point("what may be a step");
}

/* A job whose queue pairs all send ONLYs: the next one does, too. */
static void all_only(void)
{
	struct symphony_flow f = { 0 };
	struct symphony_pkt pkt = packet(14, 9, 0, ONLY);
	struct symphony_spot p;

	p = symphony_flow_place(&f, &pkt, 0, 14, false, true);
	tap_check(p.flags == SYMPHONY_SPOT_ONLY && p.position == 1,
		  "flags %#x, position %u", p.flags, p.position);
	pkt = packet(14, 10, 1, ONLY);
	p = symphony_flow_place(&f, &pkt, 0, 14, false, true);
	tap_check(p.flags == (SYMPHONY_SPOT_ONLY | SYMPHONY_SPOT_MOVED |
			      SYMPHONY_SPOT_SHOWN),
		  "next step: flags %#x", p.flags);
	memset(&f, 0, sizeof(f));
	pkt = packet(14, 9, 0, FIRST);
	p = symphony_flow_place(&f, &pkt, 0, 14, false, true);
	tap_check(!p.flags, "a first packet: flags %#x", p.flags);
	tap_point("in a job of nothing but ONLYs");
}

/* The rules again, straight down, in numbers that do not wrap. */
struct reference {
	bool known;
	bool anchored;
	bool open;
	s64 step;
	s64 base;
	s64 next;
	s64 first;		/* PSN of the present message's first, or -1 */
	u32 doubt;
	u32 only;
};

struct verdict {
	s64 position;
	s64 step;
	u32 says;
};

static s64 reference_anchor(struct reference *r, s64 step, s64 psn)
{
	r->known = true;
	r->anchored = true;
	r->open = false;
	r->step = step;
	r->base = psn;
	r->next = psn + 1;
	return 1;
}

static s64 reference_lose(struct reference *r, s64 step, s64 psn, bool open)
{
	reference_anchor(r, step, psn);
	r->anchored = false;
	r->open = open;
	return 0;
}

static s64 reference_further(struct reference *r, s64 psn)
{
	r->next = psn + 1;
	return r->anchored ? r->next - r->base : 0;
}

static s64 reference_same(struct reference *r, s64 psn, bool first, bool last,
			  struct verdict *v)
{
	if (r->open && last && !first)
		v->step--;
	if (first && (psn < r->base || psn >= r->next + 1024))
		return reference_anchor(r, r->step, psn);
	if (psn < r->base && !r->anchored) {
		if (r->base - psn > 1024)
			return reference_lose(r, r->step, psn, false);
		r->base = psn;
	}
	if (first && !r->anchored &&
	    (psn == r->base || (r->open && psn >= r->next)))
		return reference_anchor(r, r->step, psn);
	if (psn >= r->next)
		return reference_further(r, psn);
	return r->anchored && psn >= r->base ? psn - r->base + 1 : 0;
}

static s64 reference_other(struct reference *r, s64 step, s64 psn, bool first,
			   bool last, struct verdict *v)
{
	if (first && r->only == 3 && step < r->step && psn < r->base)
		return 0;
	if (first) {
		if (r->only == 3 && step > r->step)
			v->says |= MOVED;
		return reference_anchor(r, step, psn);
	}
	if (step < r->step)
		return 0;
	if (psn != r->next)
		return reference_lose(r, step, psn, false);
	if (last) {
		v->step = r->step;
		return reference_further(r, psn);
	}
	if (r->first < 0 || r->next - r->first > 15)
		return reference_lose(r, step, psn, true);
	r->step = step;
	r->base = r->first;
	r->anchored = true;
	r->open = false;
	return reference_further(r, psn);
}

/* What a packet that none was ahead of says about its flow's numbers. */
static u32 reference_move(struct reference *r, s64 step, s64 psn, bool first,
			  bool last)
{
	bool amid = psn == r->next && r->first >= 0 && psn - r->first <= 15;

	if (step < r->step || step > r->step + 64) {
		r->doubt += 4;
		return WILD;
	}
	if (first ? step > r->step || r->open : step > r->step && amid && !last) {
		r->doubt = 0;
		return psn < r->next + 1024 ? SHOWN : 0;
	}
	return 0;
}

static struct verdict reference_place(struct reference *r, s64 step, s64 psn,
				      u8 flags, bool apart)
{
	bool first = flags & FIRST, last = flags & LAST, follows;
	struct verdict v = { 0, step, 0 };
	s64 message = first ? psn : psn == r->next ? r->first : -1;
	u32 more = 0;

	follows = psn >= r->next;
	if (r->known && flags & SYN &&
	    (follows ? psn >= r->next + 1024 : psn < r->base || first))
		r->known = false;
	if (!r->known) {
		r->doubt = 0;
		r->only = first && last;
		more = last ? 1 + apart : 0;
		if (first)
			v.position = reference_anchor(r, step, psn);
		else
			v.position = reference_lose(r, step, psn, false);
	} else {
		if (!first || !last)
			r->only = 0;
		else if (follows && r->only < 3)
			r->only = step == r->step ? r->only + 1 : 1;
		if (follows)
			v.says |= reference_move(r, step, psn, first, last);
		if (follows && r->only < 3 && last && step == r->step)
			more = 1 + apart;
		v.position = step == r->step ?
			     reference_same(r, psn, first, last, &v) :
			     reference_other(r, step, psn, first, last, &v);
	}
	if (psn + 1 == r->next)
		r->first = message;
	if (r->only == 3)
		v.says |= BY_STEP;
	else
		v.says |= (last ? ENDS : 0) | (r->doubt ? DOUBTED : 0) |
			  (r->doubt >= 15 ? NO_STEP : 0);
	r->doubt += more;
	return v;
}

/* Next packet of a sender that does everything that a sender may do, often. */
struct sender {
	s64 step;
	s64 psn;
	bool only;
};

static u8 send_something(struct sender *s, u64 *rnd)
{
	u8 flags = 0;

	if (random_once_in(rnd, 300))
		s->only = !s->only;
	if (random_once_in(rnd, 4))
		flags |= FIRST;
	if (random_once_in(rnd, 4))
		flags |= LAST;
	if (random_once_in(rnd, 40))
		flags |= SYN;
	if (s->only)
		flags |= ONLY;
	if (random_once_in(rnd, 8))
		s->step += random_below(rnd, 4) - 1;
	if (random_once_in(rnd, 3))
		s->psn += random_below(rnd, 5) - 2;
	else
		s->psn++;
	if (random_once_in(rnd, 100))
		s->psn += random_below(rnd, 5000) - 2500;
	if (random_once_in(rnd, 200))
		s->step += random_below(rnd, 400) - 200;
	return flags;
}

/* A sender, its anchor, and what the reference makes of it. */
struct trial {
	struct sender s;
	struct symphony_flow f;
	struct reference r;
};

static const struct trial new_trial = { .s.psn = 1LL << 40 };

/* The sender's next packet: both must say the same of it. */
static struct verdict trial_packet(struct trial *t, u32 bits, u64 *rnd, unsigned long n)
{
	bool apart = random_once_in(rnd, 2);
	u8 flags = send_something(&t->s, rnd);
	struct symphony_pkt pkt = packet(bits, t->s.step, t->s.psn, flags);
	struct symphony_spot p;
	struct verdict v;

	if (random_once_in(rnd, 500)) {
		memset(&t->f, 0, sizeof(t->f));
		memset(&t->r, 0, sizeof(t->r));
	}
	v = reference_place(&t->r, t->s.step, t->s.psn, flags, apart);
	p = symphony_flow_place(&t->f, &pkt, 0, bits, apart, false);
	pkt.step = v.step & ((1U << bits) - 1);
	compare(&p, &pkt, v.position | v.says, bits, n);
	return v;
}

static void as_reference(u32 bits, unsigned long repeats)
{
	unsigned long n, known = 0, seen[8] = { 0 };
	struct trial t = new_trial;
	u64 rnd = 0xf10;
	char name[60];
	u32 i;

	for (n = 0; n < repeats; n++) {
		struct verdict v = trial_packet(&t, bits, &rnd, n);

		known += !!v.position;
		for (i = 0; i < ARRAY_SIZE(seen); i++)
			seen[i] += v.says >> (24 + i) & 1;
		seen[1] += v.step != t.s.step;
	}
	tap_check(known > repeats / 10 && known < repeats - repeats / 10,
		  "%lu positions of %lu known", known, repeats);
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		tap_check(seen[i] > repeats / 5000, "%lu of kind %u", seen[i],
			  i);
	snprintf(name, sizeof(name), "random packets, steps of %u bits", bits);
	tap_point(name);
}

/* Send an anchored flow's packet, @more of them. */
static void use(struct symphony_flow *f, u32 psn, u32 more)
{
	place(f, 14, 5, psn, FIRST);
	while (more--)
		place(f, 14, 5, ++psn, 0);
}

#define SILENCE	symphony_flow_silence(60000000000ULL)

static struct symphony_flow *find(struct symphony_flow *set, u32 tag, u32 now,
				  bool *replaced)
{
	struct symphony_flow *f;

	now &= SYMPHONY_STAMP_MASK;
	f = symphony_flow_find(set, tag, now, replaced);
	if (f->stamp != now)
		symphony_flow_touch(f, now, SILENCE);
	return f;
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
		f = find(set, i, 100 + i, &replaced);
		tap_check(f >= set && f < set + SYMPHONY_FLOW_WAYS,
			  "outside the set");
		tap_check(!f->state && f->tag == i && f->stamp == 100 + i,
			  "not an empty entry for flow %u", i);
		for (j = 0; j < i; j++)
			tap_check(f != used[j], "flows %u and %u share", i, j);
		use(f, i, 1);
		used[i] = f;
	}
	tap_check(!replaced, "replaced while there was room");
	tap_point("a set fills");

	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		f = find(set, i, 200 - i, &replaced);
		tap_check(f == used[i] && f->base == i && f->stamp == 200 - i,
			  "flow %u not found", i);
	}
	tap_check(!replaced, "replaced what was found");
	tap_point("a set remembers");

	/* the last was used longest ago */
	f = find(set, 77, 201, &replaced);
	tap_check(replaced, "not said to be replaced");
	tap_check(f == used[3] && !f->state && f->tag == 77 && f->stamp == 201,
		  "not the oldest entry");
	use(f, 77, 1);
	replaced = false;
	f = find(set, 78, 202, &replaced);
	tap_check(replaced && f == used[2], "not the next oldest");
	/* not used: it stays empty and goes first, at no cost */
	replaced = false;
	f = find(set, 79, 203, &replaced);
	tap_check(!replaced && f == used[2], "not the empty one");
	use(f, 79, 1);
	tap_check(find(set, 0, 204, &replaced) == used[0] &&
		  find(set, 1, 204, &replaced) == used[1] &&
		  find(set, 77, 204, &replaced) == used[3],
		  "another flow lost its entry");
	tap_point("a full set replaces the oldest");
}

static void fill(struct symphony_flow *set, u32 now)
{
	bool replaced;
	u32 i;

	memset(set, 0, SYMPHONY_FLOW_WAYS * sizeof(*set));
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++)
		use(find(set, i, now + i, &replaced), 0, 1);
}

static void victims(void)
{
	struct symphony_flow set[SYMPHONY_FLOW_WAYS];
	bool replaced = false;
	u32 i;

	/* one packet is no flow yet */
	fill(set, 1000);
	set[2].state = SYMPHONY_FLOW_EMPTY;
	use(&set[2], 0, 0);
	tap_check(find(set, 90, 1010, &replaced) == &set[2] && replaced,
		  "not the stranger");

	/* nor is one without an anchor, be it ever so long */
	fill(set, 1000);
	set[3].state = SYMPHONY_FLOW_BLIND;
	tap_check(find(set, 90, 1010, &replaced) == &set[3],
		  "not the one without anchor");

	/* the older of two strangers */
	fill(set, 1000);
	set[1].state = SYMPHONY_FLOW_BLIND;
	set[3].state = SYMPHONY_FLOW_BLIND;
	tap_check(find(set, 90, 1010, &replaced) == &set[1],
		  "not the older stranger");

	/* after four seconds an anchor is not worth more than a newcomer */
	fill(set, 1000);
	set[3].state = SYMPHONY_FLOW_BLIND;
	tap_check(find(set, 90, 1000 + SYMPHONY_FLOW_KEEP - 1, &replaced) ==
		  &set[3], "not kept");
	fill(set, 1000);
	set[3].state = SYMPHONY_FLOW_BLIND;
	tap_check(find(set, 90, 1000 + SYMPHONY_FLOW_KEEP, &replaced) == &set[0],
		  "kept too long");
	tap_point("strangers go first");

	/* another owner's clock is ahead: the youngest, not the oldest */
	fill(set, 5000);
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++)
		set[i].stamp = i == 2 ? 1001 : 1000 - i;
	tap_check(find(set, 97, 1000, &replaced) == &set[3],
		  "not the oldest beside one of the future");
	tap_check(find(set, 2, 1000, &replaced) == &set[2] && set[2].state,
		  "one of the future is forgotten");
	set[2].stamp = 1000 + SYMPHONY_FLOW_SKEW;
	tap_check(find(set, 2, 1000, &replaced) == &set[2] && set[2].state,
		  "one of the far future is forgotten");
	tap_point("clocks may differ");

	/* stamps wrap */
	fill(set, SYMPHONY_STAMP_MASK - 1);
	replaced = false;
	tap_check(find(set, 99, 5, &replaced) == &set[0] && replaced,
		  "not the one from before the wrap");
	fill(set, SYMPHONY_STAMP_MASK - 1);
	set[2].state = SYMPHONY_FLOW_EMPTY;
	replaced = false;
	tap_check(find(set, 98, SYMPHONY_STAMP_MASK - 3, &replaced) == &set[2] &&
		  !replaced, "as old as can be, still no empty entry");
	/* four of the same age */
	fill(set, 5);
	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++)
		set[i].stamp = 5;
	replaced = false;
	tap_check(!find(set, 97, 5, &replaced)->state && replaced,
		  "none of equals");
	tap_point("ages across the wrap of the clock");
}

static void test_silence(void)
{
	struct symphony_flow set[SYMPHONY_FLOW_WAYS];
	u32 start, ticks = 60000000000ULL >> 14;
	bool replaced = false;
	u32 i;

	tap_check(ticks == SILENCE, "60 s are %u ticks", SILENCE);
	tap_check(symphony_flow_silence(~0ULL) == 0x7ffffff &&
		  symphony_flow_silence(0x8000000ULL << 14) == 0x7ffffff &&
		  symphony_flow_silence(0x7fffffeULL << 14) == 0x7fffffe,
		  "a day is half the wrap");
	tap_check(symphony_flow_now(1ULL << 60 | 77ULL << 14 | 99) == 77,
		  "ticks of 2^14 ns");

	for (start = 0; start < 4; start++) {
		u32 now = -(ticks / 3 * start) & SYMPHONY_STAMP_MASK;

		fill(set, now);
		tap_check(find(set, 0, now + ticks - 1, &replaced)->state,
			  "forgotten before its time");
		tap_check(find(set, 0, now + 2 * ticks - 2, &replaced)->state,
			  "forgotten though it was used");
		for (i = 1; i < SYMPHONY_FLOW_WAYS; i++) {
			tap_check(find(set, i, now + ticks + i, &replaced) ==
				  &set[i], "not its entry");
			tap_check(!set[i].state, "not forgotten");
			tap_check(set[i].stamp == ((now + ticks + i) &
						   SYMPHONY_STAMP_MASK),
				  "not used now");
		}
	}
	tap_check(!replaced, "what is silent was not another's");
	tap_point("an anchor dies of silence");
}

/*
 * Flows in full swing, anchored once, in a table of 65536 entries that random
 * queue pairs begin to flood: how many packets without a position.
 */
#define STEADY_FLOWS	64
#define TABLE_SETS	16384

struct flood {
	u64 strangers;		/* packets a second, each of another flow */
	u64 steady;		/* the same of each flow that goes on */
	u8 flags;		/* what the strangers send */
};

static struct symphony_flow table[TABLE_SETS][SYMPHONY_FLOW_WAYS];

static bool has_position(u64 key, u64 now, u64 psn, u8 flags)
{
	struct symphony_flow *set = table[key % TABLE_SETS];
	bool replaced = false;

	return place(find(set, key >> 40, symphony_flow_now(now), &replaced),
		     14, 5, psn, flags).position;
}

static double without_position(const struct flood *flood, u64 ns)
{
	u64 apart = 1000000000 / flood->steady / STEADY_FLOWS;
	u64 keys[STEADY_FLOWS], i, now = 0, strangers = 0, lost = 0;
	u64 rnd = flood->strangers;

	memset(table, 0, sizeof(table));
	for (i = 0; i < STEADY_FLOWS; i++) {
		keys[i] = random64(&rnd);
		has_position(keys[i], 0, 0, FIRST);
		has_position(keys[i], 0, 1, 0);
	}
	for (i = 0; now < ns; i++, now += apart) {
		for (; strangers * 1000 < now * (flood->strangers / 1000) / 1000;
		     strangers++)
			has_position(random64(&rnd), now, random64(&rnd),
				     flood->flags);
		lost += !has_position(keys[i % STEADY_FLOWS], now,
				      2 + i / STEADY_FLOWS, 0);
	}
	return (double)lost / i;
}

static void test_strangers(u64 ns)
{
	static const struct flood floods[] = {
		{ 5000000, 100, FIRST }, { 14800000, 100, FIRST },
		{ 14800000, 100, 0 }, { 14800000, 100, ONLY },
		{ 14800000, 20000, FIRST },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(floods); i++) {
		double part = without_position(&floods[i], ns);

		tap_check(part == 0, "%.1f million a second: %.1f %% of packets of flows with %u",
			  floods[i].strangers / 1e6, 100 * part,
			  (u32)floods[i].steady);
	}
	tap_point("those who come once evict nobody who goes on");
}

int main(int argc, char **argv)
{
	unsigned long repeats = tap_repeats(argc, argv, 1000000);
	u32 i;

	tap_begin();
	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		play_everywhere(&scenarios[i]);
	far_apart();
	test_segments();
	entropy();
	all_only();
	may_be_a_step();
	steps_and_hashes();
	for (i = 0; i < ARRAY_SIZE(widths); i++)
		as_reference(widths[i], repeats);
	sets();
	victims();
	test_silence();
	test_strangers(200 * repeats);
	return tap_end();
}
