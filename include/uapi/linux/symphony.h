/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* Generic netlink family "symphony": the jobs that symphony qdiscs know. */
#ifndef __LINUX_SYMPHONY_H
#define __LINUX_SYMPHONY_H

#include <linux/types.h>

#define SYMPHONY_GENL_NAME		"symphony"
#define SYMPHONY_GENL_VERSION		1

/* Multicast group of SYMPHONY_CMD_EVENT. */
#define SYMPHONY_GENL_MCGRP_EVENTS	"events"

/* Job numbers go from 1 to this. */
#define SYMPHONY_GENL_JOB_MAX		0xffffffU

/* Jobs that SYMPHONY_ATTR_JOBS names at most. */
#define SYMPHONY_GENL_JOBS_MAX		256U

/* In JOB_SET: no override any more, the qdisc's value counts. */
#define SYMPHONY_GENL_NO_OVERRIDE	0xffffffffU

/**
 * enum symphony_cmd - commands of the family
 *
 * A table of jobs belongs to one qdisc, or to the qdiscs of a domain. A request names
 * it by SYMPHONY_ATTR_IFINDEX, with SYMPHONY_ATTR_HANDLE or SYMPHONY_ATTR_PARENT if
 * the device has several symphony qdiscs, or by SYMPHONY_ATTR_DOMAIN. A reply about
 * the table of a domain has SYMPHONY_ATTR_DOMAIN; the other three are there if the
 * table is a qdisc's own or if the request named a device. All of it is seen from
 * the network namespace of the socket.
 *
 * Who writes needs CAP_NET_ADMIN in the user namespace that owns the network
 * namespace. Reading needs nothing.
 *
 * @SYMPHONY_CMD_UNSPEC: unused
 * @SYMPHONY_CMD_JOB_GET: do: the job SYMPHONY_ATTR_JOB of a table. Dump: all jobs of
 *	all tables of the namespace, each table once; with SYMPHONY_ATTR_IFINDEX those
 *	of a device or of one of its qdiscs, with SYMPHONY_ATTR_DOMAIN those of a
 *	domain; with SYMPHONY_ATTR_ACTIVE those that sent lately, with SYMPHONY_ATTR_JOB
 *	or SYMPHONY_ATTR_JOBS those of these numbers. A job that stays while the dump
 *	lasts is there exactly once. If others came or went meanwhile the messages have
 *	NLM_F_DUMP_INTR. Replies have SYMPHONY_ATTR_JOB, SYMPHONY_ATTR_STATE,
 *	SYMPHONY_ATTR_STATS and, if there is one, SYMPHONY_ATTR_OVERRIDES
 * @SYMPHONY_CMD_FLOW_GET: dump: flows of a table, those of SYMPHONY_ATTR_JOB or
 *	SYMPHONY_ATTR_JOBS if one is there; SYMPHONY_ATTR_JOB and SYMPHONY_ATTR_FLOW
 *	each. A flow is known from the second packet of a step on, as long as the flow
 *	table holds it
 * @SYMPHONY_CMD_JOB_SET: do: SYMPHONY_ATTR_OVERRIDES of the job SYMPHONY_ATTR_JOB; what
 *	it does not name stays as it is. A job that the table does not know is entered
 *	if the request sets SYMPHONY_OVERRIDE_ATTR_PINNED to 1, and refused with ENOENT
 *	otherwise. In a full table one that is not pinned makes room; ENOSPC if all are
 * @SYMPHONY_CMD_JOB_RESET: do: counters of a job begin at 0, its steps and alpha with
 *	its next packet; its overrides stay
 * @SYMPHONY_CMD_JOB_DEL: do: forget a job, pinned or not, with its overrides. If it
 *	still sends, its next packet enters it again
 * @SYMPHONY_CMD_EVENT: sent to the group "events": SYMPHONY_ATTR_EVENT and when and
 *	where it was, SYMPHONY_ATTR_LOST if some before it were not sent
 */
enum symphony_cmd {
	SYMPHONY_CMD_UNSPEC,
	SYMPHONY_CMD_JOB_GET,
	SYMPHONY_CMD_FLOW_GET,
	SYMPHONY_CMD_JOB_SET,
	SYMPHONY_CMD_JOB_RESET,
	SYMPHONY_CMD_JOB_DEL,
	SYMPHONY_CMD_EVENT,

