// SPDX-License-Identifier: GPL-2.0
/*
 * The order of service against a model that keeps every packet in an array and
 * does what the description says, word for word; what follows from it for queue
 * pairs, waits and shares is checked for itself.
 */
#include <string.h>

#include "tap.h"

struct qdisc_skb_cb {
	unsigned int data[5];	/* aligned as the kernel's */
};

/* As much of it as symphony_order.h asks for, and what the model knows. */
struct sk_buff {
	struct sk_buff *next;
	struct sk_buff *prev;
	u32 len;
	struct qdisc_skb_cb cb;
	u32 id;
	u32 job;
	u32 qp;
	bool last;
	bool ends;
	bool again;
	bool go_back;
};

#define qdisc_skb_cb(skb)	((struct qdisc_skb_cb *)&(skb)->cb)
#define qdisc_pkt_len(skb)	((skb)->len)

#include "symphony_order.h"

#define PACKETS		16384
#define STEP_BITS	14
#define PATIENCE	500
#define CHARGE_MAX	524288

/* Flows: sets from the first one on, and tags of each. */
#define FLOW_SET	509
#define FLOW_SETS	6
#define FLOW_TAGS	4

/* --- the order under test --- */

static struct symphony_member members[SYMPHONY_MEMBERS];
static struct symphony_fifo fifos[SYMPHONY_FIFOS];
static u16 buckets[1 << SYMPHONY_BUCKET_BITS];
static struct symphony_sender senders[1 << SYMPHONY_SENDER_BITS];
static struct symphony_loss losses[SYMPHONY_LOSSES];
static struct symphony_order order;

/* --- the model --- */

struct model_fifo {
	u16 first;
	u16 last;
	u32 nr;
	u32 room;
	struct sk_buff **packet;
};

struct model_member {
	bool used;
	bool in_turn;
	u32 job;
	s32 deficit;
	u32 nr;
	struct model_fifo *fifo[SYMPHONY_FIFOS_JOB + 1];
};

struct model_sender {
	bool known;
	u32 job;
	u32 pair;
	u16 step;
	u32 seen;
	u32 before;
	bool ended;
};

struct model_flow {
	bool known;
	bool open;
	bool asked;
	u32 first;
	u32 last;
	u32 when;
};

static struct model {
	struct model_member member[SYMPHONY_MEMBERS];
	struct model_sender sender[1024];
	struct model_flow flow[FLOW_SETS][FLOW_TAGS];
	bool following;
	u32 since;
	u32 turn[SYMPHONY_MEMBERS];
	u32 nr_turn;
	u32 more;
	s32 credit;
	u32 victim;
	u32 victim_left;
	u32 runner_up;
	bool shared;	/* FIFOs, by several steps */
	bool spilled;	/* jobs into members of several */
	bool exhausted;	/* FIFOs beyond each member's first */
	u32 nr_held;	/* times that nobody could go */
	u32 nr_again;	/* repeats that receivers asked for */
	u32 nr_vain;	/* packets that receivers would throw away */
	u32 left;	/* until somebody can */
} model;

static u64 random_state = 1;
static struct sk_buff pool[PACKETS];
static struct sk_buff *unused[PACKETS];
static u32 nr_unused;
static u32 now;
static u32 ends;	/* of sixteen packets that come, those that end a message */
static u32 goes_back;	/* of sixteen packets, those whose receivers want no gap */
static u32 pairs = 1;	/* senders of a job */
static u32 room = ~0U;	/* bytes beyond which one has to go for another */
static u32 hold;	/* for begin() */
static u32 nr_held;	/* times that nobody could go, in all random traffic */
static u32 nr_again;	/* repeats that receivers asked for, likewise */
static u32 nr_vain;	/* packets that receivers would throw away, likewise */

static u32 rnd_below(u32 n)
{
	return random_below(&random_state, n);
}

static void fifo_free(struct model_fifo *f)
{
	free(f->packet);
	free(f);
}

static void fifo_append(struct model_fifo *f, struct sk_buff *skb)
{
	if (f->nr == f->room) {
		f->room = 2 * f->room + 4;
		f->packet = realloc(f->packet, f->room * sizeof(f->packet[0]));
	}
	f->packet[f->nr++] = skb;
}

static void begin(u32 quantum, u32 patience)
{
	u32 i, j;

	for (i = 0; i < SYMPHONY_MEMBERS; i++)
		for (j = 0; j < model.member[i].nr; j++)
			fifo_free(model.member[i].fifo[j]);
	memset(&model, 0, sizeof(model));
	memset(members, 0, sizeof(members));
	memset(fifos, 0, sizeof(fifos));
	memset(senders, 0, sizeof(senders));
	memset(losses, 0, sizeof(losses));
	order = (struct symphony_order) {
		.members = members,
		.fifos = fifos,
		.buckets = buckets,
		.senders = senders,
		.losses.flows = losses,
		.multiplier = 0x9e3779b1,
		.quantum = quantum,
		.patience = patience,
		.hold = hold,
		.half = ~0U,
		.step_bits = STEP_BITS,
	};
	symphony_order_init(&order);
	for (i = 0; i < SYMPHONY_MEMBER_JOBS; i++) {
		model.member[i].used = true;
		model.member[i].nr = 1;
		model.member[i].fifo[0] = calloc(1, sizeof(struct model_fifo));
	}
	model.credit = 65536;
	model.victim = SYMPHONY_NONE;
	for (i = 0; i < PACKETS; i++)
		unused[i] = &pool[i];
	nr_unused = PACKETS;
	now = random64(&random_state);
}

static s32 diff(u16 a, u16 b)
{
	s32 d = (a - b) & 0x3fff;

	return d >= 0x2000 ? d - 0x4000 : d;
}

static u32 fifo_bytes(const struct model_fifo *f)
{
	u32 i, bytes = 0;

	for (i = 0; i < f->nr; i++)
		bytes += f->packet[i]->len;
	return bytes;
}

static u32 member_bytes(u32 i)
{
	u32 j, bytes = 0;

	for (j = 0; j < model.member[i].nr; j++)
		bytes += fifo_bytes(model.member[i].fifo[j]);
	return bytes;
}

