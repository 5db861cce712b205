/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rooms of the parser share: their configuration, the hash of a flow,
 * and how much of a packet may be read.
 */
#ifndef _SYMPHONY_WIRE_H
#define _SYMPHONY_WIRE_H

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

/* Layout of a UDP header: bytes from its begin. */
#define SYMPHONY_UDP_LEN	8
#define SYMPHONY_UDP_TOTLEN	4

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

/* One round of the flow hash: multiply by a secret, fold the high half in. */
static inline u64 symphony_hash(const struct symphony_parse_config *cfg,
				u64 hash, u64 word)
{
	hash = (hash ^ word) * cfg->hash_seed[1];
	return hash ^ hash >> 32;
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

/*
 * A place in a packet on the long way: @offset from skb->data, @end of what
 * the headers so far say is theirs, never beyond the packet, @ip where the IP
 * header before it begins. %SYMPHONY_DATA
 * from the functions below means that the next header is at @offset.
 */
struct symphony_cursor {
	u32 offset;
	u32 end;
	u64 hash;
	u32 ip;
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

#endif
