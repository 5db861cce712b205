/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Anchors of flows. A PSN starts anywhere and never restarts, while the
 * algorithm needs a packet's position in its flow's current step: an anchor
 * remembers with which PSN that step began.
 */
#ifndef _SYMPHONY_FLOW_H
#define _SYMPHONY_FLOW_H

#include "symphony_algo.h"
#include "symphony_pkt.h"

#define SYMPHONY_FLOW_WAYS	4	/* a set fills a cache line */

/* PSNs are compared by their low bits: no step has half as many packets. */
#define SYMPHONY_PSN_BITS	24
#define SYMPHONY_PSN_MASK	((1U << SYMPHONY_PSN_BITS) - 1)

/*
 * So many packets may be lost or overtaken between two that follow each other;
 * a FIRST that is further away begins something else.
 */
#define SYMPHONY_FLOW_REACH	1024

/* The stamp counts ticks of 2^14 ns and wraps after 73 minutes. */
#define SYMPHONY_FLOW_TICK	14
#define SYMPHONY_STAMP_BITS	28
#define SYMPHONY_STAMP_MASK	((1U << SYMPHONY_STAMP_BITS) - 1)

/* So many ticks, a second, may the clocks of owners differ. */
#define SYMPHONY_FLOW_SKEW	0x10000U

/* For so many ticks, four seconds, an anchor in use is worth keeping. */
#define SYMPHONY_FLOW_KEEP	0x40000U

/* A message that has more packets than this so far has no begin to go back to. */
#define SYMPHONY_SINCE_MAX	15

/* ONLYs of one step, one after the other, that show how the sender works. */
#define SYMPHONY_ONLY_ALL	3

/*
 * Doubts whether a number is a step, and what raises them: a message that ends
 * with the number that it began with, the same beside a queue pair that has
 * another, a number that is no later one nearby. Such a one puts an end to them.
 */
#define SYMPHONY_DOUBT_MAX	15
#define SYMPHONY_DOUBT_SAME	1
#define SYMPHONY_DOUBT_APART	2
#define SYMPHONY_DOUBT_WILD	4
#define SYMPHONY_STEP_NEAR	64

/* No step has more packets, if each is a message of its own. */
#define SYMPHONY_ONLY_STEP_MAX	65536

enum symphony_flow_state {
	SYMPHONY_FLOW_EMPTY,	/* the entry is free */
	SYMPHONY_FLOW_BLIND,	/* the step's first packet was not seen */
	SYMPHONY_FLOW_OPEN,	/* the step began amid a message, as it seems */
	SYMPHONY_FLOW_ANCHORED,	/* ::base is where the step began */
};

/**
 * struct symphony_flow - what is known of one flow
 * @tag: bits of the flow's hash that its place in the table does not tell
 * @next: PSN that follows the furthest one seen of @step
 * @step: the flow's current step
 * @base: PSN of the first packet of @step; without an anchor the lowest seen
 * @stamp: time of last use, in ticks
 * @doubt: whether the number taken for a step is one, %SYMPHONY_DOUBT_MAX = no;
 *	with step count another thing, see symphony_count.h
 * @since: packets from the message's first to the one before @next, none of
 *	them missed; 0 if that is unknown or more than %SYMPHONY_SINCE_MAX; with
 *	step count another thing
 * @only: ONLYs one after the other in @step; %SYMPHONY_ONLY_ALL, which stays
 *	until another packet, means that the sender has nothing else
 * @state: &enum symphony_flow_state
 */
struct symphony_flow {
	u64 tag		: 24;
	u64 next	: SYMPHONY_PSN_BITS;
	u64 step	: 16;

	u64 base	: SYMPHONY_PSN_BITS;
	u64 stamp	: SYMPHONY_STAMP_BITS;
	u64 doubt	: 4;
	u64 since	: 4;
	u64 only	: 2;
	u64 state	: 2;
};

