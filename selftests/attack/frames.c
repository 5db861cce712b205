// SPDX-License-Identifier: GPL-2.0
/*
 * Send frames that are nearly those of the vectors through a router or a bridge and
 * look at what arrives on the far side: each once, as it was but for CE in its
 * outermost IP header and that header's checksum. What is sent depends on the seed
 * alone.
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "pkt.h"
#include "port.h"
#include "random.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define SEEDS_MAX	4096
#define DEFINES_MAX	64
#define BURST_MAX	64
#define LEN_MAX		9000	/* with Ethernet's header within the MTU */
#define TAGGED_MIN	60	/* the core drops a tag with nothing behind */
#define RECEIVE_MS	60000	/* guests are slow */
#define SILENCE_MS	100

/* A word that stands for others in the vectors. */
struct define {
	char name[32];
	char text[256];
};

static struct define defines[DEFINES_MAX];
static unsigned int nr_defines;
static struct pkt seeds[SEEDS_MAX];
static unsigned int nr_seeds;
static struct frame sent[BURST_MAX];

static void set_field(struct pkt *p, char *word)
{
	char *value = strchr(word, '=');
	int field;
	u32 number;

	if (!value)
		return;
	field = pkt_field_find(word, value - word);
	value[1 + strcspn(value + 1, "./")] = 0;
	if (field >= 0 && pkt_value(field, value + 1, &number))
		p->f[field] = number;
}

static void set_words(struct pkt *p, char *text)
{
	char *save, *word;
	unsigned int i;

	for (word = strtok_r(text, " \t\n", &save); word && strcmp(word, "->");
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (*word != '$') {
			set_field(p, word);
			continue;
		}
		for (i = 0; i < nr_defines; i++) {
			char copy[sizeof(defines[i].text)];

			if (strcmp(defines[i].name, word + 1))
				continue;
			memcpy(copy, defines[i].text, sizeof(copy));
			set_words(p, copy);
		}
	}
}

/* The first packet of each line of a file of vectors. */
static bool read_vectors(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[2048];

	if (!file) {
		perror(name);
		return false;
	}
	while (fgets(line, sizeof(line), file)) {
		struct define *d = &defines[nr_defines];

		if (nr_defines < DEFINES_MAX &&
		    sscanf(line, "define %31s %255[^\n]", d->name, d->text) == 2)
			nr_defines++;
		if (*line == '#' || !strstr(line, " -> ") || nr_seeds == SEEDS_MAX)
			continue;
		pkt_default(&seeds[nr_seeds]);
		set_words(&seeds[nr_seeds++], line);
	}
	fclose(file);
	return true;
}

/* Traffic of a few queue pairs of a few jobs, so that there is something known. */
static void vary(struct pkt *p)
{
	static const u8 ops[] = { 0x06, 0x07, 0x07, 0x07, 0x08, 0x0a, 0x01, 0x11, 0x81 };

	if (rnd(4)) {
		p->f[F_JOB] = 1 + rnd(4);
		p->f[F_QP] = rnd(8);
		p->f[F_SPORT] = 0xc000 + rnd(6);
		p->f[F_PSN] = rnd(64);
		p->f[F_SPDCID] = rnd(6);
		p->f[F_MSGID] = rnd(6);
	}
	if (!rnd(4))
		p->f[F_PROTO] = PROTO_UET;
	if (!rnd(2))
		p->f[F_OP] = ops[rnd(ARRAY_SIZE(ops))];
	if (!rnd(4))
		p->f[F_ECN] = rnd(4);
	if (!rnd(8))
		p->f[F_LEN] = rnd(rnd(8) ? 1400 : 8000);
	if (!rnd(16))
		p->f[F_V] = 10 - p->f[F_V];
	if (!rnd(16))
		p->f[F_EXT] = rnd(64);
	if (!rnd(16))
		p->f[F_VNI] = rnd(3);
	p->f[F_LEN] = p->f[F_LEN] < 8000 ? p->f[F_LEN] : 8000;
	p->f[F_GSO] = 0;
	p->f[F_VNET] = 0;
	p->f[F_NONLINEAR] = 0;
}

static void insert_tag(struct frame *fr)
{
	static const u16 types[] = { ETH_P_8021Q, ETH_P_8021AD, 0x9100 };

	if (fr->len + 4 > LEN_MAX)
		return;
	memmove(fr->b + 16, fr->b + 12, fr->len - 12);
	put16(fr->b + 12, types[rnd(ARRAY_SIZE(types))]);
	put16(fr->b + 14, rnd(65536));
	fr->len += 4;
}

