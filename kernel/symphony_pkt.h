/* SPDX-License-Identifier: GPL-2.0 */
/* What the parser tells the algorithm about one packet. */
#ifndef _SYMPHONY_PKT_H
#define _SYMPHONY_PKT_H

#include "symphony_types.h"

/**
 * enum symphony_class - what a packet is to the qdisc
 * @SYMPHONY_OTHER: another protocol, or of the profile but not followed; may
 *	carry data
 * @SYMPHONY_UNPARSABLE: cut short or malformed
 * @SYMPHONY_CONTROL: of the profile, known to carry no data
 * @SYMPHONY_DATA: a part of a message
 * @SYMPHONY_JOBLESS: data that names no job
 * @SYMPHONY_STEPLESS: data of a job that names no step
 *
 * The parser knows no more than the first four.
 */
enum symphony_class {
	SYMPHONY_OTHER,
	SYMPHONY_UNPARSABLE,
	SYMPHONY_CONTROL,
	SYMPHONY_DATA,
	SYMPHONY_JOBLESS,
	SYMPHONY_STEPLESS,
};

/* struct symphony_pkt::flags */
#define SYMPHONY_PKT_FIRST	0x01	/* begins a message */
#define SYMPHONY_PKT_LAST	0x02	/* ends a message; GSO: its last segment */
#define SYMPHONY_PKT_RESENT	0x04	/* says of itself that it is a repeat */
#define SYMPHONY_PKT_STEP	0x08	/* @step is valid */
#define SYMPHONY_PKT_INNER_ECT	0x10	/* inner header of a tunnel may take CE */
#define SYMPHONY_PKT_SYN	0x20	/* may be of a flow that begins */
#define SYMPHONY_PKT_PLACED	0x40	/* @step and @psn, a position, are known */
#define SYMPHONY_PKT_ENDS	0x80	/* ... and it ends its step */
/*
 * The same bit if not: the receiver throws away what follows a lost packet, and the
 * sender goes back to that one.
 */
#define SYMPHONY_PKT_GO_BACK	0x80

/* Positions saturate here; a flow that sends more in a step is far ahead. */
#define SYMPHONY_POSITION_MAX	0xffffffU

/* So many bits tell senders of a job and their receivers apart. */
#define SYMPHONY_PAIR_BITS	12

/**
 * struct symphony_pkt - one packet as the algorithm sees it
 * @job: job number, 0 = none
 * @psn: packet sequence number as on the wire
 * @flow: hash of source, destination and queue pair; once the job is known, the
 *	key of its anchor
 * @step: step, if %SYMPHONY_PKT_STEP is set
 * @flags: SYMPHONY_PKT_*
 * @dscp: DSCP of the header nearest to the transport
 * @ecn: ECN codepoint of the outermost IP header
 * @ip_version: 4 or 6, version of the outermost IP header
 * @ip_offset: offset of that header from skb->data
 * @pair: %SYMPHONY_PAIR_BITS of a hash of source and destination
 * @span: of a GSO packet only: PSNs from its first segment to its last
 */
struct symphony_pkt {
	u32 job;
	u32 psn;
	u64 flow;
	u16 step;
	u8 flags;
	u8 dscp;
	u8 ecn;
	u8 ip_version;
	u16 ip_offset;
	u16 pair;
	u32 span;
};

#endif
