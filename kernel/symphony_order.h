/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of service of queue order: who is next, and who is dropped.
 *
 * Members share the link by deficit round robin over bytes: one for each
 * backlogged job, one for traffic of no job or no step, a few for jobs that
 * find no member of their own. One more, for packets without data, goes first
 * as long as it stays within its share.
 *
 * A job's packets wait in a FIFO for each step, and the smallest step goes
 * first, until the oldest of the heads has waited for longer than patience:
 * then that one does. A FIFO never overtakes an older head of another, so that
 * a queue pair which carries one step after the other is not reordered.
 *
 * A sender that has a step and the next one under way serves them in turn, and both
 * end late: the next one waits here while packets of the earlier one keep coming, even
 * if the link has nothing else to send, until the earlier one ends or is silent for
 * hold. The receiver then goes on with one at a time. A step further ahead is another
 * collective's, or will meet the others again, and does not wait.
 *
 * A job with more steps than FIFOs has the furthest share one: the two last
 * FIFOs are joined, the earlier step's packets ahead of the later one's.
 *
 * Nothing here allocates, takes a lock or reads a clock. It compiles in user
 * space after a header that provides struct sk_buff with next and prev,
 * struct qdisc_skb_cb, qdisc_skb_cb() and qdisc_pkt_len().
 */
#ifndef _SYMPHONY_ORDER_H
#define _SYMPHONY_ORDER_H

#include "symphony_algo.h"
#include "symphony_cb.h"
#include "symphony_loss.h"

#define SYMPHONY_NONE		0xffff	/* end of a list of members or FIFOs */

/* Members that are always there, then those of jobs. */
#define SYMPHONY_MEMBER_CONTROL	0
#define SYMPHONY_MEMBER_OTHER	1
#define SYMPHONY_MEMBER_SPILL	2	/* the first of SYMPHONY_SPILLS */
#define SYMPHONY_SPILLS		8
#define SYMPHONY_MEMBER_JOBS	(SYMPHONY_MEMBER_SPILL + SYMPHONY_SPILLS)

/* Jobs that may be backlogged with a member of their own. */
#define SYMPHONY_ORDER_JOBS	1024
#define SYMPHONY_MEMBERS	(SYMPHONY_MEMBER_JOBS + SYMPHONY_ORDER_JOBS)
#define SYMPHONY_BUCKET_BITS	11

/* FIFOs of one job, and those beyond the first of each member. */
#define SYMPHONY_FIFOS_JOB	32
#define SYMPHONY_FIFOS_MORE	4096
#define SYMPHONY_FIFOS		(SYMPHONY_MEMBERS + SYMPHONY_FIFOS_MORE)

/* Senders whose steps under way are known. */
#define SYMPHONY_SENDER_BITS	10

/* Control has one byte for 2^3 of others, and this many at once. */
#define SYMPHONY_CONTROL_SHIFT	3
#define SYMPHONY_CONTROL_BURST	65536

/*
 * A packet is paid for as so many bytes at most, more than any is on a link: tc's size
 * table can make it 2^31, which would take a million turns with the lock held.
 */
#define SYMPHONY_CHARGE_MAX	0x80000

/* So many drops may follow one look for the longest member. */
#define SYMPHONY_VICTIM_KEPT	16

/* Packets that a drop passes over in search of one that is sooner repeated. */
#define SYMPHONY_SPARED		15

/**
 * struct symphony_fifo - packets of one step, or of a range of steps
 * @head: the next to go, linked by skb->next
 * @tail: the last, linked by skb->prev
 * @bytes: their bytes
 * @since: arrival of @head, ticks
 * @first: smallest step that belongs here
 * @last: largest step that belongs here
 * @next: FIFO of the next larger steps; the free list
 * @prev: FIFO of the next smaller steps
 */
struct symphony_fifo {
	struct sk_buff *head;
	struct sk_buff *tail;
	u32 bytes;
	u32 since;
	u16 first;
	u16 last;
	u16 next;
	u16 prev;
};

