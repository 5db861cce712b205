// SPDX-License-Identifier: GPL-2.0
/*
 * Data parallel training: what a host computes between its collectives. Forward
 * through the layers, each of which waits for its own gradient of the pass
 * before; backward through them, each of which begins the all-reduce of its
 * gradient, so that those of several layers are under way at once.
 */
#include <linux/slab.h>
#include "collgen.h"

struct cg_layer *cg_layer_add(struct cg_job *job)
{
	struct cg_layer *layer = kzalloc(sizeof(*layer), GFP_KERNEL);

	if (!layer)
		return NULL;
	layer->bytes = 1000000;
	list_add_tail(&layer->list, &job->layers);
	job->nlayers++;
	return layer;
}

struct cg_layer *cg_layer_find(const struct cg_job *job, u32 number)
{
	struct cg_layer *layer;

	list_for_each_entry(layer, &job->layers, list)
		if (!number--)
			return layer;
	return NULL;
}

void cg_layers_free(struct cg_job *job)
{
	struct cg_layer *layer, *next;

	list_for_each_entry_safe(layer, next, &job->layers, list)
		kfree(layer);
}

static void cg_worker_compute(struct cg_worker *worker, u64 from)
{
	const struct cg_layer *layer;

	layer = cg_layer_find(worker->ring->job, worker->layer);
	sim_schedule(&worker->event, from + (worker->backward ?
					     layer->backward : layer->forward));
}

/* The layer's forward pass begins when the gradient of the last pass is there. */
static void cg_worker_forward(struct cg_worker *worker)
{
	const struct cg_gradient *gradient = &worker->gradients[worker->layer];

	worker->waiting = gradient->passes < worker->pass;
	if (!worker->waiting)
		cg_worker_compute(worker, max(sim_now(), gradient->ready));
}

static void cg_worker_forward_done(struct cg_worker *worker)
{
	if (++worker->layer < worker->ring->job->nlayers) {
		cg_worker_forward(worker);
		return;
	}
	worker->layer--;
	worker->backward = true;
	cg_worker_compute(worker, sim_now());
}

static void cg_worker_backward_done(struct cg_worker *worker)
{
	struct cg_job *job = worker->ring->job;
	struct cg_ring *lane = worker->ring->lanes[worker->layer];

	sim_schedule(&lane->nodes[worker->index].begin,
		     sim_now() + job->params.endpoint);
	if (worker->layer) {
		worker->layer--;
		cg_worker_compute(worker, sim_now());
		return;
	}
	if (++worker->pass == job->passes)
		return;
	worker->backward = false;
	cg_worker_forward(worker);
}

static void cg_worker_done(struct sim_event *event)
{
	struct cg_worker *worker = container_of(event, struct cg_worker, event);

	if (worker->backward)
		cg_worker_backward_done(worker);
	else
		cg_worker_forward_done(worker);
}

/**
 * cg_gradient_reduced() - a node has done all of a layer's collective
 * @node: the node, in the ring of the layer
 */
void cg_gradient_reduced(const struct cg_node *node)
{
	const struct cg_ring *lane = node->ring;
	struct cg_worker *worker = &lane->lanes[0]->workers[node->index];
	struct cg_gradient *gradient = &worker->gradients[lane->layer];

	gradient->passes++;
	gradient->ready = sim_now() +
			  cg_layer_find(lane->job, lane->layer)->update;
	if (worker->waiting && worker->layer == lane->layer)
		cg_worker_forward(worker);
}

/* cg_workers_start() - all hosts of a job begin to compute */
void cg_workers_start(struct cg_job *job)
{
	struct cg_ring *ring;
	u32 i;

	list_for_each_entry(ring, &job->rings, list) {
		for (i = 0; i < ring->size; i++) {
			/* what comes before a node has begun has to wait */
			ring->nodes[i].claimed = U32_MAX;
			if (ring->workers)
				cg_worker_forward(&ring->workers[i]);
		}
	}
}

void cg_workers_stop(struct cg_ring *ring)
{
	u32 i;

	for (i = 0; ring->workers && i < ring->size; i++)
		sim_cancel(&ring->workers[i].event);
}

void cg_workers_free(struct cg_ring *ring)
{
	u32 i;

	cg_workers_stop(ring);
	for (i = 0; ring->workers && i < ring->size; i++)
		kvfree(ring->workers[i].gradients);
	kvfree(ring->workers);
	/* the first lane is the last one to go, see cg_lane_new() */
	if (ring->lanes && ring->lanes[0] == ring)
		kvfree(ring->lanes);
}

static int cg_workers_prepare(struct cg_ring *ring)
{
	struct cg_worker *worker;
	u32 i;

	ring->workers = kvcalloc(ring->size, sizeof(*worker), GFP_KERNEL);
	if (!ring->workers)
		return -ENOMEM;
	for (i = 0; i < ring->size; i++)
		sim_event_init(&ring->workers[i].event, cg_worker_done);
	for (i = 0; i < ring->size; i++) {
		worker = &ring->workers[i];
		worker->ring = ring;
		worker->index = i;
		worker->gradients = kvcalloc(ring->job->nlayers,
					     sizeof(*worker->gradients),
					     GFP_KERNEL);
		if (!worker->gradients)
			return -ENOMEM;
	}
	return 0;
}

static struct cg_ring *cg_lane_new(const struct cg_ring *ring, u32 layer)
{
	struct cg_ring *lane = kmemdup(ring, sizeof(*ring), GFP_KERNEL);

	if (!lane)
		return NULL;
	lane->workers = NULL;
	lane->layer = layer;
	lane->hosts = kvmalloc_array(ring->size, sizeof(*ring->hosts),
				     GFP_KERNEL);
	if (!lane->hosts) {
		kfree(lane);
		return NULL;
	}
	memcpy(lane->hosts, ring->hosts, ring->size * sizeof(*ring->hosts));
	/* in front: freed before the first lane, not met by who walks the list */
	list_add(&lane->list, &ring->job->rings);
	return lane;
}

/* A ring becomes that of the first layer; the others get rings like it. */
static int cg_lanes_prepare(struct cg_ring *ring)
{
	u32 i, n = ring->job->nlayers;
	int err;

	ring->lanes = kvcalloc(n, sizeof(*ring->lanes), GFP_KERNEL);
	if (!ring->lanes)
		return -ENOMEM;
	ring->lanes[0] = ring;
	err = cg_workers_prepare(ring);
	if (err)
		return err;
	for (i = 1; i < n; i++) {
		ring->lanes[i] = cg_lane_new(ring, i);
		if (!ring->lanes[i])
			return -ENOMEM;
	}
	return 0;
}

/**
 * cg_model_prepare() - make a job's rings those of its model
 * @job: the job, its rings not yet prepared; one without layers stays as it is
 *
 * Return: 0 or an error, and then cg_command_error() may be the reason.
 */
int cg_model_prepare(struct cg_job *job)
{
	struct cg_ring *ring;
	int err;

	if (!job->nlayers)
		return 0;
	if (job->barrier || job->gap) {
		cg_error("layer: job %u has a barrier or gap, but layers wait for their gradients",
			 job->id);
		return -EINVAL;
	}
	list_for_each_entry(ring, &job->rings, list) {
		err = cg_lanes_prepare(ring);
		if (err)
			return err;
	}
	return 0;
}
