// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs: who sends what when. A node of a ring sends the first message of a
 * phase at once and each further one when it has received one; what counts is
 * how many have come, not which. It goes on to the next phase when it has
 * posted all and handled all it gets, without waiting for its own messages in
 * flight.
 */
#include <linux/int_log.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include "collgen.h"

#define CG_BACKGROUND_PERIOD	(10 * NSEC_PER_MSEC)
#define CG_BACKGROUND_SPORT	0x8000

/**
 * struct cg_receipt - a received message that is being reduced
 * @list: all of them
 * @event: that is done
 * @done: called then
 * @owner: for @done
 */
struct cg_receipt {
	struct list_head list;
	struct sim_event event;
	void (*done)(void *owner);
	void *owner;
};

static LIST_HEAD(cg_receipts);

struct cg_job *cg_job_find(u32 id)
{
	struct cg_job *job;

	list_for_each_entry(job, &cg.jobs, list)
		if (job->id == id)
			return job;
	return NULL;
}

static void cg_node_credit(struct cg_node *node);
static void cg_node_arrived(struct cg_msg *msg);

static u32 cg_node_pass(const struct cg_node *node)
{
	return node->phase / node->ring->nphases;
}

static const struct cg_phase *cg_node_phase(const struct cg_node *node)
{
	return &node->ring->phases[node->phase % node->ring->nphases];
}

static struct cg_node *cg_node_successor(const struct cg_node *node, u32 dim)
{
	struct cg_ring *ring = node->ring;
	u32 row = node->index / ring->columns;
	u32 column = node->index % ring->columns;

	if (dim)
		row = (row + 1) % ring->rows;
	else
		column = (column + 1) % ring->columns;
	return &ring->nodes[row * ring->columns + column];
}

static void cg_job_alive(struct cg_job *job, u32 step)
{
	u32 at = step - job->base;

	if (!job->alive[at]++)
		job->count++;
	/* the next one of a run without anything in flight starts a new span */
	if (job->count == 1 || at < job->min)
		job->min = at;
	job->max = max(job->max, at);
	job->max_count = max(job->max_count, job->count);
	job->max_span = max(job->max_span, job->max - job->min + 1);
}

static void cg_job_dead(struct cg_job *job, u32 step)
{
	if (--job->alive[step - job->base])
		return;
	job->count--;
	if (!job->count)
		return;
	while (!job->alive[job->min])
		job->min++;
	while (!job->alive[job->max])
		job->max--;
}

static void cg_job_acked(struct cg_msg *msg)
{
	struct cg_job *job = msg->job;
	struct cg_pass *pass;

	cg_log_add(&cg.flow_log, &msg->rec);
	cg_job_dead(job, msg->rec.step);
	job->bytes += msg->rec.bytes;
	job->ce += msg->rec.ce;
	job->cnps += msg->rec.cnps;
	job->retx += msg->rec.retx;
	job->left--;
	job->end = cg_time();
	pass = msg->pass;
	if (pass) {
		pass->left--;
		pass->end = cg_time();
	}
	if (!--cg.left)
		cg_finish(true);
}

/**
 * cg_job_msg_new() - a message of a job
 * @job: the job
 * @qp: queue pair, NULL if there was no memory for it
 * @bytes: payload, not 0
 *
 * Return: the message, or NULL without memory: the run has ended then. The caller
 * fills in what the record shall say and who shall learn of it.
 */
struct cg_msg *cg_job_msg_new(struct cg_job *job, struct cg_qp *qp, u64 bytes)
{
	struct cg_msg *msg = qp ? cg_msg_new(qp, bytes) : NULL;

	if (WARN_ON_ONCE(!msg)) {
		cg_finish(false);
		return NULL;
	}
	msg->job = job;
	msg->done = cg_job_acked;
	msg->rec.job = job->id;
	return msg;
}

/* cg_job_pass() - the message belongs to this pass of its job */
void cg_job_pass(struct cg_msg *msg, u32 pass)
{
	msg->pass = &msg->job->pass[pass];
	msg->rec.pass = pass;
}

