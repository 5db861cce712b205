// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "symphony": jobs, one by one. Who reads takes no lock and
 * holds nobody up (symphony_walk.c).
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/pkt_sched.h>
#include <net/sock.h>

#include <linux/symphony.h>

#include "compat/compat.h"
#include "symphony.h"
#include "symphony_genl.h"
#include "symphony_net.h"
#include "symphony_steer.h"
#include "symphony_walk.h"

/* Ranges are checked where there is a sentence for each. */
static const struct nla_policy symphony_select_policy[SYMPHONY_ATTR_JOB + 1] = {
	[SYMPHONY_ATTR_IFINDEX] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_HANDLE] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_PARENT] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_DOMAIN] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_JOB] = { .type = NLA_U32 },
};

static const struct nla_policy symphony_job_policy[SYMPHONY_ATTR_JOBS + 1] = {
	[SYMPHONY_ATTR_IFINDEX] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_HANDLE] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_PARENT] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_DOMAIN] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_JOB] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_ACTIVE] = { .type = NLA_U64 },
	[SYMPHONY_ATTR_JOBS] = { .type = NLA_BINARY },
};

static const struct nla_policy symphony_flow_policy[SYMPHONY_ATTR_JOBS + 1] = {
	[SYMPHONY_ATTR_IFINDEX] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_HANDLE] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_PARENT] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_DOMAIN] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_JOB] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_JOBS] = { .type = NLA_BINARY },
};

static const struct nla_policy
symphony_override_policy[SYMPHONY_OVERRIDE_ATTR_MAX + 1] = {
	[SYMPHONY_OVERRIDE_ATTR_K] = { .type = NLA_U32 },
	[SYMPHONY_OVERRIDE_ATTR_TAU] = { .type = NLA_U32 },
	[SYMPHONY_OVERRIDE_ATTR_MODE] = { .type = NLA_U32 },
	[SYMPHONY_OVERRIDE_ATTR_PINNED] = { .type = NLA_U32 },
};

static const struct nla_policy symphony_set_policy[SYMPHONY_ATTR_OVERRIDES + 1] = {
	[SYMPHONY_ATTR_IFINDEX] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_HANDLE] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_PARENT] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_DOMAIN] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_JOB] = { .type = NLA_U32 },
	[SYMPHONY_ATTR_OVERRIDES] = NLA_POLICY_NESTED(symphony_override_policy),
};

/**
 * struct symphony_select - which tables a request is about
 * @ifindex: device; 0 = any
 * @handle: the qdisc's handle, if @has_handle
 * @parent: the qdisc's parent, if @has_parent
 * @domain: number of the domain; 0 = any
 * @has_handle: whether @handle counts
 * @has_parent: whether @parent counts
 */
struct symphony_select {
	u32 ifindex;
	u32 handle;
	u32 parent;
	u32 domain;
	bool has_handle;
	bool has_parent;
};

static int symphony_select_read(struct symphony_select *sel,
				struct nlattr * const *tb,
				struct netlink_ext_ack *extack)
{
	*sel = (struct symphony_select) {
		.has_handle = tb[SYMPHONY_ATTR_HANDLE],
		.has_parent = tb[SYMPHONY_ATTR_PARENT],
	};
	if (tb[SYMPHONY_ATTR_DOMAIN]) {
		sel->domain = nla_get_u32(tb[SYMPHONY_ATTR_DOMAIN]);
		if (!sel->domain) {
			NL_SET_ERR_MSG_ATTR(extack, tb[SYMPHONY_ATTR_DOMAIN],
					    "domain must be from 1 to 4294967295");
			return -EINVAL;
		}
		if (tb[SYMPHONY_ATTR_IFINDEX]) {
			NL_SET_ERR_MSG_ATTR(extack, tb[SYMPHONY_ATTR_DOMAIN],
					    "domain and ifindex exclude each other");
			return -EINVAL;
		}
	}
	if (tb[SYMPHONY_ATTR_IFINDEX]) {
		sel->ifindex = nla_get_u32(tb[SYMPHONY_ATTR_IFINDEX]);
		if (!sel->ifindex || sel->ifindex > INT_MAX) {
			NL_SET_ERR_MSG_ATTR(extack, tb[SYMPHONY_ATTR_IFINDEX],
					    "ifindex must be from 1 to 2147483647");
			return -EINVAL;
		}
	} else if (sel->has_handle || sel->has_parent) {
		NL_SET_ERR_MSG_ATTR(extack, tb[SYMPHONY_ATTR_HANDLE] ?:
				    tb[SYMPHONY_ATTR_PARENT],
				    "handle and parent need ifindex, whose qdisc they name");
		return -EINVAL;
	}
	if (sel->has_handle)
		sel->handle = nla_get_u32(tb[SYMPHONY_ATTR_HANDLE]);
	if (sel->has_parent)
		sel->parent = nla_get_u32(tb[SYMPHONY_ATTR_PARENT]);
	return 0;
}

