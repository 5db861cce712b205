// SPDX-License-Identifier: GPL-2.0
/*
 * Send hostile packets out of a device: every kind of packet the qdisc knows,
 * with random fields, and the same with random bytes changed or cut off. What
 * is sent depends on the seed alone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "random.h"

#define FRAME_MAX	9000
#define NONLINEAR_LEN	6000	/* above a page: the kernel pages the rest */

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4	5
#endif

enum traffic { TRAFFIC_DATA, TRAFFIC_MIX, TRAFFIC_GSO, TRAFFIC_FORGED };

struct frame {
	__u8 byte[FRAME_MAX];
	unsigned int len;
};

static atomic_bool stopped;

static void put8(struct frame *f, __u8 value)
{
	f->byte[f->len++] = value;
}

static void put16(struct frame *f, __u16 value)
{
	put8(f, value >> 8);
	put8(f, value);
}

static void put32(struct frame *f, __u32 value)
{
	put16(f, value >> 16);
	put16(f, value);
}

static void put_ethernet(struct frame *f)
{
	static const __u8 addrs[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };

	memcpy(f->byte + f->len, addrs, sizeof(addrs));
	f->len += sizeof(addrs);
}

static __u16 ip_sum(const __u8 *ip)
{
	__u32 sum = 0;
	int i;

	for (i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* EtherType and IP header in front of @payload bytes of UDP. */
static void put_ip(struct frame *f, unsigned int payload, bool ipv6)
{
	unsigned int i, start;
	__u8 tos = rnd(256);

	if (ipv6) {
		put16(f, ETH_P_IPV6);
		put32(f, 0x60000000 | tos << 20);
		put16(f, payload);
		put8(f, IPPROTO_UDP);
		put8(f, 64);
		for (i = 0; i < 4; i++)
			put32(f, 0xfd000000 + (i == 3));
		for (i = 0; i < 4; i++)
			put32(f, 0xfd000000 + (i == 3) * 2);
		return;
	}
	put16(f, ETH_P_IP);
	start = f->len;
	put8(f, 0x45);
	put8(f, tos);
	put16(f, 20 + payload);
	put32(f, 0x00014000);
	put8(f, 64);
	put8(f, IPPROTO_UDP);
	put16(f, 0);
	put32(f, 0x0a000001);
	put32(f, 0x0a000002);
	i = ip_sum(f->byte + start);
	f->byte[start + 10] = i >> 8;
	f->byte[start + 11] = i;
}

static void put_udp(struct frame *f, __u16 sport, __u16 dport,
		    unsigned int payload)
{
	put16(f, sport);
	put16(f, dport);
	put16(f, 8 + payload);
	put16(f, 0);
}

static void put_zeros(struct frame *f, unsigned int len)
{
	memset(f->byte + f->len, 0, len);
	f->len += len;
}

static void put_bth(struct frame *f, bool wild, unsigned int jobs)
{
	static const __u8 write_ops[] = { 0x06, 0x07, 0x07, 0x07, 0x09 };
	__u8 op = wild && rnd(2) ? rnd(256) : write_ops[rnd(5)];
	__u32 job = rnd(jobs + 1);
	__u32 psn = rnd(4096);

	put8(f, op);
	put8(f, 0);
	put16(f, 0xffff);
	put32(f, (job >> 7 & 0x3f) << 24 | rnd(64));
	put32(f, (job & 0x7f) << 24 | psn);
	put_zeros(f, 12);
	put32(f, wild ? rnd(2048) : 4096);
}

/* A PDS and an SES header of the longest kind. */
static void put_uet(struct frame *f, unsigned int jobs)
{
	put8(f, rnd(16) << 3 | rnd(2));
	put8(f, rnd(256));
	put16(f, 0);
	put32(f, rnd(4096));
	put32(f, rnd(65536) << 16);
	put8(f, rnd(12));
	put8(f, rnd(4));
	put16(f, rnd(65536));
	put32(f, rnd(jobs + 1));
	put_zeros(f, 40);
}

/* The first packet of a message of Ultra Ethernet, of any JobID up to @jobs. */
static void build_forged(struct frame *f, unsigned int jobs)
{
	unsigned int payload = 8 + 12 + 44 + 64;

	f->len = 0;
	put_ethernet(f);
	put_ip(f, payload, false);
	put_udp(f, 0x1234, 4793, payload - 8);
	put16(f, 3 << 11 | 3 << 7);	/* ordered request, standard header */
	put16(f, 0);
	put32(f, rnd(4096));
	put16(f, rnd(8));
	put16(f, 0);
	put8(f, 1);			/* write */
	put8(f, 1);			/* start of message */
	put16(f, 0);
	put32(f, 1 + rnd(jobs));
	put_zeros(f, 14 + 20 + payload - f->len);
}

static void build(struct frame *f, enum traffic kind, unsigned int jobs)
{
	unsigned int payload = 8 + 64 + rnd(1400), tags = 0, i, start;
	bool wild = kind != TRAFFIC_DATA;
	bool vxlan = wild && !rnd(8);
	bool uet = wild && !rnd(6);
	bool ipv6 = !rnd(4);

	if (wild && !rnd(16))
		payload = NONLINEAR_LEN;
	if (wild && !rnd(6))
		tags = 1 + rnd(5);
	f->len = 0;
	put_ethernet(f);
	for (i = 0; i < tags; i++) {
		put16(f, rnd(2) ? ETH_P_8021Q : ETH_P_8021AD);
		put16(f, rnd(4096));
	}
	if (vxlan) {
		put_ip(f, 8 + 8 + 14 + 40 + payload, rnd(2));
		put_udp(f, rnd(65536), 4789, 8 + 14 + 40 + payload);
		put32(f, 0x08000000);
		put32(f, rnd(4) << 8);
		put_ethernet(f);
	}
	start = f->len;
	put_ip(f, payload, ipv6);
	put_udp(f, wild && !rnd(4) ? rnd(65536) : 0xc000 + rnd(8), uet ? 4793 : 4791,
		payload - 8);
	if (uet)
		put_uet(f, jobs);
	else
		put_bth(f, wild, jobs);
	put_zeros(f, start + 2 + (ipv6 ? 40 : 20) + payload - f->len);

	if (wild && !rnd(4))
		for (i = 1 + rnd(4); i; i--)
			f->byte[12 + rnd(f->len < 120 ? f->len - 12 : 108)] = rnd(256);
	if (wild && !rnd(8))
		f->len = 14 + rnd(f->len - 14);
}

static int open_port(const char *dev)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex(dev),
	};
	int on = 1, buffer = 1 << 22;
	int fd;

	if (!addr.sll_ifindex) {
		fprintf(stderr, "flood: there is no device %s\n", dev);
		exit(1);
	}
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on))) {
		perror("flood: packet socket");
		exit(1);
	}
	/* more than a qdisc with backlog keeps of it */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer));
	return fd;
}