/**
 * struct symphony_member - who takes turns
 * @job: the job's number
 * @packets: packets that wait
 * @bytes: their bytes
 * @deficit: bytes that it may still send in this round
 * @first: FIFO of the smallest step
 * @last: FIFO of the largest
 * @hint: FIFO of the last packet that came
 * @oldest: FIFO with the oldest head, the one of smaller steps if several
 * @nr_fifos: its FIFOs
 * @next: in the list of those in turn; the free list
 * @link: in the hash chain
 * @active: whether it is in the list of those in turn
 */
struct symphony_member {
	u32 job;
	u32 packets;
	u32 bytes;
	s32 deficit;
	u16 first;
	u16 last;
	u16 hint;
	u16 oldest;
	u16 nr_fifos;
	u16 next;
	u16 link;
	bool active;
};

/**
 * struct symphony_sender - who sends a job's packets to whom
 * @key: symphony_sender_key(), 0 if @step has ended
 * @seen: arrival of the last packet of @step, ticks
 * @step: its smallest step under way
 * @brisk: whether its last two packets came within twice
 *	&symphony_order.hold of each other
 */
struct symphony_sender {
	u64 key;
	u32 seen;
	u16 step;
	bool brisk;
};

/**
 * struct symphony_order - all that waits
 * @members: %SYMPHONY_MEMBERS of them
 * @fifos: %SYMPHONY_FIFOS of them
 * @buckets: heads of the jobs' hash chains, 2^%SYMPHONY_BUCKET_BITS of them
 * @senders: 2^%SYMPHONY_SENDER_BITS of them
 * @losses: what flows have lost here
 * @multiplier: random odd number, the hash function
 * @packets: packets that wait
 * @bytes: their bytes
 * @quantum: bytes of a turn, not 0
 * @patience: ticks that a head waits behind smaller steps
 * @hold: ticks that a sender's earlier step may be silent before its later ones
 *	go on; 0 = they do not wait for it
 * @half: with more bytes than this nobody is held
 * @hold_left: ticks until somebody who is held would go on, after
 *	symphony_order_take() has returned no packet
 * @step_bits: width of a step
 * @credit: bytes that control may send ahead of others
 * @nr_fifos: FIFOs of jobs in use
 * @nr_more: of those, beyond the first of each job
 * @nr_active: members in turn
 * @turn: the member whose turn it is
 * @turn_last: the last in the list of those in turn
 * @free_member: head of a list
 * @free_fifo: head of a list
 * @victim: member that the last look for the longest found
 * @victim_left: packets that may still be dropped from it without another look
 * @runner_up: bytes of the longest member besides it, then
 */
struct symphony_order {
	struct symphony_member *members;
	struct symphony_fifo *fifos;
	u16 *buckets;
	struct symphony_sender *senders;
	struct symphony_losses losses;
	u32 multiplier;
	u32 packets;
	u32 bytes;
	u32 quantum;
	u32 patience;
	u32 hold;
	u32 half;
	u32 hold_left;
	u32 step_bits;
	s32 credit;
	u16 nr_fifos;
	u16 nr_more;
	u16 nr_active;
	u16 turn;
	u16 turn_last;
	u16 free_member;
	u16 free_fifo;
	u16 victim;
	u16 victim_left;
	u32 runner_up;
};

/**
 * struct symphony_taken - where a packet came from
 * @member: index of its member
 * @queue: bytes that its FIFO holds without it
 * @waited: ticks since it came
 * @passed: whether it left ahead of an older packet of its job
 */
struct symphony_taken {
	u32 queue;
	u32 waited;
	u16 member;
	bool passed;
};

/**
 * symphony_order_init() - an empty order
 * @o: members, FIFOs, buckets and parameters set, all else 0
 */
