/* SPDX-License-Identifier: GPL-2.0 */
/* Frames described by a table of numbers, built byte by byte. */
#ifndef _PKT_H
#define _PKT_H

#include <stdbool.h>
#include <stddef.h>

#include "names.h"

#define FRAME_MAX	65600
#define VLAN_TAGS	3

#define PORT_ROCE	4791
#define PORT_UET	4793
#define PORT_VXLAN	4789
#define PORT_GENEVE	6081
#define PORT_VXLAN_OLD	8472

/* Transports below the innermost IP header. */
enum pkt_proto {
	PROTO_ROCE,
	PROTO_UET,
	PROTO_UDP,
	PROTO_TCP,
	PROTO_ICMP,
};

/* Extension headers of IPv6, a bit each, in the order they are written. */
#define EXT_HBH		0x01
#define EXT_DST		0x02
#define EXT_RH		0x04
#define EXT_FRAG	0x08
#define EXT_AH		0x10
#define EXT_DST2	0x20

/*
 * Everything that a vector can say about a packet. The order is that of the
 * table in pkt.c.
 */
enum pkt_field {
	F_TAG0, F_TAG1, F_TAG2, F_TYPE,
	F_V, F_VERIHL, F_DSCP, F_ECN, F_TTL, F_ID, F_DF, F_MF, F_FOFF, F_OPT, F_FLOW,
	F_EXT, F_EXTLEN, F_SRC, F_DST,
	F_PROTO, F_SPORT, F_DPORT, F_CSUM, F_ULEN,
	F_OP, F_JOB, F_QP, F_PSN, F_BITS, F_PKEY, F_FECN, F_BECN, F_ACKREQ,
	F_DMALEN,
	F_PDS, F_SES, F_SESOP, F_SPDCID, F_MSGID, F_SOM, F_EOM, F_RETX,
	F_SYN, F_MOFF, F_RLEN,
	F_VNI, F_OV, F_OECN, F_ODSCP, F_OPORT, F_OOPT,
	F_LEN, F_CUT, F_FIT, F_NONLINEAR, F_GSO, F_VNET,
	NR_FIELDS
};

/* Fields in which the last segment of a GSO packet may differ. */
#define PKT_LAST_MAX	4

/**
 * struct pkt - one packet of a vector
 * @f: value of each &enum pkt_field
 * @last: fields of the last of F_GSO segments that differ
 * @nr_last: number of @last
 */
struct pkt {
	u32 f[NR_FIELDS];
	struct {
		enum pkt_field field;
		u32 value;
	} last[PKT_LAST_MAX];
	int nr_last;
};

/**
 * struct addressing - what the way through the network adds to a packet
 * @dmac: destination at the sender
 * @smac: source at the sender
 * @net: third number of the destination subnet
 */
struct addressing {
	u8 dmac[6];
	u8 smac[6];
	u8 net;
};

/**
 * struct frame - bytes of an Ethernet frame
 * @len: number of bytes
 * @ip: offset of the outermost IP header, 0 if the frame is cut before it
 * @payload: offset of what follows the innermost UDP or TCP header
 * @b: the bytes
 */
struct frame {
	size_t len;
	size_t ip;
	size_t payload;
	u8 b[FRAME_MAX];
};

/**
 * pkt_default() - a RoCEv2 WRITE MIDDLE of job 1, step 0, ECT(0)
 * @p: the packet to set
 */
void pkt_default(struct pkt *p);

/**
 * pkt_field_find() - look up a field
 * @name: as a vector names it
 * @len: length of @name
 *
 * Return: the &enum pkt_field, or -1.
 */
int pkt_field_find(const char *name, size_t len);

/**
 * pkt_value() - read one value of a field
 * @field: the field
 * @text: a number, a name, or names joined by '+'
 * @value: result
 *
 * Return: whether @text is a value the field can take.
 */
bool pkt_value(enum pkt_field field, const char *text, u32 *value);

/**
 * pkt_build() - make the bytes
 * @p: description
 * @a: addresses
 * @fr: result
 */
void pkt_build(const struct pkt *p, const struct addressing *a,
	       struct frame *fr);

/**
 * pkt_transport() - where the innermost UDP or TCP header is
 * @p: description
 * @fr: its bytes
 *
 * Return: the offset.
 */
size_t pkt_transport(const struct pkt *p, const struct frame *fr);

/**
 * pkt_segment() - one of a GSO packet's segments
 * @p: description of all; they have consecutive PSNs
 * @i: number of the segment, from 0
 *
 * Return: its description.
 */
struct pkt pkt_segment(const struct pkt *p, u32 i);

/**
 * pkt_build_gso() - make the bytes of a GSO packet
 * @p: description
 * @a: addresses
 * @fr: result, not in a tunnel, its UDP or TCP checksum to be completed
 * @size: set to the bytes of a segment above UDP or TCP
 *
 * Return: whether the segments fit a packet, and each other: all must be as
 * long as the first, the last one may be shorter.
 */
bool pkt_build_gso(const struct pkt *p, const struct addressing *a,
		   struct frame *fr, size_t *size);

/**
 * pkt_checkable() - whether checksums of a packet can be verified
 * @p: description
 *
 * Return: false for frames cut short and for fragments.
 */
bool pkt_checkable(const struct pkt *p);

/**
 * frame_set_ecn() - rewrite the outermost ECN codepoint
 * @fr: frame; nothing happens if it has no whole IP header
 * @ecn: codepoint
 */
void frame_set_ecn(struct frame *fr, unsigned int ecn);

/**
 * frame_forward() - what a router does to the outermost IP header
 * @fr: frame
 */
void frame_forward(struct frame *fr);

/**
 * frame_push_tag() - put a VLAN tag in front of the others
 * @fr: frame
 * @tag: TPID and TCI
 */
void frame_push_tag(struct frame *fr, u32 tag);

/**
 * crc32_table() - CRC-32 of Ethernet, one byte a step
 * @crc: state so far, not inverted
 * @b: bytes
 * @len: their number
 *
 * Return: the new state.
 */
u32 crc32_table(u32 crc, const u8 *b, size_t len);

/**
 * check_frame() - verify what a receiver verifies
 * @b: Ethernet frame
 * @len: its length
 * @why: set to the reason of a failure
 *
 * Written apart from the code that builds frames: it walks the received bytes,
 * sums every IPv4 header and, for RoCEv2, computes the ICRC bit by bit.
 *
 * Return: number of verified sums, -1 after a failure.
 */
int check_frame(const u8 *b, size_t len, const char **why);

static inline void put16(u8 *b, u16 v)
{
	b[0] = v >> 8;
	b[1] = v;
}

static inline void put24(u8 *b, u32 v)
{
	b[0] = v >> 16;
	put16(b + 1, v);
}

static inline void put32(u8 *b, u32 v)
{
	put16(b, v >> 16);
	put16(b + 2, v);
}

static inline u16 get16(const u8 *b)
{
	return (u16)(b[0] << 8 | b[1]);
}

#endif
