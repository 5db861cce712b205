/* SPDX-License-Identifier: GPL-2.0 */
/* RoCEv2: what a base transport header (BTH) says. */
#ifndef _SYMPHONY_ROCEV2_H
#define _SYMPHONY_ROCEV2_H

#include "symphony_wire.h"

#define SYMPHONY_PORT_ROCEV2	4791

/* A WRITE ONLY of up to this many bytes is NCCL's clear-to-send: 8 slots. */
#define SYMPHONY_CTS_MAX	512

/* Source ports from here on carry a step in their low 14 bits. */
#define SYMPHONY_STEP_PORTS	0xc000
#define SYMPHONY_STEP_MASK	0x3fff

/* Layout of the headers: bytes from the begin of each. */
#define SYMPHONY_BTH_LEN	12	/* no profile has data in less */
#define SYMPHONY_BTH_TVER	0x0f	/* byte 1 */
#define SYMPHONY_XRCETH_LEN	4
#define SYMPHONY_RETH_LEN	16

/*
 * What a BTH opcode means: the SYMPHONY_PKT_* flags FIRST, LAST and GO_BACK, and the
 * following. 0 is whatever is not followed but may carry data, as datagrams.
 */
#define SYMPHONY_OP_DATA	0x04
#define SYMPHONY_OP_CTS		0x40	/* clear-to-send if short */
#define SYMPHONY_OP_READ	0x20	/* counts in the requester's PSNs */
#define SYMPHONY_OP_XRC		0x10	/* an XRCETH follows the BTH */
#define SYMPHONY_OP_CONTROL	0x08	/* carries no data */

#define SYMPHONY_OP_MIDDLE	(SYMPHONY_OP_DATA | SYMPHONY_PKT_GO_BACK)
#define SYMPHONY_OP_FIRST	(SYMPHONY_OP_MIDDLE | SYMPHONY_PKT_FIRST)
#define SYMPHONY_OP_LAST	(SYMPHONY_OP_MIDDLE | SYMPHONY_PKT_LAST)
#define SYMPHONY_OP_ONLY	(SYMPHONY_OP_FIRST | SYMPHONY_OP_LAST)

/* Of a connection that sends nothing again. */
#define SYMPHONY_OP_ONCE(op)	((op) & ~SYMPHONY_PKT_GO_BACK)

#define SYMPHONY_OP_CTS_XRC	(SYMPHONY_OP_CTS | SYMPHONY_OP_XRC)