static inline void symphony_order_init(struct symphony_order *o)
{
	u32 i;

	for (i = 0; i < 1U << SYMPHONY_BUCKET_BITS; i++)
		o->buckets[i] = SYMPHONY_NONE;
	for (i = 0; i < SYMPHONY_FIFOS; i++)
		o->fifos[i].next = i + 1 < SYMPHONY_FIFOS ? i + 1 :
							    SYMPHONY_NONE;
	o->free_fifo = SYMPHONY_MEMBER_JOBS;
	for (i = 0; i < SYMPHONY_MEMBERS; i++) {
		struct symphony_member *m = &o->members[i];

		m->next = i + 1 < SYMPHONY_MEMBERS ? i + 1 : SYMPHONY_NONE;
		m->first = SYMPHONY_NONE;
		m->last = SYMPHONY_NONE;
		m->hint = SYMPHONY_NONE;
		m->oldest = SYMPHONY_NONE;
		if (i >= SYMPHONY_MEMBER_JOBS)
			continue;
		/* one FIFO for good, for any step */
		m->first = i;
		m->last = i;
		m->oldest = i;
		m->nr_fifos = 1;
		o->fifos[i].next = SYMPHONY_NONE;
		o->fifos[i].prev = SYMPHONY_NONE;
	}
	o->free_member = SYMPHONY_MEMBER_JOBS;
	o->turn = SYMPHONY_NONE;
	o->turn_last = SYMPHONY_NONE;
	o->victim = SYMPHONY_NONE;
	o->credit = SYMPHONY_CONTROL_BURST;
}

static inline u32 symphony_order_bucket(const struct symphony_order *o, u32 job)
{
	return job * o->multiplier >> (32 - SYMPHONY_BUCKET_BITS);
}

/**
 * symphony_order_member() - where packets of a job wait
 * @o: the order
 * @job: job number
 *
 * A job that once found none of its own free stays where it is until that is
 * empty, or its packets could overtake each other.
 *
 * Return: index of the member.
 */
static inline u16 symphony_order_member(struct symphony_order *o, u32 job)
{
	u32 bucket = symphony_order_bucket(o, job);
	struct symphony_member *m;
	u16 i, spill;

	for (i = o->buckets[bucket]; i != SYMPHONY_NONE; i = o->members[i].link)
		if (likely(o->members[i].job == job))
			return i;
	spill = SYMPHONY_MEMBER_SPILL + bucket % SYMPHONY_SPILLS;
	i = o->free_member;
	if (unlikely(o->members[spill].packets || i == SYMPHONY_NONE))
		return spill;
	m = &o->members[i];
	o->free_member = m->next;
	m->job = job;
	m->link = o->buckets[bucket];
	o->buckets[bucket] = i;
	return i;
}

/* A job's member that is in no list any more. */
static inline void symphony_order_release(struct symphony_order *o, u16 i)
{
	struct symphony_member *m = &o->members[i];
	u16 *link;

	if (i < SYMPHONY_MEMBER_JOBS)
		return;
	link = &o->buckets[symphony_order_bucket(o, m->job)];
	while (*link != i)
		link = &o->members[*link].link;
	*link = m->link;
	m->next = o->free_member;
	o->free_member = i;
}

/* The head of the list, whose member is in nobody's way any more. */
static inline void symphony_order_leave(struct symphony_order *o)
{
	u16 i = o->turn;

	o->turn = o->members[i].next;
	if (o->turn == SYMPHONY_NONE)
		o->turn_last = SYMPHONY_NONE;
	o->members[i].active = false;
	o->nr_active--;
}

static inline void symphony_order_join(struct symphony_order *o, u16 i)
{
	o->members[i].next = SYMPHONY_NONE;
	if (o->turn == SYMPHONY_NONE)
		o->turn = i;
	else
		o->members[o->turn_last].next = i;
	o->turn_last = i;
	o->members[i].active = true;
	o->nr_active++;
}

/* The head of the list becomes its last. */
static inline void symphony_order_rotate(struct symphony_order *o)
{
	struct symphony_member *m = &o->members[o->turn];

	if (m->next == SYMPHONY_NONE)
		return;
	o->members[o->turn_last].next = o->turn;
	o->turn_last = o->turn;
	o->turn = m->next;
	m->next = SYMPHONY_NONE;
}

/* FIFOs of a job */

static inline s32 symphony_order_diff(const struct symphony_order *o, u16 a,
				      u16 b)
{
	return symphony_step_diff(a, b, o->step_bits);
}

static inline bool symphony_fifo_has(const struct symphony_order *o, u16 i,
				     u16 step)
{
	const struct symphony_fifo *f = &o->fifos[i];

	return symphony_order_diff(o, step, f->first) >= 0 &&
	       symphony_order_diff(o, step, f->last) <= 0;
}

