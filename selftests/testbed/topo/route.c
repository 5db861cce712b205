// SPDX-License-Identifier: GPL-2.0
/* Addresses, neighbours, routes: all static. */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "topo.h"

/* The ports of a switch that lead to the next tier, in order. */
struct uplinks {
	struct topo_port *port[TOPO_SWITCHES_MAX];
	unsigned int count;
};

static void make_address(struct topo_port *port)
{
	struct ifaddrmsg head = {
		.ifa_family = AF_INET,
		.ifa_prefixlen = 32,
		.ifa_index = port->index,
	};
	__u32 address = htonl(port->address);
	struct nl_msg *msg;

	msg = topo_msg(RTM_NEWADDR, NLM_F_CREATE, &head, sizeof(head));
	nla_put_u32(msg, IFA_LOCAL, address);
	nla_put_u32(msg, IFA_ADDRESS, address);
	topo_send(port->ns, msg, "address");
}

static void make_neighbour(struct topo_port *port)
{
	struct ndmsg head = {
		.ndm_family = AF_INET,
		.ndm_ifindex = port->index,
		.ndm_state = NUD_PERMANENT,
	};
	struct nl_msg *msg;

	msg = topo_msg(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &head,
		       sizeof(head));
	nla_put_u32(msg, NDA_DST, htonl(port->peer->address));
	nla_put(msg, NDA_LLADDR, sizeof(port->peer->mac), port->peer->mac);
	topo_send(port->ns, msg, "neighbour");
}

void topo_make_neighbours(struct topo *t)
{
	unsigned int i;

	for (i = 0; i < t->nports; i++) {
		if (t->ports[i].ns->id)
			make_neighbour(&t->ports[i]);
		else
			make_address(&t->ports[i]);
	}
}

static struct nl_msg *route_msg(__u32 host, bool one_host, bool direct)
{
	struct rtmsg head = {
		.rtm_family = AF_INET,
		.rtm_dst_len = one_host ? 32 : 0,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = direct ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_UNICAST,
	};
	struct nl_msg *msg;

	msg = topo_msg(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &head,
		       sizeof(head));
	if (one_host)
		nla_put_u32(msg, RTA_DST, htonl(host));
	return msg;
}

/* One hop to a host that is there. */
static void route_direct(struct topo_port *port)
{
	struct nl_msg *msg = route_msg(port->peer->address, true, true);

	nla_put_u32(msg, RTA_OIF, port->index);
	topo_send(port->ns, msg, "route");
}

/* To a host, or to all others, by any of the ports. */
static void route_via(struct topo_ns *ns, __u32 host, bool one_host,
		      const struct uplinks *up)
{
	struct nl_msg *msg = route_msg(host, one_host, false);
	struct rtnexthop hop = {};
	struct nlattr *nest;
	struct rtnexthop *at;
	unsigned int i;

	nest = nla_nest_start(msg, RTA_MULTIPATH);
	for (i = 0; i < up->count; i++) {
		hop.rtnh_flags = RTNH_F_ONLINK;
		hop.rtnh_ifindex = up->port[i]->index;
		hop.rtnh_len = sizeof(hop) + nla_total_size(sizeof(__u32));
		at = nlmsg_reserve(msg, sizeof(hop), NLMSG_ALIGNTO);
		if (!at)
			topo_die("out of memory");
		*at = hop;
		nla_put_u32(msg, RTA_GATEWAY, htonl(up->port[i]->peer->address));
	}
	nla_nest_end(msg, nest);
	topo_send(ns, msg, "route");
}

static void find_links(struct topo *t, struct topo_ns *from,
		       struct topo_ns *(*tier)(struct topo *t, unsigned int i),
		       unsigned int first, unsigned int count,
		       struct uplinks *up)
{
	char dev[2 * TOPO_NAME_MAX];
	unsigned int i;

	up->count = 0;
	for (i = first; i < first + count; i++) {
		snprintf(dev, sizeof(dev), "%s%s", from->name,
			 tier(t, i)->name);
		up->port[up->count++] = topo_port_between(t, from, dev);
	}
}

static struct topo_port *host_port(struct topo *t, unsigned int host)
{
	/* Host links come first, the switch's end before the host's. */
	return &t->ports[2 * host];
}

/* To all hosts that are not below: one route, or one a host. */
static void route_up(struct topo *t, struct topo_ns *ns,
		     const struct uplinks *up, bool (*below)(struct topo *t,
		     struct topo_ns *ns, unsigned int host))
{
	struct uplinks one = { .count = 1 };
	unsigned int host;

	if (!up->count)
		return;
	if (t->options.routing != TOPO_BALANCED) {
		route_via(ns, 0, false, up);
		return;
	}
	for (host = 0; host < t->options.hosts; host++) {
		if (below(t, ns, host))
			continue;
		one.port[0] = up->port[host % up->count];
		route_via(ns, host_port(t, host)->peer->address, true, &one);
	}
}

static bool below_tor(struct topo *t, struct topo_ns *ns, unsigned int host)
{
	return host_port(t, host)->ns == ns;
}

static unsigned int pod_of_spine(struct topo *t, struct topo_ns *ns)
{
	return (ns - topo_spine(t, 0)) / topo_spines_in_pod(t);
}

static unsigned int pod_of_host(struct topo *t, unsigned int host)
{
	return topo_pod_of_tor(t, topo_tor_of_host(t, host));
}

static bool below_spine(struct topo *t, struct topo_ns *ns, unsigned int host)
{
	return pod_of_host(t, host) == pod_of_spine(t, ns);
}

static void route_tor(struct topo *t, unsigned int i)
{
	unsigned int host, pod = topo_pod_of_tor(t, i);
	struct topo_ns *ns = topo_tor(t, i);
	struct uplinks up;

	for (host = 0; host < t->options.hosts; host++)
		if (below_tor(t, ns, host))
			route_direct(host_port(t, host));
	find_links(t, ns, topo_spine, pod * topo_spines_in_pod(t),
		   topo_spines_in_pod(t), &up);
	route_up(t, ns, &up, below_tor);
}

static void route_spine(struct topo *t, unsigned int i)
{
	struct topo_ns *ns = topo_spine(t, i);
	struct uplinks up, down;
	unsigned int host;

	for (host = 0; host < t->options.hosts; host++) {
		if (!below_spine(t, ns, host))
			continue;
		find_links(t, ns, topo_tor, topo_tor_of_host(t, host), 1,
			   &down);
		route_via(ns, host_port(t, host)->peer->address, true, &down);
	}
	find_links(t, ns, topo_core, 0, t->options.cores, &up);
	route_up(t, ns, &up, below_spine);
}

static void route_core(struct topo *t, unsigned int i)
{
	struct topo_ns *ns = topo_core(t, i);
	unsigned int host, spines = topo_spines_in_pod(t);
	struct uplinks down;

	for (host = 0; host < t->options.hosts; host++) {
		find_links(t, ns, topo_spine, pod_of_host(t, host) * spines,
			   spines, &down);
		if (t->options.routing == TOPO_BALANCED) {
			down.port[0] = down.port[host % down.count];
			down.count = 1;
		}
		route_via(ns, host_port(t, host)->peer->address, true, &down);
	}
}

void topo_make_routes(struct topo *t)
{
	struct topo_options *o = &t->options;
	unsigned int i;

	for (i = 0; i < o->tors; i++)
		route_tor(t, i);
	for (i = 0; i < o->spines * o->pods; i++)
		route_spine(t, i);
	for (i = 0; i < o->cores; i++)
		route_core(t, i);
}
