// SPDX-License-Identifier: GPL-2.0
/* Raw sockets on devices of other network namespaces. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "port.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4	5
#endif

#define RING_FRAME	4096

static bool complain(const char *what, const char *name)
{
	fprintf(stderr, "rocepkt: %s %s: %s\n", what, name, strerror(errno));
	return false;
}

bool port_stay_on_processor(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set) ||
	       complain("cannot stay on", "a processor");
}

bool netns_enter(const char *ns)
{
	char path[256];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain("namespace", ns);
	ok = !setns(fd, CLONE_NEWNET);
	close(fd);
	return ok || complain("namespace", ns);
}

static bool port_bind(const struct port *p)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = p->ifindex,
	};

	return !bind(p->fd, (struct sockaddr *)&ll, sizeof(ll));
}

bool port_open(struct port *p, const char *ns, const char *dev)
{
	int room = 64 << 20;
	int one = 1;

	if (!netns_enter(ns))
		return false;
	p->ifindex = if_nametoindex(dev);
	if (!p->ifindex)
		return complain("device", dev);
	p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (p->fd < 0 ||
	    setsockopt(p->fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) ||
	    setsockopt(p->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one,
		       sizeof(one)) ||
	    setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
		       sizeof(room)) ||
	    !port_bind(p))
		return complain("packet socket on", dev);
	return true;
}

bool port_send(const struct port *p, const struct frame *fr)
{
	return send(p->fd, fr->b, fr->len, 0) == (ssize_t)fr->len;
}

static bool ring_send(struct port *p, const struct frame *fr)
{
	size_t at = TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);
	struct tpacket_req req = {
		.tp_block_size = RING_FRAME,
		.tp_block_nr = 1,
		.tp_frame_size = RING_FRAME,
		.tp_frame_nr = 1,
	};
	int version = TPACKET_V2;
	struct tpacket2_hdr *hdr;
	bool same = false;
	u8 *ring;
	int i;

	if (fr->len > RING_FRAME - at ||
	    setsockopt(p->fd, SOL_PACKET, PACKET_VERSION, &version,
		       sizeof(version)) ||
	    setsockopt(p->fd, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)) ||
	    !port_bind(p))
		return false;
	ring = mmap(NULL, RING_FRAME, PROT_READ | PROT_WRITE, MAP_SHARED,
		    p->fd, 0);
	if (ring == MAP_FAILED)
		return false;
	hdr = (struct tpacket2_hdr *)ring;
	memcpy(ring + at, fr->b, fr->len);
	hdr->tp_len = fr->len;
	__atomic_store_n(&hdr->tp_status, TP_STATUS_SEND_REQUEST,
			 __ATOMIC_RELEASE);
	if (send(p->fd, NULL, 0, 0) == (ssize_t)fr->len) {
		/* the receiver has copied the packet when the ring is free */
		for (i = 0; i < 1000; i++) {
			if (__atomic_load_n(&hdr->tp_status, __ATOMIC_ACQUIRE)
			    == TP_STATUS_AVAILABLE)
				break;
			usleep(1000);
		}
		same = !memcmp(ring + at, fr->b, fr->len);
	}
	munmap(ring, RING_FRAME);
	return same;
}

bool port_send_paged(const char *ns, const struct port *p,
		     const struct frame *fr)
{
	struct port ring = { .ifindex = p->ifindex };
	bool ok;

	if (!netns_enter(ns))
		return false;
	ring.fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (ring.fd < 0)
		return complain("packet socket for", "a ring");
	ok = ring_send(&ring, fr);
	close(ring.fd);
	return ok;
}

static struct virtio_net_hdr vnet_header(const struct pkt *p,
					 const struct frame *fr, size_t size)
{
	struct virtio_net_hdr hdr = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4,
		.hdr_len = fr->payload,
		.gso_size = size,
		.csum_start = pkt_transport(p, fr),
		.csum_offset = offsetof(struct udphdr, check),
	};

	if (p->f[F_PROTO] == PROTO_TCP) {
		hdr.gso_type = p->f[F_V] == 6 ? VIRTIO_NET_HDR_GSO_TCPV6 :
						VIRTIO_NET_HDR_GSO_TCPV4;
		hdr.csum_offset = offsetof(struct tcphdr, check);
	}
	return hdr;
}

static bool vnet_send(const struct port *port, struct virtio_net_hdr *hdr,
		      const struct frame *fr)
{
	struct iovec iov[] = {
		{ .iov_base = hdr, .iov_len = sizeof(*hdr) },
		{ .iov_base = (void *)fr->b, .iov_len = fr->len },
	};
	int one = 1;

	return !setsockopt(port->fd, SOL_PACKET, PACKET_VNET_HDR, &one,
			   sizeof(one)) && port_bind(port) &&
	       writev(port->fd, iov, 2) == (ssize_t)(sizeof(*hdr) + fr->len);
}