static const u8 symphony_ops[256] = {
	/* RC, reliable connection */
	[0x00] = SYMPHONY_OP_FIRST,	/* SEND FIRST */
	[0x01] = SYMPHONY_OP_MIDDLE,
	[0x02] = SYMPHONY_OP_LAST,
	[0x03] = SYMPHONY_OP_LAST,	/* with immediate */
	[0x04] = SYMPHONY_OP_ONLY,
	[0x05] = SYMPHONY_OP_ONLY,	/* with immediate */
	[0x06] = SYMPHONY_OP_FIRST,	/* WRITE FIRST */
	[0x07] = SYMPHONY_OP_MIDDLE,
	[0x08] = SYMPHONY_OP_LAST,
	[0x09] = SYMPHONY_OP_LAST,	/* with immediate */
	[0x0a] = SYMPHONY_OP_ONLY | SYMPHONY_OP_CTS,
	[0x0b] = SYMPHONY_OP_ONLY,	/* with immediate */
	[0x0c] = SYMPHONY_OP_CONTROL,	/* READ REQUEST */
	[0x0d] = SYMPHONY_OP_FIRST | SYMPHONY_OP_READ,	/* READ RESPONSE FIRST */
	[0x0e] = SYMPHONY_OP_MIDDLE | SYMPHONY_OP_READ,
	[0x0f] = SYMPHONY_OP_LAST | SYMPHONY_OP_READ,
	[0x10] = SYMPHONY_OP_ONLY | SYMPHONY_OP_READ,
	[0x11] = SYMPHONY_OP_CONTROL,	/* ACKNOWLEDGE */
	[0x12] = SYMPHONY_OP_CONTROL,	/* ATOMIC ACKNOWLEDGE */
	[0x13] = SYMPHONY_OP_CONTROL,	/* COMPARE SWAP */
	[0x14] = SYMPHONY_OP_CONTROL,	/* FETCH ADD */
	[0x16] = SYMPHONY_OP_LAST,	/* SEND LAST with invalidate */
	[0x17] = SYMPHONY_OP_ONLY,	/* SEND ONLY with invalidate */

	/* UC, unreliable connection */
	[0x20] = SYMPHONY_OP_ONCE(SYMPHONY_OP_FIRST),
	[0x21] = SYMPHONY_OP_ONCE(SYMPHONY_OP_MIDDLE),
	[0x22] = SYMPHONY_OP_ONCE(SYMPHONY_OP_LAST),
	[0x23] = SYMPHONY_OP_ONCE(SYMPHONY_OP_LAST),
	[0x24] = SYMPHONY_OP_ONCE(SYMPHONY_OP_ONLY),
	[0x25] = SYMPHONY_OP_ONCE(SYMPHONY_OP_ONLY),
	[0x26] = SYMPHONY_OP_ONCE(SYMPHONY_OP_FIRST),
	[0x27] = SYMPHONY_OP_ONCE(SYMPHONY_OP_MIDDLE),
	[0x28] = SYMPHONY_OP_ONCE(SYMPHONY_OP_LAST),
	[0x29] = SYMPHONY_OP_ONCE(SYMPHONY_OP_LAST),
	[0x2a] = SYMPHONY_OP_ONCE(SYMPHONY_OP_ONLY) | SYMPHONY_OP_CTS,
	[0x2b] = SYMPHONY_OP_ONCE(SYMPHONY_OP_ONLY),

	/* RD, reliable datagram */
	[0x4c] = SYMPHONY_OP_CONTROL,
	[0x51] = SYMPHONY_OP_CONTROL,
	[0x52] = SYMPHONY_OP_CONTROL,
	[0x53] = SYMPHONY_OP_CONTROL,
	[0x54] = SYMPHONY_OP_CONTROL,

	[0x81] = SYMPHONY_OP_CONTROL,	/* CNP */

	/* XRC, extended reliable connection */
	[0xa0] = SYMPHONY_OP_FIRST,
	[0xa1] = SYMPHONY_OP_MIDDLE,
	[0xa2] = SYMPHONY_OP_LAST,
	[0xa3] = SYMPHONY_OP_LAST,
	[0xa4] = SYMPHONY_OP_ONLY,
	[0xa5] = SYMPHONY_OP_ONLY,
	[0xa6] = SYMPHONY_OP_FIRST,
	[0xa7] = SYMPHONY_OP_MIDDLE,
	[0xa8] = SYMPHONY_OP_LAST,
	[0xa9] = SYMPHONY_OP_LAST,
	[0xaa] = SYMPHONY_OP_ONLY | SYMPHONY_OP_CTS_XRC,
	[0xab] = SYMPHONY_OP_ONLY,
	[0xac] = SYMPHONY_OP_CONTROL,
	[0xad] = SYMPHONY_OP_FIRST | SYMPHONY_OP_READ,
	[0xae] = SYMPHONY_OP_MIDDLE | SYMPHONY_OP_READ,
	[0xaf] = SYMPHONY_OP_LAST | SYMPHONY_OP_READ,
	[0xb0] = SYMPHONY_OP_ONLY | SYMPHONY_OP_READ,
	[0xb1] = SYMPHONY_OP_CONTROL,
	[0xb2] = SYMPHONY_OP_CONTROL,
	[0xb3] = SYMPHONY_OP_CONTROL,
	[0xb4] = SYMPHONY_OP_CONTROL,
	[0xb6] = SYMPHONY_OP_LAST,
	[0xb7] = SYMPHONY_OP_ONLY,
};

/* RoCEv2 from the UDP header on, source port @sport. */
static __always_inline enum symphony_class
symphony_parse_bth(const u8 *udp, struct symphony_room room, u16 sport,
		   u64 hash, const struct symphony_parse_config *cfg,
		   struct symphony_pkt *pkt)
{
	const u8 *bth = udp + SYMPHONY_UDP_LEN;
	s32 len = SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN;
	u32 resv_qp, ack_psn;
	u8 flags, op;

	if (unlikely(!symphony_fits(room, len) ||
		     (bth[1] & SYMPHONY_BTH_TVER)))
		return SYMPHONY_UNPARSABLE;

	op = symphony_ops[bth[0]];
	if (unlikely(!(op & SYMPHONY_OP_DATA)))
		return op ? SYMPHONY_CONTROL : SYMPHONY_OTHER;

	if (op & SYMPHONY_OP_CTS) {
		len += SYMPHONY_RETH_LEN;
		if (op & SYMPHONY_OP_XRC)
			len += SYMPHONY_XRCETH_LEN;
		if (unlikely(!symphony_fits(room, len)))
			return SYMPHONY_UNPARSABLE;
		/* the RETH ends with the length of the message */
		if (get_unaligned_be32(udp + len - 4) <= SYMPHONY_CTS_MAX)
			return SYMPHONY_CONTROL;
	}

	resv_qp = get_unaligned_be32(bth + 4);
	ack_psn = get_unaligned_be32(bth + 8);
	pkt->job = (resv_qp >> 17 & 0x1f80) | (ack_psn >> 24 & 0x7f);
	pkt->psn = ack_psn & 0xffffff;
	pkt->pair = hash >> (64 - SYMPHONY_PAIR_BITS);
	/*
	 * One queue pair receives WRITEs that its peer numbers and READ
	 * RESPONSEs that it numbers itself: two flows.
	 */
	pkt->flow = symphony_hash(cfg, hash,
				  resv_qp << 8 | (op & SYMPHONY_OP_READ));
	pkt->step = sport & SYMPHONY_STEP_MASK;
	flags = op & (SYMPHONY_PKT_FIRST | SYMPHONY_PKT_LAST | SYMPHONY_PKT_GO_BACK);
	if (likely(sport >= SYMPHONY_STEP_PORTS))
		flags |= SYMPHONY_PKT_STEP;
	pkt->flags |= flags;
	return SYMPHONY_DATA;
}

#endif
