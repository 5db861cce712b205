/* SPDX-License-Identifier: GPL-2.0 */
/* collgen: RoCEv2 hosts and collectives on simdev ports. */
#ifndef _COLLGEN_H
#define _COLLGEN_H

#include <linux/etherdevice.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include "collgen_dcqcn.h"
#include "roce.h"
#include "simdev.h"

#define CG_HOSTS_MAX	512
#define CG_JOB_MAX	8190
#define CG_MBIT		1000000ULL

/**
 * struct cg_params - settings of a job or flow
 * @mtu: payload of a packet, bytes
 * @ack_every: packets an ACK
 * @data_tos: TOS byte of data
 * @ack_tos: TOS byte of ACK and NAK
 * @cnp_tos: TOS byte of CNPs
 * @psn_zero: PSNs begin at 0
 * @icrc: write a valid ICRC
 * @notify_data: a message counts as received when its data is there, not when
 *	its last ACK is
 * @rto: ns without progress until go-back-N
 * @recovery: ns from a NAK until the sender has gone back
 * @window: bytes in flight, 0 = no limit
 * @endpoint: ns between a receipt and the next post
 * @reduce: speed of reduction, bit/s, 0 = at once
 * @cc: DCQCN
 */
struct cg_params {
	u32 mtu;
	u32 ack_every;
	u8 data_tos;
	u8 ack_tos;
	u8 cnp_tos;
	bool psn_zero;
	bool icrc;
	bool notify_data;
	u64 rto;
	u64 recovery;
	u64 window;
	u64 endpoint;
	u64 reduce;
	struct cg_cc_params cc;
};

/**
 * struct cg_flow_rec - record of a message
 * @job: number
 * @ring: of the job
 * @pass: of the job
 * @step: not wrapped
 * @src: host
 * @dst: host
 * @qpn: queue pair
 * @packets: sent, with repeats
 * @ce: received with CE
 * @cnps: that reached the sender
 * @retx: packets sent again
 * @pad: 0, for the hash of the records
 * @start: posted, ns since start
 * @end: last ACK, ns since start
 * @bytes: payload
 * @rate: of the queue pair at the end, bit/s
 */
struct cg_flow_rec {
	u32 job;
	u32 ring;
	u32 pass;
	u32 step;
	u32 src;
	u32 dst;
	u32 qpn;
	u32 packets;
	u32 ce;
	u32 cnps;
	u32 retx;
	u32 pad;
	u64 start;
	u64 end;
	u64 bytes;
	u64 rate;
};

/**
 * struct cg_step_rec - sample of a job
 * @time: ns since start
 * @job: number
 * @min: smallest step with unacknowledged bytes
 * @max: largest
 * @count: how many
 */
struct cg_step_rec {
	u64 time;
	u32 job;
	u32 min;
	u32 max;
	u32 count;
};

/**
 * struct cg_port_rec - sample of a port
 * @time: ns since start
 * @value: bytes of queue, or pause state
 * @name: device
 */
struct cg_port_rec {
	u64 time;
	u64 value;
	char name[IFNAMSIZ];
};

/**
 * struct cg_rate_rec - change of a rate
 * @time: ns since start
 * @rate: bit/s
 * @target: bit/s
 * @alpha: billionths
 * @qpn: queue pair
 * @cnps: CNPs so far
 */
struct cg_rate_rec {
	u64 time;
	u64 rate;
	u64 target;
	u64 alpha;
	u32 qpn;
	u32 cnps;
};

/**
 * struct cg_hop_rec - a message passes a switch port
 * @qpn: queue pair
 * @step: on the wire
 * @name: device
 */
struct cg_hop_rec {
	u32 qpn;
	u32 step;
	char name[IFNAMSIZ];
};

/**
 * struct cg_log - records of one kind, appended in any context
 * @size: of a record
 * @count: records
 * @chunks: pages of records
 * @lost: records there was no memory for
 */
struct cg_log {
	u32 size;
	u32 lost;
	u64 count;
	struct xarray chunks;
};

