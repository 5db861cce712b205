// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that are counted: against senders that know how many messages they have
 * completed, whatever is lost on the way, and against the steps that the same
 * senders would write into their packets.
 */
#include <string.h>

#include "symphony_count.h"
#include "tap.h"

#define FIRST	SYMPHONY_PKT_FIRST
#define LAST	SYMPHONY_PKT_LAST
#define ONLY	(FIRST | LAST)
#define SYN	SYMPHONY_PKT_SYN
#define ENDS	0x1000000	/* the step, beside the position */

/* Single packets of one flow, by hand. */
struct arrival {
	s32 psn;
	u8 flags;
	s32 step;
	u32 position;
};

struct scenario {
	const char *name;
	u32 messages;
	struct arrival arrivals[20];	/* up to one of flags 0xff */
};

#define END	{ 0, 0xff, 0, 0 }

/* The job's smallest step is 0 and stays there. */
static const struct scenario scenarios[] = {
	{ "a message a step", 1, {
		{ 0, FIRST, 0, 1 }, { 1, 0, 0, 2 }, { 2, LAST, 0, 3 | ENDS },
		{ 3, FIRST, 1, 1 }, { 4, LAST, 1, 2 | ENDS },
		{ 5, ONLY, 2, 1 | ENDS }, { 6, ONLY, 3, 1 | ENDS },
		{ 7, FIRST, 4, 1 }, END } },
	{ "two messages a step", 2, {
		{ 0, FIRST, 0, 1 }, { 1, LAST, 0, 2 }, { 2, FIRST, 0, 3 },
		{ 3, LAST, 0, 4 | ENDS }, { 4, ONLY, 1, 1 },
		{ 5, ONLY, 1, 2 | ENDS }, { 6, FIRST, 2, 1 }, END } },
	{ "sixteen messages a step", 16, {
		{ 0, ONLY, 0, 1 }, { 1, ONLY, 0, 2 }, { 2, ONLY, 0, 3 },
		{ 3, ONLY, 0, 4 }, { 4, ONLY, 0, 5 }, { 5, ONLY, 0, 6 },
		{ 6, ONLY, 0, 7 }, { 7, ONLY, 0, 8 }, { 8, ONLY, 0, 9 },
		{ 9, ONLY, 0, 10 }, { 10, ONLY, 0, 11 }, { 11, ONLY, 0, 12 },
		{ 12, ONLY, 0, 13 }, { 13, ONLY, 0, 14 }, { 14, ONLY, 0, 15 },
		{ 15, ONLY, 0, 16 | ENDS }, { 16, ONLY, 1, 1 }, END } },
	{ "joined amid a message", 1, {
		{ 7, 0, 0, 0 }, { 8, 0, 0, 0 }, { 9, LAST, 0, ENDS },
		{ 10, FIRST, 1, 1 }, { 11, 0, 1, 2 }, END } },
	{ "joined at the end of one", 1, {
		{ 7, LAST, 0, ENDS }, { 8, 0, 1, 1 }, { 9, 0, 1, 2 }, END } },
	{ "joined out of order", 1, {
		{ 7, 0, 0, 0 }, { 5, 0, 0, 0 }, { 8, LAST, 0, ENDS },
		{ 9, FIRST, 1, 1 }, END } },
	{ "the first packet lost: it follows the last one before", 1, {
		{ 0, FIRST, 0, 1 }, { 1, LAST, 0, 2 | ENDS }, { 3, 0, 1, 2 },
		{ 4, LAST, 1, 3 | ENDS }, END } },
	{ "sent again", 1, {
		{ 0, FIRST, 0, 1 }, { 1, 0, 0, 2 }, { 2, LAST, 0, 3 | ENDS },
		{ 2, LAST, 0, 0 }, { 1, 0, 0, 0 }, { 2, LAST, 0, 0 },
		{ 3, FIRST, 1, 1 }, { 4, 0, 1, 2 }, { 3, FIRST, 1, 1 },
		{ 4, 0, 1, 2 }, { 5, LAST, 1, 3 | ENDS }, { 6, FIRST, 2, 1 },
		END } },
	{ "sent again, two messages a step", 2, {
		{ 0, FIRST, 0, 1 }, { 1, LAST, 0, 2 }, { 1, LAST, 0, 2 },
		{ 0, FIRST, 0, 1 }, { 1, LAST, 0, 2 }, { 2, ONLY, 0, 3 | ENDS },
		{ 1, LAST, 0, 0 }, { 2, ONLY, 0, 0 }, { 3, FIRST, 1, 1 }, END } },
	{ "the last packet lost and sent again with all behind it", 1, {
		{ 0, FIRST, 0, 1 }, { 1, 0, 0, 2 }, { 3, FIRST, 0, 4 },
		{ 4, 0, 0, 5 }, { 5, LAST, 0, 6 | ENDS },
		/* counted in advance; the one before it takes its place */
		{ 2, LAST, 0, 0 }, { 3, FIRST, 1, 0 }, { 4, 0, 1, 0 },
		{ 5, LAST, 1, ENDS }, { 6, FIRST, 2, 1 }, END } },
	{ "the same lost twice", 1, {
		{ 0, FIRST, 0, 1 }, { 2, FIRST, 0, 3 }, { 3, LAST, 0, 4 | ENDS },
		{ 2, FIRST, 0, 0 }, { 3, LAST, 0, 0 },
		{ 1, LAST, 0, 0 }, { 2, FIRST, 1, 0 }, { 3, LAST, 1, ENDS },
		{ 4, FIRST, 2, 1 }, END } },
	{ "many messages behind a gap", 1, {
		{ 0, ONLY, 0, 1 | ENDS }, { 2, ONLY, 1, 2 | ENDS },
		{ 3, ONLY, 2, 1 | ENDS }, { 4, ONLY, 3, 1 | ENDS },
		{ 1, ONLY, 1, 0 }, { 2, ONLY, 2, 0 }, { 3, ONLY, 3, 0 },
		{ 4, ONLY, 4, ENDS }, { 5, ONLY, 5, 1 | ENDS }, END } },
	{ "the same of two a step, which waits", 2, {
		{ 0, ONLY, 0, 1 }, { 2, ONLY, 0, 3 }, { 3, ONLY, 0, 4 },
		{ 1, ONLY, 0, 2 | ENDS }, { 2, ONLY, 1, 1 },
		{ 3, ONLY, 1, 2 | ENDS }, { 4, ONLY, 2, 1 }, END } },
	{ "a gap that was filled is forgotten", 2, {
		{ 0, ONLY, 0, 1 }, { 2, ONLY, 0, 3 }, { 1, ONLY, 0, 2 | ENDS },
		{ 2, ONLY, 1, 1 }, { 1027, 0, 1, 1026 }, END } },
	{ "far before where it joined", 1, {
		{ 5000, 0, 0, 0 }, { 3976, 0, 0, 0 }, { 2951, 0, -1, 0 },
		{ 5001, LAST, 0, ENDS }, END } },
	{ "the same, given up", 2, {
		{ 0, ONLY, 0, 1 }, { 2, ONLY, 0, 3 }, { 3, ONLY, 0, 4 },
		{ 1025, 0, 1, 0 }, { 1026, LAST, 1, ENDS }, { 1027, ONLY, 2, 1 },
		END } },
	{ "a gap that nothing fills ends at some time", 1, {
		{ 0, FIRST, 0, 1 }, { 2, LAST, 0, 3 | ENDS },
		{ 1024, 0, 1, 1022 }, { 1025, 0, 1, 1023 }, { 1, 0, 0, 0 },
		{ 1026, LAST, 1, 1024 | ENDS }, { 1027, ONLY, 2, 1 | ENDS },
		END } },
	{ "a queue pair used again, further on", 1, {
		{ 0, ONLY, 0, 1 | ENDS }, { 1, ONLY, 1, 1 | ENDS },
		{ 1026, FIRST, 0, 1 }, { 1027, 0, 0, 2 }, END } },
	{ "not yet", 1, {
		{ 0, ONLY, 0, 1 | ENDS }, { 1, ONLY, 1, 1 | ENDS },
		{ 1025, FIRST, 2, 1024 }, { 2, FIRST, 2, 1 }, END } },
	{ "used again before", 1, {
		{ 70000, ONLY, 0, 1 | ENDS }, { 70001, ONLY, 1, 1 | ENDS },
		{ 4465, FIRST, 0, 1 }, { 4466, 0, 0, 2 }, END } },
	{ "sent again from as far back as can be", 1, {
		{ 70000, ONLY, 0, 1 | ENDS }, { 70001, ONLY, 1, 1 | ENDS },
		{ 4466, FIRST, 1, 0 }, { 70002, ONLY, 2, 1 | ENDS }, END } },
	{ "a PDC opened anew", 1, {
		{ 0, ONLY | SYN, 0, 1 | ENDS }, { 1, ONLY | SYN, 1, 1 | ENDS },
		{ 9000, SYN, 0, 0 }, { 9001, LAST | SYN, 0, ENDS },
		{ 9002, ONLY, 1, 1 | ENDS }, END } },
};

