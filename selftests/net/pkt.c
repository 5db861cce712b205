// SPDX-License-Identifier: GPL-2.0
/* Builds frames from the numbers of a vector. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pkt.h"

#define ETH_LEN		14
#define IP6_LEN		40
#define UDP_LEN		8
#define TCP_LEN		20
#define BTH_LEN		12
#define ICRC_LEN	4
#define GSO_MAX		65000

/* One value that has a name. */
struct name {
	const char *name;
	u32 value;
};

static const struct name op_names[] = {
	{ "send_first", 0x00 },		{ "send_middle", 0x01 },
	{ "send_last", 0x02 },		{ "send_last_imm", 0x03 },
	{ "send_only", 0x04 },		{ "send_only_imm", 0x05 },
	{ "write_first", 0x06 },	{ "write_middle", 0x07 },
	{ "write_last", 0x08 },		{ "write_last_imm", 0x09 },
	{ "write_only", 0x0a },		{ "write_only_imm", 0x0b },
	{ "read_request", 0x0c },	{ "read_first", 0x0d },
	{ "read_middle", 0x0e },	{ "read_last", 0x0f },
	{ "read_only", 0x10 },		{ "ack", 0x11 },
	{ "atomic_ack", 0x12 },		{ "compare_swap", 0x13 },
	{ "fetch_add", 0x14 },		{ "send_last_inv", 0x16 },
	{ "send_only_inv", 0x17 },	{ "uc.send_first", 0x20 },
	{ "uc.send_middle", 0x21 },	{ "uc.send_last", 0x22 },
	{ "uc.send_only", 0x24 },	{ "uc.write_first", 0x26 },
	{ "uc.write_middle", 0x27 },	{ "uc.write_last", 0x28 },
	{ "uc.write_last_imm", 0x29 },	{ "uc.write_only", 0x2a },
	{ "uc.write_only_imm", 0x2b },	{ "ud.send_only", 0x64 },
	{ "ud.send_only_imm", 0x65 },	{ "cnp", 0x81 },
	{ "xrc.send_first", 0xa0 },	{ "xrc.send_middle", 0xa1 },
	{ "xrc.send_last", 0xa2 },	{ "xrc.send_only", 0xa4 },
	{ "xrc.write_first", 0xa6 },	{ "xrc.write_middle", 0xa7 },
	{ "xrc.write_last", 0xa8 },	{ "xrc.write_last_imm", 0xa9 },
	{ "xrc.write_only", 0xaa },	{ "xrc.write_only_imm", 0xab },
	{ "xrc.read_request", 0xac },	{ "xrc.read_first", 0xad },
	{ "xrc.read_middle", 0xae },	{ "xrc.read_last", 0xaf },
	{ "xrc.read_only", 0xb0 },	{ "xrc.ack", 0xb1 },
	{ NULL, 0 }
};

static const struct name ecn_names[] = {
	{ "not", 0 }, { "ect1", 1 }, { "ect0", 2 }, { "ce", 3 }, { NULL, 0 }
};

static const struct name proto_names[] = {
	{ "roce", PROTO_ROCE }, { "uet", PROTO_UET }, { "udp", PROTO_UDP },
	{ "tcp", PROTO_TCP }, { "icmp", PROTO_ICMP }, { NULL, 0 }
};

static const struct name ext_names[] = {
	{ "hbh", EXT_HBH }, { "dst", EXT_DST }, { "rh", EXT_RH },
	{ "frag", EXT_FRAG }, { "ah", EXT_AH }, { "dst2", EXT_DST2 },
	{ NULL, 0 }
};

static const struct name pds_names[] = {
	{ "tss", 1 }, { "rud", 2 }, { "rod", 3 }, { "rudi", 4 },
	{ "rudi_resp", 5 }, { "uud", 6 }, { "ack", 7 }, { "ack_cc", 8 },
	{ "ack_ccx", 9 }, { "nack", 10 }, { "ctrl", 11 }, { "nack_ccx", 12 },
	{ "rud_cc", 13 }, { "rod_cc", 14 }, { NULL, 0 }
};

static const struct name ses_names[] = {
	{ "none", 0 }, { "small", 1 }, { "medium", 2 }, { "std", 3 },
	{ "resp", 4 }, { "resp_data", 5 }, { "resp_small", 6 }, { NULL, 0 }
};

