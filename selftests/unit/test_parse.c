// SPDX-License-Identifier: GPL-2.0
/* The parser, on packets whose every byte is known. */
#include "shim.h"

#include "frame.h"
#include "symphony_parse.h"
#include "tap.h"

#define QP	0x00beef
#define PSN	0x123456
#define JOB	0x1a5a		/* 13 bits */
#define SPORT	0xc123
#define ECT0	2
#define TOS	(26 << 2 | ECT0)

#define MARKABLE	SYMPHONY_PKT_INNER_ECT
#define STEP	SYMPHONY_PKT_STEP
#define FIRST	SYMPHONY_PKT_FIRST
#define LAST	SYMPHONY_PKT_LAST

static const struct symphony_parse_config rocev2 = {
	.hash_seed = { 0x0123456789abcdefULL, 0xfedcba9876543211ULL },
	.udp_port = 4791,
	.proto = TC_SYMPHONY_PROTO_ROCEV2,
	.step_source = TC_SYMPHONY_STEP_SPORT,
	.eth = true,
};

static const struct symphony_parse_config uet = {
	.hash_seed = { 0x0123456789abcdefULL, 0xfedcba9876543211ULL },
	.udp_port = 4793,
	.proto = TC_SYMPHONY_PROTO_UET,
	.step_source = TC_SYMPHONY_STEP_SPDCID,
	.eth = true,
};

/* What is to come out; the fields that the class leaves open are not looked at. */
struct expected {
	enum symphony_class class;
	struct symphony_pkt pkt;
};

/* How a datagram travels. */
struct envelope {
	const char *name;
	void (*add)(struct frame *f, u8 outer_tos, u8 tos);
	u8 version;
	bool tunnel;
};

static void in_ip4(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_ip4(f, tos, 0);
}

static void in_ip4_options(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_ip4(f, tos, 40);
}

static void in_ip6(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_ip6(f, tos);
}

static void in_ip6_options(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip6(f, outer_tos, tos);
	frame_exthdr(f, IPPROTO_HOPOPTS, 8);
	frame_exthdr(f, IPPROTO_DSTOPTS, 24);
	frame_exthdr(f, IPPROTO_ROUTING, 40);
}

static void in_ip6_fragment(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip6(f, outer_tos, tos);
	put16(frame_exthdr(f, IPPROTO_FRAGMENT, 8) + 2, 1);
}

static void in_ip6_ah(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip6(f, outer_tos, tos);
	frame_exthdr(f, IPPROTO_AH, 24);
}

static void in_tag_ip4(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_tag(f, ETH_P_8021Q);
	frame_ip4(f, tos, 0);
}

static void in_tag_ip6(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_tag(f, ETH_P_8021Q);
	frame_ip6(f, tos);
}

static void in_service_tag(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_tag(f, ETH_P_8021AD);
	frame_ip4(f, tos, 0);
}

static void in_qinq(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_tag(f, ETH_P_8021AD);
	frame_tag(f, ETH_P_8021Q);
	frame_ip4(f, tos, 0);
}

static void in_four_tags(struct frame *f, u8 outer_tos, u8 tos)
{
	(void)outer_tos;
	frame_eth(f);
	frame_tag(f, ETH_P_8021AD);
	frame_tag(f, ETH_P_8021AD);
	frame_tag(f, ETH_P_8021Q);
	frame_tag(f, ETH_P_8021Q);
	frame_ip6(f, tos);
}

static void in_vxlan4(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip4(f, 0, outer_tos);
	frame_vxlan(f, 0xabcdef);
	frame_ip4(f, tos, 0);
}

static void in_vxlan4_ip6(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip4(f, 0, outer_tos);
	frame_vxlan(f, 0xabcdef);
	frame_ip6(f, tos);
}

static void in_vxlan6(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip6(f, 0, outer_tos);
	frame_vxlan(f, 0xabcdef);
	frame_ip4(f, tos, 4);
}

static void in_tagged_vxlan(struct frame *f, u8 outer_tos, u8 tos)
{
	in_qinq(f, 0, outer_tos);
	frame_vxlan(f, 0xabcdef);
	frame_tag(f, ETH_P_8021Q);
	frame_ip4(f, tos, 0);
}

static void in_vxlan_old(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip4(f, 0, outer_tos);
	frame_vxlan_old(f, 0xabcdef);
	frame_ip6(f, tos);
}

static void in_geneve(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip6(f, 0, outer_tos);
	frame_geneve(f, 0xabcdef, 0, true);
	frame_tag(f, ETH_P_8021Q);
	frame_ip4(f, tos, 0);
}

static void in_geneve_options(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip4(f, 0, outer_tos);
	frame_geneve(f, 0xabcdef, 63, true);
	frame_ip4(f, tos, 0);
}

static void in_geneve_ip6(struct frame *f, u8 outer_tos, u8 tos)
{
	in_ip4(f, 0, outer_tos);
	frame_geneve(f, 0xabcdef, 5, false);
	frame_ip6(f, tos);
}

static const struct envelope envelopes[] = {
	{ "IPv4", in_ip4, 4, false },
	{ "IPv4 with options", in_ip4_options, 4, false },
	{ "IPv6", in_ip6, 6, false },
	{ "IPv6 with options", in_ip6_options, 6, false },
	{ "IPv6, first fragment", in_ip6_fragment, 6, false },
	{ "IPv6 with AH", in_ip6_ah, 6, false },
	{ "802.1Q, IPv4", in_tag_ip4, 4, false },
	{ "802.1Q, IPv6", in_tag_ip6, 6, false },
	{ "802.1ad, IPv4", in_service_tag, 4, false },
	{ "Q-in-Q, IPv4", in_qinq, 4, false },
	{ "four tags, IPv6", in_four_tags, 6, false },
	{ "VXLAN, IPv4 in IPv4", in_vxlan4, 4, true },
	{ "VXLAN, IPv6 in IPv4", in_vxlan4_ip6, 4, true },
	{ "VXLAN, IPv4 in IPv6", in_vxlan6, 6, true },
	{ "Q-in-Q, VXLAN, 802.1Q, IPv4", in_tagged_vxlan, 4, true },
	{ "VXLAN on port 8472, IPv6 in IPv4", in_vxlan_old, 4, true },
	{ "Geneve, 802.1Q, IPv4 in IPv6", in_geneve, 6, true },
	{ "Geneve with options, IPv4 in IPv4", in_geneve_options, 4, true },
	{ "Geneve without a frame, IPv6 in IPv4", in_geneve_ip6, 4, true },
};

static struct frame in_envelope(const struct envelope *e, u8 outer_tos, u8 tos,
				u16 sport, u16 dport)
{
	struct frame f = { .network = ETH_HLEN };

	e->add(&f, outer_tos, tos);
	frame_udp(&f, sport, dport);
	f.protocol = get16(f.bytes + 12);
	return f;
}

/* A plain data packet up to where a test takes over: no BTH yet. */
static struct frame plain(u16 sport)
{
	return in_envelope(&envelopes[0], TOS, TOS, sport, 4791);
}

static struct symphony_pkt expected_pkt(const struct envelope *e,
					const struct frame *f, u8 flags)
{
	return (struct symphony_pkt) {
		.job = JOB,
		.psn = PSN,
		.step = SPORT & 0x3fff,
		.flags = flags,
		.dscp = TOS >> 2,
		.ecn = ECT0,
		.ip_version = e->version,
		.ip_offset = f->ip,
	};
}

static bool same_ip(const struct symphony_pkt *a, const struct symphony_pkt *b)
{
	if (a->ip_version != b->ip_version)
		return false;
	return !a->ip_version ||
	       (a->ip_offset == b->ip_offset && a->ecn == b->ecn &&
		a->dscp == b->dscp &&
		(a->flags & MARKABLE) == (b->flags & MARKABLE));
}