struct cg_job;
struct cg_node;
struct cg_pass;
struct cg_qp;

/**
 * struct cg_msg - one message of a queue pair
 * @list: on the queue pair, in order
 * @qp: the queue pair
 * @rec: record
 * @job: the job, NULL for background traffic
 * @pass: of the job, NULL for a flow
 * @phase: phase of the ring, over all passes
 * @first: number of its first packet on the queue pair
 * @count: packets
 * @notified: the receiver knows
 * @arrived: called when the receiver learns of it, may be NULL
 * @done: called when the last ACK is there, may be NULL
 * @cookie: for @arrived and @done
 */
struct cg_msg {
	struct list_head list;
	struct cg_qp *qp;
	struct cg_flow_rec rec;
	struct cg_job *job;
	struct cg_pass *pass;
	u32 phase;
	u64 first;
	u64 count;
	bool notified;
	void (*arrived)(struct cg_msg *msg);
	void (*done)(struct cg_msg *msg);
	void *cookie;
};

/**
 * struct cg_host - a NIC
 * @id: number
 * @port: device
 * @ip: address
 * @control: ACKs and CNPs to send
 * @ready: queue pairs with something to send, next one first
 * @wake: the first of them may send
 */
struct cg_host {
	u32 id;
	struct simdev_port *port;
	__be32 ip;
	struct sk_buff_head control;
	struct list_head ready;
	struct sim_event wake;
};

/**
 * struct cg_qp - both ends of a connection
 * @qpn: number at both ends
 * @sport: base of the UDP source port
 * @wire_job: job in the BTH
 * @psn_base: PSN of packet 0
 * @oneshot: goes away after its message
 * @params: settings
 * @src: sender
 * @dst: receiver
 * @ready: on &cg_host.ready
 * @msgs: messages not yet acknowledged
 * @cursor: message @next belongs to
 * @acked: packets acknowledged
 * @next: packet to send
 * @sent: packets ever sent
 * @end: packets posted
 * @pace: when the next may be sent
 * @progress: when @acked last moved
 * @timeout: go-back-N
 * @cc: congestion control
 * @cnps: CNPs so far
 * @expected: packet the receiver waits for
 * @naked: a NAK for @expected was sent
 * @ce_seen: the next ACK shall say so
 * @cnp_at: when the last CNP was sent
 */
struct cg_qp {
	u32 qpn;
	u16 sport;
	u16 wire_job;
	u32 psn_base;
	bool oneshot;
	const struct cg_params *params;
	struct cg_host *src;
	struct cg_host *dst;
	struct list_head ready;
	struct list_head msgs;
	struct cg_msg *cursor;
	u64 acked;
	u64 next;
	u64 sent;
	u64 end;
	u64 pace;
	u64 progress;
	struct sim_event timeout;
	struct cg_cc cc;
	u32 cnps;
	u64 expected;
	bool naked;
	bool ce_seen;
	u64 cnp_at;
};

/**
 * struct cg_phase - what a node does in a ring before the next thing
 * @steps: steps it sends
 * @reduce: how many of the steps it gets are added up
 * @base: number of the first step within the pass
 * @dim: 0 along rows, 1 along columns
 * @bytes: of a step
 */
struct cg_phase {
	u32 steps;
	u32 reduce;
	u32 base;
	u32 dim;
	u64 bytes;
};

#define CG_PHASES 3
#define CG_DIMS 2

/**
 * struct cg_node - a host in a ring
 * @ring: the ring
 * @index: place in it
 * @phase: over all passes
 * @sent: steps posted in this phase
 * @credits: steps it may post
 * @received: steps handled in this phase
 * @claimed: steps of this phase taken from @arrived
 * @arrived: messages received, by phase; &cg_job.messages make a step
 * @qp: connections of qp-per-ring, by dimension
 * @begin: the next phase begins
 */
struct cg_node {
	struct cg_ring *ring;
	u32 index;
	u32 phase;
	u32 sent;
	u32 credits;
	u32 received;
	u32 claimed;
	u32 *arrived;
	struct cg_qp *qp[CG_DIMS];
	struct sim_event begin;
};

