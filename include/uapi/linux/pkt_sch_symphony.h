/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* Netlink interface of the symphony queueing discipline. */
#ifndef __LINUX_PKT_SCH_SYMPHONY_H
#define __LINUX_PKT_SCH_SYMPHONY_H

#include <linux/types.h>

/*
 * Probabilities and ratios travel as billionths, so that every decimal a user
 * types with up to nine digits behind the point comes back unchanged.
 */
#define TC_SYMPHONY_ONE			1000000000U

/* Ranges. Times are nanoseconds, sizes bytes. */
#define TC_SYMPHONY_LIMIT_MAX		0x40000000U
#define TC_SYMPHONY_WINDOW_MIN		1000ULL
#define TC_SYMPHONY_WINDOW_MAX		60000000000ULL
#define TC_SYMPHONY_WARMUP_MAX		0xffffffU
#define TC_SYMPHONY_ALPHA_MAX		65535U
#define TC_SYMPHONY_JOB_MAX		0xffffffU
#define TC_SYMPHONY_JOBS_MAX		65535U
#define TC_SYMPHONY_FLOWS_MIN		4U
#define TC_SYMPHONY_FLOWS_MAX		0x400000U
#define TC_SYMPHONY_IDLE_MIN		1000000ULL
#define TC_SYMPHONY_IDLE_MAX		86400000000000ULL
#define TC_SYMPHONY_ECN_BYTES_MAX	0x10000000U
#define TC_SYMPHONY_SHIELD_MAX		64U
#define TC_SYMPHONY_MESSAGES_MAX	16U
#define TC_SYMPHONY_GAP_MIN		100000ULL
#define TC_SYMPHONY_GAP_MAX		60000000000ULL
#define TC_SYMPHONY_HOLD_MAX		60000000000ULL
#define TC_SYMPHONY_PATIENCE_MIN	1000ULL
#define TC_SYMPHONY_PATIENCE_MAX	60000000000ULL
#define TC_SYMPHONY_LIMIT_BYTES_MAX	0x40000000U
#define TC_SYMPHONY_ECN_TIME_MAX	60000000000ULL
#define TC_SYMPHONY_ECN_RATE_MAX	1000000000000ULL

/**
 * enum tc_symphony_proto - wire profile of the data packets
 * @TC_SYMPHONY_PROTO_ROCEV2: RoCEv2, UDP destination port 4791
 * @TC_SYMPHONY_PROTO_UET: Ultra Ethernet over UDP destination port 4793
 */
enum tc_symphony_proto {
	TC_SYMPHONY_PROTO_ROCEV2,
	TC_SYMPHONY_PROTO_UET,
	__TC_SYMPHONY_PROTO_MAX
};

/**
 * enum tc_symphony_job - where a packet's job number comes from
 * @TC_SYMPHONY_JOB_RESV: the packet: 13 reserved bits of the BTH (resv6 the
 *	high six, resv7 the low seven) or the 24-bit JobID of Ultra Ethernet;
 *	0 is no job
 * @TC_SYMPHONY_JOB_DSCP: the six DSCP bits; 0 is no job
 * @TC_SYMPHONY_JOB_FILTER: the minor number of the class that the filters
 *	attached to the qdisc select; 0 is no job
 * @TC_SYMPHONY_JOB_FIXED: every data packet belongs to TCA_SYMPHONY_JOB_ID
 */
enum tc_symphony_job {
	TC_SYMPHONY_JOB_RESV,
	TC_SYMPHONY_JOB_DSCP,
	TC_SYMPHONY_JOB_FILTER,
	TC_SYMPHONY_JOB_FIXED,
	__TC_SYMPHONY_JOB_MAX
};

/**
 * enum tc_symphony_step - where a packet's step comes from
 * @TC_SYMPHONY_STEP_SPORT: low 14 bits of the UDP source port (RoCEv2)
 * @TC_SYMPHONY_STEP_SPDCID: source PDC identifier, 16 bits (Ultra Ethernet)
 * @TC_SYMPHONY_STEP_MSGID: message identifier, 16 bits (Ultra Ethernet)
 * @TC_SYMPHONY_STEP_COUNT: messages that the flow has completed since its job
 *	began, divided by TCA_SYMPHONY_MESSAGES; 16 bits
 */
enum tc_symphony_step {
	TC_SYMPHONY_STEP_SPORT,
	TC_SYMPHONY_STEP_SPDCID,
	TC_SYMPHONY_STEP_MSGID,
	TC_SYMPHONY_STEP_COUNT,
	__TC_SYMPHONY_STEP_MAX
};