static u32 member_packets(u32 i)
{
	u32 j, packets = 0;

	for (j = 0; j < model.member[i].nr; j++)
		packets += model.member[i].fifo[j]->nr;
	return packets;
}

static u32 all_bytes(void)
{
	u32 i, bytes = 0;

	for (i = 0; i < SYMPHONY_MEMBERS; i++)
		bytes += member_bytes(i);
	return bytes;
}

static bool others_wait(void)
{
	u32 i;

	for (i = 1; i < SYMPHONY_MEMBERS; i++)
		if (member_packets(i))
			return true;
	return false;
}

static u32 model_member(u32 job)
{
	u32 bucket = job * order.multiplier >> 21;
	u32 spill = 2 + bucket % 8;
	u32 i;

	for (i = SYMPHONY_MEMBER_JOBS; i < SYMPHONY_MEMBERS; i++)
		if (model.member[i].used && model.member[i].job == job)
			return i;
	if (member_packets(spill)) {
		model.spilled = true;
		return spill;
	}
	for (i = SYMPHONY_MEMBER_JOBS; i < SYMPHONY_MEMBERS; i++)
		if (!model.member[i].used)
			break;
	return i < SYMPHONY_MEMBERS ? SYMPHONY_NONE : spill;
}

static void fifo_remove(struct model_member *m, u32 j)
{
	fifo_free(m->fifo[j]);
	memmove(&m->fifo[j], &m->fifo[j + 1], (m->nr - j - 1) * sizeof(m->fifo[0]));
	m->nr--;
	if (m->nr)
		model.more--;
	if (m->nr == 1)
		model.victim_left = 0;
}

static struct model_fifo *model_fifo(struct model_member *m, u16 step)
{
	struct model_fifo *f, *furthest;
	u32 i, j;

	for (j = 0; j < m->nr; j++)
		if (diff(step, m->fifo[j]->last) <= 0)
			break;
	if (j < m->nr && diff(step, m->fifo[j]->first) >= 0)
		return m->fifo[j];
	if (m->nr && (m->nr == SYMPHONY_FIFOS_JOB ||
		      model.more == SYMPHONY_FIFOS_MORE)) {
		model.shared = true;
		if (model.more == SYMPHONY_FIFOS_MORE)
			model.exhausted = true;
		f = m->fifo[m->nr - 1];
		if (j == m->nr) {
			f->last = step;
			return f;
		}
		if (j == m->nr - 1) {
			f->first = step;
			return f;
		}
		furthest = f;
		f = m->fifo[m->nr - 2];
		for (i = 0; i < furthest->nr; i++)
			fifo_append(f, furthest->packet[i]);
		f->last = furthest->last;
		fifo_remove(m, m->nr - 1);
	}
	if (m->nr)
		model.more++;
	f = calloc(1, sizeof(*f));
	f->first = step;
	f->last = step;
	memmove(&m->fifo[j + 1], &m->fifo[j], (m->nr - j) * sizeof(m->fifo[0]));
	m->fifo[j] = f;
	m->nr++;
	if (m->nr == 2)
		model.victim_left = 0;
	return f;
}

static struct model_sender *model_sender(u32 job, u32 pair)
{
	return &model.sender[(u32)((job * 4096 + pair) * order.multiplier) / (1 << 22)];
}

/* Whether its sender has an earlier step under way, as far as is known. */
static bool model_later(const struct model_sender *s, const struct sk_buff *skb)
{
	return s->known && s->job == skb->job && s->pair == symphony_cb(skb)->pair &&
	       !s->ended && now - s->seen < order.hold &&
	       diff(symphony_cb(skb)->step, s->step) > 0;
}

static void model_note(const struct sk_buff *skb)
{
	struct model_sender *s = model_sender(skb->job, symphony_cb(skb)->pair);

	bool same = s->known && s->job == skb->job && s->pair == symphony_cb(skb)->pair &&
		    s->step == symphony_cb(skb)->step && !s->ended;

	if (!model_later(s, skb))
		*s = (struct model_sender) {
			.known = true,
			.job = skb->job,
			.pair = symphony_cb(skb)->pair,
			.step = symphony_cb(skb)->step,
			.seen = now,
			.before = same ? s->seen : now - 2 * order.hold,
			.ended = skb->ends,
		};
}

/* Whether PSN @a comes after @b; they are 24 bits wide. */
static bool psn_after(u32 a, u32 b)
{
	u32 ahead = (a - b) & 0xffffff;

	return ahead && ahead <= 0x800000;
}

static struct model_flow *model_flow(const struct sk_buff *skb)
{
	return &model.flow[symphony_cb(skb)->set - FLOW_SET][symphony_cb(skb)->tag - 1];
}

/* Flows are followed for 2^20 ticks after a reason. */
static bool model_follows(bool reason, u32 when)
{
	if (reason && !model.following)
		memset(model.flow, 0, sizeof(model.flow));
	if (reason)
		model.since = when;
	model.following = reason || (model.following && when - model.since <= 1 << 20);
	return model.following;
}

static void model_know(struct model_flow *f, const struct symphony_cb *cb)
{
	if (f->known)
		return;
	*f = (struct model_flow){
		.known = true, .first = cb->psn, .last = cb->psn, .when = cb->when,
	};
}

static void model_lose(struct sk_buff *skb)
{
	const struct symphony_cb *cb = symphony_cb(skb);
	struct model_flow *f = model_flow(skb);
	bool repeats;

	model_follows(true, cb->when);
	model_know(f, cb);
	f->asked = f->asked && !skb->again;
	repeats = psn_after(f->first, f->last) && !psn_after(cb->psn, f->last);
	if (repeats || (f->open && !psn_after(f->first, cb->psn)))
		return;
	if (!f->open)
		f->when = cb->when;
	f->asked = f->asked && f->open;
	f->open = true;
	f->first = cb->psn;
}

