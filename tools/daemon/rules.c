// SPDX-License-Identifier: GPL-2.0
/* Filters of the block: which there are, which there are to be. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Of one filter; the longest has two addresses of IPv6. */
#define REQUEST_SIZE	512
/* Class id of a job: of its major number nobody reads anything. */
#define CLASS_OF(job)	(0x10000 | (job))

static unsigned int host_bits(const struct jobhost *host)
{
	return host->family == AF_INET ? 32 : 128;
}

static unsigned int pref_of(const struct jobhost *host)
{
	unsigned int base = host->family == AF_INET ? RULE_PREF_IPV4 : RULE_PREF_IPV6;

	return base + host_bits(host) - host->len;
}

static __u16 protocol_of(const struct jobhost *host)
{
	return htons(host->family == AF_INET ? ETH_P_IP : ETH_P_IPV6);
}

static struct rule *rules_new(struct rules *rules)
{
	struct rule *rule;
	size_t room;

	if (rules->nr == rules->room) {
		room = rules->room ? 2 * rules->room : 64;
		rule = reallocarray(rules->rule, room, sizeof(*rule));
		if (!rule)
			return NULL;
		rules->rule = rule;
		rules->room = room;
	}
	rule = &rules->rule[rules->nr++];
	memset(rule, 0, sizeof(*rule));
	return rule;
}

int rules_add(struct rules *rules, const struct jobspec *spec)
{
	struct rule *rule;
	size_t i;

	for (i = 0; i < spec->nr_hosts; i++) {
		rule = rules_new(rules);
		if (!rule)
			return -ENOMEM;
		rule->host = spec->hosts[i];
		rule->pref = pref_of(&rule->host);
		rule->protocol = protocol_of(&rule->host);
		rule->job = spec->job;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;
	int order = jobhost_compare(&x->host, &y->host);

	if (order)
		return order;
	return x->job < y->job ? -1 : x->job > y->job;
}

static void sort(struct rules *rules)
{
	if (rules->nr)
		qsort(rules->rule, rules->nr, sizeof(*rules->rule), compare);
}

void rules_sort(struct rules *rules,
		void (*claimed)(void *arg, const struct jobhost *host, __u32 job, __u32 other),
		void *arg)
{
	struct rule *rule = rules->rule;
	size_t i, next, kept = 0;

	sort(rules);
	for (i = 0; i < rules->nr; i = next) {
		for (next = i + 1; next < rules->nr; next++) {
			if (jobhost_compare(&rule[i].host, &rule[next].host))
				break;
		}
		if (next == i + 1)
			rule[kept++] = rule[i];
		else
			claimed(arg, &rule[i].host, rule[i].job, rule[next - 1].job);
	}
	rules->nr = kept;
}

void rules_free(struct rules *rules)
{
	free(rules->rule);
	memset(rules, 0, sizeof(*rules));
}

/* Length of a prefix's mask; 0 if it is none. */
static __u8 mask_length(const __u8 *mask, size_t size)
{
	unsigned int bit, len = 0;

	while (len < 8 * size && mask[len / 8] & 0x80 >> len % 8)
		len++;
	for (bit = len; bit < 8 * size; bit++) {
		if (mask[bit / 8] & 0x80 >> bit % 8)
			return 0;
	}
	return len;
}

/* What a filter of ours looks at, and no more. */
static bool is_plain(struct nlattr **tb)
{
	static const int known[] = {
		TCA_FLOWER_CLASSID, TCA_FLOWER_FLAGS, TCA_FLOWER_IN_HW_COUNT,
		TCA_FLOWER_KEY_ETH_TYPE, TCA_FLOWER_KEY_IPV4_SRC, TCA_FLOWER_KEY_IPV4_SRC_MASK,
		TCA_FLOWER_KEY_IPV6_SRC, TCA_FLOWER_KEY_IPV6_SRC_MASK,
	};
	size_t i, nr = 0, seen = 0;

	for (i = 1; i <= TCA_FLOWER_MAX; i++)
		nr += !!tb[i];
	for (i = 0; i < ROWS(known); i++)
		seen += !!tb[known[i]];
	return nr == seen;
}

static void read_host(struct jobhost *host, int family, struct nlattr *address, struct nlattr *mask)
{
	size_t size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);

	if (!address || !mask || nla_len(address) != (int)size || nla_len(mask) != (int)size)
		return;
	host->family = family;
	host->len = mask_length(nla_data(mask), size);
	memcpy(host->address, nla_data(address), size);
}