/* Which head is the oldest. */
static inline void symphony_order_look(struct symphony_order *o,
				       struct symphony_member *m)
{
	u16 i, oldest = m->first;

	for (i = m->first; i != SYMPHONY_NONE; i = o->fifos[i].next)
		if ((s32)(o->fifos[i].since - o->fifos[oldest].since) < 0)
			oldest = i;
	m->oldest = oldest;
}

static inline void symphony_fifo_unlink(struct symphony_order *o,
					struct symphony_member *m, u16 i)
{
	struct symphony_fifo *f = &o->fifos[i];

	if (f->prev == SYMPHONY_NONE)
		m->first = f->next;
	else
		o->fifos[f->prev].next = f->next;
	if (f->next == SYMPHONY_NONE)
		m->last = f->prev;
	else
		o->fifos[f->next].prev = f->prev;
	if (m->hint == i)
		m->hint = SYMPHONY_NONE;
	m->nr_fifos--;
	/* perhaps it has nothing but its smallest step any more */
	if (m->nr_fifos == 1)
		o->victim_left = 0;
}

static inline void symphony_fifo_free(struct symphony_order *o,
				      struct symphony_member *m, u16 i)
{
	symphony_fifo_unlink(o, m, i);
	o->nr_fifos--;
	if (m->nr_fifos)
		o->nr_more--;
	o->fifos[i].next = o->free_fifo;
	o->free_fifo = i;
}

/* A FIFO in no list, or none if the job or all jobs have enough. */
static inline u16 symphony_fifo_alloc(struct symphony_order *o,
				      struct symphony_member *m)
{
	u16 i = o->free_fifo;

	if (m->nr_fifos) {
		if (m->nr_fifos == SYMPHONY_FIFOS_JOB ||
		    o->nr_more == SYMPHONY_FIFOS_MORE)
			return SYMPHONY_NONE;
		o->nr_more++;
	}
	o->free_fifo = o->fifos[i].next;
	o->nr_fifos++;
	return i;
}

/* Before @at, at the end if that is none. */
static inline void symphony_fifo_link(struct symphony_order *o,
				      struct symphony_member *m, u16 i, u16 at)
{
	u16 before = at == SYMPHONY_NONE ? m->last : o->fifos[at].prev;

	o->fifos[i].prev = before;
	o->fifos[i].next = at;
	if (before == SYMPHONY_NONE)
		m->first = i;
	else
		o->fifos[before].next = i;
	if (at == SYMPHONY_NONE)
		m->last = i;
	else
		o->fifos[at].prev = i;
	m->nr_fifos++;
	/* somebody has something else than its smallest step */
	if (m->nr_fifos == 2)
		o->victim_left = 0;
}

/* The furthest FIFO becomes a part of the one before it. */
static inline void symphony_fifo_join(struct symphony_order *o,
				      struct symphony_member *m)
{
	u16 i = m->last;
	struct symphony_fifo *later = &o->fifos[i];
	struct symphony_fifo *f = &o->fifos[later->prev];

	f->tail->next = later->head;
	later->head->prev = f->tail;
	f->tail = later->tail;
	f->bytes += later->bytes;
	f->last = later->last;
	symphony_fifo_free(o, m, i);
	if (m->oldest == i)
		symphony_order_look(o, m);
}

/* The FIFO for a step that has none; @at is that of the next larger steps. */
static inline u16 symphony_fifo_new(struct symphony_order *o,
				    struct symphony_member *m, u16 step, u16 at)
{
	u16 i = symphony_fifo_alloc(o, m);
	struct symphony_fifo *f;

	if (unlikely(i == SYMPHONY_NONE)) {
		if (at == SYMPHONY_NONE) {
			o->fifos[m->last].last = step;
			return m->last;
		}
		if (at == m->last) {
			o->fifos[at].first = step;
			return at;
		}
		symphony_fifo_join(o, m);
		i = symphony_fifo_alloc(o, m);
	}
	f = &o->fifos[i];
	*f = (struct symphony_fifo){ .first = step, .last = step };
	symphony_fifo_link(o, m, i, at);
	return i;
}