static struct symphony_spot place(struct symphony_flow *f, u32 psn, u8 flags,
				  u32 messages, u16 low)
{
	struct symphony_pkt pkt = { .psn = psn, .flags = flags };

	return symphony_count_place(f, &pkt, 0, messages, low);
}

static void play(const struct scenario *s, u16 low, u32 psn)
{
	struct symphony_flow f = { 0 };
	u32 i;

	for (i = 0; s->arrivals[i].flags != 0xff; i++) {
		const struct arrival *a = &s->arrivals[i];
		u8 ends = a->position & ENDS ? SYMPHONY_SPOT_LAST : 0;
		u16 step = low + a->step;
		struct symphony_spot p;

		p = place(&f, psn + a->psn, a->flags, s->messages, low);
		tap_check(p.step == step && p.flags == ends &&
			  p.position == (a->position & ~ENDS),
			  "arrival %u, PSN %d from %#x: step %d, position %u, flags %#x",
			  i, a->psn, psn, (s32)(p.step - low), p.position,
			  p.flags);
	}
}

static void play_everywhere(const struct scenario *s)
{
	u32 psn, step;

	for (step = 0; step < 4; step++)
		for (psn = 0; psn < 24; psn++) {
			play(s, -step, -psn);
			play(s, step, 0x800000 - psn);
			play(s, 0x8000 - step, 0x7ffffff8 + psn);
		}
	tap_point(s->name);
}

