/* SPDX-License-Identifier: GPL-2.0 */
/* Netlink configuration. */
#ifndef _SYMPHONY_CONFIG_H
#define _SYMPHONY_CONFIG_H

struct Qdisc;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

int symphony_config_init(struct Qdisc *sch, struct nlattr *opt,
			 struct netlink_ext_ack *extack);
int symphony_config_change(struct Qdisc *sch, struct nlattr *opt,
			   struct netlink_ext_ack *extack);
int symphony_config_dump(struct Qdisc *sch, struct sk_buff *skb);

#endif
