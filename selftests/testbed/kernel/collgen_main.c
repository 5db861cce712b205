// SPDX-License-Identifier: GPL-2.0
/* A run from start to end, and the files that control it. */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/time.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "collgen.h"

#define CG_LINE_MAX	8192

/*
 * A run begins on this grid, so that windows of the qdisc fall alike, and some
 * time after it, since the kernel's tick is on it too.
 */
#define CG_START_GRID	(10 * NSEC_PER_MSEC)
#define CG_START_LEAD	NSEC_PER_MSEC

struct cg_run cg;

static DECLARE_WAIT_QUEUE_HEAD(cg_wait);
static DEFINE_MUTEX(cg_mutex);
static struct proc_dir_entry *cg_dir;
static struct sim_event cg_steps_event;
static struct sim_event cg_queue_event;
static struct sim_event cg_limit_event;
static u64 *cg_queue_last;	/* by port, in the order of simdev_ports */
static u32 cg_queue_ports;
static struct sim_event cg_until_event;
static bool cg_until_reached;

/* Time that really passes. The virtual clock does not know it. */
#ifdef CONFIG_UML
static u64 cg_host_clock(long clock)
{
	struct timespec64 ts = {};
	long ret = 228;	/* clock_gettime */

	asm volatile("syscall"
		     : "+a" (ret)
		     : "D" (clock), "S" (&ts)
		     : "rcx", "r11", "memory");
	return timespec64_to_ns(&ts);
}
#else
static u64 cg_host_clock(long clock)
{
	return ktime_get_ns();
}
#endif

/* cg_time() - ns since start */
u64 cg_time(void)
{
	return sim_now() - cg.zero;
}

void cg_default_params(struct cg_params *params)
{
	memset(params, 0, sizeof(*params));
	params->mtu = 4096;
	params->ack_every = 4;
	params->data_tos = 0x02;
	params->ack_tos = 0x10;
	params->cnp_tos = 0x10;
	params->rto = 20 * NSEC_PER_MSEC;
	params->endpoint = 10;
	cg_cc_named(&params->cc, "hpcc");
}

static void cg_pause_record(struct simdev_port *port, bool stop)
{
	struct cg_port_rec rec = { .time = cg_time(), .value = stop };

	if (!cg.running)
		return;
	strscpy(rec.name, port->dev->name);
	cg_log_add(&cg.pause_log, &rec);
}

/* What was declared may name the port: nothing can be done but reset. */
static void cg_port_gone(struct simdev_port *port)
{
	cg_finish(false);
	cg_hosts_lose(port);
	cg.stale = true;
}

static const struct simdev_hooks cg_hooks = {
	.pause = cg_pause_record,
	.gone = cg_port_gone,
};

static void cg_sample_steps(struct sim_event *event)
{
	cg_jobs_sample();
	sim_schedule(event, event->time + cg.sample_steps);
}

static void cg_sample_queue(struct sim_event *event)
{
	struct cg_port_rec rec = { .time = cg_time() };
	struct simdev_port *port;
	u64 *last = cg_queue_last;

	list_for_each_entry(port, &simdev_ports, list) {
		/* a port that came after the start */
		if (last == cg_queue_last + cg_queue_ports)
			break;
		rec.value = simdev_backlog(port);
		if (rec.value != *last) {
			*last = rec.value;
			strscpy_pad(rec.name, port->dev->name);
			cg_log_add(&cg.queue_log, &rec);
		}
		last++;
	}
	sim_schedule(event, event->time + cg.sample_queue);
}

static void cg_over_limit(struct sim_event *event)
{
	cg_finish(false);
}

static void cg_act(struct sim_event *event)
{
	struct cg_action *action;

	action = container_of(event, struct cg_action, event);
	if (action->kind == CG_RATE)
		action->port->rate = action->value;
	else
		simdev_set_link(action->port, action->kind == CG_LINK_UP);
}

static void cg_events_stop(void)
{
	struct cg_action *action;

	sim_cancel(&cg_steps_event);
	sim_cancel(&cg_queue_event);
	sim_cancel(&cg_limit_event);
	list_for_each_entry(action, &cg.actions, list)
		sim_cancel(&action->event);
}

/**
 * cg_finish() - the run is over
 * @complete: everything was sent
 *
 * Context: bottom halves off.
 */