	__SYMPHONY_CMD_MAX
};

#define SYMPHONY_CMD_MAX (__SYMPHONY_CMD_MAX - 1)

/**
 * enum symphony_event - what happened to a job
 * @SYMPHONY_EVENT_JOB_APPEARED: its first packet, or the first after it was forgotten
 * @SYMPHONY_EVENT_JOB_EXPIRED: it was forgotten: idle and its place was needed or it
 *	came back, given up by a full table for another, or deleted
 * @SYMPHONY_EVENT_MISALIGNED: its alpha left 1: in a window a share of tau or more of its
 *	packets ran ahead
 * @SYMPHONY_EVENT_ALIGNED: its alpha is 1 again, or what is known of it begins anew
 * @SYMPHONY_EVENT_TABLE_FULL: a packet's job found no place in the table; at most once
 *	a second for each table
 */
enum symphony_event {
	SYMPHONY_EVENT_JOB_APPEARED = 1,
	SYMPHONY_EVENT_JOB_EXPIRED,
	SYMPHONY_EVENT_MISALIGNED,
	SYMPHONY_EVENT_ALIGNED,
	SYMPHONY_EVENT_TABLE_FULL,

	__SYMPHONY_EVENT_MAX
};

#define SYMPHONY_EVENT_MAX (__SYMPHONY_EVENT_MAX - 1)

/**
 * enum symphony_attr - attributes of all messages
 * @SYMPHONY_ATTR_UNSPEC: unused
 * @SYMPHONY_ATTR_PAD: padding of 64-bit attributes
 * @SYMPHONY_ATTR_IFINDEX: u32, device of the qdisc
 * @SYMPHONY_ATTR_HANDLE: u32, the qdisc's handle as in struct tcmsg; 0 of one that the
 *	kernel made as a default
 * @SYMPHONY_ATTR_PARENT: u32, the qdisc's parent as in struct tcmsg
 * @SYMPHONY_ATTR_DOMAIN: u32, number of the domain, not 0
 * @SYMPHONY_ATTR_JOB: u32, number of a job, 1 to 2^24 - 1
 * @SYMPHONY_ATTR_STATE: nest, &enum symphony_state_attr
 * @SYMPHONY_ATTR_STATS: nest, &enum symphony_stats_attr
 * @SYMPHONY_ATTR_OVERRIDES: nest, &enum symphony_override_attr
 * @SYMPHONY_ATTR_FLOW: nest, &enum symphony_flow_attr
 * @SYMPHONY_ATTR_EVENT: u32, &enum symphony_event
 * @SYMPHONY_ATTR_TIME: u64, when it was, ns since the epoch (CLOCK_REALTIME)
 * @SYMPHONY_ATTR_ALPHA: u32, alpha of the job of an event about alignment
 * @SYMPHONY_ATTR_STEP_MIN: u32, its smallest step
 * @SYMPHONY_ATTR_LOST: u64, events of the namespace since the last one that were more
 *	than the limit of their rate
 * @SYMPHONY_ATTR_ACTIVE: u64, nanoseconds, in a dump of jobs: of those alone that may
 *	have sent since then. Others have the state and the counters of before, or are
 *	forgotten, which the qdiscs' jobs_expired and jobs_replaced tell. A window's begin
 *	is all that is known of its packets, so that jobs are there that last sent up to
 *	a window before
 * @SYMPHONY_ATTR_JOBS: array of u32, in a dump: numbers of jobs, of which alone it is,
 *	each larger than the one before, SYMPHONY_GENL_JOBS_MAX at most. All flows are
 *	looked at once, however many jobs these are
 */
enum symphony_attr {
	SYMPHONY_ATTR_UNSPEC,
	SYMPHONY_ATTR_PAD,
	SYMPHONY_ATTR_IFINDEX,
	SYMPHONY_ATTR_HANDLE,
	SYMPHONY_ATTR_PARENT,
	SYMPHONY_ATTR_DOMAIN,
	SYMPHONY_ATTR_JOB,
	SYMPHONY_ATTR_STATE,
	SYMPHONY_ATTR_STATS,
	SYMPHONY_ATTR_OVERRIDES,
	SYMPHONY_ATTR_FLOW,
	SYMPHONY_ATTR_EVENT,
	SYMPHONY_ATTR_TIME,
	SYMPHONY_ATTR_ALPHA,
	SYMPHONY_ATTR_STEP_MIN,
	SYMPHONY_ATTR_LOST,
	SYMPHONY_ATTR_ACTIVE,
	SYMPHONY_ATTR_JOBS,