/* *@job is 0 if the request names none. */
static int symphony_read_job(u32 *job, struct nlattr * const *tb,
			     struct netlink_ext_ack *extack)
{
	*job = 0;
	if (!tb[SYMPHONY_ATTR_JOB])
		return 0;
	*job = nla_get_u32(tb[SYMPHONY_ATTR_JOB]);
	if (!*job || *job > SYMPHONY_GENL_JOB_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, tb[SYMPHONY_ATTR_JOB],
				    "job must be from 1 to 16777215");
		return -EINVAL;
	}
	return 0;
}

/* A table and a job of it, as all requests but dumps name them. */
static int symphony_read_one(struct symphony_select *sel, u32 *job,
			     struct genl_info *info)
{
	int err = symphony_select_read(sel, info->attrs, info->extack) ?:
		  symphony_read_job(job, info->attrs, info->extack);

	if (err || *job)
		return err;
	NL_SET_ERR_MSG(info->extack, "job is missing: its number, from 1 to 16777215");
	return -EINVAL;
}

static bool symphony_selected(const struct symphony_sched_data *q,
			      const struct symphony_table *table,
			      const struct symphony_select *sel)
{
	if (sel->domain)
		return table->domain == sel->domain;
	if (!sel->ifindex)
		return true;
	return qdisc_dev(q->sch)->ifindex == sel->ifindex &&
	       (!sel->has_handle || q->sch->handle == sel->handle) &&
	       (!sel->has_parent || q->sch->parent == sel->parent);
}

/* Whether a qdisc before this one in the list has the same table. */
static bool symphony_met_before(const struct symphony_net *sn,
				const struct symphony_sched_data *q,
				const struct symphony_table *table)
{
	const struct symphony_sched_data *other;

	list_for_each_entry_rcu(other, &sn->qdiscs, node) {
		if (other == q)
			return false;
		if (rcu_access_pointer(other->table) == table)
			return true;
	}
	return false;
}

/* The same, and whether it is the one that speaks for its domain's table. */
static struct symphony_table *
symphony_table_selected(const struct symphony_net *sn,
			const struct symphony_sched_data *q,
			const struct symphony_select *sel)
{
	struct symphony_table *table = rcu_dereference(q->table);

	if (!symphony_selected(q, table, sel))
		return NULL;
	if (!sel->ifindex && table->domain && symphony_met_before(sn, q, table))
		return NULL;
	return table;
}

/* The one qdisc that a request is about. */
static const struct symphony_sched_data *
symphony_find(const struct net *net, const struct symphony_select *sel,
	      struct netlink_ext_ack *extack)
{
	const struct symphony_net *sn = symphony_net(net);
	const struct symphony_sched_data *q, *found = NULL;

	if (!sel->ifindex && !sel->domain) {
		NL_SET_ERR_MSG(extack, "ifindex or domain is missing: whose table it is");
		return ERR_PTR(-EINVAL);
	}
	list_for_each_entry_rcu(q, &sn->qdiscs, node) {
		if (!symphony_table_selected(sn, q, sel))
			continue;
		if (found) {
			NL_SET_ERR_MSG(extack,
				       "the device has several symphony qdiscs: handle or parent must name one");
			return ERR_PTR(-EINVAL);
		}
		found = q;
	}
	if (found)
		return found;
	if (sel->domain)
		NL_SET_ERR_MSG(extack, "no symphony qdisc is in this domain");
	else
		NL_SET_ERR_MSG(extack, "the device has no such symphony qdisc");
	return ERR_PTR(-ENODEV);
}

static int symphony_put_u64(struct sk_buff *skb, int type, u64 value, int pad)
{
	return nla_put_u64_64bit(skb, type, value, pad);
}

/* Whose table it is. */
static int symphony_put_place(struct sk_buff *skb,
			      const struct symphony_sched_data *q,
			      const struct symphony_table *table, bool shared)
{
	const struct Qdisc *sch = q->sch;

	if (table->domain &&
	    nla_put_u32(skb, SYMPHONY_ATTR_DOMAIN, table->domain))
		return -EMSGSIZE;
	if (table->domain && shared)
		return 0;
	return nla_put_u32(skb, SYMPHONY_ATTR_IFINDEX, qdisc_dev(sch)->ifindex) ||
	       nla_put_u32(skb, SYMPHONY_ATTR_HANDLE, sch->handle) ||
	       nla_put_u32(skb, SYMPHONY_ATTR_PARENT, sch->parent);
}