static void test_segments(void)
{
	struct symphony_pkt pkt = { .psn = 10, .flags = FIRST };
	struct symphony_flow f = { 0 };
	struct symphony_spot p;

	p = symphony_count_place(&f, &pkt, 4, 1, 0);
	tap_check(p.position == 5 && !p.step, "first: %u", p.position);
	pkt = (struct symphony_pkt) { .psn = 15, .flags = LAST };
	p = symphony_count_place(&f, &pkt, 4, 1, 0);
	tap_check(p.position == 10 && p.flags, "last: %u", p.position);
	p = symphony_count_place(&f, &pkt, 4, 1, 0);
	tap_check(!p.position && !p.flags, "again: %u", p.position);
	pkt = (struct symphony_pkt) { .psn = 20, .flags = ONLY };
	p = symphony_count_place(&f, &pkt, 9, 1, 0);
	tap_check(p.position == 10 && p.flags && p.step == 1, "only: %u",
		  p.position);
	/* half of it is new */
	pkt = (struct symphony_pkt) { .psn = 25, .flags = 0 };
	symphony_count_place(&f, &pkt, 9, 1, 0);
	pkt = (struct symphony_pkt) { .psn = 35, .flags = 0 };
	p = symphony_count_place(&f, &pkt, 4, 1, 0);
	tap_check(p.position == 10 && p.step == 2, "behind: %u", p.position);
	tap_check(f.next == 40, "next is %u", f.next);
	tap_point("many segments in one packet");
}

