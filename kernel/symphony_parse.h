/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the bytes of a packet to job, step, PSN and what the packet is to its
 * message. Nothing is written to the packet.
 *
 * Almost every packet has its headers in the linear area, no in-band tag, no
 * IP option and no tunnel: symphony_parse() reads it with one bounds check.
 * Everything else, and everything that looks wrong, goes the long way through
 * symphony_parse_slow(), which alone decides that a packet is malformed.
 *
 * The file compiles in user space after a header that provides struct sk_buff,
 * skb_network_offset(), skb_headlen(), skb_header_pointer(), skb_is_gso(),
 * skb_shinfo(), eth_type_vlan(), get_unaligned(), get_unaligned_be16() and
 * get_unaligned_be32().
 */
#ifndef _SYMPHONY_PARSE_H
#define _SYMPHONY_PARSE_H

#ifdef __KERNEL__
/* also brings the unaligned accessors, whose own header has moved */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/skbuff.h>
#endif

#include <linux/pkt_sch_symphony.h>

#include "symphony_pkt.h"
#include "symphony_types.h"

#define SYMPHONY_PORT_ROCEV2	4791
#define SYMPHONY_PORT_UET	4793
#define SYMPHONY_PORT_VXLAN	4789

/* A WRITE ONLY of up to this many bytes is NCCL's clear-to-send: 8 slots. */
#define SYMPHONY_CTS_MAX	512

/* Source ports from here on carry a step in their low 14 bits. */
#define SYMPHONY_STEP_PORTS	0xc000
#define SYMPHONY_STEP_MASK	0x3fff

/* What is followed before a packet counts as malformed. */
#define SYMPHONY_TAGS_MAX	4	/* in-band VLAN tags */
#define SYMPHONY_EXTHDRS_MAX	8	/* IPv6 extension headers */

/* Layout of the headers: bytes from the begin of each. */
#define SYMPHONY_TAG_LEN	4
#define SYMPHONY_UDP_LEN	8
#define SYMPHONY_UDP_TOTLEN	4
#define SYMPHONY_VXLAN_LEN	8
#define SYMPHONY_VXLAN_VALID	0x08	/* byte 0: has a network identifier */

#define SYMPHONY_IP4_LEN	20
#define SYMPHONY_IP4_TOTLEN	2
#define SYMPHONY_IP4_FRAG	6
#define SYMPHONY_IP4_PROTO	9
#define SYMPHONY_IP4_ADDRS	12
#define SYMPHONY_IP4_FRAG_OFF	0x1fff	/* of the word at IP4_FRAG */

#define SYMPHONY_IP6_LEN	40
#define SYMPHONY_IP6_PAYLOAD	4
#define SYMPHONY_IP6_NEXT	6
#define SYMPHONY_IP6_ADDRS	8
#define SYMPHONY_EXTHDR_LEN	8	/* the least */
#define SYMPHONY_IP6_FRAG_OFF	0xfff8	/* of the fragment header's word at 2 */

#define SYMPHONY_BTH_LEN	12	/* no profile has data in less */
#define SYMPHONY_BTH_TVER	0x0f	/* byte 1 */
#define SYMPHONY_XRCETH_LEN	4
#define SYMPHONY_RETH_LEN	16

#define SYMPHONY_PDS_PROLOGUE_LEN	2
#define SYMPHONY_PDS_LEN	12
#define SYMPHONY_PDS_CC_LEN	16
#define SYMPHONY_PDS_RETX	0x10	/* byte 1 */
#define SYMPHONY_SES_MAX_LEN	44
#define SYMPHONY_SES_OPCODE	0x3f	/* byte 0 */
#define SYMPHONY_SES_SOM	0x01	/* byte 1 */
#define SYMPHONY_SES_EOM	0x02

/* Longest run of bytes from the UDP header on that the profiles ask for. */
#define SYMPHONY_READ_MAX	(SYMPHONY_UDP_LEN + SYMPHONY_PDS_CC_LEN + \
				 SYMPHONY_SES_MAX_LEN)