static const struct tcmsg *tcmsg_of(const struct nlmsghdr *nlh, __u32 block)
{
	const struct tcmsg *tcm = NLMSG_DATA(nlh);
	__u32 pref;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*tcm)))
		return NULL;
	pref = tcm->tcm_info >> 16;
	if ((__u32)tcm->tcm_ifindex != TCM_IFINDEX_MAGIC_BLOCK || tcm->tcm_block_index != block ||
	    pref < RULE_PREF_IPV6 || pref >= RULE_PREF_END)
		return NULL;
	return tcm;
}

bool rules_is_ours(const struct nlmsghdr *nlh, __u32 block)
{
	return (nlh->nlmsg_type == RTM_NEWTFILTER || nlh->nlmsg_type == RTM_DELTFILTER) &&
	       tcmsg_of(nlh, block);
}

static void read_flower(struct rule *rule, struct nlattr *options)
{
	struct nlattr *tb[TCA_FLOWER_MAX + 1] = { NULL };

	if (nla_parse_nested(tb, TCA_FLOWER_MAX, options, NULL))
		return;
	read_host(&rule->host, AF_INET, tb[TCA_FLOWER_KEY_IPV4_SRC],
		  tb[TCA_FLOWER_KEY_IPV4_SRC_MASK]);
	read_host(&rule->host, AF_INET6, tb[TCA_FLOWER_KEY_IPV6_SRC],
		  tb[TCA_FLOWER_KEY_IPV6_SRC_MASK]);
	if (tb[TCA_FLOWER_CLASSID] && is_plain(tb) && rule->host.len &&
	    pref_of(&rule->host) == rule->pref && protocol_of(&rule->host) == rule->protocol)
		rule->job = nla_get_u32(tb[TCA_FLOWER_CLASSID]) & 0xffff;
	if (!rule->job)
		memset(&rule->host, 0, sizeof(rule->host));
}

struct reading {
	struct rules *rules;
	__u32 block;
	int err;
};

static void on_filter(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[TCA_MAX + 1] = { NULL };
	struct reading *reading = arg;
	const struct tcmsg *tcm = tcmsg_of(nlh, reading->block);
	struct rule *rule;

	/* without a handle it is the frame of many */
	if (!tcm || !tcm->tcm_handle ||
	    nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*tcm), tb, TCA_MAX, NULL) ||
	    !tb[TCA_KIND] || nla_strcmp(tb[TCA_KIND], "flower") || !tb[TCA_OPTIONS])
		return;
	rule = rules_new(reading->rules);
	if (!rule) {
		reading->err = -ENOMEM;
		return;
	}
	rule->handle = tcm->tcm_handle;
	rule->pref = tcm->tcm_info >> 16;
	rule->protocol = tcm->tcm_info & 0xffff;
	read_flower(rule, tb[TCA_OPTIONS]);
}

int rules_read(struct rtnl *rtnl, __u32 block, struct rules *rules)
{
	struct reading reading = { .rules = rules, .block = block };
	struct {
		struct nlmsghdr nlh;
		struct tcmsg tcm;
	} request = {
		.nlh.nlmsg_len = sizeof(request),
		.nlh.nlmsg_type = RTM_GETTFILTER,
		.tcm.tcm_ifindex = TCM_IFINDEX_MAGIC_BLOCK,
		.tcm.tcm_block_index = block,
	};
	int err;

	rules->nr = 0;
	err = rtnl_dump(rtnl, &request.nlh, on_filter, &reading);
	sort(rules);
	return err ?: reading.err;
}

static void put_host(struct nl_msg *msg, const struct jobhost *host)
{
	static const int attrs[][2] = {
		{ TCA_FLOWER_KEY_IPV4_SRC, TCA_FLOWER_KEY_IPV4_SRC_MASK },
		{ TCA_FLOWER_KEY_IPV6_SRC, TCA_FLOWER_KEY_IPV6_SRC_MASK },
	};
	const int *attr = attrs[host->family == AF_INET6];
	__u8 mask[sizeof(host->address)] = { 0 };
	unsigned int bit;

	for (bit = 0; bit < host->len; bit++)
		mask[bit / 8] |= 0x80 >> bit % 8;
	nla_put(msg, attr[0], host_bits(host) / 8, host->address);
	nla_put(msg, attr[1], host_bits(host) / 8, mask);
}

