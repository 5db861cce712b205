// SPDX-License-Identifier: GPL-2.0
/* RoCEv2 frames. */
#include <linux/crc32.h>
#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <net/ip.h>
#include "collgen.h"

#define CG_HEADROOM	32
#define CG_PAYLOAD_ORDER 2	/* room for the largest payload and the ICRC */
#define CG_TTL		64
#define CG_PKEY		0xffff
#define CG_FRAME_BASE	(sizeof(struct iphdr) + sizeof(struct udphdr) + \
			 sizeof(struct roce_bth))
#define CG_HEADERS_MAX	(ETH_HLEN + CG_FRAME_BASE + \
			 sizeof(struct roce_reth) + sizeof(__be32))

/* Every payload is this page of zeros. */
static struct page *payload_page;

int cg_frame_init(void)
{
	payload_page = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_ZERO,
				   CG_PAYLOAD_ORDER);
	return payload_page ? 0 : -ENOMEM;
}

void cg_frame_exit(void)
{
	put_page(payload_page);
}

static void cg_put24(u8 *to, u32 value)
{
	put_unaligned_be24(value, to);
}

/*
 * The invariant CRC: CRC-32 over the frame from the IP header, in which eight
 * bytes of ones stand for a link header and ones for whatever may change.
 */
static u32 cg_icrc(const struct sk_buff *skb, unsigned int len)
{
	u8 head[8 + CG_FRAME_BASE];
	struct roce_bth *bth;
	struct udphdr *uh;
	struct iphdr *iph;
	u32 crc;

	memset(head, 0xff, 8);
	memcpy(head + 8, skb_network_header(skb), CG_FRAME_BASE);
	iph = (struct iphdr *)(head + 8);
	uh = (struct udphdr *)(iph + 1);
	bth = (struct roce_bth *)(uh + 1);
	iph->tos = 0xff;
	iph->ttl = 0xff;
	iph->check = (__force __sum16)0xffff;
	uh->check = (__force __sum16)0xffff;
	bth->resv6 = 0xff;
	crc = crc32_le(~0, head, sizeof(head));
	return ~crc32_le(crc, skb_network_header(skb) + CG_FRAME_BASE,
			 len - CG_FRAME_BASE);
}

/* cg_frame_icrc_ok() - check a linear frame, data at the IP header */
bool cg_frame_icrc_ok(struct sk_buff *skb)
{
	unsigned int len = ntohs(ip_hdr(skb)->tot_len) - ROCE_ICRC_LEN;

	return !skb_is_nonlinear(skb) &&
	       get_unaligned_le32(skb->data + len) == cg_icrc(skb, len);
}

/**
 * struct cg_addresses - who sends a frame to whom
 * @from: sender
 * @to: receiver
 * @sport: UDP source port
 * @tos: TOS byte
 */
struct cg_addresses {
	const struct cg_host *from;
	const struct cg_host *to;
	u16 sport;
	u8 tos;
};

static void cg_put_headers(struct sk_buff *skb, const struct cg_addresses *a,
			   unsigned int ip_len)
{
	struct net_device *dev = a->from->port->dev;
	struct udphdr *uh;
	struct iphdr *iph;
	struct ethhdr *eth;

	skb_reset_mac_header(skb);
	eth = skb_put(skb, ETH_HLEN);
	ether_addr_copy(eth->h_dest, a->from->port->peer->dev->dev_addr);
	ether_addr_copy(eth->h_source, dev->dev_addr);
	eth->h_proto = htons(ETH_P_IP);

	skb_set_network_header(skb, ETH_HLEN);
	iph = skb_put(skb, sizeof(*iph));
	iph->version = 4;
	iph->ihl = 5;
	iph->tos = a->tos;
	iph->tot_len = htons(ip_len);
	iph->id = 0;
	iph->frag_off = htons(IP_DF);
	iph->ttl = CG_TTL;
	iph->protocol = IPPROTO_UDP;
	iph->saddr = a->from->ip;
	iph->daddr = a->to->ip;
	ip_send_check(iph);

	skb_set_transport_header(skb, ETH_HLEN + sizeof(*iph));
	uh = skb_put(skb, sizeof(*uh));
	uh->source = htons(a->sport);
	uh->dest = htons(ROCE_PORT);
	uh->len = htons(ip_len - sizeof(*iph));
	uh->check = 0;

	skb->protocol = htons(ETH_P_IP);
	skb->dev = dev;
}

static struct roce_bth *cg_put_bth(struct sk_buff *skb, const struct cg_qp *qp,
				   u8 opcode, u32 psn)
{
	struct roce_bth *bth = skb_put(skb, sizeof(*bth));

	bth->opcode = opcode;
	bth->flags = 0;
	bth->pkey = htons(CG_PKEY);
	bth->resv6 = qp->wire_job >> 7 & 0x3f;
	cg_put24(bth->qpn, qp->qpn);
	bth->resv7 = qp->wire_job & 0x7f;
	cg_put24(bth->psn, psn & ROCE_PSN_MASK);
	return bth;
}

/* Payload, padding and ICRC; the padding is zero like the payload. */
static void cg_put_payload(struct sk_buff *skb, unsigned int len, bool icrc)
{
	unsigned int covered;

	if (!icrc) {
		get_page(payload_page);
		skb_add_rx_frag(skb, 0, payload_page, 0, len + ROCE_ICRC_LEN,
				len + ROCE_ICRC_LEN);
		return;
	}
	skb_put_zero(skb, len);
	covered = skb->len - ETH_HLEN;
	put_unaligned_le32(cg_icrc(skb, covered), skb_put(skb, ROCE_ICRC_LEN));
}