void cg_finish(bool complete)
{
	if (!cg.running)
		return;
	cg.running = false;
	cg.complete = complete;
	cg.end = cg_time();
	cg.hops = simdev_hops;
	cg.wall = cg_host_clock(CLOCK_MONOTONIC) - cg.wall;
	cg.cpu = cg_host_clock(CLOCK_PROCESS_CPUTIME_ID) - cg.cpu;
	cg_events_stop();
	cg_jobs_stop();
	cg.finished = true;
	wake_up_all(&cg_wait);
}

static void cg_until_now(struct sim_event *event)
{
	cg_until_reached = true;
	wake_up_all(&cg_wait);
}

/**
 * cg_until() - wait for a moment of the run, or its end
 * @at: ns since start
 *
 * Return: 0, -EINVAL without a run, or -ERESTARTSYS after a signal.
 */
int cg_until(u64 at)
{
	int err;

	if (!cg.running && !cg.finished) {
		cg_error("until: no run has begun");
		return -EINVAL;
	}
	cg_until_reached = false;
	sim_schedule(&cg_until_event, cg.zero + at);
	err = wait_event_interruptible(cg_wait,
				       cg_until_reached || !cg.running);
	sim_cancel(&cg_until_event);
	return err;
}

static void cg_free_actions(void)
{
	struct cg_action *action, *next;

	list_for_each_entry_safe(action, next, &cg.actions, list) {
		list_del(&action->list);
		kfree(action);
	}
}

static void cg_init_run(void)
{
	memset(&cg, 0, sizeof(cg));
	cg_default_params(&cg.params);
	cg.seed = 1;
	cg.sample_steps = 100 * NSEC_PER_USEC;
	cg.limit = 100 * NSEC_PER_SEC;
	INIT_LIST_HEAD(&cg.jobs);
	INIT_LIST_HEAD(&cg.flows);
	INIT_LIST_HEAD(&cg.actions);
	xa_init(&cg.qps);
	cg_log_init(&cg.flow_log, sizeof(struct cg_flow_rec));
	cg_log_init(&cg.step_log, sizeof(struct cg_step_rec));
	cg_log_init(&cg.queue_log, sizeof(struct cg_port_rec));
	cg_log_init(&cg.pause_log, sizeof(struct cg_port_rec));
	cg_log_init(&cg.rate_log, sizeof(struct cg_rate_rec));
}

/* cg_reset() - forget everything; also ends a run */
void cg_reset(void)
{
	local_bh_disable();
	cg_finish(false);
	cg_qps_free();
	local_bh_enable();
	cg_hosts_remove();
	cg_jobs_free();
	cg_free_actions();
	xa_destroy(&cg.qps);
	cg_log_free(&cg.flow_log);
	cg_log_free(&cg.step_log);
	cg_log_free(&cg.queue_log);
	cg_log_free(&cg.pause_log);
	cg_log_free(&cg.rate_log);
	kvfree(cg_queue_last);
	cg_queue_last = NULL;
	simdev_reset();
	cg_init_run();
}

static void cg_events_start(void)
{
	struct cg_action *action;

	if (cg.sample_steps)
		sim_schedule(&cg_steps_event, cg.zero);
	if (cg.sample_queue)
		sim_schedule(&cg_queue_event, cg.zero);
	sim_schedule(&cg_limit_event, cg.zero + cg.limit);
	list_for_each_entry(action, &cg.actions, list) {
		sim_event_init(&action->event, cg_act);
		sim_schedule(&action->event, cg.zero + action->at);
	}
}

/* cg_start() - begin the run that was declared; from process context */
int cg_start(void)
{
	struct simdev_port *port;
	int err;

	if (cg.finished || cg.running) {
		cg_error("start: reset first");
		return -EBUSY;
	}
	if (cg.stale) {
		cg_error("start: a device is gone, reset first");
		return -ENODEV;
	}
	cg_queue_ports = 0;
	list_for_each_entry(port, &simdev_ports, list)
		cg_queue_ports++;
	cg_queue_last = kvcalloc(cg_queue_ports + 1, sizeof(*cg_queue_last),
				 GFP_KERNEL);
	if (!cg_queue_last)
		return -ENOMEM;
	err = cg_jobs_prepare();
	if (err)
		return err;
	if (!cg.left) {
		cg_error("start: no job and no flow");
		return -EINVAL;
	}
	prandom_seed_state(&cg.random, cg.seed);
	local_bh_disable();
	cg.wall = cg_host_clock(CLOCK_MONOTONIC);
	cg.cpu = cg_host_clock(CLOCK_PROCESS_CPUTIME_ID);
	cg.zero = roundup(sim_now(), CG_START_GRID) + CG_START_LEAD;
	cg.running = true;
	cg_events_start();
	cg_jobs_start();
	local_bh_enable();
	return 0;
}

