// SPDX-License-Identifier: GPL-2.0
/*
 * The event queue: a binary heap ordered by time, then by the order of
 * scheduling, so that a run repeats.
 *
 * Two things can drive it. An hrtimer works on any kernel. Under User Mode
 * Linux in time-travel=inf-cpu a thread that lets the virtual clock run from
 * event to event does the same in half the host's time, since neither the idle
 * loop nor the timer interrupt is passed; whenever the thread gives the
 * processor away, the hrtimer stands in for it. While the thread lets the clock
 * run, other timers wait for the end of that, at most until the next event:
 * where they matter, as with shaping qdiscs, thread=0 is right.
 */
#include <linux/bottom_half.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/sched/types.h>
#include "simdev.h"

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
#include <shared/timetravel.h>
#include <linux/time-internal.h>

static bool engine_is_virtual(void)
{
	return time_travel_mode == TT_MODE_INFCPU;
}

static void engine_advance(u64 ns)
{
	time_travel_ndelay(ns);
}
#else
static bool engine_is_virtual(void)
{
	return false;
}

static void engine_advance(u64 ns)
{
}
#endif

#define ENGINE_EVENTS 0x100000U

static bool thread = true;
module_param(thread, bool, 0444);
MODULE_PARM_DESC(thread, "a thread drives the clock in time-travel=inf-cpu; 0: an hrtimer, slower, and exact for other timers too");

static struct sim_event **heap;	/* from 1 */
static u32 heap_len;
static u64 heap_seq;
static DEFINE_SPINLOCK(heap_lock);
static struct hrtimer engine_timer;
static struct task_struct *engine_thread;
static bool engine_running;	/* events run; @engine_time is the time */
static bool engine_attended;	/* the thread will look at the heap itself */
static u64 engine_time;

static bool heap_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->seq < b->seq);
}

static void heap_put(u32 pos, struct sim_event *event)
{
	heap[pos] = event;
	event->pos = pos;
}

static void heap_up(u32 pos, struct sim_event *event)
{
	while (pos > 1 && heap_before(event, heap[pos / 2])) {
		heap_put(pos, heap[pos / 2]);
		pos /= 2;
	}
	heap_put(pos, event);
}

static void heap_down(u32 pos, struct sim_event *event)
{
	u32 child;

	while ((child = pos * 2) <= heap_len) {
		if (child < heap_len && heap_before(heap[child + 1], heap[child]))
			child++;
		if (!heap_before(heap[child], event))
			break;
		heap_put(pos, heap[child]);
		pos = child;
	}
	heap_put(pos, event);
}

static void heap_remove(struct sim_event *event)
{
	u32 pos = event->pos;
	struct sim_event *last = heap[heap_len--];

	event->pos = 0;
	if (last == event)
		return;
	if (pos > 1 && heap_before(last, heap[pos / 2]))
		heap_up(pos, last);
	else
		heap_down(pos, last);
}

/**
 * sim_now() - the time
 *
 * Return: CLOCK_MONOTONIC in ns; while events run, the time of the event.
 */
u64 sim_now(void)
{
	return engine_running ? engine_time : ktime_get_ns();
}
EXPORT_SYMBOL_GPL(sim_now);

static void engine_wake(u64 time)
{
	if (engine_running || engine_attended)
		return;
	hrtimer_start(&engine_timer, ns_to_ktime(time), HRTIMER_MODE_ABS_SOFT);
	if (engine_thread)
		wake_up_process(engine_thread);
}

/**
 * sim_schedule() - let an event happen
 * @event: the event; moved when it is queued already
 * @time: when, ns; a moment of the past means now
 *
 * Context: any with interrupts on.
 */
void sim_schedule(struct sim_event *event, u64 time)
{
	spin_lock_bh(&heap_lock);
	if (event->pos)
		heap_remove(event);
	if (WARN_ON_ONCE(heap_len >= ENGINE_EVENTS)) {
		spin_unlock_bh(&heap_lock);
		return;
	}
	event->time = time;
	event->seq = heap_seq++;
	heap_up(++heap_len, event);
	if (heap[1] == event)
		engine_wake(time);
	spin_unlock_bh(&heap_lock);
}
EXPORT_SYMBOL_GPL(sim_schedule);