static void joining(void)
{
	struct symphony_flow f = { 0 };
	struct symphony_spot p;

	p = place(&f, 0, FIRST, 1, 11);
	tap_check(p.step == 11, "joins at %u", p.step);
	p = place(&f, 1, 0, 1, 3);
	tap_check(p.step == 3 && p.position == 2, "goes down to %u", p.step);
	p = place(&f, 2, 0, 1, 7);
	tap_check(p.step == 3, "comes up to %u", p.step);
	p = place(&f, 3, LAST, 1, 3);
	tap_check(p.step == 3 && p.flags, "ends %u", p.step);
	p = place(&f, 4, FIRST, 1, 2);
	tap_check(p.step == 4, "its second message is of %u", p.step);
	p = place(&f, 5, 0, 1, 2);
	tap_check(p.step == 4, "and stays of %u", p.step);

	/* across the wrap */
	memset(&f, 0, sizeof(f));
	place(&f, 0, FIRST, 1, 2);
	p = place(&f, 1, 0, 1, 0xfffe);
	tap_check(p.step == 0xfffe, "goes down to %#x", p.step);
	p = place(&f, 2, 0, 1, 1);
	tap_check(p.step == 0xfffe, "comes up to %#x", p.step);
	tap_point("who joins goes down with the smallest step");
}

#define SILENCE	symphony_flow_silence(60000000000ULL)

static void test_runs(void)
{
	u32 mask = SYMPHONY_STAMP_MASK, start, max = SYMPHONY_RUN_MAX;
	struct symphony_spot p;

	for (start = 0; start < 8; start++) {
		u32 begun = (start * (mask / 8) - 4) & mask;
		struct symphony_flow f = { .stamp = begun };

		/* known from before: late, not new */
		place(&f, 0, ONLY, 1, 0);
		place(&f, 1, ONLY, 1, 0);
		symphony_count_touch(&f, (begun + 10) & mask, SILENCE,
				     (begun + 5) & mask);
		p = place(&f, 2, FIRST, 1, 9);
		tap_check(p.step == 0 && p.position == 1, "known: step %u",
			  p.step);
		p = place(&f, 3, 0, 1, 0xfff0);
		tap_check(p.step == 0, "goes on with step %u", p.step);
		/* of this run */
		symphony_count_touch(&f, (begun + 1000000) & mask, SILENCE,
				     (begun + 5) & mask);
		p = place(&f, 4, LAST, 1, 9);
		tap_check(p.step == 0 && p.flags, "later: step %u", p.step);
		tap_check(f.stamp == ((begun + 1000000) & mask), "stamp");
		/* the same amid a message */
		symphony_count_touch(&f, (begun + 2000000) & mask, SILENCE,
				     (begun + 1000001) & mask);
		p = place(&f, 5, 0, 1, 9);
		tap_check(p.step == 0 && !p.position, "amid one: step %u",
			  p.step);
		/* silent: forgotten, and new */
		symphony_count_touch(&f, (begun + 6000000) & mask, SILENCE,
				     begun);
		p = place(&f, 6, 0, 1, 9);
		tap_check(p.step == 9, "forgotten: step %u", p.step);
		symphony_count_touch(&f, (begun + 7000000 + max) & mask,
				     symphony_flow_silence(~0ULL),
				     (begun + 7000000) & mask);
		p = place(&f, 7, 0, 1, 9);
		tap_check(p.step == 9, "long forgotten: step %u", p.step);

		tap_check(symphony_count_begun(begun, begun) == begun &&
			  symphony_count_begun(begun, (begun + max) & mask) ==
			  begun, "began too late");
		tap_check(symphony_count_begun(begun, (begun + max + 1) & mask) ==
			  ((begun + 1) & mask), "began too early");
	}
	/* a free entry stays free */
	{
		struct symphony_flow f = { .stamp = 5 };

		symphony_count_touch(&f, 20, SILENCE, 10);
		tap_check(!f.state, "an empty entry is of an old run");
	}
	tap_point("runs of a job");
}

/*
 * A sender of messages of one size over a path that loses packets before the
 * router and behind it, with go-back-N: packets in flight when one is lost are
 * sent again.
 */
struct sender {
	struct symphony_flow flow;
	s64 psn;		/* next to be sent */
	s64 expected;		/* by the receiver */
	s64 start;		/* PSN of its first packet */
	u32 size;		/* packets a message */
	u32 flight;		/* packets on the way when a loss is noticed */
	u32 noticed;		/* packets until then, 0 = nothing lost */
	bool missed;		/* something never came to the router */
	s64 seen;		/* furthest that did, and one more */
	s64 gaps;		/* end of what was sent while something missed */
};

struct packet {
	bool router;		/* it came that far */
	s64 psn;
	u8 flags;
};

