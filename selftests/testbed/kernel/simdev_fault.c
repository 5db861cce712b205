// SPDX-License-Identifier: GPL-2.0
/* Loss, repetition and reordering of chosen packets of a step. */
#include <linux/slab.h>
#include "roce.h"
#include "simdev.h"

/**
 * struct sim_straggler - a frame that left the order of its link
 * @event: it arrives
 * @port: where
 * @skb: the frame
 */
struct sim_straggler {
	struct sim_event event;
	struct simdev_port *port;
	struct sk_buff *skb;
};

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

static void sim_straggler_arrives(struct sim_event *event)
{
	struct sim_straggler *s;

	s = container_of(event, struct sim_straggler, event);
	simdev_deliver(s->port, s->skb);
	dev_put(s->port->dev);
	kfree(s);
}

static void sim_straggler_add(struct simdev_port *port, struct sk_buff *skb,
			      u64 arrival)
{
	struct sim_straggler *s;

	s = kmalloc(sizeof(*s), GFP_ATOMIC);
	if (!s) {
		kfree_skb(skb);
		return;
	}
	s->port = port->peer;
	s->skb = skb;
	dev_hold(s->port->dev);
	sim_event_init(&s->event, sim_straggler_arrives);
	sim_schedule(&s->event, arrival);
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

static void sim_fault_strike(struct simdev_port *port,
			     const struct sim_fault *fault, struct sk_buff *skb)
{
	u64 arrival = SIMDEV_CB(skb)->arrival;
	struct sk_buff *copy;

	if (fault->kind == SIM_FAULT_DROP) {
		SIMDEV_CB(skb)->lost = true;
		port->stats.drops_fault++;
		return;
	}
	copy = skb_copy(skb, GFP_ATOMIC);
	if (!copy)
		return;
	if (fault->kind == SIM_FAULT_DELAY) {
		/* The copy arrives late, and what was in order never. */
		SIMDEV_CB(skb)->lost = true;
		arrival += fault->by;
	}
	copy->next = NULL;
	sim_straggler_add(port, copy, arrival);
}

/**
 * sim_fault_apply() - do to a frame what was asked for
 * @port: the port that sends it
 * @skb: the frame, already on its way
 */
void sim_fault_apply(struct simdev_port *port, struct sk_buff *skb)
{
	struct sim_fault *fault;
	struct roce_bth *bth;
	u16 sport;

	bth = roce_header(skb, &sport);
	if (!bth)
		return;
	list_for_each_entry(fault, &port->faults, list) {
		if (!sim_fault_hits(fault, bth, sport) || !fault->count)
			continue;
		fault->count--;
		sim_fault_strike(port, fault, skb);
		return;
	}
}
