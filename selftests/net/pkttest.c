// SPDX-License-Identifier: GPL-2.0
/*
 * The tool's own test: what builds frames and what verifies them are two
 * programs that must agree, and the second must notice every wrong bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pkt.h"

#define MANY	2000

static const struct addressing addr = {
	.dmac = { 2, 0, 0, 0, 0, 1 },
	.smac = { 2, 0, 0, 0, 0, 2 },
	.net = 2,
};

static int points;
static int failed;

static void point(bool good, const char *name)
{
	printf("%s %d %s\n", good ? "ok" : "not ok", ++points, name);
	failed += !good;
}

static int check(const struct frame *fr)
{
	const char *why = "";

	return check_frame(fr->b, fr->len, &why);
}

/*
 * A WRITE MIDDLE of 64 zero bytes from 127.0.0.1 to itself, whose ICRC others
 * computed too.
 */
static bool known_icrc(void)
{
	static const u8 head[40] = {
		0x45, 0x00, 0x00, 0x6c, 0xd4, 0x31, 0x00, 0x00,
		0x80, 0x11, 0x68, 0x4d, 0x7f, 0x00, 0x00, 0x01,
		0x7f, 0x00, 0x00, 0x01, 0x30, 0x39, 0x12, 0xb7,
		0x00, 0x58, 0x09, 0xdc, 0x07, 0x00, 0x00, 0x01,
		0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
	};
	static const u8 icrc[4] = { 0xb9, 0xab, 0xf3, 0xbf };
	static struct frame fr;

	fr.len = 14 + 108;
	put16(fr.b + 12, 0x0800);
	memcpy(fr.b + 14, head, sizeof(head));
	memcpy(fr.b + fr.len - 4, icrc, sizeof(icrc));
	return check(&fr) == 2;
}

/* The check value of CRC-32. */
static bool known_crc(void)
{
	return ~crc32_table(~0U, (const u8 *)"123456789", 9) ==
	       0xcbf43926;
}

static u32 below(u32 n)
{
	return random() % n;
}

static void random_pkt(struct pkt *p)
{
	static const unsigned short ports[] = {
		PORT_VXLAN, PORT_VXLAN_OLD, PORT_GENEVE,
	};

	pkt_default(p);
	p->f[F_V] = 4 + 2 * below(2);
	p->f[F_DSCP] = below(64);
	p->f[F_ECN] = below(4);
	p->f[F_TTL] = 1 + below(255);
	p->f[F_ID] = below(65536);
	p->f[F_OPT] = below(11);
	p->f[F_FLOW] = below(1 << 20);
	p->f[F_EXT] = below(64);
	p->f[F_SPORT] = below(65536);
	p->f[F_OP] = below(256);
	p->f[F_JOB] = below(8192);
	p->f[F_QP] = below(1 << 24);
	p->f[F_PSN] = below(1 << 24);
	p->f[F_BITS] = below(4) << 6;
	p->f[F_LEN] = below(300);
	p->f[F_CSUM] = below(2);
	if (below(3) == 0) {
		p->f[F_VNI] = 1 + below(1000);
		p->f[F_OV] = 4 + 2 * below(2);
		p->f[F_OPORT] = ports[below(3)];
		p->f[F_OOPT] = below(64);
	}
	if (below(3) == 0)
		p->f[F_TAG0] = 0x81000000 | below(65536);
}

static bool agree(void)
{
	static struct frame fr;
	struct pkt p;
	int i;

	for (i = 0; i < MANY; i++) {
		int sums;

		random_pkt(&p);
		pkt_build(&p, &addr, &fr);
		sums = (p.f[F_V] == 4) + 1;
		if (p.f[F_VNI])
			sums += p.f[F_OV] == 4;
		if (check(&fr) != sums)
			return false;
	}
	return true;
}

/*
 * Flips each bit from the IP header on: it goes unnoticed just if the ICRC
 * masks it. The IPv4 header has a checksum of its own.
 */