/* struct symphony_spot::flags */
#define SYMPHONY_SPOT_MOVED	0x01	/* the flow's earlier step has ended */
#define SYMPHONY_SPOT_LAST	0x02	/* ends its step, as SYMPHONY_PKT_LAST */
#define SYMPHONY_SPOT_ONLY	0x04	/* by the step's number alone */
#define SYMPHONY_SPOT_ENTROPY	0x08	/* what was taken for a step is none */
#define SYMPHONY_SPOT_SHOWN	0x10	/* its flow's number went on as a step does */
#define SYMPHONY_SPOT_WILD	0x20	/* ... jumped as no step does */
#define SYMPHONY_SPOT_DOUBTED	0x40	/* ... has outlasted a message, or jumped */

/**
 * struct symphony_spot - where a packet is in its job
 * @position: 1 for the step's first packet, and so on, at most
 *	%SYMPHONY_POSITION_MAX; 0 if it is unknown
 * @step: its step
 * @flags: SYMPHONY_SPOT_*
 */
struct symphony_spot {
	u32 position;
	u16 step;
	u8 flags;
};

static inline u32 symphony_flow_now(u64 ns)
{
	return ns >> SYMPHONY_FLOW_TICK & SYMPHONY_STAMP_MASK;
}

/**
 * symphony_flow_silence() - after which silence an anchor is dead
 * @idle: ns after which a job is idle
 *
 * Return: ticks, for symphony_flow_find(); at most half the wrap of the stamp.
 */
static inline u32 symphony_flow_silence(u64 idle)
{
	u64 ticks = idle >> SYMPHONY_FLOW_TICK;

	return ticks < SYMPHONY_STAMP_MASK / 2 ? ticks : SYMPHONY_STAMP_MASK / 2;
}

/* Ticks since the last use, and SYMPHONY_FLOW_SKEW: owners' clocks differ. */
static inline u32 symphony_flow_age(const struct symphony_flow *f, u32 now)
{
	return (now + SYMPHONY_FLOW_SKEW - f->stamp) & SYMPHONY_STAMP_MASK;
}

/* Packets of the step up to the furthest one seen. */
static inline u32 symphony_flow_seen(const struct symphony_flow *f)
{
	return (f->next - f->base) & SYMPHONY_PSN_MASK;
}

/* How readily an entry is given to another flow. */
static inline u32 symphony_flow_rank(const struct symphony_flow *f, u32 now)
{
	u32 age = symphony_flow_age(f, now);

	if (f->state == SYMPHONY_FLOW_EMPTY)
		return ~0U;
	/* one packet makes an anchor, but no flow: strangers come and go */
	if (f->state == SYMPHONY_FLOW_ANCHORED && symphony_flow_seen(f) > 1 &&
	    age < SYMPHONY_FLOW_SKEW + SYMPHONY_FLOW_KEEP)
		return age;
	return age + SYMPHONY_STAMP_MASK;
}

static noinline struct symphony_flow *
symphony_flow_replace(struct symphony_flow set[SYMPHONY_FLOW_WAYS], u32 tag,
		      u32 now, bool *replaced)
{
	struct symphony_flow *victim = set;
	u32 highest = 0;
	u32 i;

	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		u32 rank = symphony_flow_rank(&set[i], now);

		if (rank > highest) {
			highest = rank;
			victim = &set[i];
		}
	}
	if (victim->state != SYMPHONY_FLOW_EMPTY)
		*replaced = true;
	victim->tag = tag;
	victim->state = SYMPHONY_FLOW_EMPTY;
	victim->stamp = now;
	return victim;
}

/* Use an entry again; that of a flow that was silent for too long is empty. */
static inline void symphony_flow_touch(struct symphony_flow *f, u32 now,
				       u32 silence)
{
	if (unlikely(symphony_flow_age(f, now) >= silence + SYMPHONY_FLOW_SKEW))
		f->state = SYMPHONY_FLOW_EMPTY;
	f->stamp = now;
}

/**
 * symphony_flow_find() - a flow's entry in its set
 * @set: the set
 * @tag: the flow's tag, 24 bits
 * @now: current time, symphony_flow_now()
 * @replaced: set to true if another flow lost its entry, else left alone
 *
 * The owner serialises access. A packet that is %SYMPHONY_PKT_RESENT has no
 * position and is better not looked up.
 *
 * Return: the flow's entry, for symphony_flow_touch() if its stamp is another
 * than @now; without one an empty entry, or the one that is least worth keeping,
 * emptied for this flow: those without anchor and those of a single packet
 * first, of them the one out of use for the longest time. Never NULL.
 */
