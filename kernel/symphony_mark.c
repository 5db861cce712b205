// SPDX-License-Identifier: GPL-2.0
/* Marks: which queue length earns one, and setting CE on a packet of anyone. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include <net/inet_ecn.h>
#include <net/pkt_sched.h>

#include "symphony.h"
#include "symphony_clock.h"
#include "symphony_judge.h"
#include "symphony_mark.h"

/* Time over which the rate of service is taken, and the weight of the last. */
#define SYMPHONY_MEASURE_NS	NSEC_PER_MSEC
#define SYMPHONY_MEASURE_SHIFT	2

static u64 symphony_threshold(u32 bytes, u64 time, u64 rate)
{
	u64 product;

	if (!time)
		return bytes;
	if (check_mul_overflow(time, rate, &product))
		return TC_SYMPHONY_ECN_BYTES_MAX;
	return min_t(u64, div_u64(product, NSEC_PER_SEC),
		     TC_SYMPHONY_ECN_BYTES_MAX);
}

/**
 * symphony_ramp_set() - what the thresholds are in bytes
 * @q: the qdisc's data, with its configuration
 *
 * Thresholds in time need a rate: as long as there is none, nothing is marked.
 *
 * Context: lock of the qdisc's tree held.
 */
void symphony_ramp_set(struct symphony_sched_data *q)
{
	const struct symphony_config *cfg = &q->config;
	u64 rate = cfg->ecn_rate ?: q->rate;
	u64 low, high;

	low = symphony_threshold(cfg->ecn_min, cfg->ecn_min_time, rate);
	high = symphony_threshold(cfg->ecn_max, cfg->ecn_max_time, rate);
	q->measuring = cfg->ecn_max_time && !cfg->ecn_rate;
	q->congestion = cfg->ecn_max || (cfg->ecn_max_time && rate);
	q->ramp = (struct symphony_ramp) {
		.min = low,
		.span = high > low ? high - low : 0,
		.prob = cfg->ecn_prob,
	};
	q->shield_ramp = (struct symphony_ramp) {
		.min = low * cfg->shield,
		.span = q->ramp.span * cfg->shield,
		.prob = cfg->ecn_prob,
	};
}

/**
 * symphony_measure() - a packet has left whose queue's thresholds are times
 * @q: the qdisc's data
 * @len: its bytes
 * @backlogged: whether others wait: the rate of an empty queue is not the link's
 *
 * Context: lock of the qdisc's tree held.
 */
void symphony_measure(struct symphony_sched_data *q, u32 len, bool backlogged)
{
	u64 now = symphony_now(q);
	u64 rate;

	if (!backlogged) {
		q->rate_since = 0;
		return;
	}
	if (!q->rate_since) {
		q->rate_since = now;
		q->rate_bytes = 0;
		return;
	}
	q->rate_bytes += len;
	if (now - q->rate_since < SYMPHONY_MEASURE_NS)
		return;
	rate = div64_u64(q->rate_bytes * NSEC_PER_SEC, now - q->rate_since);
	if (q->rate)
		rate = q->rate - (q->rate >> SYMPHONY_MEASURE_SHIFT) +
		       (rate >> SYMPHONY_MEASURE_SHIFT);
	q->rate = min_t(u64, rate, TC_SYMPHONY_ECN_RATE_MAX);
	q->rate_since = now;
	q->rate_bytes = 0;
	symphony_ramp_set(q);
}

/**
 * symphony_ramp_marks() - whether a queue's length above the ramp's begin marks
 * @q: the qdisc's data, with congestion marking on
 * @pkt: the packet
 * @queue: bytes of the queue that it leaves behind
 * @due: what symphony_judge() found
 * @weight: packets of the wire that it stands for
 *
 * Context: lock of the qdisc's tree held.
 * Return: true if the packet is due for a mark.
 */
bool symphony_ramp_marks(struct symphony_sched_data *q,
			 const struct symphony_pkt *pkt, u32 queue, u32 due,
			 u32 weight)
{
	u32 random = prandom_u32_state(&q->rnd);

	if (!symphony_ramp_coin(&q->ramp, queue, random))
		return false;
	if (!(due & SYMPHONY_DUE_SHIELD) ||
	    symphony_ramp_coin(&q->shield_ramp, queue, random))
		return true;
	if (pkt->flags & SYMPHONY_PKT_INNER_ECT)
		symphony_count(q, SHIELDED, weight);
	return false;
}

/*
 * A packet that somebody else holds on to, such as pktgen, can get no head of
 * its own; a clone can, and takes its place.
 */
static bool symphony_unshare(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb, *clone;

	if (likely(!skb_shared(skb)))
		return true;
	clone = skb_clone(skb, GFP_ATOMIC);
	if (!clone)
		return false;
	consume_skb(skb);
	*pskb = clone;
	return true;
}

static bool symphony_set_ce(struct sk_buff **pskb,
			    const struct symphony_pkt *pkt)
{
	u32 end = pkt->ip_offset;
	struct sk_buff *skb;

	end += pkt->ip_version == 4 ? sizeof(struct iphdr) :
				      sizeof(struct ipv6hdr);
	if (!symphony_unshare(pskb))
		return false;
	skb = *pskb;
	/* segments that have headers of their own, not a copy of this one */
	if (skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST && skb_linearize(skb))
		return false;
	if (skb_ensure_writable(skb, end))
		return false;
	if (pkt->ip_version == 4)
		IP_ECN_set_ce((struct iphdr *)(skb->data + pkt->ip_offset));
	else
		IP6_ECN_set_ce(skb,
			       (struct ipv6hdr *)(skb->data + pkt->ip_offset));
	return true;
}

/* Whether marks are only counted: a job may have a mode of its own. */
static bool symphony_observes(const struct symphony_sched_data *q, u32 due)
{
	if (due & (SYMPHONY_DUE_MARK | SYMPHONY_DUE_OBSERVE))
		return due & SYMPHONY_DUE_OBSERVE;
	return q->config.mode == TC_SYMPHONY_MODE_OBSERVE;
}

/**
 * symphony_mark() - set CE on a packet that is due for it
 * @q: the qdisc's data
 * @skb: the packet
 * @pkt: what the parser found
 * @due: what symphony_judge() found; without %SYMPHONY_DUE_AHEAD the mark is
 *	for congestion
 * @weight: packets of the wire that it stands for
 *
 * Context: lock of the qdisc's tree held, bottom halves off.
 * Return: the packet, or a clone in its place.
 */
struct sk_buff *symphony_mark(struct symphony_sched_data *q,
			      struct sk_buff *skb,
			      const struct symphony_pkt *pkt, u32 due,
			      u32 weight)
{
	u32 len = qdisc_pkt_len(skb);

	if (pkt->ecn == INET_ECN_CE) {
		symphony_count(q, ALREADY_CE, weight);
	} else if (!(pkt->flags & SYMPHONY_PKT_INNER_ECT)) {
		symphony_count(q, NOT_ECT, weight);
	} else if (symphony_observes(q, due)) {
		symphony_count(q, WOULD_MARK, weight);
		symphony_count(q, WOULD_MARK_BYTES, len);
	} else if (!symphony_set_ce(&skb, pkt)) {
		symphony_count(q, MARK_FAILED, weight);
	} else if (due & SYMPHONY_DUE_AHEAD) {
		symphony_count(q, MARKED, weight);
		symphony_count(q, MARKED_BYTES, len);
	} else {
		symphony_count(q, ECN_MARKED, weight);
	}
	return skb;
}
