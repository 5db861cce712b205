// SPDX-License-Identifier: GPL-2.0
/*
 * Tree all-reduce: below host I of the list are hosts 2 I + 1 and 2 I + 2. A chunk
 * goes up when the host has its own and those of the hosts below it, and from the
 * root down again. Each direction of an edge is one connection on which chunks
 * go in order, so that numbers of chunks, over all passes, say which they are.
 */
#include <linux/slab.h>
#include "collgen.h"

#define CG_TREE_CHILDREN	2

/**
 * struct cg_tree_link - one direction of an edge
 * @from: sender
 * @to: receiver
 * @qp: connection, from the first chunk on
 * @posted: chunks
 * @arrived: messages of a chunk of which some are missing
 * @received: chunks handled
 */
struct cg_tree_link {
	struct cg_tree_node *from;
	struct cg_tree_node *to;
	struct cg_qp *qp;
	u32 posted;
	u32 arrived;
	u32 received;
};

/**
 * struct cg_tree_node - a host in a tree
 * @tree: the tree
 * @index: place in it, the root's is 0
 * @own: chunks it has had of its own up to this pass
 * @busy: in a pass
 * @up: to the host above, if there is one
 * @down: from it
 * @begin: the next pass begins
 */
struct cg_tree_node {
	struct cg_tree *tree;
	u32 index;
	u32 own;
	bool busy;
	struct cg_tree_link up;
	struct cg_tree_link down;
	struct sim_event begin;
};

/**
 * struct cg_tree - a tree
 * @list: of the job
 * @job: the job
 * @id: among rings and trees of the job
 * @size: hosts
 * @hosts: numbers, the root first
 * @nodes: state
 */
struct cg_tree {
	struct list_head list;
	struct cg_job *job;
	u32 id;
	u32 size;
	u32 *hosts;
	struct cg_tree_node *nodes;
};

static struct cg_tree_node *cg_tree_child(const struct cg_tree_node *node,
					  u32 i)
{
	u32 child = CG_TREE_CHILDREN * node->index + 1 + i;

	return child < node->tree->size ? &node->tree->nodes[child] : NULL;
}

/* Chunks that the node has of all hosts below it and of itself. */
static u32 cg_tree_reduced(const struct cg_tree_node *node)
{
	const struct cg_tree_node *child;
	u32 chunks = node->own, i;

	for (i = 0; i < CG_TREE_CHILDREN; i++) {
		child = cg_tree_child(node, i);
		if (child)
			chunks = min(chunks, child->up.received);
	}
	return chunks;
}

static void cg_tree_arrived(struct cg_msg *msg);

static void cg_tree_post(struct cg_tree_link *link)
{
	const struct cg_tree *tree = link->from->tree;
	struct cg_job *job = tree->job;
	u32 chunk = link->posted++, i;
	struct cg_msg *msg;

	if (!link->qp)
		link->qp = cg_qp_new(job->id, cg_job_sport(job), &job->params,
				     tree->hosts[link->from->index],
				     tree->hosts[link->to->index], false);
	for (i = 0; i < job->messages; i++) {
		msg = cg_job_msg_new(job, link->qp,
				     cg_share(job->chunk, job->messages, i));
		if (!msg)
			return;
		msg->arrived = cg_tree_arrived;
		msg->cookie = link;
		cg_job_pass(msg, chunk / job->pipeline);
		msg->rec.ring = tree->id;
		msg->rec.step = job->first_step + chunk;
		cg_job_post(msg);
	}
}

static void cg_tree_send(struct cg_tree_link *link, u32 chunks)
{
	while (link->posted < chunks)
		cg_tree_post(link);
}

static void cg_tree_pass_done(struct cg_tree_node *node)
{
	struct cg_job *job = node->tree->job;

	node->busy = false;
	if (node->own < job->passes * job->pipeline)
		cg_job_next_pass(job, &node->begin);
}

/* Send what can be sent by now. */
static void cg_tree_advance(struct cg_tree_node *node)
{
	u32 chunks = cg_tree_reduced(node), i;
	struct cg_tree_node *child;

	if (node->index) {
		cg_tree_send(&node->up, chunks);
		chunks = node->down.received;
	}
	for (i = 0; i < CG_TREE_CHILDREN; i++) {
		child = cg_tree_child(node, i);
		if (child)
			cg_tree_send(&child->down, chunks);
	}
	if (node->busy && chunks == node->own)
		cg_tree_pass_done(node);
}

static void cg_tree_received(void *owner)
{
	struct cg_tree_link *link = owner;

	link->received++;
	cg_tree_advance(link->to);
}