static struct packet send(struct sender *s, u64 *rnd, u32 loss)
{
	bool upstream = loss && random_once_in(rnd, loss);
	bool downstream = loss && random_once_in(rnd, loss);
	s64 psn = s->psn++;
	s64 in_message = (psn - s->start) % s->size;
	struct packet p = { !upstream, psn, 0 };

	if (!in_message)
		p.flags |= FIRST;
	if (in_message == s->size - 1)
		p.flags |= LAST;
	if (!upstream && !downstream && psn == s->expected)
		s->expected++;
	else if (psn >= s->expected && !s->noticed)
		s->noticed = s->flight;
	if (s->noticed && !--s->noticed)
		s->psn = s->expected;
	if (!upstream && psn == s->seen)
		s->seen++;
	return p;
}

/* Nothing is missing, here nor there. */
static bool settled(const struct sender *s)
{
	return s->psn == s->expected && s->seen == s->expected;
}

static s64 completed(const struct sender *s, s64 psn, u32 messages)
{
	return (psn - s->start) / s->size / messages;
}

static struct sender new_sender(u32 size, u32 flight)
{
	/* a little below the wrap */
	s64 psn = (1LL << 40) + 0xff0000 - size;

	return (struct sender) {
		.start = psn, .psn = psn, .expected = psn, .seen = psn,
		.size = size, .flight = flight,
	};
}

/*
 * The sender's next packet: the count must be right where nothing is missing.
 * Adds to @checks if it looked, to @known if the position was known.
 */
static void count_packet(struct sender *s, u32 messages, u32 loss, u64 *rnd, unsigned long n,
			 unsigned long *checks, unsigned long *known)
{
	bool was_settled = settled(s);
	struct packet p = send(s, rnd, loss);
	s64 step = completed(s, p.psn, messages);
	struct symphony_spot spot;

	if (!p.router)
		return;
	spot = place(&s->flow, p.psn, p.flags, messages, 0);
	if (!was_settled || p.psn + 1 != s->seen)
		return;
	(*checks)++;
	tap_check(spot.step == (u16)step,
		  "packet %lu of %u a message, %u a step: step %u, not %lld",
		  n, s->size, messages, spot.step, (long long)step);
	/* unknown only where it was counted before, behind a gap */
	*known += !!spot.position;
	tap_check(!spot.position || spot.position ==
		  (p.psn - s->start) % ((s64)s->size * messages) + 1,
		  "packet %lu: position %u", n, spot.position);
}

static void one_sender(u32 size, u32 messages, u32 loss, unsigned long packets)
{
	u64 rnd = size * 1000 + messages * 100 + loss;
	struct sender s = new_sender(size, 50);
	unsigned long n, checks = 0, known = 0;

	for (n = 0; n < packets; n++)
		count_packet(&s, messages, loss, &rnd, n, &checks, &known);
	tap_check(checks > packets / 8, "only %lu of %lu packets are settled",
		  checks, packets);
	tap_check(known > checks / 4 && (loss || known == checks),
		  "only %lu of %lu positions", known, checks);
}

static void senders(unsigned long repeats)
{
	static const u32 sizes[] = { 1, 2, 3, 16, 100, 1000 };
	static const u32 losses[] = { 0, 2000, 300 };
	char name[80];
	u32 i, j, m;

	for (j = 0; j < ARRAY_SIZE(losses); j++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			for (m = 1; m <= 4; m *= 2)
				one_sender(sizes[i], m, losses[j], repeats / 50);
		snprintf(name, sizeof(name),
			 losses[j] ? "a packet in %u lost on either side of the router" :
				     "nothing lost", losses[j]);
		tap_point(name);
	}
}

/*
 * A ring's senders through one port: each sends its next message when it may be
 * up to @ahead messages ahead of the slowest. The algorithm that counts must
 * find the smallest step of the one that reads it off the packets.
 */
#define QPS	8

struct ring {
	const char *name;
	u32 size;
	u32 messages;		/* a step */
	u32 ahead;
	u32 loss;
	bool ends;		/* queue pairs end and others come in their place */
};

