// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of fluid messages. As in the run: a node posts the first step of a pass
 * at once and each further one when it has received one, and goes on to the
 * next pass when it has posted all and received all.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "fluid.h"

/* What is left of a message by rounding alone, of its bytes. */
#define SLACK	0.000000001

/**
 * struct node - a host in a ring
 * @msgs: what it sends, by step
 * @total: number of messages
 * @per_pass: messages of a pass
 * @per_step: messages of a step
 * @posted: messages posted
 * @pass: it is in
 * @open: that pass has begun
 * @begin: when it begins, if it has not
 * @arrived: messages received, by pass
 */
struct node {
	struct fluid_msg *msgs;
	size_t total;
	size_t per_pass;
	size_t per_step;
	size_t posted;
	size_t pass;
	bool open;
	double begin;
	size_t *arrived;
};

/**
 * struct pass - a pass of a job
 * @job: number
 * @number: of the pass
 * @start: first post
 * @end: last message
 */
struct pass {
	unsigned int job;
	unsigned int number;
	double start;
	double end;
};

/**
 * struct run - state
 * @fluid: what there is to send
 * @nodes: by job, ring and host
 * @nnodes: number of them
 * @active: messages under way
 * @nactive: number of them
 * @passes: of all jobs
 * @npasses: number of them
 * @steps: most steps of a job under way
 * @now: ns
 */
struct run {
	struct fluid *fluid;
	struct node *nodes;
	size_t nnodes;
	struct fluid_msg **active;
	size_t nactive;
	struct pass *passes;
	size_t npasses;
	unsigned int steps;
	double now;
};

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		fluid_die("out of memory");
	return p;
}

static bool is_same_node(const struct fluid_msg *a, const struct fluid_msg *b)
{
	return a->job == b->job && a->ring == b->ring && a->src == b->src;
}

static void make_node(struct run *run, struct fluid_msg *msgs, size_t total)
{
	struct node *node = &run->nodes[run->nnodes++];

	node->msgs = msgs;
	node->total = total;
	while (node->per_step < total &&
	       msgs[node->per_step].step == msgs->step)
		node->per_step++;
	while (node->per_pass < total &&
	       msgs[node->per_pass].pass == msgs->pass)
		node->per_pass++;
	if (total % node->per_pass || node->per_pass % node->per_step)
		fluid_die("flows: host %u has not done all of its passes",
			  msgs->src);
	node->arrived = allocate(total / node->per_pass, sizeof(size_t));
	/* When the job begins: its first message was posted then. */
	node->begin = msgs->start;
}

static void make_nodes(struct run *run)
{
	struct fluid *fluid = run->fluid;
	size_t first, last;

	run->nodes = allocate(fluid->nmsgs, sizeof(*run->nodes));
	for (first = 0; first < fluid->nmsgs; first = last) {
		last = first;
		while (last < fluid->nmsgs &&
		       is_same_node(&fluid->msgs[last], &fluid->msgs[first]))
			last++;
		make_node(run, &fluid->msgs[first], last - first);
	}
}

static struct node *receiver(struct run *run, const struct fluid_msg *msg)
{
	const struct fluid_msg *first;
	size_t i;

	for (i = 0; i < run->nnodes; i++) {
		first = run->nodes[i].msgs;
		if (first->job == msg->job && first->ring == msg->ring &&
		    first->src == msg->dst)
			return &run->nodes[i];
	}
	fluid_die("flows: host %u receives, but does not send", msg->dst);
}

static struct pass *find_pass(struct run *run, const struct fluid_msg *msg)
{
	struct pass *pass;

	for (pass = run->passes; pass < run->passes + run->npasses; pass++)
		if (pass->job == msg->job && pass->number == msg->pass)
			return pass;
	run->npasses++;
	pass->job = msg->job;
	pass->number = msg->pass;
	pass->start = run->now;
	return pass;
}

static void post(struct run *run, struct node *node)
{
	struct fluid_msg *msg;
	size_t i;

	for (i = 0; i < node->per_step; i++) {
		msg = &node->msgs[node->posted++];
		msg->left = msg->bytes;
		run->active[run->nactive++] = msg;
		find_pass(run, msg);
	}
}

static bool has_finished_pass(const struct node *node)
{
	return node->posted == (node->pass + 1) * node->per_pass &&
	       node->arrived[node->pass] == node->per_pass;
}

static void advance(struct run *run, struct node *node)
{
	size_t sent, received;

	while (node->open) {
		sent = node->posted - node->pass * node->per_pass;
		received = node->arrived[node->pass] / node->per_step;
		if (sent == node->per_pass || sent / node->per_step > received)
			break;
		post(run, node);
	}
	if (!node->open || !has_finished_pass(node))
		return;
	node->open = false;
	node->pass++;
	node->begin = node->posted == node->total || run->fluid->barrier ?
		      DBL_MAX : run->now + run->fluid->gap;
}

