/* SPDX-License-Identifier: GPL-2.0 */
/* Events of jobs, from the packet path to whoever listens. */
#ifndef _SYMPHONY_EVENT_H
#define _SYMPHONY_EVENT_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <linux/symphony.h>

struct Qdisc;
struct net;

/* So many events of a namespace may wait, and are sent at a time. */
#define SYMPHONY_EVENTS		256

/**
 * struct symphony_notice - an event that waits
 * @time: when it was, ns since the epoch
 * @kind: &enum symphony_event
 * @job: whose it is
 * @alpha: of that job
 * @step_min: of that job
 * @ifindex: where it was noticed
 * @handle: of the qdisc
 * @parent: of the qdisc
 * @domain: of its table, 0 for a private one
 */
struct symphony_notice {
	u64 time;
	u32 job;
	u32 ifindex;
	u32 handle;
	u32 parent;
	u32 domain;
	u16 alpha;
	u16 step_min;
	u8 kind;
};

/**
 * struct symphony_events - events of a namespace
 * @ring: %SYMPHONY_EVENTS of them; NULL as long as there is no qdisc
 * @lock: covers @first, @count, @lost; taken with bottom halves off
 * @first: the oldest one in @ring
 * @count: how many there are
 * @lost: how many found no room since the last one that was sent
 * @next: jiffies before which no more are sent
 * @work: sends them
 * @net: the namespace
 */
struct symphony_events {
	struct symphony_notice *ring;
	spinlock_t lock;	/* the ring and what follows */
	u32 first;
	u32 count;
	u64 lost;
	unsigned long next;
	struct delayed_work work;
	struct net *net;
};

void symphony_event(struct Qdisc *sch, enum symphony_event kind, u32 job,
		    u32 alpha, u32 step_min);
void symphony_events_init(struct symphony_events *events, struct net *net);
int symphony_events_open(struct symphony_events *events);
void symphony_events_flush(struct symphony_events *events);
void symphony_events_exit(struct symphony_events *events);

#endif
