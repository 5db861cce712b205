// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink configuration. A change is parsed and checked into a copy, memory is
 * allocated, and only then the copy is committed under the tree lock: a
 * refused change leaves no trace.
 */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>

#include "compat/compat.h"
#include "symphony.h"
#include "symphony_config.h"
#include "symphony_judge.h"
#include "symphony_mark.h"
#include "symphony_net.h"
#include "symphony_queue.h"

/* Default thresholds of queue order: so many of them fill the room. */
#define SYMPHONY_SHARE_MIN	8
#define SYMPHONY_SHARE_MAX	2
#define SYMPHONY_SHARE_PROB	(SYMPHONY_ONE / 5)

/*
 * A room below this may not have the data of those ahead. A mark on a packet that has
 * waited for its turn slows its sender when the turn has come, and the drop came before:
 * there is none by default.
 */
#define SYMPHONY_ROOM_SMALL	(32 << 20)

/* Bytes of a packet where the limit in packets is the narrower one. */
#define SYMPHONY_USUAL_PACKET	1024

/*
 * Default of hold where a pause is nobody else's, on the link itself: the time of
 * so many bits, and no less than this, ns.
 */
#define SYMPHONY_HOLD_BITS	80000
#define SYMPHONY_HOLD_MIN	(8 * NSEC_PER_USEC)

/* Tosses after which a generator's four parts differ; as the kernel's own. */
#define SYMPHONY_WARM_UP	10

/* not const: kernels before 6.12 want it so */
static struct netlink_range_validation symphony_range_limit = {
	.min = 1, .max = TC_SYMPHONY_LIMIT_MAX,
};

static struct netlink_range_validation symphony_range_one = {
	.max = TC_SYMPHONY_ONE,
};

static struct netlink_range_validation symphony_range_window = {
	.min = TC_SYMPHONY_WINDOW_MIN, .max = TC_SYMPHONY_WINDOW_MAX,
};

static struct netlink_range_validation symphony_range_packets = {
	.max = TC_SYMPHONY_WARMUP_MAX,
};

static struct netlink_range_validation symphony_range_alpha = {
	.min = 1, .max = TC_SYMPHONY_ALPHA_MAX,
};

static struct netlink_range_validation symphony_range_job_id = {
	.min = 1, .max = TC_SYMPHONY_JOB_MAX,
};

static struct netlink_range_validation symphony_range_jobs = {
	.min = 1, .max = TC_SYMPHONY_JOBS_MAX,
};

static struct netlink_range_validation symphony_range_flows = {
	.min = TC_SYMPHONY_FLOWS_MIN, .max = TC_SYMPHONY_FLOWS_MAX,
};

static struct netlink_range_validation symphony_range_idle = {
	.min = TC_SYMPHONY_IDLE_MIN, .max = TC_SYMPHONY_IDLE_MAX,
};

static struct netlink_range_validation symphony_range_ecn = {
	.max = TC_SYMPHONY_ECN_BYTES_MAX,
};

static struct netlink_range_validation symphony_range_patience = {
	.min = TC_SYMPHONY_PATIENCE_MIN, .max = TC_SYMPHONY_PATIENCE_MAX,
};

static struct netlink_range_validation symphony_range_hold = {
	.max = TC_SYMPHONY_HOLD_MAX,
};

static struct netlink_range_validation symphony_range_limit_bytes = {
	.min = 1, .max = TC_SYMPHONY_LIMIT_BYTES_MAX,
};

static struct netlink_range_validation symphony_range_ecn_time = {
	.max = TC_SYMPHONY_ECN_TIME_MAX,
};

static struct netlink_range_validation symphony_range_ecn_rate = {
	.max = TC_SYMPHONY_ECN_RATE_MAX,
};

static struct netlink_range_validation symphony_range_gap = {
	.min = TC_SYMPHONY_GAP_MIN, .max = TC_SYMPHONY_GAP_MAX,
};