static int symphony_put_age(struct sk_buff *skb, int type, u64 now, u64 then)
{
	/* a packet may have come since the clock was read */
	return symphony_put_u64(skb, type, (s64)(now - then) > 0 ? now - then : 0,
				SYMPHONY_STATE_ATTR_PAD);
}

static int symphony_put_state(struct sk_buff *skb,
			      const struct symphony_table *table,
			      const struct symphony_view *view, u32 flows,
			      u64 now)
{
	const struct symphony_state *st = &view->state;
	s64 silence = now - st->window_start;
	struct nlattr *nest;

	nest = nla_nest_start(skb, SYMPHONY_ATTR_STATE);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SYMPHONY_STATE_ATTR_STEP_MIN, st->step_min) ||
	    nla_put_u32(skb, SYMPHONY_STATE_ATTR_PSN_REC, st->psn_rec) ||
	    nla_put_u32(skb, SYMPHONY_STATE_ATTR_ALPHA, st->alpha) ||
	    nla_put_u32(skb, SYMPHONY_STATE_ATTR_CNT_TOTAL, st->cnt_total) ||
	    nla_put_u32(skb, SYMPHONY_STATE_ATTR_CNT_OP, st->cnt_op) ||
	    symphony_put_age(skb, SYMPHONY_STATE_ATTR_FIRST_SEEN, now,
			     view->tally.first_seen) ||
	    (view->tally.packets &&
	     symphony_put_age(skb, SYMPHONY_STATE_ATTR_LAST_SEEN, now,
			      st->window_start)) ||
	    (view->tally.misaligned &&
	     symphony_put_age(skb, SYMPHONY_STATE_ATTR_MISALIGNED, now,
			      view->tally.misaligned)) ||
	    nla_put_u32(skb, SYMPHONY_STATE_ATTR_FLOWS, flows) ||
	    (!st->pinned && silence >= (s64)symphony_expire_after(table) &&
	     nla_put_flag(skb, SYMPHONY_STATE_ATTR_IDLE)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int symphony_put_stats(struct sk_buff *skb,
			      const struct symphony_view *view)
{
	const struct symphony_tally *tally = &view->tally;
	const u64 count[SYMPHONY_STATS_ATTR_MAX + 1] = {
		[SYMPHONY_STATS_ATTR_PACKETS] = tally->packets,
		[SYMPHONY_STATS_ATTR_BYTES] = view->bytes,
		[SYMPHONY_STATS_ATTR_OUTPACING] = tally->outpacing,
		[SYMPHONY_STATS_ATTR_MARKED] = tally->marked,
		[SYMPHONY_STATS_ATTR_WOULD_MARK] = tally->would_mark,
		[SYMPHONY_STATS_ATTR_NOT_ECT] = tally->not_ect,
		[SYMPHONY_STATS_ATTR_ALREADY_CE] = tally->already_ce,
		[SYMPHONY_STATS_ATTR_CORRECTIONS] = tally->corrections,
	};
	struct nlattr *nest;
	int i;

	nest = nla_nest_start(skb, SYMPHONY_ATTR_STATS);
	if (!nest)
		return -EMSGSIZE;
	for (i = SYMPHONY_STATS_ATTR_PACKETS; i <= SYMPHONY_STATS_ATTR_MAX; i++)
		if (symphony_put_u64(skb, i, count[i], SYMPHONY_STATS_ATTR_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int symphony_put_override(struct sk_buff *skb, int type, u32 value)
{
	return value != SYMPHONY_GENL_NO_OVERRIDE && nla_put_u32(skb, type, value);
}

static int symphony_put_overrides(struct sk_buff *skb,
				  const struct symphony_view *view)
{
	const struct symphony_override *override = &view->override;
	struct nlattr *nest;

	if (!view->state.overridden && !view->state.pinned)
		return 0;
	nest = nla_nest_start(skb, SYMPHONY_ATTR_OVERRIDES);
	if (!nest)
		return -EMSGSIZE;
	if (symphony_put_override(skb, SYMPHONY_OVERRIDE_ATTR_K, override->k) ||
	    symphony_put_override(skb, SYMPHONY_OVERRIDE_ATTR_TAU, override->tau) ||
	    symphony_put_override(skb, SYMPHONY_OVERRIDE_ATTR_MODE,
				  override->mode) ||
	    (view->state.pinned &&
	     nla_put_u32(skb, SYMPHONY_OVERRIDE_ATTR_PINNED, 1)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * struct symphony_list - the jobs that a dump names
 * @job: their numbers, ascending
 * @nr: of them; 0 = it names none and is about all
 */
struct symphony_list {
	const u32 *job;
	u32 nr;
};

/* JOBS, or JOB: the request lies in memory as long as the dump lasts. */
static struct symphony_list symphony_list_of(struct nlattr * const *tb)
{
	const struct nlattr *attr = tb[SYMPHONY_ATTR_JOBS] ?:
				    tb[SYMPHONY_ATTR_JOB];

	return (struct symphony_list) {
		.job = attr ? nla_data(attr) : NULL,
		.nr = attr ? nla_len(attr) / sizeof(u32) : 0,
	};
}

static bool symphony_list_is_sound(const struct nlattr *attr)
{
	const u32 *job = nla_data(attr);
	u32 nr = nla_len(attr) / sizeof(*job);
	u32 i, last = 0;

	if (!nr || nla_len(attr) % sizeof(*job) || nr > SYMPHONY_GENL_JOBS_MAX)
		return false;
	for (i = 0; i < nr; last = job[i++])
		if (job[i] <= last)
			return false;
	return last <= SYMPHONY_GENL_JOB_MAX;
}

static int symphony_list_check(struct nlattr * const *tb,
			       struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = tb[SYMPHONY_ATTR_JOBS];

	if (!attr)
		return 0;
	if (tb[SYMPHONY_ATTR_JOB]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "job and jobs exclude each other");
		return -EINVAL;
	}
	if (symphony_list_is_sound(attr))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "jobs must be 1 to 256 numbers from 1 to 16777215, each above the one before");
	return -EINVAL;
}

/* Where in a list a job is, or -1. */
static int symphony_list_find(const struct symphony_list *list, u32 job)
{
	u32 low = 0, high = list->nr;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (list->job[middle] == job)
			return middle;
		if (list->job[middle] < job)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/**
 * struct symphony_census - how many flows the jobs of a table have, which a dump shows
 * @active: ns, jobs that may have sent since then; U64_MAX = all
 * @id: &symphony_sched_data.id of the qdisc whose table it is
 * @max: how many states, or jobs of the list, there is room for
 * @flows: of the job with each state, or of each of the list
 */
struct symphony_census {
	u64 active;
	u64 id;
	u32 max;
	u32 flows[];
};

/* Count the flows of all jobs of a table, or of those of a list. */
static void symphony_count_flows(const struct symphony_table *table,
				 const struct symphony_list *list,
				 struct symphony_census *census)
{
	u64 now = ktime_get_ns();
	u32 i, job;
	int place;

	memset(census->flows, 0, census->max * sizeof(*census->flows));
	for (i = 0; i < table->flows_max; i++) {
		job = symphony_walk_flow_job(table, i, now);
		if (!job)
			continue;
		place = list->nr ? symphony_list_find(list, job) :
				   symphony_walk_find(table, job);
		if (place >= 0 && place < census->max)
			census->flows[place]++;
	}
}

static u32 symphony_count_flows_of(const struct symphony_table *table, u32 job)
{
	u64 now = ktime_get_ns();
	u32 i, flows = 0;

	for (i = 0; i < table->flows_max; i++)
		flows += symphony_walk_flow_job(table, i, now) == job;
	return flows;
}

/**
 * struct symphony_reply - what all messages of a reply share
 * @skb: where they go
 * @cb: the dump, or NULL
 * @portid: who asked
 * @seq: number of the request
 * @shared: whether a domain's table is shown as such, not as a qdisc's
 * @flows: of the job
 */
struct symphony_reply {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u32 portid;
	u32 seq;
	bool shared;
	u32 flows;
};

/* A message about a job. The caller gives up what was written if there is no room. */
static int symphony_put_job(const struct symphony_reply *reply,
			    const struct symphony_sched_data *q,
			    const struct symphony_table *table,
			    const struct symphony_view *view)
{
	struct sk_buff *skb = reply->skb;
	u64 now = ktime_get_ns();
	void *hdr;

	hdr = genlmsg_put(skb, reply->portid, reply->seq, &symphony_genl_family,
			  reply->cb ? NLM_F_MULTI : 0, SYMPHONY_CMD_JOB_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (reply->cb)
		genl_dump_check_consistent(reply->cb, hdr);
	if (symphony_put_place(skb, q, table, reply->shared) ||
	    nla_put_u32(skb, SYMPHONY_ATTR_JOB, view->state.job) ||
	    symphony_put_state(skb, table, view, reply->flows, now) ||
	    symphony_put_stats(skb, view) || symphony_put_overrides(skb, view)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* One job of one table, as the request names them. */
static int symphony_job_reply(struct symphony_reply *reply,
			      const struct net *net,
			      const struct symphony_select *sel, u32 job,
			      struct netlink_ext_ack *extack)
{
	const struct symphony_sched_data *q = symphony_find(net, sel, extack);
	const struct symphony_table *table;
	struct symphony_view view;
	int i;

	if (IS_ERR(q))
		return PTR_ERR(q);
	table = rcu_dereference(q->table);
	i = symphony_walk_find(table, job);
	if (i < 0 || !symphony_walk_read(table, i, &view) ||
	    view.state.job != job) {
		NL_SET_ERR_MSG(extack, "the table does not know this job");
		return -ENOENT;
	}
	reply->flows = symphony_count_flows_of(table, job);
	return symphony_put_job(reply, q, table, &view);
}

static int symphony_job_get_doit(struct sk_buff *request, struct genl_info *info)
{
	struct symphony_reply reply = {
		.portid = info->snd_portid,
		.seq = info->snd_seq,
	};
	struct symphony_select sel;
	u32 job;
	int err;

	err = symphony_read_one(&sel, &job, info);
	if (err)
		return err;
	if (info->attrs[SYMPHONY_ATTR_ACTIVE]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[SYMPHONY_ATTR_ACTIVE],
				    "active is for dumps: it selects jobs");
		return -EINVAL;
	}
	if (info->attrs[SYMPHONY_ATTR_JOBS]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[SYMPHONY_ATTR_JOBS],
				    "jobs is for dumps: it selects jobs");
		return -EINVAL;
	}
	reply.shared = sel.domain;
	reply.skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply.skb)
		return -ENOMEM;
	rcu_read_lock();
	err = symphony_job_reply(&reply, genl_info_net(info), &sel, job,
				 info->extack);
	rcu_read_unlock();
	if (err) {
		nlmsg_free(reply.skb);
		return err;
	}
	return genlmsg_reply(reply.skb, info);
}

/**
 * struct symphony_dump - where a dump goes on
 * @sel: what it is about
 * @id: &symphony_sched_data.id of the qdisc whose table is next
 * @i: number of the state there, of the job in the list, or of the flow
 * @census: of jobs: flows of that table's
 */
struct symphony_dump {
	struct symphony_select sel;
	u64 id;
	u32 i;
	struct symphony_census *census;
};

static struct symphony_dump *symphony_dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct symphony_dump) > sizeof(cb->ctx));
	return (struct symphony_dump *)cb->ctx;
}

/* Another number than before if jobs or tables of a dump have come or gone. */
static u32 symphony_dump_seq(const struct symphony_net *sn,
			     const struct symphony_select *sel)
{
	const struct symphony_sched_data *q;
	u32 seq = READ_ONCE(sn->generation) * 0x9e3779b1U;

	list_for_each_entry_rcu(q, &sn->qdiscs, node) {
		const struct symphony_table *table;

		table = symphony_table_selected(sn, q, sel);
		if (table)
			seq += READ_ONCE(table->generation);
	}
	return seq ?: 1;
}

static int symphony_dump_check(struct netlink_callback *cb, u32 *jobs_max)
{
	struct symphony_dump *dump = symphony_dump_of(cb);
	struct nlattr **tb = genl_info_dump(cb)->attrs;
	const struct symphony_sched_data *q;
	const struct symphony_net *sn;
	bool found = false;
	u32 job;
	int err;

	*jobs_max = 0;
	err = symphony_select_read(&dump->sel, tb, cb->extack) ?:
	      symphony_read_job(&job, tb, cb->extack) ?:
	      symphony_list_check(tb, cb->extack);
	if (err)
		return err;
	rcu_read_lock();
	sn = symphony_net(sock_net(cb->skb->sk));
	list_for_each_entry_rcu(q, &sn->qdiscs, node) {
		const struct symphony_table *table;

		table = symphony_table_selected(sn, q, &dump->sel);
		if (!table)
			continue;
		found = true;
		*jobs_max = max(*jobs_max, table->jobs_max);
	}
	rcu_read_unlock();
	if (found || (!dump->sel.ifindex && !dump->sel.domain))
		return 0;
	if (dump->sel.domain)
		NL_SET_ERR_MSG(cb->extack, "no symphony qdisc is in this domain");
	else
		NL_SET_ERR_MSG(cb->extack, "the device has no such symphony qdisc");
	return -ENODEV;
}

static int symphony_flow_get_start(struct netlink_callback *cb)
{
	u32 jobs_max;

	return symphony_dump_check(cb, &jobs_max);
}

static int symphony_job_get_start(struct netlink_callback *cb)
{
	const struct nlattr *active = genl_info_dump(cb)->attrs[SYMPHONY_ATTR_ACTIVE];
	struct symphony_list list = symphony_list_of(genl_info_dump(cb)->attrs);
	struct symphony_dump *dump = symphony_dump_of(cb);
	u32 jobs_max;
	int err;

	err = symphony_dump_check(cb, &jobs_max);
	if (err)
		return err;
	jobs_max = list.nr ?: jobs_max;
	dump->census = kvzalloc(struct_size(dump->census, flows, jobs_max),
				GFP_KERNEL);
	if (!dump->census)
		return -ENOMEM;
	dump->census->max = jobs_max;
	dump->census->active = active ? nla_get_u64(active) : U64_MAX;
	return 0;
}

static int symphony_job_get_done(struct netlink_callback *cb)
{
	kvfree(symphony_dump_of(cb)->census);
	return 0;
}

/* The flows of a job that a dump is at, counted for all of the table's at the first. */
static u32 symphony_dump_flows_of(const struct symphony_sched_data *q,
				  const struct symphony_table *table,
				  const struct symphony_list *list,
				  const struct symphony_dump *dump)
{
	struct symphony_census *census = dump->census;

	if (census->id != q->id)
		symphony_count_flows(table, list, census);
	census->id = q->id;
	/* of tables that have grown the rest is not counted */
	return dump->i < census->max ? census->flows[dump->i] : 0;
}

/* The jobs of one table. -EMSGSIZE if there is no room for all. */
static int symphony_dump_jobs(struct symphony_reply *reply,
			      const struct symphony_sched_data *q,
			      const struct symphony_table *table,
			      struct symphony_dump *dump)
{
	struct symphony_list list = symphony_list_of(genl_info_dump(reply->cb)->attrs);
	u32 end = list.nr ?: symphony_walk_end(table);
	struct symphony_view view;
	u64 now = ktime_get_ns();
	int state;

	for (; dump->i < end; dump->i++) {
		state = list.nr ? symphony_walk_find(table, list.job[dump->i]) :
				  dump->i;
		if (state < 0 ||
		    !symphony_walk_is_active(table, state, now,
					     dump->census->active) ||
		    !symphony_walk_read(table, state, &view) ||
		    (list.nr && view.state.job != list.job[dump->i]))
			continue;
		reply->flows = symphony_dump_flows_of(q, table, &list, dump);
		if (symphony_put_job(reply, q, table, &view))
			return -EMSGSIZE;
	}
	return 0;
}

static int symphony_put_address(struct sk_buff *skb, int type,
				const struct in6_addr *address)
{
	if (ipv6_addr_any(address))
		return 0;
	if (ipv6_addr_v4mapped(address))
		return nla_put_in_addr(skb, type, address->s6_addr32[3]);
	return nla_put_in6_addr(skb, type, address);
}

/* A message about a flow, as symphony_put_job(). */
static int symphony_put_flow(const struct symphony_reply *reply,
			     const struct symphony_sched_data *q,
			     const struct symphony_table *table,
			     const struct symphony_flow_view *view)
{
	struct sk_buff *skb = reply->skb;
	struct nlattr *nest;
	void *hdr;

	hdr = genlmsg_put(skb, reply->portid, reply->seq, &symphony_genl_family,
			  NLM_F_MULTI, SYMPHONY_CMD_FLOW_GET);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(reply->cb, hdr);
	if (symphony_put_place(skb, q, table, reply->shared) ||
	    nla_put_u32(skb, SYMPHONY_ATTR_JOB, view->job))
		goto full;
	nest = nla_nest_start(skb, SYMPHONY_ATTR_FLOW);
	if (!nest ||
	    symphony_put_address(skb, SYMPHONY_FLOW_ATTR_SRC, &view->src) ||
	    symphony_put_address(skb, SYMPHONY_FLOW_ATTR_DST, &view->dst) ||
	    nla_put_u32(skb, SYMPHONY_FLOW_ATTR_DEST, view->dest) ||
	    nla_put_u32(skb, SYMPHONY_FLOW_ATTR_STEP, view->step) ||
	    (view->position &&
	     nla_put_u32(skb, SYMPHONY_FLOW_ATTR_POSITION, view->position)) ||
	    symphony_put_u64(skb, SYMPHONY_FLOW_ATTR_LAST_SEEN, view->age,
			     SYMPHONY_FLOW_ATTR_PAD))
		goto full;
	nla_nest_end(skb, nest);
	genlmsg_end(skb, hdr);
	return 0;

full:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/* The flows of one table, or of some of its jobs. */
static int symphony_dump_flows(struct symphony_reply *reply,
			       const struct symphony_sched_data *q,
			       const struct symphony_table *table,
			       struct symphony_dump *dump)
{
	struct symphony_list list = symphony_list_of(genl_info_dump(reply->cb)->attrs);
	struct symphony_flow_view view;
	u64 now = ktime_get_ns();
	u32 job;

	for (; dump->i < table->flows_max; dump->i++) {
		/* addresses of others need not be read */
		job = symphony_walk_flow_job(table, dump->i, now);
		if (!job || (list.nr && symphony_list_find(&list, job) < 0))
			continue;
		if (symphony_walk_flow(table, dump->i, now, &view) &&
		    view.job == job && symphony_put_flow(reply, q, table, &view))
			return -EMSGSIZE;
	}
	return 0;
}

static int symphony_dump(struct sk_buff *skb, struct netlink_callback *cb,
			 int (*dump_table)(struct symphony_reply *reply,
					   const struct symphony_sched_data *q,
					   const struct symphony_table *table,
					   struct symphony_dump *dump))
{
	const struct symphony_net *sn = symphony_net(sock_net(cb->skb->sk));
	struct symphony_dump *dump = symphony_dump_of(cb);
	const struct symphony_sched_data *q;
	struct symphony_reply reply = {
		.skb = skb,
		.cb = cb,
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.shared = !dump->sel.ifindex,
	};

	rcu_read_lock();
	cb->seq = symphony_dump_seq(sn, &dump->sel);
	list_for_each_entry_rcu(q, &sn->qdiscs, node) {
		const struct symphony_table *table;

		if (q->id < dump->id)
			continue;
		table = symphony_table_selected(sn, q, &dump->sel);
		if (!table)
			continue;
		/* the one that it was in may be gone */
		if (q->id != dump->id)
			dump->i = 0;
		dump->id = q->id;
		if (dump_table(&reply, q, table, dump))
			break;
		dump->id = q->id + 1;
		dump->i = 0;
	}
	rcu_read_unlock();
	return skb->len;
}

static int symphony_job_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb)
{
	return symphony_dump(skb, cb, symphony_dump_jobs);
}

static int symphony_flow_get_dumpit(struct sk_buff *skb,
				    struct netlink_callback *cb)
{
	return symphony_dump(skb, cb, symphony_dump_flows);
}

static int symphony_read_override(u32 *value, const struct nlattr *attr, u32 max,
				  const char *refusal,
				  struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	*value = nla_get_u32(attr);
	if (*value <= max || *value == SYMPHONY_GENL_NO_OVERRIDE)
		return 0;
	NL_SET_BAD_ATTR(extack, attr);
	if (extack)
		extack->_msg = refusal;
	return -EINVAL;
}

static int symphony_read_pinned(bool *pinned, const struct nlattr *attr,
				struct netlink_ext_ack *extack)
{
	u32 value = attr ? nla_get_u32(attr) : 0;

	*pinned = value;
	if (value <= 1)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "pinned must be 0 or 1");
	return -EINVAL;
}

static int symphony_change_read(struct symphony_change *change,
				const struct genl_info *info)
{
	const struct nlattr *nest = info->attrs[SYMPHONY_ATTR_OVERRIDES];
	struct netlink_ext_ack *extack = info->extack;
	struct nlattr *tb[SYMPHONY_OVERRIDE_ATTR_MAX + 1];
	struct symphony_override *override = &change->override;
	int err, i;

	*change = (struct symphony_change) {};
	if (!nest) {
		NL_SET_ERR_MSG(extack, "overrides is missing: what to set");
		return -EINVAL;
	}
	err = nla_parse_nested(tb, SYMPHONY_OVERRIDE_ATTR_MAX, nest,
			       symphony_override_policy, extack);
	if (err)
		return err;
	for (i = 1; i <= SYMPHONY_OVERRIDE_ATTR_MAX; i++)
		if (tb[i])
			change->set |= BIT(i);
	if (!change->set) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "overrides must have one of k, tau, mode and pinned");
		return -EINVAL;
	}
	return symphony_read_override(&override->k, tb[SYMPHONY_OVERRIDE_ATTR_K],
				      TC_SYMPHONY_ONE,
				      "k must be from 0 to 1000000000, or 4294967295 to end the override",
				      extack) ?:
	       symphony_read_override(&override->tau,
				      tb[SYMPHONY_OVERRIDE_ATTR_TAU],
				      TC_SYMPHONY_ONE,
				      "tau must be from 0 to 1000000000, or 4294967295 to end the override",
				      extack) ?:
	       symphony_read_override(&override->mode,
				      tb[SYMPHONY_OVERRIDE_ATTR_MODE],
				      TC_SYMPHONY_MODE_PRIO,
				      "mode must be mark (0), observe (1) or prio (2), or 4294967295 to end the override",
				      extack) ?:
	       symphony_read_pinned(&change->pinned,
				    tb[SYMPHONY_OVERRIDE_ATTR_PINNED], extack);
}