static struct sk_buff *cg_frame_alloc(unsigned int len)
{
	struct sk_buff *skb = alloc_skb(CG_HEADROOM + len, GFP_ATOMIC);

	if (skb)
		skb_reserve(skb, CG_HEADROOM);
	return skb;
}

static u8 cg_opcode(const struct cg_msg *msg, u64 position)
{
	if (msg->count == 1)
		return ROCE_WRITE_ONLY_IMM;
	if (!position)
		return ROCE_WRITE_FIRST;
	if (position == msg->count - 1)
		return ROCE_WRITE_LAST_IMM;
	return ROCE_WRITE_MIDDLE;
}

static void cg_put_reth(struct sk_buff *skb, const struct cg_msg *msg)
{
	struct roce_reth *reth = skb_put(skb, sizeof(*reth));

	reth->va = 0;
	reth->rkey = htonl(msg->qp->qpn);
	reth->len = htonl(min_t(u64, msg->rec.bytes, U32_MAX));
}

static u16 cg_sport(const struct cg_qp *qp, const struct cg_msg *msg)
{
	if (qp->sport != ROCE_SPORT_BASE)
		return qp->sport;
	return ROCE_SPORT_BASE | (msg->rec.step & ROCE_STEP_MASK);
}

/**
 * cg_frame_data() - a data packet
 * @qp: queue pair
 * @msg: message the packet belongs to
 * @index: number of the packet on the queue pair
 * @ack_req: ask for an ACK
 *
 * Return: the frame, or NULL without memory.
 */
struct sk_buff *cg_frame_data(const struct cg_qp *qp, const struct cg_msg *msg,
			      u64 index, bool ack_req)
{
	u64 position = index - msg->first;
	u8 opcode = cg_opcode(msg, position);
	bool first = opcode == ROCE_WRITE_FIRST ||
		     opcode == ROCE_WRITE_ONLY_IMM;
	bool last = opcode == ROCE_WRITE_LAST_IMM ||
		    opcode == ROCE_WRITE_ONLY_IMM;
	unsigned int payload, pad, xhdr;
	struct cg_addresses a = {
		.from = qp->src,
		.to = qp->dst,
		.sport = cg_sport(qp, msg),
		.tos = qp->params->data_tos,
	};
	struct roce_bth *bth;
	struct sk_buff *skb;

	payload = min_t(u64, msg->rec.bytes - position * qp->params->mtu,
			qp->params->mtu);
	pad = -payload & 3;
	xhdr = (first ? sizeof(struct roce_reth) : 0) +
	       (last ? sizeof(__be32) : 0);
	skb = cg_frame_alloc(CG_HEADERS_MAX + (qp->params->icrc ?
			     payload + pad + ROCE_ICRC_LEN : 0));
	if (!skb)
		return NULL;
	cg_put_headers(skb, &a, CG_FRAME_BASE + xhdr + payload + pad +
		       ROCE_ICRC_LEN);
	bth = cg_put_bth(skb, qp, opcode, qp->psn_base + index);
	bth->flags = pad << 4;
	if (ack_req)
		bth->resv7 |= ROCE_ACK_REQ;
	if (first)
		cg_put_reth(skb, msg);
	if (last)
		*(__be32 *)skb_put(skb, sizeof(__be32)) =
			htonl(msg->rec.bytes);
	cg_put_payload(skb, payload + pad, qp->params->icrc);
	return skb;
}

/**
 * cg_frame_ack() - an ACK or NAK
 * @qp: queue pair
 * @index: packet acknowledged, or the one missing
 * @nak: PSN sequence error
 * @cnp: tell the sender of congestion
 *
 * Return: the frame, or NULL without memory.
 */
struct sk_buff *cg_frame_ack(const struct cg_qp *qp, u64 index, bool nak,
			     bool cnp)
{
	struct cg_addresses a = {
		.from = qp->dst,
		.to = qp->src,
		.sport = qp->sport,
		.tos = qp->params->ack_tos,
	};
	struct roce_aeth *aeth;
	struct roce_bth *bth;
	struct sk_buff *skb;

	skb = cg_frame_alloc(CG_HEADERS_MAX + ROCE_ICRC_LEN);
	if (!skb)
		return NULL;
	cg_put_headers(skb, &a, CG_FRAME_BASE + sizeof(*aeth) + ROCE_ICRC_LEN);
	bth = cg_put_bth(skb, qp, ROCE_ACK, qp->psn_base + index);
	if (cnp)
		bth->resv6 |= ROCE_BECN;
	aeth = skb_put_zero(skb, sizeof(*aeth));
	aeth->syndrome = nak ? ROCE_NAK_SEQUENCE : 0;
	cg_put_payload(skb, 0, true);
	return skb;
}

/**
 * cg_frame_cnp() - a congestion notification packet
 * @qp: queue pair whose sender is meant
 *
 * Return: the frame, or NULL without memory.
 */
struct sk_buff *cg_frame_cnp(const struct cg_qp *qp)
{
	struct cg_addresses a = {
		.from = qp->dst,
		.to = qp->src,
		.sport = qp->sport,
		.tos = qp->params->cnp_tos,
	};
	struct roce_bth *bth;
	struct sk_buff *skb;

	skb = cg_frame_alloc(CG_HEADERS_MAX + ROCE_CNP_PAD + ROCE_ICRC_LEN);
	if (!skb)
		return NULL;
	cg_put_headers(skb, &a, CG_FRAME_BASE + ROCE_CNP_PAD + ROCE_ICRC_LEN);
	bth = cg_put_bth(skb, qp, ROCE_CNP, 0);
	bth->resv6 = ROCE_BECN;
	bth->resv7 = 0;
	skb_put_zero(skb, ROCE_CNP_PAD);
	cg_put_payload(skb, 0, true);
	return skb;
}