static const struct nla_policy symphony_policy[TCA_SYMPHONY_MAX + 1] = {
	[TCA_SYMPHONY_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32,
						     &symphony_range_limit),
	[TCA_SYMPHONY_K] = NLA_POLICY_FULL_RANGE(NLA_U32, &symphony_range_one),
	[TCA_SYMPHONY_TAU] = NLA_POLICY_FULL_RANGE(NLA_U32,
						   &symphony_range_one),
	[TCA_SYMPHONY_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U64,
						      &symphony_range_window),
	[TCA_SYMPHONY_WARMUP] = NLA_POLICY_FULL_RANGE(NLA_U32,
						      &symphony_range_packets),
	[TCA_SYMPHONY_SAMPLES] = NLA_POLICY_FULL_RANGE(NLA_U32,
						       &symphony_range_packets),
	[TCA_SYMPHONY_ALPHA_MAX] = NLA_POLICY_FULL_RANGE(NLA_U32,
							 &symphony_range_alpha),
	[TCA_SYMPHONY_PROTO] = NLA_POLICY_MAX(NLA_U32,
					      __TC_SYMPHONY_PROTO_MAX - 1),
	[TCA_SYMPHONY_JOB] = NLA_POLICY_MAX(NLA_U32,
					    __TC_SYMPHONY_JOB_MAX - 1),
	[TCA_SYMPHONY_JOB_ID] = NLA_POLICY_FULL_RANGE(NLA_U32,
						      &symphony_range_job_id),
	[TCA_SYMPHONY_STEP] = NLA_POLICY_MAX(NLA_U32,
					     __TC_SYMPHONY_STEP_MAX - 1),
	[TCA_SYMPHONY_PSN] = NLA_POLICY_MAX(NLA_U32,
					    __TC_SYMPHONY_PSN_MAX - 1),
	[TCA_SYMPHONY_JOBS] = NLA_POLICY_FULL_RANGE(NLA_U32,
						    &symphony_range_jobs),
	[TCA_SYMPHONY_FLOWS] = NLA_POLICY_FULL_RANGE(NLA_U32,
						     &symphony_range_flows),
	[TCA_SYMPHONY_IDLE] = NLA_POLICY_FULL_RANGE(NLA_U64,
						    &symphony_range_idle),
	[TCA_SYMPHONY_DOMAIN] = { .type = NLA_U32 },
	[TCA_SYMPHONY_MODE] = NLA_POLICY_MAX(NLA_U32,
					     __TC_SYMPHONY_MODE_MAX - 1),
	[TCA_SYMPHONY_SEED] = { .type = NLA_U64 },
	[TCA_SYMPHONY_ECN_MIN] = NLA_POLICY_FULL_RANGE(NLA_U32,
						       &symphony_range_ecn),
	[TCA_SYMPHONY_ECN_MAX] = NLA_POLICY_FULL_RANGE(NLA_U32,
						       &symphony_range_ecn),
	[TCA_SYMPHONY_ECN_PROB] = NLA_POLICY_FULL_RANGE(NLA_U32,
							&symphony_range_one),
	[TCA_SYMPHONY_SHIELD] = NLA_POLICY_RANGE(NLA_U32, 1,
						 TC_SYMPHONY_SHIELD_MAX),
	[TCA_SYMPHONY_QUEUE] = NLA_POLICY_MAX(NLA_U32,
					      __TC_SYMPHONY_QUEUE_MAX - 1),
	[TCA_SYMPHONY_PATIENCE] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &symphony_range_patience),
	[TCA_SYMPHONY_LIMIT_BYTES] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &symphony_range_limit_bytes),
	[TCA_SYMPHONY_ECN_MIN_TIME] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &symphony_range_ecn_time),
	[TCA_SYMPHONY_ECN_MAX_TIME] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &symphony_range_ecn_time),
	[TCA_SYMPHONY_ECN_RATE] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &symphony_range_ecn_rate),
	[TCA_SYMPHONY_MESSAGES] = NLA_POLICY_RANGE(NLA_U32, 1,
						   TC_SYMPHONY_MESSAGES_MAX),
	[TCA_SYMPHONY_GAP] = NLA_POLICY_FULL_RANGE(NLA_U64,
						   &symphony_range_gap),
	[TCA_SYMPHONY_HOLD] = NLA_POLICY_FULL_RANGE(NLA_U64,
						    &symphony_range_hold),
};

/* The policy's own message names neither the option nor its range. */
static const char * const symphony_refusals[TCA_SYMPHONY_MAX + 1] = {
	[TCA_SYMPHONY_LIMIT] = "limit must be from 1 to 1073741824 packets",
	[TCA_SYMPHONY_K] = "k must be from 0 to 1",
	[TCA_SYMPHONY_TAU] = "tau must be from 0 to 1",
	[TCA_SYMPHONY_WINDOW] = "window must be from 1us to 60s",
	[TCA_SYMPHONY_WARMUP] = "warmup must be from 0 to 16777215 packets",
	[TCA_SYMPHONY_SAMPLES] = "samples must be from 0 to 16777215 packets",
	[TCA_SYMPHONY_ALPHA_MAX] = "alpha_max must be from 1 to 65535",
	[TCA_SYMPHONY_PROTO] = "proto must be rocev2 or uet",
	[TCA_SYMPHONY_JOB] = "job must be resv, dscp, filter or fixed",
	[TCA_SYMPHONY_JOB_ID] = "job fixed must be from 1 to 16777215",
	[TCA_SYMPHONY_STEP] = "step must be sport, spdcid, msgid or count",
	[TCA_SYMPHONY_PSN] = "psn must be relative or absolute",
	[TCA_SYMPHONY_JOBS] = "jobs must be from 1 to 65535",
	[TCA_SYMPHONY_FLOWS] = "flows must be from 4 to 4194304",
	[TCA_SYMPHONY_IDLE] = "idle must be from 1ms to 86400s",
	[TCA_SYMPHONY_DOMAIN] = "domain must be a 32-bit number",
	[TCA_SYMPHONY_MODE] = "mode must be mark, observe or prio",
	[TCA_SYMPHONY_SEED] = "seed must be a 64-bit number",
	[TCA_SYMPHONY_ECN_MIN] = "ecn_min must be from 0 to 268435456 bytes",
	[TCA_SYMPHONY_ECN_MAX] = "ecn_max must be from 0 to 268435456 bytes",
	[TCA_SYMPHONY_ECN_PROB] = "ecn_prob must be from 0 to 1",
	[TCA_SYMPHONY_SHIELD] = "shield must be from 1 to 64",
	[TCA_SYMPHONY_QUEUE] = "queue must be child or order",
	[TCA_SYMPHONY_PATIENCE] = "patience must be from 1us to 60s",
	[TCA_SYMPHONY_LIMIT_BYTES] =
		"limit_bytes must be from 1 to 1073741824 bytes",
	[TCA_SYMPHONY_ECN_MIN_TIME] = "ecn_min must be from 0 to 60s",
	[TCA_SYMPHONY_ECN_MAX_TIME] = "ecn_max must be from 0 to 60s",
	[TCA_SYMPHONY_ECN_RATE] =
		"ecn_rate must be from 0 to 1000000000000 bytes a second",
	[TCA_SYMPHONY_MESSAGES] = "messages must be from 1 to 16",
	[TCA_SYMPHONY_GAP] = "gap must be from 100us to 60s",
	[TCA_SYMPHONY_HOLD] = "hold must be from 0 to 60s",
};

static const struct symphony_config symphony_defaults = {
	.params = {
		.tau = SYMPHONY_ONE / 4,
		.window = 100 * NSEC_PER_USEC,
		.warmup = 8,
		.samples = 8,
		.alpha_max = TC_SYMPHONY_ALPHA_MAX,
		.step_bits = 14,
	},
	.idle = 60 * NSEC_PER_SEC,
	.messages = 1,
	.gap = 100 * NSEC_PER_MSEC,
	.jobs_max = 16384,
	.flows_max = 65536,
	.ecn_prob = SYMPHONY_ONE,
	.shield = 1,
	.limit_bytes = 64 << 20,
	.patience = 25 * NSEC_PER_MSEC,
};

