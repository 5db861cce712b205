/* SPDX-License-Identifier: GPL-2.0 */
/* What a network namespace knows of its symphony qdiscs. */
#ifndef _SYMPHONY_NET_H
#define _SYMPHONY_NET_H

#include <linux/list.h>
#include <linux/types.h>

#include "symphony_event.h"

struct Qdisc;
struct net;
struct netlink_ext_ack;

/**
 * struct symphony_net - of a network namespace
 * @domains: tables that qdiscs share, &symphony_table.node; RTNL
 * @qdiscs: &symphony_sched_data.node, in the order of their ::id; written under
 *	RTNL, read under RCU
 * @last_id: ::id of the qdisc that came last
 * @generation: grows when a qdisc comes or goes or takes another table
 * @events: for those who listen
 */
struct symphony_net {
	struct list_head domains;
	struct list_head qdiscs;
	u64 last_id;
	u32 generation;
	struct symphony_events events;
};

struct symphony_net *symphony_net(const struct net *net);
int symphony_net_link(struct Qdisc *sch, struct netlink_ext_ack *extack);
void symphony_net_unlink(struct Qdisc *sch);
void symphony_net_changed(const struct net *net);

int symphony_net_register(void);
void symphony_net_unregister(void);

#endif