static bool same_data(const struct symphony_pkt *a, const struct symphony_pkt *b)
{
	return a->job == b->job && a->psn == b->psn &&
	       !((a->flags ^ b->flags) & ~SYMPHONY_PKT_GO_BACK) &&
	       (!(a->flags & STEP) || a->step == b->step);
}

static bool same(const struct expected *a, const struct expected *b)
{
	return a->class == b->class && same_ip(&a->pkt, &b->pkt) &&
	       (a->class != SYMPHONY_DATA || same_data(&a->pkt, &b->pkt));
}

/* For messages; two in one of them are fine. */
static const char *text(const struct expected *e)
{
	static char texts[2][160];
	static u32 n;
	char *s = texts[n++ % 2];

	snprintf(s, sizeof(texts[0]),
		 "class %d job %#x psn %#x step %#x flags %#x dscp %u ecn %u IPv%u at %u",
		 e->class, e->pkt.job, e->pkt.psn, e->pkt.step, e->pkt.flags,
		 e->pkt.dscp, e->pkt.ecn, e->pkt.ip_version, e->pkt.ip_offset);
	return s;
}

/* The long way alone must come to the same answer. */
static struct expected parse(const struct frame *f, u32 len, u32 linear,
			     const struct symphony_parse_config *cfg)
{
	struct buffer b = buffer_make(f, len, linear);
	struct expected got, slow;

	/* nothing must be left as it was found */
	memset(&got, 0xa5, sizeof(got));
	memset(&slow, 0x5a, sizeof(slow));
	got.class = symphony_parse(&b.skb, cfg, &got.pkt);
	slow.class = symphony_parse_slow(&b.skb, cfg, &slow.pkt);
	tap_check(same(&got, &slow) && (got.class != SYMPHONY_DATA ||
					got.pkt.flow == slow.pkt.flow),
		  "%u bytes, %u linear: %s, the long way %s", len, linear,
		  text(&got), text(&slow));
	buffer_free(&b);
	return got;
}

/* In one piece, and cut in two at every byte of the headers. */
static void check(const struct frame *f, const struct symphony_parse_config *cfg,
		  const struct expected *expected, const char *what)
{
	struct expected whole = parse(f, f->len, f->len, cfg);
	u32 linear;

	tap_check(same(&whole, expected), "%s: %s, not %s", what, text(&whole),
		  text(expected));

	for (linear = 0; linear < f->len; linear++) {
		struct expected got = parse(f, f->len, linear, cfg);

		tap_check(same(&got, expected) &&
			  (got.class != SYMPHONY_DATA ||
			   got.pkt.flow == whole.pkt.flow),
			  "%s, %u bytes linear: %s, not %s", what, linear,
			  text(&got), text(expected));
	}
}

static void check_class(const struct frame *f,
			const struct symphony_parse_config *cfg,
			enum symphony_class class, const char *what)
{
	u32 linear;

	for (linear = 0; linear <= f->len; linear++) {
		struct expected got = parse(f, f->len, linear, cfg);

		tap_check(got.class == class,
			  "%s, %u bytes linear: class %d, not %d", what, linear,
			  got.class, class);
	}
}

/* Cut off at every length: it takes @need bytes to know. */
static void check_cut(const struct frame *f,
		      const struct symphony_parse_config *cfg, u32 need,
		      const char *what)
{
	struct expected whole = parse(f, f->len, f->len, cfg);
	u32 len, i;

	for (len = 0; len < f->len; len++) {
		u32 linear[] = { len, 0, len / 2, len ? len - 1 : 0 };

		for (i = 0; i < ARRAY_SIZE(linear); i++) {
			struct expected got = parse(f, len, linear[i], cfg);
			bool ok = len < need ?
				  got.class == SYMPHONY_UNPARSABLE :
				  same(&got, &whole);

			tap_check(ok, "%s, cut to %u of %u bytes, %u linear: class %d",
				  what, len, need, linear[i], got.class);
		}
	}
}

/* Bytes behind the end that a length field gives are none of the packet's. */
static void check_lengths(const struct frame *f,
			  const struct symphony_parse_config *cfg, u32 need,
			  const char *what)
{
	struct expected whole = parse(f, f->len, f->len, cfg);
	u32 i, end;

	for (i = 0; i < f->nr_lengths; i++) {
		u32 from = f->lengths[i].from;
		struct frame cut = *f;

		for (end = from; end <= f->len + 50; end++) {
			struct expected got;
			bool ok;

			put16(cut.bytes + f->lengths[i].at, end - from);
			got = parse(&cut, cut.len, cut.len, cfg);
			ok = end < need ? got.class == SYMPHONY_UNPARSABLE :
					  same(&got, &whole);
			/* options of no length at all: a jumbogram */
			if (end == from && got.class == whole.class)
				ok = f->bytes[f->lengths[i].at + 2] ==
				     IPPROTO_HOPOPTS;
			tap_check(ok, "%s, length %u ends at %u: class %d",
				  what, i, end, got.class);
		}
	}
}

/* The opcodes of InfiniBand, as the specification lists them. */
enum part {
	FIRST_PART, MIDDLE_PART, LAST_PART, ONLY_PART,
	NO_DATA,	/* requests and acknowledgments */
	NOT_FOLLOWED,	/* whatever it carries, no step of it is known */
};

struct opcode {
	u8 op;
	enum part part;
	bool uc;		/* unreliable connections have it */
};

static const struct opcode opcodes[] = {
	{ 0x00, FIRST_PART, true },	/* SEND */
	{ 0x01, MIDDLE_PART, true },
	{ 0x02, LAST_PART, true },
	{ 0x03, LAST_PART, true },
	{ 0x04, ONLY_PART, true },
	{ 0x05, ONLY_PART, true },
	{ 0x06, FIRST_PART, true },	/* RDMA WRITE */
	{ 0x07, MIDDLE_PART, true },
	{ 0x08, LAST_PART, true },
	{ 0x09, LAST_PART, true },
	{ 0x0a, ONLY_PART, true },
	{ 0x0b, ONLY_PART, true },
	{ 0x0c, NO_DATA, false },	/* RDMA READ request */
	{ 0x0d, FIRST_PART, false },	/* RDMA READ response */
	{ 0x0e, MIDDLE_PART, false },
	{ 0x0f, LAST_PART, false },
	{ 0x10, ONLY_PART, false },
	{ 0x11, NO_DATA, false },	/* acknowledge */
	{ 0x12, NO_DATA, false },	/* atomics */
	{ 0x13, NO_DATA, false },
	{ 0x14, NO_DATA, false },
	{ 0x16, LAST_PART, false },	/* SEND with invalidate */
	{ 0x17, ONLY_PART, false },
};

static const u8 part_flags[] = {
	[FIRST_PART] = FIRST,
	[MIDDLE_PART] = 0,
	[LAST_PART] = LAST,
	[ONLY_PART] = FIRST | LAST,
};

static enum part part_of(u8 opcode)
{
	u8 transport = opcode & 0xe0;
	u32 i;

	if (opcode == 0x81)		/* CNP */
		return NO_DATA;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		if (opcodes[i].op == (opcode & 0x1f) &&
		    (transport == 0x00 || transport == 0xa0 ||
		     (transport == 0x20 && opcodes[i].uc) ||
		     (transport == 0x40 && opcodes[i].part == NO_DATA)))
			return opcodes[i].part;
	return NOT_FOLLOWED;
}

/* A packet of the opcode with all that belongs to it, and a payload. */
static struct frame rocev2_frame(const struct envelope *e, u8 opcode)
{
	struct frame f = in_envelope(e, TOS, TOS, SPORT, 4791);

	frame_job(frame_bth(&f, opcode, QP, PSN), JOB);
	if ((opcode & 0xe0) == 0xa0)
		frame_add(&f, 4);
	frame_reth(&f, 1 << 20);
	frame_add(&f, 20);
	frame_finish(&f);
	return f;
}

/* Whether a lost packet is sent again, and all that followed. */
static bool goes_back(const struct frame *f, const struct symphony_parse_config *cfg)
{
	return parse(f, f->len, f->len, cfg).pkt.flags & SYMPHONY_PKT_GO_BACK;
}