/**
 * struct symphony_parse_config - what steers the parser
 * @hash_seed: secret random numbers, equal for all who share a flow table; the
 *	second one odd, so that multiplying by it loses nothing
 * @udp_port: the profile's UDP destination port, host byte order
 * @proto: &enum tc_symphony_proto
 * @step_source: &enum tc_symphony_step, one that @proto has
 * @eth: whether packets of the device begin with an Ethernet header
 */
struct symphony_parse_config {
	u64 hash_seed[2];
	u16 udp_port;
	u8 proto;
	u8 step_source;
	bool eth;
};

/* Width of a PSN. */
static inline u32 symphony_psn_bits(u32 proto)
{
	return proto == TC_SYMPHONY_PROTO_UET ? 32 : 24;
}

/*
 * What a BTH opcode means: the SYMPHONY_PKT_* flags FIRST and LAST, and the
 * following. 0 is whatever is not followed but may carry data, as datagrams.
 */
#define SYMPHONY_OP_DATA	0x80
#define SYMPHONY_OP_CTS		0x40	/* clear-to-send if short */
#define SYMPHONY_OP_READ	0x20	/* counts in the requester's PSNs */
#define SYMPHONY_OP_XRC		0x10	/* an XRCETH follows the BTH */
#define SYMPHONY_OP_CONTROL	0x08	/* carries no data */

#define SYMPHONY_OP_MIDDLE	SYMPHONY_OP_DATA
#define SYMPHONY_OP_FIRST	(SYMPHONY_OP_DATA | SYMPHONY_PKT_FIRST)
#define SYMPHONY_OP_LAST	(SYMPHONY_OP_DATA | SYMPHONY_PKT_LAST)
#define SYMPHONY_OP_ONLY	(SYMPHONY_OP_FIRST | SYMPHONY_OP_LAST)
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
	[0x20] = SYMPHONY_OP_FIRST,
	[0x21] = SYMPHONY_OP_MIDDLE,
	[0x22] = SYMPHONY_OP_LAST,
	[0x23] = SYMPHONY_OP_LAST,
	[0x24] = SYMPHONY_OP_ONLY,
	[0x25] = SYMPHONY_OP_ONLY,
	[0x26] = SYMPHONY_OP_FIRST,
	[0x27] = SYMPHONY_OP_MIDDLE,
	[0x28] = SYMPHONY_OP_LAST,
	[0x29] = SYMPHONY_OP_LAST,
	[0x2a] = SYMPHONY_OP_ONLY | SYMPHONY_OP_CTS,
	[0x2b] = SYMPHONY_OP_ONLY,

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

/* One round of the flow hash: multiply by a secret, fold the high half in. */
static inline u64 symphony_hash(const struct symphony_parse_config *cfg,
				u64 hash, u64 word)
{
	hash = (hash ^ word) * cfg->hash_seed[1];
	return hash ^ hash >> 32;
}

static inline u64 symphony_hash_ip4(const struct symphony_parse_config *cfg,
				    u64 hash, const u8 *ip)
{
	const u64 *addrs = (const u64 *)(ip + SYMPHONY_IP4_ADDRS);

	return symphony_hash(cfg, hash, get_unaligned(addrs));
}

static inline u64 symphony_hash_ip6(const struct symphony_parse_config *cfg,
				    u64 hash, const u8 *ip)
{
	const u64 *addrs = (const u64 *)(ip + SYMPHONY_IP6_ADDRS);

	hash = symphony_hash(cfg, hash, get_unaligned(addrs));
	hash = symphony_hash(cfg, hash, get_unaligned(addrs + 1));
	hash = symphony_hash(cfg, hash, get_unaligned(addrs + 2));
	return symphony_hash(cfg, hash, get_unaligned(addrs + 3));
}

