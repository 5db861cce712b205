// SPDX-License-Identifier: GPL-2.0
/* A run from start to end: what is sampled, what happens when, the records. */
#include <linux/slab.h>
#include "collgen.h"

/*
 * A run begins on this grid, so that windows of the qdisc fall alike, and some
 * time after it, since the kernel's tick is on it too.
 */
#define CG_START_GRID	(10 * NSEC_PER_MSEC)
#define CG_START_LEAD	NSEC_PER_MSEC

static struct sim_event cg_steps_event;
static struct sim_event cg_queue_event;
static struct sim_event cg_limit_event;
static u64 *cg_queue_last;	/* by port, in the order of simdev_ports */
static u32 cg_queue_ports;
static struct sim_event cg_until_event;
static bool cg_until_reached;

static void cg_default_params(struct cg_params *params)
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

/* Which way the first packet of a message goes; all others follow it. */
static void cg_path_record(struct simdev_port *port, struct sk_buff *skb)
{
	struct cg_hop_rec rec = {};
	struct roce_bth *bth;
	u16 sport;

	if (!cg.running || port->ops)
		return;
	bth = roce_header(skb, &sport);
	if (!bth || (bth->opcode != ROCE_WRITE_FIRST &&
		     bth->opcode != ROCE_WRITE_ONLY_IMM))
		return;
	rec.qpn = get_unaligned_be24(bth->qpn);
	rec.step = sport & ROCE_STEP_MASK;
	strscpy(rec.name, port->dev->name);
	cg_log_add(&cg.path_log, &rec);
}

/* What was declared may name the port: nothing can be done but reset. */
static void cg_port_gone(struct simdev_port *port)
{
	cg_finish(false);
	cg_hosts_lose(port);
	cg.stale = true;
}

static struct simdev_hooks cg_hooks = {
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

/* Nothing that was scheduled happens any more. */
static void cg_stop(void)
{
	struct cg_action *action;

	sim_cancel(&cg_steps_event);
	sim_cancel(&cg_queue_event);
	sim_cancel(&cg_limit_event);
	list_for_each_entry(action, &cg.actions, list)
		sim_cancel(&action->event);
	cg_jobs_stop();
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
	cg.stop = cg_stop;
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
	cg_log_init(&cg.path_log, sizeof(struct cg_hop_rec));
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
	cg_log_free(&cg.path_log);
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
	cg_hooks.sent = cg.trace_paths ? cg_path_record : NULL;
	cg_begin(roundup(sim_now(), CG_START_GRID) + CG_START_LEAD);
	cg_events_start();
	cg_jobs_start();
	local_bh_enable();
	return 0;
}

/* cg_control_init() - before the first command */
void cg_control_init(void)
{
	sim_event_init(&cg_steps_event, cg_sample_steps);
	sim_event_init(&cg_queue_event, cg_sample_queue);
	sim_event_init(&cg_limit_event, cg_over_limit);
	sim_event_init(&cg_until_event, cg_until_now);
	cg_init_run();
	simdev_set_hooks(&cg_hooks);
}

/* cg_control_exit() - no command comes any more */
void cg_control_exit(void)
{
	simdev_set_hooks(NULL);
	cg_reset();
}