static void every_opcode(const struct envelope *e)
{
	char name[80];
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		struct frame f = rocev2_frame(e, opcode);
		enum part part = part_of(opcode);
		struct expected expected = {
			.class = SYMPHONY_DATA,
			.pkt = expected_pkt(e, &f, MARKABLE),
		};

		if (part == NO_DATA)
			expected.class = SYMPHONY_CONTROL;
		else if (part == NOT_FOLLOWED)
			expected.class = SYMPHONY_OTHER;
		else
			expected.pkt.flags |= STEP | part_flags[part];
		snprintf(name, sizeof(name), "opcode %#x", opcode);
		check(&f, &rocev2, &expected, name);
		if (expected.class == SYMPHONY_DATA)
			tap_check(goes_back(&f, &rocev2) == ((opcode & 0xe0) != 0x20),
				  "%s goes back: %d", name, goes_back(&f, &rocev2));
	}
	snprintf(name, sizeof(name), "every opcode: %s", e->name);
	tap_point(name);
}

/* Bytes up to the end of what must be known of an opcode. */
static u32 rocev2_need(const struct frame *f, u8 opcode)
{
	u32 need = f->udp + 8 + 12;

	if (opcode == 0x0a || opcode == 0x2a)
		need += 16;
	if (opcode == 0xaa)
		need += 4 + 16;
	return need;
}

static void every_cut(const struct envelope *e)
{
	static const u8 some[] = {
		0x00, 0x07, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x2a, 0x64, 0x81,
		0xaa,
	};
	char name[80];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		struct frame f = rocev2_frame(e, some[i]);
		u32 need = rocev2_need(&f, some[i]);

		snprintf(name, sizeof(name), "opcode %#x", some[i]);
		check_cut(&f, &rocev2, need, name);
		check_lengths(&f, &rocev2, need, name);
	}
	snprintf(name, sizeof(name), "cut at every byte: %s", e->name);
	tap_point(name);
}

/* Four codepoints outside by four inside. */
static void every_codepoint(const struct envelope *e)
{
	char name[80];
	u32 outer, inner;

	for (outer = 0; outer < 4; outer++)
		for (inner = 0; inner < 4; inner++) {
			struct frame f = in_envelope(e, 0x80 | outer,
						     0x48 | inner, SPORT, 4791);
			struct expected expected = {
				.class = SYMPHONY_DATA,
				.pkt = expected_pkt(e, &f, STEP),
			};
			u32 ecn = e->tunnel ? outer : inner;

			frame_job(frame_bth(&f, 0x07, QP, PSN), JOB);
			frame_finish(&f);
			expected.pkt.ecn = ecn;
			expected.pkt.dscp = 0x48 >> 2;
			if ((ecn == 1 || ecn == 2) && inner)
				expected.pkt.flags |= MARKABLE;
			snprintf(name, sizeof(name), "ECN %u in %u", inner, outer);
			check(&f, &rocev2, &expected, name);
		}
	snprintf(name, sizeof(name), "every ECN codepoint: %s", e->name);
	tap_point(name);
}

/* Every bit of the BTH, and of nothing else, gets where it belongs. */
static void bth_fields(void)
{
	struct frame f = plain(SPORT);
	struct expected got;
	u8 *bth;
	u32 i;

	bth = frame_bth(&f, 0x07, 0, 0);
	frame_finish(&f);
	for (i = 0; i < 13; i++) {
		frame_job(bth, 1U << i);
		got = parse(&f, f.len, f.len, &rocev2);
		tap_check(got.class == SYMPHONY_DATA && got.pkt.job == 1U << i &&
			  !got.pkt.psn, "job bit %u: %#x", i, got.pkt.job);
	}
	frame_job(bth, 0);
	for (i = 0; i < 24; i++) {
		put24(bth + 9, 1U << i);
		got = parse(&f, f.len, f.len, &rocev2);
		tap_check(got.class == SYMPHONY_DATA && got.pkt.psn == 1U << i &&
			  !got.pkt.job, "PSN bit %u: %#x", i, got.pkt.psn);
	}
	/* FECN, BECN, AckReq, P_Key and DestQP are neither */
	memcpy(bth + 2, "\xa5\x5a\xc0\xff\xff\xff\x80\0\0\0", 10);
	got = parse(&f, f.len, f.len, &rocev2);
	tap_check(got.class == SYMPHONY_DATA && !got.pkt.job && !got.pkt.psn,
		  "job %#x psn %#x", got.pkt.job, got.pkt.psn);
	tap_point("fields of the BTH");

	for (i = 0; i < 256; i++) {
		enum symphony_class class = i & 0x0f ? SYMPHONY_UNPARSABLE :
						       SYMPHONY_DATA;

		bth[1] = i;
		got = parse(&f, f.len, f.len, &rocev2);
		tap_check(got.class == class, "byte 1 is %#x: class %d", i,
			  got.class);
		got = parse(&f, f.len, 30, &rocev2);
		tap_check(got.class == class, "byte 1 is %#x, paged: class %d",
			  i, got.class);
	}
	tap_point("transport header version");
}

static void source_ports(void)
{
	u32 sport;

	for (sport = 0; sport <= 0xffff; sport++) {
		struct frame f = plain(sport);
		struct expected got;
		bool step = sport >= 0xc000;

		frame_bth(&f, 0x07, QP, PSN);
		frame_finish(&f);
		got = parse(&f, f.len, f.len, &rocev2);
		tap_check(got.class == SYMPHONY_DATA &&
			  !!(got.pkt.flags & STEP) == step &&
			  (!step || got.pkt.step == sport - 0xc000),
			  "port %u: step %u, flags %#x", sport, got.pkt.step,
			  got.pkt.flags);
	}
	tap_point("every source port");
}

static void clear_to_send(void)
{
	static const struct {
		u8 opcode;
		u32 length;
		enum symphony_class class;
	} writes[] = {
		{ 0x0a, 0, SYMPHONY_CONTROL },
		{ 0x0a, 64, SYMPHONY_CONTROL },
		{ 0x0a, 512, SYMPHONY_CONTROL },
		{ 0x0a, 513, SYMPHONY_DATA },
		{ 0x0a, 0x10000, SYMPHONY_DATA },
		{ 0x0a, 0xffffffff, SYMPHONY_DATA },
		{ 0x2a, 512, SYMPHONY_CONTROL },
		{ 0x2a, 513, SYMPHONY_DATA },
		{ 0xaa, 512, SYMPHONY_CONTROL },
		{ 0xaa, 513, SYMPHONY_DATA },
		/* with immediate: the end of NCCL's data, even if empty */
		{ 0x0b, 0, SYMPHONY_DATA },
		{ 0x0b, 64, SYMPHONY_DATA },
		{ 0xab, 64, SYMPHONY_DATA },
		{ 0x06, 64, SYMPHONY_DATA },
		{ 0x04, 64, SYMPHONY_DATA },
	};
	char name[40];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		struct frame f = plain(SPORT);

		frame_bth(&f, writes[i].opcode, QP, PSN);
		if (writes[i].opcode >= 0xa0)
			put32(frame_add(&f, 4), ~0U);
		frame_reth(&f, writes[i].length);
		put32(frame_add(&f, 8), 0x12345678);
		frame_finish(&f);
		snprintf(name, sizeof(name), "opcode %#x of %u bytes",
			 writes[i].opcode, writes[i].length);
		check_class(&f, &rocev2, writes[i].class, name);
	}
	tap_point("short writes are control");
}