static inline void symphony_set_ip(struct symphony_pkt *pkt, u32 offset,
				   u8 version, u8 tos)
{
	u8 ecn = tos & 3;

	pkt->ip_offset = offset;
	pkt->ip_version = version;
	pkt->ecn = ecn;
	pkt->dscp = tos >> 2;
	/* ECT(1) is 1, ECT(0) is 2, and 3 already is CE */
	pkt->flags = ((ecn + 1) & 2) ? SYMPHONY_PKT_INNER_ECT : 0;
}

/*
 * How many bytes there are from the begin of a UDP header on: in memory, in the
 * IP datagram, in the UDP datagram. Negative in the first two if a header or a
 * field says that there should not even be a UDP header.
 */
struct symphony_room {
	s32 readable;
	s32 ip;
	s32 udp;
};

static inline bool symphony_fits(struct symphony_room room, s32 len)
{
	return len <= room.readable && len <= room.ip && len <= room.udp;
}

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
	/*
	 * One queue pair receives WRITEs that its peer numbers and READ
	 * RESPONSEs that it numbers itself: two flows.
	 */
	pkt->flow = symphony_hash(cfg, hash,
				  resv_qp << 8 | (op & SYMPHONY_OP_READ));
	pkt->step = sport & SYMPHONY_STEP_MASK;
	flags = op & (SYMPHONY_PKT_FIRST | SYMPHONY_PKT_LAST);
	if (likely(sport >= SYMPHONY_STEP_PORTS))
		flags |= SYMPHONY_PKT_STEP;
	pkt->flags |= flags;
	return SYMPHONY_DATA;
}

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
	pkt->step = get_unaligned_be16(pds + 8);	/* SPDCID */
	pkt->flow = symphony_hash(cfg, hash, pkt->step);
	if (pds[1] & SYMPHONY_PDS_RETX)
		pkt->flags |= SYMPHONY_PKT_RESENT;
	return symphony_parse_ses(udp + len, kind, cfg, pkt);
}

/* A datagram of the profile; @hash of its addresses. */
static __always_inline enum symphony_class
symphony_parse_udp(const u8 *udp, struct symphony_room room, u16 sport,
		   u64 hash, const struct symphony_parse_config *cfg,
		   struct symphony_pkt *pkt)
{
	if (cfg->proto == TC_SYMPHONY_PROTO_UET)
		return symphony_parse_pds(udp, room, hash, cfg, pkt);
	return symphony_parse_bth(udp, room, sport, hash, cfg, pkt);
}

/*
 * A place in a packet on the long way: @offset from skb->data, @end of what
 * the headers so far say is theirs, never beyond the packet. %SYMPHONY_DATA
 * from the functions below means that the next header is at @offset.
 */
struct symphony_cursor {
	u32 offset;
	u32 end;
	u64 hash;
	u8 version;
	u8 tos;
};

static inline const u8 *symphony_pull(const struct sk_buff *skb,
				      const struct symphony_cursor *c,
				      u32 len, u8 *buf)
{
	if (c->end < len || c->offset > c->end - len)
		return NULL;
	return skb_header_pointer(skb, c->offset, len, buf);
}

static inline void symphony_limit(struct symphony_cursor *c, u32 len)
{
	if (c->offset + len < c->end)
		c->end = c->offset + len;
}

/* VLAN tags: from behind an EtherType to behind the last one. */
static inline enum symphony_class
symphony_skip_tags(const struct sk_buff *skb, struct symphony_cursor *c,
		   __be16 *proto)
{
	u8 buf[SYMPHONY_TAG_LEN];
	const u8 *tag;
	u32 i;

	for (i = 0; eth_type_vlan(*proto); i++) {
		tag = symphony_pull(skb, c, sizeof(buf), buf);
		if (!tag || i == SYMPHONY_TAGS_MAX)
			return SYMPHONY_UNPARSABLE;
		*proto = get_unaligned((const __be16 *)(tag + 2));
		c->offset += SYMPHONY_TAG_LEN;
	}
	return SYMPHONY_DATA;
}