/* cg_job_post() - give a message to its queue pair */
void cg_job_post(struct cg_msg *msg)
{
	struct cg_job *job = msg->job;

	if (job->begun == U64_MAX)
		job->begun = cg_time();
	cg_job_alive(job, msg->rec.step);
	if (msg->pass)
		msg->pass->start = min(msg->pass->start, cg_time());
	cg_qp_post(msg);
}

/* cg_share() - bytes of part @i of @n; the parts differ by one at most */
u64 cg_share(u64 bytes, u32 n, u32 i)
{
	return max_t(u64, div_u64(bytes * (i + 1), n) - div_u64(bytes * i, n),
		     1);
}

/* cg_job_sport() - a NIC puts a hash there; the application of the paper the step */
u16 cg_job_sport(const struct cg_job *job)
{
	if (!job->entropy)
		return ROCE_SPORT_BASE;
	return ROCE_SPORT_BASE + 1 +
	       prandom_u32_state(&cg.random) % ROCE_STEP_MASK;
}

static struct cg_qp *cg_node_qp(struct cg_node *node,
				const struct cg_phase *phase, u32 src, u32 dst)
{
	struct cg_job *job = node->ring->job;

	/* The layers of a model share their host's connections. */
	if (node->ring->lanes)
		node = &node->ring->lanes[0]->nodes[node->index];
	if (!job->per_ring)
		return cg_qp_new(job->id, cg_job_sport(job), &job->params, src,
				 dst, true);
	if (!node->qp[phase->dim])
		node->qp[phase->dim] = cg_qp_new(job->id, cg_job_sport(job),
						 &job->params, src, dst, false);
	return node->qp[phase->dim];
}

/*
 * How many collectives of these hosts come before this one. Those of a model
 * are numbered in the order in which they begin, the last layer's first.
 */
static u32 cg_ring_turn(const struct cg_ring *ring, u32 pass)
{
	u32 layers = ring->job->nlayers;

	return layers ? pass * layers + layers - 1 - ring->layer : pass;
}

static void cg_node_post_msg(struct cg_node *node, struct cg_node *peer,
			     struct cg_qp *qp, u64 bytes)
{
	const struct cg_phase *phase = cg_node_phase(node);
	struct cg_ring *ring = node->ring;
	struct cg_msg *msg = cg_job_msg_new(ring->job, qp, bytes);

	if (!msg)
		return;
	msg->arrived = cg_node_arrived;
	msg->cookie = peer;
	msg->phase = node->phase;
	cg_job_pass(msg, cg_node_pass(node));
	msg->rec.ring = ring->id;
	msg->rec.step = ring->job->first_step +
			cg_ring_turn(ring, msg->rec.pass) * ring->steps +
			phase->base + node->sent;
	cg_job_post(msg);
}

static void cg_node_post(struct cg_node *node)
{
	const struct cg_phase *phase = cg_node_phase(node);
	struct cg_ring *ring = node->ring;
	struct cg_node *peer = cg_node_successor(node, phase->dim);
	u32 messages = ring->job->messages, i;
	struct cg_qp *qp;

	qp = cg_node_qp(node, phase, ring->hosts[node->index],
			ring->hosts[peer->index]);
	for (i = 0; i < messages; i++)
		cg_node_post_msg(node, peer, qp,
				 cg_share(phase->bytes, messages, i));
	node->sent++;
	node->credits--;
}

static void cg_receipt_done(struct sim_event *event)
{
	struct cg_receipt *receipt;

	receipt = container_of(event, struct cg_receipt, event);
	list_del(&receipt->list);
	receipt->done(receipt->owner);
	kfree(receipt);
}

/**
 * cg_job_receive() - a step has arrived
 * @job: the job
 * @bytes: that are added up before the receiver goes on, 0 = none
 * @done: called when it does
 * @owner: for @done
 */