static inline struct symphony_flow *
symphony_flow_find(struct symphony_flow set[SYMPHONY_FLOW_WAYS], u32 tag,
		   u32 now, bool *replaced)
{
	u32 i;

	for (i = 0; i < SYMPHONY_FLOW_WAYS; i++) {
		struct symphony_flow *f = &set[i];

		if (f->tag == tag && likely(f->state))
			return f;
	}
	return symphony_flow_replace(set, tag, now, replaced);
}

/**
 * enum symphony_psn_order - a PSN beside those seen of the flow's step
 * @SYMPHONY_PSN_BEFORE: before the base
 * @SYMPHONY_PSN_AMONG: seen, or among those
 * @SYMPHONY_PSN_FOLLOWS: behind the furthest, and not far from it
 * @SYMPHONY_PSN_BEYOND: further than that
 */
enum symphony_psn_order {
	SYMPHONY_PSN_BEFORE,
	SYMPHONY_PSN_AMONG,
	SYMPHONY_PSN_FOLLOWS,
	SYMPHONY_PSN_BEYOND,
};

/**
 * struct symphony_arrival - a packet as its flow sees it
 * @psn: its first PSN, %SYMPHONY_PSN_BITS of it
 * @span: PSNs from that to its last one
 * @step: the number on it
 * @first: whether it begins a message
 * @last: whether it ends one
 * @order: what its PSN is to its flow
 */
struct symphony_arrival {
	u32 psn;
	u32 span;
	u16 step;
	bool first;
	bool last;
	enum symphony_psn_order order;
};

static inline enum symphony_psn_order
symphony_flow_order(const struct symphony_flow *f, u32 psn)
{
	u32 ahead = (psn - f->next) & SYMPHONY_PSN_MASK;

	if (ahead <= SYMPHONY_PSN_MASK / 2)
		return ahead < SYMPHONY_FLOW_REACH ? SYMPHONY_PSN_FOLLOWS :
						     SYMPHONY_PSN_BEYOND;
	if (((psn - f->base) & SYMPHONY_PSN_MASK) < symphony_flow_seen(f))
		return SYMPHONY_PSN_AMONG;
	return SYMPHONY_PSN_BEFORE;
}

/* A packet that is further than all seen of the step. Return: its position. */
static inline u32 symphony_flow_advance(struct symphony_flow *f, u32 psn,
					u32 span)
{
	u32 position = symphony_flow_seen(f) +
		       ((psn - f->next) & SYMPHONY_PSN_MASK) + 1 + span;

	f->next = psn + span + 1;
	if (unlikely(position > SYMPHONY_POSITION_MAX)) {
		position = SYMPHONY_POSITION_MAX;
		f->base = f->next - position;
	}
	return f->state == SYMPHONY_FLOW_ANCHORED ? position : 0;
}

/* The flow's step begins with this packet, or with one that was not seen. */
static inline u32 symphony_flow_begin(struct symphony_flow *f,
				      const struct symphony_arrival *a,
				      enum symphony_flow_state state)
{
	f->step = a->step;
	f->base = a->psn;
	f->next = a->psn;
	f->state = state;
	return symphony_flow_advance(f, a->psn, a->span);
}

static inline u32 symphony_flow_anchor(struct symphony_flow *f,
				       const struct symphony_arrival *a)
{
	return symphony_flow_begin(f, a, SYMPHONY_FLOW_ANCHORED);
}

/* Whether a packet that says SYN is not of the PDC that the entry knows. */
static inline bool symphony_flow_reopened(const struct symphony_arrival *a)
{
	if (a->order == SYMPHONY_PSN_AMONG)
		return a->first;
	return a->order != SYMPHONY_PSN_FOLLOWS;
}