static const struct name sesop_names[] = {
	{ "noop", 0 }, { "write", 1 }, { "read", 2 }, { "atomic", 3 },
	{ "send", 5 }, { "tagged", 9 }, { "error", 15 }, { NULL, 0 }
};

/* A tag is written as its TPID and TCI: q5, ad100, or 0x8100c005. */
static const struct {
	const char *name;
	const struct name *names;
	u32 dflt;
	u32 max;
} fields[NR_FIELDS] = {
	[F_TAG0]	= { "tag0", NULL, 0, UINT_MAX },
	[F_TAG1]	= { "tag1", NULL, 0, UINT_MAX },
	[F_TAG2]	= { "tag2", NULL, 0, UINT_MAX },
	[F_TYPE]	= { "type", NULL, 0, 0xffff },
	[F_V]		= { "v", NULL, 4, 15 },
	[F_VERIHL]	= { "verihl", NULL, 0, 255 },
	[F_DSCP]	= { "dscp", NULL, 26, 63 },
	[F_ECN]		= { "ecn", ecn_names, 2, 3 },
	[F_TTL]		= { "ttl", NULL, 64, 255 },
	[F_ID]		= { "id", NULL, 0x1234, 0xffff },
	[F_DF]		= { "df", NULL, 1, 1 },
	[F_MF]		= { "mf", NULL, 0, 1 },
	[F_FOFF]	= { "foff", NULL, 0, 0x1fff },
	[F_OPT]		= { "opt", NULL, 0, 10 },
	[F_FLOW]	= { "flow", NULL, 0, 0xfffff },
	[F_EXT]		= { "ext", ext_names, 0, 63 },
	[F_EXTLEN]	= { "extlen", NULL, 0, 255 },
	[F_SRC]		= { "src", NULL, 2, 254 },
	[F_DST]		= { "dst", NULL, 2, 254 },
	[F_PROTO]	= { "proto", proto_names, PROTO_ROCE, PROTO_ICMP },
	[F_SPORT]	= { "sport", NULL, 0xc000, 0xffff },
	[F_DPORT]	= { "dport", NULL, 0, 0xffff },
	[F_CSUM]	= { "csum", NULL, 0, 1 },
	[F_ULEN]	= { "ulen", NULL, 0, 0xffff },
	[F_OP]		= { "op", op_names, 0x07, 0xff },
	[F_JOB]		= { "job", NULL, 1, 0xffffff },
	[F_QP]		= { "qp", NULL, 0x11, 0xffffff },
	[F_PSN]		= { "psn", NULL, 0, UINT_MAX },
	[F_BITS]	= { "bits", NULL, 0, 255 },
	[F_PKEY]	= { "pkey", NULL, 0xffff, 0xffff },
	[F_FECN]	= { "fecn", NULL, 0, 1 },
	[F_BECN]	= { "becn", NULL, 0, 1 },
	[F_ACKREQ]	= { "ackreq", NULL, 0, 1 },
	[F_DMALEN]	= { "dmalen", NULL, 65536, UINT_MAX },
	[F_PDS]		= { "pds", pds_names, 3, 31 },
	[F_SES]		= { "ses", ses_names, 3, 15 },
	[F_SESOP]	= { "sesop", sesop_names, 1, 63 },
	[F_SPDCID]	= { "spdcid", NULL, 0, 0xffff },
	[F_MSGID]	= { "msgid", NULL, 0, 0xffff },
	[F_SOM]		= { "som", NULL, 0, 1 },
	[F_EOM]		= { "eom", NULL, 0, 1 },
	[F_RETX]	= { "retx", NULL, 0, 1 },
	[F_SYN]		= { "syn", NULL, 0, 1 },
	[F_MOFF]	= { "moff", NULL, 0, UINT_MAX },
	[F_RLEN]	= { "rlen", NULL, 65536, UINT_MAX },
	[F_VNI]		= { "vni", NULL, 0, 0xffffff },
	[F_OV]		= { "ov", NULL, 4, 6 },
	[F_OECN]	= { "oecn", ecn_names, 2, 3 },
	[F_ODSCP]	= { "odscp", NULL, 0, 63 },
	[F_OPORT]	= { "oport", NULL, PORT_VXLAN, 0xffff },
	[F_OOPT]	= { "oopt", NULL, 0, 63 },
	[F_LEN]		= { "len", NULL, 64, 60000 },
	[F_CUT]		= { "cut", NULL, 0, 65535 },
	[F_FIT]		= { "fit", NULL, 0, 1 },
	[F_NONLINEAR]	= { "nonlinear", NULL, 0, 1 },
	[F_GSO]		= { "gso", NULL, 0, 64 },
	[F_VNET]	= { "vnet", NULL, 0, 1 },
};

