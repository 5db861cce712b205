/* SPDX-License-Identifier: GPL-2.0 */
/* Packets put together header by header, and socket buffers that hold them. */
#ifndef _SYMPHONY_FRAME_H
#define _SYMPHONY_FRAME_H

#include "shim.h"

#define FRAME_MAX	1600

/* A length field, counting from @from to the end of the frame. */
struct frame_length {
	u32 at;
	u32 from;
};

/**
 * struct frame - a packet under construction
 * @bytes: the packet as a qdisc sees it
 * @len: bytes so far
 * @lengths: fields to fill in at the end, from the outside in
 * @nr_lengths: number of @lengths
 * @next: where the last header names what follows: an EtherType if
 *	@next_is_type, else an IP protocol number
 * @next_is_type: see @next
 * @protocol: skb->protocol, host byte order
 * @network: offset of the network header
 * @ip: offset of the outermost IP header, 0 if there is none yet
 * @last_ip: offset of the last IP header
 * @udp: offset of the last UDP header
 * @gso: skb_shinfo(skb)
 */
struct frame {
	u8 bytes[FRAME_MAX];
	u32 len;
	struct frame_length lengths[8];
	u32 nr_lengths;
	u32 next;
	bool next_is_type;
	u16 protocol;
	u32 network;
	u32 ip;
	u32 last_ip;
	u32 udp;
	struct skb_shared_info gso;
};

static inline void put16(u8 *p, u16 n)
{
	p[0] = n >> 8;
	p[1] = n;
}

static inline void put24(u8 *p, u32 n)
{
	p[0] = n >> 16;
	put16(p + 1, n);
}

static inline void put32(u8 *p, u32 n)
{
	put16(p, n >> 16);
	put16(p + 2, n);
}

static inline u16 get16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

/* Room for a header of zeroes. */
static inline u8 *frame_add(struct frame *f, u32 len)
{
	u8 *p = f->bytes + f->len;

	if (f->len + len > FRAME_MAX)
		abort();
	memset(p, 0, len);
	f->len += len;
	return p;
}

/* What the previous header says about this one. */
static inline void frame_announce(struct frame *f, u16 type, u8 protocol)
{
	if (f->next_is_type)
		put16(f->bytes + f->next, type);
	else
		f->bytes[f->next] = protocol;
}

static inline void frame_length(struct frame *f, u32 at, u32 from)
{
	f->lengths[f->nr_lengths++] = (struct frame_length) { at, from };
}

static inline void frame_eth(struct frame *f)
{
	u8 *p = frame_add(f, ETH_HLEN);

	memcpy(p, "\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01", 12);
	f->next = f->len - 2;
	f->next_is_type = true;
}

static inline void frame_tag(struct frame *f, u16 type)
{
	frame_announce(f, type, 0);
	put16(frame_add(f, 4), 0xe123);
	f->next = f->len - 2;
}

static inline u8 *frame_ip4(struct frame *f, u8 tos, u32 options)
{
	u32 at = f->len;
	u8 *p;

	frame_announce(f, ETH_P_IP, IPPROTO_IPIP);
	p = frame_add(f, 20 + options);
	p[0] = 0x45 + options / 4;
	p[1] = tos;
	put16(p + 4, 0x4711);
	put16(p + 6, 0x4000);		/* do not fragment */
	p[8] = 64;
	put32(p + 12, 0x0a000001);
	put32(p + 16, 0x0a010002);
	memset(p + 20, 1, options);	/* no operation */
	frame_length(f, at + 2, at);
	f->next = at + 9;
	f->next_is_type = false;
	f->last_ip = at;
	if (!f->ip)
		f->ip = at;
	return p;
}