void cg_job_receive(const struct cg_job *job, u64 bytes,
		    void (*done)(void *owner), void *owner)
{
	struct cg_receipt *receipt = kmalloc(sizeof(*receipt), GFP_ATOMIC);
	u64 delay = job->params.endpoint;

	if (WARN_ON_ONCE(!receipt)) {
		cg_finish(false);
		return;
	}
	if (job->params.reduce)
		delay += div64_u64(bytes * BITS_PER_BYTE * NSEC_PER_SEC,
				   job->params.reduce);
	receipt->done = done;
	receipt->owner = owner;
	list_add_tail(&receipt->list, &cg_receipts);
	sim_event_init(&receipt->event, cg_receipt_done);
	sim_schedule(&receipt->event, sim_now() + delay);
}

static void cg_node_received(void *owner)
{
	struct cg_node *node = owner;

	node->received++;
	cg_node_credit(node);
}

/* Handle what has arrived for the phase the node is in. */
static void cg_node_claim(struct cg_node *node)
{
	const struct cg_job *job = node->ring->job;
	u32 arrived = node->arrived[node->phase] / job->messages;
	const struct cg_phase *phase = cg_node_phase(node);

	for (; arrived > node->claimed; node->claimed++)
		cg_job_receive(job, node->claimed < phase->reduce ?
			       phase->bytes : 0, cg_node_received, node);
}

static void cg_node_begin(struct sim_event *event)
{
	struct cg_node *node = container_of(event, struct cg_node, begin);

	node->sent = 0;
	node->received = 0;
	node->claimed = 0;
	node->credits = 0;
	cg_node_credit(node);
	cg_node_claim(node);
}

/* All nodes begin their next phase. */
static void cg_job_schedule(struct cg_job *job, u64 delay)
{
	struct cg_ring *ring;
	u32 i;

	list_for_each_entry(ring, &job->rings, list) {
		for (i = 0; i < ring->size; i++) {
			ring->nodes[i].claimed = U32_MAX;
			sim_schedule(&ring->nodes[i].begin, sim_now() + delay);
		}
	}
	cg_trees_schedule(job, delay);
}

/* A node waits at the barrier; the last one opens it. */
static void cg_job_meet(struct cg_job *job)
{
	if (++job->waiting < job->nodes)
		return;
	job->waiting = 0;
	cg_job_schedule(job, job->gap);
}

/**
 * cg_job_next_pass() - a node has done a pass that is not the last
 * @job: the job
 * @begin: of the node, lets it begin the next one
 */
void cg_job_next_pass(struct cg_job *job, struct sim_event *begin)
{
	if (job->barrier)
		cg_job_meet(job);
	else
		sim_schedule(begin, sim_now() + job->gap);
}

static void cg_node_next_phase(struct cg_node *node)
{
	struct cg_job *job = node->ring->job;

	if (node->phase + 1 == job->passes * node->ring->nphases)
		return;
	node->phase++;
	/* keep arrivals out of a phase that has not begun */
	node->claimed = U32_MAX;
	if (node->phase % node->ring->nphases)
		sim_schedule(&node->begin, sim_now());
	else if (job->nlayers)
		cg_gradient_reduced(node);
	else
		cg_job_next_pass(job, &node->begin);
}

static void cg_node_credit(struct cg_node *node)
{
	const struct cg_phase *phase = cg_node_phase(node);

	node->credits++;
	while (node->credits && node->sent < phase->steps)
		cg_node_post(node);
	if (node->sent == phase->steps && node->received == phase->steps)
		cg_node_next_phase(node);
}

/* The receiver of a message learns of it. */
static void cg_node_arrived(struct cg_msg *msg)
{
	struct cg_node *node = msg->cookie;

	node->arrived[msg->phase]++;
	if (node->phase == msg->phase && node->claimed != U32_MAX)
		cg_node_claim(node);
}

static void cg_job_begin(struct sim_event *event)
{
	struct cg_job *job = container_of(event, struct cg_job, event);

	if (job->nlayers)
		cg_workers_start(job);
	else
		cg_job_schedule(job, job->params.endpoint);
}