/* The qdisc by which a job's table is reached; RTNL keeps it. */
static struct Qdisc *symphony_find_qdisc(struct genl_info *info,
					 const struct symphony_select *sel)
{
	const struct symphony_sched_data *q;
	struct Qdisc *sch;

	ASSERT_RTNL();
	rcu_read_lock();
	q = symphony_find(genl_info_net(info), sel, info->extack);
	sch = IS_ERR(q) ? ERR_CAST(q) : q->sch;
	rcu_read_unlock();
	return sch;
}

/* A command that writes. @change is what JOB_SET sets. */
static int symphony_job_write(struct genl_info *info,
			      const struct symphony_select *sel, u32 job,
			      const struct symphony_change *change)
{
	struct Qdisc *sch;
	int err;

	rtnl_lock();
	sch = symphony_find_qdisc(info, sel);
	if (IS_ERR(sch))
		err = PTR_ERR(sch);
	else if (info->genlhdr->cmd == SYMPHONY_CMD_JOB_SET)
		err = symphony_steer_set(sch, job, change, info->extack);
	else if (info->genlhdr->cmd == SYMPHONY_CMD_JOB_RESET)
		err = symphony_steer_reset(sch, job, info->extack);
	else
		err = symphony_steer_delete(sch, job, info->extack);
	rtnl_unlock();
	return err;
}