/* Any byte behind the addresses, any end. */
static void mutate(struct frame *fr)
{
	unsigned int i, room;

	for (i = rnd(4); i; i--)
		insert_tag(fr);
	for (i = rnd(5); i; i--) {
		room = fr->len - 12 < 110 || !rnd(8) ? fr->len - 12 : 110;
		if (rnd(2))
			fr->b[12 + rnd(room)] = rnd(256);
		else
			fr->b[12 + rnd(room)] ^= 1 << rnd(8);
	}
	if (!rnd(6))
		fr->len = 14 + rnd(fr->len - 13);
	if (!rnd(16) && fr->len < 4200) {
		memset(fr->b + fr->len, rnd(256), 4200);
		fr->len += rnd(4200);
	}
	if (fr->len < TAGGED_MIN &&
	    (get16(fr->b + 12) == ETH_P_8021Q || get16(fr->b + 12) == ETH_P_8021AD)) {
		memset(fr->b + fr->len, 0, TAGGED_MIN - fr->len);
		fr->len = TAGGED_MIN;
	}
}

/* Behind the IP header of one that a router takes. */
static void mutate_payload(const struct pkt *p, struct frame *fr)
{
	size_t start = pkt_transport(p, fr);
	unsigned int i;

	for (i = rnd(5); i && start < fr->len; i--)
		fr->b[start + rnd(fr->len - start)] = rnd(256);
}

/* Fields by which a router would know a packet as broken. */
static void make_routable(struct pkt *p)
{
	static const enum pkt_field plain[] = {
		F_TAG0, F_TAG1, F_TAG2, F_TYPE, F_VERIHL, F_CUT, F_FIT, F_EXTLEN,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plain); i++)
		p->f[plain[i]] = 0;
	p->f[F_TTL] = 2 + rnd(254);
	p->f[F_SRC] = 2;
	p->f[F_DST] = 2;
}

static void make(struct frame *fr, const struct addressing *a, bool routed)
{
	struct pkt p = seeds[rnd(nr_seeds)];

	vary(&p);
	if (routed)
		make_routable(&p);
	pkt_build(&p, a, fr);
	if (fr->len > LEN_MAX)
		fr->len = LEN_MAX;
	if (fr->len < ETH_HLEN)
		fr->len = ETH_HLEN;
	if (routed)
		mutate_payload(&p, fr);
	else if (rnd(4))
		mutate(fr);
}

/* Long frames are left in pages behind a linear area that ends anywhere. */
static bool transmit(const struct port *p, const struct frame *fr)
{
	struct virtio_net_hdr hdr = { .hdr_len = ETH_HLEN + rnd(80) };
	struct iovec iov[] = {
		{ .iov_base = &hdr, .iov_len = sizeof(hdr) },
		{ .iov_base = (void *)fr->b, .iov_len = fr->len },
	};

	if (fr->len <= 4096)
		hdr.hdr_len = 0;
	return writev(p->fd, iov, 2) == (ssize_t)(sizeof(hdr) + fr->len);
}

/* Return: offset of the outermost IP header, 0 if there is none. */
static size_t find_ip(const struct frame *fr)
{
	size_t at = 12;
	u16 type;

	for (;;) {
		if (at + 2 + 20 > fr->len)
			return 0;
		type = get16(fr->b + at);
		if (type == ETH_P_IP && fr->b[at + 2] >> 4 == 4)
			return at + 2;
		if (type == ETH_P_IPV6 && fr->b[at + 2] >> 4 == 6)
			return at + 2;
		if (type != ETH_P_8021Q && type != ETH_P_8021AD && type != 0x9100)
			return 0;
		at += 4;
	}
}

static u32 sum_mod(const u8 *ip)
{
	return (get16(ip) + get16(ip + 10)) % 0xffff;
}

/* Whether @have is @want with a mark, in the one way that is allowed. */
static bool is_marked(const struct frame *have, const struct frame *want)
{
	static struct frame marked;
	size_t ip = find_ip(want);
	u8 ecn;

	if (!ip || have->len != want->len)
		return false;
	marked.len = want->len;
	memcpy(marked.b, want->b, want->len);
	if (want->b[ip] >> 4 == 6) {
		ecn = want->b[ip + 1] >> 4 & 3;
		marked.b[ip + 1] |= 0x30;
	} else {
		ecn = want->b[ip + 1] & 3;
		marked.b[ip + 1] |= 3;
		memcpy(marked.b + ip + 10, have->b + ip + 10, 2);
		if (sum_mod(marked.b + ip) != sum_mod(want->b + ip))
			return false;
	}
	return (ecn == 1 || ecn == 2) && !memcmp(marked.b, have->b, have->len);
}