bool port_send_vnet(const char *ns, const struct port *port,
		    const struct pkt *p, const struct frame *fr, size_t size)
{
	struct virtio_net_hdr hdr = vnet_header(p, fr, size);
	struct port vnet = { .ifindex = port->ifindex };
	int err;
	bool ok;

	if (!netns_enter(ns))
		return false;
	vnet.fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (vnet.fd < 0)
		return complain("packet socket for", "a virtio_net header");
	ok = vnet_send(&vnet, &hdr, fr);
	err = errno;
	close(vnet.fd);
	errno = err;
	return ok;
}

static u16 udp_dport(const struct pkt *p)
{
	return p->f[F_PROTO] == PROTO_UET ? PORT_UET : PORT_ROCE;
}

/* Opens a UDP socket that sends as @p says. */
static int udp_open(const struct pkt *p, const struct addressing *a)
{
	struct sockaddr_in6 s6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(p->f[F_SPORT]),
	};
	struct sockaddr_in s4 = {
		.sin_family = AF_INET,
		.sin_port = htons(p->f[F_SPORT]),
	};
	int tos = p->f[F_DSCP] << 2 | p->f[F_ECN];
	bool v6 = p->f[F_V] == 6;
	int one = 1;
	int fd;

	fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (v6) {
		if (setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos,
			       sizeof(tos)) ||
		    bind(fd, (struct sockaddr *)&s6, sizeof(s6)))
			goto err;
		s6.sin6_port = htons(udp_dport(p));
		s6.sin6_addr.s6_addr[0] = 0xfd;
		s6.sin6_addr.s6_addr[1] = a->net;
		s6.sin6_addr.s6_addr[15] = p->f[F_DST];
		if (connect(fd, (struct sockaddr *)&s6, sizeof(s6)))
			goto err;
		return fd;
	}
	if (setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) ||
	    bind(fd, (struct sockaddr *)&s4, sizeof(s4)))
		goto err;
	s4.sin_port = htons(udp_dport(p));
	s4.sin_addr.s_addr = htonl(10U << 24 | a->net << 16 | p->f[F_DST]);
	if (connect(fd, (struct sockaddr *)&s4, sizeof(s4)))
		goto err;
	return fd;
err:
	close(fd);
	return -1;
}

bool udp_send_gso(const char *ns, const struct pkt *p,
		  const struct addressing *a, const struct frame *fr,
		  size_t size)
{
	ssize_t len = fr->len - fr->payload;
	int segment = size;
	bool ok;
	int fd;

	if (!netns_enter(ns))
		return false;
	fd = udp_open(p, a);
	if (fd < 0)
		return complain("UDP socket to", "the far host");
	ok = !setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment,
			 sizeof(segment)) &&
	     send(fd, fr->b + fr->payload, len, 0) == len;
	if (!ok)
		complain("UDP segmentation of", "a send");
	close(fd);
	return ok;
}

/* Puts back the tag that the kernel keeps beside the bytes. */
static void restore_tag(struct msghdr *msg, struct frame *fr)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct tpacket_auxdata aux;
		u32 tpid = ETH_P_8021Q;

		if (c->cmsg_level != SOL_PACKET ||
		    c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
			continue;
		if (aux.tp_status & TP_STATUS_VLAN_TPID_VALID)
			tpid = aux.tp_vlan_tpid;
		frame_push_tag(fr, tpid << 16 | aux.tp_vlan_tci);
	}
}

/* Frames that hosts send on their own. */
static bool is_noise(const struct frame *fr)
{
	const u8 *b = fr->b;
	size_t len = fr->len;
	u16 type = len >= ETH_HLEN ? get16(b + 12) : 0;

	/* the one tag that the kernel kept beside the bytes */
	if (type == ETH_P_8021Q || type == ETH_P_8021AD) {
		b += 4;
		len -= 4;
	}
	if (len < ETH_HLEN)
		return true;
	type = get16(b + 12);
	if (type == ETH_P_ARP)
		return true;
	if (type != ETH_P_IPV6 || len < ETH_HLEN + 42)
		return false;
	return b[20] == IPPROTO_ICMPV6 || (b[20] == 0 && b[54] == IPPROTO_ICMPV6);
}

bool port_receive_any(const struct port *p, struct frame *fr, int timeout_ms)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLIN };
	char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec iov = { .iov_base = fr->b, .iov_len = FRAME_MAX - 4 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t len;

	if (poll(&pfd, 1, timeout_ms) < 1)
		return false;
	len = recvmsg(p->fd, &msg, 0);
	if (len < 0)
		return false;
	fr->len = len;
	fr->ip = 0;
	restore_tag(&msg, fr);
	return true;
}

bool port_receive(const struct port *p, struct frame *fr, int timeout_ms)
{
	do {
		if (!port_receive_any(p, fr, timeout_ms))
			return false;
	} while (is_noise(fr));
	return true;
}