static void which_flow(void)
{
	const struct envelope *e4 = &envelopes[0], *e6 = &envelopes[2];
	const struct envelope *tunnel = &envelopes[11];
	static const u8 same_flow[] = { 0x00, 0x07, 0x09, 0x0b };
	struct frame f = rocev2_frame(e4, 0x07), g;
	u64 flow = parse(&f, f.len, f.len, &rocev2).pkt.flow;
	struct symphony_parse_config cfg;
	u32 i;

	/* what may change without a change of flow */
	for (i = 0; i < ARRAY_SIZE(same_flow); i++) {
		g = rocev2_frame(e4, same_flow[i]);
		put16(g.bytes + g.udp, 0xc000 + i);
		put24(g.bytes + g.udp + 8 + 9, i);
		g.bytes[g.udp + 8 + 4] |= 0xc0;
		g.bytes[g.udp + 8 + 8] |= 0x80;
		g.bytes[g.ip + 1] = i;
		g.bytes[g.ip + 8] = i;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow == flow,
			  "opcode %#x is another flow", same_flow[i]);
	}
	g = rocev2_frame(&envelopes[9], 0x07);
	tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow == flow,
		  "tags make another flow");
	tap_point("one flow");

	/* what may not */
	for (i = 0; i < 64; i++) {
		g = f;
		g.bytes[g.ip + 12 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow != flow,
			  "bit %u of the IPv4 addresses is ignored", i);
	}
	for (i = 0; i < 24; i++) {
		g = f;
		g.bytes[g.udp + 8 + 5 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow != flow,
			  "bit %u of DestQP is ignored", i);
	}
	g = rocev2_frame(e4, 0x0e);
	tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow != flow,
		  "READ RESPONSEs share a flow with WRITEs");
	cfg = rocev2;
	cfg.hash_seed[0] ^= 1;
	tap_check(parse(&f, f.len, f.len, &cfg).pkt.flow != flow, "first seed");
	cfg = rocev2;
	cfg.hash_seed[1] ^= 2;
	tap_check(parse(&f, f.len, f.len, &cfg).pkt.flow != flow, "second seed");

	f = rocev2_frame(e6, 0x07);
	flow = parse(&f, f.len, f.len, &rocev2).pkt.flow;
	for (i = 0; i < 256; i++) {
		g = f;
		g.bytes[g.ip + 8 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow != flow,
			  "bit %u of the IPv6 addresses is ignored", i);
	}

	f = rocev2_frame(tunnel, 0x07);
	flow = parse(&f, f.len, f.len, &rocev2).pkt.flow;
	for (i = 0; i < 24; i++) {
		g = f;
		g.bytes[g.ip + 20 + 8 + 4 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow != flow,
			  "bit %u of the VXLAN network is ignored", i);
	}
	for (i = 0; i < 64; i++) {
		g = f;
		g.bytes[g.last_ip + 12 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow != flow,
			  "bit %u of the inner addresses is ignored", i);
		/* the path through the underlay is no part of a flow */
		g = f;
		g.bytes[g.ip + 12 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow == flow,
			  "bit %u of the outer addresses counts", i);
	}
	tap_point("another flow");
}

static int compare64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

#define FLOWS	65536
#define BUCKETS	1024

/* Neighbours in address and queue pair spread evenly, as random numbers do. */
static void hash_spreads(const struct envelope *e, u32 src, u32 dst)
{
	static u32 low[BUCKETS], high[BUCKETS];
	static u64 flows[FLOWS];
	struct frame f = rocev2_frame(e, 0x07);
	u32 mean = FLOWS / BUCKETS;
	char name[60];
	u32 i;

	memset(low, 0, sizeof(low));
	memset(high, 0, sizeof(high));
	for (i = 0; i < FLOWS; i++) {
		f.bytes[f.ip + src] = i & 0x0f;
		f.bytes[f.ip + dst] = i >> 4 & 0x0f;
		put24(f.bytes + f.udp + 8 + 5, 0x11 + (i >> 8));
		flows[i] = parse(&f, f.len, f.len, &rocev2).pkt.flow;
		low[flows[i] % BUCKETS]++;
		high[flows[i] >> 54]++;
	}
	/* nine standard deviations of a Poisson distribution */
	for (i = 0; i < BUCKETS; i++) {
		tap_check(low[i] < mean + 9 * 8 && high[i] < mean + 9 * 8,
			  "bucket %u has %u and %u flows, %u are its share", i,
			  low[i], high[i], mean);
		tap_check(low[i] && high[i], "bucket %u is empty", i);
	}
	qsort(flows, FLOWS, sizeof(flows[0]), compare64);
	for (i = 1; i < FLOWS; i++)
		tap_check(flows[i] != flows[i - 1], "two flows of one hash");
	snprintf(name, sizeof(name), "hash of flows spreads: %s", e->name);
	tap_point(name);
}

static void fragments(void)
{
	struct frame f = rocev2_frame(&envelopes[0], 0x07);
	u32 i;

	for (i = 0; i < 16; i++) {
		enum symphony_class class = i < 13 ? SYMPHONY_OTHER :
						     SYMPHONY_DATA;

		put16(f.bytes + f.ip + 6, 1U << i);
		check_class(&f, &rocev2, class, "IPv4 fragment");
	}
	f = rocev2_frame(&envelopes[4], 0x07);
	for (i = 0; i < 16; i++) {
		enum symphony_class class = i >= 3 ? SYMPHONY_OTHER :
						     SYMPHONY_DATA;

		put16(f.bytes + f.ip + 40 + 2, 1U << i);
		check_class(&f, &rocev2, class, "IPv6 fragment");
	}
	tap_point("fragments");
}

/* A part of a packet that the stack has not cut into its segments yet. */
struct segment {
	u8 opcode;
	u32 length;		/* in the RETH of WRITE ONLY */
	u32 qp;
	u32 job;
};

#define SEGMENT	100		/* bytes above UDP in all but the last */

static void add_segment(struct frame *f, const struct segment *s, u32 psn,
			u32 size)
{
	u32 end = f->len + size;

	frame_job(frame_bth(f, s->opcode, s->qp, psn), s->job);
	if (f->len + 16 <= end)
		frame_reth(f, s->length);
	while (f->len < end)
		frame_add(f, 1)[0] = 0xa5;
	f->len = end;
}

struct segments_case {
	const char *name;
	struct segment s[4];	/* up to one without a queue pair */
	u32 last_size;
	u8 flags;
};

#define OF(opcode)		{ opcode, 1 << 20, QP, JOB }
#define WRITE_ONLY(length)	{ 0x0a, length, QP, JOB }

static const struct segments_case segments_cases[] = {
	{ "a message", { OF(0x06), OF(0x07), OF(0x08) }, 60, FIRST | LAST },
	{ "its end", { OF(0x07), OF(0x07), OF(0x07), OF(0x09) }, 100, LAST },
	{ "its middle", { OF(0x07), OF(0x07), OF(0x07) }, 100, 0 },
	{ "many messages", { OF(0x0b), OF(0x0b), OF(0x0b) }, 90, FIRST | LAST },
	{ "an end and a begin", { OF(0x09), OF(0x06), OF(0x07) }, 100, 0 },
	{ "just one", { OF(0x09) }, 100, LAST },
	{ "with a short end", { OF(0x06), OF(0x08) }, 12, FIRST | LAST },
	/* the last one says nothing of this message */
	{ "cut in the last BTH", { OF(0x06), OF(0x08) }, 11, FIRST },
	{ "an ACK behind", { OF(0x09), OF(0x11) }, 16, LAST },
	{ "an ACK behind the middle", { OF(0x07), OF(0x11) }, 16, 0 },
	{ "UD behind", { OF(0x07), OF(0x64) }, 90, 0 },
	{ "clear-to-send behind", { OF(0x07), WRITE_ONLY(512) }, 70, 0 },
	{ "a write behind", { OF(0x07), WRITE_ONLY(513) }, 70, LAST },
	{ "another queue pair's end", { OF(0x07), { 0x08, 0, QP + 1, JOB } },
	  90, 0 },
	{ "another queue pair's middle", { OF(0x08), { 0x07, 0, QP + 1, JOB } },
	  90, LAST },
	{ "another job's end", { OF(0x07), { 0x08, 0, QP, JOB + 1 } }, 90, 0 },
	{ "a READ's end", { OF(0x07), OF(0x0f) }, 90, 0 },
	{ "a READ", { OF(0x0d), OF(0x0e), OF(0x0f) }, 90, FIRST | LAST },
};