/* Whether a receiver would throw the last packet of FIFO @j away. */
static bool model_vain(u32 j, struct sk_buff *skb, bool full)
{
	const struct symphony_cb *cb = symphony_cb(skb);
	struct model_flow *f = model_flow(skb), was = *f;
	bool late = cb->when - f->when > order.patience;
	bool back = !psn_after(cb->psn, was.last);

	model_know(f, cb);
	f->last = cb->psn;
	if (!was.known)
		return false;
	if (!was.open || back || !psn_after(cb->psn, was.first)) {
		skb->again = back || (was.open && cb->psn == was.first);
		model.nr_again += skb->again;
		if (!psn_after(was.first, cb->psn)) {
			f->first = cb->psn;
			f->open = false;
		}
		f->when = f->open ? f->when : cb->when;
		return false;
	}
	if (skb->last || (was.asked && late))
		return false;
	if (was.asked || ((j || full) && !late)) {
		model.since = cb->when;
		return true;
	}
	f->asked = true;
	f->when = cb->when;
	skb->again = true;
	return false;
}

static void model_put(u32 i, struct sk_buff *skb)
{
	struct model_member *m = &model.member[i];
	struct model_fifo *f = m->fifo[0];

	m->used = true;
	if (i >= SYMPHONY_MEMBER_JOBS) {
		m->job = skb->job;
		f = model_fifo(m, symphony_cb(skb)->step);
		model_note(skb);
	}
	fifo_append(f, skb);
	if (!m->in_turn && i != SYMPHONY_MEMBER_CONTROL) {
		m->in_turn = true;
		m->deficit = order.quantum;
		model.turn[model.nr_turn++] = i;
	}
}

static u32 head_since(const struct model_fifo *f)
{
	return symphony_cb(f->packet[0])->when;
}

static u32 model_oldest(const struct model_member *m)
{
	u32 j, oldest = 0;

	for (j = 1; j < m->nr; j++)
		if ((s32)(head_since(m->fifo[j]) - head_since(m->fifo[oldest])) < 0)
			oldest = j;
	return oldest;
}

static u32 model_next(const struct model_member *m)
{
	u32 oldest = model_oldest(m);

	return now - head_since(m->fifo[oldest]) > order.patience ? oldest : 0;
}

static bool model_held(u32 i)
{
	const struct model_member *m = &model.member[i];
	const struct model_fifo *f = m->fifo[model_next(m)];
	const struct model_sender *s;

	if (i < SYMPHONY_MEMBER_JOBS || all_bytes() > order.half ||
	    now - head_since(f) > order.patience)
		return false;
	s = model_sender(f->packet[0]->job, symphony_cb(f->packet[0])->pair);
	if (!model_later(s, f->packet[0]) || s->seen - s->before >= 2 * order.hold ||
	    diff(symphony_cb(f->packet[0])->step, s->step) != 1)
		return false;
	if (s->seen + order.hold - now < model.left)
		model.left = s->seen + order.hold - now;
	return true;
}

static u32 model_turn(void)
{
	u32 held = 0;

	model.left = ~0U;
	if (member_packets(0) && (model.credit > 0 || !others_wait()))
		return 0;
	while (held < model.nr_turn) {
		u32 i = model.turn[0];
		struct model_member *m = &model.member[i];
		bool may = member_packets(i) && m->deficit > 0;

		if (may && !model_held(i))
			return i;
		memmove(model.turn, model.turn + 1, --model.nr_turn * sizeof(model.turn[0]));
		if (may) {
			held++;
			model.turn[model.nr_turn++] = i;
			continue;
		}
		held = 0;
		if (m->deficit > 0) {
			m->in_turn = false;
			m->used = i < SYMPHONY_MEMBER_JOBS;
			continue;
		}
		m->deficit += order.quantum;
		model.turn[model.nr_turn++] = i;
	}
	return member_packets(0) ? 0 : SYMPHONY_NONE;
}

static void model_remove(u32 i, u32 j, u32 at)
{
	struct model_member *m = &model.member[i];
	struct model_fifo *f = m->fifo[j];

	memmove(f->packet + at, f->packet + at + 1, (f->nr - at - 1) * sizeof(f->packet[0]));
	f->nr--;
	if (!f->nr && i >= SYMPHONY_MEMBER_JOBS)
		fifo_remove(m, j);
}

static struct sk_buff *model_take(struct symphony_taken *taken)
{
	u32 i = model_turn(), next, charge;
	struct model_member *m;
	struct sk_buff *skb;

	if (i == SYMPHONY_NONE) {
		model.nr_held++;
		return NULL;
	}
	m = &model.member[i];
	next = model_next(m);
	skb = m->fifo[next]->packet[0];
	taken->member = i;
	taken->passed = next != model_oldest(m);
	taken->waited = now - symphony_cb(skb)->when;
	taken->queue = fifo_bytes(m->fifo[next]) - skb->len;
	model_remove(i, next, 0);
	charge = skb->len < CHARGE_MAX ? skb->len : CHARGE_MAX;
	if (i) {
		m->deficit -= charge;
		model.credit += charge / 8;
		if (model.credit > 65536)
			model.credit = 65536;
	} else if (others_wait()) {
		model.credit -= charge;
	}
	return skb;
}

static void model_search(void)
{
	u32 best[2] = { 0 }, second[2] = { 0 }, who[2] = { SYMPHONY_NONE, SYMPHONY_NONE };
	u64 all = all_bytes();
	u32 n, k;

	for (n = 0; n <= model.nr_turn; n++) {
		u32 i = n ? model.turn[n - 1] : 0;
		u64 bytes = member_bytes(i);
		bool ahead = model.member[i].nr > 1 && bytes * (model.nr_turn + 1) >= all;

		for (k = 0; k <= ahead; k++) {
			if (bytes > best[k]) {
				second[k] = best[k];
				best[k] = bytes;
				who[k] = i;
			} else if (bytes > second[k]) {
				second[k] = bytes;
			}
		}
	}
	k = who[1] != SYMPHONY_NONE;
	model.victim = who[k];
	model.runner_up = second[k];
	model.victim_left = 16;
}

/* Of the last sixteen packets of all steps the last that is not to be spared. */
static void model_spare(const struct model_member *m, u32 *j, u32 *at)
{
	u32 left = 16;

	for (*j = m->nr; left && (*j)--; )
		for (*at = m->fifo[*j]->nr; left && (*at)--; left--)
			if (!m->fifo[*j]->packet[*at]->last &&
			    !m->fifo[*j]->packet[*at]->again)
				return;
	*j = m->nr - 1;
	*at = m->fifo[*j]->nr - 1;
}