void pkt_default(struct pkt *p)
{
	int i;

	for (i = 0; i < NR_FIELDS; i++)
		p->f[i] = fields[i].dflt;
	p->nr_last = 0;
}

int pkt_field_find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < NR_FIELDS; i++)
		if (strlen(fields[i].name) == len &&
		    !memcmp(fields[i].name, name, len))
			return i;
	return -1;
}

static bool value_number(const char *text, u32 *value)
{
	unsigned long long v;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	v = strtoull(text, &end, 0);
	*value = v;
	return !*end && v <= UINT_MAX;
}

/* Names joined by '+' are OR-ed. */
static bool value_name(const struct name *names, const char *text,
		       u32 *value)
{
	*value = 0;
	while (names) {
		size_t len = strcspn(text, "+");
		const struct name *n = names;

		while (n->name && (strlen(n->name) != len ||
				   memcmp(n->name, text, len)))
			n++;
		if (!n->name)
			return false;
		*value |= n->value;
		if (!text[len])
			return true;
		text += len + 1;
	}
	return false;
}

static bool value_tag(const char *text, u32 *value)
{
	u32 tpid;

	if (text[0] == 'q') {
		tpid = 0x8100;
		text++;
	} else if (text[0] == 'a' && text[1] == 'd') {
		tpid = 0x88a8;
		text += 2;
	} else {
		return false;
	}
	if (!value_number(text, value) || *value > 0xffff)
		return false;
	*value |= tpid << 16;
	return true;
}

bool pkt_value(enum pkt_field field, const char *text, u32 *value)
{
	if (!value_number(text, value) &&
	    !value_name(fields[field].names, text, value) &&
	    !(field <= F_TAG2 && value_tag(text, value)))
		return false;
	return *value <= fields[field].max;
}

u32 crc32_table(u32 crc, const u8 *b, size_t len)
{
	static u32 table[256];
	size_t i;
	int bit;

	if (!table[1]) {
		for (i = 0; i < 256; i++) {
			table[i] = i;
			for (bit = 0; bit < 8; bit++)
				table[i] = table[i] >> 1 ^
					   (table[i] & 1 ? 0xedb88320 : 0);
		}
	}
	for (i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ b[i]) & 0xff];
	return crc;
}