/**
 * enum tc_symphony_psn - how a packet's position in its step is found
 * @TC_SYMPHONY_PSN_RELATIVE: PSN minus the PSN of the step's first packet,
 *	plus one
 * @TC_SYMPHONY_PSN_ABSOLUTE: the PSN itself, as in the paper
 */
enum tc_symphony_psn {
	TC_SYMPHONY_PSN_RELATIVE,
	TC_SYMPHONY_PSN_ABSOLUTE,
	__TC_SYMPHONY_PSN_MAX
};

/**
 * enum tc_symphony_mode - what is done about packets that run ahead
 * @TC_SYMPHONY_MODE_MARK: set CE on them with the probability of equation 4
 * @TC_SYMPHONY_MODE_OBSERVE: count what would be marked, change no packet
 * @TC_SYMPHONY_MODE_PRIO: mark nothing, give packets of the smallest step a
 *	better skb->priority on their way into the child
 */
enum tc_symphony_mode {
	TC_SYMPHONY_MODE_MARK,
	TC_SYMPHONY_MODE_OBSERVE,
	TC_SYMPHONY_MODE_PRIO,
	__TC_SYMPHONY_MODE_MAX
};

/**
 * enum tc_symphony_queue - where packets wait
 * @TC_SYMPHONY_QUEUE_CHILD: in the child qdisc, in its order
 * @TC_SYMPHONY_QUEUE_ORDER: in the qdisc itself, which has no child: jobs share
 *	the link, a job's smallest step goes first
 */
enum tc_symphony_queue {
	TC_SYMPHONY_QUEUE_CHILD,
	TC_SYMPHONY_QUEUE_ORDER,
	__TC_SYMPHONY_QUEUE_MAX
};

/**
 * enum tca_symphony - attributes nested in TCA_OPTIONS
 * @TCA_SYMPHONY_UNSPEC: unused
 * @TCA_SYMPHONY_PAD: padding of 64-bit attributes
 * @TCA_SYMPHONY_LIMIT: u32, packets in the default child or in queue order, 1
 *	and up
 * @TCA_SYMPHONY_K: u32, billionths, gain k of equation 4, 0 to 1
 * @TCA_SYMPHONY_TAU: u32, billionths, tau of equation 3, 0 to 1
 * @TCA_SYMPHONY_WINDOW: u64, nanoseconds, length of a window, 1 us to 60 s
 * @TCA_SYMPHONY_WARMUP: u32, packets, N_warmup of algorithm 1
 * @TCA_SYMPHONY_SAMPLES: u32, packets, N_sample of section 3.4.3
 * @TCA_SYMPHONY_ALPHA_MAX: u32, upper bound of alpha, 1 to 65535
 * @TCA_SYMPHONY_PROTO: u32, &enum tc_symphony_proto
 * @TCA_SYMPHONY_JOB: u32, &enum tc_symphony_job
 * @TCA_SYMPHONY_JOB_ID: u32, the job of TC_SYMPHONY_JOB_FIXED, 1 to 2^24 - 1
 * @TCA_SYMPHONY_STEP: u32, &enum tc_symphony_step
 * @TCA_SYMPHONY_PSN: u32, &enum tc_symphony_psn
 * @TCA_SYMPHONY_JOBS: u32, capacity of the job table, 1 to 65535
 * @TCA_SYMPHONY_FLOWS: u32, capacity of the flow table, 4 to 2^22, rounded up
 *	to a power of two
 * @TCA_SYMPHONY_IDLE: u64, nanoseconds after which a silent job is forgotten,
 *	one for all qdiscs of a domain
 * @TCA_SYMPHONY_DOMAIN: u32, 0 for a table of one's own, else the number of
 *	the table shared within the network namespace
 * @TCA_SYMPHONY_MODE: u32, &enum tc_symphony_mode
 * @TCA_SYMPHONY_SEED: u64, seed of the coin, to which device, queue and parent
 *	class are added; only dumped when it was given
 * @TCA_SYMPHONY_ECN_MIN: u32, bytes of queue up to which nothing is marked
 * @TCA_SYMPHONY_ECN_MAX: u32, bytes of queue above which all is marked; 0
 *	switches congestion marking off
 * @TCA_SYMPHONY_ECN_PROB: u32, billionths, probability at TCA_SYMPHONY_ECN_MAX
 * @TCA_SYMPHONY_SHIELD: u32, factor on both thresholds for the smallest step
 *	of a misaligned job, 1 (off) to 64
 * @TCA_SYMPHONY_QUEUE: u32, &enum tc_symphony_queue
 * @TCA_SYMPHONY_PATIENCE: u64, nanoseconds that a step waits behind smaller ones
 *	in queue order, 1 us to 60 s
 * @TCA_SYMPHONY_LIMIT_BYTES: u32, bytes that queue order holds, 1 to 2^30
 * @TCA_SYMPHONY_ECN_MIN_TIME: u64, nanoseconds, TCA_SYMPHONY_ECN_MIN as the time
 *	in which TCA_SYMPHONY_ECN_RATE serves it; not 0 only without that
 * @TCA_SYMPHONY_ECN_MAX_TIME: u64, nanoseconds, the same of TCA_SYMPHONY_ECN_MAX
 * @TCA_SYMPHONY_ECN_RATE: u64, bytes a second; 0 is the rate at which the queue
 *	has been served
 * @TCA_SYMPHONY_MESSAGES: u32, messages of a step with TC_SYMPHONY_STEP_COUNT, 1
 *	to 16; only dumped with it
 * @TCA_SYMPHONY_GAP: u64, nanoseconds, silence of a job after which its counts
 *	begin anew with TC_SYMPHONY_STEP_COUNT, 100 us to 60 s; only dumped with it
 * @TCA_SYMPHONY_HOLD: u64, nanoseconds that a sender's earlier step may be silent
 *	before its later ones go on in queue order, at most 60 s; 0: they do not wait
 */