static struct sk_buff *model_drop(u32 *who, bool *ahead)
{
	struct model_member *m;
	struct sk_buff *skb;
	u32 j, at;

	if (!model.victim_left || !member_packets(model.victim) ||
	    member_bytes(model.victim) < model.runner_up)
		model_search();
	model.victim_left--;
	*who = model.victim;
	m = &model.member[model.victim];
	model_spare(m, &j, &at);
	*ahead = j > 0;
	skb = m->fifo[j]->packet[at];
	if (*who >= SYMPHONY_MEMBER_JOBS)
		model_lose(skb);
	model_remove(model.victim, j, at);
	return skb;
}

/* --- what both do --- */

static struct sk_buff *packet(u32 job, u32 qp, u16 step, u32 len)
{
	/* a few sets of anchors, flows in each of them, around the end of the PSNs */
	struct symphony_pkt pkt = {
		.step = step,
		.pair = qp ?: 7 * rnd_below(pairs),
		.flow = (u64)(FLOW_SET + rnd_below(FLOW_SETS)) << 40 |
			(1 + rnd_below(FLOW_TAGS)) << 8,
		.psn = (0xfffff0 + rnd_below(32)) & 0xffffff,
	};
	struct sk_buff *skb = unused[--nr_unused];
	static u32 id;

	skb->len = len;
	skb->id = ++id;
	skb->job = job;
	skb->qp = qp;
	skb->again = false;
	skb->go_back = goes_back && rnd_below(16) < goes_back;
	skb->last = ends && rnd_below(16) < ends;
	skb->ends = skb->last;
	if (skb->last)
		pkt.flags = SYMPHONY_PKT_LAST;
	/* what was counted knows better where a step ends */
	if (ends && ends < 16 && !rnd_below(4)) {
		skb->ends = rnd_below(2);
		pkt.flags |= SYMPHONY_PKT_PLACED | (skb->ends ? SYMPHONY_PKT_ENDS : 0);
	}
	symphony_cb_write(symphony_cb(skb), &pkt, SYMPHONY_DATA, now);
	return skb;
}

/* Whether the packet of member @i that has just been put goes again at once. */
static bool both_vain(u32 i, struct sk_buff *skb)
{
	struct model_member *m = &model.member[i];
	bool full = all_bytes() > room;
	bool want = false;
	u32 j;

	if (i >= SYMPHONY_MEMBER_JOBS &&
	    model_follows(all_bytes() > order.half, symphony_cb(skb)->when)) {
		for (j = 0; m->fifo[j]->packet[m->fifo[j]->nr - 1] != skb; j++)
			;
		want = model_vain(j, skb, full);
		if (want)
			model_remove(i, j, m->fifo[j]->nr - 1);
	}
	tap_check(symphony_order_vain(&order, i, skb, symphony_cb(skb)->psn, full) == want,
		  "%u is in vain: %d", skb->id, want);
	tap_check(want || symphony_cb(skb)->again == skb->again, "%u must not be lost: %d",
		  skb->id, skb->again);
	model.nr_vain += want;
	if (want)
		unused[nr_unused++] = skb;
	return want;
}

static void both_put(u32 i, struct sk_buff *skb)
{
	model_put(i, skb);
	symphony_order_put(&order, i, skb);
	if (skb->go_back)
		both_vain(i, skb);
}

static void put_job(u32 job, u32 qp, u16 step, u32 len)
{
	struct sk_buff *skb = packet(job, qp, step, len);
	u32 want = model_member(job);
	u32 i = symphony_order_member(&order, job);

	if (want == SYMPHONY_NONE)
		tap_check(i >= SYMPHONY_MEMBER_JOBS && !model.member[i].used,
			  "job %u: member %u is not a free one", job, i);
	else
		tap_check(i == want, "job %u: member %u, not %u", job, i, want);
	both_put(i, skb);
}

static struct sk_buff *both_take(struct symphony_taken *taken)
{
	struct symphony_taken want = { 0 };
	struct sk_buff *expected, *skb;

	if (!order.packets)
		return NULL;
	expected = model_take(&want);
	skb = symphony_order_take(&order, now, taken);
	if (!expected) {
		tap_check(!skb && order.hold_left == model.left,
			  "took %u of member %u, %u left, not nothing, %u left",
			  skb ? skb->id : 0, taken->member, order.hold_left, model.left);
		return NULL;
	}
	tap_check(skb == expected && taken->member == want.member &&
		  taken->passed == want.passed && taken->queue == want.queue &&
		  taken->waited == want.waited,
		  "took %u of member %u, queue %u, passed %d; not %u of %u, %u, %d",
		  skb ? skb->id : 0, taken->member, taken->queue, taken->passed,
		  expected->id, want.member, want.queue, want.passed);
	unused[nr_unused++] = expected;
	return skb;
}

static struct sk_buff *both_drop(void)
{
	struct sk_buff *expected, *skb;
	bool want_ahead, ahead;
	u32 want, i;

	expected = model_drop(&want, &want_ahead);
	i = symphony_order_victim(&order);
	skb = symphony_order_drop(&order, i, &ahead);
	symphony_order_lost(&order, i, skb, symphony_cb(skb)->psn);
	tap_check(i == want && skb == expected && ahead == want_ahead,
		  "dropped %u of member %u, ahead %d, not %u of %u, %d", skb->id, i,
		  ahead, expected->id, want, want_ahead);
	unused[nr_unused++] = expected;
	return skb;
}

static void drained(void)
{
	struct symphony_taken taken;
	u32 i, nr = 0;

	while (order.packets && nr++ < 2 * PACKETS)
		if (!both_take(&taken))
			now += order.hold_left;
	tap_check(!order.packets && !order.bytes, "%u packets, %u bytes left",
		  order.packets, order.bytes);
	tap_check(!order.nr_fifos && !order.nr_more, "%u FIFOs left, %u more",
		  order.nr_fifos, order.nr_more);
	for (i = 0; i < SYMPHONY_MEMBERS; i++)
		tap_check(!members[i].bytes && !members[i].packets,
			  "member %u has %u bytes", i, members[i].bytes);
}