static bool is_same(const struct frame *have, const struct frame *want)
{
	return have->len == want->len && !memcmp(have->b, want->b, have->len);
}

static void show(const char *what, const struct frame *fr)
{
	size_t i;

	printf("# %s, %zu bytes:", what, fr->len);
	for (i = 0; i < fr->len && i < 160; i++)
		printf(" %02x", fr->b[i]);
	putchar('\n');
}

struct tally {
	unsigned long frames;
	unsigned long bytes;
	unsigned long marked;
};

/* Those of a burst, in the order in which they were sent unless @any. */
static bool receive(const struct port *p, unsigned int count, bool any, struct tally *t)
{
	static struct frame have;
	bool met[BURST_MAX] = {};
	unsigned int left, i;

	for (left = count; left; left--) {
		if (!port_receive_any(p, &have, RECEIVE_MS)) {
			for (i = 0; met[i]; i++)
				;
			printf("# %u of %u are lost\n", left, count);
			show("lost", &sent[i]);
			return false;
		}
		for (i = 0; i < count; i++) {
			if (met[i])
				continue;
			if (is_same(&have, &sent[i]))
				break;
			if (is_marked(&have, &sent[i])) {
				t->marked++;
				break;
			}
			if (!any)
				i = count;
		}
		if (i >= count) {
			show("nothing like it was sent", &have);
			for (i = 0; i < count && met[i]; i++)
				;
			show("the first that has not come", &sent[i]);
			return false;
		}
		met[i] = true;
		t->frames++;
		t->bytes += have.len;
	}
	return true;
}

static void explain(void)
{
	fprintf(stderr,
		"usage: frames NETNS routed|bridged fifo|any COUNT SEED VECTORS...\n"
		"Send COUNT frames through the network of selftests/net/topology.sh, NETNS\n"
		"being how its namespaces' names begin. any: they may overtake each other.\n"
		"Prints how many came, their bytes, and how many with a mark of their own.\n");
	exit(2);
}

static bool open_ports(struct port *tx, struct port *rx, const char *netns, bool routed)
{
	int on = 1, room = 16 << 20;
	char name[64];

	snprintf(name, sizeof(name), "%sh2", netns);
	if (!port_open(rx, name, routed ? "h2" : "hb2"))
		return false;
	snprintf(name, sizeof(name), "%sh1", netns);
	if (!port_open(tx, name, routed ? "h1" : "hb1"))
		return false;
	setsockopt(tx->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	if (setsockopt(tx->fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on))) {
		perror("frames: virtio_net header");
		return false;
	}
	return true;
}

/* What a router does to a frame; a bridge does nothing. */
static void forward(struct frame *fr)
{
	static const u8 macs[] = { 2, 0, 0, 0, 2, 2, 2, 0, 0, 0, 2, 1 };

	memcpy(fr->b, macs, sizeof(macs));
	frame_forward(fr);
}

int main(int argc, char **argv)
{
	static const struct addressing by_bridge = {
		.dmac = { 2, 0, 0, 0, 0x0b, 0xfe }, .smac = { 2, 0, 0, 0, 0x0b, 1 }, .net = 2,
	};
	static const struct addressing by_router = {
		.dmac = { 2, 0, 0, 0, 1, 1 }, .smac = { 2, 0, 0, 0, 1, 2 }, .net = 2,
	};
	unsigned long count, done = 0;
	struct tally t = {};
	struct port tx, rx;
	bool routed, any;
	int i;

	if (argc < 7)
		explain();
	routed = !strcmp(argv[2], "routed");
	any = !strcmp(argv[3], "any");
	count = strtoul(argv[4], NULL, 0);
	state = 0x9e3779b97f4a7c15 ^ strtoul(argv[5], NULL, 0);
	for (i = 6; i < argc; i++)
		if (!read_vectors(argv[i]))
			return 1;
	if (!nr_seeds || !port_stay_on_processor() || !open_ports(&tx, &rx, argv[1], routed))
		return 1;
	while (done < count) {
		unsigned int burst = 1 + rnd(BURST_MAX), n;

		for (n = 0; n < burst; n++) {
			make(&sent[n], routed ? &by_router : &by_bridge, routed);
			if (!transmit(&tx, &sent[n])) {
				perror("frames: send");
				show("not sent", &sent[n]);
				return 1;
			}
			if (routed)
				forward(&sent[n]);
		}
		if (!receive(&rx, burst, any, &t))
			return 1;
		done += burst;
	}
	if (port_receive_any(&rx, &sent[0], SILENCE_MS)) {
		show("nobody sent it", &sent[0]);
		return 1;
	}
	printf("%lu %lu %lu %u\n", t.frames, t.bytes, t.marked, nr_seeds);
	return 0;
}
