// SPDX-License-Identifier: GPL-2.0
/* Loss, repetition and reordering of chosen packets of a step. */
#include <linux/slab.h>
#include "roce.h"
#include "simdev.h"

int sim_fault_add(struct simdev_port *port, const struct sim_fault *fault)
{
	struct sim_fault *copy;

	copy = kmemdup(fault, sizeof(*fault), GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	local_bh_disable();
	list_add_tail(&copy->list, &port->faults);
	local_bh_enable();
	return 0;
}
EXPORT_SYMBOL_GPL(sim_fault_add);

/* Bottom halves are off. */
void sim_fault_clear(struct simdev_port *port)
{
	struct sim_fault *fault, *next;

	list_for_each_entry_safe(fault, next, &port->faults, list) {
		list_del(&fault->list);
		kfree(fault);
	}
}

static bool sim_fault_hits(struct sim_fault *fault, const struct roce_bth *bth,
			   u16 sport)
{
	if (roce_is_control(bth) || roce_job(bth) != fault->job ||
	    ((sport ^ fault->step) & ROCE_STEP_MASK))
		return false;
	fault->seen++;
	switch (fault->which) {
	case SIM_FAULT_FIRST:
		return bth->opcode == ROCE_WRITE_FIRST ||
		       bth->opcode == ROCE_WRITE_ONLY_IMM;
	case SIM_FAULT_LAST:
		return bth->opcode == ROCE_WRITE_LAST_IMM ||
		       bth->opcode == ROCE_WRITE_ONLY_IMM;
	default:
		return fault->seen == fault->nth;
	}
}

static struct sk_buff *sim_fault_strike(struct simdev_port *port,
					const struct sim_fault *fault,
					struct sk_buff *skb)
{
	struct sk_buff *copy;

	if (fault->kind == SIM_FAULT_DROP) {
		SIMDEV_CB(skb)->lost = true;
		port->stats.drops_fault++;
		return NULL;
	}
	copy = skb_copy(skb, GFP_ATOMIC);
	if (copy && fault->kind == SIM_FAULT_DELAY) {
		/* The copy arrives late, and what was in order never. */
		SIMDEV_CB(skb)->lost = true;
		SIMDEV_CB(copy)->arrival += fault->by;
	}
	return copy;
}

/**
 * sim_fault_apply() - do to a frame what was asked for
 * @port: the port that sends it
 * @skb: the frame, with its time of arrival
 *
 * Return: a copy that arrives as well, or NULL.
 */
struct sk_buff *sim_fault_apply(struct simdev_port *port, struct sk_buff *skb)
{
	struct sim_fault *fault;
	struct roce_bth *bth;
	u16 sport;

	bth = roce_header(skb, &sport);
	if (!bth)
		return NULL;
	list_for_each_entry(fault, &port->faults, list) {
		if (!sim_fault_hits(fault, bth, sport) || !fault->count)
			continue;
		fault->count--;
		return sim_fault_strike(port, fault, skb);
	}
	return NULL;
}
