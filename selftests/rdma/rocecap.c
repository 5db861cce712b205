// SPDX-License-Identifier: GPL-2.0
/*
 * Print the RoCEv2 packets over IPv4 of a capture on Ethernet, one a line: UDP
 * source port, destination QP, opcode, PSN, ECN bits.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>

#define PCAP_USEC	0xa1b2c3d4U
#define PCAP_NSEC	0xa1b23c4dU
#define LINK_ETHERNET	1
#define SNAP_MAX	262144

#define ETH_LEN		14
#define UDP_LEN		8
#define BTH_LEN		12
#define ROCE_PORT	4791

struct file_header {
	__u32 magic;
	__u16 major, minor;
	__u32 zone, digits, snaplen, link;
};

struct packet_header {
	__u32 sec, frac, captured, length;
};

static __u16 be16(const __u8 *p)
{
	return p[0] << 8 | p[1];
}

static __u32 be24(const __u8 *p)
{
	return p[0] << 16 | p[1] << 8 | p[2];
}

/* False if the packet is RoCEv2 and was cut short. */
static int print_packet(const __u8 *frame, __u32 len)
{
	const __u8 *ip = frame + ETH_LEN, *udp, *bth;
	__u32 ip_len;

	if (len < ETH_LEN + 20 || be16(frame + 12) != 0x0800 || ip[0] >> 4 != 4)
		return 1;
	ip_len = (ip[0] & 0xf) * 4;
	if (ip[9] != 17 || be16(ip + 6) & 0x1fff)
		return 1;
	if (len < ETH_LEN + ip_len + UDP_LEN)
		return 0;
	udp = ip + ip_len;
	if (be16(udp + 2) != ROCE_PORT)
		return 1;
	if (len < ETH_LEN + ip_len + UDP_LEN + BTH_LEN)
		return 0;
	bth = udp + UDP_LEN;
	printf("%u %u %u %u %u\n", be16(udp), be24(bth + 5), bth[0], be24(bth + 9), ip[1] & 3);
	return 1;
}

static int read_capture(FILE *file, const char *name)
{
	static __u8 frame[SNAP_MAX];
	struct packet_header packet;
	struct file_header header;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
	    (header.magic != PCAP_USEC && header.magic != PCAP_NSEC) ||
	    header.link != LINK_ETHERNET) {
		fprintf(stderr, "rocecap: %s: not a capture on Ethernet by this machine\n", name);
		return 1;
	}
	while (fread(&packet, sizeof(packet), 1, file) == 1) {
		if (packet.captured > sizeof(frame) ||
		    fread(frame, 1, packet.captured, file) != packet.captured) {
			fprintf(stderr, "rocecap: %s: ends within a packet\n", name);
			return 1;
		}
		if (!print_packet(frame, packet.captured)) {
			fprintf(stderr, "rocecap: %s: packets were cut too short\n", name);
			return 1;
		}
	}
	return ferror(file) != 0;
}

int main(int argc, char **argv)
{
	FILE *file;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: rocecap FILE.pcap\n");
		return 2;
	}
	file = fopen(argv[1], "rb");
	if (!file) {
		fprintf(stderr, "rocecap: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	ret = read_capture(file, argv[1]);
	fclose(file);
	return ret;
}
