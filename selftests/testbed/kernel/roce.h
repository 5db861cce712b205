/* SPDX-License-Identifier: GPL-2.0 */
/* RoCEv2 headers as the testbed writes and reads them. */
#ifndef _TESTBED_ROCE_H
#define _TESTBED_ROCE_H

#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <linux/unaligned.h>

#define ROCE_PORT		4791
#define ROCE_SPORT_BASE		0xc000
#define ROCE_STEP_MASK		0x3fff
#define ROCE_PSN_MASK		0xffffff
#define ROCE_ICRC_LEN		4

#define ROCE_WRITE_FIRST	0x06
#define ROCE_WRITE_MIDDLE	0x07
#define ROCE_WRITE_LAST_IMM	0x09
#define ROCE_WRITE_ONLY_IMM	0x0b
#define ROCE_ACK		0x11
#define ROCE_CNP		0x81

#define ROCE_BECN		0x40
#define ROCE_ACK_REQ		0x80
#define ROCE_NAK_SEQUENCE	0x60

/**
 * struct roce_bth - base transport header
 * @opcode: transport and operation
 * @flags: SE, M, PadCnt, TVer
 * @pkey: partition key
 * @resv6: FECN, BECN and the high six bits of the job
 * @qpn: destination queue pair
 * @resv7: AckReq and the low seven bits of the job
 * @psn: packet sequence number
 */
struct roce_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	u8 resv6;
	u8 qpn[3];
	u8 resv7;
	u8 psn[3];
};

struct roce_reth {
	__be64 va;
	__be32 rkey;
	__be32 len;
} __packed;

struct roce_aeth {
	u8 syndrome;
	u8 msn[3];
};

#define ROCE_CNP_PAD	16

static inline u16 roce_job(const struct roce_bth *bth)
{
	return (bth->resv6 & 0x3f) << 7 | (bth->resv7 & 0x7f);
}

static inline bool roce_is_control(const struct roce_bth *bth)
{
	return bth->opcode == ROCE_ACK || bth->opcode == ROCE_CNP;
}

/**
 * roce_header() - find the BTH of a frame
 * @skb: frame with a valid network header in its linear part
 * @sport: where to put the UDP source port
 *
 * Return: the header, or NULL when the frame is not RoCEv2 over IPv4.
 */
static inline struct roce_bth *roce_header(struct sk_buff *skb, u16 *sport)
{
	struct udphdr *uh;
	struct iphdr *iph = ip_hdr(skb);
	unsigned char *end = (unsigned char *)iph + sizeof(*iph) +
			     sizeof(*uh) + sizeof(struct roce_bth);

	if (skb->protocol != htons(ETH_P_IP) || end > skb_tail_pointer(skb) ||
	    iph->ihl != 5 || iph->protocol != IPPROTO_UDP)
		return NULL;
	uh = (struct udphdr *)(iph + 1);
	if (uh->dest != htons(ROCE_PORT))
		return NULL;
	*sport = ntohs(uh->source);
	return (struct roce_bth *)(uh + 1);
}

#endif