/**
 * struct cg_layer - a layer of a model
 * @list: of the job, the input's layer first
 * @bytes: of its gradient
 * @forward: ns of its forward pass
 * @backward: ns of its backward pass
 * @update: ns from the reduced gradient to the next forward pass
 */
struct cg_layer {
	struct list_head list;
	u64 bytes;
	u64 forward;
	u64 backward;
	u64 update;
};

/**
 * struct cg_gradient - what a worker knows of a layer's gradient
 * @passes: in how many it was reduced
 * @ready: when the last of them may be used
 */
struct cg_gradient {
	u32 passes;
	u64 ready;
};

/**
 * struct cg_worker - what a host computes
 * @ring: of the first layer
 * @index: place in it
 * @pass: it is in
 * @layer: it computes or waits for
 * @backward: in the backward pass
 * @waiting: for the layer's gradient
 * @gradients: by layer
 * @event: the layer is computed
 */
struct cg_worker {
	struct cg_ring *ring;
	u32 index;
	u32 pass;
	u32 layer;
	bool backward;
	bool waiting;
	struct cg_gradient *gradients;
	struct sim_event event;
};

/**
 * struct cg_ring - a ring, or a grid of rings
 * @list: of the job
 * @job: the job
 * @id: from 0
 * @columns: length of a row
 * @rows: number of rows, 1 for a plain ring
 * @size: columns * rows
 * @hosts: numbers
 * @phases: of a pass
 * @nphases: number of them
 * @steps: of a pass
 * @nodes: state
 * @layer: whose gradient it reduces, from 0
 * @lanes: the rings of all layers on these hosts; NULL without a model
 * @workers: of the first lane, a host each
 */
struct cg_ring {
	struct list_head list;
	struct cg_job *job;
	u32 id;
	u32 columns;
	u32 rows;
	u32 size;
	u32 *hosts;
	struct cg_phase phases[CG_PHASES];
	u32 nphases;
	u32 steps;
	struct cg_node *nodes;
	u32 layer;
	struct cg_ring **lanes;
	struct cg_worker *workers;
};

/**
 * struct cg_flow - a single flow or background traffic
 * @list: of the run
 * @job: number, 0 = background
 * @src: host
 * @dst: host
 * @step: of the job
 * @random: periods are random
 * @bytes: of the flow
 * @start: ns since start
 * @stop: ns since start
 * @on: ns
 * @off: ns
 * @rate: bit/s
 * @params: settings
 * @qp: of background traffic
 * @event: begins the flow or the next period
 */
struct cg_flow {
	struct list_head list;
	u32 job;
	u32 src;
	u32 dst;
	u32 step;
	bool random;
	u64 bytes;
	u64 start;
	u64 stop;
	u64 on;
	u64 off;
	u64 rate;
	struct cg_params params;
	struct cg_qp *qp;
	struct sim_event event;
};

enum cg_collective {
	CG_ALL_REDUCE,
	CG_REDUCE_SCATTER,
	CG_ALL_GATHER,
};

/**
 * struct cg_pass - all rings' and trees' pass of a job
 * @left: messages not yet acknowledged
 * @start: first post
 * @end: last ACK
 */
struct cg_pass {
	u64 left;
	u64 start;
	u64 end;
};