/* The receiver of a message learns of it. */
static void cg_tree_arrived(struct cg_msg *msg)
{
	struct cg_tree_link *link = msg->cookie;
	const struct cg_job *job = msg->job;

	if (++link->arrived < job->messages)
		return;
	link->arrived = 0;
	cg_job_receive(job, link == &link->from->up ? job->chunk : 0,
		       cg_tree_received, link);
}

static void cg_tree_begin(struct sim_event *event)
{
	struct cg_tree_node *node;

	node = container_of(event, struct cg_tree_node, begin);
	node->own += node->tree->job->pipeline;
	node->busy = true;
	cg_tree_advance(node);
}

/**
 * cg_tree_add() - add a tree to a job
 * @job: the job
 * @hosts: numbers, the root first; freed with the tree, and on error
 * @size: number of them, at least 2
 *
 * Return: 0 or -ENOMEM.
 */
int cg_tree_add(struct cg_job *job, u32 *hosts, u32 size)
{
	struct cg_tree *tree = kzalloc(sizeof(*tree), GFP_KERNEL);

	if (!tree) {
		kvfree(hosts);
		return -ENOMEM;
	}
	tree->job = job;
	tree->id = job->nrings++;
	tree->size = size;
	tree->hosts = hosts;
	job->nodes += size;
	list_add_tail(&tree->list, &job->trees);
	return 0;
}

static void cg_tree_link_init(struct cg_tree_link *link,
			      struct cg_tree_node *from,
			      struct cg_tree_node *to)
{
	link->from = from;
	link->to = to;
}

static int cg_tree_prepare(struct cg_tree *tree)
{
	struct cg_tree_node *node, *above;
	u32 i;

	tree->nodes = kvcalloc(tree->size, sizeof(*tree->nodes), GFP_KERNEL);
	if (!tree->nodes)
		return -ENOMEM;
	for (i = 0; i < tree->size; i++) {
		node = &tree->nodes[i];
		node->tree = tree;
		node->index = i;
		sim_event_init(&node->begin, cg_tree_begin);
		if (!i)
			continue;
		above = &tree->nodes[(i - 1) / CG_TREE_CHILDREN];
		cg_tree_link_init(&node->up, node, above);
		cg_tree_link_init(&node->down, above, node);
	}
	return 0;
}

/* Why a job cannot have trees, or NULL. */
static const char *cg_trees_wrong(const struct cg_job *job)
{
	if (job->kind != CG_ALL_REDUCE)
		return "its collective is no allreduce";
	if (!job->per_ring)
		return "its mode is not qp-per-ring";
	if (job->nlayers)
		return "it has layers";
	return NULL;
}

/**
 * cg_trees_prepare() - make a job's trees ready to begin
 * @job: the job
 *
 * Return: 0 or an error, and then cg_command_error() may be the reason.
 */
int cg_trees_prepare(struct cg_job *job)
{
	struct cg_tree *tree;
	const char *wrong;
	int err;

	if (list_empty(&job->trees))
		return 0;
	wrong = cg_trees_wrong(job);
	if (wrong) {
		cg_error("tree: job %u cannot have one, %s", job->id, wrong);
		return -EINVAL;
	}
	list_for_each_entry(tree, &job->trees, list) {
		err = cg_tree_prepare(tree);
		if (err)
			return err;
	}
	return 0;
}

/* cg_trees_measure() - what a job's trees will send; returns the steps of a pass */
u32 cg_trees_measure(struct cg_job *job)
{
	struct cg_tree *tree;

	list_for_each_entry(tree, &job->trees, list)
		cg_job_expect(job, 2ULL * (tree->size - 1) * job->pipeline);
	return list_empty(&job->trees) ? 0 : job->pipeline;
}

/* cg_trees_schedule() - all hosts begin their next pass after so many ns */
void cg_trees_schedule(struct cg_job *job, u64 delay)
{
	struct cg_tree *tree;
	u32 i;

	list_for_each_entry(tree, &job->trees, list)
		for (i = 0; i < tree->size; i++)
			sim_schedule(&tree->nodes[i].begin, sim_now() + delay);
}

void cg_trees_stop(struct cg_job *job)
{
	struct cg_tree *tree;
	u32 i;

	list_for_each_entry(tree, &job->trees, list)
		for (i = 0; tree->nodes && i < tree->size; i++)
			sim_cancel(&tree->nodes[i].begin);
}

void cg_trees_free(struct cg_job *job)
{
	struct cg_tree *tree, *next;

	cg_trees_stop(job);
	list_for_each_entry_safe(tree, next, &job->trees, list) {
		kvfree(tree->nodes);
		kvfree(tree->hosts);
		kfree(tree);
	}
}