static bool flips(unsigned int version)
{
	static struct frame fr;
	struct pkt p;
	int bit, sums;
	size_t i, udp;

	pkt_default(&p);
	p.f[F_V] = version;
	p.f[F_TTL] = 128;
	pkt_build(&p, &addr, &fr);
	sums = check(&fr);
	udp = fr.payload - 8;
	for (i = fr.ip; i < fr.len; i++) {
		bool free = (i == udp + 6 || i == udp + 7 || i == udp + 12);

		if (version == 6)
			free = free || (i > fr.ip && i < fr.ip + 4) ||
			       i == fr.ip + 7;
		for (bit = 0; bit < 8; bit++) {
			bool traffic_class = version == 6 && i == fr.ip &&
					     bit < 4;

			fr.b[i] ^= 1 << bit;
			if ((check(&fr) == sums) != (free || traffic_class))
				return false;
			fr.b[i] ^= 1 << bit;
		}
	}
	return true;
}

/* What routers and marking do to a header leaves every sum good. */
static bool rewrites(void)
{
	static struct frame fr;
	struct pkt p;
	int i;

	for (i = 0; i < MANY; i++) {
		int sums;

		random_pkt(&p);
		p.f[F_TTL] = 2 + below(254);
		pkt_build(&p, &addr, &fr);
		sums = check(&fr);
		frame_forward(&fr);
		frame_set_ecn(&fr, below(4));
		frame_push_tag(&fr, 0x88a80000 | below(65536));
		if (sums < 1 || check(&fr) != sums)
			return false;
	}
	return true;
}

/* Frames cut anywhere are no longer than asked for and never read beyond. */
static bool cuts(void)
{
	static struct frame fr, whole;
	struct pkt p;
	int i;

	for (i = 0; i < MANY; i++) {
		random_pkt(&p);
		pkt_build(&p, &addr, &whole);
		p.f[F_CUT] = 14 + below(whole.len - 14);
		pkt_build(&p, &addr, &fr);
		if (fr.len != p.f[F_CUT] || memcmp(fr.b, whole.b, fr.len))
			return false;
	}
	return true;
}

static bool values(void)
{
	u32 v;

	return pkt_value(F_OP, "write_last_imm", &v) && v == 9 &&
	       pkt_value(F_OP, "0xff", &v) && v == 255 &&
	       !pkt_value(F_OP, "256", &v) && !pkt_value(F_OP, "write", &v) &&
	       pkt_value(F_EXT, "hbh+frag", &v) && v == (EXT_HBH | EXT_FRAG) &&
	       !pkt_value(F_EXT, "hbh+", &v) && !pkt_value(F_EXT, "", &v) &&
	       pkt_value(F_TAG0, "ad7", &v) && v == 0x88a80007 &&
	       pkt_value(F_TAG1, "q5", &v) && v == 0x81000005 &&
	       !pkt_value(F_JOB, "q5", &v) && !pkt_value(F_ECN, "4", &v) &&
	       !pkt_value(F_PSN, "4294967296", &v) &&
	       pkt_field_find("psn", 3) == F_PSN &&
	       pkt_field_find("ps", 2) == -1;
}

int main(void)
{
	srandom(1);
	printf("TAP version 13\n1..9\n");
	point(known_crc(), "check value of CRC-32");
	point(known_icrc(), "ICRC of a known packet");
	point(agree(), "what is built passes the receiver's check");
	point(flips(4), "every wrong bit of IPv4 is noticed, masked ones are not");
	point(flips(6), "every wrong bit of IPv6 is noticed, masked ones are not");
	point(rewrites(), "forwarding and marking keep every sum good");
	point(cuts(), "cut frames");
	point(values(), "values of fields");
	point(pkt_checkable(&(struct pkt){ .f[F_CUT] = 0 }) &&
	      !pkt_checkable(&(struct pkt){ .f[F_CUT] = 20 }),
	      "cut frames are not checked");
	return failed ? 1 : 0;
}
