/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor asks of a device. */
#ifndef _SYMPHONY_LINK_H
#define _SYMPHONY_LINK_H

#include <net/if.h>
#include <stdbool.h>

/**
 * struct link - a device
 * @ifindex: number
 * @master: of the bridge or bond that it is a port of, or 0
 * @flags: IFF_*
 * @queues: for transmission
 * @xdp: an XDP program is attached
 * @name: name
 * @kind: as ip link has it, empty of hardware
 */
struct link {
	unsigned int ifindex;
	unsigned int master;
	unsigned int flags;
	unsigned int queues;
	bool xdp;
	char name[IFNAMSIZ];
	char kind[IFNAMSIZ];
};

/**
 * links_get() - all devices of the network namespace
 * @links: result, to be freed
 *
 * Return: their number, or a negative errno.
 */
int links_get(struct link **links);

/**
 * link_feature() - whether a device has a feature switched on
 * @name: of the device
 * @feature: as "ethtool -k" has it
 *
 * Return: true if so; false also if that cannot be known.
 */
bool link_feature(const char *name, const char *feature);

#endif