/* Exponentially distributed: -ln(u) is -log2(u) * ln(2). */
static u64 cg_random_period(u64 mean)
{
	const u32 ln2 = 11629080;	/* of 2^24 */
	u32 u = prandom_u32_state(&cg.random) | 1;
	u64 log = (32ULL << 24) - intlog2(u);

	return max_t(u64, mul_u64_u64_shr(mean, log * ln2, 48), 1);
}

static u64 cg_flow_period(const struct cg_flow *flow, u64 mean)
{
	return flow->random ? cg_random_period(mean) : mean;
}

static void cg_background_next(struct cg_msg *msg)
{
	struct cg_flow *flow = msg->cookie;
	u64 off = flow->off ? cg_flow_period(flow, flow->off) : 0;

	sim_schedule(&flow->event, sim_now() + off);
}

static void cg_background_post(struct cg_flow *flow)
{
	u64 on = cg_flow_period(flow, flow->on ?: CG_BACKGROUND_PERIOD);
	struct cg_msg *msg;
	u64 bytes;

	if (cg_time() >= flow->stop)
		return;
	if (!flow->qp) {
		flow->qp = cg_qp_new(0, CG_BACKGROUND_SPORT + flow->src,
				     &flow->params, flow->src, flow->dst,
				     false);
		if (!flow->qp)
			return;
		cg_cc_init(&flow->qp->cc, flow->rate);
	}
	on = min(on, flow->stop - cg_time());
	bytes = mul_u64_u64_div_u64(on, flow->rate,
				    BITS_PER_BYTE * NSEC_PER_SEC);
	msg = cg_msg_new(flow->qp, max_t(u64, bytes, 1));
	if (!msg)
		return;
	msg->done = cg_background_next;
	msg->cookie = flow;
	cg_qp_post(msg);
}

static void cg_flow_begin(struct sim_event *event)
{
	struct cg_flow *flow = container_of(event, struct cg_flow, event);
	struct cg_msg *msg;
	struct cg_qp *qp;

	if (!flow->job) {
		cg_background_post(flow);
		return;
	}
	qp = cg_qp_new(flow->job, ROCE_SPORT_BASE, &flow->params, flow->src,
		       flow->dst, true);
	msg = cg_job_msg_new(cg_job_find(flow->job), qp, flow->bytes);
	if (!msg)
		return;
	msg->rec.step = flow->step;
	cg_job_post(msg);
}

/* Bytes of a step's message, along the first dimension. */
static u64 cg_ring_chunk(const struct cg_ring *ring)
{
	const struct cg_layer *layer = cg_layer_find(ring->job, ring->layer);

	if (!layer)
		return ring->job->chunk;
	return max_t(u64, div_u64(layer->bytes, ring->columns), 1);
}

static void cg_ring_plan_plain(struct cg_ring *ring)
{
	struct cg_job *job = ring->job;
	struct cg_phase *phase = &ring->phases[0];
	u32 once = ring->size - 1;

	ring->nphases = 1;
	phase->bytes = cg_ring_chunk(ring);
	phase->steps = job->kind == CG_ALL_REDUCE ? 2 * once : once;
	phase->reduce = job->kind == CG_ALL_GATHER ? 0 : once;
	ring->steps = phase->steps;
}

/* Reduce-scatter along rows, all-reduce along columns, all-gather on rows. */
static void cg_ring_plan_grid(struct cg_ring *ring)
{
	u32 a = ring->columns - 1, b = ring->rows - 1;
	u64 chunk = cg_ring_chunk(ring);
	u64 part = max_t(u64, div_u64(chunk, ring->rows), 1);
	const struct cg_phase phases[CG_PHASES] = {
		{ .steps = a, .reduce = a, .bytes = chunk },
		{ .steps = 2 * b, .reduce = b, .base = a, .dim = 1,
		  .bytes = part },
		{ .steps = a, .base = a + 2 * b, .bytes = chunk },
	};

	memcpy(ring->phases, phases, sizeof(phases));
	ring->nphases = CG_PHASES;
	ring->steps = 2 * a + 2 * b;
}