static inline enum symphony_class
symphony_read_ip4(const struct sk_buff *skb,
		  const struct symphony_parse_config *cfg,
		  struct symphony_cursor *c)
{
	u8 buf[SYMPHONY_IP4_LEN];
	u32 header_len;
	const u8 *ip;

	ip = symphony_pull(skb, c, sizeof(buf), buf);
	if (!ip || ip[0] >> 4 != 4)
		return SYMPHONY_UNPARSABLE;
	header_len = (ip[0] & 0xf) * 4;
	if (header_len < SYMPHONY_IP4_LEN)
		return SYMPHONY_UNPARSABLE;
	c->version = 4;
	c->tos = ip[1];

	if (ip[SYMPHONY_IP4_PROTO] != IPPROTO_UDP ||
	    get_unaligned_be16(ip + SYMPHONY_IP4_FRAG) & SYMPHONY_IP4_FRAG_OFF)
		return SYMPHONY_OTHER;

	c->hash = symphony_hash_ip4(cfg, c->hash, ip);
	symphony_limit(c, get_unaligned_be16(ip + SYMPHONY_IP4_TOTLEN));
	c->offset += header_len;
	return SYMPHONY_DATA;
}

static inline bool symphony_is_exthdr(u8 next)
{
	switch (next) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
	case IPPROTO_FRAGMENT:
	case IPPROTO_AH:
		return true;
	default:
		return false;
	}
}

/* To behind the extension headers, the first of which is of type @next. */
static inline enum symphony_class
symphony_skip_exthdrs(const struct sk_buff *skb, struct symphony_cursor *c,
		      u8 next)
{
	u8 buf[SYMPHONY_EXTHDR_LEN];
	const u8 *hdr;
	u32 i;

	for (i = 0; next != IPPROTO_UDP; i++) {
		u32 len;

		if (!symphony_is_exthdr(next))
			return SYMPHONY_OTHER;
		hdr = symphony_pull(skb, c, sizeof(buf), buf);
		if (!hdr || i == SYMPHONY_EXTHDRS_MAX)
			return SYMPHONY_UNPARSABLE;

		if (next == IPPROTO_FRAGMENT) {
			if (get_unaligned_be16(hdr + 2) & SYMPHONY_IP6_FRAG_OFF)
				return SYMPHONY_OTHER;
			len = SYMPHONY_EXTHDR_LEN;
		} else if (next == IPPROTO_AH) {
			len = (hdr[1] + 2) * 4;
		} else {
			len = (hdr[1] + 1) * 8;
		}
		next = hdr[0];
		c->offset += len;
	}
	return SYMPHONY_DATA;
}

static inline enum symphony_class
symphony_read_ip6(const struct sk_buff *skb,
		  const struct symphony_parse_config *cfg,
		  struct symphony_cursor *c)
{
	u8 buf[SYMPHONY_IP6_LEN];
	u32 payload_len;
	const u8 *ip;
	u8 next;

	ip = symphony_pull(skb, c, sizeof(buf), buf);
	if (!ip || ip[0] >> 4 != 6)
		return SYMPHONY_UNPARSABLE;
	c->version = 6;
	c->tos = get_unaligned_be16(ip) >> 4;
	c->hash = symphony_hash_ip6(cfg, c->hash, ip);

	next = ip[SYMPHONY_IP6_NEXT];
	payload_len = get_unaligned_be16(ip + SYMPHONY_IP6_PAYLOAD);
	/* 0 before hop-by-hop options: a jumbogram, or a GSO packet as long */
	if (payload_len || next != IPPROTO_HOPOPTS)
		symphony_limit(c, SYMPHONY_IP6_LEN + payload_len);
	c->offset += SYMPHONY_IP6_LEN;
	return symphony_skip_exthdrs(skb, c, next);
}