/* Default gains: in queue order who runs ahead waits, and marks gain nothing. */
static const u32 symphony_gains[__TC_SYMPHONY_QUEUE_MAX] = {
	[TC_SYMPHONY_QUEUE_CHILD] = SYMPHONY_ONE / 100,
	[TC_SYMPHONY_QUEUE_ORDER] = 0,
};

/* Default limits in packets; bytes are what shall bind queue order. */
static const u32 symphony_limits[__TC_SYMPHONY_QUEUE_MAX] = {
	[TC_SYMPHONY_QUEUE_CHILD] = 1000,
	[TC_SYMPHONY_QUEUE_ORDER] = 65536,
};

static int symphony_parse_nest(struct nlattr **tb, struct nlattr *opt,
			       struct netlink_ext_ack *extack)
{
	int err = nla_parse_nested(tb, TCA_SYMPHONY_MAX, opt, symphony_policy,
				   extack);

	/* @opt itself is at fault if it is not marked as a nest */
	if (err && extack && extack->bad_attr && extack->bad_attr != opt) {
		int type = nla_type(extack->bad_attr);

		if (type <= TCA_SYMPHONY_MAX && symphony_refusals[type])
			extack->_msg = symphony_refusals[type];
	}
	return err;
}

static void symphony_read_u32(u32 *value, const struct nlattr *attr)
{
	if (attr)
		*value = nla_get_u32(attr);
}

static void symphony_read_u64(u64 *value, const struct nlattr *attr)
{
	if (attr)
		*value = nla_get_u64(attr);
}

/* Options that stand for themselves. */
static void symphony_read_plain(struct symphony_config *cfg,
				struct nlattr **tb)
{
	symphony_read_u32(&cfg->params.tau, tb[TCA_SYMPHONY_TAU]);
	symphony_read_u64(&cfg->params.window, tb[TCA_SYMPHONY_WINDOW]);
	symphony_read_u32(&cfg->params.warmup, tb[TCA_SYMPHONY_WARMUP]);
	symphony_read_u32(&cfg->params.samples, tb[TCA_SYMPHONY_SAMPLES]);
	symphony_read_u32(&cfg->params.alpha_max, tb[TCA_SYMPHONY_ALPHA_MAX]);
	symphony_read_u32(&cfg->psn, tb[TCA_SYMPHONY_PSN]);
	symphony_read_u64(&cfg->idle, tb[TCA_SYMPHONY_IDLE]);
	symphony_read_u32(&cfg->mode, tb[TCA_SYMPHONY_MODE]);
}

/* Bytes of which default thresholds are shares. */
static u32 symphony_room(const struct symphony_config *cfg)
{
	u64 packets = (u64)cfg->limit * SYMPHONY_USUAL_PACKET;
	u32 most = SYMPHONY_SHARE_MAX * TC_SYMPHONY_ECN_BYTES_MAX;

	return min3(packets, (u64)cfg->limit_bytes, (u64)most);
}

/* Whether nobody is between the qdisc and its device or transmit queue. */
static bool symphony_feeds_link(struct Qdisc *sch)
{
	const struct Qdisc *root = rtnl_dereference(qdisc_dev(sch)->qdisc);

	if (sch->parent == TC_H_ROOT)
		return true;
	return root && root->flags & TCQ_F_MQROOT &&
	       TC_H_MAJ(sch->parent) == root->handle;
}

/* The slower the link, the longer is it until a sender's next packet. */
static u64 symphony_hold_of_link(struct Qdisc *sch)
{
	struct ethtool_link_ksettings link;
	u64 time;

	if (netif_get_link_ksettings(qdisc_dev(sch), &link) ||
	    !link.base.speed || link.base.speed == SPEED_UNKNOWN)
		return SYMPHONY_HOLD_MIN;
	time = div_u64(SYMPHONY_HOLD_BITS * NSEC_PER_USEC, link.base.speed);
	return max_t(u64, time, SYMPHONY_HOLD_MIN);
}

/* Parents such as htb and drr expect that who has packets has one now. */
static void symphony_read_hold(struct symphony_config *cfg, struct Qdisc *sch,
			       struct nlattr **tb)
{
	if (tb[TCA_SYMPHONY_HOLD])
		cfg->hold_given = true;
	if (!cfg->hold_given)
		cfg->hold = symphony_feeds_link(sch) ? symphony_hold_of_link(sch) : 0;
	symphony_read_u64(&cfg->hold, tb[TCA_SYMPHONY_HOLD]);
}

static int symphony_read_queue(struct symphony_config *cfg, struct Qdisc *sch,
			       struct nlattr **tb,
			       struct netlink_ext_ack *extack)
{
	symphony_read_u32(&cfg->queue, tb[TCA_SYMPHONY_QUEUE]);
	symphony_read_u64(&cfg->patience, tb[TCA_SYMPHONY_PATIENCE]);
	symphony_read_u32(&cfg->limit_bytes, tb[TCA_SYMPHONY_LIMIT_BYTES]);
	if (tb[TCA_SYMPHONY_K])
		cfg->k_given = true;
	if (!cfg->k_given)
		cfg->params.k = symphony_gains[cfg->queue];
	symphony_read_u32(&cfg->params.k, tb[TCA_SYMPHONY_K]);
	if (tb[TCA_SYMPHONY_LIMIT])
		cfg->limit_given = true;
	if (!cfg->limit_given)
		cfg->limit = symphony_limits[cfg->queue];
	symphony_read_u32(&cfg->limit, tb[TCA_SYMPHONY_LIMIT]);
	symphony_read_hold(cfg, sch, tb);
	if (cfg->queue == TC_SYMPHONY_QUEUE_ORDER &&
	    cfg->mode == TC_SYMPHONY_MODE_PRIO) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_QUEUE] ?:
				    tb[TCA_SYMPHONY_MODE],
				    "mode prio needs queue child, whose child it is for");
		return -EINVAL;
	}
	return 0;
}