/* Does every packet say that it is the only one of its message? */
static inline void symphony_flow_note_only(struct symphony_flow *f,
					   const struct symphony_arrival *a)
{
	if (!a->first || !a->last)
		f->only = 0;
	/* a GSO packet may be one message or many */
	else if (a->span || a->order < SYMPHONY_PSN_FOLLOWS ||
		 f->only == SYMPHONY_ONLY_ALL)
		return;
	else if (f->step == a->step)
		f->only++;
	else
		f->only = 1;
}

static inline void symphony_flow_doubt(struct symphony_flow *f, u32 more)
{
	f->doubt = f->doubt + more < SYMPHONY_DOUBT_MAX ? f->doubt + more :
							  SYMPHONY_DOUBT_MAX;
}

/*
 * Does the number move as a step does? With a message that begins, or soon after its
 * first packet, or amid the one before: a hash of the queue pair does not.
 */
static inline u8 symphony_flow_note_move(struct symphony_flow *f,
					 const struct symphony_arrival *a,
					 u32 step_bits)
{
	u32 forward = (a->step - f->step) & ((1U << step_bits) - 1);
	bool moves;

	if (a->order < SYMPHONY_PSN_FOLLOWS ||
	    (!forward && f->state != SYMPHONY_FLOW_OPEN))
		return 0;
	if (forward > SYMPHONY_STEP_NEAR) {
		symphony_flow_doubt(f, SYMPHONY_DOUBT_WILD);
		return SYMPHONY_SPOT_WILD;
	}
	moves = a->first || (forward && f->since && a->psn == f->next && !a->last);
	if (!moves)
		return 0;
	f->doubt = 0;
	return a->order == SYMPHONY_PSN_FOLLOWS ? SYMPHONY_SPOT_SHOWN : 0;
}

static inline u32 symphony_flow_same_step(struct symphony_flow *f,
					  const struct symphony_arrival *a,
					  struct symphony_spot *place)
{
	bool anchored = f->state == SYMPHONY_FLOW_ANCHORED;

	/* the message began before the step did */
	if (f->state == SYMPHONY_FLOW_OPEN && a->last && !a->first)
		place->step--;

	switch (a->order) {
	case SYMPHONY_PSN_BEFORE:
		if (a->first)
			return symphony_flow_anchor(f, a);
		if (anchored)
			return 0;
		/* far before, it is of something else */
		if (((f->base - a->psn) & SYMPHONY_PSN_MASK) >
		    SYMPHONY_FLOW_REACH)
			return symphony_flow_begin(f, a, SYMPHONY_FLOW_BLIND);
		f->base = a->psn;
		return 0;
	case SYMPHONY_PSN_AMONG:
		if (anchored)
			return ((a->psn - f->base) & SYMPHONY_PSN_MASK) + 1 +
			       a->span;
		if (a->first && a->psn == f->base)
			return symphony_flow_anchor(f, a);
		return 0;
	case SYMPHONY_PSN_FOLLOWS:
		/* nothing of the step was missed that could have been its first */
		if (a->first && f->state == SYMPHONY_FLOW_OPEN)
			return symphony_flow_anchor(f, a);
		break;
	case SYMPHONY_PSN_BEYOND:
		if (a->first)
			return symphony_flow_anchor(f, a);
		break;
	}
	return symphony_flow_advance(f, a->psn, a->span);
}

/* Amid a message a packet of a later step than the one before it. */
static inline u32 symphony_flow_amid(struct symphony_flow *f,
				     const struct symphony_arrival *a,
				     struct symphony_spot *place)
{
	u32 since = f->since;

	if (a->psn != f->next)
		return symphony_flow_begin(f, a, SYMPHONY_FLOW_BLIND);
	/* the end of a message is of the step with which the message began */
	if (a->last) {
		place->step = f->step;
		return symphony_flow_advance(f, a->psn, a->span);
	}
	/* it has just begun: the first packets were late to bear the number */
	if (since) {
		f->step = a->step;
		f->base = f->next - since;
		f->state = SYMPHONY_FLOW_ANCHORED;
		return symphony_flow_advance(f, a->psn, a->span);
	}
	return symphony_flow_begin(f, a, SYMPHONY_FLOW_OPEN);
}