static u16 sum_fold(u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static u32 sum_add(u32 sum, const u8 *b, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? b[i] : (u32)b[i] << 8;
	return sum;
}

static void ip4_checksum(u8 *ip)
{
	put16(ip + 10, 0);
	put16(ip + 10, ~sum_fold(sum_add(0, ip, (ip[0] & 15) * 4)));
}

/* Bytes after the transport header: recognisable, never zero. */
static size_t put_payload(u8 *b, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		b[i] = 0xa0 + i % 61;
	return len;
}

/* Extended headers that follow the BTH. */
static size_t put_xhdrs(const struct pkt *p, u8 *b)
{
	static const u8 len_of[32] = {
		[0x03] = 4, [0x05] = 4, [0x06] = 16, [0x09] = 4, [0x0a] = 16,
		[0x0b] = 20, [0x0c] = 16, [0x0d] = 4, [0x0f] = 4, [0x10] = 4,
		[0x11] = 4, [0x12] = 12, [0x13] = 28, [0x14] = 28, [0x16] = 4,
		[0x17] = 4,
	};
	u32 op = p->f[F_OP];
	size_t len = len_of[op & 31];
	size_t at = 0;

	if (op >> 5 == 5) {
		put32(b, 0x00000b0b);
		at = 4;
	}
	if (op >> 5 == 3)
		len = 8;
	if (op == 0x81)
		len = 16;
	memset(b + at, op == 0x81 ? 0 : 0x5a, len);
	if ((op & 31) == 0x06 || ((op & 31) >= 0x0a && (op & 31) <= 0x0c))
		put32(b + at + 12, p->f[F_DMALEN]);
	return at + len;
}

static size_t put_roce(const struct pkt *p, u8 *b)
{
	size_t len, pad;

	b[0] = p->f[F_OP];
	put16(b + 2, p->f[F_PKEY]);
	b[4] = p->f[F_FECN] << 7 | p->f[F_BECN] << 6 |
	       (p->f[F_JOB] >> 7 & 0x3f);
	put24(b + 5, p->f[F_QP]);
	b[8] = p->f[F_ACKREQ] << 7 | (p->f[F_JOB] & 0x7f);
	put24(b + 9, p->f[F_PSN]);
	len = BTH_LEN + put_xhdrs(p, b + BTH_LEN);
	len += put_payload(b + len, p->f[F_LEN]);
	pad = -len & 3;
	memset(b + len, 0, pad);
	b[1] = p->f[F_BITS] | pad << 4;
	/* the ICRC is filled in when the IP header is there */
	return len + pad + ICRC_LEN;
}

static size_t put_uet_ses(const struct pkt *p, u8 *b)
{
	static const u8 len_of[16] = {
		[1] = 20, [2] = 32, [3] = 44, [4] = 12, [5] = 12, [6] = 12,
	};
	u32 ses = p->f[F_SES];

	memset(b, 0, 44);
	if (!ses)
		return 0;
	b[0] = p->f[F_SESOP];
	b[1] = p->f[F_EOM] << 1 | p->f[F_SOM];
	put16(b + 2, ses < 3 ? p->f[F_LEN] : p->f[F_MSGID]);
	put24(b + 5, p->f[F_JOB]);
	if (ses == 3) {
		if (!p->f[F_SOM]) {
			put16(b + 34, p->f[F_LEN]);
			put32(b + 36, p->f[F_MOFF]);
		}
		put32(b + 40, p->f[F_RLEN]);
	}
	return len_of[ses];
}

static size_t put_uet(const struct pkt *p, u8 *b)
{
	static const u8 pds_len[32] = {
		[1] = 12, [2] = 12, [3] = 12, [4] = 8, [5] = 8, [6] = 4,
		[7] = 12, [8] = 32, [9] = 40, [10] = 16, [11] = 16, [12] = 20,
		[13] = 16, [14] = 16,
	};
	u32 type = p->f[F_PDS];
	u32 flags = p->f[F_RETX] << 4 | p->f[F_SYN] << 2;
	size_t len = pds_len[type] ?: 12;

	memset(b, 0, len);
	put16(b, type << 11 | p->f[F_SES] << 7 | flags);
	if (len >= 12) {
		put32(b + 4, p->f[F_PSN]);
		put16(b + 8, p->f[F_SPDCID]);
		put16(b + 10, p->f[F_QP]);
	}
	len += put_uet_ses(p, b + len);
	return len + put_payload(b + len, p->f[F_LEN]);
}

static size_t put_udp(const struct pkt *p, u8 *b, struct frame *fr)
{
	static const u16 dport_of[] = {
		[PROTO_ROCE] = PORT_ROCE, [PROTO_UET] = PORT_UET,
		[PROTO_UDP] = 9,
	};
	u32 proto = p->f[F_PROTO];
	size_t len = UDP_LEN;

	fr->payload = b + len - fr->b;
	if (proto == PROTO_ROCE)
		len += put_roce(p, b + len);
	else if (proto == PROTO_UET)
		len += put_uet(p, b + len);
	else
		len += put_payload(b + len, p->f[F_LEN]);
	put16(b, p->f[F_SPORT]);
	put16(b + 2, p->f[F_DPORT] ?: dport_of[proto]);
	put16(b + 4, p->f[F_ULEN] ?: len);
	put16(b + 6, 0);
	return len;
}

static size_t put_transport(const struct pkt *p, u8 *b, struct frame *fr)
{
	if (p->f[F_PROTO] == PROTO_TCP) {
		memset(b, 0, TCP_LEN);
		put16(b, p->f[F_SPORT]);
		put16(b + 2, PORT_ROCE);
		b[12] = 0x50;
		b[13] = 0x10;
		fr->payload = b + TCP_LEN - fr->b;
		return TCP_LEN + put_payload(b + TCP_LEN, p->f[F_LEN]);
	}
	if (p->f[F_PROTO] == PROTO_ICMP) {
		/* an echo reply makes nobody answer */
		memset(b, 0, 8);
		put_payload(b + 8, p->f[F_LEN]);
		put16(b + 2, ~sum_fold(sum_add(0, b, 8 + p->f[F_LEN])));
		return 8 + p->f[F_LEN];
	}
	return put_udp(p, b, fr);
}

static u8 ip_protocol(const struct pkt *p)
{
	if (p->f[F_PROTO] == PROTO_TCP)
		return 6;
	if (p->f[F_PROTO] == PROTO_ICMP)
		return 1;
	return 17;
}

/* What an IP header needs to know of its place. */
struct ip_args {
	u8 tos;
	u8 proto;
	u8 net_src;
	u8 net_dst;
	bool inner;
};

static size_t put_ip4_head(const struct pkt *p, const struct ip_args *a,
			   u8 *b)
{
	size_t len = 20 + (a->inner ? 4 * p->f[F_OPT] : 0);

	memset(b, 1, len);	/* NOP options */
	b[0] = 0x40 | len / 4;
	b[1] = a->tos;
	put16(b + 4, p->f[F_ID]);
	put16(b + 6, a->inner ? p->f[F_DF] << 14 | p->f[F_MF] << 13 |
				p->f[F_FOFF] : 0x4000);
	b[8] = p->f[F_TTL];
	b[9] = a->proto;
	put32(b + 12, 10U << 24 | a->net_src << 16 | p->f[F_SRC]);
	put32(b + 16, 10U << 24 | a->net_dst << 16 | p->f[F_DST]);
	return len;
}

/* Returns the length, *@next is where the next header's number goes. */
static size_t put_ext(const struct pkt *p, u32 ext, u8 *b)
{
	size_t len = 8;

	if (ext == EXT_FRAG) {
		memset(b, 0, len);
		put16(b + 2, p->f[F_FOFF] << 3 | p->f[F_MF]);
		put32(b + 4, 0x01020304);
	} else if (ext == EXT_AH) {
		len = 24;
		memset(b, 0x77, len);
		b[1] = len / 4 - 2;
		put16(b + 2, 0);
	} else if (ext == EXT_RH) {
		/* no segments left: a plain host goes on to what follows */
		memset(b, 0, len);
	} else {
		len += 8 * p->f[F_EXTLEN];
		memset(b, 0, len);	/* Pad1 options */
		b[1] = p->f[F_EXTLEN];
	}
	return len;
}

static size_t put_ip6_head(const struct pkt *p, const struct ip_args *a,
			   u8 *b)
{
	static const u8 number[] = { 0, 60, 43, 44, 51, 60 };
	size_t len = IP6_LEN;
	u8 *next = b + 6;
	unsigned int i;

	memset(b, 0, IP6_LEN);
	put32(b, 6U << 28 | (u32)a->tos << 20 | p->f[F_FLOW]);
	b[7] = p->f[F_TTL];
	b[8] = 0xfd;
	b[9] = a->net_src;
	b[23] = p->f[F_SRC];
	b[24] = 0xfd;
	b[25] = a->net_dst;
	b[39] = p->f[F_DST];
	for (i = 0; a->inner && i < sizeof(number); i++) {
		if (!(p->f[F_EXT] >> i & 1))
			continue;
		*next = number[i];
		next = b + len;
		len += put_ext(p, 1U << i, b + len);
	}
	*next = a->proto;
	return len;
}

static size_t put_ip_head(const struct pkt *p, const struct ip_args *a,
			  unsigned int version, u8 *b)
{
	if (version == 6)
		return put_ip6_head(p, a, b);
	return put_ip4_head(p, a, b);
}

/* @len: from the IP header to the end of the packet */
static void ip_finish(u8 *ip, unsigned int version, size_t len)
{
	if (version == 6) {
		put16(ip + 4, len - IP6_LEN);
	} else {
		put16(ip + 2, len);
		ip4_checksum(ip);
	}
}

/* @len: from the transport header to the end of the packet */
static u32 pseudo_sum(const u8 *ip, unsigned int version, u8 proto, size_t len)
{
	u32 sum = proto + len;

	return version == 6 ? sum_add(sum, ip + 8, 32) :
			      sum_add(sum, ip + 12, 8);
}

static void udp_checksum(const u8 *ip, unsigned int version, u8 *udp)
{
	size_t len = get16(udp + 4);
	u32 sum = pseudo_sum(ip, version, 17, len);
	u16 folded = ~sum_fold(sum_add(sum, udp, len));

	put16(udp + 6, folded ?: 0xffff);
}

/* The invariant CRC: fields that routers may change count as ones. */
static void put_icrc(struct frame *fr, size_t ip, unsigned int version,
		     size_t udp)
{
	static const u8 lrh[8] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	size_t len = fr->len - ICRC_LEN - ip;
	static u8 copy[FRAME_MAX];
	size_t bth = udp - ip + UDP_LEN;
	u8 *icrc = fr->b + fr->len - ICRC_LEN;
	u32 crc;

	memcpy(copy, fr->b + ip, len);
	if (version == 6) {
		copy[0] |= 0x0f;
		memset(copy + 1, 0xff, 3);
		copy[7] = 0xff;
	} else {
		copy[1] = 0xff;
		copy[8] = 0xff;
		memset(copy + 10, 0xff, 2);
	}
	memset(copy + udp - ip + 6, 0xff, 2);
	copy[bth + 4] = 0xff;
	crc = ~crc32_table(crc32_table(~0U, lrh, 8), copy, len);
	icrc[0] = crc;
	icrc[1] = crc >> 8;
	icrc[2] = crc >> 16;
	icrc[3] = crc >> 24;
}

/* Appends the innermost packet from its IP header on. */
static void put_packet(const struct pkt *p, u8 net, struct frame *fr)
{
	struct ip_args args = {
		.tos = p->f[F_DSCP] << 2 | p->f[F_ECN],
		.proto = ip_protocol(p),
		.net_src = 1,
		.net_dst = net,
		.inner = true,
	};
	unsigned int version = p->f[F_V];
	size_t ip = fr->len;
	size_t udp;

	udp = ip + put_ip_head(p, &args, version, fr->b + ip);
	fr->len = udp + put_transport(p, fr->b + udp, fr);
	ip_finish(fr->b + ip, version, fr->len - ip);
	if (p->f[F_PROTO] == PROTO_ROCE)
		put_icrc(fr, ip, version, udp);
	if (p->f[F_CSUM] && args.proto == 17)
		udp_checksum(fr->b + ip, version, fr->b + udp);
}

static void put_ethertype(struct frame *fr, unsigned int version)
{
	put16(fr->b + fr->len, version == 6 ? 0x86dd : 0x0800);
	fr->len += 2;
}

/* The header of Geneve or, to any other port, of VXLAN. */
static void put_tunnel_head(const struct pkt *p, struct frame *fr)
{
	bool geneve = p->f[F_OPORT] == PORT_GENEVE;
	size_t options = geneve ? p->f[F_OOPT] : 0;

	put32(fr->b + fr->len, geneve ? options << 24 | 0x6558 : 0x08000000);
	put32(fr->b + fr->len + 4, p->f[F_VNI] << 8);
	fr->len += 8;
	memset(fr->b + fr->len, 0xff, options * 4);
	fr->len += options * 4;
}

static void put_tunnel(const struct pkt *p, u8 net, struct frame *fr)
{
	static const u8 inner_macs[12] = {
		0x02, 0, 0, 0, 0xcc, 2, 0x02, 0, 0, 0, 0xcc, 1
	};
	struct ip_args args = {
		.tos = p->f[F_ODSCP] << 2 | p->f[F_OECN],
		.proto = 17,
		.net_src = 1,
		.net_dst = net,
	};
	unsigned int version = p->f[F_OV];
	size_t ip = fr->len;
	size_t udp;

	udp = ip + put_ip_head(p, &args, version, fr->b + ip);
	fr->len = udp + UDP_LEN;
	put_tunnel_head(p, fr);
	memcpy(fr->b + fr->len, inner_macs, sizeof(inner_macs));
	fr->len += sizeof(inner_macs);
	put_ethertype(fr, p->f[F_V]);
	put_packet(p, 17, fr);
	put16(fr->b + udp, 0xd000);
	put16(fr->b + udp + 2, p->f[F_OPORT]);
	put16(fr->b + udp + 4, fr->len - udp);
	put16(fr->b + udp + 6, 0);
	ip_finish(fr->b + ip, version, fr->len - ip);
}

/*
 * cut: the wire lost the rest, no length field knows. With fit the IP length
 * tells the truth and only what lies above is cut.
 */
static void frame_cut(const struct pkt *p, struct frame *fr)
{
	unsigned int version = p->f[F_VNI] ? p->f[F_OV] : p->f[F_V];
	size_t min = fr->ip + (version == 6 ? IP6_LEN : 20);

	if (!p->f[F_CUT] || p->f[F_CUT] >= fr->len)
		return;
	fr->len = p->f[F_CUT];
	if (p->f[F_FIT] && fr->len >= min)
		ip_finish(fr->b + fr->ip, version, fr->len - fr->ip);
	if (fr->len < min)
		fr->ip = 0;
}

void pkt_build(const struct pkt *p, const struct addressing *a,
	       struct frame *fr)
{
	unsigned int version = p->f[F_VNI] ? p->f[F_OV] : p->f[F_V];
	int i;

	memcpy(fr->b, a->dmac, 6);
	memcpy(fr->b + 6, a->smac, 6);
	fr->len = 12;
	for (i = F_TAG0; i <= F_TAG2; i++) {
		if (!p->f[i])
			continue;
		put32(fr->b + fr->len, p->f[i]);
		fr->len += 4;
	}
	put_ethertype(fr, version);
	fr->ip = fr->len;
	if (p->f[F_VNI])
		put_tunnel(p, a->net, fr);
	else
		put_packet(p, a->net, fr);
	if (p->f[F_TYPE])
		put16(fr->b + fr->ip - 2, p->f[F_TYPE]);
	if (p->f[F_VERIHL])
		fr->b[fr->ip] = p->f[F_VERIHL];
	frame_cut(p, fr);
}

size_t pkt_transport(const struct pkt *p, const struct frame *fr)
{
	return fr->payload - (p->f[F_PROTO] == PROTO_TCP ? TCP_LEN : UDP_LEN);
}

struct pkt pkt_segment(const struct pkt *p, u32 i)
{
	struct pkt segment = *p;
	int n;

	segment.f[F_PSN] += i;
	for (n = 0; i + 1 == p->f[F_GSO] && n < p->nr_last; n++)
		segment.f[p->last[n].field] = p->last[n].value;
	return segment;
}

/* The lengths of the whole; the kernel goes on from the pseudo header's sum. */
static void gso_finish(const struct pkt *p, struct frame *fr)
{
	u32 sum;
	u8 *th;

	ip_finish(fr->b + fr->ip, p->f[F_V], fr->len - fr->ip);
	th = fr->b + pkt_transport(p, fr);
	sum = pseudo_sum(fr->b + fr->ip, p->f[F_V], ip_protocol(p),
			 fr->b + fr->len - th);
	if (p->f[F_PROTO] != PROTO_TCP)
		put16(th + 4, fr->b + fr->len - th);
	put16(th + (p->f[F_PROTO] == PROTO_TCP ? 16 : 6), sum_fold(sum));
}

bool pkt_build_gso(const struct pkt *p, const struct addressing *a,
		   struct frame *fr, size_t *size)
{
	struct pkt segment = pkt_segment(p, 0);
	u32 i, segs = p->f[F_GSO];
	static struct frame next;

	pkt_build(&segment, a, fr);
	*size = fr->len - fr->payload;
	for (i = 1; i < segs; i++) {
		size_t len;

		segment = pkt_segment(p, i);
		pkt_build(&segment, a, &next);
		len = next.len - next.payload;
		if (len > *size || (len < *size && i + 1 < segs) ||
		    fr->len + len > GSO_MAX)
			return false;
		memcpy(fr->b + fr->len, next.b + next.payload, len);
		fr->len += len;
	}
	gso_finish(p, fr);
	return true;
}

bool pkt_checkable(const struct pkt *p)
{
	return !p->f[F_CUT] && !p->f[F_FOFF] && !p->f[F_MF] &&
	       !p->f[F_TYPE] && !p->f[F_VERIHL] && !p->f[F_ULEN];
}

void frame_set_ecn(struct frame *fr, unsigned int ecn)
{
	u8 *ip = fr->b + fr->ip;

	if (!fr->ip)
		return;
	if (ip[0] >> 4 == 6) {
		ip[1] = (ip[1] & 0xcf) | ecn << 4;
	} else {
		ip[1] = (ip[1] & 0xfc) | ecn;
		ip4_checksum(ip);
	}
}

void frame_forward(struct frame *fr)
{
	u8 *ip = fr->b + fr->ip;

	if (!fr->ip)
		return;
	if (ip[0] >> 4 == 6) {
		ip[7]--;
	} else {
		ip[8]--;
		ip4_checksum(ip);
	}
}

void frame_push_tag(struct frame *fr, u32 tag)
{
	memmove(fr->b + 16, fr->b + 12, fr->len - 12);
	put32(fr->b + 12, tag);
	fr->len += 4;
	if (fr->ip)
		fr->ip += 4;
	fr->payload += 4;
}
