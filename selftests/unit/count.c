// SPDX-License-Identifier: GPL-2.0
/*
 * Packets for callgrind to count instructions of. Run under it with
 * --toggle-collect=measured; it writes one profile for each kind of packet,
 * whose description ends with the kind's name.
 */
#include "shim.h"

#include <valgrind/callgrind.h>

#include "frame.h"
#include "symphony_flow.h"
#include "symphony_parse.h"
#include "tap.h"

#define REPEATS	1000
#define PSN	100

/* How far a packet is followed. */
enum depth {
	PARSER,		/* what is it */
	JUDGE,		/* the same, and the algorithm: mark it or not */
	ALL,		/* the same, with the flow's anchor */
};

/* One to a program, or the compiler would inline less than in real life. */
#ifndef DEPTH
#define DEPTH	ALL
#endif

/* What the qdisc has at hand when a packet leaves. */
struct switch_state {
	struct symphony_parse_config config;
	struct symphony_params params;
	struct symphony_state job;
	struct symphony_flow flows[SYMPHONY_FLOW_WAYS];
	u64 now;
	u32 silence;
	u32 random;
};

static __always_inline bool judge(struct switch_state *sw,
				  const struct symphony_spot *place)
{
	u32 events = symphony_update(&sw->job, &sw->params, place->step,
				     place->position,
				     place->flags & SYMPHONY_SPOT_LAST, 1,
				     sw->now);

	return events & SYMPHONY_CANDIDATE &&
	       symphony_coin(&sw->params, sw->job.alpha, sw->job.psn_rec,
			     place->position, sw->random);
}

static noinline u32 measured(struct switch_state *sw,
			     const struct sk_buff *skb)
{
	struct symphony_pkt pkt;
	bool replaced = false;
	struct symphony_spot place;

	if (symphony_parse(skb, &sw->config, &pkt) != SYMPHONY_DATA)
		return 0;
	if (DEPTH == PARSER)
		return pkt.flow;
	if (DEPTH == ALL) {
		struct symphony_flow *f;

		f = symphony_flow_find(sw->flows, pkt.flow >> 16 & 0xffffff,
				       symphony_flow_now(sw->now), &replaced);
		if (f->stamp != symphony_flow_now(sw->now))
			symphony_flow_touch(f, symphony_flow_now(sw->now),
					    sw->silence);
		place = symphony_flow_place(f, &pkt, 0, sw->params.step_bits,
					    sw->job.step_min != pkt.step,
					    sw->job.all_only);
	} else {
		place = (struct symphony_spot) {
			.position = pkt.psn,
			.step = pkt.step,
			.flags = pkt.flags & SYMPHONY_PKT_LAST,
		};
	}
	return judge(sw, &place) + replaced;
}

struct kind {
	const char *name;
	void (*add)(struct frame *f);
	bool ahead;		/* of the job's smallest step */
	u8 proto;
};

static void add_rocev2(struct frame *f, u8 opcode)
{
	frame_udp(f, 0xc005, 4791);
	frame_job(frame_bth(f, opcode, 0x11, PSN), 77);
	frame_reth(f, 1 << 20);
	frame_add(f, 1024);
}

static void rocev2_ip4(struct frame *f)
{
	frame_eth(f);
	frame_ip4(f, 2, 0);
	add_rocev2(f, 0x07);
}

static void rocev2_ip4_only(struct frame *f)
{
	frame_eth(f);
	frame_ip4(f, 2, 0);
	add_rocev2(f, 0x0a);
}

static void rocev2_ip6(struct frame *f)
{
	frame_eth(f);
	frame_ip6(f, 2);
	add_rocev2(f, 0x07);
}

static void rocev2_tag(struct frame *f)
{
	frame_eth(f);
	frame_tag(f, ETH_P_8021Q);
	frame_ip4(f, 2, 0);
	add_rocev2(f, 0x07);
}

static void rocev2_vxlan(struct frame *f)
{
	frame_eth(f);
	frame_ip4(f, 2, 0);
	frame_vxlan(f, 5);
	frame_ip4(f, 2, 0);
	add_rocev2(f, 0x07);
}

static void rocev2_ack(struct frame *f)
{
	frame_eth(f);
	frame_ip4(f, 2, 0);
	add_rocev2(f, 0x11);
}

static void uet_request(struct frame *f)
{
	u8 *p;

	frame_eth(f);
	frame_ip4(f, 2, 0);
	frame_udp(f, 0x1234, 4793);
	p = frame_add(f, 12);
	put16(p, 2 << 11 | 3 << 7);
	put32(p + 4, PSN);
	put16(p + 8, 5);
	p = frame_add(f, 44);
	p[0] = 1;
	put24(p + 5, 77);
}

