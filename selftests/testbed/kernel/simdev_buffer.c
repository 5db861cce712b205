// SPDX-License-Identifier: GPL-2.0
/*
 * Shared buffer of a switch: who holds how much, counted by the port it came
 * in at, and PFC towards that port's link.
 */
#include <linux/slab.h>
#include "simdev.h"

static LIST_HEAD(switches);

struct sim_ingress *sim_ingress_new(struct simdev_port *port)
{
	struct sim_ingress *ingress;

	ingress = kzalloc(sizeof(*ingress), GFP_KERNEL);
	if (!ingress)
		return NULL;
	refcount_set(&ingress->ref, 1);
	ingress->port = port;
	INIT_LIST_HEAD(&ingress->paused);
	return ingress;
}

static void sim_switch_put(struct sim_switch *sw)
{
	if (--sw->ref)
		return;
	list_del(&sw->list);
	kfree(sw);
}

static void sim_ingress_put(struct sim_ingress *ingress)
{
	if (!refcount_dec_and_test(&ingress->ref))
		return;
	list_del(&ingress->paused);
	if (ingress->sw)
		sim_switch_put(ingress->sw);
	kfree(ingress);
}

void sim_ingress_free(struct sim_ingress *ingress)
{
	local_bh_disable();
	ingress->port = NULL;
	list_del_init(&ingress->paused);
	sim_ingress_put(ingress);
	local_bh_enable();
}

static struct sim_switch *sim_switch_get(u32 id)
{
	struct sim_switch *sw;

	list_for_each_entry(sw, &switches, list) {
		if (sw->id == id) {
			sw->ref++;
			return sw;
		}
	}
	sw = kzalloc(sizeof(*sw), GFP_ATOMIC);
	if (!sw)
		return NULL;
	sw->id = id;
	sw->ref = 1;
	INIT_LIST_HEAD(&sw->paused);
	list_add_tail(&sw->list, &switches);
	return sw;
}

/**
 * sim_ingress_set_switch() - make a port part of a switch
 * @ingress: of the port
 * @id: number of the switch, 0 = none
 *
 * Context: RTNL held, bottom halves off.
 *
 * Return: 0, -EBUSY while frames are accounted, or -ENOMEM.
 */
int sim_ingress_set_switch(struct sim_ingress *ingress, u32 id)
{
	struct sim_switch *sw = NULL;

	if (ingress->bytes)
		return -EBUSY;
	if (id) {
		sw = sim_switch_get(id);
		if (!sw)
			return -ENOMEM;
	}
	if (ingress->sw)
		sim_switch_put(ingress->sw);
	ingress->sw = sw;
	return 0;
}

static u64 sim_switch_threshold(const struct sim_switch *sw)
{
	return sw->used < sw->size ? (sw->size - sw->used) >> sw->shift : 0;
}

/**
 * sim_buffer_admit() - is there room for a frame that arrives
 * @port: where
 * @skb: the frame
 *
 * Return: false when it must be dropped.
 */
bool sim_buffer_admit(struct simdev_port *port, const struct sk_buff *skb)
{
	struct sim_ingress *ingress = port->ingress;
	struct sim_switch *sw = ingress->sw;

	if (!sw || !sw->size || sw->used + skb->len <= sw->size)
		return true;
	return sw->pfc && ingress->bytes + skb->len <= sw->headroom;
}

static void sim_buffer_resume(struct sim_switch *sw)
{
	u64 threshold = sim_switch_threshold(sw);
	struct sim_ingress *ingress, *next;

	list_for_each_entry_safe(ingress, next, &sw->paused, paused) {
		if (sw->pfc && ingress->bytes &&
		    ingress->bytes + sw->xon > threshold)
			continue;
		list_del_init(&ingress->paused);
		simdev_pause(ingress->port, false);
	}
}

static void sim_buffer_release(struct sk_buff *skb)
{
	struct sim_ingress *ingress = skb_shinfo(skb)->destructor_arg;
	u64 bytes = ktime_to_ns(skb_hwtstamps(skb)->hwtstamp);
	struct sim_switch *sw = ingress->sw;

	ingress->bytes -= bytes;
	sw->used -= bytes;
	if (!list_empty(&sw->paused))
		sim_buffer_resume(sw);
	sim_ingress_put(ingress);
}

/**
 * sim_buffer_hold() - a frame takes room until it is sent or freed
 * @ingress: where it came in; has a switch
 * @skb: the frame, without owner
 *
 * The frame's own fields carry the debt: destructor_arg means nothing to the
 * stack without its zerocopy flag, the hardware time stamp nothing to a frame
 * that leaves.
 */
void sim_buffer_hold(struct sim_ingress *ingress, struct sk_buff *skb)
{
	struct sim_switch *sw = ingress->sw;

	refcount_inc(&ingress->ref);
	skb_shinfo(skb)->destructor_arg = ingress;
	skb_hwtstamps(skb)->hwtstamp = ns_to_ktime(skb->len);
	skb->destructor = sim_buffer_release;
	ingress->bytes += skb->len;
	sw->used += skb->len;
	if (!ingress->port)
		return;
	ingress->port->stats.peak = max(ingress->port->stats.peak,
					ingress->bytes);
	if (sw->pfc && list_empty(&ingress->paused) &&
	    ingress->bytes > sim_switch_threshold(sw)) {
		list_add_tail(&ingress->paused, &sw->paused);
		simdev_pause(ingress->port, true);
	}
}

/* sim_buffer_check() - the switch's parameters changed */
void sim_buffer_check(struct sim_switch *sw)
{
	sim_buffer_resume(sw);
}