/**
 * struct cg_job - a job
 * @list: of the run
 * @id: number, also on the wire
 * @params: settings
 * @start: ns since start
 * @passes: collectives of every ring and tree
 * @kind: of collective
 * @chunk: bytes of a step's message
 * @pipeline: chunks that a tree reduces in a pass
 * @messages: a step is sent in so many messages
 * @per_ring: one connection a neighbour instead of one a step
 * @entropy: source ports are random and say nothing of steps
 * @gap: ns between a node's passes
 * @barrier: a pass begins when all nodes have finished the one before
 * @waiting: nodes that have
 * @first_step: number of the first step
 * @rings: list
 * @trees: list
 * @nrings: number of rings and trees
 * @layers: of its model, list
 * @nlayers: number of them, 0 = a job without computation
 * @nodes: of all rings and trees
 * @base: smallest step
 * @steps: number of steps
 * @alive: messages in flight, by step - @base
 * @min: first step alive
 * @max: last step posted
 * @count: steps alive
 * @max_count: most steps ever alive
 * @max_span: largest max - min + 1
 * @pass: by pass
 * @left: messages not yet acknowledged
 * @begun: first post
 * @end: last ACK
 * @bytes: payload acknowledged
 * @ce: received with CE
 * @cnps: CNPs
 * @retx: packets sent again
 * @event: the rings and trees begin
 */
struct cg_job {
	struct list_head list;
	u32 id;
	struct cg_params params;
	u64 start;
	u32 passes;
	enum cg_collective kind;
	u64 chunk;
	u32 pipeline;
	u32 messages;
	bool per_ring;
	bool entropy;
	u64 gap;
	bool barrier;
	u32 waiting;
	u32 first_step;
	struct list_head rings;
	struct list_head trees;
	u32 nrings;
	struct list_head layers;
	u32 nlayers;
	u32 nodes;
	u32 base;
	u32 steps;
	u32 *alive;
	u32 min;
	u32 max;
	u32 count;
	u32 max_count;
	u32 max_span;
	struct cg_pass *pass;
	u64 left;
	u64 begun;
	u64 end;
	u64 bytes;
	u64 ce;
	u64 cnps;
	u64 retx;
	struct sim_event event;
};

enum cg_action_kind {
	CG_LINK_DOWN,
	CG_LINK_UP,
	CG_RATE,
};

/**
 * struct cg_action - something done to a port at a time
 * @list: of the run
 * @port: the port
 * @kind: what
 * @value: bit/s
 * @at: ns since start
 * @event: its moment
 */
struct cg_action {
	struct list_head list;
	struct simdev_port *port;
	enum cg_action_kind kind;
	u64 value;
	u64 at;
	struct sim_event event;
};

/**
 * struct cg_run - all there is
 * @params: settings for what is declared next
 * @seed: of @random
 * @random: all that is random
 * @hosts: NICs
 * @nhosts: number of them
 * @jobs: list
 * @flows: list
 * @actions: list
 * @qps: by number
 * @next_qpn: number of the next queue pair
 * @sample_steps: ns, 0 = off
 * @sample_queue: ns, 0 = off
 * @limit: ns since start
 * @trace_rates: record rates
 * @trace_paths: record which ports a message passes
 * @stale: a device that may have been named is gone
 * @running: between start and end
 * @finished: the end was reached
 * @stop: cancels what is scheduled, at the end
 * @complete: all was done before @limit
 * @zero: CLOCK_MONOTONIC of the start
 * @end: ns since start
 * @wall: host's time of the run, ns; while it goes on, when it began
 * @cpu: the same of the processor's time
 * @hops: frames delivered
 * @icrc_bad: frames whose ICRC was wrong
 * @left: messages of jobs and flows not yet acknowledged
 * @flow_log: &struct cg_flow_rec
 * @step_log: &struct cg_step_rec
 * @queue_log: &struct cg_port_rec
 * @pause_log: &struct cg_port_rec
 * @rate_log: &struct cg_rate_rec
 * @path_log: &struct cg_hop_rec
 */
struct cg_run {
	struct cg_params params;
	u64 seed;
	struct rnd_state random;
	struct cg_host *hosts;
	u32 nhosts;
	struct list_head jobs;
	struct list_head flows;
	struct list_head actions;
	struct xarray qps;
	u32 next_qpn;
	u64 sample_steps;
	u64 sample_queue;
	u64 limit;
	bool trace_rates;
	bool trace_paths;
	bool stale;
	bool running;
	bool finished;
	bool complete;
	void (*stop)(void);
	u64 zero;
	u64 end;
	u64 wall;
	u64 cpu;
	u64 hops;
	u64 icrc_bad;
	u64 left;
	struct cg_log flow_log;
	struct cg_log step_log;
	struct cg_log queue_log;
	struct cg_log pause_log;
	struct cg_log rate_log;
	struct cg_log path_log;
};