static void tcp_ip4(struct frame *f)
{
	frame_eth(f);
	frame_ip4(f, 2, 0)[9] = IPPROTO_TCP;
	frame_add(f, 60);
}

static void tcp_ip6(struct frame *f)
{
	frame_eth(f);
	frame_ip6(f, 2)[6] = IPPROTO_TCP;
	frame_add(f, 60);
}

static void udp_ip4(struct frame *f)
{
	frame_eth(f);
	frame_ip4(f, 2, 0);
	frame_udp(f, 1234, 53);
	frame_add(f, 60);
}

static void arp(struct frame *f)
{
	frame_eth(f);
	put16(f->bytes + f->next, ETH_P_ARP);
	frame_add(f, 46);
}

#define UET	TC_SYMPHONY_PROTO_UET

static const struct kind kinds[] = {
	{ "rocev2-ipv4-lagging", rocev2_ip4, false, 0 },
	{ "rocev2-ipv4-ahead", rocev2_ip4, true, 0 },
	{ "rocev2-ipv4-write-only-ahead", rocev2_ip4_only, true, 0 },
	{ "rocev2-ipv6-lagging", rocev2_ip6, false, 0 },
	{ "rocev2-ipv6-ahead", rocev2_ip6, true, 0 },
	{ "rocev2-vlan-ahead", rocev2_tag, true, 0 },
	{ "rocev2-vxlan-ahead", rocev2_vxlan, true, 0 },
	{ "rocev2-ack", rocev2_ack, false, 0 },
	{ "uet-lagging", uet_request, false, UET },
	{ "uet-ahead", uet_request, true, UET },
	{ "tcp-ipv4", tcp_ip4, false, 0 },
	{ "tcp-ipv6", tcp_ip6, false, 0 },
	{ "udp-ipv4", udp_ip4, false, 0 },
	{ "arp", arp, false, 0 },
};

/* A job whose smallest step is the packet's, 5, or the one before. */
static struct switch_state switch_before(const struct kind *kind)
{
	bool is_uet = kind->proto == UET;
	struct switch_state sw = {
		.config = {
			.hash_seed = { 0x0123456789abcdefULL,
				       0xfedcba9876543211ULL },
			.udp_port = is_uet ? 4793 : 4791,
			.proto = kind->proto,
			.step_source = is_uet ? TC_SYMPHONY_STEP_SPDCID :
						TC_SYMPHONY_STEP_SPORT,
			.eth = true,
		},
		.params = {
			.k = 10000000,
			.tau = 250000000,
			.warmup = 8,
			.samples = 8,
			.alpha_max = 65535,
			.step_bits = is_uet ? 16 : 14,
			.window = 1000000000,
		},
		.silence = symphony_flow_silence(60000000000ULL),
		.random = 0x80000000,
	};

	symphony_state_init(&sw.job, &sw.params, kind->ahead ? 4 : 5, 50, 0);
	return sw;
}

static u32 run(const struct kind *kind)
{
	struct switch_state sw = switch_before(kind);
	struct frame f = { .network = ETH_HLEN };
	struct buffer b;
	u32 i, sum = 0;

	kind->add(&f);
	frame_finish(&f);
	f.protocol = get16(f.bytes + 12);
	b = buffer_make(&f, f.len, f.len);

	/* leaves the anchor of the flow in the third place of four */
	sw.flows[0].state = SYMPHONY_FLOW_BLIND;
	sw.flows[1].state = SYMPHONY_FLOW_BLIND;
	measured(&sw, &b.skb);
	sw.flows[2].state = SYMPHONY_FLOW_ANCHORED;

	CALLGRIND_ZERO_STATS;
	for (i = 0; i < REPEATS; i++) {
		/* it is the one that comes next, each time */
		sw.flows[2].next = PSN;
		sw.flows[2].base = PSN - 50;
		sum += measured(&sw, &b.skb);
	}
	buffer_free(&b);
	return sum;
}

int main(void)
{
	u32 i, sum = 0;

	if (!RUNNING_ON_VALGRIND) {
		fprintf(stderr, "count: run me under callgrind\n");
		return 2;
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		sum += run(&kinds[i]);
		CALLGRIND_DUMP_STATS_AT(kinds[i].name);
	}
	/* keeps the compiler from leaving out what nobody would look at */
	printf("%u packets each, sum %u\n", REPEATS, sum);
	return 0;
}