/* The last node of a job to finish a pass lets all begin the next. */
static void open_barrier(struct run *run, unsigned int job)
{
	struct node *node;
	size_t i;

	for (i = 0; i < run->nnodes; i++) {
		node = &run->nodes[i];
		if (node->msgs->job == job &&
		    (node->open || node->begin != DBL_MAX ||
		     node->posted == node->total))
			return;
	}
	for (i = 0; i < run->nnodes; i++)
		if (run->nodes[i].msgs->job == job)
			run->nodes[i].begin = run->now + run->fluid->gap;
}

static void finish(struct run *run, struct fluid_msg *msg)
{
	struct node *node = receiver(run, msg);

	find_pass(run, msg)->end = run->now;
	node->arrived[msg->pass - node->msgs->pass]++;
	advance(run, node);
	if (run->fluid->barrier)
		open_barrier(run, msg->job);
}

static void finish_all(struct run *run)
{
	size_t i, n = 0, ndone = 0;
	struct fluid_msg **done;

	done = allocate(run->nactive, sizeof(struct fluid_msg *));
	for (i = 0; i < run->nactive; i++) {
		if (run->active[i]->left <= SLACK * run->active[i]->bytes)
			done[ndone++] = run->active[i];
		else
			run->active[n++] = run->active[i];
	}
	run->nactive = n;
	for (i = 0; i < ndone; i++)
		finish(run, done[i]);
	free(done);
}

static void begin_all(struct run *run)
{
	struct node *node;

	for (node = run->nodes; node < run->nodes + run->nnodes; node++) {
		if (node->open || node->begin > run->now)
			continue;
		node->open = true;
		node->begin = DBL_MAX;
		advance(run, node);
	}
}

/* From now until a message ends or a pass begins. */
static double next_event(const struct run *run)
{
	double dt = DBL_MAX, t;
	size_t i;

	for (i = 0; i < run->nactive; i++) {
		if (run->active[i]->rate <= 0)
			continue;
		t = run->active[i]->left / run->active[i]->rate;
		if (t < dt)
			dt = t;
	}
	for (i = 0; i < run->nnodes; i++) {
		t = run->nodes[i].begin;
		if (t != DBL_MAX && t - run->now < dt)
			dt = t - run->now;
	}
	return dt;
}

static void count_steps(struct run *run)
{
	size_t i;

	for (i = 0; i < run->nactive; i++)
		if (run->active[i]->rank >= run->steps)
			run->steps = run->active[i]->rank + 1;
}

static void go(struct run *run, enum fluid_policy policy)
{
	double dt;
	size_t i;

	for (;;) {
		begin_all(run);
		fluid_share(run->fluid, run->active, run->nactive, policy);
		count_steps(run);
		dt = next_event(run);
		if (dt == DBL_MAX)
			break;
		run->now += dt;
		for (i = 0; i < run->nactive; i++)
			run->active[i]->left -= run->active[i]->rate * dt;
		finish_all(run);
	}
	if (run->nactive)
		fluid_die("%zu messages never end", run->nactive);
}

/* What the node of a job that sends most needs for it on its own link. */
static double ideal(const struct run *run, unsigned int job)
{
	const struct node *node;
	double longest = 0, bytes;
	size_t i;

	for (node = run->nodes; node < run->nodes + run->nnodes; node++) {
		if (node->msgs->job != job)
			continue;
		bytes = 0;
		for (i = 0; i < node->total; i++)
			bytes += node->msgs[i].bytes;
		bytes /= node->msgs->links[0]->rate;
		if (bytes > longest)
			longest = bytes;
	}
	return longest;
}

static struct fluid_result summarize(const struct run *run)
{
	struct fluid_result result = { .steps = run->steps };
	const struct pass *pass, *first = run->passes;
	double took = 0, needs = 0, end = 0;

	for (pass = first; pass < run->passes + run->npasses; pass++) {
		if (pass->job != first->job) {
			took += end - first->start;
			needs += ideal(run, first->job);
			first = pass;
		}
		if (pass == first || pass->end > end)
			end = pass->end;
		result.cct_ms += (pass->end - pass->start) / run->npasses / 1e6;
	}
	took += end - first->start;
	needs += ideal(run, first->job);
	result.slowdown = took / needs;
	return result;
}

static int by_job(const void *a, const void *b)
{
	const struct pass *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/**
 * fluid_run() - let all rings run
 * @fluid: the run
 * @policy: who goes first
 *
 * Return: what it took.
 */
struct fluid_result fluid_run(struct fluid *fluid, enum fluid_policy policy)
{
	struct run run = { .fluid = fluid };
	struct fluid_result result;
	size_t i;

	make_nodes(&run);
	run.active = allocate(fluid->nmsgs, sizeof(struct fluid_msg *));
	run.passes = allocate(fluid->nmsgs, sizeof(*run.passes));
	go(&run, policy);
	qsort(run.passes, run.npasses, sizeof(*run.passes), by_job);
	result = summarize(&run);
	for (i = 0; i < run.nnodes; i++)
		free(run.nodes[i].arrived);
	free(run.nodes);
	free(run.active);
	free(run.passes);
	return result;
}