/* No port can do with a job's number what the qdisc does. */
static void put_flower(struct nl_msg *msg, const struct rule *rule)
{
	struct nlattr *options;

	nla_put_string(msg, TCA_KIND, "flower");
	options = nla_nest_start(msg, TCA_OPTIONS);
	if (!options)
		return;
	nla_put_u32(msg, TCA_FLOWER_CLASSID, CLASS_OF(rule->job));
	nla_put_u32(msg, TCA_FLOWER_FLAGS, TCA_CLS_FLAGS_SKIP_HW);
	nla_put_u16(msg, TCA_FLOWER_KEY_ETH_TYPE, rule->protocol);
	put_host(msg, &rule->host);
	nla_nest_end(msg, options);
}

static void request(struct rtnl_batch *batch, __u32 block, int type, int flags,
		    const struct rule *rule)
{
	struct tcmsg tcm = {
		.tcm_ifindex = TCM_IFINDEX_MAGIC_BLOCK,
		.tcm_block_index = block,
		.tcm_handle = rule->handle,
		.tcm_info = (__u32)rule->pref << 16 | rule->protocol,
	};
	struct nl_msg *msg = nlmsg_alloc_size(REQUEST_SIZE);

	if (!msg || !nlmsg_put(msg, 0, 0, type, 0, flags) ||
	    nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO)) {
		batch->lost = -ENOMEM;
	} else {
		if (type == RTM_NEWTFILTER)
			put_flower(msg, rule);
		rtnl_batch_add(batch, nlmsg_hdr(msg));
	}
	nlmsg_free(msg);
}

enum step {
	DELETE,
	CHANGE,
	ADD,
};

/* What has been asked for, in that order. */
struct work {
	struct rtnl_batch batch;
	struct rules_change *change;
	struct rules asked;
	__u32 handle;
	bool refused;
};

static void on_refusal(void *arg, size_t number, int err, const char *sentence)
{
	struct work *work = arg;

	(void)err;
	work->refused = true;
	if (number < work->asked.nr)
		work->change->failed(work->change->arg, &work->asked.rule[number], sentence);
}

static void ask(struct work *work, int type, int flags, const struct rule *rule)
{
	struct rule *asked = rules_new(&work->asked);

	if (!asked) {
		work->batch.lost = -ENOMEM;
		return;
	}
	*asked = *rule;
	request(&work->batch, work->change->block, type, flags, rule);
}

/* Those of numbers that no job can have belong to none that is held. */
static bool is_held(const struct work *work, const struct rule *rule)
{
	return rule->job <= JOBSPEC_JOB_MAX && work->change->held[rule->job];
}

/* A host that has a filter, needs one, or both. */
static void take_step(struct work *work, enum step step, const struct rule *have, struct rule *want)
{
	if (step == DELETE && !want) {
		if (is_held(work, have))
			work->change->kept = true;
		else
			ask(work, RTM_DELTFILTER, 0, have);
	} else if (step == CHANGE && have && want) {
		want->handle = have->handle;
		if (have->job != want->job)
			ask(work, RTM_NEWTFILTER, 0, want);
	} else if (step == ADD && !have) {
		want->handle = ++work->handle;
		ask(work, RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, want);
	}
}

static void take_steps(struct work *work, enum step step)
{
	const struct rules *have = work->change->have;
	struct rules *want = work->change->want;
	size_t h = 0, w = 0;
	int order;

	while (h < have->nr || w < want->nr) {
		if (h == have->nr)
			order = 1;
		else if (w == want->nr)
			order = -1;
		else
			order = jobhost_compare(&have->rule[h].host, &want->rule[w].host);
		take_step(work, step, order <= 0 ? &have->rule[h] : NULL,
			  order >= 0 ? &want->rule[w] : NULL);
		h += order <= 0;
		w += order >= 0;
	}
}

/* Those of others that are larger than any of ours are not counted on from. */
static __u32 last_handle(const struct rules *rules)
{
	__u32 last = 0;
	size_t i;

	for (i = 0; i < rules->nr; i++) {
		if (rules->rule[i].handle > last && rules->rule[i].handle <= INT32_MAX)
			last = rules->rule[i].handle;
	}
	return last;
}

int rules_apply(struct rtnl *rtnl, struct rules_change *change)
{
	struct work work = {
		.batch.rtnl = rtnl,
		.batch.failed = on_refusal,
		.change = change,
		.handle = last_handle(change->have),
	};
	enum step step;
	int err;

	work.batch.arg = &work;
	for (step = DELETE; step <= ADD; step++)
		take_steps(&work, step);
	err = rtnl_batch_end(&work.batch);
	change->changes = work.asked.nr;
	rules_free(&work.asked);
	return err ?: work.refused ? -EIO : 0;
}