	__SYMPHONY_ATTR_MAX
};

#define SYMPHONY_ATTR_MAX (__SYMPHONY_ATTR_MAX - 1)

/**
 * enum symphony_state_attr - attributes nested in SYMPHONY_ATTR_STATE
 *
 * All of a job's are of one moment. Ages are nanoseconds before the reply.
 *
 * @SYMPHONY_STATE_ATTR_UNSPEC: unused
 * @SYMPHONY_STATE_ATTR_PAD: padding of 64-bit attributes
 * @SYMPHONY_STATE_ATTR_STEP_MIN: u32, smallest step in flight
 * @SYMPHONY_STATE_ATTR_PSN_REC: u32, packets, furthest position seen in it in this
 *	window, 0 = none
 * @SYMPHONY_STATE_ATTR_ALPHA: u32, aggressiveness, 1 at rest
 * @SYMPHONY_STATE_ATTR_CNT_TOTAL: u32, packets in the window of the last packet
 * @SYMPHONY_STATE_ATTR_CNT_OP: u32, those of them above the smallest step
 * @SYMPHONY_STATE_ATTR_FIRST_SEEN: u64, age of the job's entry
 * @SYMPHONY_STATE_ATTR_LAST_SEEN: u64, age of the begin of the window of its last
 *	packet; absent if there was none yet
 * @SYMPHONY_STATE_ATTR_MISALIGNED: u64, time since alpha left 1; absent at 1
 * @SYMPHONY_STATE_ATTR_FLOWS: u32, flows of the job that the flow table holds
 * @SYMPHONY_STATE_ATTR_IDLE: flag, it was silent for so long that its place may be
 *	given to another
 */
enum symphony_state_attr {
	SYMPHONY_STATE_ATTR_UNSPEC,
	SYMPHONY_STATE_ATTR_PAD,
	SYMPHONY_STATE_ATTR_STEP_MIN,
	SYMPHONY_STATE_ATTR_PSN_REC,
	SYMPHONY_STATE_ATTR_ALPHA,
	SYMPHONY_STATE_ATTR_CNT_TOTAL,
	SYMPHONY_STATE_ATTR_CNT_OP,
	SYMPHONY_STATE_ATTR_FIRST_SEEN,
	SYMPHONY_STATE_ATTR_LAST_SEEN,
	SYMPHONY_STATE_ATTR_MISALIGNED,
	SYMPHONY_STATE_ATTR_FLOWS,
	SYMPHONY_STATE_ATTR_IDLE,

	__SYMPHONY_STATE_ATTR_MAX
};

#define SYMPHONY_STATE_ATTR_MAX (__SYMPHONY_STATE_ATTR_MAX - 1)

/**
 * enum symphony_stats_attr - u64 attributes nested in SYMPHONY_ATTR_STATS
 *
 * Of one job, since it was entered or reset. They count as those of the same name in
 * &enum tca_symphony_stats do: of all jobs and of those that are gone these are the
 * qdiscs' sums.
 *
 * @SYMPHONY_STATS_ATTR_UNSPEC: unused
 * @SYMPHONY_STATS_ATTR_PAD: padding
 * @SYMPHONY_STATS_ATTR_PACKETS: data packets with a step
 * @SYMPHONY_STATS_ATTR_BYTES: their bytes
 * @SYMPHONY_STATS_ATTR_OUTPACING: those above the smallest step
 * @SYMPHONY_STATS_ATTR_MARKED: packets set to CE for running ahead
 * @SYMPHONY_STATS_ATTR_WOULD_MARK: mode observe: packets that would be marked for it
 * @SYMPHONY_STATS_ATTR_NOT_ECT: packets due for it but not ECN capable
 * @SYMPHONY_STATS_ATTR_ALREADY_CE: packets due for it that had a mark
 * @SYMPHONY_STATS_ATTR_CORRECTIONS: changes of the smallest step to an earlier one
 */