/**
 * sim_cancel() - an event shall not happen
 * @event: the event, queued or not
 *
 * Context: any with interrupts on. A handler that runs is not waited for.
 */
void sim_cancel(struct sim_event *event)
{
	spin_lock_bh(&heap_lock);
	if (event->pos)
		heap_remove(event);
	spin_unlock_bh(&heap_lock);
}
EXPORT_SYMBOL_GPL(sim_cancel);

static struct sim_event *engine_due(u64 now)
{
	struct sim_event *event = NULL;

	spin_lock(&heap_lock);
	if (heap_len && heap[1]->time <= now) {
		event = heap[1];
		heap_remove(event);
	}
	spin_unlock(&heap_lock);
	return event;
}

/* Bottom halves are off. */
static void engine_run(u64 now)
{
	struct sim_event *event;

	engine_time = now;
	engine_running = true;
	while ((event = engine_due(now)))
		event->fn(event);
}

static u64 engine_next(void)
{
	u64 next;

	spin_lock_bh(&heap_lock);
	next = heap_len ? heap[1]->time : U64_MAX;
	spin_unlock_bh(&heap_lock);
	return next;
}

static enum hrtimer_restart engine_fire(struct hrtimer *timer)
{
	u64 next;

	if (!engine_running) {
		engine_run(ktime_get_ns());
		engine_running = false;
	}
	next = engine_next();
	if (engine_attended || next == U64_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ns_to_ktime(next));
	return HRTIMER_RESTART;
}

static void engine_give_way(void)
{
	u64 next;

	local_bh_disable();
	engine_attended = false;
	next = engine_next();
	if (next != U64_MAX)
		hrtimer_start(&engine_timer, ns_to_ktime(next),
			      HRTIMER_MODE_ABS_SOFT);
	local_bh_enable();
	schedule();
	hrtimer_cancel(&engine_timer);
	engine_attended = true;
}

static int engine_loop(void *unused)
{
	u64 next, now;

	while (!kthread_should_stop()) {
		/*
		 * Only with bottom halves off does reading the clock cost no
		 * virtual time. Softirqs that the events raise run when they
		 * are on again, still at the same moment.
		 */
		local_bh_disable();
		now = ktime_get_ns();
		engine_run(now);
		local_bh_enable();
		engine_running = false;
		next = engine_next();
		if (next == U64_MAX) {
			set_current_state(TASK_INTERRUPTIBLE);
			if (!kthread_should_stop())
				engine_give_way();
			__set_current_state(TASK_RUNNING);
		} else if (need_resched()) {
			engine_give_way();
		} else if (next > now) {
			engine_advance(next - now);
		}
	}
	engine_attended = false;
	return 0;
}

static int engine_start_thread(void)
{
	const struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_IDLE,
	};
	struct task_struct *task;

	task = kthread_create(engine_loop, NULL, "simdev");
	if (IS_ERR(task))
		return PTR_ERR(task);
	/* Whoever wakes up at a moment goes before the moments after it. */
	sched_setattr_nocheck(task, &attr);
	engine_attended = true;
	engine_thread = task;
	wake_up_process(task);
	return 0;
}

int sim_engine_init(void)
{
	int err;

	heap = kvcalloc(ENGINE_EVENTS + 1, sizeof(*heap), GFP_KERNEL);
	if (!heap)
		return -ENOMEM;
	hrtimer_init(&engine_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	engine_timer.function = engine_fire;
	if (!thread || !engine_is_virtual())
		return 0;
	err = engine_start_thread();
	if (err)
		kvfree(heap);
	return err;
}

void sim_engine_exit(void)
{
	if (engine_thread)
		kthread_stop(engine_thread);
	hrtimer_cancel(&engine_timer);
	kvfree(heap);
}
