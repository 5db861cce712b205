/* SPDX-License-Identifier: GPL-2.0 */
/* Builds a fabric of namespaces and simdev links. */
#ifndef _TOPO_H
#define _TOPO_H

#include <linux/if.h>
#include <linux/types.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdnoreturn.h>

#define TOPO_HOSTS_MAX		512
#define TOPO_SWITCHES_MAX	256
#define TOPO_SKEWS_MAX		64
#define TOPO_NAME_MAX		IFNAMSIZ

enum topo_routing {
	TOPO_ECMP,
	TOPO_PAIR,
	TOPO_BALANCED,
};

/**
 * struct topo_skew - a device slower than the others
 * @dev: name
 * @factor: its rate is divided by this
 * @used: the device exists
 */
struct topo_skew {
	char dev[TOPO_NAME_MAX];
	double factor;
	bool used;
};

/* What was asked for; ../README.rst has the meanings. */
struct topo_options {
	__u64 hosts, tors, spines, pods, cores;
	__u64 rate, host_rate, spine_rate, core_rate;
	__u64 delay, overhead, classes;
	__u64 buffer, pfc, pfc_shift, pfc_xon, headroom;
	__u64 routing, seed, txqlen, print;
	const char *qdisc, *qdisc_host_port;
	struct topo_skew skews[TOPO_SKEWS_MAX];
	unsigned int nskews;
};

/**
 * struct topo_ns - a namespace
 * @name: below /run/netns
 * @fd: of the namespace
 * @sock: rtnetlink in it
 * @id: number of the switch, 0 for the hosts
 */
struct topo_ns {
	char name[TOPO_NAME_MAX];
	int fd;
	struct nl_sock *sock;
	__u32 id;
};

/**
 * struct topo_port - one end of a link
 * @dev: device name
 * @ns: where it is
 * @peer: the other end
 * @rate: bit/s
 * @index: interface index, no other device has it in any namespace
 * @number: from 1, over all ports
 * @address: IPv4 address in host byte order: a host's own, or the one by which
 *	a switch is the next hop for the other end
 * @mac: hardware address
 */
struct topo_port {
	char dev[TOPO_NAME_MAX];
	struct topo_ns *ns;
	struct topo_port *peer;
	__u64 rate;
	int index;
	__u32 number;
	__u32 address;
	unsigned char mac[6];
};

/**
 * struct topo - all that is built
 * @options: what was asked for
 * @ns: namespaces, the hosts' first, then ToRs, spines, cores
 * @nns: number of them
 * @ports: ends of links, two by two
 * @nports: number of them
 */
struct topo {
	struct topo_options options;
	struct topo_ns *ns;
	unsigned int nns;
	struct topo_port *ports;
	unsigned int nports;
};

/* options.c */
void topo_parse(struct topo_options *o, int argc, char **argv);

/* plan.c */
void topo_plan(struct topo *t);
struct topo_ns *topo_tor(struct topo *t, unsigned int i);
struct topo_ns *topo_spine(struct topo *t, unsigned int i);
struct topo_ns *topo_core(struct topo *t, unsigned int i);
unsigned int topo_tor_of_host(const struct topo *t, unsigned int host);
unsigned int topo_pod_of_tor(const struct topo *t, unsigned int tor);
unsigned int topo_spines_in_pod(const struct topo *t);
struct topo_port *topo_port_between(struct topo *t, const struct topo_ns *from,
				    const char *dev);

/* link.c */
void topo_make_namespaces(struct topo *t);
void topo_make_links(struct topo *t);
void topo_enter(const struct topo_ns *ns);
void topo_send(struct topo_ns *ns, struct nl_msg *msg, const char *what);
struct nl_msg *topo_msg(int type, int flags, void *head, size_t len);

/* route.c */
void topo_make_neighbours(struct topo *t);
void topo_make_routes(struct topo *t);

/* die.c */
noreturn void topo_die(const char *fmt, ...);

#endif