/* --- random traffic --- */

struct traffic {
	const char *name;
	u32 jobs;
	u32 steps;	/* how far apart they are */
	u32 most;	/* packets that wait at most */
	u32 limit;	/* bytes */
	u32 patience;
	u32 quantum;
	u32 control;	/* packets of 16 that are large ones without data */
	u32 hold;
	u32 pairs;
};

static u32 some_size(void)
{
	/* tc's size table can make a packet of any size */
	if (!rnd_below(400))
		return 1 << (16 + rnd_below(7));
	return rnd_below(20) ? 60 + rnd_below(1440) : rnd_below(65536);
}

static void random_put(const struct traffic *t, u16 base)
{
	u32 kind = rnd_below(16);

	if (kind < t->control)
		both_put(SYMPHONY_MEMBER_CONTROL, packet(0, 0, 0, some_size()));
	else if (kind < 2)
		both_put(kind, packet(0, 0, 0, kind ? some_size() : 66));
	else
		put_job(1 + rnd_below(t->jobs), 0,
			(base + rnd_below(t->steps)) & 0x3fff, some_size());
}

static void run(const struct traffic *t, u32 ops)
{
	struct symphony_taken taken;
	u16 base = rnd_below(1 << STEP_BITS);
	bool filling = true;

	hold = t->hold;
	pairs = t->pairs;
	begin(t->quantum, t->patience);
	room = t->limit;
	if (t->limit < ~0U)
		order.half = t->limit / 2;
	while (ops-- && tap_more()) {
		now += rnd_below(8) ? rnd_below(4) : rnd_below(200);
		if (!rnd_below(64))
			base += rnd_below(3);
		if (!rnd_below(256))
			ends = rnd_below(17);
		if (!rnd_below(256))
			goes_back = rnd_below(17);
		if (order.packets >= t->most)
			filling = false;
		else if (!order.packets || !rnd_below(200))
			filling = true;
		if (rnd_below(100) < (filling ? 70 : 30))
			random_put(t, base);
		else
			both_take(&taken);
		while (order.bytes > t->limit)
			both_drop();
	}
	ends = 0;
	goes_back = 0;
	drained();
	nr_held += model.nr_held;
	nr_again += model.nr_again;
	nr_vain += model.nr_vain;
	hold = 0;
	pairs = 1;
	room = ~0U;
	tap_point(t->name);
}

/* --- what follows --- */

/* A queue pair that carries one step after the other is not reordered. */
static void queue_pairs(u32 ops, u32 patience, bool share)
{
	static u16 step[64];
	static u32 last[64];
	struct symphony_taken taken;
	struct sk_buff *skb;
	u32 i;

	begin(1514, patience);
	memset(last, 0, sizeof(last));
	for (i = 0; i < 64; i++)
		step[i] = rnd_below(share ? 60 : 8);
	for (i = 0; i < ops || order.packets; i++) {
		u32 qp = rnd_below(64);

		now += rnd_below(40);
		if (i < ops && order.packets < 1000 && rnd_below(100) < 55) {
			u32 job = 1 + qp % 2;

			if (!rnd_below(12) && step[qp] < (share ? 8000 : 30))
				step[qp]++;
			put_job(job, qp, step[qp], 60 + rnd_below(1440));
			continue;
		}
		skb = both_take(&taken);
		if (!skb)
			continue;
		tap_check(skb->id > last[skb->qp], "qp %u: %u after %u",
			  skb->qp, skb->id, last[skb->qp]);
		last[skb->qp] = skb->id;
	}
	tap_check(model.shared == share, "FIFOs are shared: %d", model.shared);
}

/* Once a packet has waited for patience, nothing newer goes ahead in its job. */
static void patience(u32 ops)
{
	struct symphony_taken taken;
	struct sk_buff *skb;
	u32 i, j, k, late = 0;

	begin(1514, PATIENCE);
	for (i = 0; i < ops; i++) {
		now += rnd_below(20);
		if (order.packets < 300 && rnd_below(100) < 52) {
			put_job(1, 0, rnd_below(20), 60 + rnd_below(1440));
			continue;
		}
		skb = both_take(&taken);
		if (!skb)
			continue;
		for (j = 0; j < model.member[taken.member].nr; j++) {
			const struct model_fifo *f = model.member[taken.member].fifo[j];

			for (k = 0; k < f->nr; k++) {
				u32 when = symphony_cb(f->packet[k])->when;

				if (now - when <= PATIENCE)
					continue;
				late++;
				tap_check((s32)(symphony_cb(skb)->when - when) <= 0,
					  "%u went ahead of %u, which waits for %u",
					  skb->id, f->packet[k]->id, now - when);
			}
		}
	}
	tap_check(late, "nobody had to be patient");
}

/* Who always has packets gets as much as the others, to a turn and a packet. */
static void shares(u32 ops, u32 jobs)
{
	static u64 sent[SYMPHONY_MEMBERS];
	u32 biggest = 9000, turn = 1514 + biggest;
	struct symphony_taken taken;
	u64 control = 0, data = 0, before = 0;
	struct sk_buff *skb;
	u32 i, j;

	begin(1514, PATIENCE);
	memset(sent, 0, sizeof(sent));
	for (i = 0; i < jobs; i++)
		for (j = 0; j < 3; j++)
			put_job(1 + i, 0, j, 60 + rnd_below(biggest - 60));
	for (i = 0; i < ops; i++) {
		now++;
		/* what it did not use before gives it no more than a burst */
		if (i == ops / 2) {
			before = data;
			for (j = 0; j < 100; j++)
				both_put(SYMPHONY_MEMBER_CONTROL,
					 packet(0, 0, 0, 1000));
		}
		skb = both_take(&taken);
		if (taken.member == SYMPHONY_MEMBER_CONTROL) {
			control += skb->len;
			both_put(SYMPHONY_MEMBER_CONTROL, packet(0, 0, 0, 1000));
		} else {
			u32 size = taken.member % 2 ? 60 : biggest;

			data += skb->len;
			sent[skb->job] += skb->len;
			put_job(skb->job, 0, rnd_below(3), size);
		}
		tap_check(control <= SYMPHONY_CONTROL_BURST + (data - before) / 8 + 1000,
			  "control sent %llu of %llu", (unsigned long long)control,
			  (unsigned long long)(data - before));
		for (j = 2; j <= jobs; j++)
			tap_check(sent[1] <= sent[j] + 2 * turn &&
				  sent[j] <= sent[1] + 2 * turn,
				  "job %u sent %llu, job 1 %llu", j,
				  (unsigned long long)sent[j], (unsigned long long)sent[1]);
	}
	tap_check(control >= (data - before) / 9, "control sent %llu of %llu",
		  (unsigned long long)control, (unsigned long long)(data - before));
}