static inline enum symphony_class
symphony_read_ip(const struct sk_buff *skb,
		 const struct symphony_parse_config *cfg,
		 struct symphony_cursor *c, __be16 proto)
{
	c->version = 0;
	if (proto != htons(ETH_P_IP) && proto != htons(ETH_P_IPV6))
		return SYMPHONY_OTHER;
	/* symphony_pkt has 16 bits for it; a negative one is above them, too */
	if (c->offset > U16_MAX)
		return SYMPHONY_UNPARSABLE;
	if (proto == htons(ETH_P_IP))
		return symphony_read_ip4(skb, cfg, c);
	return symphony_read_ip6(skb, cfg, c);
}

/* From a UDP header before VXLAN to the inner one; ::version 0 if no IP. */
static inline enum symphony_class
symphony_enter_vxlan(const struct sk_buff *skb,
		     const struct symphony_parse_config *cfg,
		     struct symphony_cursor *c)
{
	u8 buf[SYMPHONY_UDP_LEN + SYMPHONY_VXLAN_LEN + ETH_HLEN];
	const u8 *udp, *vxlan;
	enum symphony_class class;
	__be16 proto;

	c->version = 0;
	udp = symphony_pull(skb, c, sizeof(buf), buf);
	if (!udp)
		return SYMPHONY_UNPARSABLE;
	vxlan = udp + SYMPHONY_UDP_LEN;
	if (!(vxlan[0] & SYMPHONY_VXLAN_VALID))
		return SYMPHONY_OTHER;
	/* tenants may use the same addresses: the network is part of the key */
	c->hash = symphony_hash(cfg, cfg->hash_seed[0],
				get_unaligned_be32(vxlan + 4) >> 8);
	symphony_limit(c, get_unaligned_be16(udp + 4));
	proto = get_unaligned((const __be16 *)(udp + sizeof(buf) - 2));
	c->offset += sizeof(buf);

	class = symphony_skip_tags(skb, c, &proto);
	if (class != SYMPHONY_DATA)
		return class;
	return symphony_read_ip(skb, cfg, c, proto);
}

/* Whether a UDP header is there, and its ports, source in the high half. */
static inline bool symphony_read_ports(const struct sk_buff *skb,
				       const struct symphony_cursor *c,
				       u32 *ports)
{
	u8 buf[SYMPHONY_UDP_LEN];
	const u8 *udp;

	udp = symphony_pull(skb, c, sizeof(buf), buf);
	if (!udp)
		return false;
	*ports = get_unaligned_be32(udp);
	return true;
}

/*
 * What the stack carries as one packet may be many of the wire, cut apart behind
 * the qdisc, each with headers of its own above UDP. Whether the message goes on
 * and how far it is, is for the last of them to say, if it is of the same flow,
 * job and step.
 */
static noinline void
symphony_parse_last(const struct sk_buff *skb,
		    const struct symphony_parse_config *cfg,
		    struct symphony_cursor c, u16 sport,
		    struct symphony_pkt *pkt)
{
	u32 psn_mask = ~0U >> (32 - symphony_psn_bits(cfg->proto));
	u32 size = skb_shinfo(skb)->gso_size;
	struct symphony_pkt last = {};
	u8 buf[SYMPHONY_READ_MAX];
	struct symphony_room room;
	const u8 *udp;

	/* what is before the last one in place of a UDP header is not read */
	c.offset += (skb->len - c.offset - SYMPHONY_UDP_LEN - 1) / size * size;
	c.end = skb->len;
	room.ip = c.end - c.offset;
	room.udp = room.ip;
	room.readable = min_t(u32, room.ip, sizeof(buf));
	udp = symphony_pull(skb, &c, room.readable, buf);
	if (!udp || symphony_parse_udp(udp, room, sport, c.hash, cfg, &last) !=
		    SYMPHONY_DATA)
		return;
	if (last.flow != pkt->flow || last.job != pkt->job ||
	    last.step != pkt->step)
		return;
	pkt->flags &= ~SYMPHONY_PKT_LAST;
	pkt->flags |= last.flags & SYMPHONY_PKT_LAST;
	/* fewer PSNs than segments, or it was restarted in between */
	pkt->span = (last.psn - pkt->psn) & psn_mask;
	if (pkt->span > skb->len / size)
		pkt->span = 0;
}