static inline u32 symphony_flow_other_step(struct symphony_flow *f,
					   const struct symphony_arrival *a,
					   u32 step_bits,
					   struct symphony_spot *place)
{
	bool later = symphony_step_diff(a->step, f->step, step_bits) > 0;

	if (!a->first)
		return later ? symphony_flow_amid(f, a, place) : 0;
	if (f->only == SYMPHONY_ONLY_ALL) {
		/* each is a first one, also those that were overtaken */
		if (!later && a->order == SYMPHONY_PSN_BEFORE)
			return 0;
		if (later)
			place->flags |= SYMPHONY_SPOT_MOVED;
	}
	return symphony_flow_anchor(f, a);
}

/* Packets since the message's first, this one among them; 0 if unknown. */
static inline u32 symphony_flow_since(const struct symphony_flow *f,
				      const struct symphony_arrival *a)
{
	u32 since = a->span + 1;

	if (!a->first) {
		if (!f->since || a->psn != f->next)
			return 0;
		since += f->since;
	}
	return since <= SYMPHONY_SINCE_MAX ? since : 0;
}

/* symphony_flow_place() of a packet that is not amid its message and step. */
static noinline struct symphony_spot
symphony_flow_place_slow(struct symphony_flow *f, const struct symphony_pkt *pkt,
			 u32 span, u32 step_bits, bool apart, bool all_only)
{
	u32 psn = pkt->psn & SYMPHONY_PSN_MASK;
	struct symphony_arrival a = {
		.psn = psn,
		.span = span,
		.step = pkt->step,
		.first = pkt->flags & SYMPHONY_PKT_FIRST,
		.last = pkt->flags & SYMPHONY_PKT_LAST,
		.order = symphony_flow_order(f, psn),
	};
	struct symphony_spot place = {
		.step = pkt->step,
		.flags = pkt->flags & SYMPHONY_PKT_LAST,
	};
	u32 since = symphony_flow_since(f, &a);
	bool says = a.order >= SYMPHONY_PSN_FOLLOWS;
	bool same = f->step == a.step;

	if (unlikely(pkt->flags & SYMPHONY_PKT_SYN) &&
	    symphony_flow_reopened(&a))
		f->state = SYMPHONY_FLOW_EMPTY;

	if (f->state == SYMPHONY_FLOW_EMPTY) {
		says = true;
		same = true;
		f->doubt = 0;
		f->only = a.first && a.last && !span ?
			  (all_only ? SYMPHONY_ONLY_ALL : 1) : 0;
		place.position = symphony_flow_begin(f, &a, a.first ?
						     SYMPHONY_FLOW_ANCHORED :
						     SYMPHONY_FLOW_BLIND);
	} else {
		symphony_flow_note_only(f, &a);
		says &= f->only != SYMPHONY_ONLY_ALL;
		if (says || !same)
			place.flags |= symphony_flow_note_move(f, &a, step_bits);
		if (same)
			place.position = symphony_flow_same_step(f, &a, &place);
		else
			place.position = symphony_flow_other_step(f, &a, step_bits,
								  &place);
	}
	if (f->next == ((psn + span + 1) & SYMPHONY_PSN_MASK))
		f->since = since;
	place.step &= (1U << step_bits) - 1;

	if (f->only == SYMPHONY_ONLY_ALL) {
		place.flags &= ~SYMPHONY_SPOT_LAST;
		place.flags |= SYMPHONY_SPOT_ONLY;
		if (place.position > SYMPHONY_ONLY_STEP_MAX)
			place.flags |= SYMPHONY_SPOT_ENTROPY;
	} else if (f->doubt) {
		place.flags |= SYMPHONY_SPOT_DOUBTED;
		if (f->doubt == SYMPHONY_DOUBT_MAX)
			place.flags |= SYMPHONY_SPOT_ENTROPY;
	}
	if (says && same && a.last)
		symphony_flow_doubt(f, apart ? SYMPHONY_DOUBT_APART :
					       SYMPHONY_DOUBT_SAME);
	return place;
}

