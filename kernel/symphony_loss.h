/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What flows have lost in a queue, and what follows it.
 *
 * The receiver of a reliable connection throws away all that comes behind a lost
 * packet, and asks for that packet once: what came behind tells it that something is
 * missing. The sender goes back to it and sends all from there on again. So what
 * follows a loss would take room here and time of the link for nothing: it is dropped
 * at once, but for one packet that makes the receiver ask, when the step's turn has
 * come and there is room, and for ends of messages, which nothing follows that could.
 * The repeat itself must not be lost, since nobody asks twice; it is known by its
 * number, which is not beyond the last one of its flow.
 *
 * Flows are followed from when a queue is half full, or has dropped something, until
 * it has dropped nothing for a second.
 *
 * Nothing here allocates, takes a lock or reads a clock. It compiles in user space
 * where symphony_cb.h does.
 */
#ifndef _SYMPHONY_LOSS_H
#define _SYMPHONY_LOSS_H

#include "symphony_cb.h"

/* Flows that are followed: sets of one cache line. */
#define SYMPHONY_LOSS_BITS	9
#define SYMPHONY_LOSS_WAYS	4
#define SYMPHONY_LOSSES		(SYMPHONY_LOSS_WAYS << SYMPHONY_LOSS_BITS)

/* They are so long after the last reason to, ticks: a second. */
#define SYMPHONY_LOSS_TICKS	0x100000

/**
 * struct symphony_loss - a flow that is followed
 * @tag: symphony_cb::tag
 * @open: whether it has lost something that has not come again
 * @asked: whether a packet behind that one has passed
 * @first: PSN of the first packet that it lost if @open, else of the furthest that came
 * @last: PSN of its last packet that came
 * @when: ticks when something was lost or passed behind it, or else when @last came
 */
struct symphony_loss {
	u32 tag		: 24;
	u32 open	: 1;
	u32 asked	: 1;
	u32 first;
	u32 last;
	u32 when;
};

/**
 * struct symphony_losses - all of them
 * @flows: %SYMPHONY_LOSSES of them
 * @since: ticks of the last reason to follow flows, if @following
 * @following: whether flows are followed
 */
struct symphony_losses {
	struct symphony_loss *flows;
	u32 since;
	bool following;
};

/* Distance of two PSNs, which have 24 bits, as far as its sign. */
static inline s32 symphony_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8);
}

/* Whether to give up @loss rather than @other: what is open stays, and the new. */
static inline bool symphony_loss_yields(const struct symphony_loss *loss,
					const struct symphony_loss *other)
{
	if (loss->open != other->open)
		return !loss->open;
	return (s32)(loss->when - other->when) < 0;
}

/* A packet's flow, or another's place for it. */
static inline struct symphony_loss *
symphony_loss_of(const struct symphony_losses *losses, const struct symphony_cb *cb)
{
	u32 set = cb->set & ((1 << SYMPHONY_LOSS_BITS) - 1);
	struct symphony_loss *loss = &losses->flows[set * SYMPHONY_LOSS_WAYS];
	struct symphony_loss *end = loss + SYMPHONY_LOSS_WAYS;
	struct symphony_loss *place = loss;

	for (; loss < end; loss++) {
		if (loss->tag == cb->tag)
			return loss;
		if (symphony_loss_yields(loss, place))
			place = loss;
	}
	return place;
}

/* Of whom nothing is known but a packet. */
static inline void symphony_loss_begin(struct symphony_loss *loss,
				       const struct symphony_cb *cb, u32 psn)
{
	*loss = (struct symphony_loss){
		.tag = cb->tag, .first = psn, .last = psn, .when = cb->when,
	};
}

/* Nobody is known, and all places are older than @now. */
static inline void symphony_loss_forget(struct symphony_losses *losses, u32 now)
{
	u32 i;

	for (i = 0; i < SYMPHONY_LOSSES; i++)
		losses->flows[i] = (struct symphony_loss){ .when = now - 1 };
}

/* Whether flows are followed; from @now on if there is a @reason. */
static inline bool symphony_loss_follows(struct symphony_losses *losses, bool reason,
					 u32 now)
{
	if (reason) {
		if (!losses->following)
			symphony_loss_forget(losses, now);
		losses->following = true;
		losses->since = now;
	} else if (now - losses->since > SYMPHONY_LOSS_TICKS) {
		losses->following = false;
	}
	return losses->following;
}

/**
 * symphony_loss_note() - a packet of a job is dropped that had come
 * @losses: the losses
 * @cb: its control block
 * @psn: its PSN on the wire
 */
static inline void symphony_loss_note(struct symphony_losses *losses,
				      const struct symphony_cb *cb, u32 psn)
{
	struct symphony_loss *loss;

	symphony_loss_follows(losses, true, cb->when);
	loss = symphony_loss_of(losses, cb);
	if (loss->tag != cb->tag)
		symphony_loss_begin(loss, cb, psn);
	/* perhaps the one that was to make the receiver ask */
	if (cb->again)
		loss->asked = 0;
	if (loss->open && symphony_psn_diff(psn, loss->first) >= 0)
		return;
	/* it had come before: what follows makes the receiver ask, if it wants it */
	if (symphony_psn_diff(loss->last, loss->first) < 0 &&
	    symphony_psn_diff(psn, loss->last) <= 0)
		return;
	if (!loss->open) {
		loss->asked = 0;
		loss->when = cb->when;
	}
	loss->open = 1;
	loss->first = psn;
}

/**
 * symphony_loss_look() - a packet comes of a flow whose receiver throws away what
 * follows a loss
 * @losses: the losses, which are followed
 * @cb: its control block; @cb->again is set if it must not be lost: the receiver has
 *	asked for it, or is to ask because of it
 * @psn: its PSN on the wire
 * @turn: whether its step is the job's smallest here, and there is room for it
 * @patience: ticks after which a loss that nobody came back to is no reason any more
 *
 * Return: whether the receiver would throw it away.
 */
static inline bool symphony_loss_look(struct symphony_losses *losses,
				      struct symphony_cb *cb, u32 psn, bool turn,
				      u32 patience)
{
	struct symphony_loss *loss = symphony_loss_of(losses, cb);
	s32 beyond = symphony_psn_diff(psn, loss->first);
	bool back = symphony_psn_diff(psn, loss->last) <= 0;
	bool late;

	if (loss->tag != cb->tag) {
		symphony_loss_begin(loss, cb, psn);
		return false;
	}
	loss->last = psn;
	/* who goes back, but not as far as to the loss, has no need of it any more */
	if (!loss->open || back || beyond <= 0) {
		cb->again = back || (loss->open && !beyond);
		if (beyond >= 0) {
			loss->open = 0;
			loss->first = psn;
		}
		if (!loss->open)
			loss->when = cb->when;
		return false;
	}
	late = cb->when - loss->when > patience;
	if (cb->flags & SYMPHONY_PKT_LAST || (late && loss->asked))
		return false;
	if (loss->asked || !(turn || late)) {
		losses->since = cb->when;
		return true;
	}
	loss->asked = 1;
	loss->when = cb->when;
	cb->again = 1;
	return false;
}

#endif
