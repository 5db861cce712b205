/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel's socket buffer as kernel/symphony_parse.h asks for.
 * Include it before that header.
 */
#ifndef _SYMPHONY_SHIM_H
#define _SYMPHONY_SHIM_H

#include <arpa/inet.h>
#include <endian.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "symphony_types.h"

#define U16_MAX		0xffff

#define min_t(type, a, b)	({	\
	type a_ = (a);			\
	type b_ = (b);			\
					\
	a_ < b_ ? a_ : b_;		\
})

#define get_unaligned(p)	({			\
	__typeof__(p) p_ = (p);				\
	__typeof__((__typeof__(*p_))0) value_;		\
							\
	memcpy(&value_, p_, sizeof(value_));		\
	value_;						\
})

static inline u16 get_unaligned_be16(const void *p)
{
	u16 value;

	memcpy(&value, p, sizeof(value));
	return be16toh(value);
}

static inline u32 get_unaligned_be32(const void *p)
{
	u32 value;

	memcpy(&value, p, sizeof(value));
	return be32toh(value);
}

#define SKB_GSO_TCPV4	0x1
#define SKB_GSO_UDP_L4	0x20000

/**
 * struct skb_shared_info - what a packet is to be cut into
 * @gso_type: what the segments are, SKB_GSO_*
 * @gso_size: bytes above the transport header in all but the last, 0 if the
 *	packet is one of the wire
 */
struct skb_shared_info {
	u32 gso_type;
	u16 gso_size;
};

/**
 * struct sk_buff - a packet in two pieces
 * @head: begin of the linear area's buffer
 * @data: begin of the packet in it
 * @frag: the rest of the packet, @data_len bytes
 * @len: length of the packet, bytes
 * @data_len: of that, bytes that are not linear
 * @network_header: offset from @head
 * @protocol: EtherType
 * @shinfo: segmentation
 */
struct sk_buff {
	const u8 *head;
	const u8 *data;
	const u8 *frag;
	u32 len;
	u32 data_len;
	u16 network_header;
	__be16 protocol;
	struct skb_shared_info shinfo;
};

static inline const struct skb_shared_info *skb_shinfo(const struct sk_buff *skb)
{
	return &skb->shinfo;
}

static inline bool skb_is_gso(const struct sk_buff *skb)
{
	return skb_shinfo(skb)->gso_size;
}

static inline u32 skb_headlen(const struct sk_buff *skb)
{
	return skb->len - skb->data_len;
}

static inline int skb_network_offset(const struct sk_buff *skb)
{
	return skb->head + skb->network_header - skb->data;
}

static inline bool eth_type_vlan(__be16 type)
{
	return type == htons(ETH_P_8021Q) || type == htons(ETH_P_8021AD);
}

/* Stricter than the kernel's, which trusts its callers with negative offsets. */
static inline const void *skb_header_pointer(const struct sk_buff *skb,
					     int offset, int len, void *buf)
{
	int linear = skb_headlen(skb);
	int part;

	if (offset < 0 || len <= 0 || offset + len < offset)
		abort();
	if (offset + len > (int)skb->len)
		return NULL;
	if (offset + len <= linear)
		return skb->data + offset;

	part = offset < linear ? linear - offset : 0;
	memcpy(buf, skb->data + offset, part);
	memcpy((u8 *)buf + part, skb->frag + offset + part - linear,
	       len - part);
	return buf;
}

#endif