/**
 * symphony_flow_place() - where a data packet is in its job
 * @f: entry of its flow
 * @pkt: the packet, with %SYMPHONY_PKT_STEP set and not %SYMPHONY_PKT_RESENT
 * @span: PSNs from its first to its last, 0 unless it is a GSO packet
 * @step_bits: width of the step, 1 to 16
 * @apart: whether the job's smallest step is another than the packet's
 * @all_only: whether other flows of the job have nothing but ONLYs
 *
 * "Before" and "later" are those of serial number arithmetic. FIRST is the
 * first packet of a message. A packet follows if its PSN is less than
 * %SYMPHONY_FLOW_REACH behind those seen.
 *
 * - No entry yet: FIRST anchors, its PSN is the base. Any other packet makes
 *   an entry without anchor that keeps the lowest PSN seen.
 * - Same step: FIRST before the base anchors there, it was resent or overtaken
 *   or is of something else; so does one beyond what follows, and a FIRST no
 *   later than all that is known of a step without anchor. One that follows
 *   changes nothing: the messages of a step share its base, and a flow whose
 *   first packet was missed has no anchor until its next step.
 * - Another step: FIRST always anchors, be the step later or earlier (a new
 *   run, go-back-N, a queue pair used again). Any other packet of an earlier
 *   step (the tail of go-back-N, reordering) leaves the entry alone. One of a
 *   later step makes an entry without anchor for it if packets were missed.
 *   If none were, the sender changed the number amid a message, which belongs
 *   to the step with which it began: a packet that ends it is of that step; one
 *   soon after its FIRST takes the message along into its step; and after any
 *   other the next FIRST of the step anchors.
 * - A PDC that is opened anew (SYN, and the PSN does not follow) has no entry.
 *
 * Senders whose packets are all ONLY, for the sake of placement out of order,
 * are told by %SYMPHONY_ONLY_ALL of them in a row in one step: what ends a step
 * is then only that the flow goes on to a later one.
 *
 * Return: the packet's position, that of its last segment; its step; whether it
 * ends that, or an earlier one has ended; and what speaks for and against that the
 * number on the wire is a step, see symphony_is_step().
 */
static __always_inline struct symphony_spot
symphony_flow_place(struct symphony_flow *f, const struct symphony_pkt *pkt,
		    u32 span, u32 step_bits, bool apart, bool all_only)
{
	u32 psn = pkt->psn & SYMPHONY_PSN_MASK;
	u8 unusual = SYMPHONY_PKT_FIRST | SYMPHONY_PKT_LAST | SYMPHONY_PKT_SYN;
	u32 ahead = (psn - f->next) & SYMPHONY_PSN_MASK;
	struct symphony_spot place = { .step = pkt->step };

	/* behind an ONLY ::since is 1 */
	if (unlikely(f->state != SYMPHONY_FLOW_ANCHORED ||
		     (f->since | f->doubt) || f->step != pkt->step ||
		     pkt->flags & unusual || ahead > SYMPHONY_PSN_MASK / 2))
		return symphony_flow_place_slow(f, pkt, span, step_bits, apart,
						all_only);
	place.position = symphony_flow_advance(f, psn, span);
	return place;
}

/**
 * symphony_note_shown() - what a flow has shown of its job's numbers
 * @st: state of the job
 * @place: what symphony_flow_place() says
 */
static inline void symphony_note_shown(struct symphony_state *st,
				       const struct symphony_spot *place)
{
	if (unlikely(place->flags &
		     (SYMPHONY_SPOT_SHOWN | SYMPHONY_SPOT_WILD)))
		st->shown = !!(place->flags & SYMPHONY_SPOT_SHOWN);
}

/**
 * symphony_is_step() - whether to mark a packet for its number
 * @st: state of its job
 * @place: where it is
 *
 * Once a flow of the job has gone on from one number to a later one with its next
 * message, the numbers are steps, which may have several messages. Until then a
 * source port may as well be a hash of the queue pair, and is taken for a step in the
 * flow's first message only: queue pairs of a single step have no more to show.
 *
 * Return: whether it may be marked.
 */
static inline bool symphony_is_step(const struct symphony_state *st,
				    const struct symphony_spot *place)
{
	return st->shown || !(place->flags & SYMPHONY_SPOT_DOUBTED);
}

#endif
