/* SPDX-License-Identifier: GPL-2.0 */
/* What an operator does to one job. */
#ifndef _SYMPHONY_STEER_H
#define _SYMPHONY_STEER_H

#include <linux/types.h>

#include "symphony_table.h"

struct Qdisc;
struct netlink_ext_ack;

/**
 * struct symphony_change - what is to become of a job's overrides
 * @override: the new ones, each of them if it is in @set
 * @set: bits of &enum symphony_override_attr
 * @pinned: whether the job is pinned, if that is in @set
 */
struct symphony_change {
	struct symphony_override override;
	u32 set;
	bool pinned;
};

int symphony_steer_set(struct Qdisc *sch, u32 job,
		       const struct symphony_change *change,
		       struct netlink_ext_ack *extack);
int symphony_steer_reset(struct Qdisc *sch, u32 job,
			 struct netlink_ext_ack *extack);
int symphony_steer_delete(struct Qdisc *sch, u32 job,
			  struct netlink_ext_ack *extack);

#endif