enum tca_symphony {
	TCA_SYMPHONY_UNSPEC,
	TCA_SYMPHONY_PAD,
	TCA_SYMPHONY_LIMIT,
	TCA_SYMPHONY_K,
	TCA_SYMPHONY_TAU,
	TCA_SYMPHONY_WINDOW,
	TCA_SYMPHONY_WARMUP,
	TCA_SYMPHONY_SAMPLES,
	TCA_SYMPHONY_ALPHA_MAX,
	TCA_SYMPHONY_PROTO,
	TCA_SYMPHONY_JOB,
	TCA_SYMPHONY_JOB_ID,
	TCA_SYMPHONY_STEP,
	TCA_SYMPHONY_PSN,
	TCA_SYMPHONY_JOBS,
	TCA_SYMPHONY_FLOWS,
	TCA_SYMPHONY_IDLE,
	TCA_SYMPHONY_DOMAIN,
	TCA_SYMPHONY_MODE,
	TCA_SYMPHONY_SEED,
	TCA_SYMPHONY_ECN_MIN,
	TCA_SYMPHONY_ECN_MAX,
	TCA_SYMPHONY_ECN_PROB,
	TCA_SYMPHONY_SHIELD,
	TCA_SYMPHONY_QUEUE,
	TCA_SYMPHONY_PATIENCE,
	TCA_SYMPHONY_LIMIT_BYTES,
	TCA_SYMPHONY_ECN_MIN_TIME,
	TCA_SYMPHONY_ECN_MAX_TIME,
	TCA_SYMPHONY_ECN_RATE,
	TCA_SYMPHONY_MESSAGES,
	TCA_SYMPHONY_GAP,
	TCA_SYMPHONY_HOLD,

	__TCA_SYMPHONY_MAX
};

#define TCA_SYMPHONY_MAX (__TCA_SYMPHONY_MAX - 1)

