// SPDX-License-Identifier: GPL-2.0
/*
 * The transmitter of a port: one frame at a time for exactly as long as it
 * takes, stopped and started by PFC. What it sends flies to the other end in
 * order of arrival.
 */
#include <linux/math64.h>
#include <linux/slab.h>
#include <net/sch_generic.h>
#include "simdev.h"

#define SIMDEV_PAUSE_LEN	64

const struct simdev_hooks *simdev_hooks;

/**
 * struct sim_pause - a pause frame on its way
 * @event: it arrives
 * @port: the transmitter it is for
 * @stop: stop or go on
 */
struct sim_pause {
	struct sim_event event;
	struct simdev_port *port;
	bool stop;
};

/**
 * simdev_frame_time() - how long bits take
 * @bits: number of bits
 * @rate: bit/s
 * @remainder: fraction carried from frame to frame, in 1 / @rate ns
 *
 * Return: whole nanoseconds.
 */
u64 simdev_frame_time(u64 bits, u64 rate, u64 *remainder)
{
	return div64_u64_rem(bits * NSEC_PER_SEC + *remainder, rate, remainder);
}
EXPORT_SYMBOL_GPL(simdev_frame_time);

bool simdev_may_send(const struct simdev_port *port, bool data)
{
	if (port->busy)
		return false;
	return !port->stopped || (port->dev->num_tx_queues > 1 && !data);
}
EXPORT_SYMBOL_GPL(simdev_may_send);

/* A frame that was held back flies among those sent after it. */
static void simdev_fly(struct simdev_port *port, struct sk_buff *skb)
{
	u64 arrival = SIMDEV_CB(skb)->arrival;
	struct sk_buff **at = port->flying_tail;

	if (port->flying && arrival < port->last_arrival) {
		at = &port->flying;
		while (*at && SIMDEV_CB(*at)->arrival <= arrival)
			at = &(*at)->next;
	}
	if (at == &port->flying)
		sim_schedule(&port->arrive, arrival);
	skb->next = *at;
	*at = skb;
	if (!skb->next) {
		port->flying_tail = &skb->next;
		port->last_arrival = arrival;
	}
}

/**
 * simdev_send() - begin to send a frame
 * @port: an idle port
 * @skb: the frame, data at the MAC header, network header set
 *
 * Context: bottom halves off.
 */
void simdev_send(struct simdev_port *port, struct sk_buff *skb)
{
	u64 bits = (u64)(skb->len + port->overhead) * BITS_PER_BYTE;
	struct sk_buff *copy = NULL;
	u64 now = sim_now();
	u64 duration;

	/* What the frame took of this switch's buffer is free again. */
	skb_orphan(skb);
	if (port->idle_at != now)
		port->remainder = 0;
	duration = simdev_frame_time(bits, port->rate, &port->remainder);
	port->busy = true;
	port->idle_at = now + duration;
	port->stats.tx_packets++;
	port->stats.tx_bytes += skb->len;
	port->stats.busy_ns += duration;
	sim_schedule(&port->sent, port->idle_at);

	if (simdev_hooks && simdev_hooks->sent)
		simdev_hooks->sent(port, skb);
	SIMDEV_CB(skb)->arrival = port->idle_at + port->delay;
	SIMDEV_CB(skb)->lost = false;
	if (!list_empty(&port->faults))
		copy = sim_fault_apply(port, skb);
	simdev_fly(port, skb);
	if (copy)
		simdev_fly(port, copy);
}
EXPORT_SYMBOL_GPL(simdev_send);

/*
 * A qdisc that feeds one queue alone may know it, and the stack tells its
 * default qdiscs. It does not tell those of the user, and they then take out a
 * packet while the one before it is still being sent, only to keep it: a
 * marker would decide one packet early.
 */
static void simdev_tell_qdisc(const struct netdev_queue *txq)
{
	struct Qdisc *qdisc = rcu_dereference_bh(txq->qdisc);

	if (txq->dev->num_tx_queues == 1)
		qdisc->flags |= TCQ_F_ONETXQUEUE;
}

netdev_tx_t simdev_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct simdev_port *port = netdev_priv(dev);

	if (!simdev_may_send(port, skb_get_queue_mapping(skb) ==
				   SIMDEV_QUEUE_DATA)) {
		netif_tx_stop_queue(skb_get_tx_queue(dev, skb));
		return NETDEV_TX_BUSY;
	}
	simdev_tell_qdisc(skb_get_tx_queue(dev, skb));
	netif_tx_stop_all_queues(dev);
	simdev_send(port, skb);
	return NETDEV_TX_OK;
}