/* Return: whether the coin starts its sequence anew. */
static bool symphony_read_seed(struct symphony_config *cfg, struct nlattr **tb)
{
	if (!tb[TCA_SYMPHONY_SEED])
		return false;
	cfg->seed = nla_get_u64(tb[TCA_SYMPHONY_SEED]);
	cfg->seeded = true;
	return true;
}

/* What only counts need, and what counts cannot do. */
static int symphony_read_count(struct symphony_config *cfg, struct nlattr **tb,
			       struct netlink_ext_ack *extack)
{
	struct nlattr *step = tb[TCA_SYMPHONY_STEP];

	if (cfg->step_source != TC_SYMPHONY_STEP_COUNT) {
		cfg->messages = symphony_defaults.messages;
		cfg->gap = symphony_defaults.gap;
		if (!tb[TCA_SYMPHONY_MESSAGES] && !tb[TCA_SYMPHONY_GAP])
			return 0;
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_MESSAGES] ?:
				    tb[TCA_SYMPHONY_GAP],
				    "messages and gap go with step count only");
		return -EINVAL;
	}
	symphony_read_u32(&cfg->messages, tb[TCA_SYMPHONY_MESSAGES]);
	symphony_read_u64(&cfg->gap, tb[TCA_SYMPHONY_GAP]);
	if (cfg->psn == TC_SYMPHONY_PSN_ABSOLUTE) {
		NL_SET_ERR_MSG_ATTR(extack, step ?: tb[TCA_SYMPHONY_PSN],
				    "step count needs psn relative");
		return -EINVAL;
	}
	if (cfg->mode == TC_SYMPHONY_MODE_PRIO) {
		NL_SET_ERR_MSG_ATTR(extack, step ?: tb[TCA_SYMPHONY_MODE],
				    "mode prio needs steps that are in the packets, not step count");
		return -EINVAL;
	}
	return 0;
}

/* The same for a table that the qdisc has or is to have, NULL if there is none. */
static int symphony_check_prio(const struct symphony_config *cfg,
			       const struct symphony_table *table,
			       struct netlink_ext_ack *extack)
{
	if (!table || !READ_ONCE(table->nr_prio) || symphony_can_lift(cfg))
		return 0;
	NL_SET_ERR_MSG_MOD(extack,
			   "a job's own mode is prio, which needs queue child and steps that are in the packets");
	return -EINVAL;
}

/* Whether packets of a profile bear a step of this kind. */
static bool symphony_has_step(u32 proto, u32 step_source)
{
	switch (step_source) {
	case TC_SYMPHONY_STEP_COUNT:
		return true;
	case TC_SYMPHONY_STEP_SPORT:
		return proto == TC_SYMPHONY_PROTO_ROCEV2;
	default:
		return proto == TC_SYMPHONY_PROTO_UET;
	}
}

static int symphony_read_profile(struct symphony_config *cfg,
				 struct nlattr **tb,
				 struct netlink_ext_ack *extack)
{
	u32 proto = cfg->proto;

	symphony_read_u32(&cfg->proto, tb[TCA_SYMPHONY_PROTO]);
	if (cfg->proto != proto &&
	    cfg->step_source != TC_SYMPHONY_STEP_COUNT)
		cfg->step_source = cfg->proto == TC_SYMPHONY_PROTO_UET ?
				   TC_SYMPHONY_STEP_SPDCID :
				   TC_SYMPHONY_STEP_SPORT;
	symphony_read_u32(&cfg->step_source, tb[TCA_SYMPHONY_STEP]);
	if (!symphony_has_step(cfg->proto, cfg->step_source)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_STEP],
				    "step must be sport with proto rocev2, spdcid or msgid with proto uet, or count");
		return -EINVAL;
	}
	cfg->params.step_bits =
		cfg->step_source == TC_SYMPHONY_STEP_SPORT ? 14 : 16;

	symphony_read_u32(&cfg->job_source, tb[TCA_SYMPHONY_JOB]);
	if (tb[TCA_SYMPHONY_JOB] && cfg->job_source != TC_SYMPHONY_JOB_FIXED)
		cfg->job_id = 0;
	symphony_read_u32(&cfg->job_id, tb[TCA_SYMPHONY_JOB_ID]);
	if (cfg->job_source == TC_SYMPHONY_JOB_FIXED && !cfg->job_id) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_JOB],
				    "job fixed needs a number from 1 to 16777215");
		return -EINVAL;
	}
	if (cfg->job_source != TC_SYMPHONY_JOB_FIXED &&
	    tb[TCA_SYMPHONY_JOB_ID]) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_JOB_ID],
				    "a job number goes with job fixed only");
		return -EINVAL;
	}
	return 0;
}

/* What nobody gave: queue order marks by a share of the room if that is large. */
static void symphony_share_room(struct symphony_config *cfg)
{
	bool order = cfg->queue == TC_SYMPHONY_QUEUE_ORDER;
	u32 room = symphony_room(cfg);

	if (!order || room < SYMPHONY_ROOM_SMALL)
		room = 0;
	if (!cfg->ecn_given) {
		cfg->ecn_min = room / SYMPHONY_SHARE_MIN;
		cfg->ecn_max = room / SYMPHONY_SHARE_MAX;
	}
	if (!cfg->prob_given)
		cfg->ecn_prob = order ? SYMPHONY_SHARE_PROB : SYMPHONY_ONE;
}

static int symphony_read_congestion(struct symphony_config *cfg,
				    struct nlattr **tb,
				    struct netlink_ext_ack *extack)
{
	bool times = tb[TCA_SYMPHONY_ECN_MIN_TIME] ||
		     tb[TCA_SYMPHONY_ECN_MAX_TIME];
	bool bytes = tb[TCA_SYMPHONY_ECN_MIN] || tb[TCA_SYMPHONY_ECN_MAX];