/**
 * enum tca_symphony_stats - u64 attributes nested in TCA_STATS_APP
 *
 * Every packet that leaves the qdisc is counted in exactly one of OTHER,
 * UNPARSABLE, CONTROL, NO_JOB, NO_STEP, TABLE_FULL and DATA; every data packet
 * in exactly one of LAGGING and OUTPACING. Packets are wire packets: a GSO
 * super-packet counts as its segments. Bytes are those of qdisc_pkt_len().
 *
 * @TCA_SYMPHONY_STATS_UNSPEC: unused
 * @TCA_SYMPHONY_STATS_PAD: padding
 * @TCA_SYMPHONY_STATS_DATA: data packets of a job with a step
 * @TCA_SYMPHONY_STATS_DATA_BYTES: their bytes
 * @TCA_SYMPHONY_STATS_LAGGING: data packets at or below the smallest step
 * @TCA_SYMPHONY_STATS_LAGGING_BYTES: their bytes
 * @TCA_SYMPHONY_STATS_OUTPACING: data packets above the smallest step
 * @TCA_SYMPHONY_STATS_OUTPACING_BYTES: their bytes
 * @TCA_SYMPHONY_STATS_MARKED: packets set to CE for running ahead
 * @TCA_SYMPHONY_STATS_MARKED_BYTES: their bytes
 * @TCA_SYMPHONY_STATS_WOULD_MARK: mode observe: packets that would be marked
 * @TCA_SYMPHONY_STATS_WOULD_MARK_BYTES: their bytes
 * @TCA_SYMPHONY_STATS_NOT_ECT: packets due for a mark but not ECN capable
 * @TCA_SYMPHONY_STATS_ALREADY_CE: packets due for a mark that had one
 * @TCA_SYMPHONY_STATS_NO_JOB: data packets that name no job
 * @TCA_SYMPHONY_STATS_NO_STEP: data packets of a job that name no step, or
 *	none that behaves like one
 * @TCA_SYMPHONY_STATS_NO_POSITION: data packets whose position is unknown
 * @TCA_SYMPHONY_STATS_CONTROL: packets of the profile known to carry no data
 * @TCA_SYMPHONY_STATS_UNPARSABLE: packets cut short or malformed
 * @TCA_SYMPHONY_STATS_OTHER: packets of other protocols, or of the profile but
 *	not followed
 * @TCA_SYMPHONY_STATS_ECN_MARKED: packets set to CE for congestion
 * @TCA_SYMPHONY_STATS_SHIELDED: packets that only the shield kept unmarked
 * @TCA_SYMPHONY_STATS_PRIORITIZED: mode prio: packets given a better priority
 * @TCA_SYMPHONY_STATS_LAST_SEEN: data packets that end a message; a GSO packet
 *	counts once
 * @TCA_SYMPHONY_STATS_STEP_ADVANCES: changes of step_min to a later step
 * @TCA_SYMPHONY_STATS_STEP_CORRECTIONS: changes of step_min to an earlier step
 * @TCA_SYMPHONY_STATS_WINDOWS: windows with traffic that ended, over all jobs
 * @TCA_SYMPHONY_STATS_ALPHA_UPS: windows that raised alpha
 * @TCA_SYMPHONY_STATS_ALPHA_DOWNS: windows that lowered alpha
 * @TCA_SYMPHONY_STATS_JOBS: jobs in the table now that are not idle
 * @TCA_SYMPHONY_STATS_JOBS_CREATED: jobs entered into the table
 * @TCA_SYMPHONY_STATS_JOBS_EXPIRED: jobs forgotten after idle time, or since the
 *	number space changed; idle ones of a table of one's own count at once,
 *	those of a domain when their place is used or they come back
 * @TCA_SYMPHONY_STATS_TABLE_FULL: data packets of jobs that found no room
 * @TCA_SYMPHONY_STATS_FLOWS_REPLACED: live flow entries given to other flows
 * @TCA_SYMPHONY_STATS_MARK_FAILED: packets whose header could not be written
 * @TCA_SYMPHONY_STATS_MEMORY: bytes held by the job and flow tables and their
 *	locks, and by queue order without its packets
 * @TCA_SYMPHONY_STATS_ORDER_PASSED: queue order: packets that left ahead of an
 *	older one of their job; a GSO packet counts once
 * @TCA_SYMPHONY_STATS_ORDER_FIFOS: queue order: FIFOs of jobs in use now
 * @TCA_SYMPHONY_STATS_ORDER_BACKLOG_SMALLEST: queue order: bytes that wait now
 *	in the smallest step of their job
 * @TCA_SYMPHONY_STATS_ORDER_BACKLOG_AHEAD: queue order: bytes of larger steps
 *	that wait now
 * @TCA_SYMPHONY_STATS_ORDER_WAIT_MAX: queue order: nanoseconds that a packet
 *	waited at most
 * @TCA_SYMPHONY_STATS_DROPS_AHEAD: queue order: packets of larger steps than
 *	their job's smallest that a full queue dropped; a GSO packet counts once
 * @TCA_SYMPHONY_STATS_DROPS_OTHER: those of no job, no step, without data, or
 *	of one of too many jobs
 * @TCA_SYMPHONY_STATS_DROPS_LAGGARD: those of a smallest step
 * @TCA_SYMPHONY_STATS_ONLY: data packets of flows all of whose packets are
 *	messages of their own, followed by their step's number alone
 * @TCA_SYMPHONY_STATS_STEP_ENTROPY: of TCA_SYMPHONY_STATS_NO_STEP, data packets
 *	whose number is there but does not behave like a step
 * @TCA_SYMPHONY_STATS_JOBS_REPLACED: jobs that a full table gave up for others,
 *	those of few packets first
 * @TCA_SYMPHONY_STATS_STEP_RESTARTS: jobs that began anew after a silence of
 *	TCA_SYMPHONY_GAP
 * @TCA_SYMPHONY_STATS_ORDER_HOLDS: queue order: times that the link had nothing to
 *	send because all that waited was held (TCA_SYMPHONY_HOLD)
 * @TCA_SYMPHONY_STATS_DROPS_GAP: queue order: packets that were dropped since they
 *	followed one that was, which their receivers would have thrown away
 */