static struct frame segments_frame(const struct envelope *e,
				   const struct segments_case *c)
{
	struct frame f = in_envelope(e, TOS, TOS, SPORT, 4791);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c->s) && c->s[i].qp; i++) {
		bool last = i + 1 == ARRAY_SIZE(c->s) || !c->s[i + 1].qp;

		add_segment(&f, &c->s[i], PSN + i, last ? c->last_size : SEGMENT);
	}
	frame_finish(&f);
	f.gso.gso_type = SKB_GSO_UDP_L4;
	f.gso.gso_size = SEGMENT;
	return f;
}

static void segments(const struct envelope *e)
{
	char name[80];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(segments_cases); i++) {
		const struct segments_case *c = &segments_cases[i];
		struct frame f = segments_frame(e, c);
		struct expected expected = {
			.class = SYMPHONY_DATA,
			.pkt = expected_pkt(e, &f, MARKABLE | STEP | c->flags),
		};

		check(&f, &rocev2, &expected, c->name);
	}
	snprintf(name, sizeof(name), "many in one: %s", e->name);
	tap_point(name);
}

/* Aggregated before the router looked into the tunnel: every one has it all. */
static void tunnel_segments(void)
{
	const struct envelope *e = &envelopes[11];
	struct frame f = rocev2_frame(e, 0x06), g = rocev2_frame(e, 0x08);
	struct expected expected = {
		.class = SYMPHONY_DATA,
		.pkt = expected_pkt(e, &f, MARKABLE | STEP | FIRST | LAST),
	};
	u32 payload = f.ip + 20 + 8;
	u32 size = f.len - payload;

	memcpy(frame_add(&f, size), g.bytes + payload, size);
	f.gso.gso_type = SKB_GSO_UDP_L4;
	f.gso.gso_size = size;
	put16(f.bytes + f.ip + 2, f.len - f.ip);
	put16(f.bytes + f.ip + 20 + 4, f.len - f.ip - 20);
	check(&f, &rocev2, &expected, "tunnels");
	tap_point("segments of a tunnel");
}

/* Another kind of segmentation, and sizes that lead anywhere but to a BTH. */
static void odd_segments(void)
{
	static const struct segments_case c = {
		"middle and end", { OF(0x07), OF(0x08) }, 90, LAST,
	};
	struct frame f = segments_frame(&envelopes[0], &c);
	struct expected expected = {
		.class = SYMPHONY_DATA,
		.pkt = expected_pkt(&envelopes[0], &f, MARKABLE | STEP),
	};
	u32 size;

	f.gso.gso_type = SKB_GSO_TCPV4;
	check(&f, &rocev2, &expected, "not UDP");
	f.gso.gso_type = SKB_GSO_UDP_L4;
	for (size = 1; size < 250; size++) {
		f.gso.gso_size = size;
		expected.pkt.flags = MARKABLE | STEP | (size == SEGMENT ? LAST : 0);
		check(&f, &rocev2, &expected, "any size");
	}
	tap_point("segments of any size");
}

static void bad_ip(void)
{
	struct frame f;
	u32 i;

	for (i = 0; i < 16; i++) {
		f = rocev2_frame(&envelopes[0], 0x07);
		f.bytes[f.ip] = i << 4 | 5;
		check_class(&f, &rocev2, i == 4 ? SYMPHONY_DATA :
					 SYMPHONY_UNPARSABLE, "IPv4 version");
		f = rocev2_frame(&envelopes[2], 0x07);
		f.bytes[f.ip] = i << 4;
		check_class(&f, &rocev2, i == 6 ? SYMPHONY_DATA :
					 SYMPHONY_UNPARSABLE, "IPv6 version");
	}
	for (i = 0; i < 5; i++) {
		f = rocev2_frame(&envelopes[0], 0x07);
		f.bytes[f.ip] = 0x40 | i;
		check_class(&f, &rocev2, SYMPHONY_UNPARSABLE, "IHL below 5");
	}
	/* options up to the end of the packet, and beyond */
	f = plain(SPORT);
	f.bytes[f.ip] = 0x4f;
	frame_add(&f, 32);
	frame_finish(&f);
	check_class(&f, &rocev2, SYMPHONY_UNPARSABLE, "IHL to the end");
	f = plain(SPORT);
	f.bytes[f.ip] = 0x4f;
	frame_finish(&f);
	check_class(&f, &rocev2, SYMPHONY_UNPARSABLE, "IHL beyond the end");
	tap_point("malformed IP headers");
}

static void extension_headers(void)
{
	static const u8 others[] = {
		IPPROTO_TCP, IPPROTO_ESP, IPPROTO_NONE, IPPROTO_ICMPV6,
		IPPROTO_IPV6, 135, 253,
	};
	struct frame f;
	u32 i, count;

	for (count = 0; count < 11; count++) {
		f = (struct frame) { .network = ETH_HLEN };
		in_ip6(&f, 0, TOS);
		for (i = 0; i < count; i++)
			frame_exthdr(&f, i & 1 ? IPPROTO_DSTOPTS :
						 IPPROTO_ROUTING, 8 + i * 8);
		frame_udp(&f, SPORT, 4791);
		frame_bth(&f, 0x07, QP, PSN);
		frame_finish(&f);
		f.protocol = ETH_P_IPV6;
		check_class(&f, &rocev2, count <= 8 ? SYMPHONY_DATA :
			    SYMPHONY_UNPARSABLE, "chain of headers");
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		f = rocev2_frame(&envelopes[2], 0x07);
		f.bytes[f.ip + 6] = others[i];
		check_class(&f, &rocev2, SYMPHONY_OTHER, "not UDP");
		f = rocev2_frame(&envelopes[3], 0x07);
		f.bytes[f.ip + 40 + 8] = others[i];
		check_class(&f, &rocev2, SYMPHONY_OTHER, "not UDP behind options");
	}
	/* one that is longer than the packet */
	f = rocev2_frame(&envelopes[3], 0x07);
	f.bytes[f.ip + 40 + 1] = 255;
	check_class(&f, &rocev2, SYMPHONY_UNPARSABLE, "header beyond the end");
	/* no length: only with hop-by-hop options */
	f = rocev2_frame(&envelopes[3], 0x07);
	put16(f.bytes + f.ip + 4, 0);
	check_class(&f, &rocev2, SYMPHONY_DATA, "jumbogram");
	f = rocev2_frame(&envelopes[2], 0x07);
	put16(f.bytes + f.ip + 4, 0);
	check_class(&f, &rocev2, SYMPHONY_UNPARSABLE, "IPv6 of no length");
	tap_point("IPv6 extension headers");
}