static inline u16 symphony_fifo_of(struct symphony_order *o,
				   struct symphony_member *m, u16 step)
{
	u16 i = m->hint;

	if (likely(i != SYMPHONY_NONE && symphony_fifo_has(o, i, step)))
		return i;
	for (i = m->first; i != SYMPHONY_NONE; i = o->fifos[i].next)
		if (symphony_order_diff(o, step, o->fifos[i].last) <= 0)
			break;
	if (i == SYMPHONY_NONE || !symphony_fifo_has(o, i, step))
		i = symphony_fifo_new(o, m, step, i);
	m->hint = i;
	return i;
}

/* Senders */

/* Job and symphony_cb::pair; not 0, since no job is. */
static inline u64 symphony_sender_key(u32 job, u32 pair)
{
	return (u64)job << SYMPHONY_PAIR_BITS | pair;
}

static inline struct symphony_sender *
symphony_sender_of(const struct symphony_order *o, u64 key)
{
	u32 hash = (u32)key * o->multiplier;

	return &o->senders[hash >> (32 - SYMPHONY_SENDER_BITS)];
}

/* Whether it has an earlier step under way than a packet, as far as is known. */
static inline bool symphony_sender_later(const struct symphony_order *o,
					 const struct symphony_sender *s,
					 u64 key, const struct symphony_cb *cb,
					 u32 now)
{
	return s->key == key && now - s->seen < o->hold &&
	       symphony_order_diff(o, cb->step, s->step) > 0;
}

/* A packet of a job comes: which step has its sender under way? */
static inline void symphony_sender_note(struct symphony_order *o, u32 job,
					const struct symphony_cb *cb)
{
	u64 key = symphony_sender_key(job, cb->pair);
	struct symphony_sender *s = symphony_sender_of(o, key);

	if (symphony_sender_later(o, s, key, cb, cb->when))
		return;
	s->brisk = s->key == key && s->step == cb->step &&
		   (cb->when - s->seen) / 2 < o->hold;
	s->key = symphony_cb_ends(cb) ? 0 : key;
	s->seen = cb->when;
	s->step = cb->step;
}

/*
 * Whether the head of a member's FIFO waits for its sender's step right before. Not for
 * one whose packets come one at a time, between those of many others.
 */
static inline bool symphony_order_held(struct symphony_order *o, u16 i, u16 fi,
				       u32 now)
{
	const struct symphony_sender *s;
	const struct symphony_cb *cb;
	u32 left;
	u64 key;

	if (!o->hold || i < SYMPHONY_MEMBER_JOBS || o->bytes > o->half)
		return false;
	cb = symphony_cb(o->fifos[fi].head);
	key = symphony_sender_key(o->members[i].job, cb->pair);
	s = symphony_sender_of(o, key);
	if (likely(!symphony_sender_later(o, s, key, cb, now)) || !s->brisk ||
	    symphony_order_diff(o, cb->step, s->step + 1) ||
	    (s32)(now - cb->when) > (s32)o->patience)
		return false;
	left = o->hold - (now - s->seen);
	if (left < o->hold_left)
		o->hold_left = left;
	return true;
}

/**
 * symphony_order_put() - a packet comes
 * @o: the order
 * @i: index of its member
 * @skb: the packet with its control block written
 */
static inline void symphony_order_put(struct symphony_order *o, u16 i,
				      struct sk_buff *skb)
{
	struct symphony_cb *cb = symphony_cb(skb);
	struct symphony_member *m = &o->members[i];
	u32 len = qdisc_pkt_len(skb);
	struct symphony_fifo *f;
	u16 fi = m->first;