/* Whether the device took it: a full queue or a refused frame is no error. */
static bool transmit(int fd, const struct frame *f, bool gso)
{
	static __u8 buf[sizeof(struct virtio_net_hdr) + FRAME_MAX];
	struct virtio_net_hdr hdr = {};
	bool ipv6 = f->byte[12] == 0x86 && f->byte[13] == 0xdd;
	ssize_t ret;

	if (gso && f->len > 600) {
		hdr.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		hdr.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4;
		hdr.gso_size = 100 + rnd(200);
		hdr.csum_start = 14 + (ipv6 ? 40 : 20);
		hdr.csum_offset = 6;
		hdr.hdr_len = hdr.csum_start + 8;
	} else if (f->len > 4096) {
		/* a linear area that ends somewhere in the headers */
		hdr.hdr_len = 14 + rnd(80);
	}
	memcpy(buf, &hdr, sizeof(hdr));
	memcpy(buf + sizeof(hdr), f->byte, f->len);
	ret = send(fd, buf, sizeof(hdr) + f->len, MSG_DONTWAIT);
	if (ret < 0 && errno != ENOBUFS && errno != EAGAIN && errno != EINVAL &&
	    errno != EMSGSIZE && errno != ENETDOWN && errno != ENXIO &&
	    errno != ENOMEM) {
		perror("flood: send");
		exit(1);
	}
	return ret >= 0;
}

static void may_fail(void)
{
	int fd = open("/proc/self/make-it-fail", O_WRONLY);

	if (fd < 0 || write(fd, "1", 1) != 1) {
		perror("flood: make-it-fail");
		exit(1);
	}
	close(fd);
}

static __u64 parse_number(const char *arg, const char *what, __u64 max)
{
	char *end;
	unsigned long long value = strtoull(arg, &end, 0);

	if (*end || !*arg || value > max) {
		fprintf(stderr, "flood: %s \"%s\": not a number from 0 to %llu\n",
			what, arg, (unsigned long long)max);
		exit(2);
	}
	return value;
}

static void explain(void)
{
	fprintf(stderr,
		"usage: flood DEV COUNT [SEED [JOBS [data|mix|gso|forged [fail]]]]\n"
		"Send COUNT packets of up to JOBS jobs (default 20); with SECONDSs in place\n"
		"of COUNT, for that long or until SIGTERM. data: valid WRITEs only; mix (default): everything;\n"
		"gso: the same, some to be segmented; forged: Ultra Ethernet, of any job. Prints how many the device took. fail: the\n"
		"kernel's allocations for it are those that fault injection may let fail.\n");
	exit(2);
}

static void stop(int sig)
{
	(void)sig;
	stopped = true;
}

int main(int argc, char **argv)
{
	__u64 count = 0, sent = 0, i;
	enum traffic kind = TRAFFIC_MIX;
	unsigned int jobs = 20;
	time_t end = 0;
	size_t len;
	int fd;

	if (argc < 3 || argc > 7 || (argc == 7 && strcmp(argv[6], "fail")))
		explain();
	len = strlen(argv[2]);
	if (len > 1 && argv[2][len - 1] == 's') {
		argv[2][len - 1] = 0;
		end = time(NULL) + parse_number(argv[2], "SECONDS", 86400);
		count = ~0ULL;
	} else {
		count = parse_number(argv[2], "COUNT", 0xffffffff);
	}
	state = 0x9e3779b97f4a7c15;
	if (argc > 3)
		state ^= parse_number(argv[3], "SEED", 0xffffffff);
	if (argc > 4)
		jobs = parse_number(argv[4], "JOBS", 0xffffff);
	if (argc > 5) {
		if (!strcmp(argv[5], "data"))
			kind = TRAFFIC_DATA;
		else if (!strcmp(argv[5], "gso"))
			kind = TRAFFIC_GSO;
		else if (!strcmp(argv[5], "forged"))
			kind = TRAFFIC_FORGED;
		else if (strcmp(argv[5], "mix"))
			explain();
	}

	signal(SIGTERM, stop);
	fd = open_port(argv[1]);
	if (argc == 7)
		may_fail();
	for (i = 0; i < count && !stopped && !(end && time(NULL) >= end); i++) {
		struct frame f;

		if (kind == TRAFFIC_FORGED)
			build_forged(&f, jobs);
		else
			build(&f, kind, jobs);
		sent += transmit(fd, &f, kind == TRAFFIC_GSO && !rnd(4));
	}
	close(fd);
	printf("%llu\n", (unsigned long long)sent);
	return 0;
}