	if (times && bytes) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_ECN_MIN] ?:
				    tb[TCA_SYMPHONY_ECN_MAX],
				    "ecn_min and ecn_max must both be sizes or both be times");
		return -EINVAL;
	}
	/* defaults, and thresholds of the other kind, count no more */
	if (times || (bytes && !cfg->ecn_given)) {
		cfg->ecn_min = 0;
		cfg->ecn_max = 0;
	}
	if (bytes) {
		cfg->ecn_min_time = 0;
		cfg->ecn_max_time = 0;
	}
	cfg->ecn_given |= times || bytes;
	symphony_read_u64(&cfg->ecn_min_time, tb[TCA_SYMPHONY_ECN_MIN_TIME]);
	symphony_read_u64(&cfg->ecn_max_time, tb[TCA_SYMPHONY_ECN_MAX_TIME]);
	symphony_read_u64(&cfg->ecn_rate, tb[TCA_SYMPHONY_ECN_RATE]);
	if (tb[TCA_SYMPHONY_ECN_PROB])
		cfg->prob_given = true;
	symphony_read_u32(&cfg->ecn_min, tb[TCA_SYMPHONY_ECN_MIN]);
	symphony_read_u32(&cfg->ecn_max, tb[TCA_SYMPHONY_ECN_MAX]);
	symphony_read_u32(&cfg->ecn_prob, tb[TCA_SYMPHONY_ECN_PROB]);
	symphony_read_u32(&cfg->shield, tb[TCA_SYMPHONY_SHIELD]);
	symphony_share_room(cfg);
	/* ecn_max 0 alone switches off what the others had set up */
	if (((cfg->ecn_max || tb[TCA_SYMPHONY_ECN_MIN]) &&
	     cfg->ecn_min > cfg->ecn_max) ||
	    ((cfg->ecn_max_time || tb[TCA_SYMPHONY_ECN_MIN_TIME]) &&
	     cfg->ecn_min_time > cfg->ecn_max_time)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_ECN_MIN] ?:
				    tb[TCA_SYMPHONY_ECN_MIN_TIME],
				    "ecn_min must be from 0 to ecn_max");
		return -EINVAL;
	}
	if (tb[TCA_SYMPHONY_SHIELD] && cfg->shield > 1 && !cfg->ecn_max &&
	    !cfg->ecn_max_time) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_SYMPHONY_SHIELD],
				    "shield above 1 needs ecn_max, whose threshold it raises");
		return -EINVAL;
	}
	return 0;
}

/* Whether steps and PSNs in a table mean what they are to mean. */
static bool symphony_comparable(const struct symphony_table *table,
				const struct symphony_config *cfg)
{
	return table->units.proto == cfg->proto &&
	       table->units.step_source == cfg->step_source &&
	       table->units.messages == cfg->messages &&
	       table->units.psn == cfg->psn;
}

/* A domain that exists has units; they are the defaults of who joins. */
static void symphony_adopt(struct symphony_config *cfg,
			   const struct symphony_units *units)
{
	cfg->params.window = units->window;
	cfg->proto = units->proto;
	cfg->step_source = units->step_source;
	cfg->messages = units->messages;
	cfg->gap = units->gap;
	cfg->psn = units->psn;
	cfg->params.alpha_max = units->alpha_max;
}

static const char * const symphony_differences[TCA_SYMPHONY_MAX + 1] = {
	[TCA_SYMPHONY_WINDOW] =
		"window differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_ALPHA_MAX] =
		"alpha_max differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_PROTO] =
		"proto differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_STEP] =
		"step differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_MESSAGES] =
		"messages differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_GAP] =
		"gap differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_PSN] =
		"psn differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_JOBS] =
		"jobs differs from that of the domain's other qdiscs",
	[TCA_SYMPHONY_FLOWS] =
		"flows differs from that of the domain's other qdiscs",
};

/* The option may have been given before, and the domain be what is new. */
static int symphony_differs(struct nlattr **tb, int type,
			    struct netlink_ext_ack *extack)
{
	NL_SET_BAD_ATTR(extack, tb[type] ?: tb[TCA_SYMPHONY_DOMAIN]);
	if (extack)
		extack->_msg = symphony_differences[type];
	return -EINVAL;
}

/* One state that qdiscs of different units move would be no state of any. */
static int symphony_check_units(const struct symphony_config *cfg,
				const struct symphony_units *units,
				struct nlattr **tb,
				struct netlink_ext_ack *extack)
{
	if (cfg->proto != units->proto)
		return symphony_differs(tb, TCA_SYMPHONY_PROTO, extack);
	if (cfg->step_source != units->step_source)
		return symphony_differs(tb, TCA_SYMPHONY_STEP, extack);
	if (cfg->messages != units->messages)
		return symphony_differs(tb, TCA_SYMPHONY_MESSAGES, extack);
	if (cfg->gap != units->gap)
		return symphony_differs(tb, TCA_SYMPHONY_GAP, extack);
	if (cfg->psn != units->psn)
		return symphony_differs(tb, TCA_SYMPHONY_PSN, extack);
	if (cfg->params.window != units->window)
		return symphony_differs(tb, TCA_SYMPHONY_WINDOW, extack);
	if (cfg->params.alpha_max != units->alpha_max)
		return symphony_differs(tb, TCA_SYMPHONY_ALPHA_MAX, extack);
	return 0;
}

/* The table of the domain, if other qdiscs than this one use it. */
static struct symphony_table *symphony_others(struct Qdisc *sch, u32 domain)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_table *table;

	if (!domain)
		return NULL;
	table = symphony_domain_find(dev_net(qdisc_dev(sch)), domain);
	if (table == symphony_table_of(q) && table && refcount_read(&table->refs) == 1)
		return NULL;
	return table;
}

/* Capacities and idle; a domain in use brings its own. */
static int symphony_read_table(struct symphony_config *cfg,
			       const struct symphony_table *others,
			       struct nlattr **tb,
			       struct netlink_ext_ack *extack)
{
	u32 jobs, flows;

