/* SPDX-License-Identifier: GPL-2.0 */
/* The time of a packet. */
#ifndef _SYMPHONY_CLOCK_H
#define _SYMPHONY_CLOCK_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "symphony.h"

/* Packets that follow a reading of the clock and share it, 2^n - 1 at most. */
#define SYMPHONY_CLOCK_SHARE	7U

/*
 * The time of a packet. Reading the clock costs more than all else here, so
 * that packets which leave back to back share a reading: never beyond the next
 * enqueue or an empty queue, at most SYMPHONY_CLOCK_SHARE, and so many that
 * readings stay a 128th of a window apart at the pace of the last ones. After
 * a pause of the link of less than a jiffy those few packets count for the window
 * before it.
 */
static __always_inline u64 symphony_now(struct symphony_sched_data *q)
{
	u64 now;

	if (q->clock_left && q->clock_jiffies == (u32)jiffies) {
		q->clock_left--;
		return q->clock;
	}
	now = ktime_get_ns();
	if (now - q->clock < q->config.params.window >> 7)
		q->clock_share = min(2 * q->clock_share + 1,
				     SYMPHONY_CLOCK_SHARE);
	else
		q->clock_share >>= 1;
	q->clock_left = q->clock_share;
	q->clock = now;
	q->clock_jiffies = jiffies;
	return now;
}

#endif