/* The long way. Starts over and decides alone. */
static noinline enum symphony_class
symphony_parse_slow(const struct sk_buff *skb,
		    const struct symphony_parse_config *cfg,
		    struct symphony_pkt *pkt)
{
	struct symphony_cursor c = {
		.offset = skb_network_offset(skb),
		.end = skb->len,
		.hash = cfg->hash_seed[0],
	};
	__be16 proto = skb->protocol;
	u8 buf[SYMPHONY_READ_MAX];
	struct symphony_room room;
	enum symphony_class class;
	const u8 *udp;
	u32 ports;

	pkt->ip_version = 0;
	if (eth_type_vlan(proto)) {
		if (!cfg->eth)
			return SYMPHONY_OTHER;
		/* the network header may be behind any of the tags */
		c.offset = ETH_HLEN;
		class = symphony_skip_tags(skb, &c, &proto);
		if (class != SYMPHONY_DATA)
			return class;
	}
	pkt->ip_offset = c.offset;
	class = symphony_read_ip(skb, cfg, &c, proto);
	if (c.version)
		symphony_set_ip(pkt, pkt->ip_offset, c.version, c.tos);
	if (class != SYMPHONY_DATA)
		return class;
	if (!symphony_read_ports(skb, &c, &ports))
		return SYMPHONY_UNPARSABLE;

	if ((u16)ports == SYMPHONY_PORT_VXLAN) {
		class = symphony_enter_vxlan(skb, cfg, &c);
		/* a Not-ECT packet that leaves a tunnel with CE is dropped */
		if (!c.version || !(c.tos & 3))
			pkt->flags &= ~SYMPHONY_PKT_INNER_ECT;
		if (c.version)
			pkt->dscp = c.tos >> 2;
		if (class != SYMPHONY_DATA)
			return class;
		if (!symphony_read_ports(skb, &c, &ports))
			return SYMPHONY_UNPARSABLE;
	}
	if ((u16)ports != cfg->udp_port)
		return SYMPHONY_OTHER;

	room.ip = c.end - c.offset;
	room.readable = min_t(u32, room.ip, sizeof(buf));
	udp = symphony_pull(skb, &c, room.readable, buf);
	if (!udp)
		return SYMPHONY_UNPARSABLE;
	room.udp = get_unaligned_be16(udp + SYMPHONY_UDP_TOTLEN);
	class = symphony_parse_udp(udp, room, ports >> 16, c.hash, cfg, pkt);
	pkt->span = 0;
	if (class == SYMPHONY_DATA && unlikely(skb_is_gso(skb)) &&
	    skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4)
		symphony_parse_last(skb, cfg, c, ports >> 16, pkt);
	return class;
}

/**
 * symphony_parse() - read a packet
 * @skb: the packet, as a qdisc sees it: skb->protocol says what the network
 *	header is, unless it is a VLAN type; an accelerated tag is invisible
 * @cfg: what to look for
 * @pkt: where the answer goes
 *
 * Of @pkt, all is set for %SYMPHONY_DATA. Otherwise @ip_version says whether
 * an outermost IP header was found, 0 if not; if so, @ip_offset, @ecn, @dscp
 * and the flag %SYMPHONY_PKT_INNER_ECT describe it. The flag means that a mark
 * on the outermost header would change it and reach the receiver.
 *
 * Only what is in the IP and the UDP datagram counts, the rest is padding. The
 * checksums are not verified. A packet that the stack has yet to cut into many
 * datagrams is described as the first of them, but has the flag
 * %SYMPHONY_PKT_LAST if the last one has, and tells its PSN by
 * symphony_pkt::span.
 *
 * Return: what the packet is. %SYMPHONY_OTHER: not IP, not UDP, not the
 * profile's port, a fragment other than the first, or of the profile and not
 * known to be without data, but nothing that is followed.
 */
