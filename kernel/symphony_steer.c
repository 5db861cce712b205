// SPDX-License-Identifier: GPL-2.0
/* What an operator does to one job: overrides, reset, deletion. */
#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/pkt_sched.h>

#include <linux/symphony.h>

#include "symphony.h"
#include "symphony_event.h"
#include "symphony_net.h"
#include "symphony_steer.h"

static void symphony_steer_apply(struct symphony_table *table,
				 struct symphony_state *st,
				 const struct symphony_change *change)
{
	struct symphony_override *override;

	override = &symphony_record_of(table, st)->override;
	if (change->set & BIT(SYMPHONY_OVERRIDE_ATTR_K))
		WRITE_ONCE(override->k, change->override.k);
	if (change->set & BIT(SYMPHONY_OVERRIDE_ATTR_TAU))
		WRITE_ONCE(override->tau, change->override.tau);
	if (change->set & BIT(SYMPHONY_OVERRIDE_ATTR_MODE))
		symphony_job_set_mode(table, st, change->override.mode);
	if (change->set & BIT(SYMPHONY_OVERRIDE_ATTR_PINNED))
		st->pinned = change->pinned;
	st->overridden = override->k != SYMPHONY_GENL_NO_OVERRIDE ||
			 override->tau != SYMPHONY_GENL_NO_OVERRIDE ||
			 override->mode != SYMPHONY_GENL_NO_OVERRIDE;
}

/* Whether all qdiscs of a table can lift packets above others. */
static bool symphony_steer_can_lift(struct Qdisc *sch)
{
	struct symphony_net *sn = symphony_net(dev_net(qdisc_dev(sch)));
	struct symphony_table *table = symphony_table_of(qdisc_priv(sch));
	const struct symphony_sched_data *q;

	list_for_each_entry(q, &sn->qdiscs, node)
		if (symphony_table_of(q) == table &&
		    !symphony_can_lift(&q->config))
			return false;
	return true;
}

static int symphony_steer_set_locked(struct Qdisc *sch,
				     struct symphony_table *table, u32 job,
				     const struct symphony_change *change,
				     struct netlink_ext_ack *extack)
{
	struct symphony_state *st = symphony_job_find(table, job);
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_left left = { .sch = sch };
	u64 now = ktime_get_ns();

	if (!st && !change->pinned) {
		NL_SET_ERR_MSG(extack,
			       "the table does not know this job; pinned 1 would enter it");
		return -ENOENT;
	}
	if (!st) {
		st = symphony_job_create(table, job, now,
					 symphony_expire_after(table), true,
					 &left);
		symphony_count(q, JOBS_EXPIRED, left.expired);
		symphony_count(q, JOBS_REPLACED, left.replaced);
		if (!st) {
			NL_SET_ERR_MSG(extack, "the table is full of pinned jobs");
			return -ENOSPC;
		}
		symphony_count(q, JOBS_CREATED, 1);
		symphony_job_unborn(table, st, now);
	}
	symphony_steer_apply(table, st, change);
	return 0;
}

static int symphony_steer_unknown(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "the table does not know this job");
	return -ENOENT;
}

static int symphony_steer_reset_locked(struct Qdisc *sch,
				       struct symphony_table *table, u32 job,
				       const struct symphony_change *change,
				       struct netlink_ext_ack *extack)
{
	struct symphony_state *st = symphony_job_find(table, job);
	u64 now = ktime_get_ns();

	if (!st)
		return symphony_steer_unknown(extack);
	if (symphony_record_of(table, st)->tally.misaligned)
		symphony_event(sch, SYMPHONY_EVENT_ALIGNED, job, 1,
			       st->step_min);
	symphony_job_renew(table, st, now);
	symphony_job_unborn(table, st, now);
	return 0;
}

static int symphony_steer_delete_locked(struct Qdisc *sch,
					struct symphony_table *table, u32 job,
					const struct symphony_change *change,
					struct netlink_ext_ack *extack)
{
	struct symphony_state *st = symphony_job_find(table, job);
	struct symphony_sched_data *q = qdisc_priv(sch);

	if (!st)
		return symphony_steer_unknown(extack);
	symphony_event(sch, SYMPHONY_EVENT_JOB_EXPIRED, job, st->alpha,
		       st->step_min);
	symphony_job_forget(table, st);
	symphony_count(q, JOBS_EXPIRED, 1);
	return 0;
}

/* Do something with the job locked against packets and whoever shares it. */
static int symphony_steer(struct Qdisc *sch, u32 job,
			  const struct symphony_change *change,
			  struct netlink_ext_ack *extack,
			  int (*act)(struct Qdisc *sch,
				     struct symphony_table *table, u32 job,
				     const struct symphony_change *change,
				     struct netlink_ext_ack *extack))
{
	struct symphony_table *table = symphony_table_of(qdisc_priv(sch));
	spinlock_t *lock = symphony_job_lock(table, job);
	int err;

	sch_tree_lock(sch);
	spin_lock(lock);
	err = act(sch, table, job, change, extack);
	spin_unlock(lock);
	sch_tree_unlock(sch);
	return err;
}

/**
 * symphony_steer_set() - override options of the qdisc for a job
 * @sch: the qdisc
 * @job: the job's number
 * @change: what to set; a job that the table does not know is entered if it is
 *	to be pinned
 * @extack: where to explain a refusal
 *
 * Context: RTNL held.
 * Return: 0 or a negative errno with nothing changed.
 */
int symphony_steer_set(struct Qdisc *sch, u32 job,
		       const struct symphony_change *change,
		       struct netlink_ext_ack *extack)
{
	if (change->set & BIT(SYMPHONY_OVERRIDE_ATTR_MODE) &&
	    change->override.mode == TC_SYMPHONY_MODE_PRIO &&
	    !symphony_steer_can_lift(sch)) {
		NL_SET_ERR_MSG(extack,
			       "mode prio needs queue child, and steps that are in the packets, in all qdiscs of the table");
		return -EINVAL;
	}
	return symphony_steer(sch, job, change, extack,
			      symphony_steer_set_locked);
}

/**
 * symphony_steer_reset() - begin a job anew
 * @sch: the qdisc
 * @job: the job's number
 * @extack: where to explain a refusal
 *
 * Its counters begin at 0, its steps and alpha with its next packet; its overrides
 * stay.
 *
 * Context: RTNL held.
 * Return: 0 or a negative errno.
 */
int symphony_steer_reset(struct Qdisc *sch, u32 job,
			 struct netlink_ext_ack *extack)
{
	return symphony_steer(sch, job, NULL, extack,
			      symphony_steer_reset_locked);
}

/**
 * symphony_steer_delete() - forget a job, pinned or not
 * @sch: the qdisc
 * @job: the job's number
 * @extack: where to explain a refusal
 *
 * Context: RTNL held.
 * Return: 0 or a negative errno.
 */
int symphony_steer_delete(struct Qdisc *sch, u32 job,
			  struct netlink_ext_ack *extack)
{
	return symphony_steer(sch, job, NULL, extack,
			      symphony_steer_delete_locked);
}