	symphony_read_u32(&cfg->jobs_max, tb[TCA_SYMPHONY_JOBS]);
	symphony_read_u32(&cfg->flows_max, tb[TCA_SYMPHONY_FLOWS]);
	if (!others)
		return 0;

	if (!tb[TCA_SYMPHONY_IDLE])
		cfg->idle = others->idle;
	jobs = others->jobs_max;
	flows = others->flows_max;
	if (tb[TCA_SYMPHONY_JOBS] && cfg->jobs_max != jobs)
		return symphony_differs(tb, TCA_SYMPHONY_JOBS, extack);
	if (tb[TCA_SYMPHONY_FLOWS] &&
	    roundup_pow_of_two(cfg->flows_max) != flows)
		return symphony_differs(tb, TCA_SYMPHONY_FLOWS, extack);
	cfg->jobs_max = jobs;
	if (roundup_pow_of_two(cfg->flows_max) != flows)
		cfg->flows_max = flows;
	return symphony_check_units(cfg, &others->units, tb, extack);
}

static int symphony_read(struct symphony_config *cfg, struct Qdisc *sch,
			 struct nlattr *opt, bool *reseed,
			 struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct nlattr *tb[TCA_SYMPHONY_MAX + 1] = {};
	const struct symphony_table *others;
	int err;

	if (opt && nla_len(opt)) {
		err = symphony_parse_nest(tb, opt, extack);
		if (err)
			return err;
	}
	symphony_read_u32(&cfg->domain, tb[TCA_SYMPHONY_DOMAIN]);
	others = symphony_others(sch, cfg->domain);
	/* a new qdisc has defaults; an old one keeps what it is not told */
	if (others && !symphony_table_of(q))
		symphony_adopt(cfg, &others->units);
	symphony_read_plain(cfg, tb);
	*reseed |= symphony_read_seed(cfg, tb);
	err = symphony_read_queue(cfg, sch, tb, extack);
	if (err)
		return err;
	err = symphony_read_profile(cfg, tb, extack);
	if (err)
		return err;
	err = symphony_read_count(cfg, tb, extack) ?:
	      symphony_check_prio(cfg, symphony_table_of(q), extack) ?:
	      symphony_check_prio(cfg, others, extack);
	if (err)
		return err;
	err = symphony_read_congestion(cfg, tb, extack);
	if (err)
		return err;
	return symphony_read_table(cfg, others, tb, extack);
}

/* Whether a job has the same number as before. */
static bool symphony_same_jobs(const struct symphony_config *before,
			       const struct symphony_config *cfg)
{
	return before->job_source == cfg->job_source &&
	       (before->proto == cfg->proto ||
		cfg->job_source != TC_SYMPHONY_JOB_RESV);
}

/*
 * The table for a configuration: the present one if it serves. States whose
 * numbers meant something else are left behind with the old one.
 */
static struct symphony_table *
symphony_pick_table(struct Qdisc *sch, const struct symphony_config *cfg,
		    struct netlink_ext_ack *extack)
{
	u32 flows = roundup_pow_of_two(cfg->flows_max);
	struct symphony_sched_data *q = qdisc_priv(sch);
	const u64 *seed = cfg->seeded ? &cfg->seed : NULL;

	if (!symphony_table_of(q) || symphony_table_of(q)->domain != cfg->domain)
		return symphony_table_get(dev_net(qdisc_dev(sch)), cfg->domain,
					  cfg->jobs_max, flows, seed, extack);
	if (symphony_table_of(q)->jobs_max == cfg->jobs_max &&
	    symphony_table_of(q)->flows_max == flows &&
	    symphony_comparable(symphony_table_of(q), cfg))
		return symphony_table_of(q);
	/* takes the domain's place when it is committed */
	return symphony_table_create(cfg->domain, cfg->jobs_max, flows, seed,
				     extack);
}

/* What the packet path reads instead of the configuration. */
static void symphony_derive(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_table *table = symphony_table_of(q);
	const struct symphony_config *cfg = &q->config;

	symphony_ramp_set(q);
	q->parse = (struct symphony_parse_config) {
		.hash_seed = { table->hash_seed[0], table->hash_seed[1] },
		.udp_port = cfg->proto == TC_SYMPHONY_PROTO_UET ?
			    SYMPHONY_PORT_UET : SYMPHONY_PORT_ROCEV2,
		.proto = cfg->proto,
		.step_source = cfg->step_source,
		.eth = qdisc_dev(sch)->type == ARPHRD_ETHER,
	};
}

/*
 * Start the coin's sequence. It follows from the seed and from where the qdisc
 * is, so that ports that were given one seed do not toss in step; names and
 * numbers that are the same in the next run, unlike an automatic handle. Small
 * seeds begin as well as others.
 */
static void symphony_seed_coin(struct Qdisc *sch, u64 seed)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct net_device *dev = qdisc_dev(sch);
	static const siphash_key_t no_secret;
	u32 queue = sch->dev_queue - dev->_tx;
	u32 i;

	seed = siphash_4u32(seed, seed >> 32,
			    jhash(dev->name, strlen(dev->name), 0),
			    queue << 16 | TC_H_MIN(sch->parent), &no_secret);
	prandom_seed_state(&q->rnd, seed);
	for (i = 0; i < SYMPHONY_WARM_UP; i++)
		prandom_u32_state(&q->rnd);
}

/* The same for packets that the qdisc itself holds. */
static void symphony_derive_queue(struct Qdisc *sch)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_config *cfg = &q->config;
	struct symphony_order *o = &q->queue->order;

	q->queue->room = cfg->ecn_given ? 0 : symphony_room(cfg);
	q->queue->limit = cfg->limit;
	q->queue->limit_bytes = cfg->limit_bytes;
	o->quantum = max_t(u32, psched_mtu(qdisc_dev(sch)), ETH_FRAME_LEN);
	o->patience = min_t(u64, cfg->patience >> SYMPHONY_TICK_SHIFT, S32_MAX);
	o->hold = (cfg->hold + (1 << SYMPHONY_TICK_SHIFT) - 1) >>
		  SYMPHONY_TICK_SHIFT;
	o->half = cfg->limit_bytes / 2;
	o->step_bits = cfg->params.step_bits;
}

