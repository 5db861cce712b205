// SPDX-License-Identifier: GPL-2.0
/* Which namespaces, links, names, numbers and rates there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo.h"

#define HOST_NET	0x0a000100U	/* 10.0.1.0 */
#define GATEWAY_NET	0x0a800000U	/* 10.128.0.0 */

unsigned int topo_spines_in_pod(const struct topo *t)
{
	return t->options.spines;
}

static unsigned int spines(const struct topo *t)
{
	return t->options.spines * t->options.pods;
}

struct topo_ns *topo_tor(struct topo *t, unsigned int i)
{
	return &t->ns[1 + i];
}

struct topo_ns *topo_spine(struct topo *t, unsigned int i)
{
	return &t->ns[1 + t->options.tors + i];
}

struct topo_ns *topo_core(struct topo *t, unsigned int i)
{
	return &t->ns[1 + t->options.tors + spines(t) + i];
}

unsigned int topo_tor_of_host(const struct topo *t, unsigned int host)
{
	return host * t->options.tors / t->options.hosts;
}

unsigned int topo_pod_of_tor(const struct topo *t, unsigned int tor)
{
	return tor / (t->options.tors / t->options.pods);
}

struct topo_port *topo_port_between(struct topo *t, const struct topo_ns *from,
				    const char *dev)
{
	unsigned int i;

	for (i = 0; i < t->nports; i++)
		if (t->ports[i].ns == from && !strcmp(t->ports[i].dev, dev))
			return &t->ports[i];
	topo_die("%s: no such device in %s", dev, from->name);
}

static __u64 skewed(struct topo_options *o, const char *dev, __u64 rate)
{
	unsigned int i;

	for (i = 0; i < o->nskews; i++) {
		if (strcmp(o->skews[i].dev, dev))
			continue;
		o->skews[i].used = true;
		return rate / o->skews[i].factor;
	}
	return rate;
}

static struct topo_port *add_port(struct topo *t, struct topo_ns *ns,
				  const char *near, const char *far,
				  __u64 rate)
{
	struct topo_port *port = &t->ports[t->nports++];

	snprintf(port->dev, sizeof(port->dev), "%.6s%.6s", near, far);
	port->ns = ns;
	port->rate = skewed(&t->options, port->dev, rate);
	port->number = t->nports;
	port->index = 1 + port->number;	/* lo is 1 */
	port->address = GATEWAY_NET + port->number;
	port->mac[0] = 0x02;
	port->mac[4] = port->number >> 8;
	port->mac[5] = port->number;
	return port;
}

static void join(struct topo_port *a, struct topo_port *b)
{
	a->peer = b;
	b->peer = a;
}

static void plan_host_links(struct topo *t)
{
	struct topo_port *up, *down;
	struct topo_ns *tor;
	char name[8];
	unsigned int i;

	for (i = 0; i < t->options.hosts; i++) {
		snprintf(name, sizeof(name), "h%u", i);
		tor = topo_tor(t, topo_tor_of_host(t, i));
		down = add_port(t, tor, tor->name, name, t->options.host_rate);
		up = add_port(t, &t->ns[0], name, "", t->options.host_rate);
		up->address = HOST_NET + i;
		join(down, up);
	}
}

static void plan_switch_link(struct topo *t, struct topo_ns *a,
			     struct topo_ns *b, __u64 rate)
{
	struct topo_port *pa, *pb;

	pa = add_port(t, a, a->name, b->name, rate);
	pb = add_port(t, b, b->name, a->name, rate);
	join(pa, pb);
}

static void plan_switch_links(struct topo *t)
{
	struct topo_options *o = &t->options;
	unsigned int tor, spine, core, pod;

	for (tor = 0; tor < o->tors; tor++) {
		pod = topo_pod_of_tor(t, tor);
		for (spine = 0; spine < o->spines; spine++)
			plan_switch_link(t, topo_tor(t, tor),
					 topo_spine(t, pod * o->spines + spine),
					 o->spine_rate);
	}
	for (spine = 0; spine < spines(t); spine++)
		for (core = 0; core < o->cores; core++)
			plan_switch_link(t, topo_spine(t, spine),
					 topo_core(t, core), o->core_rate);
}

static void plan_ns(struct topo *t, char kind, unsigned int count)
{
	struct topo_ns *ns;
	unsigned int i;

	for (i = 0; i < count; i++) {
		ns = &t->ns[t->nns];
		ns->id = t->nns++;
		snprintf(ns->name, sizeof(ns->name), "%c%u", kind, i);
	}
}

void topo_plan(struct topo *t)
{
	struct topo_options *o = &t->options;
	size_t links = o->hosts + o->tors * o->spines + spines(t) * o->cores;
	size_t switches = o->tors + spines(t) + o->cores;
	unsigned int i;

	t->ns = calloc(1 + switches, sizeof(*t->ns));
	t->ports = calloc(2 * links, sizeof(*t->ports));
	if (!t->ns || !t->ports)
		topo_die("out of memory");
	snprintf(t->ns[0].name, sizeof(t->ns[0].name), "hosts");
	t->nns = 1;
	plan_ns(t, 't', o->tors);
	plan_ns(t, 's', spines(t));
	plan_ns(t, 'c', o->cores);
	plan_host_links(t);
	plan_switch_links(t);
	for (i = 0; i < o->nskews; i++)
		if (!o->skews[i].used)
			topo_die("skew: there is no device %s", o->skews[i].dev);
}