static void tagged(void)
{
	struct symphony_parse_config no_eth = rocev2;
	struct frame f = { .network = ETH_HLEN };
	struct expected expected;
	u32 i;

	/* where the network header is makes no difference */
	for (i = 0; i < 60; i++) {
		f = rocev2_frame(&envelopes[9], 0x07);
		f.network = i;
		expected = (struct expected) {
			.class = SYMPHONY_DATA,
			.pkt = expected_pkt(&envelopes[9], &f, MARKABLE | STEP),
		};
		check(&f, &rocev2, &expected, "network header anywhere");
	}

	f = (struct frame) { .network = ETH_HLEN };
	frame_eth(&f);
	for (i = 0; i < 5; i++)
		frame_tag(&f, ETH_P_8021Q);
	frame_ip4(&f, TOS, 0);
	frame_udp(&f, SPORT, 4791);
	frame_bth(&f, 0x07, QP, PSN);
	frame_finish(&f);
	f.protocol = ETH_P_8021Q;
	check_class(&f, &rocev2, SYMPHONY_UNPARSABLE, "five tags");

	f = (struct frame) { .network = ETH_HLEN };
	frame_eth(&f);
	frame_tag(&f, ETH_P_8021Q);
	put16(f.bytes + f.next, ETH_P_ARP);
	frame_add(&f, 60);
	f.protocol = ETH_P_8021Q;
	expected = (struct expected) { .class = SYMPHONY_OTHER };
	check(&f, &rocev2, &expected, "ARP behind a tag");

	/* devices whose packets do not begin with an Ethernet header */
	no_eth.eth = false;
	f = rocev2_frame(&envelopes[6], 0x07);
	check_class(&f, &no_eth, SYMPHONY_OTHER, "tag without Ethernet");
	f = (struct frame) { .network = 0 };
	f.next_is_type = true;
	f.next = FRAME_MAX - 2;
	frame_ip4(&f, TOS, 0);
	frame_udp(&f, SPORT, 4791);
	frame_job(frame_bth(&f, 0x07, QP, PSN), JOB);
	frame_finish(&f);
	f.protocol = ETH_P_IP;
	f.ip = 0;
	expected = (struct expected) {
		.class = SYMPHONY_DATA,
		.pkt = expected_pkt(&envelopes[0], &f, MARKABLE | STEP),
	};
	check(&f, &no_eth, &expected, "IP without Ethernet");
	check_cut(&f, &no_eth, f.len, "IP without Ethernet");
	frame_add(&f, 20);
	check_lengths(&f, &no_eth, f.len - 20, "IP without Ethernet");
	put16(f.bytes + f.udp + 2, 53);
	f.nr_lengths = 1;
	check_lengths(&f, &no_eth, f.udp + 8, "another port");
	tap_point("tags");
}

static void tunnels(void)
{
	const struct envelope *e = &envelopes[11];
	struct expected expected;
	struct frame f;
	u32 i;

	for (i = 0; i < 8; i++) {
		f = rocev2_frame(e, 0x07);
		f.bytes[f.ip + 28] = 1U << i;
		expected = (struct expected) {
			.class = SYMPHONY_DATA,
			.pkt = expected_pkt(e, &f, MARKABLE | STEP),
		};
		/* who knows what is inside, and whether it bears a mark */
		if (i != 3) {
			expected.class = SYMPHONY_OTHER;
			expected.pkt.flags = 0;
		}
		check(&f, &rocev2, &expected, "flags of VXLAN");
	}

	/* inside is something else: its ECN field, if any, still counts */
	f = (struct frame) { .network = ETH_HLEN };
	in_ip4(&f, 0, TOS);
	frame_vxlan(&f, 7);
	put16(f.bytes + f.next, ETH_P_ARP);
	frame_add(&f, 60);
	frame_finish(&f);
	f.protocol = ETH_P_IP;
	expected = (struct expected) {
		.class = SYMPHONY_OTHER,
		.pkt = expected_pkt(&envelopes[0], &f, 0),
	};
	check(&f, &rocev2, &expected, "ARP in VXLAN");

	for (i = 0; i < 4; i++) {
		f = (struct frame) { .network = ETH_HLEN };
		in_ip4(&f, 0, TOS);
		frame_vxlan(&f, 7);
		frame_ip4(&f, 0x20 | i, 0)[9] = IPPROTO_TCP;
		frame_add(&f, 60);
		frame_finish(&f);
		f.protocol = ETH_P_IP;
		expected = (struct expected) {
			.class = SYMPHONY_OTHER,
			.pkt = expected_pkt(&envelopes[0], &f,
					    i ? MARKABLE : 0),
		};
		expected.pkt.dscp = 0x20 >> 2;
		check(&f, &rocev2, &expected, "TCP in VXLAN");
	}

	/* a tunnel in a tunnel is not followed */
	f = (struct frame) { .network = ETH_HLEN };
	in_ip4(&f, 0, TOS);
	frame_vxlan(&f, 7);
	frame_ip4(&f, TOS, 0);
	frame_vxlan(&f, 7);
	frame_ip4(&f, TOS, 0);
	frame_udp(&f, SPORT, 4791);
	frame_bth(&f, 0x07, QP, PSN);
	frame_finish(&f);
	f.protocol = ETH_P_IP;
	check_class(&f, &rocev2, SYMPHONY_OTHER, "VXLAN in VXLAN");
	tap_point("tunnels");
}

/* What only an endpoint understands is not looked into. */
static void geneve(void)
{
	const struct envelope *e = &envelopes[17];
	struct expected expected;
	struct frame f;
	u64 flow;
	u32 i;

	for (i = 0; i < 16; i++) {
		f = rocev2_frame(e, 0x07);
		/* length and flags: behind the envelope's outer header */
		f.bytes[f.ip + 29] = i < 8 ? 1U << i : 0;
		if (i >= 14)
			f.bytes[f.ip + 28] |= 1U << (i - 8);
		expected = (struct expected) {
			.class = SYMPHONY_DATA,
			.pkt = expected_pkt(e, &f, MARKABLE | STEP),
		};
		if (i == 7 || i >= 14) {
			expected.class = SYMPHONY_OTHER;
			expected.pkt.flags = 0;
		}
		check(&f, &rocev2, &expected, "flags of Geneve");
	}
	for (i = 0; i < 24; i++) {
		struct frame g;

		f = rocev2_frame(e, 0x07);
		g = f;
		g.bytes[g.ip + 28 + 4 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &rocev2).pkt.flow !=
			  parse(&f, f.len, f.len, &rocev2).pkt.flow,
			  "bit %u of the Geneve network is ignored", i);
	}
	/* one number, three networks */
	f = rocev2_frame(&envelopes[11], 0x07);
	put16(f.bytes + f.ip + 22, 8472);
	flow = parse(&f, f.len, f.len, &rocev2).pkt.flow;
	f = rocev2_frame(&envelopes[11], 0x07);
	tap_check(parse(&f, f.len, f.len, &rocev2).pkt.flow != flow,
		  "networks of two kinds of tunnel");
	tap_point("Geneve");
}

static void others(void)
{
	static const u16 types[] = {
		ETH_P_ARP, ETH_P_MPLS_UC, ETH_P_LLDP, ETH_P_ALL, 0, 0x8915,
		0x9100, ETH_P_FCOE, 0xffff,
	};
	static const u16 ports[] = {
		0, 53, 4788, 4790, 4792, 4793, 6080, 6082, 8471, 8473, 65535,
	};
	struct expected expected;
	struct frame f;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		f = rocev2_frame(&envelopes[0], 0x07);
		f.protocol = types[i];
		expected = (struct expected) { .class = SYMPHONY_OTHER };
		check(&f, &rocev2, &expected, "not IP");
	}
	for (i = 0; i < 256; i++) {
		f = rocev2_frame(&envelopes[0], 0x07);
		f.bytes[f.ip + 9] = i;
		expected = (struct expected) {
			.class = i == IPPROTO_UDP ? SYMPHONY_DATA :
						    SYMPHONY_OTHER,
			.pkt = expected_pkt(&envelopes[0], &f, MARKABLE),
		};
		if (i == IPPROTO_UDP)
			expected.pkt.flags |= STEP;
		check(&f, &rocev2, &expected, "IPv4 protocol");
	}
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		f = rocev2_frame(&envelopes[0], 0x07);
		put16(f.bytes + f.udp + 2, ports[i]);
		expected = (struct expected) {
			.class = SYMPHONY_OTHER,
			.pkt = expected_pkt(&envelopes[0], &f, MARKABLE),
		};
		check(&f, &rocev2, &expected, "another port");
		f = rocev2_frame(&envelopes[2], 0x07);
		put16(f.bytes + f.udp + 2, ports[i]);
		check_class(&f, &rocev2, SYMPHONY_OTHER, "another port, IPv6");
	}
	/* a short datagram to another port */
	for (i = 0; i < 12; i++) {
		f = in_envelope(&envelopes[0], TOS, TOS, SPORT, 53);
		frame_add(&f, i);
		frame_finish(&f);
		check_class(&f, &rocev2, SYMPHONY_OTHER, "short datagram");
	}
	tap_point("other traffic");
}