enum tca_symphony_stats {
	TCA_SYMPHONY_STATS_UNSPEC,
	TCA_SYMPHONY_STATS_PAD,
	TCA_SYMPHONY_STATS_DATA,
	TCA_SYMPHONY_STATS_DATA_BYTES,
	TCA_SYMPHONY_STATS_LAGGING,
	TCA_SYMPHONY_STATS_LAGGING_BYTES,
	TCA_SYMPHONY_STATS_OUTPACING,
	TCA_SYMPHONY_STATS_OUTPACING_BYTES,
	TCA_SYMPHONY_STATS_MARKED,
	TCA_SYMPHONY_STATS_MARKED_BYTES,
	TCA_SYMPHONY_STATS_WOULD_MARK,
	TCA_SYMPHONY_STATS_WOULD_MARK_BYTES,
	TCA_SYMPHONY_STATS_NOT_ECT,
	TCA_SYMPHONY_STATS_ALREADY_CE,
	TCA_SYMPHONY_STATS_NO_JOB,
	TCA_SYMPHONY_STATS_NO_STEP,
	TCA_SYMPHONY_STATS_NO_POSITION,
	TCA_SYMPHONY_STATS_CONTROL,
	TCA_SYMPHONY_STATS_UNPARSABLE,
	TCA_SYMPHONY_STATS_OTHER,
	TCA_SYMPHONY_STATS_ECN_MARKED,
	TCA_SYMPHONY_STATS_SHIELDED,
	TCA_SYMPHONY_STATS_PRIORITIZED,
	TCA_SYMPHONY_STATS_LAST_SEEN,
	TCA_SYMPHONY_STATS_STEP_ADVANCES,
	TCA_SYMPHONY_STATS_STEP_CORRECTIONS,
	TCA_SYMPHONY_STATS_WINDOWS,
	TCA_SYMPHONY_STATS_ALPHA_UPS,
	TCA_SYMPHONY_STATS_ALPHA_DOWNS,
	TCA_SYMPHONY_STATS_JOBS,
	TCA_SYMPHONY_STATS_JOBS_CREATED,
	TCA_SYMPHONY_STATS_JOBS_EXPIRED,
	TCA_SYMPHONY_STATS_TABLE_FULL,
	TCA_SYMPHONY_STATS_FLOWS_REPLACED,
	TCA_SYMPHONY_STATS_MARK_FAILED,
	TCA_SYMPHONY_STATS_MEMORY,
	TCA_SYMPHONY_STATS_ORDER_PASSED,
	TCA_SYMPHONY_STATS_ORDER_FIFOS,
	TCA_SYMPHONY_STATS_ORDER_BACKLOG_SMALLEST,
	TCA_SYMPHONY_STATS_ORDER_BACKLOG_AHEAD,
	TCA_SYMPHONY_STATS_ORDER_WAIT_MAX,
	TCA_SYMPHONY_STATS_DROPS_AHEAD,
	TCA_SYMPHONY_STATS_DROPS_OTHER,
	TCA_SYMPHONY_STATS_DROPS_LAGGARD,
	TCA_SYMPHONY_STATS_ONLY,
	TCA_SYMPHONY_STATS_STEP_ENTROPY,
	TCA_SYMPHONY_STATS_JOBS_REPLACED,
	TCA_SYMPHONY_STATS_STEP_RESTARTS,
	TCA_SYMPHONY_STATS_ORDER_HOLDS,
	TCA_SYMPHONY_STATS_DROPS_GAP,

	__TCA_SYMPHONY_STATS_MAX
};

#define TCA_SYMPHONY_STATS_MAX (__TCA_SYMPHONY_STATS_MAX - 1)

#endif