/* However large, a packet is paid for in so many turns; the others wait for that. */
static void giants(void)
{
	struct symphony_taken taken;
	struct sk_buff *skb;
	u32 i;

	for (i = 16; i <= 31; i++) {
		begin(1514, PATIENCE);
		put_job(1, 0, 0, 1U << i);
		skb = both_take(&taken);
		tap_check(order.members[taken.member].deficit + CHARGE_MAX >= 0 &&
			  order.credit > 0, "%u bytes: deficit %d, credit %d", skb->len,
			  order.members[taken.member].deficit, order.credit);
		both_put(SYMPHONY_MEMBER_CONTROL, packet(0, 0, 0, 1U << i));
		put_job(1, 0, 0, 60);
		both_take(&taken);
		tap_check(order.credit + CHARGE_MAX >= 0, "%u bytes: credit %d", 1U << i,
			  order.credit);
		drained();
	}
	tap_point("giant packets");
}

/* The step that leaves, or 0. */
static u16 leaves(void)
{
	struct symphony_taken taken;
	struct sk_buff *skb = both_take(&taken);

	return skb ? symphony_cb(skb)->step : 0;
}

/* One that is known in the place of another is not taken for it. */
static void not_held(void)
{
	const struct symphony_sender *place;
	u32 job = 1, pair = 2, i;

	hold = 50;
	begin(1514, PATIENCE);
	place = symphony_sender_of(&order, symphony_sender_key(1, 2));
	while (symphony_sender_of(&order, symphony_sender_key(++job, 2)) != place)
		;
	while (symphony_sender_of(&order, symphony_sender_key(1, ++pair)) != place)
		;
	tap_check(pair < 1 << SYMPHONY_PAIR_BITS, "no other sender in the same place");
	put_job(job, 2, 6, 1000);
	put_job(1, pair, 6, 1000);
	put_job(1, 2, 5, 1000);
	put_job(1, 2, 5, 1000);
	tap_check(leaves() && leaves() && leaves() && leaves(),
		  "nobody waits for another's step");
	for (i = 0; i < 2; i++) {
		put_job(i ? job : 1, i ? 2 : pair, 5, 1000);
		put_job(1, 2, 5, 1000);
		put_job(1, 2, 6, 1000);
		tap_check(leaves() && leaves() && leaves(),
			  "what another has sent is no packet of its");
	}
	drained();
	hold = 0;
}

/* Two steps of one sender side by side leave one after the other. */
static void held(void)
{
	u32 i;

	hold = 50;
	begin(1514, PATIENCE);
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 6, 1000);
	tap_check(leaves() == 5 && leaves() == 6, "one packet keeps nobody waiting");
	now += 100;
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 6, 1000);
	tap_check(leaves() == 5 && leaves() == 6, "nor does another much later");
	now += 99;
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 5, 1000);
	now += 99;
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 6, 1000);
	tap_check(leaves() == 5 && leaves() == 5 && leaves() == 5 && !leaves(), "step 6 waits");
	now += 50;
	tap_check(leaves() == 6, "step 6 goes on after a silence");
	put_job(1, 1, 5, 1000);
	for (i = 0; i < 20; i++) {
		now += 7;
		put_job(1, 1, 5, 1000);
		now += 7;
		put_job(1, 1, 6, 1000);
		tap_check(leaves() == 5 && (i || leaves() == 5), "step 5 goes on");
		tap_check(!leaves() && order.hold_left == 43, "step 6 waits");
	}
	/* another sender, another job and packets without data do not wait */
	put_job(1, 2, 4, 1000);
	put_job(2, 1, 6, 1000);
	both_put(SYMPHONY_MEMBER_OTHER, packet(0, 0, 0, 1000));
	for (i = 0; i < 3; i++)
		tap_check(model.turn[0] && both_take(&(struct symphony_taken){ 0 }),
			  "others go on");
	tap_check(!leaves(), "step 6 waits");
	/* nor does it keep what it has no share left for */
	order.credit = 0;
	model.credit = 0;
	both_put(SYMPHONY_MEMBER_CONTROL, packet(0, 0, 0, 100));
	tap_check(both_take(&(struct symphony_taken){ 0 }), "control goes on");
	/* the first that may go on is not the last that is asked */
	now += 20;
	put_job(2, 1, 5, 1000);
	put_job(2, 1, 5, 1000);
	put_job(2, 1, 6, 1000);
	tap_check(leaves() == 5 && leaves() == 5 && !leaves() && order.hold_left == 23,
		  "both wait");
	now += 22;
	tap_check(!leaves() && order.hold_left == 1, "step 6 waits to the end");
	now++;
	tap_check(leaves() == 6, "step 6 goes on after a silence");
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 5, 1000);
	tap_check(leaves() == 5 && leaves() == 5 && !leaves(), "step 5 is back");
	order.half = order.bytes - 1;
	tap_check(leaves() == 6, "a queue that fills holds nobody");
	order.half = ~0U;
	tap_check(!leaves(), "step 6 waits");
	ends = 16;
	put_job(1, 1, 5, 1000);
	ends = 0;
	tap_check(leaves() == 5 && leaves() == 6, "step 5 has ended");
	drained();
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 6, 1000);
	tap_check(leaves() == 5 && leaves() == 5, "step 5 goes on");
	for (i = 0; i < PATIENCE / 40; i++) {
		now += 40;
		tap_check(!leaves(), "step 6 waits");
		put_job(1, 1, 5, 1000);
		tap_check(leaves() == 5, "step 5 goes on");
	}
	now += 40;
	put_job(1, 1, 5, 1000);
	tap_check(leaves() == 6, "step 6 has waited for patience");
	drained();
	hold = 0;
}