static void cg_ring_free(struct cg_ring *ring)
{
	u32 i;

	if (ring->nodes) {
		for (i = 0; i < ring->size; i++) {
			sim_cancel(&ring->nodes[i].begin);
			kvfree(ring->nodes[i].arrived);
		}
	}
	cg_workers_free(ring);
	kvfree(ring->nodes);
	kvfree(ring->hosts);
	kfree(ring);
}

/**
 * cg_ring_add() - add a ring or grid to a job
 * @job: the job
 * @hosts: numbers, row by row; freed with the ring, and on error
 * @columns: length of a row, at least 2
 * @rows: 1 for a plain ring
 *
 * Return: 0 or -ENOMEM.
 */
int cg_ring_add(struct cg_job *job, u32 *hosts, u32 columns, u32 rows)
{
	struct cg_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);

	if (!ring) {
		kvfree(hosts);
		return -ENOMEM;
	}
	ring->job = job;
	ring->id = job->nrings++;
	ring->columns = columns;
	ring->rows = rows;
	ring->size = columns * rows;
	job->nodes += ring->size;
	ring->hosts = hosts;
	list_add_tail(&ring->list, &job->rings);
	return 0;
}

static int cg_ring_prepare(struct cg_ring *ring)
{
	struct cg_job *job = ring->job;
	u32 i;

	if (ring->rows > 1)
		cg_ring_plan_grid(ring);
	else
		cg_ring_plan_plain(ring);
	ring->nodes = kvcalloc(ring->size, sizeof(*ring->nodes), GFP_KERNEL);
	if (!ring->nodes)
		return -ENOMEM;
	for (i = 0; i < ring->size; i++)
		sim_event_init(&ring->nodes[i].begin, cg_node_begin);
	for (i = 0; i < ring->size; i++) {
		struct cg_node *node = &ring->nodes[i];

		node->ring = ring;
		node->index = i;
		node->arrived = kvcalloc(job->passes * ring->nphases,
					 sizeof(*node->arrived), GFP_KERNEL);
		if (!node->arrived)
			return -ENOMEM;
	}
	return 0;
}

struct cg_job *cg_job_get(u32 id)
{
	struct cg_job *job = cg_job_find(id);

	if (job)
		return job;
	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return NULL;
	job->id = id;
	job->params = cg.params;
	job->passes = 1;
	job->messages = 1;
	job->chunk = 8000000;
	job->pipeline = 8;
	INIT_LIST_HEAD(&job->rings);
	INIT_LIST_HEAD(&job->trees);
	INIT_LIST_HEAD(&job->layers);
	sim_event_init(&job->event, cg_job_begin);
	list_add_tail(&job->list, &cg.jobs);
	return job;
}

/**
 * cg_job_expect() - what a ring or tree is going to send
 * @job: the job
 * @sends: steps of a pass, each one's sending hosts added up
 *
 * Each step is @job's number of messages.
 */
void cg_job_expect(struct cg_job *job, u64 sends)
{
	u64 messages = sends * job->messages;
	u32 i;

	for (i = 0; i < job->passes; i++)
		job->pass[i].left += messages;
	job->left += messages * job->passes;
}

/* Which steps the job will use, and how many messages. */
static void cg_job_measure(struct cg_job *job)
{
	u32 first = U32_MAX, last = 0, steps = cg_trees_measure(job);
	struct cg_ring *ring;
	struct cg_flow *flow;

	list_for_each_entry(ring, &job->rings, list) {
		steps = max(steps, ring->steps * max(job->nlayers, 1));
		cg_job_expect(job, (u64)ring->steps * ring->size);
	}
	if (steps) {
		first = job->first_step;
		last = job->first_step + steps * job->passes - 1;
	}
	list_for_each_entry(flow, &cg.flows, list) {
		if (flow->job != job->id)
			continue;
		first = min(first, flow->step);
		last = max(last, flow->step);
		job->left++;
	}
	job->base = job->left ? first : 0;
	job->steps = job->left ? last - first + 1 : 0;
}