	if (likely(i >= SYMPHONY_MEMBER_JOBS)) {
		fi = symphony_fifo_of(o, m, cb->step);
		if (o->hold)
			symphony_sender_note(o, m->job, cb);
	}
	f = &o->fifos[fi];
	skb->next = NULL;
	skb->prev = f->tail;
	if (f->tail) {
		f->tail->next = skb;
	} else {
		f->head = skb;
		f->since = cb->when;
		if (m->nr_fifos == 1)
			m->oldest = fi;
		else if (f->since == o->fifos[m->oldest].since)
			symphony_order_look(o, m);
	}
	f->tail = skb;
	f->bytes += len;
	m->packets++;
	m->bytes += len;
	o->packets++;
	o->bytes += len;
	if (!m->active && i != SYMPHONY_MEMBER_CONTROL) {
		m->deficit = o->quantum;
		symphony_order_join(o, i);
	}
}

static inline void symphony_order_account(struct symphony_order *o,
					  struct symphony_member *m,
					  struct symphony_fifo *f, u32 len)
{
	f->bytes -= len;
	m->packets--;
	m->bytes -= len;
	o->packets--;
	o->bytes -= len;
}

/* The head of a FIFO has gone, or its only packet. */
static inline void symphony_order_moved(struct symphony_order *o, u16 i, u16 fi)
{
	struct symphony_member *m = &o->members[i];
	struct symphony_fifo *f = &o->fifos[fi];

	if (f->head)
		f->since = symphony_cb(f->head)->when;
	else if (i >= SYMPHONY_MEMBER_JOBS)
		symphony_fifo_free(o, m, fi);
	if (i < SYMPHONY_MEMBER_JOBS)
		return;
	/* in a joined FIFO the next may be older than the one before it */
	if (m->oldest == fi || (f->head && (s32)(f->since - o->fifos[m->oldest].since) <= 0))
		symphony_order_look(o, m);
}

/* The smallest step, or whoever has waited for patience. */
static inline u16 symphony_order_pick(const struct symphony_order *o,
				      const struct symphony_member *m, u32 now)
{
	if (m->first != m->oldest &&
	    (s32)(now - o->fifos[m->oldest].since) > (s32)o->patience)
		return m->oldest;
	return m->first;
}

/* Whose turn it is; *@fi is the FIFO. None if all wait for their senders. */
static inline u16 symphony_order_turn(struct symphony_order *o, u32 now,
				      u16 *fi)
{
	u32 control = o->members[SYMPHONY_MEMBER_CONTROL].packets;
	u32 held = 0;

	*fi = SYMPHONY_MEMBER_CONTROL;
	if (control && (o->credit > 0 || control == o->packets))
		return SYMPHONY_MEMBER_CONTROL;
	while (o->turn != SYMPHONY_NONE) {
		u16 i = o->turn;
		struct symphony_member *m = &o->members[i];

		if (m->packets && m->deficit > 0) {
			*fi = symphony_order_pick(o, m, now);
			if (likely(!symphony_order_held(o, i, *fi, now)))
				return i;
			/* it keeps what it may send for later */
			symphony_order_rotate(o);
			if (++held == o->nr_active)
				break;
			continue;
		}
		held = 0;
		if (m->deficit > 0) {
			symphony_order_leave(o);
			symphony_order_release(o, i);
			continue;
		}
		/* also without packets: what it took too much is paid first */
		m->deficit += o->quantum;
		symphony_order_rotate(o);
	}
	*fi = SYMPHONY_MEMBER_CONTROL;
	return control ? SYMPHONY_MEMBER_CONTROL : SYMPHONY_NONE;
}

static inline void symphony_order_charge(struct symphony_order *o, u16 i,
					 u32 len)
{
	if (unlikely(len > SYMPHONY_CHARGE_MAX))
		len = SYMPHONY_CHARGE_MAX;
	if (i != SYMPHONY_MEMBER_CONTROL) {
		o->members[i].deficit -= len;
		o->credit += len >> SYMPHONY_CONTROL_SHIFT;
		if (o->credit > SYMPHONY_CONTROL_BURST)
			o->credit = SYMPHONY_CONTROL_BURST;
	} else if (o->packets > o->members[i].packets) {
		/* somebody waits for it */
		o->credit -= len;
	}
}

/*
 * With many members the next packet is in no cache: ask for it in time. Always inline,
 * or gcc takes a call for one without effect and leaves it out.
 */
