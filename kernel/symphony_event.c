// SPDX-License-Identifier: GPL-2.0
/*
 * Events of jobs. The packet path only puts them down, and that only if somebody
 * listens; a worker sends them, so many at a time. What is more is counted.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/pkt_sched.h>

#include "symphony.h"
#include "symphony_event.h"
#include "symphony_genl.h"
#include "symphony_net.h"

/* Eight u32, two u64 with their padding; no larger, it counts for the socket. */
#define SYMPHONY_EVENT_SIZE	(8 * nla_total_size(sizeof(u32)) + \
				 2 * nla_total_size_64bit(sizeof(u64)))

/* Pause between two times that events are sent. */
#define SYMPHONY_EVENTS_PAUSE	(HZ / 20)

/**
 * symphony_event() - something happened to a job
 * @sch: the qdisc that noticed it
 * @kind: what
 * @job: number of the job
 * @alpha: its alpha now
 * @step_min: its smallest step now
 *
 * Context: bottom halves off; the locks of the job and of the qdisc's tree may be held.
 */
void symphony_event(struct Qdisc *sch, enum symphony_event kind, u32 job,
		    u32 alpha, u32 step_min)
{
	const struct symphony_sched_data *q = qdisc_priv(sch);
	struct net *net = dev_net(qdisc_dev(sch));
	struct symphony_events *events = &symphony_net(net)->events;
	unsigned long wait = 0;

	if (likely(!genl_has_listeners(&symphony_genl_family, net, 0)))
		return;
	spin_lock(&events->lock);
	if (!events->ring || events->count == SYMPHONY_EVENTS) {
		events->lost++;
	} else {
		u32 i = (events->first + events->count++) % SYMPHONY_EVENTS;

		events->ring[i] = (struct symphony_notice) {
			.time = ktime_get_real_ns(),
			.kind = kind,
			.job = job,
			.alpha = alpha,
			.step_min = step_min,
			.ifindex = qdisc_dev(sch)->ifindex,
			.handle = sch->handle,
			.parent = sch->parent,
			.domain = symphony_table_of(q)->domain,
		};
	}
	if (time_before(jiffies, events->next))
		wait = events->next - jiffies;
	spin_unlock(&events->lock);
	schedule_delayed_work(&events->work, wait);
}

/* The oldest event, with how many were lost before it. False if there is none. */
static bool symphony_event_take(struct symphony_events *events,
				struct symphony_notice *notice, u64 *lost)
{
	bool taken = false;

	spin_lock_bh(&events->lock);
	if (events->count) {
		*notice = events->ring[events->first];
		events->first = (events->first + 1) % SYMPHONY_EVENTS;
		events->count--;
		*lost = events->lost;
		events->lost = 0;
		taken = true;
	}
	spin_unlock_bh(&events->lock);
	return taken;
}

static int symphony_event_put(struct sk_buff *skb,
			      const struct symphony_notice *notice, u64 lost)
{
	bool aligns = notice->kind == SYMPHONY_EVENT_MISALIGNED ||
		      notice->kind == SYMPHONY_EVENT_ALIGNED;
	void *hdr;

	hdr = genlmsg_put(skb, 0, 0, &symphony_genl_family, 0,
			  SYMPHONY_CMD_EVENT);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SYMPHONY_ATTR_IFINDEX, notice->ifindex) ||
	    nla_put_u32(skb, SYMPHONY_ATTR_HANDLE, notice->handle) ||
	    nla_put_u32(skb, SYMPHONY_ATTR_PARENT, notice->parent) ||
	    (notice->domain &&
	     nla_put_u32(skb, SYMPHONY_ATTR_DOMAIN, notice->domain)) ||
	    nla_put_u32(skb, SYMPHONY_ATTR_JOB, notice->job) ||
	    nla_put_u32(skb, SYMPHONY_ATTR_EVENT, notice->kind) ||
	    nla_put_u64_64bit(skb, SYMPHONY_ATTR_TIME, notice->time,
			      SYMPHONY_ATTR_PAD) ||
	    (aligns &&
	     (nla_put_u32(skb, SYMPHONY_ATTR_ALPHA, notice->alpha) ||
	      nla_put_u32(skb, SYMPHONY_ATTR_STEP_MIN, notice->step_min))) ||
	    (lost && nla_put_u64_64bit(skb, SYMPHONY_ATTR_LOST, lost,
				       SYMPHONY_ATTR_PAD)))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

static void symphony_event_send(struct symphony_events *events,
				const struct symphony_notice *notice, u64 lost)
{
	struct sk_buff *skb = genlmsg_new(SYMPHONY_EVENT_SIZE, GFP_KERNEL);

	if (skb && !symphony_event_put(skb, notice, lost)) {
		/* no one listens any more, or his socket is full, as it then says */
		genlmsg_multicast_netns(&symphony_genl_family, events->net, skb,
					0, 0, GFP_KERNEL);
		return;
	}
	nlmsg_free(skb);
	spin_lock_bh(&events->lock);
	events->lost += lost + 1;
	spin_unlock_bh(&events->lock);
}

static void symphony_events_work(struct work_struct *work)
{
	struct symphony_events *events =
		container_of(to_delayed_work(work), struct symphony_events, work);
	struct symphony_notice notice;
	u32 i;
	u64 lost;

	for (i = 0; i < SYMPHONY_EVENTS; i++) {
		if (!symphony_event_take(events, &notice, &lost))
			break;
		symphony_event_send(events, &notice, lost);
	}
	spin_lock_bh(&events->lock);
	events->next = jiffies + SYMPHONY_EVENTS_PAUSE;
	i = events->count;
	spin_unlock_bh(&events->lock);
	if (i)
		schedule_delayed_work(&events->work, SYMPHONY_EVENTS_PAUSE);
}

/**
 * symphony_events_init() - a namespace has no events yet
 * @events: its events
 * @net: the namespace
 */
void symphony_events_init(struct symphony_events *events, struct net *net)
{
	spin_lock_init(&events->lock);
	events->net = net;
	events->next = jiffies;
	INIT_DELAYED_WORK(&events->work, symphony_events_work);
}

/**
 * symphony_events_open() - make room for events, as a qdisc comes
 * @events: events of its namespace
 *
 * Context: RTNL held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int symphony_events_open(struct symphony_events *events)
{
	struct symphony_notice *ring;

	if (events->ring)
		return 0;
	ring = kvcalloc(SYMPHONY_EVENTS, sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return -ENOMEM;
	spin_lock_bh(&events->lock);
	events->ring = ring;
	spin_unlock_bh(&events->lock);
	return 0;
}

/**
 * symphony_events_flush() - send what waits, as the last qdisc goes
 * @events: events of its namespace
 *
 * Context: RTNL held, may sleep.
 */
void symphony_events_flush(struct symphony_events *events)
{
	flush_delayed_work(&events->work);
}

/**
 * symphony_events_exit() - a namespace goes, which has no qdiscs any more
 * @events: its events
 */
void symphony_events_exit(struct symphony_events *events)
{
	cancel_delayed_work_sync(&events->work);
	kvfree(events->ring);
}
