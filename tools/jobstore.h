/* SPDX-License-Identifier: GPL-2.0 */
/* symphony job add|del|list|keep: jobs of clusters, which schedulers name. */
#ifndef _SYMPHONY_JOBSTORE_H
#define _SYMPHONY_JOBSTORE_H

#include "cmd.h"

/* What follows "job", as help has it. */
#define JOBSTORE_ARGS \
	"| { add | del } id ID [ hosts ADDRESS[/LENGTH][,...] ] [ cluster NAME ]" \
	" [ wait SECONDS ] [ ttl SECONDS ] [ grace SECONDS ] [ etcd URL[,...] ]" \
	" | { list | keep }"

/**
 * jobstore_add() - give a job a number and tell the routers
 * @ctx: context
 * @argc: words behind "add"
 * @argv: these
 *
 * Return: the exit status: %EXIT_LATE if the routers took too long.
 */
int jobstore_add(struct context *ctx, int argc, char **argv);

/**
 * jobstore_del() - end a job
 * @ctx: as of jobstore_add()
 * @argc: as there
 * @argv: as there
 *
 * Return: the exit status.
 */
int jobstore_del(struct context *ctx, int argc, char **argv);

/**
 * jobstore_list() - print all jobs
 * @ctx: as of jobstore_add()
 * @argc: as there
 * @argv: as there
 *
 * Return: the exit status.
 */
int jobstore_list(struct context *ctx, int argc, char **argv);

/**
 * jobstore_keep() - keep a cluster's jobs until a signal comes
 * @ctx: as of jobstore_add()
 * @argc: as there
 * @argv: as there
 *
 * Return: the exit status.
 */
int jobstore_keep(struct context *ctx, int argc, char **argv);

#endif
