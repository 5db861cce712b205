/* SPDX-License-Identifier: GPL-2.0 */
/* What older kernels lack, so that the other files read like mainline. Each
 * HAVE_ is the answer of a probe in kernel/Kbuild.
 */
#ifndef _SYMPHONY_COMPAT_H
#define _SYMPHONY_COMPAT_H

#include <linux/ethtool.h>
#include <linux/module.h>
#include <net/genetlink.h>
#include <net/pkt_cls.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#ifndef HAVE_MODULE_ALIAS_NET_SCH
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

#ifndef HAVE_NETIF_GET_LINK_KSETTINGS
/* A change of a qdisc has whatever lock the device wants. */
#define netif_get_link_ksettings(dev, link) __ethtool_get_link_ksettings(dev, link)
#endif

#ifndef HAVE_GENL_INFO_DUMP
/* What the request of a dump was; of its members there are attrs alone. */
#define genl_info_dump(cb) genl_dumpit_info(cb)
#endif

#ifndef HAVE_TCF_CLASSIFY_QDISC
/* A redirect is for ingress and egress hooks: a qdisc would send and keep it. */
static inline int tcf_classify_qdisc(struct sk_buff *skb,
				     const struct tcf_proto *tp,
				     struct tcf_result *res, bool compat_mode)
{
	int verdict = tcf_classify(skb, NULL, tp, res, compat_mode);

	return verdict == TC_ACT_REDIRECT ? TC_ACT_SHOT : verdict;
}
#endif

#ifndef HAVE_TC_QDISC_STATS_DUMP
/* One step of a walk over classes: true if the next class is to follow. */
static inline bool tc_qdisc_stats_dump(struct Qdisc *sch, unsigned long cl,
				       struct qdisc_walker *walker)
{
	bool skipped = walker->count < walker->skip;

	if (!skipped && walker->fn(sch, cl, walker) < 0)
		walker->stop = 1;
	else
		walker->count++;
	return !walker->stop;
}
#endif

#endif
