// SPDX-License-Identifier: GPL-2.0
/*
 * The parser, on any bytes in any shape of buffer: whatever the split between linear area
 * and fragment the answer is the same, the fast path's is the long way's, and what it says
 * lies in the range it has.
 */
#include "fuzz.h"

#define main	unit_main
#include "test_parse.c"
#undef main

/*
 * An input begins with: what to look for; skb->protocol; where the network header is; how
 * much is linear; segmentation. The packet is the rest.
 */
#define INPUT_UET	0x01
#define INPUT_STEP	0x02	/* the profile's other source of steps */
#define INPUT_NO_ETH	0x04
#define INPUT_UDP_GSO	0x08
#define INPUT_TCP_GSO	0x10
#define INPUT_PULLED	0x20	/* skb->data is behind the network header */
#define INPUT_SPLIT	0xc0	/* both bits: try every split there is */

static void fuzz_try(void)
{
	u8 what = fuzz_take(1);
	struct symphony_parse_config cfg = what & INPUT_UET ? uet : rocev2;
	static struct frame f;
	u32 linear, end;

	if (what & INPUT_STEP)
		cfg.step_source = what & INPUT_UET ? TC_SYMPHONY_STEP_MSGID :
						     TC_SYMPHONY_STEP_COUNT;
	cfg.eth = !(what & INPUT_NO_ETH);
	f.protocol = fuzz_take(2);
	f.network = fuzz_take(1);
	linear = fuzz_take(1);
	f.gso.gso_size = fuzz_take(2);
	f.gso.gso_type = (what & INPUT_UDP_GSO ? SKB_GSO_UDP_L4 : 0) |
			 (what & INPUT_TCP_GSO ? SKB_GSO_TCPV4 : 0);
	f.len = fuzz_input.left < FRAME_MAX ? fuzz_input.left : FRAME_MAX;
	memcpy(f.bytes, fuzz_input.bytes, f.len);

	if (what & INPUT_PULLED) {
		struct buffer b = buffer_make(&f, f.len, f.len);
		struct symphony_pkt pkt;
		u32 pulled = f.len / 2;

		b.skb.data += pulled;
		b.skb.len -= pulled;
		tap_check(symphony_parse(&b.skb, &cfg, &pkt) <= SYMPHONY_DATA, "no class");
		buffer_free(&b);
		return;
	}
	end = linear;
	if ((what & INPUT_SPLIT) == INPUT_SPLIT) {
		linear = 0;
		end = f.len;
	}
	for (; linear <= f.len && linear <= end; linear++)
		fuzz_one(&f, &cfg, linear);
}

static void seed_frame(const char *dir, u8 what, const struct frame *f)
{
	u8 bytes[7 + FRAME_MAX];

	if (f->gso.gso_type & SKB_GSO_UDP_L4)
		what |= INPUT_UDP_GSO;
	bytes[0] = what;
	put16(bytes + 1, f->protocol);
	bytes[3] = f->network;
	bytes[4] = f->udp + 8;
	put16(bytes + 5, f->gso.gso_size);
	memcpy(bytes + 7, f->bytes, f->len);
	seed_write(dir, bytes, 7 + f->len);
}

static void fuzz_seeds(const char *dir)
{
	static const u8 opcodes[] = { 0x00, 0x07, 0x09, 0x0a, 0x11, 0x81, 0xaa };
	static const u8 types[] = { 2, 7, 14 };
	struct frame f;
	u32 i, j, kind;

	for (i = 0; i < ARRAY_SIZE(envelopes); i++) {
		for (j = 0; j < ARRAY_SIZE(opcodes); j++) {
			f = rocev2_frame(&envelopes[i], opcodes[j]);
			seed_frame(dir, 0, &f);
		}
		for (j = 0; j < ARRAY_SIZE(types); j++) {
			for (kind = 1; kind <= 3; kind++) {
				f = uet_frame(&envelopes[i], types[j], kind, 1, 0, 3);
				seed_frame(dir, INPUT_UET, &f);
			}
		}
		f = rocev2_frame(&envelopes[i], 0x07);
		f.gso = (struct skb_shared_info) { SKB_GSO_UDP_L4, f.len - f.udp - 8 };
		memcpy(frame_add(&f, f.gso.gso_size), f.bytes + f.udp + 8, f.gso.gso_size);
		frame_finish(&f);
		seed_frame(dir, 0, &f);
	}
}