enum symphony_stats_attr {
	SYMPHONY_STATS_ATTR_UNSPEC,
	SYMPHONY_STATS_ATTR_PAD,
	SYMPHONY_STATS_ATTR_PACKETS,
	SYMPHONY_STATS_ATTR_BYTES,
	SYMPHONY_STATS_ATTR_OUTPACING,
	SYMPHONY_STATS_ATTR_MARKED,
	SYMPHONY_STATS_ATTR_WOULD_MARK,
	SYMPHONY_STATS_ATTR_NOT_ECT,
	SYMPHONY_STATS_ATTR_ALREADY_CE,
	SYMPHONY_STATS_ATTR_CORRECTIONS,

	__SYMPHONY_STATS_ATTR_MAX
};

#define SYMPHONY_STATS_ATTR_MAX (__SYMPHONY_STATS_ATTR_MAX - 1)

/**
 * enum symphony_override_attr - attributes nested in SYMPHONY_ATTR_OVERRIDES
 *
 * What counts for one job instead of the options of the qdisc of that name. In a reply
 * those are there that are set; in a request SYMPHONY_GENL_NO_OVERRIDE ends one.
 * An override lasts as long as the table knows the job. If the qdisc's options change
 * so that steps mean something else, its jobs are forgotten; those that are pinned or
 * have an override stay with these, unless their numbers mean something else, too, and
 * begin anew.
 *
 * @SYMPHONY_OVERRIDE_ATTR_UNSPEC: unused
 * @SYMPHONY_OVERRIDE_ATTR_K: u32, billionths, gain k of equation 4, 0 to 10^9
 * @SYMPHONY_OVERRIDE_ATTR_TAU: u32, billionths, tau of equation 3, 0 to 10^9
 * @SYMPHONY_OVERRIDE_ATTR_MODE: u32, &enum tc_symphony_mode. Mode prio is refused if a
 *	qdisc of the table has no child of its own or counts steps
 * @SYMPHONY_OVERRIDE_ATTR_PINNED: u32, 1: the job is never forgotten, however long it
 *	is silent or full the table; 0: as others
 */
enum symphony_override_attr {
	SYMPHONY_OVERRIDE_ATTR_UNSPEC,
	SYMPHONY_OVERRIDE_ATTR_K,
	SYMPHONY_OVERRIDE_ATTR_TAU,
	SYMPHONY_OVERRIDE_ATTR_MODE,
	SYMPHONY_OVERRIDE_ATTR_PINNED,

	__SYMPHONY_OVERRIDE_ATTR_MAX
};

#define SYMPHONY_OVERRIDE_ATTR_MAX (__SYMPHONY_OVERRIDE_ATTR_MAX - 1)

/**
 * enum symphony_flow_attr - attributes nested in SYMPHONY_ATTR_FLOW
 * @SYMPHONY_FLOW_ATTR_UNSPEC: unused
 * @SYMPHONY_FLOW_ATTR_PAD: padding of 64-bit attributes
 * @SYMPHONY_FLOW_ATTR_SRC: source address, 4 bytes (IPv4) or 16 (IPv6), in network
 *	byte order; in a tunnel the inner one. Absent if it is not known any more
 * @SYMPHONY_FLOW_ATTR_DST: destination address, the same
 * @SYMPHONY_FLOW_ATTR_DEST: u32, destination queue pair (RoCEv2) or PDC identifier
 *	(Ultra Ethernet)
 * @SYMPHONY_FLOW_ATTR_STEP: u32, its current step
 * @SYMPHONY_FLOW_ATTR_POSITION: u32, packets, the furthest seen in that step; absent if
 *	the step's first packet was not seen
 * @SYMPHONY_FLOW_ATTR_LAST_SEEN: u64, nanoseconds since its last packet, to 16 us
 */
enum symphony_flow_attr {
	SYMPHONY_FLOW_ATTR_UNSPEC,
	SYMPHONY_FLOW_ATTR_PAD,
	SYMPHONY_FLOW_ATTR_SRC,
	SYMPHONY_FLOW_ATTR_DST,
	SYMPHONY_FLOW_ATTR_DEST,
	SYMPHONY_FLOW_ATTR_STEP,
	SYMPHONY_FLOW_ATTR_POSITION,
	SYMPHONY_FLOW_ATTR_LAST_SEEN,

	__SYMPHONY_FLOW_ATTR_MAX
};

#define SYMPHONY_FLOW_ATTR_MAX (__SYMPHONY_FLOW_ATTR_MAX - 1)

#endif
