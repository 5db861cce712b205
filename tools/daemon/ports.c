// SPDX-License-Identifier: GPL-2.0
/* The qdiscs with the block of filters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"

/* While qdiscs come and go the last list must do. */
#define DUMP_TRIES	3

struct search {
	__u32 block;
	struct ports ports;
};

static int on_qdisc(const struct symphony_qdisc *qdisc, void *arg)
{
	struct search *search = arg;
	struct port *port;

	if (qdisc->egress_block != search->block)
		return 0;
	port = reallocarray(search->ports.port, search->ports.nr + 1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	search->ports.port = port;
	port += search->ports.nr++;
	memset(port, 0, sizeof(*port));
	port->place.ifindex = qdisc->ifindex;
	port->place.handle = qdisc->handle;
	port->domain = symphony_get(&qdisc->options, TCA_SYMPHONY_DOMAIN);
	port->job_source = symphony_get(&qdisc->options, TCA_SYMPHONY_JOB);
	memcpy(port->dev, qdisc->dev, sizeof(port->dev));
	return 0;
}

bool ports_equal(const struct ports *a, const struct ports *b)
{
	return a->nr == b->nr &&
	       (!a->nr || !memcmp(a->port, b->port, a->nr * sizeof(*a->port)));
}

int ports_read(struct symphony *sym, __u32 block, struct ports *ports)
{
	struct search search = { .block = block };
	int tries, err = -EINTR;

	for (tries = 0; err == -EINTR && tries < DUMP_TRIES; tries++) {
		search.ports.nr = 0;
		err = symphony_qdiscs(sym, 0, on_qdisc, &search);
	}
	if (err && err != -EINTR) {
		ports_free(&search.ports);
		return err;
	}
	ports_free(ports);
	*ports = search.ports;
	return 0;
}

bool ports_table(const struct ports *ports, size_t i, struct symphony_place *place)
{
	const struct port *port = &ports->port[i];
	size_t before;

	memset(place, 0, sizeof(*place));
	if (!port->domain) {
		*place = port->place;
		return true;
	}
	place->domain = port->domain;
	for (before = 0; before < i; before++) {
		if (ports->port[before].domain == port->domain)
			return false;
	}
	return true;
}

void ports_free(struct ports *ports)
{
	free(ports->port);
	memset(ports, 0, sizeof(*ports));
}