extern struct cg_run cg;

/* collgen_run.c */
extern wait_queue_head_t cg_wait;
void cg_error(const char *fmt, ...) __printf(1, 2);
const char *cg_command_error(void);
void cg_clear_error(void);
u64 cg_time(void);
void cg_begin(u64 zero);
void cg_finish(bool complete);

/* collgen_control.c */
void cg_control_init(void);
void cg_control_exit(void);
void cg_reset(void);
int cg_start(void);
int cg_until(u64 at);

/* collgen_command.c */
int cg_command(char *line);

/* collgen_frame.c */
int cg_frame_init(void);
void cg_frame_exit(void);
struct sk_buff *cg_frame_data(const struct cg_qp *qp, const struct cg_msg *msg,
			      u64 index, bool ack_req);
struct sk_buff *cg_frame_ack(const struct cg_qp *qp, u64 index, bool nak,
			     bool cnp);
struct sk_buff *cg_frame_cnp(const struct cg_qp *qp);
bool cg_frame_icrc_ok(struct sk_buff *skb);

/* collgen_nic.c */
extern const struct simdev_host_ops cg_host_ops;
int cg_hosts_add(const char *prefix, u32 count);
void cg_hosts_remove(void);
void cg_hosts_lose(const struct simdev_port *port);
struct cg_qp *cg_qp_new(u32 job, u16 sport, const struct cg_params *params,
			u32 src, u32 dst, bool oneshot);
struct cg_msg *cg_msg_new(struct cg_qp *qp, u64 bytes);
void cg_qp_post(struct cg_msg *msg);
void cg_qps_free(void);

/* collgen_job.c */
struct cg_job *cg_job_find(u32 id);
struct cg_job *cg_job_get(u32 id);
int cg_ring_add(struct cg_job *job, u32 *hosts, u32 columns, u32 rows);
int cg_jobs_prepare(void);
void cg_jobs_start(void);
void cg_jobs_stop(void);
void cg_jobs_free(void);
void cg_jobs_sample(void);
struct cg_msg *cg_job_msg_new(struct cg_job *job, struct cg_qp *qp, u64 bytes);
void cg_job_pass(struct cg_msg *msg, u32 pass);
void cg_job_post(struct cg_msg *msg);
void cg_job_receive(const struct cg_job *job, u64 bytes,
		    void (*done)(void *owner), void *owner);
void cg_job_next_pass(struct cg_job *job, struct sim_event *begin);
void cg_job_expect(struct cg_job *job, u64 sends);
u16 cg_job_sport(const struct cg_job *job);
u64 cg_share(u64 bytes, u32 n, u32 i);

/* collgen_tree.c */
int cg_tree_add(struct cg_job *job, u32 *hosts, u32 size);
int cg_trees_prepare(struct cg_job *job);
u32 cg_trees_measure(struct cg_job *job);
void cg_trees_schedule(struct cg_job *job, u64 delay);
void cg_trees_stop(struct cg_job *job);
void cg_trees_free(struct cg_job *job);

/* collgen_train.c */
struct cg_layer *cg_layer_add(struct cg_job *job);
struct cg_layer *cg_layer_find(const struct cg_job *job, u32 number);
int cg_model_prepare(struct cg_job *job);
void cg_workers_start(struct cg_job *job);
void cg_workers_stop(struct cg_ring *ring);
void cg_workers_free(struct cg_ring *ring);
void cg_layers_free(struct cg_job *job);
void cg_gradient_reduced(const struct cg_node *node);

/* collgen_record.c */
void cg_log_init(struct cg_log *log, u32 size);
void cg_log_add(struct cg_log *log, const void *record);
void cg_log_free(struct cg_log *log);
int cg_records_create(struct proc_dir_entry *dir);

#endif
