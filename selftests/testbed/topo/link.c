// SPDX-License-Identifier: GPL-2.0
/* Namespaces and links. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simdev_netlink.h"
#include "topo.h"

#define NETNS_DIR "/run/netns"

/* topo_enter() - go into a namespace */
void topo_enter(const struct topo_ns *ns)
{
	if (setns(ns->fd, CLONE_NEWNET))
		topo_die("setns %s: %s", ns->name, strerror(errno));
}

struct nl_msg *topo_msg(int type, int flags, void *head, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, head, len, NLMSG_ALIGNTO))
		topo_die("out of memory");
	return msg;
}

/* topo_send() - send a request and wait until it is done */
void topo_send(struct topo_ns *ns, struct nl_msg *msg, const char *what)
{
	int err = nl_send_auto(ns->sock, msg);

	if (err >= 0)
		err = nl_wait_for_ack(ns->sock);
	if (err < 0)
		topo_die("%s in %s: %s", what, ns->name, nl_geterror(err));
	nlmsg_free(msg);
}

static void write_sysctl(const char *path, unsigned int value)
{
	FILE *file = fopen(path, "w");

	if (!file)
		topo_die("%s: %s", path, strerror(errno));
	fprintf(file, "%u\n", value);
	if (fclose(file))
		topo_die("%s: %u: %s", path, value, strerror(errno));
}

/* Every switch hashes in its own way, the same in every run of a seed. */
static unsigned int hash_seed(const struct topo *t, const struct topo_ns *ns)
{
	__u32 x = t->options.seed * 0x9e3779b1U + ns->id * 0x85ebca77U;

	x = (x ^ x >> 15) * 0x2c1b3c6dU;
	x = (x ^ x >> 12) * 0x297a2d39U;
	x ^= x >> 15;
	return x ? x : 1;
}

static void set_sysctls(const struct topo *t, const struct topo_ns *ns)
{
	static const char ipv6[] = "/proc/sys/net/ipv6/conf/default/disable_ipv6";

	/* Neither router solicitations nor address detection on the links. */
	if (!access(ipv6, F_OK))
		write_sysctl(ipv6, 1);
	write_sysctl("/proc/sys/net/ipv4/conf/all/rp_filter", 0);
	write_sysctl("/proc/sys/net/ipv4/conf/default/rp_filter", 0);
	if (!ns->id)
		return;
	write_sysctl("/proc/sys/net/ipv4/ip_forward", 1);
	/* A next hop whose link is down is none. */
	write_sysctl("/proc/sys/net/ipv4/conf/all/ignore_routes_with_linkdown",
		     1);
	write_sysctl("/proc/sys/net/ipv4/conf/default/ignore_routes_with_linkdown",
		     1);
	write_sysctl("/proc/sys/net/ipv4/fib_multipath_hash_policy",
		     t->options.routing != TOPO_PAIR);
	write_sysctl("/proc/sys/net/ipv4/fib_multipath_hash_seed",
		     hash_seed(t, ns));
}

/* With lo up there is a table of local addresses, which routes need. */
static void set_loopback_up(struct topo_ns *ns)
{
	struct ifinfomsg info = {
		.ifi_index = 1,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};

	topo_send(ns, topo_msg(RTM_NEWLINK, 0, &info, sizeof(info)), "lo");
}

static void make_namespace(struct topo *t, struct topo_ns *ns)
{
	char path[64];
	int fd;

	if (unshare(CLONE_NEWNET))
		topo_die("unshare: %s", strerror(errno));
	snprintf(path, sizeof(path), NETNS_DIR "/%s", ns->name);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL, 0);
	if (fd < 0)
		topo_die("%s: %s", path, strerror(errno));
	close(fd);
	if (mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
		topo_die("%s: mount: %s", path, strerror(errno));
	ns->fd = open(path, O_RDONLY | O_CLOEXEC);
	ns->sock = nl_socket_alloc();
	if (ns->fd < 0 || !ns->sock || nl_connect(ns->sock, NETLINK_ROUTE))
		topo_die("%s: no rtnetlink socket", ns->name);
	set_sysctls(t, ns);
	set_loopback_up(ns);
}

void topo_make_namespaces(struct topo *t)
{
	unsigned int i;

	/* As ip-netns does: what is mounted here is seen everywhere. */
	mkdir(NETNS_DIR, 0755);
	if (mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL)) {
		if (mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL) ||
		    mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
			topo_die(NETNS_DIR ": mount: %s", strerror(errno));
	}
	for (i = 0; i < t->nns; i++)
		make_namespace(t, &t->ns[i]);
}

static void put_port(struct topo *t, struct nl_msg *msg,
		     const struct topo_port *port)
{
	nla_put_string(msg, IFLA_IFNAME, port->dev);
	nla_put(msg, IFLA_ADDRESS, sizeof(port->mac), port->mac);
	nla_put_u32(msg, IFLA_TXQLEN, t->options.txqlen);
	nla_put_u32(msg, IFLA_NUM_TX_QUEUES, t->options.classes);
}

static void make_link(struct topo *t, struct topo_port *port)
{
	struct topo_options *o = &t->options;
	struct topo_port *peer = port->peer;
	struct ifinfomsg info = { .ifi_index = port->index };
	struct ifinfomsg peer_info = { .ifi_index = peer->index };
	struct nlattr *link, *data, *nest;
	struct nl_msg *msg;

	msg = topo_msg(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info,
		       sizeof(info));
	put_port(t, msg, port);
	link = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "simdev");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u64(msg, SIMDEV_RATE, port->rate);
	nla_put_u32(msg, SIMDEV_DELAY, o->delay);
	nla_put_u32(msg, SIMDEV_OVERHEAD, o->overhead);
	nest = nla_nest_start(msg, SIMDEV_PEER);
	nlmsg_append(msg, &peer_info, sizeof(peer_info), NLMSG_ALIGNTO);
	put_port(t, msg, peer);
	nla_put_u32(msg, IFLA_NET_NS_FD, peer->ns->fd);
	nla_nest_end(msg, nest);
	nla_nest_end(msg, data);
	nla_nest_end(msg, link);
	topo_send(port->ns, msg, port->dev);
}

/* What the ends do not have in common, and up. */
static void configure_port(struct topo *t, struct topo_port *port)
{
	struct topo_options *o = &t->options;
	struct ifinfomsg info = {
		.ifi_index = port->index,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};
	struct nlattr *link, *data;
	struct nl_msg *msg;

	msg = topo_msg(RTM_NEWLINK, 0, &info, sizeof(info));
	link = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "simdev");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u64(msg, SIMDEV_RATE, port->rate);
	if (port->ns->id && o->buffer) {
		nla_put_u32(msg, SIMDEV_SWITCH, port->ns->id);
		nla_put_u32(msg, SIMDEV_BUFFER, o->buffer);
		nla_put_u32(msg, SIMDEV_PFC, o->pfc);
		nla_put_u32(msg, SIMDEV_PFC_SHIFT, o->pfc_shift);
		nla_put_u32(msg, SIMDEV_PFC_XON, o->pfc_xon);
		nla_put_u32(msg, SIMDEV_HEADROOM, o->headroom);
	}
	nla_nest_end(msg, data);
	nla_nest_end(msg, link);
	topo_send(port->ns, msg, port->dev);
}

void topo_make_links(struct topo *t)
{
	unsigned int i;

	for (i = 0; i < t->nports; i += 2)
		make_link(t, &t->ports[i]);
	for (i = 0; i < t->nports; i++)
		configure_port(t, &t->ports[i]);
}