static __always_inline void
symphony_order_prefetch(const struct symphony_order *o, u16 i)
{
	const struct symphony_fifo *f;

	if (i == SYMPHONY_NONE || o->members[i].first == SYMPHONY_NONE)
		return;
	f = &o->fifos[o->members[i].first];
	if (f->head) {
		__builtin_prefetch(f->head, 1);
		__builtin_prefetch(symphony_cb(f->head) + 1, 1);
	}
}

/**
 * symphony_order_take() - the next packet to go
 * @o: the order
 * @now: time, ticks
 * @taken: where it came from
 *
 * Return: the packet, or NULL if there is none, or none that may go yet.
 */
static inline struct sk_buff *symphony_order_take(struct symphony_order *o,
						  u32 now,
						  struct symphony_taken *taken)
{
	struct symphony_member *m;
	struct symphony_fifo *f;
	struct sk_buff *skb;
	u16 i, fi;
	u32 len;

	if (!o->packets)
		return NULL;
	o->hold_left = ~0U;
	i = symphony_order_turn(o, now, &fi);
	if (unlikely(i == SYMPHONY_NONE))
		return NULL;
	m = &o->members[i];
	symphony_order_prefetch(o, m->next);
	taken->passed = fi != m->oldest;
	f = &o->fifos[fi];
	skb = f->head;
	len = qdisc_pkt_len(skb);
	f->head = skb->next;
	if (f->head)
		f->head->prev = NULL;
	else
		f->tail = NULL;
	symphony_order_account(o, m, f, len);
	taken->member = i;
	taken->queue = f->bytes;
	taken->waited = now - symphony_cb(skb)->when;
	symphony_order_moved(o, i, fi);
	symphony_order_charge(o, i, len);
	skb->next = NULL;
	skb->prev = NULL;
	return skb;
}

/* Overload */

/* Whether it has its share of what waits, and packets of larger steps. */
static inline bool symphony_order_ahead(const struct symphony_order *o,
					const struct symphony_member *m)
{
	return m->first != m->last &&
	       (u64)m->bytes * (o->nr_active + 1) >= o->bytes;
}

struct symphony_search {
	u32 bytes;
	u32 runner_up;
	u16 member;
};

static inline void symphony_search_add(struct symphony_search *s, u16 i,
				       u32 bytes)
{
	if (bytes > s->bytes) {
		s->runner_up = s->bytes;
		s->bytes = bytes;
		s->member = i;
	} else if (bytes > s->runner_up) {
		s->runner_up = bytes;
	}
}

static inline void symphony_order_search(struct symphony_order *o)
{
	u32 control = o->members[SYMPHONY_MEMBER_CONTROL].bytes;
	struct symphony_search any = { .member = SYMPHONY_NONE };
	struct symphony_search ahead = any;
	u16 i;

	symphony_search_add(&any, SYMPHONY_MEMBER_CONTROL, control);
	for (i = o->turn; i != SYMPHONY_NONE; i = o->members[i].next) {
		const struct symphony_member *m = &o->members[i];

		symphony_search_add(&any, i, m->bytes);
		if (symphony_order_ahead(o, m))
			symphony_search_add(&ahead, i, m->bytes);
	}
	if (ahead.member != SYMPHONY_NONE)
		any = ahead;
	o->victim = any.member;
	o->runner_up = any.runner_up;
	o->victim_left = SYMPHONY_VICTIM_KEPT;
}

/**
 * symphony_order_victim() - whose packet goes if there are too many
 * @o: the order, not empty
 *
 * The job with the longest backlog of those that have packets of larger steps
 * than their smallest and at least an equal share of what waits; if there is
 * none, the longest member. Looked for again after %SYMPHONY_VICTIM_KEPT
 * packets, when it is no longer the longest of that time, and when a job got
 * or lost packets of larger steps.
 *
 * Return: index of the member.
 */
static inline u16 symphony_order_victim(struct symphony_order *o)
{
	const struct symphony_member *m = &o->members[o->victim];

	if (!o->victim_left || m->bytes < o->runner_up || !m->packets)
		symphony_order_search(o);
	o->victim_left--;
	return o->victim;
}

/*
 * Whether the sender would wait for its timer after the loss of a packet, and all its
 * job for the sender: what follows a lost packet makes its receiver ask for it, but
 * nothing follows an end, and nobody asks twice.
 */