/* Only the next step waits, also where the numbers wrap. */
static void next_held(void)
{
	u16 last = (1 << STEP_BITS) - 1;

	hold = 50;
	begin(1514, PATIENCE);
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 7, 1000);
	tap_check(leaves() == 5 && leaves() == 5 && leaves() == 7,
		  "step 7 does not wait for step 5");
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 5, 1000);
	put_job(1, 1, 6, 1000);
	tap_check(leaves() == 5 && leaves() == 5 && !leaves(), "step 6 waits for step 5");
	now += 50;
	tap_check(leaves() == 6, "step 6 goes on after a silence");
	drained();
	put_job(1, 2, last, 1000);
	put_job(1, 2, last, 1000);
	put_job(1, 2, 1, 1000);
	tap_check(leaves() == last && leaves() == last && leaves() == 1,
		  "step 1 does not wait for the last");
	put_job(1, 2, last, 1000);
	put_job(1, 2, last, 1000);
	put_job(1, 2, 0, 1000);
	tap_check(leaves() == last && leaves() == last && !leaves(), "step 0 waits for the last");
	now += 50;
	tap_check(both_take(&(struct symphony_taken){ 0 }), "step 0 goes on after a silence");
	drained();
	hold = 0;
}

static void put_end(u16 step)
{
	u32 before = ends;

	ends = 16;
	put_job(1, 0, step, 1000);
	ends = before;
}

/* A packet of a flow that has nothing but this one in the random traffic. */
static void put_psn(u16 step, u32 psn)
{
	struct sk_buff *skb = packet(1, 0, step, 1000);

	symphony_cb(skb)->set = FLOW_SET;
	symphony_cb(skb)->tag = FLOW_TAGS;
	symphony_cb(skb)->psn = psn;
	skb->go_back = true;
	both_put(symphony_order_member(&order, 1), skb);
}

/* Ends of messages outlast what is before them, also of smaller steps. */
static void spared_ends(void)
{
	u32 i;

	begin(1514, PATIENCE);
	for (i = 0; i < 3; i++)
		put_job(1, 0, 5, 1000);
	for (i = 6; i <= 7; i++) {
		put_job(1, 0, i, 1000);
		put_end(i);
	}
	for (i = 7; i >= 5; i--)
		tap_check(symphony_cb(both_drop())->step == i, "step %u loses a packet", i);
	for (i = 2; i < 15; i++)
		put_end(8);
	tap_check(symphony_cb(both_drop())->step == 5, "15 ends are spared");
	put_end(8);
	tap_check(symphony_cb(both_drop())->step == 8, "16 ends are not");
	drained();
}

/* A flow that goes back to what it lost does not lose it again. */
static void spared_repeats(void)
{
	u32 i;

	begin(1514, PATIENCE);
	for (i = 1; i <= 4; i++)
		put_psn(5, i);
	for (i = 4; i >= 3; i--)
		tap_check(symphony_cb(both_drop())->psn == i, "%u is lost", i);
	put_psn(5, 3);
	tap_check(symphony_cb(both_drop())->psn == 2, "3 is a repeat");
	put_psn(5, 2);
	tap_check(symphony_cb(both_drop())->psn == 1, "who goes back further has to");
	drained();
}

/* A repeat of what was lost elsewhere is known where its flow is followed. */
static void spared_elsewhere(void)
{
	begin(1514, PATIENCE);
	order.half = 1000;
	put_psn(5, 1);
	put_psn(5, 2);
	put_psn(5, 9);
	put_psn(5, 3);
	tap_check(symphony_cb(both_drop())->psn == 9, "3 is a repeat, 9 none");
	drained();
}

static void gap(u32 psn, u16 step, bool kept)
{
	u32 before = order.packets;

	put_psn(step, psn);
	tap_check(order.packets == before + kept, "%u of step %u: kept %d", psn, step,
		  order.packets > before);
}

/* What follows a loss is dropped, but for one packet when its step's turn has come. */
static void gaps(void)
{
	struct symphony_taken taken;

	begin(1514, PATIENCE);
	put_job(1, 0, 5, 1000);
	gap(1, 6, true);
	gap(2, 6, true);
	tap_check(symphony_cb(both_drop())->psn == 2, "2 is lost");
	gap(3, 6, false);
	gap(4, 6, false);
	both_take(&taken);
	gap(5, 6, true);
	gap(6, 6, false);
	tap_check(symphony_cb(both_drop())->psn == 1, "5 is to make the receiver ask");
	gap(1, 6, true);
	gap(2, 6, true);
	gap(3, 6, true);
	drained();
	tap_check(model.nr_vain == 3, "3 packets in vain, not %u", model.nr_vain);
}

/* That one may be lost itself, and then another makes the receiver ask. */
static void gap_asked_anew(void)
{
	begin(1514, PATIENCE);
	gap(1, 6, true);
	gap(2, 6, true);
	tap_check(symphony_cb(both_drop())->psn == 2, "2 is lost");
	gap(3, 6, true);
	gap(4, 6, false);
	both_drop();
	tap_check(symphony_cb(both_drop())->psn == 3, "3 is lost, as it is all there is");
	gap(5, 6, true);
	drained();
}

/*
 * A sender that goes back further than to the loss sends some again that had come. To
 * lose those means nothing. One that does not go back as far has no need of it.
 */
static void gap_passed(void)
{
	u32 i;

	begin(1514, PATIENCE);
	put_job(1, 0, 5, 1000);
	for (i = 1; i <= 4; i++)
		gap(i, 6, true);
	tap_check(symphony_cb(both_drop())->psn == 4, "4 is lost");
	gap(5, 6, false);
	gap(2, 6, true);
	gap(3, 6, true);
	tap_check(symphony_cb(both_drop())->psn == 3, "3 had come");
	gap(4, 6, true);
	tap_check(symphony_cb(both_drop())->psn == 3, "4 is spared, the first 3 is lost");
	gap(5, 6, false);
	gap(4, 6, true);
	gap(5, 6, true);
	drained();
}