/* A qdisc moves to another table; what still means something does, too. */
static int symphony_move(struct symphony_sched_data *q,
			 struct symphony_table *table,
			 const struct symphony_config *cfg)
{
	struct symphony_table *old = symphony_table_of(q);
	int kept = 0;

	if (symphony_comparable(old, cfg)) {
		kept = symphony_table_import(table, old);
	} else {
		symphony_table_set_window(table, cfg->params.window);
		if (symphony_same_jobs(&q->config, cfg))
			kept = symphony_table_keep(table, old);
		if (kept >= 0 && refcount_read(&old->refs) == 1)
			symphony_count(q, JOBS_EXPIRED,
				       READ_ONCE(old->nr_jobs) - kept);
	}
	if (kept < 0)
		return kept;
	if (old->domain && old->domain == table->domain)
		symphony_domain_replace(old, table);
	return 0;
}

/* Tell a table what its qdisc was configured to. */
static void symphony_adapt(struct symphony_table *table,
			   const struct symphony_config *cfg)
{
	symphony_table_set_window(table, cfg->params.window);
	WRITE_ONCE(table->idle, cfg->idle);
	table->units = (struct symphony_units) {
		.window = cfg->params.window,
		.proto = cfg->proto,
		.step_source = cfg->step_source,
		.messages = cfg->messages,
		.gap = cfg->gap,
		.psn = cfg->psn,
		.alpha_max = cfg->params.alpha_max,
	};
}

/**
 * struct symphony_place - where packets are to wait, if not where they do
 * @child: new child, or NULL
 * @queue: new queue, or NULL
 */
struct symphony_place {
	struct Qdisc *child;
	struct symphony_queue *queue;
};

static int symphony_pick_place(struct Qdisc *sch, struct symphony_place *place,
			       const struct symphony_config *cfg,
			       struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct Qdisc *child;

	if (cfg->queue == TC_SYMPHONY_QUEUE_ORDER) {
		if (q->queue)
			return 0;
		place->queue = symphony_queue_create(sch, extack);
		return place->queue ? 0 : -ENOMEM;
	}
	if (q->qdisc != &noop_qdisc)
		return 0;
	child = fifo_create_dflt(sch, &pfifo_qdisc_ops, cfg->limit, extack);
	if (IS_ERR(child))
		return PTR_ERR(child);
	qdisc_hash_add(child, true);
	place->child = child;
	return 0;
}

static void symphony_give_up_place(const struct symphony_place *place)
{
	qdisc_put(place->child);
	symphony_queue_destroy(place->queue);
}

/*
 * Packets that wait stay where they are and leave first. What is empty is no
 * longer needed, and put into @place for the caller to give up.
 */
static void symphony_commit_place(struct Qdisc *sch,
				  struct symphony_place *place)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	bool order = q->config.queue == TC_SYMPHONY_QUEUE_ORDER;

	if (place->child) {
		q->qdisc = place->child;
		place->child = NULL;
	}
	if (place->queue) {
		q->queue = place->queue;
		place->queue = NULL;
	}
	q->draining = false;
	if (order && qdisc_qlen(q->qdisc)) {
		q->draining = true;
	} else if (order && q->qdisc != &noop_qdisc) {
		place->child = q->qdisc;
		q->qdisc = &noop_qdisc;
	} else if (!order && q->queue && q->queue->order.packets) {
		q->draining = true;
	} else if (!order) {
		place->queue = q->queue;
		q->queue = NULL;
	}
}

/* From here on packets see the configuration. */
static void symphony_apply(struct Qdisc *sch, const struct symphony_config *cfg,
			   struct symphony_table *table,
			   struct symphony_place *place, bool reseed)
{
	struct symphony_sched_data *q = qdisc_priv(sch);

	lockdep_assert_held(qdisc_root_sleeping_lock(sch));
	/* few kernels have lockdep; that lock keeps bottom halves off */
	WARN_ON_ONCE(!in_softirq());
	rcu_assign_pointer(q->table, table);
	q->config = *cfg;
	symphony_adapt(table, cfg);
	symphony_derive(sch);
	symphony_commit_place(sch, place);
	if (q->queue)
		symphony_derive_queue(sch);
	if (reseed)
		symphony_seed_coin(sch, cfg->seed);
	/* the default child has no handle and is nobody else's */
	if (q->qdisc->ops == &pfifo_qdisc_ops && !q->qdisc->handle)
		q->qdisc->limit = cfg->limit;
}

static int symphony_commit(struct Qdisc *sch, const struct symphony_config *cfg,
			   struct symphony_table *table,
			   struct symphony_place *place, bool reseed,
			   struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_table *old = symphony_table_of(q);
	struct sk_buff *to_free = NULL;
	int err = 0;

	sch_tree_lock(sch);
	if (old && old != table)
		err = symphony_move(q, table, cfg);
	if (err) {
		sch_tree_unlock(sch);
		NL_SET_ERR_MSG_MOD(extack,
				   "the table has no room for the jobs in use");
		symphony_table_put(table);
		return err;
	}
	symphony_apply(sch, cfg, table, place, reseed);
	if (q->queue)
		symphony_queue_trim(sch, &to_free);
	sch_tree_unlock(sch);
	kfree_skb_list(to_free);
	if (old != table) {
		symphony_net_changed(dev_net(qdisc_dev(sch)));
		symphony_table_put(old);
	}
	return 0;
}