static inline bool symphony_order_spares(const struct sk_buff *skb)
{
	const struct symphony_cb *cb = symphony_cb(skb);

	return cb->again || cb->flags & SYMPHONY_PKT_LAST;
}

/* The last packet that is not to be spared, of the largest step with one; its FIFO. */
static inline struct sk_buff *
symphony_order_spare(const struct symphony_order *o,
		     const struct symphony_member *m, u16 *fi)
{
	u32 left = SYMPHONY_SPARED + 1;
	struct sk_buff *skb;
	u16 i;

	for (i = m->last; i != SYMPHONY_NONE && left; i = o->fifos[i].prev) {
		*fi = i;
		for (skb = o->fifos[i].tail; skb && left; skb = skb->prev) {
			if (!symphony_order_spares(skb))
				return skb;
			left--;
		}
	}
	*fi = m->last;
	return o->fifos[*fi].tail;
}

/* Take a packet that waits out of its FIFO. */
static inline void symphony_order_remove(struct symphony_order *o, u16 i, u16 fi,
					 struct sk_buff *skb)
{
	struct symphony_member *m = &o->members[i];
	struct symphony_fifo *f = &o->fifos[fi];
	bool first = !skb->prev;

	if (skb->next)
		skb->next->prev = skb->prev;
	else
		f->tail = skb->prev;
	if (skb->prev)
		skb->prev->next = skb->next;
	else
		f->head = skb->next;
	symphony_order_account(o, m, f, qdisc_pkt_len(skb));
	if (first)
		symphony_order_moved(o, i, fi);
	skb->next = NULL;
	skb->prev = NULL;
}

/**
 * symphony_order_vain() - take the packet that has just come, if it would be in vain
 * @o: the order
 * @i: index of its member
 * @skb: the packet, whose receiver throws away what follows a loss
 * @psn: its PSN on the wire
 * @full: whether another one would have to go for it
 *
 * Return: whether it has been taken out: its receiver would have thrown it away.
 */
static inline bool symphony_order_vain(struct symphony_order *o, u16 i,
				       struct sk_buff *skb, u32 psn, bool full)
{
	struct symphony_member *m = &o->members[i];
	struct symphony_cb *cb = symphony_cb(skb);
	u16 fi;

	if (likely(!o->losses.following && o->bytes <= o->half))
		return false;
	if (i < SYMPHONY_MEMBER_JOBS ||
	    !symphony_loss_follows(&o->losses, o->bytes > o->half, cb->when))
		return false;
	fi = symphony_fifo_of(o, m, cb->step);
	if (!symphony_loss_look(&o->losses, cb, psn, fi == m->first && !full,
				o->patience))
		return false;
	symphony_order_remove(o, i, fi, skb);
	return true;
}

/**
 * symphony_order_drop() - take a late packet of a member's largest step
 * @o: the order
 * @i: index of the member, which has packets
 * @ahead: set to whether it was of another step than the member's smallest
 *
 * Return: the last packet that is neither an end of a message nor the repeat that a
 * receiver has asked for, with at most %SYMPHONY_SPARED of those behind it, in its own
 * FIFO or in those of larger steps; the last packet of the largest step if there is
 * none.
 */
static inline struct sk_buff *symphony_order_drop(struct symphony_order *o,
						  u16 i, bool *ahead)
{
	struct symphony_member *m = &o->members[i];
	struct sk_buff *skb;
	u16 fi;

	skb = symphony_order_spare(o, m, &fi);
	*ahead = fi != m->first;
	symphony_order_remove(o, i, fi, skb);
	return skb;
}

/**
 * symphony_order_lost() - a packet that symphony_order_drop() gave is dropped
 * @o: the order
 * @i: index of its member
 * @skb: the packet
 * @psn: its PSN on the wire
 */
static inline void symphony_order_lost(struct symphony_order *o, u16 i,
				       const struct sk_buff *skb, u32 psn)
{
	if (i >= SYMPHONY_MEMBER_JOBS)
		symphony_loss_note(&o->losses, symphony_cb(skb), psn);
}

#endif