static bool known(struct symphony_losses *flows, u32 tag, u32 when)
{
	struct symphony_cb cb = { .set = 3, .tag = tag, .psn = tag, .when = when };

	symphony_loss_look(flows, &cb, tag, true, PATIENCE);
	return cb.again;
}

/* A fifth flow of a set takes the place of the oldest, but of none that lost something. */
static void loss_places(void)
{
	struct symphony_cb lost = { .set = 3, .tag = 2, .psn = 2, .when = -2U };
	struct symphony_losses flows = { .flows = losses };
	u32 i;

	symphony_loss_follows(&flows, true, -9U);
	for (i = 1; i <= 5; i++)
		tap_check(!known(&flows, i, i - 4), "%u is new", i);
	for (i = 5; i >= 2; i--)
		tap_check(known(&flows, i, 7 - i), "%u is known", i);
	symphony_loss_note(&flows, &lost, 2);
	tap_check(!known(&flows, 1, 10), "1 is not");
	tap_check(known(&flows, 2, 11), "2 lost something, and is known");
	tap_check(!known(&flows, 5, 12), "5 was silent for longest");
}

/* Flows are followed for a second after the last drop, of whatever kind. */
static void gap_goes_on(void)
{
	begin(1514, 4 << 20);
	put_job(1, 0, 5, 1000);
	gap(1, 6, true);
	both_drop();
	now += 1 << 20;
	gap(2, 6, false);
	now += 1 << 20;
	gap(3, 6, false);
	now += (1 << 20) + 1;
	gap(4, 6, true);
	drained();
}

/* Nobody is dropped for ever: who has not come back in time does not go back. */
static void gap_given_up(void)
{
	begin(1514, PATIENCE);
	put_job(1, 0, 5, 1000);
	gap(1, 6, true);
	both_drop();
	now += PATIENCE;
	gap(2, 6, false);
	now++;
	gap(3, 6, true);
	gap(4, 6, false);
	now += PATIENCE + 1;
	gap(5, 6, true);
	drained();
	gap(6, 6, true);
	both_drop();
	now += (1 << 20) + 1;
	put_job(1, 0, 5, 1000);
	gap(7, 6, true);
	drained();
}

int main(int argc, char **argv)
{
	static const struct traffic traffic[] = {
		{ "one job, one step", 1, 1, 300, ~0U, 500, 1514, 0, 0, 1 },
		{ "one job, some steps", 1, 6, 500, ~0U, 500, 1514, 0, 0, 1 },
		{ "a few jobs, no patience", 5, 8, 500, ~0U, 1, 1514, 0, 0, 1 },
		{ "a few jobs, endless patience", 5, 8, 500, ~0U, 1 << 30, 4096, 0, 0, 1 },
		{ "more steps than FIFOs", 3, 100, 600, ~0U, 500, 1514, 0, 0, 1 },
		{ "more steps than FIFOs, endless patience", 3, 100, 600, ~0U, 1 << 30, 1514, 0,
		  0, 1 },
		{ "more steps than FIFOs, and a limit", 2, 100, 600, 200000, 500, 1514, 0, 0, 1 },
		{ "a flood without data", 2, 4, 600, ~0U, 500, 1514, 10, 0, 1 },
		{ "a limit", 4, 6, 600, 100000, 500, 1514, 0, 0, 1 },
		{ "a limit and many jobs", 40, 3, 600, 200000, 500, 1514, 0, 0, 1 },
		{ "jobs without steps ahead and a limit", 9, 1, 600, 50000, 500, 1514, 0, 0, 1 },
		{ "a sender's steps, one after the other", 1, 2, 500, ~0U, 5000, 1514, 0, 900, 1 },
		{ "senders that are held", 3, 3, 500, ~0U, 2000, 1514, 0, 200, 3 },
		{ "many that are held", 30, 2, 400, ~0U, 5000, 9000, 0, 2000, 9 },
		{ "more senders than are known", 60, 3, 2000, ~0U, 50000, 1514, 0, 20000, 36 },
		{ "held up to a limit", 3, 3, 60, 200000, 2000, 1514, 0, 200, 2 },
	};
	u32 ops = tap_repeats(argc, argv, 20000);
	struct traffic crowd = {
		"more jobs than members, and than FIFOs", 1100, 30, 15000, ~0U, 500, 1514, 0, 0, 1
	};
	u32 i;

	tap_begin();
	for (i = 0; i < ARRAY_SIZE(traffic); i++)
		run(&traffic[i], ops);
	tap_check(nr_held > 10 || ops < 10000, "held %u times", nr_held);
	tap_check(nr_again > 20 || ops < 10000, "%u repeats asked for", nr_again);
	tap_check(nr_vain > 20 || ops < 10000, "%u packets in vain", nr_vain);
	run(&crowd, 60000);
	tap_check(model.spilled && model.exhausted, "jobs spilled: %d, FIFOs exhausted: %d",
		  model.spilled, model.exhausted);
	tap_point("a crowd is one");
	queue_pairs(ops, 1 << 30, false);
	queue_pairs(ops, 300, false);
	queue_pairs(ops, 1, false);
	queue_pairs(40000, 300, true);
	drained();
	tap_point("no queue pair is reordered");
	giants();
	held();
	next_held();
	not_held();
	tap_point("a sender's later step waits for its earlier one");
	spared_ends();
	spared_repeats();
	spared_elsewhere();
	tap_point("what a sender would wait a timer for is spared");
	gaps();
	gap_asked_anew();
	gap_goes_on();
	gap_given_up();
	loss_places();
	gap_passed();
	tap_point("what receivers would throw away is dropped");
	patience(ops);
	tap_point("who has waited for patience is not overtaken");
	shares(ops / 4, 1);
	shares(ops / 4, 2);
	shares(ops / 4, 30);
	tap_point("jobs have equal shares, control no more than its own");
	return tap_end();
}
