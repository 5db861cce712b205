/* SPDX-License-Identifier: GPL-2.0 */
/* What the rings of a run would take if messages were fluids. */
#ifndef _FLUID_H
#define _FLUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>

#define FLUID_NAME	16
#define FLUID_HOPS	8

/**
 * struct fluid_link - one direction of a link
 * @name: of the device that sends
 * @rate: bytes a nanosecond
 * @left: of it, while rates are shared out
 * @users: messages that want some
 */
struct fluid_link {
	char name[FLUID_NAME];
	double rate;
	double left;
	unsigned int users;
};

/**
 * struct fluid_msg - a message
 * @job: number
 * @ring: of the job
 * @src: host
 * @dst: host
 * @pass: of the job
 * @step: of the job
 * @qp: queue pair
 * @start: when the run posted it, ns
 * @bytes: on the wire
 * @left: of them
 * @rate: bytes a nanosecond
 * @fixed: @rate is found
 * @rank: steps of the job under way that are smaller
 * @links: its path
 * @hops: number of them
 */
struct fluid_msg {
	unsigned int job;
	unsigned int ring;
	unsigned int src;
	unsigned int dst;
	unsigned int pass;
	unsigned int step;
	unsigned int qp;
	double start;
	double bytes;
	double left;
	double rate;
	bool fixed;
	unsigned int rank;
	struct fluid_link *links[FLUID_HOPS];
	unsigned int hops;
};

/**
 * struct fluid - a run
 * @links: all of them
 * @nlinks: number of them
 * @msgs: by job, ring, source and step
 * @nmsgs: number of them
 * @gap: ns between passes
 * @barrier: a pass begins when all rings have finished the one before
 * @overhead: bytes a packet takes on the wire beyond its payload
 * @mtu: payload of a packet
 */
struct fluid {
	struct fluid_link *links;
	size_t nlinks;
	struct fluid_msg *msgs;
	size_t nmsgs;
	double gap;
	bool barrier;
	double overhead;
	double mtu;
};

enum fluid_policy {
	FLUID_FAIR,	/* max-min fair on every link */
	FLUID_ORDER,	/* a job's smallest step first on every link */
};

/**
 * struct fluid_result - what came out
 * @slowdown: time of the jobs over their ideal
 * @cct_ms: time of a pass, mean
 * @steps: most steps of a job in flight
 */
struct fluid_result {
	double slowdown;
	double cct_ms;
	unsigned int steps;
};

/* read.c */
void fluid_read(struct fluid *fluid, const char *dir);
noreturn void fluid_die(const char *fmt, ...);

/* rates.c */
void fluid_share(struct fluid *fluid, struct fluid_msg **active, size_t n,
		 enum fluid_policy policy);

/* run.c */
struct fluid_result fluid_run(struct fluid *fluid, enum fluid_policy policy);

#endif