/* Let the qdiscs go on; an empty one need not be looked at. */
static void simdev_wake_queues(struct simdev_port *port)
{
	struct netdev_queue *txq;
	struct Qdisc *qdisc;
	unsigned int i;

	for (i = 0; i < port->dev->num_tx_queues; i++) {
		if (!simdev_may_send(port, i == SIMDEV_QUEUE_DATA))
			continue;
		txq = netdev_get_tx_queue(port->dev, i);
		qdisc = rcu_dereference_bh(txq->qdisc);
		if (qdisc_is_empty(qdisc))
			netif_tx_start_queue(txq);
		else
			netif_tx_wake_queue(txq);
	}
}

static void simdev_idle(struct simdev_port *port)
{
	if (port->ops)
		port->ops->idle(port->host);
	if (!port->busy)
		simdev_wake_queues(port);
}

static void simdev_sent(struct sim_event *event)
{
	struct simdev_port *port;

	port = container_of(event, struct simdev_port, sent);
	port->busy = false;
	simdev_idle(port);
}

static void simdev_pause_arrives(struct sim_event *event)
{
	struct sim_pause *pause = container_of(event, struct sim_pause, event);
	struct simdev_port *port = pause->port;

	if (port->stopped != pause->stop) {
		port->stopped = pause->stop;
		if (port->stopped) {
			port->stats.pauses++;
			port->stopped_since = sim_now();
		} else {
			port->stats.paused_ns += sim_now() - port->stopped_since;
		}
		if (simdev_hooks)
			simdev_hooks->pause(port, port->stopped);
	}
	if (!port->stopped && !port->busy)
		simdev_idle(port);
	dev_put(port->dev);
	kfree(pause);
}

/**
 * simdev_pause() - tell the other end to stop or go on
 * @port: the port that sends the pause frame
 * @stop: stop or go on
 *
 * The pause frame waits for the frame that is being sent, as on a real link,
 * and goes before all others.
 *
 * Context: bottom halves off.
 */
void simdev_pause(struct simdev_port *port, bool stop)
{
	u64 start = max(sim_now(), port->busy ? port->idle_at : 0);
	struct sim_pause *pause;
	u64 remainder = 0;

	pause = kmalloc(sizeof(*pause), GFP_ATOMIC);
	if (WARN_ON_ONCE(!pause))
		return;
	pause->port = port->peer;
	pause->stop = stop;
	dev_hold(port->peer->dev);
	sim_event_init(&pause->event, simdev_pause_arrives);
	sim_schedule(&pause->event, start + port->delay +
		     simdev_frame_time((SIMDEV_PAUSE_LEN + port->overhead) *
				       BITS_PER_BYTE, port->rate, &remainder));
}

void simdev_set_hooks(const struct simdev_hooks *hooks)
{
	local_bh_disable();
	simdev_hooks = hooks;
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(simdev_set_hooks);

/* simdev_tx_init() - @arrive is what happens when a frame may have arrived */
void simdev_tx_init(struct simdev_port *port,
		    void (*arrive)(struct sim_event *event))
{
	port->flying_tail = &port->flying;
	sim_event_init(&port->sent, simdev_sent);
	sim_event_init(&port->arrive, arrive);
}

/**
 * simdev_tx_landed() - take the next frame that has arrived
 * @port: the port that sent it
 * @now: the time
 *
 * Return: the frame, or NULL when the next one is still on its way or there is
 * none.
 */
struct sk_buff *simdev_tx_landed(struct simdev_port *port, u64 now)
{
	struct sk_buff *skb = port->flying;

	if (!skb)
		return NULL;
	if (SIMDEV_CB(skb)->arrival > now) {
		if (!sim_event_pending(&port->arrive))
			sim_schedule(&port->arrive, SIMDEV_CB(skb)->arrival);
		return NULL;
	}
	port->flying = skb->next;
	if (!port->flying)
		port->flying_tail = &port->flying;
	skb->next = NULL;
	return skb;
}

/* simdev_tx_drain() - the link goes, and what is on it */
void simdev_tx_drain(struct simdev_port *port)
{
	struct sk_buff *skb;

	sim_cancel(&port->sent);
	sim_cancel(&port->arrive);
	while ((skb = port->flying)) {
		port->flying = skb->next;
		skb->next = NULL;
		kfree_skb(skb);
	}
	port->flying_tail = &port->flying;
}
