// SPDX-License-Identifier: GPL-2.0
/* Qdiscs: requests and answers of rtnetlink. */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define KIND	"symphony"

struct dump {
	unsigned int ifindex;
	symphony_qdisc_cb cb;
	void *arg;
};

/* A kernel of another age may have shorter or longer structures. */
static void take(void *to, size_t size, struct nlattr *attr)
{
	if (attr)
		nla_memcpy(to, attr, size);
}

static void read_stats(struct symphony_qdisc *qdisc, struct nlattr *nest)
{
	struct nlattr *tb[TCA_STATS_MAX + 1] = { NULL };
	struct gnet_stats_basic basic = { 0 };
	struct gnet_stats_queue queue = { 0 };
	__u64 packets;

	if (!nest || nla_parse_nested(tb, TCA_STATS_MAX, nest, NULL))
		return;
	take(&basic, sizeof(basic), tb[TCA_STATS_BASIC]);
	take(&queue, sizeof(queue), tb[TCA_STATS_QUEUE]);
	packets = basic.packets;
	take(&packets, sizeof(packets), tb[TCA_STATS_PKT64]);
	qdisc->bytes = basic.bytes;
	qdisc->packets = packets;
	qdisc->drops = queue.drops;
	qdisc->overlimits = queue.overlimits;
	qdisc->requeues = queue.requeues;
	qdisc->qlen = queue.qlen;
	qdisc->backlog = queue.backlog;
	symphony_values_read(&qdisc->stats, tb[TCA_STATS_APP]);
}

static int on_qdisc(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[TCA_MAX + 1] = { NULL };
	struct symphony_qdisc qdisc = { 0 };
	const struct dump *dump = arg;
	const struct tcmsg *tcm;

	tcm = nlmsg_data(nlh);
	if (nlh->nlmsg_type != RTM_NEWQDISC || !nlmsg_valid_hdr(nlh, sizeof(*tcm)))
		return 0;
	if (dump->ifindex && (unsigned int)tcm->tcm_ifindex != dump->ifindex)
		return 0;
	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*tcm), tb, TCA_MAX, NULL) ||
	    !tb[TCA_KIND] || nla_strcmp(tb[TCA_KIND], KIND))
		return 0;
	qdisc.ifindex = tcm->tcm_ifindex;
	qdisc.handle = tcm->tcm_handle;
	qdisc.parent = tcm->tcm_parent;
	/* one that has gone meanwhile has no name */
	if (!if_indextoname(qdisc.ifindex, qdisc.dev))
		snprintf(qdisc.dev, sizeof(qdisc.dev), "if%u", qdisc.ifindex);
	take(&qdisc.egress_block, sizeof(qdisc.egress_block), tb[TCA_EGRESS_BLOCK]);
	symphony_values_read(&qdisc.options, tb[TCA_OPTIONS]);
	read_stats(&qdisc, tb[TCA_STATS2]);
	return dump->cb(&qdisc, dump->arg);
}

static struct nl_msg *new_request(int type, unsigned int ifindex, __u32 parent, __u32 handle)
{
	struct tcmsg tcm = {
		.tcm_family = AF_UNSPEC,
		.tcm_ifindex = ifindex,
		.tcm_parent = parent,
		.tcm_handle = handle,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	if (msg && nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int symphony_qdiscs(struct symphony *sym, unsigned int ifindex, symphony_qdisc_cb cb, void *arg)
{
	struct dump dump = { .ifindex = ifindex, .cb = cb, .arg = arg };

	return symphony_talk(sym, sym->route, new_request(RTM_GETQDISC, ifindex, 0, 0),
			     NLM_F_DUMP, on_qdisc, &dump);
}

static int put_options(struct nl_msg *msg, const struct symphony_values *options)
{
	struct nlattr *nest;
	int err;

	if (nla_put_string(msg, TCA_KIND, KIND))
		return -EMSGSIZE;
	nest = nla_nest_start(msg, TCA_OPTIONS | NLA_F_NESTED);
	if (!nest)
		return -EMSGSIZE;
	err = options ? symphony_values_put(msg, options, symphony_option_field) : 0;
	nla_nest_end(msg, nest);
	return err;
}

int symphony_qdisc_set(struct symphony *sym, enum symphony_how how, unsigned int ifindex,
		       __u32 parent, __u32 handle, const struct symphony_values *options)
{
	static const int flags[] = {
		[SYMPHONY_ADD]		= NLM_F_CREATE | NLM_F_EXCL,
		[SYMPHONY_CHANGE]	= 0,
		[SYMPHONY_REPLACE]	= NLM_F_CREATE | NLM_F_REPLACE,
	};
	struct nl_msg *msg;
	int err;

	if (how >= ROWS(flags))
		return symphony_fail(sym, -EINVAL, "there is no way %d to set a qdisc", how);
	msg = new_request(RTM_NEWQDISC, ifindex, parent, handle);
	err = msg ? put_options(msg, options) : 0;
	if (err) {
		nlmsg_free(msg);
		return symphony_fail(sym, err, "an option is unknown or its value too large");
	}
	return symphony_talk(sym, sym->route, msg, NLM_F_ACK | flags[how], NULL, NULL);
}

int symphony_qdisc_delete(struct symphony *sym, unsigned int ifindex, __u32 parent)
{
	return symphony_talk(sym, sym->route, new_request(RTM_DELQDISC, ifindex, parent, 0),
			     NLM_F_ACK, NULL, NULL);
}
