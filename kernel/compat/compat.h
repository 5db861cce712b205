/* SPDX-License-Identifier: GPL-2.0 */
/* What older kernels lack, so that the other files read like mainline. */
#ifndef _SYMPHONY_COMPAT_H
#define _SYMPHONY_COMPAT_H

#include <linux/module.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id) MODULE_ALIAS("net-sch-" id)
#endif

#ifndef HAVE_QDISC_QLEN_INC
static inline void qdisc_qlen_inc(struct Qdisc *sch)
{
	sch->q.qlen++;
}

static inline void qdisc_qlen_dec(struct Qdisc *sch)
{
	sch->q.qlen--;
}
#endif

#endif
