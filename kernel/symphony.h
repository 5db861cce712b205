/* SPDX-License-Identifier: GPL-2.0 */
/* The qdisc's private data and what its files share. */
#ifndef _SYMPHONY_H
#define _SYMPHONY_H

#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <net/pkt_cls.h>

#include <linux/pkt_sch_symphony.h>

#include "symphony_algo.h"
#include "symphony_parse.h"
#include "symphony_table.h"

struct Qdisc;
struct symphony_queue;

/**
 * struct symphony_config - all that a user can set
 * @params: of the algorithm
 * @seed: of the coin, if @seeded
 * @idle: ns after which a silent job is forgotten; in force is the table's
 * @limit: packets in the default child, or in queue order
 * @proto: &enum tc_symphony_proto
 * @job_source: &enum tc_symphony_job
 * @job_id: job of TC_SYMPHONY_JOB_FIXED
 * @step_source: &enum tc_symphony_step
 * @messages: of a step, with TC_SYMPHONY_STEP_COUNT
 * @gap: ns of silence after which a job begins anew, with the same
 * @psn: &enum tc_symphony_psn
 * @mode: &enum tc_symphony_mode
 * @jobs_max: capacity of the job table
 * @flows_max: capacity of the flow table
 * @domain: number of the shared table, 0 for a private one
 * @ecn_min: begin of the congestion ramp, bytes
 * @ecn_max: end of the ramp, bytes; 0 = no congestion marking
 * @ecn_prob: probability at the end of the ramp, billionths
 * @shield: factor on both thresholds for the laggard, 1 = off
 * @queue: &enum tc_symphony_queue
 * @limit_bytes: bytes that queue order holds
 * @ecn_min_time: @ecn_min in ns at @ecn_rate
 * @ecn_max_time: @ecn_max in ns, 0 if it is in bytes
 * @ecn_rate: bytes a second; 0 for the measured rate
 * @patience: ns that a step waits behind smaller ones in queue order
 * @hold: ns that a sender's earlier step may be silent before its later ones go on
 * @k_given: whether the user gave k; its default depends on @queue
 * @limit_given: whether the user gave @limit; its default depends on @queue
 * @hold_given: whether the user gave @hold; its default depends on the parent
 * @ecn_given: whether the user gave a threshold; the default depends on @queue
 * @prob_given: whether the user gave @ecn_prob; likewise
 * @seeded: whether the user gave a seed
 */
struct symphony_config {
	struct symphony_params params;
	u64 seed;
	u64 idle;
	u64 gap;
	u32 messages;
	u32 limit;
	u32 proto;
	u32 job_source;
	u32 job_id;
	u32 step_source;
	u32 psn;
	u32 mode;
	u32 jobs_max;
	u32 flows_max;
	u32 domain;
	u32 ecn_min;
	u32 ecn_max;
	u32 ecn_prob;
	u32 shield;
	u32 queue;
	u32 limit_bytes;
	u64 ecn_min_time;
	u64 ecn_max_time;
	u64 ecn_rate;
	u64 patience;
	u64 hold;
	bool k_given;
	bool limit_given;
	bool hold_given;
	bool ecn_given;
	bool prob_given;
	bool seeded;
};

/* One u64 a counter, indexed by enum tca_symphony_stats. */
struct symphony_stats {
	u64 count[TCA_SYMPHONY_STATS_MAX + 1];
};

#define symphony_count(q, counter, n) \
	((q)->stats.count[TCA_SYMPHONY_STATS_##counter] += (n))

/**
 * struct symphony_sched_data - private data of a symphony qdisc
 * @qdisc: the child; none, noop_qdisc, in queue order
 * @queue: what holds packets in queue order, or is being drained; else NULL
 * @draining: whether packets wait where no new ones go any more: in @qdisc in
 *	queue order, in @queue otherwise
 * @filter_list: the qdisc's filters
 * @table: jobs and flows; freed a grace period after it was replaced
 * @config: what the user set
 * @parse: what the parser needs, derived from @config
 * @congestion: whether the length of a queue marks
 * @measuring: whether thresholds follow the rate of service
 * @rate: at which a backlogged queue was served, bytes a second; 0 = unknown
 * @rate_since: begin of the measurement, ns; 0 = none
 * @rate_bytes: served since then
 * @ramp: congestion marking curve
 * @shield_ramp: the same for the laggard
 * @clock: time of the last packet that read the clock, ns
 * @clock_left: packets that may use @clock before it is read again
 * @clock_share: @clock_left after the last reading
 * @clock_jiffies: jiffies at @clock
 * @rnd: the coin
 * @stats: counters
 * @block: owner of @filter_list
 * @block_info: how @block was bound; its number is 0 unless qdiscs may share it
 * @sch: the qdisc itself
 * @node: in the namespace's list of qdiscs, from symphony_net_link() on
 * @id: its place in that list, which grows
 *
 * Changed and read by the packet path under the lock of the qdisc's tree.
 */
struct symphony_sched_data {
	struct Qdisc *qdisc;
	struct symphony_queue *queue;
	bool draining;
	bool congestion;
	bool measuring;
	struct tcf_proto __rcu *filter_list;
	struct symphony_table __rcu *table;
	struct symphony_config config;
	struct symphony_parse_config parse;
	struct symphony_ramp ramp;
	struct symphony_ramp shield_ramp;
	u64 rate;
	u64 rate_since;
	u64 rate_bytes;
	u64 clock;
	u32 clock_left;
	u32 clock_share;
	u32 clock_jiffies;
	struct rnd_state rnd;
	struct symphony_stats stats;
	struct tcf_block *block;
	struct tcf_block_ext_info block_info;
	struct Qdisc *sch;
	struct list_head node;
	u64 id;
};

/**
 * symphony_table_of() - a qdisc's jobs and flows
 * @q: the qdisc's data
 *
 * Context: lock of the qdisc's tree or RTNL held. Who has neither reads ::table
 * under RCU.
 */
static inline struct symphony_table *
symphony_table_of(const struct symphony_sched_data *q)
{
	return rcu_dereference_protected(q->table, true);
}

/**
 * symphony_can_lift() - whether a qdisc could be in mode prio
 * @cfg: its configuration
 *
 * Return: true if there is a child to lift packets for, and packets have steps when
 * they come.
 */
static inline bool symphony_can_lift(const struct symphony_config *cfg)
{
	return cfg->queue == TC_SYMPHONY_QUEUE_CHILD &&
	       cfg->step_source != TC_SYMPHONY_STEP_COUNT;
}

extern struct Qdisc_ops symphony_qdisc_ops;

#endif