static inline u8 *frame_ip6(struct frame *f, u8 tos)
{
	u32 at = f->len;
	u8 *p;

	frame_announce(f, ETH_P_IPV6, IPPROTO_IPV6);
	p = frame_add(f, 40);
	put32(p, 6U << 28 | tos << 20 | 0xabcde);
	p[7] = 64;
	memcpy(p + 8, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
	memcpy(p + 24, "\x20\x01\x0d\xb8\0\x01\0\0\0\0\0\0\0\0\0\x02", 16);
	frame_length(f, at + 4, f->len);
	f->next = at + 6;
	f->next_is_type = false;
	f->last_ip = at;
	if (!f->ip)
		f->ip = at;
	return p;
}

/* An IPv6 extension header of @len bytes. */
static inline u8 *frame_exthdr(struct frame *f, u8 protocol, u32 len)
{
	u32 at = f->len;
	u8 *p;

	frame_announce(f, 0, protocol);
	p = frame_add(f, len);
	if (protocol == IPPROTO_AH)
		p[1] = len / 4 - 2;
	else if (protocol != IPPROTO_FRAGMENT)
		p[1] = len / 8 - 1;
	f->next = at;
	return p;
}

static inline u8 *frame_udp(struct frame *f, u16 sport, u16 dport)
{
	u32 at = f->len;
	u8 *p;

	frame_announce(f, 0, IPPROTO_UDP);
	p = frame_add(f, 8);
	put16(p, sport);
	put16(p + 2, dport);
	frame_length(f, at + 4, at);
	f->udp = at;
	return p;
}

static inline u8 *frame_vxlan(struct frame *f, u32 vni)
{
	u8 *p;

	frame_udp(f, 0xd00d, 4789);
	p = frame_add(f, 8);
	p[0] = 0x08;
	put24(p + 4, vni);
	frame_eth(f);
	return p;
}

/* VXLAN to the port that Linux takes unless it is told another. */
static inline u8 *frame_vxlan_old(struct frame *f, u32 vni)
{
	u8 *p = frame_vxlan(f, vni);

	put16(p - 6, 8472);
	return p;
}

/* Geneve with @options words of options; a frame, or an IP packet, is next. */
static inline u8 *frame_geneve(struct frame *f, u32 vni, u32 options,
			       bool ethernet)
{
	u8 *p;

	frame_udp(f, 0xd00d, 6081);
	f->next = f->len + 2;
	f->next_is_type = true;
	p = frame_add(f, 8 + options * 4);
	p[0] = options;
	put24(p + 4, vni);
	memset(p + 8, 0xff, options * 4);
	if (ethernet) {
		frame_announce(f, 0x6558, 0);
		frame_eth(f);
	}
	return p;
}

static inline u8 *frame_bth(struct frame *f, u8 opcode, u32 qp, u32 psn)
{
	u8 *p = frame_add(f, 12);

	p[0] = opcode;
	p[1] = 0x40;
	put16(p + 2, 0xffff);
	put24(p + 5, qp);
	put24(p + 9, psn);
	return p;
}

static inline void frame_job(u8 *bth, u32 job)
{
	bth[4] = (bth[4] & 0xc0) | job >> 7;
	bth[8] = (bth[8] & 0x80) | (job & 0x7f);
}

static inline u8 *frame_reth(struct frame *f, u32 length)
{
	u8 *p = frame_add(f, 16);

	put32(p + 12, length);
	return p;
}

/* The length fields, as of now. */
static inline void frame_finish(struct frame *f)
{
	u32 i;

	for (i = 0; i < f->nr_lengths; i++)
		put16(f->bytes + f->lengths[i].at,
		      f->len - f->lengths[i].from);
}

/*
 * The first @len bytes of a frame, of which @linear are linear. Both parts end
 * where their memory does, so that a sanitizer sees reads beyond them.
 */
struct buffer {
	struct sk_buff skb;
	u8 *linear;
	u8 *frag;
};

static inline u8 *buffer_copy(const u8 *bytes, u32 len)
{
	u8 *p = malloc(len ? len : 1);

	if (!p)
		abort();
	memcpy(p, bytes, len);
	return p;
}

static inline struct buffer buffer_make(const struct frame *f, u32 len,
					u32 linear)
{
	struct buffer b = {
		.linear = buffer_copy(f->bytes, linear),
		.frag = buffer_copy(f->bytes + linear, len - linear),
	};

	b.skb = (struct sk_buff) {
		.head = b.linear,
		.data = b.linear,
		.frag = b.frag,
		.len = len,
		.data_len = len - linear,
		.network_header = f->network,
		.protocol = htons(f->protocol),
		.shinfo = f->gso,
	};
	return b;
}

static inline void buffer_free(struct buffer *b)
{
	free(b->linear);
	free(b->frag);
}

#endif
