/* SPDX-License-Identifier: GPL-2.0 */
/* Ultra Ethernet: packet delivery (PDS) and semantics (SES) headers. */
#ifndef _SYMPHONY_UET_H
#define _SYMPHONY_UET_H

#include "symphony_wire.h"

#define SYMPHONY_PORT_UET	4793

/* Layout of the headers: bytes from the begin of each. */
#define SYMPHONY_PDS_PROLOGUE_LEN	2
#define SYMPHONY_PDS_LEN	12
#define SYMPHONY_PDS_CC_LEN	16
#define SYMPHONY_PDS_RETX	0x10	/* byte 1 */
#define SYMPHONY_PDS_SYN	0x04
#define SYMPHONY_SES_MAX_LEN	44
#define SYMPHONY_SES_OPCODE	0x3f	/* byte 0 */
#define SYMPHONY_SES_SOM	0x01	/* byte 1 */
#define SYMPHONY_SES_EOM	0x02

enum symphony_pds_type {
	SYMPHONY_PDS_TSS = 1,
	SYMPHONY_PDS_RUD_REQ = 2,
	SYMPHONY_PDS_ROD_REQ = 3,
	SYMPHONY_PDS_RUDI_REQ = 4,
	SYMPHONY_PDS_RUDI_RESP = 5,
	SYMPHONY_PDS_UUD_REQ = 6,
	SYMPHONY_PDS_ACK = 7,
	SYMPHONY_PDS_ACK_CC = 8,
	SYMPHONY_PDS_ACK_CCX = 9,
	SYMPHONY_PDS_NACK = 10,
	SYMPHONY_PDS_CTRL = 11,
	SYMPHONY_PDS_NACK_CCX = 12,
	SYMPHONY_PDS_RUD_CC_REQ = 13,
	SYMPHONY_PDS_ROD_CC_REQ = 14,
};

/* What the PDS header says of the one behind it. */
enum symphony_ses_header {
	SYMPHONY_SES_SMALL = 1,
	SYMPHONY_SES_MEDIUM = 2,
	SYMPHONY_SES_STANDARD = 3,
	SYMPHONY_SES_RESPONSE = 4,
	SYMPHONY_SES_RESPONSE_DATA = 5,
	SYMPHONY_SES_RESPONSE_SMALL = 6,	/* with data, too */
};

enum symphony_ses_opcode {
	SYMPHONY_SES_WRITE = 1,
	SYMPHONY_SES_READ = 2,
	SYMPHONY_SES_SEND = 5,
	SYMPHONY_SES_TAGGED_SEND = 9,
};

/* The SES header of a request; those of all kinds begin alike. */
static inline enum symphony_class
symphony_parse_ses(const u8 *ses, u32 kind,
		   const struct symphony_parse_config *cfg,
		   struct symphony_pkt *pkt)
{
	switch (ses[0] & SYMPHONY_SES_OPCODE) {
	case SYMPHONY_SES_WRITE:
	case SYMPHONY_SES_SEND:
	case SYMPHONY_SES_TAGGED_SEND:
		break;
	case SYMPHONY_SES_READ:
		return SYMPHONY_CONTROL;
	default:
		return SYMPHONY_OTHER;
	}

	if (ses[1] & SYMPHONY_SES_SOM)
		pkt->flags |= SYMPHONY_PKT_FIRST;
	if (ses[1] & SYMPHONY_SES_EOM)
		pkt->flags |= SYMPHONY_PKT_LAST;
	pkt->job = get_unaligned_be32(ses + 4) & 0xffffff;

	if (cfg->step_source == TC_SYMPHONY_STEP_MSGID) {
		/* the short kinds have the length there */
		if (kind != SYMPHONY_SES_STANDARD)
			return SYMPHONY_DATA;
		pkt->step = get_unaligned_be16(ses + 2);
	}
	pkt->flags |= SYMPHONY_PKT_STEP;
	return SYMPHONY_DATA;
}