static void play_ring(const struct ring *r, unsigned long packets)
{
	struct symphony_params p = {
		.k = 10000000, .tau = 250000000, .warmup = 8, .samples = 8,
		.alpha_max = 10, .step_bits = 16, .window = 100000,
	};
	struct symphony_state tags = { 0 }, counts = { 0 };
	struct sender s[QPS];
	unsigned long n, same = 0, alike = 0, seen = 0;
	u64 rnd = r->size, now = 1;
	bool known = false;
	s64 offset[QPS] = { 0 };
	u32 i;

	memset(s, 0, sizeof(s));
	for (i = 0; i < QPS; i++) {
		s[i].size = r->size;
		s[i].flight = 20;
		s[i].start = 1000000LL * (i + 16);
		s[i].psn = s[i].start;
		s[i].expected = s[i].start;
		s[i].seen = s[i].start;
	}
	for (n = 0; n < packets; n++, now += 800) {
		s64 slowest = 1LL << 62, step;
		struct symphony_spot spot;
		struct packet pkt;
		bool joins;

		for (i = 0; i < QPS; i++) {
			s64 done = completed(&s[i], s[i].seen, 1) + offset[i];

			slowest = done < slowest ? done : slowest;
		}
		/* the first messages of all begin at once, as in a ring */
		i = n < QPS ? n : random_below(&rnd, QPS);
		if (completed(&s[i], s[i].psn, 1) + offset[i] >
		    slowest + r->ahead)
			continue;
		if (r->ends && settled(&s[i]) && random_once_in(&rnd, 2000) &&
		    known) {
			/* another takes its place, at the smallest step */
			memset(&s[i].flow, 0, sizeof(s[i].flow));
			s[i].start = s[i].psn + 1000000;
			s[i].psn = s[i].start;
			s[i].expected = s[i].start;
			s[i].seen = s[i].start;
			offset[i] = (s64)tags.step_min * r->messages;
		}
		joins = s[i].seen < s[i].start + s[i].size;
		pkt = send(&s[i], &rnd, r->loss);
		if (!pkt.router)
			continue;
		if (known && joins && offset[i] >
		    (s64)tags.step_min * r->messages)
			offset[i] = (s64)tags.step_min * r->messages;
		spot = place(&s[i].flow, pkt.psn, pkt.flags, r->messages,
			     known ? counts.step_min : 0);
		step = (completed(&s[i], pkt.psn, 1) + offset[i]) / r->messages;
		if (!known) {
			symphony_state_init(&tags, &p, step, 1, now);
			symphony_state_init(&counts, &p, spot.step, 1, now);
			known = true;
		}
		/* a tag does not say which message of a step is its last */
		symphony_update(&tags, &p, step, 1, pkt.flags & LAST &&
				(completed(&s[i], pkt.psn + 1, 1) + offset[i]) %
				r->messages == 0, 1, now);
		symphony_update(&counts, &p, spot.step, 1, spot.flags, 1, now);
		seen++;
		same += tags.step_min == counts.step_min;
		alike += (u16)(step - tags.step_min) ==
			 (u16)(spot.step - counts.step_min);
	}
	tap_check(seen > packets / 4, "%lu packets", seen);
	/*
	 * Behind a gap the two may differ until it is filled; who joins just
	 * then takes the difference along, and those who join later with him.
	 * What matters is how far each is ahead.
	 */
	tap_check(r->loss ? alike > seen - seen / 50 : same == seen,
		  "of %lu packets %lu had the same smallest step, %lu were as far ahead",
		  seen, same, alike);
	tap_check(tags.step_min > 10, "the ring came to step %u only",
		  tags.step_min);
	tap_point(r->name);
}

int main(int argc, char **argv)
{
	static const struct ring rings[] = {
		{ "a ring, its steps as those on the wire", 64, 1, 3, 0, false },
		{ "the same of two messages a step", 64, 2, 3, 0, false },
		{ "the same of small messages", 3, 1, 5, 0, false },
		{ "packets lost", 64, 1, 3, 1000, false },
		{ "queue pairs that end, others that join", 64, 1, 3, 0, true },
		{ "all of that", 64, 2, 3, 3000, true },
	};
	unsigned long repeats = tap_repeats(argc, argv, 1000000);
	u32 i;

	tap_begin();
	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		play_everywhere(&scenarios[i]);
	test_segments();
	joining();
	test_runs();
	senders(repeats);
	for (i = 0; i < ARRAY_SIZE(rings); i++)
		play_ring(&rings[i], repeats);
	return tap_end();
}