/* A network header before the packet, and one behind its end. */
static void bad_offsets(void)
{
	struct frame f = rocev2_frame(&envelopes[0], 0x07);
	struct buffer b = buffer_make(&f, f.len, f.len);
	struct symphony_pkt pkt;
	int offset;

	for (offset = 0; offset < (int)f.len + 50; offset++) {
		b.skb.network_header = offset;
		tap_check((symphony_parse(&b.skb, &rocev2, &pkt) ==
			   SYMPHONY_DATA) == (offset == ETH_HLEN),
			  "network header at %d", offset);
	}
	b.skb.data += 30;
	b.skb.len -= 30;
	for (offset = 0; offset < 30; offset++) {
		b.skb.network_header = offset;
		tap_check(symphony_parse(&b.skb, &rocev2, &pkt) ==
			  SYMPHONY_UNPARSABLE, "network header at %d",
			  offset - 30);
		tap_check(!pkt.ip_version, "IP header at %d", offset - 30);
	}
	buffer_free(&b);
	tap_point("network header out of place");
}

/* An Ultra Ethernet request of a PDS type with an SES header of a kind. */
static struct frame uet_frame(const struct envelope *e, u8 type, u8 kind,
			      u8 opcode, u8 pds_flags, u8 ses_flags)
{
	static const u32 ses_len[16] = { [1] = 20, [2] = 32, [3] = 44 };
	struct frame f = in_envelope(e, TOS, TOS, 0x1234, 4793);
	u32 pds_len = type == 13 || type == 14 ? 16 : 12;
	u8 *p = frame_add(&f, pds_len);

	put16(p, type << 11 | kind << 7 | pds_flags);
	put16(p + 2, 0x7777);
	put32(p + 4, 0xfeedbeef);
	put16(p + 8, 0x9abc);
	put16(p + 10, 0x6666);
	p = frame_add(&f, ses_len[kind] ? ses_len[kind] : 44);
	p[0] = 0xc0 | opcode;
	p[1] = 0x3c | ses_flags;
	put16(p + 2, 0xd1d2);
	p[4] = 0x55;
	put24(p + 5, 0x0babe0);
	frame_finish(&f);
	return f;
}

static struct expected uet_expected(const struct envelope *e,
				    const struct frame *f, u8 flags)
{
	struct expected expected = {
		.class = SYMPHONY_DATA,
		.pkt = expected_pkt(e, f, flags | MARKABLE),
	};

	expected.pkt.job = 0x0babe0;
	expected.pkt.psn = 0xfeedbeef;
	expected.pkt.step = 0x9abc;
	return expected;
}

static enum symphony_class uet_class(u8 type, u8 next, u8 opcode)
{
	switch (type) {
	case 2 ... 3:			/* RUD and ROD requests */
	case 13 ... 14:
		if (next < 1 || next > 3)
			break;
		if (opcode == 2)	/* READ */
			return SYMPHONY_CONTROL;
		return opcode == 1 || opcode == 5 || opcode == 9 ?
		       SYMPHONY_DATA : SYMPHONY_OTHER;
	case 1:				/* TSS, encrypted */
		return SYMPHONY_OTHER;
	case 4 ... 6:			/* RUDI and UUD */
		break;
	case 7 ... 9:			/* ACK, perhaps with what was read */
		return next == 5 || next == 6 ? SYMPHONY_OTHER :
						SYMPHONY_CONTROL;
	case 10 ... 12:			/* NACK and CTRL */
		return SYMPHONY_CONTROL;
	default:
		return SYMPHONY_UNPARSABLE;
	}
	/* a response without data */
	return next == 4 ? SYMPHONY_CONTROL : SYMPHONY_OTHER;
}

static void uet_kinds(void)
{
	const struct envelope *e = &envelopes[0];
	u32 type, kind, opcode;

	for (type = 0; type < 32; type++)
		for (kind = 0; kind < 16; kind++)
			for (opcode = 0; opcode < 64; opcode++) {
				struct frame f = uet_frame(e, type, kind,
							   opcode, 0, 0);
				struct expected expected, got;

				expected = uet_expected(e, &f, STEP);
				expected.class = uet_class(type, kind, opcode);
				got = parse(&f, f.len, f.len, &uet);
				tap_check(same(&got, &expected),
					  "type %u, next %u, opcode %u: %s",
					  type, kind, opcode, text(&got));
				got = parse(&f, f.len, 20, &uet);
				tap_check(same(&got, &expected),
					  "type %u, next %u, opcode %u, paged: %s",
					  type, kind, opcode, text(&got));
			}
	tap_point("Ultra Ethernet: every type, header and opcode");
}

static void uet_flags(void)
{
	const struct envelope *e = &envelopes[0];
	u32 i;

	/* of the PDS only RETX and SYN say something */
	for (i = 0; i < 128; i++) {
		struct frame f = uet_frame(e, 2, 3, 1, i, 0);
		struct expected expected = uet_expected(e, &f, STEP);

		if (i & 0x10)
			expected.pkt.flags |= SYMPHONY_PKT_RESENT;
		if (i & 0x04)
			expected.pkt.flags |= SYMPHONY_PKT_SYN;
		check(&f, &uet, &expected, "flags of the PDS");
		tap_check(!goes_back(&f, &uet), "what is lost alone is sent again");
	}
	for (i = 0; i < 4; i++) {
		struct frame f = uet_frame(e, 3, 3, 5, 0, i);
		struct expected expected = uet_expected(e, &f, STEP);

		if (i & 1)
			expected.pkt.flags |= FIRST;
		if (i & 2)
			expected.pkt.flags |= LAST;
		check(&f, &uet, &expected, "SOM and EOM");
	}
	tap_point("Ultra Ethernet: flags");
}

static void uet_steps(void)
{
	const struct envelope *e = &envelopes[0];
	struct symphony_parse_config msgid = uet;
	u32 kind;

	msgid.step_source = TC_SYMPHONY_STEP_MSGID;
	for (kind = 1; kind <= 3; kind++) {
		struct frame f = uet_frame(e, 14, kind, 9, 0, 3);
		struct expected expected = uet_expected(e, &f,
							FIRST | LAST | STEP);

		check(&f, &uet, &expected, "SPDCID as step");
		/* the short headers have no message identifier */
		if (kind == 3)
			expected.pkt.step = 0xd1d2;
		else
			expected.pkt.flags &= ~STEP;
		check(&f, &msgid, &expected, "message identifier as step");
	}
	tap_point("Ultra Ethernet: source of the step");
}

static void uet_cut(const struct envelope *e)
{
	static const u8 types[] = { 2, 14 };
	static const u32 ses_len[] = { 0, 20, 32, 44 };
	char name[80];
	u32 i, kind;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		for (kind = 1; kind <= 3; kind++) {
			u32 pds_len = types[i] == 14 ? 16 : 12;
			struct frame f = uet_frame(e, types[i], kind, 1, 0, 3);
			struct expected expected = uet_expected(e, &f,
						FIRST | LAST | STEP);
			u32 need = f.udp + 8 + pds_len + ses_len[kind];

			frame_add(&f, 30);
			frame_finish(&f);
			check(&f, &uet, &expected, "request");
			check_cut(&f, &uet, need, "request");
			check_lengths(&f, &uet, need, "request");
		}
	/* all but a request is known by its first two bytes */
	for (i = 1; i <= 14; i++) {
		struct frame f;

		if (i == 2 || i == 3 || i == 13 || i == 14)
			continue;
		f = in_envelope(e, TOS, TOS, 0x1234, 4793);
		put16(frame_add(&f, 2), i << 11);
		frame_finish(&f);
		check_class(&f, &uet, uet_class(i, 0, 0), "no request");
		check_cut(&f, &uet, f.len, "no request");
	}
	snprintf(name, sizeof(name), "Ultra Ethernet: cut at every byte: %s",
		 e->name);
	tap_point(name);
}

