/* SPDX-License-Identifier: GPL-2.0 */
/* Metrics as Prometheus reads them, and how it gets them. */
#ifndef _SYMPHONY_PROMETHEUS_H
#define _SYMPHONY_PROMETHEUS_H

#include <netinet/in.h>

#include "joblist.h"

/* Of "--listen" without a number. */
#define PROMETHEUS_PORT		9753
#define PROMETHEUS_TYPE		"text/plain; version=0.0.4; charset=utf-8"

/**
 * struct exported - what is exported
 * @ifindex: qdiscs and jobs of this device, 0 for all
 * @no_jobs: qdiscs alone
 */
struct exported {
	unsigned int ifindex;
	bool no_jobs;
};

/**
 * prometheus_write() - write all metrics of now
 * @ctx: context, connected
 * @what: what is exported
 * @file: where they go
 *
 * Return: 0, or an exit status after a complaint.
 */
int prometheus_write(struct context *ctx, const struct exported *what, FILE *file);

/**
 * prometheus_listen() - answer GET /metrics until a signal comes
 * @what: what is exported
 * @address: address and port
 *
 * Return: an exit status.
 */
int prometheus_listen(const struct exported *what, const struct sockaddr_in *address);

#endif