static __always_inline enum symphony_class
symphony_parse(const struct sk_buff *skb,
	       const struct symphony_parse_config *cfg,
	       struct symphony_pkt *pkt)
{
	u32 offset = skb_network_offset(skb);
	struct symphony_room room;
	enum symphony_class class;
	const u8 *ip, *udp;
	u32 ports;
	u64 hash;

	/* a negative offset is above it, too */
	if (unlikely(offset > U16_MAX))
		goto slow;
	room.readable = skb_headlen(skb) - offset;
	ip = skb->data + offset;

	if (likely(skb->protocol == htons(ETH_P_IP))) {
		room.readable -= SYMPHONY_IP4_LEN;
		if (unlikely(room.readable < SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN))
			goto slow;
		/* version 4 and no options */
		if (unlikely(ip[0] != 0x45))
			goto slow;
		symphony_set_ip(pkt, offset, 4, ip[1]);
		if (ip[SYMPHONY_IP4_PROTO] != IPPROTO_UDP ||
		    unlikely(get_unaligned((const __be16 *)
					   (ip + SYMPHONY_IP4_FRAG)) &
			     htons(SYMPHONY_IP4_FRAG_OFF)))
			return SYMPHONY_OTHER;

		room.ip = get_unaligned_be16(ip + SYMPHONY_IP4_TOTLEN);
		room.ip -= SYMPHONY_IP4_LEN;
		udp = ip + SYMPHONY_IP4_LEN;
		hash = symphony_hash_ip4(cfg, cfg->hash_seed[0], ip);
	} else if (skb->protocol == htons(ETH_P_IPV6)) {
		room.readable -= SYMPHONY_IP6_LEN;
		if (unlikely(room.readable < SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN))
			goto slow;
		if (unlikely(ip[0] >> 4 != 6))
			goto slow;
		if (unlikely(symphony_is_exthdr(ip[SYMPHONY_IP6_NEXT])))
			goto slow;
		symphony_set_ip(pkt, offset, 6, get_unaligned_be16(ip) >> 4);
		if (ip[SYMPHONY_IP6_NEXT] != IPPROTO_UDP)
			return SYMPHONY_OTHER;

		room.ip = get_unaligned_be16(ip + SYMPHONY_IP6_PAYLOAD);
		udp = ip + SYMPHONY_IP6_LEN;
		hash = symphony_hash_ip6(cfg, cfg->hash_seed[0], ip);
	} else {
		if (eth_type_vlan(skb->protocol))
			goto slow;
		pkt->ip_version = 0;
		return SYMPHONY_OTHER;
	}

	if (unlikely(room.ip < SYMPHONY_UDP_LEN + SYMPHONY_BTH_LEN))
		goto slow;
	room.udp = get_unaligned_be16(udp + SYMPHONY_UDP_TOTLEN);
	ports = get_unaligned_be32(udp);
	if ((u16)ports != cfg->udp_port) {
		if ((u16)ports == SYMPHONY_PORT_VXLAN)
			goto slow;
		return SYMPHONY_OTHER;
	}
	/* many datagrams in one packet: the last one has something to say, too */
	if (unlikely(skb_is_gso(skb)))
		goto slow;
	class = symphony_parse_udp(udp, room, ports >> 16, hash, cfg, pkt);
	/* perhaps only the linear area was too short */
	if (unlikely(class == SYMPHONY_UNPARSABLE))
		goto slow;
	return class;
slow:
	return symphony_parse_slow(skb, cfg, pkt);
}

#endif