static void uet_flows(void)
{
	struct frame f = uet_frame(&envelopes[0], 2, 3, 1, 0, 0), g;
	u64 flow = parse(&f, f.len, f.len, &uet).pkt.flow;
	u32 i;

	for (i = 0; i < 16; i++) {
		g = f;
		g.bytes[g.udp + 8 + 8 + i / 8] ^= 1 << i % 8;
		tap_check(parse(&g, g.len, g.len, &uet).pkt.flow != flow,
			  "bit %u of the SPDCID is ignored", i);
	}
	g = f;
	put32(g.bytes + g.udp + 8 + 4, 1);
	put16(g.bytes + g.udp, 0xffff);
	tap_check(parse(&g, g.len, g.len, &uet).pkt.flow == flow,
		  "PSN or entropy make another flow");
	tap_point("Ultra Ethernet: flows");
}

/* Requests that the stack has not cut apart yet: the last one may end it. */
static void uet_segments(void)
{
	const struct envelope *e = &envelopes[0];
	struct symphony_parse_config msgid = uet;
	struct expected expected;
	struct frame f, g;
	u32 last, size, pds, ses;

	msgid.step_source = TC_SYMPHONY_STEP_MSGID;
	f = uet_frame(e, 2, 3, 1, 0, 1);
	pds = f.udp + 8;
	size = f.len - pds;
	last = f.len;
	ses = last + 12;
	memcpy(frame_add(&f, size), f.bytes + pds, size);
	frame_finish(&f);
	f.gso.gso_type = SKB_GSO_UDP_L4;
	f.gso.gso_size = size;
	expected = uet_expected(e, &f, STEP | FIRST);
	check(&f, &uet, &expected, "two requests, no end");

	f.bytes[ses + 1] = 2;
	expected.pkt.flags |= LAST;
	check(&f, &uet, &expected, "two requests");
	expected.pkt.step = 0xd1d2;
	check(&f, &msgid, &expected, "two requests of a message");

	/* the end of another message, PDC or job, or no request at all */
	expected.pkt.flags &= ~LAST;
	g = f;
	g.bytes[ses + 3] ^= 1;
	check(&g, &msgid, &expected, "another message");
	expected.pkt.step = 0x9abc;
	g = f;
	g.bytes[last + 9] ^= 1;
	check(&g, &uet, &expected, "another PDC");
	g = f;
	g.bytes[ses + 7] ^= 1;
	check(&g, &uet, &expected, "another job");
	g = f;
	put16(g.bytes + last, 7 << 11);
	check(&g, &uet, &expected, "an acknowledgment");
	tap_point("Ultra Ethernet: segments");
}

/* Nothing but sense may come out, and the same for any shape of the buffer. */
static void fuzz_one(const struct frame *f,
		     const struct symphony_parse_config *cfg, u32 linear)
{
	struct expected whole = parse(f, f->len, f->len, cfg);
	struct expected paged = parse(f, f->len, linear, cfg);
	const struct symphony_pkt *pkt = &whole.pkt;

	tap_check(whole.class <= SYMPHONY_DATA, "class %d", whole.class);
	tap_check(same(&whole, &paged), "linear %s, paged %s", text(&whole),
		  text(&paged));
	if (pkt->ip_version) {
		u32 len = pkt->ip_version == 4 ? 20 : 40;

		tap_check(pkt->ip_version == 4 || pkt->ip_version == 6,
			  "IP version %u", pkt->ip_version);
		tap_check(pkt->ip_offset + len <= f->len &&
			  f->bytes[pkt->ip_offset] >> 4 == pkt->ip_version,
			  "IPv%u at %u of %u", pkt->ip_version, pkt->ip_offset,
			  f->len);
		tap_check(pkt->ecn < 4 && pkt->dscp < 64, "ECN %u DSCP %u",
			  pkt->ecn, pkt->dscp);
	}
	if (whole.class != SYMPHONY_DATA)
		return;
	tap_check(pkt->ip_version && whole.pkt.flow == paged.pkt.flow,
		  "data without IP, or of two flows");
	if (cfg->proto == TC_SYMPHONY_PROTO_ROCEV2)
		tap_check(pkt->job < 1U << 13 && pkt->psn < 1U << 24 &&
			  (!(pkt->flags & STEP) || pkt->step < 1U << 14),
			  "job %#x psn %#x step %#x", pkt->job, pkt->psn,
			  pkt->step);
	else
		tap_check(pkt->job < 1U << 24, "job %#x", pkt->job);
}

static void fuzz(const struct symphony_parse_config *cfg, unsigned long repeats,
		 const char *name)
{
	static const u16 types[] = {
		ETH_P_IP, ETH_P_IPV6, ETH_P_8021Q, ETH_P_8021AD,
	};
	bool is_uet = cfg->proto == TC_SYMPHONY_PROTO_UET;
	unsigned long n, data = 0;
	u64 rnd = 0xf022;
	struct frame f;
	u32 i, changes;

	for (n = 0; n < repeats; n++) {
		const struct envelope *e = &envelopes[random_below(&rnd,
							ARRAY_SIZE(envelopes))];

		/* plain IPv4 or IPv6 half of the time, the fast path's own */
		if (random_once_in(&rnd, 2))
			e = &envelopes[2 * random_below(&rnd, 2)];
		if (is_uet)
			f = uet_frame(e, random_below(&rnd, 16),
				      random_below(&rnd, 6),
				      random_below(&rnd, 12), random64(&rnd),
				      random_below(&rnd, 4));
		else
			f = rocev2_frame(e, random64(&rnd));

		/* a few bytes, bits or lengths wrong; at times all of them */
		changes = random_once_in(&rnd, 10) ? f.len :
						     random_below(&rnd, 5);
		for (i = 0; i < changes; i++) {
			u32 at = random_below(&rnd, f.len);

			if (random_once_in(&rnd, 2))
				f.bytes[at] = random64(&rnd);
			else
				f.bytes[at] ^= 1 << random_below(&rnd, 8);
		}
		if (random_once_in(&rnd, 3))
			f.len = random_below(&rnd, f.len + 1);
		if (random_once_in(&rnd, 4))
			put16(f.bytes + f.lengths[random_below(&rnd, f.nr_lengths)].at,
			      random_below(&rnd, 150));
		if (random_once_in(&rnd, 3)) {
			f.gso.gso_size = random_below(&rnd, 70);
			f.gso.gso_type = random_once_in(&rnd, 4) ?
					 SKB_GSO_TCPV4 : SKB_GSO_UDP_L4;
		}
		if (random_once_in(&rnd, 20))
			f.network = random_below(&rnd, 100);
		if (random_once_in(&rnd, 20))
			f.protocol = types[random_below(&rnd, ARRAY_SIZE(types))];
		fuzz_one(&f, cfg, random_below(&rnd, f.len + 1));
		data += parse(&f, f.len, f.len, cfg).class == SYMPHONY_DATA;
	}
	tap_check(data > repeats / 100, "only %lu data packets", data);
	tap_point(name);
}

int main(int argc, char **argv)
{
	unsigned long repeats = tap_repeats(argc, argv, 2000000);
	u32 i;

	tap_begin();
	for (i = 0; i < ARRAY_SIZE(envelopes); i++) {
		every_opcode(&envelopes[i]);
		every_cut(&envelopes[i]);
		every_codepoint(&envelopes[i]);
		segments(&envelopes[i]);
		uet_cut(&envelopes[i]);
	}
	bth_fields();
	source_ports();
	clear_to_send();
	which_flow();
	hash_spreads(&envelopes[0], 15, 19);
	hash_spreads(&envelopes[2], 23, 39);
	fragments();
	tunnel_segments();
	odd_segments();
	bad_ip();
	extension_headers();
	tagged();
	tunnels();
	geneve();
	others();
	bad_offsets();
	uet_kinds();
	uet_flags();
	uet_steps();
	uet_flows();
	uet_segments();
	fuzz(&rocev2, repeats, "random RoCEv2 packets");
	fuzz(&uet, repeats, "random Ultra Ethernet packets");
	return tap_end();
}