static int cg_job_prepare(struct cg_job *job)
{
	struct cg_ring *ring;
	int err;
	u32 i;

	err = cg_model_prepare(job);
	if (err)
		return err;
	list_for_each_entry(ring, &job->rings, list) {
		err = cg_ring_prepare(ring);
		if (err)
			return err;
	}
	err = cg_trees_prepare(job);
	if (err)
		return err;
	job->begun = U64_MAX;
	job->pass = kvcalloc(job->passes, sizeof(*job->pass), GFP_KERNEL);
	if (!job->pass)
		return -ENOMEM;
	for (i = 0; i < job->passes; i++)
		job->pass[i].start = U64_MAX;
	cg_job_measure(job);
	cg.left += job->left;
	job->alive = kvcalloc(job->steps + 1, sizeof(*job->alive), GFP_KERNEL);
	return job->alive ? 0 : -ENOMEM;
}

int cg_jobs_prepare(void)
{
	struct cg_job *job;
	int err;

	list_for_each_entry(job, &cg.jobs, list) {
		err = cg_job_prepare(job);
		if (err)
			return err;
	}
	return 0;
}

/* cg_jobs_start() - bottom halves are off, cg.zero is set */
void cg_jobs_start(void)
{
	struct cg_flow *flow;
	struct cg_job *job;

	list_for_each_entry(job, &cg.jobs, list)
		if (job->nrings)
			sim_schedule(&job->event, cg.zero + job->start);
	list_for_each_entry(flow, &cg.flows, list) {
		sim_event_init(&flow->event, cg_flow_begin);
		sim_schedule(&flow->event, cg.zero + flow->start);
	}
}

/* cg_jobs_stop() - nothing is posted any more */
void cg_jobs_stop(void)
{
	struct cg_receipt *receipt, *next;
	struct cg_flow *flow;
	struct cg_ring *ring;
	struct cg_job *job;
	u32 i;

	list_for_each_entry(job, &cg.jobs, list) {
		sim_cancel(&job->event);
		list_for_each_entry(ring, &job->rings, list)
			for (i = 0; ring->nodes && i < ring->size; i++)
				sim_cancel(&ring->nodes[i].begin);
		list_for_each_entry(ring, &job->rings, list)
			cg_workers_stop(ring);
		cg_trees_stop(job);
	}
	list_for_each_entry(flow, &cg.flows, list)
		sim_cancel(&flow->event);
	list_for_each_entry_safe(receipt, next, &cg_receipts, list) {
		sim_cancel(&receipt->event);
		list_del(&receipt->list);
		kfree(receipt);
	}
}

static void cg_job_free(struct cg_job *job)
{
	struct cg_ring *ring, *next;

	list_for_each_entry_safe(ring, next, &job->rings, list)
		cg_ring_free(ring);
	cg_trees_free(job);
	cg_layers_free(job);
	kvfree(job->pass);
	kvfree(job->alive);
	kfree(job);
}

void cg_jobs_free(void)
{
	struct cg_flow *flow, *next_flow;
	struct cg_job *job, *next_job;

	list_for_each_entry_safe(job, next_job, &cg.jobs, list)
		cg_job_free(job);
	INIT_LIST_HEAD(&cg.jobs);
	list_for_each_entry_safe(flow, next_flow, &cg.flows, list)
		kfree(flow);
	INIT_LIST_HEAD(&cg.flows);
}

void cg_jobs_sample(void)
{
	struct cg_step_rec rec = { .time = cg_time() };
	struct cg_job *job;

	list_for_each_entry(job, &cg.jobs, list) {
		if (!job->count)
			continue;
		rec.job = job->id;
		rec.min = job->base + job->min;
		rec.max = job->base + job->max;
		rec.count = job->count;
		cg_log_add(&cg.step_log, &rec);
	}
}