static int symphony_configure(struct Qdisc *sch, struct symphony_config *cfg,
			      struct nlattr *opt, bool reseed,
			      struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_place place = {};
	struct symphony_table *table;
	int err;

	err = symphony_read(cfg, sch, opt, &reseed, extack);
	if (err)
		return err;
	err = symphony_pick_place(sch, &place, cfg, extack);
	if (err)
		return err;
	table = symphony_pick_table(sch, cfg, extack);
	if (!table) {
		symphony_give_up_place(&place);
		return -ENOMEM;
	}
	/* idle jobs need no room in a new table, nor in a domain's */
	if (table != symphony_table_of(q)) {
		if (symphony_table_of(q))
			symphony_expire(sch, symphony_table_of(q));
		symphony_expire(sch, table);
	}
	err = symphony_commit(sch, cfg, table, &place, reseed, extack);
	symphony_give_up_place(&place);
	return err;
}

/**
 * symphony_config_init() - first configuration of a qdisc
 * @sch: the qdisc, its private data zero
 * @opt: TCA_OPTIONS or NULL: every option has a default
 * @extack: where to explain a refusal
 *
 * Context: RTNL held, may sleep.
 * Return: 0 or a negative errno.
 */
int symphony_config_init(struct Qdisc *sch, struct nlattr *opt,
			 struct netlink_ext_ack *extack)
{
	struct symphony_config cfg = symphony_defaults;

	cfg.seed = get_random_u64();
	return symphony_configure(sch, &cfg, opt, true, extack);
}

/**
 * symphony_config_change() - change the named options of a live qdisc
 * @sch: the qdisc
 * @opt: TCA_OPTIONS or NULL; what it does not name stays as it is
 * @extack: where to explain a refusal
 *
 * Keeps all packets but those above a new limit, and the jobs' states unless
 * proto, step or psn change, after which they would be of another number space:
 * then what an operator said of a job stays if its number means the same.
 * Anchors of flows are lost if flows change or if a domain that others use is
 * joined or left; positions come back with each flow's next step.
 *
 * Context: RTNL held, may sleep.
 * Return: 0 or a negative errno with nothing changed.
 */
int symphony_config_change(struct Qdisc *sch, struct nlattr *opt,
			   struct netlink_ext_ack *extack)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_config cfg = q->config;

	/* another qdisc of the domain may have set it */
	cfg.idle = symphony_table_of(q)->idle;
	return symphony_configure(sch, &cfg, opt, false, extack);
}

static int symphony_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, TCA_SYMPHONY_PAD);
}

/**
 * symphony_config_dump() - write the configuration into a message
 * @sch: the qdisc
 * @skb: the message
 *
 * Context: RTNL held.
 * Return: length or -1 if there is no room.
 */
int symphony_config_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct symphony_sched_data *q = qdisc_priv(sch);
	const struct symphony_config *cfg = &q->config;
	const struct symphony_params *p = &cfg->params;
	struct nlattr *opts = nla_nest_start(skb, TCA_OPTIONS);

	if (!opts)
		return -1;
	if (nla_put_u32(skb, TCA_SYMPHONY_LIMIT, cfg->limit) ||
	    nla_put_u32(skb, TCA_SYMPHONY_K, p->k) ||
	    nla_put_u32(skb, TCA_SYMPHONY_TAU, p->tau) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_WINDOW, p->window) ||
	    nla_put_u32(skb, TCA_SYMPHONY_WARMUP, p->warmup) ||
	    nla_put_u32(skb, TCA_SYMPHONY_SAMPLES, p->samples) ||
	    nla_put_u32(skb, TCA_SYMPHONY_ALPHA_MAX, p->alpha_max) ||
	    nla_put_u32(skb, TCA_SYMPHONY_PROTO, cfg->proto) ||
	    nla_put_u32(skb, TCA_SYMPHONY_JOB, cfg->job_source) ||
	    (cfg->job_source == TC_SYMPHONY_JOB_FIXED &&
	     nla_put_u32(skb, TCA_SYMPHONY_JOB_ID, cfg->job_id)) ||
	    nla_put_u32(skb, TCA_SYMPHONY_STEP, cfg->step_source) ||
	    (cfg->step_source == TC_SYMPHONY_STEP_COUNT &&
	     (nla_put_u32(skb, TCA_SYMPHONY_MESSAGES, cfg->messages) ||
	      symphony_put_u64(skb, TCA_SYMPHONY_GAP, cfg->gap))) ||
	    nla_put_u32(skb, TCA_SYMPHONY_PSN, cfg->psn) ||
	    nla_put_u32(skb, TCA_SYMPHONY_JOBS, cfg->jobs_max) ||
	    nla_put_u32(skb, TCA_SYMPHONY_FLOWS, cfg->flows_max) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_IDLE, symphony_table_of(q)->idle) ||
	    nla_put_u32(skb, TCA_SYMPHONY_DOMAIN, cfg->domain) ||
	    nla_put_u32(skb, TCA_SYMPHONY_MODE, cfg->mode) ||
	    (cfg->seeded &&
	     symphony_put_u64(skb, TCA_SYMPHONY_SEED, cfg->seed)) ||
	    nla_put_u32(skb, TCA_SYMPHONY_ECN_MIN, cfg->ecn_min) ||
	    nla_put_u32(skb, TCA_SYMPHONY_ECN_MAX, cfg->ecn_max) ||
	    nla_put_u32(skb, TCA_SYMPHONY_ECN_PROB, cfg->ecn_prob) ||
	    nla_put_u32(skb, TCA_SYMPHONY_SHIELD, cfg->shield) ||
	    nla_put_u32(skb, TCA_SYMPHONY_QUEUE, cfg->queue) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_PATIENCE, cfg->patience) ||
	    nla_put_u32(skb, TCA_SYMPHONY_LIMIT_BYTES, cfg->limit_bytes) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_ECN_MIN_TIME,
			     cfg->ecn_min_time) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_ECN_MAX_TIME,
			     cfg->ecn_max_time) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_ECN_RATE, cfg->ecn_rate) ||
	    symphony_put_u64(skb, TCA_SYMPHONY_HOLD, cfg->hold)) {
		nla_nest_cancel(skb, opts);
		return -1;
	}
	return nla_nest_end(skb, opts);
}