/* What is no request that is followed, by its PDS type and what is behind it. */
static inline enum symphony_class symphony_pds_class(u32 type, u32 kind)
{
	switch (type) {
	case SYMPHONY_PDS_NACK:
	case SYMPHONY_PDS_CTRL:
	case SYMPHONY_PDS_NACK_CCX:
		return SYMPHONY_CONTROL;
	case SYMPHONY_PDS_ACK:
	case SYMPHONY_PDS_ACK_CC:
	case SYMPHONY_PDS_ACK_CCX:
		if (kind == SYMPHONY_SES_RESPONSE_DATA ||
		    kind == SYMPHONY_SES_RESPONSE_SMALL)
			return SYMPHONY_OTHER;
		return SYMPHONY_CONTROL;
	case SYMPHONY_PDS_TSS:
		/* what follows is encrypted */
		return SYMPHONY_OTHER;
	case SYMPHONY_PDS_RUD_REQ:
	case SYMPHONY_PDS_ROD_REQ:
	case SYMPHONY_PDS_RUDI_REQ:
	case SYMPHONY_PDS_RUDI_RESP:
	case SYMPHONY_PDS_UUD_REQ:
	case SYMPHONY_PDS_RUD_CC_REQ:
	case SYMPHONY_PDS_ROD_CC_REQ:
		if (kind == SYMPHONY_SES_RESPONSE)
			return SYMPHONY_CONTROL;
		return SYMPHONY_OTHER;
	default:
		return SYMPHONY_UNPARSABLE;
	}
}

/* Ultra Ethernet from the UDP header on. */
static inline enum symphony_class
symphony_parse_pds(const u8 *udp, struct symphony_room room, u64 hash,
		   const struct symphony_parse_config *cfg,
		   struct symphony_pkt *pkt)
{
	static const u8 ses_len[] = {
		[SYMPHONY_SES_SMALL] = 20,
		[SYMPHONY_SES_MEDIUM] = 32,
		[SYMPHONY_SES_STANDARD] = 44,
	};
	const u8 *pds = udp + SYMPHONY_UDP_LEN;
	s32 len = SYMPHONY_UDP_LEN;
	u32 type, kind;

	if (unlikely(!symphony_fits(room, len + SYMPHONY_PDS_PROLOGUE_LEN)))
		return SYMPHONY_UNPARSABLE;

	type = pds[0] >> 3;
	kind = get_unaligned_be16(pds) >> 7 & 0xf;
	switch (type) {
	case SYMPHONY_PDS_RUD_REQ:
	case SYMPHONY_PDS_ROD_REQ:
		len += SYMPHONY_PDS_LEN;
		break;
	case SYMPHONY_PDS_RUD_CC_REQ:
	case SYMPHONY_PDS_ROD_CC_REQ:
		len += SYMPHONY_PDS_CC_LEN;
		break;
	default:
		return symphony_pds_class(type, kind);
	}

	if (kind < SYMPHONY_SES_SMALL || kind > SYMPHONY_SES_STANDARD)
		return symphony_pds_class(type, kind);
	if (unlikely(!symphony_fits(room, len + ses_len[kind])))
		return SYMPHONY_UNPARSABLE;

	pkt->psn = get_unaligned_be32(pds + 4);
	pkt->pair = hash >> (64 - SYMPHONY_PAIR_BITS);
	pkt->step = get_unaligned_be16(pds + 8);	/* SPDCID */
	pkt->flow = symphony_hash(cfg, hash, pkt->step);
	if (pds[1] & SYMPHONY_PDS_RETX)
		pkt->flags |= SYMPHONY_PKT_RESENT;
	if (pds[1] & SYMPHONY_PDS_SYN)
		pkt->flags |= SYMPHONY_PKT_SYN;
	return symphony_parse_ses(udp + len, kind, cfg, pkt);
}

#endif