/**
 * struct cg_input - a writer of the command file
 * @len: bytes of an unfinished line
 * @line: that line
 */
struct cg_input {
	u32 len;
	char line[CG_LINE_MAX];
};

static int cg_command_open(struct inode *inode, struct file *file)
{
	struct cg_input *input = kvzalloc(sizeof(*input), GFP_KERNEL);

	file->private_data = input;
	return input ? 0 : -ENOMEM;
}

static int cg_input_flush(struct cg_input *input)
{
	int err;

	input->line[input->len] = '\0';
	input->len = 0;
	mutex_lock(&cg_mutex);
	err = cg_command(input->line);
	mutex_unlock(&cg_mutex);
	return err;
}

static ssize_t cg_command_write(struct file *file, const char __user *buf,
				size_t count, loff_t *pos)
{
	struct cg_input *input = file->private_data;
	size_t done;
	char c;
	int err;

	for (done = 0; done < count; done++) {
		if (get_user(c, buf + done))
			return -EFAULT;
		if (c == '\n') {
			err = cg_input_flush(input);
			if (err)
				return err;
			continue;
		}
		if (input->len == CG_LINE_MAX - 1) {
			cg_error("line: longer than %d characters",
				 CG_LINE_MAX - 1);
			return -E2BIG;
		}
		input->line[input->len++] = c;
	}
	return count;
}

static int cg_command_release(struct inode *inode, struct file *file)
{
	struct cg_input *input = file->private_data;

	/* A last line without an end; its error can only be read. */
	if (input->len)
		cg_input_flush(input);
	kvfree(input);
	return 0;
}

static const struct proc_ops cg_command_ops = {
	.proc_open = cg_command_open,
	.proc_write = cg_command_write,
	.proc_release = cg_command_release,
};

static int cg_wait_show(struct seq_file *m, void *v)
{
	if (wait_event_interruptible(cg_wait, !cg.running))
		return -ERESTARTSYS;
	seq_puts(m, cg.complete ? "complete\n" : "incomplete\n");
	return 0;
}

static int cg_error_show(struct seq_file *m, void *v)
{
	seq_puts(m, cg_command_error());
	return 0;
}

static int cg_files_create(void)
{
	cg_dir = proc_mkdir("collgen", NULL);
	if (!cg_dir)
		return -ENOMEM;
	if (proc_create("command", 0200, cg_dir, &cg_command_ops) &&
	    proc_create_single("wait", 0444, cg_dir, cg_wait_show) &&
	    proc_create_single("error", 0444, cg_dir, cg_error_show) &&
	    !cg_records_create(cg_dir))
		return 0;
	proc_remove(cg_dir);
	return -ENOMEM;
}

static int __init cg_init(void)
{
	int err;

	sim_event_init(&cg_steps_event, cg_sample_steps);
	sim_event_init(&cg_queue_event, cg_sample_queue);
	sim_event_init(&cg_limit_event, cg_over_limit);
	sim_event_init(&cg_until_event, cg_until_now);
	cg_init_run();
	err = cg_frame_init();
	if (err)
		return err;
	err = cg_files_create();
	if (err) {
		cg_frame_exit();
		return err;
	}
	simdev_set_hooks(&cg_hooks);
	return 0;
}

static void __exit cg_exit(void)
{
	proc_remove(cg_dir);
	simdev_set_hooks(NULL);
	cg_reset();
	cg_frame_exit();
}

module_init(cg_init);
module_exit(cg_exit);

MODULE_DESCRIPTION("RoCEv2 hosts and collectives on simdev, for tests");
MODULE_LICENSE("GPL");