static int symphony_job_set_doit(struct sk_buff *request, struct genl_info *info)
{
	struct symphony_change change;
	struct symphony_select sel;
	u32 job;
	int err;

	err = symphony_read_one(&sel, &job, info) ?:
	      symphony_change_read(&change, info);
	return err ?: symphony_job_write(info, &sel, job, &change);
}

/* JOB_RESET and JOB_DEL */
static int symphony_job_write_doit(struct sk_buff *request,
				   struct genl_info *info)
{
	struct symphony_select sel;
	u32 job;
	int err;

	err = symphony_read_one(&sel, &job, info);
	return err ?: symphony_job_write(info, &sel, job, NULL);
}

static const struct genl_multicast_group symphony_genl_groups[] = {
	{ .name = SYMPHONY_GENL_MCGRP_EVENTS, },
};

static const struct genl_ops symphony_genl_ops[] = {
	{
		.cmd = SYMPHONY_CMD_JOB_GET,
		.policy = symphony_job_policy,
		.maxattr = SYMPHONY_ATTR_JOBS,
		.doit = symphony_job_get_doit,
		.start = symphony_job_get_start,
		.dumpit = symphony_job_get_dumpit,
		.done = symphony_job_get_done,
	},
	{
		.cmd = SYMPHONY_CMD_FLOW_GET,
		.policy = symphony_flow_policy,
		.maxattr = SYMPHONY_ATTR_JOBS,
		.start = symphony_flow_get_start,
		.dumpit = symphony_flow_get_dumpit,
	},
	{
		.cmd = SYMPHONY_CMD_JOB_SET,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = symphony_set_policy,
		.maxattr = SYMPHONY_ATTR_OVERRIDES,
		.doit = symphony_job_set_doit,
	},
	{
		.cmd = SYMPHONY_CMD_JOB_RESET,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = symphony_select_policy,
		.maxattr = SYMPHONY_ATTR_JOB,
		.doit = symphony_job_write_doit,
	},
	{
		.cmd = SYMPHONY_CMD_JOB_DEL,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = symphony_select_policy,
		.maxattr = SYMPHONY_ATTR_JOB,
		.doit = symphony_job_write_doit,
	},
};

struct genl_family symphony_genl_family __ro_after_init = {
	.name = SYMPHONY_GENL_NAME,
	.version = SYMPHONY_GENL_VERSION,
	.maxattr = SYMPHONY_ATTR_MAX,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = symphony_genl_ops,
	.n_ops = ARRAY_SIZE(symphony_genl_ops),
	.mcgrps = symphony_genl_groups,
	.n_mcgrps = ARRAY_SIZE(symphony_genl_groups),
};

/**
 * symphony_genl_register() - make the family known
 *
 * Return: 0 or a negative errno.
 */
int __init symphony_genl_register(void)
{
	return genl_register_family(&symphony_genl_family);
}

/**
 * symphony_genl_unregister() - undo symphony_genl_register()
 */
void symphony_genl_unregister(void)
{
	genl_unregister_family(&symphony_genl_family);
}
