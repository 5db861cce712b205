/* SPDX-License-Identifier: GPL-2.0 */
/* Filters of the block: which there are, which there are to be. */
#ifndef _SYMPHONYD_RULES_H
#define _SYMPHONYD_RULES_H

#include "jobspec.h"
#include "rtnl.h"

/*
 * Of the block's filters those with these preferences are ours, one preference a length of
 * prefix, so that the longest decides. Those of others come before or behind.
 */
#define RULE_PREF_IPV6		8000
#define RULE_PREF_IPV4		8128
#define RULE_PREF_END		8160

/**
 * struct rule - packets of a host are of a job
 * @host: where they come from
 * @pref: of the filter
 * @protocol: of the filter, in network byte order
 * @job: their job
 * @handle: of the filter, 0 if it is not there yet
 */
struct rule {
	struct jobhost host;
	__u16 pref;
	__u16 protocol;
	__u32 job;
	__u32 handle;
};

/**
 * struct rules - rules, sorted by host
 * @rule: each
 * @nr: of them
 * @room: for so many
 */
struct rules {
	struct rule *rule;
	size_t nr;
	size_t room;
};

/**
 * rules_add() - add the hosts of a job; rules_sort() is due
 * @rules: changed
 * @spec: job
 *
 * Return: 0 or -ENOMEM.
 */
int rules_add(struct rules *rules, const struct jobspec *spec);

/**
 * rules_sort() - sort, and have no rule for a host that several jobs claim
 * @rules: changed
 * @claimed: called for each such host, with two of the jobs
 * @arg: for it
 */
void rules_sort(struct rules *rules,
		void (*claimed)(void *arg, const struct jobhost *host, __u32 job, __u32 other),
		void *arg);

/**
 * rules_free() - free rules
 * @rules: is empty afterwards
 */
void rules_free(struct rules *rules);

/**
 * rules_read() - read our filters of a block
 * @rtnl: socket
 * @block: number of the block
 * @rules: result; what is in our place and no rule of a host has job 0
 *
 * Return: 0 or a negative errno.
 */
int rules_read(struct rtnl *rtnl, __u32 block, struct rules *rules);

/**
 * struct rules_change - how to get from filters to others
 * @block: number of the block
 * @have: filters that are there; what is there afterwards, if nothing was refused
 * @want: those that are to be there, sorted; get handles
 * @failed: called for each that was refused
 * @arg: for it
 * @held: by job: delete none of its filters
 * @kept: result: some are there that are not wanted
 * @changes: result: number of changes
 */
struct rules_change {
	__u32 block;
	struct rules *have;
	struct rules *want;
	void (*failed)(void *arg, const struct rule *rule, const char *sentence);
	void *arg;
	const bool *held;
	bool kept;
	size_t changes;
};

/**
 * rules_apply() - delete, change and add filters, in few calls
 * @rtnl: socket
 * @change: from what to what
 *
 * A host's filter is changed in one step from one job to another.
 *
 * Return: 0; or a negative errno if something was refused: rules_read() tells what is there.
 */
int rules_apply(struct rtnl *rtnl, struct rules_change *change);

/**
 * rules_is_ours() - whether a notification tells of one of our filters
 * @nlh: notification
 * @block: number of the block
 *
 * Return: true if it does.
 */
bool rules_is_ours(const struct nlmsghdr *nlh, __u32 block);

#endif
