/* SPDX-License-Identifier: GPL-2.0 */
/* What the subcommands of symphony share. */
#ifndef _SYMPHONY_CMD_H
#define _SYMPHONY_CMD_H

#include <json-c/json.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "symphony.h"

#define ROWS(table)	(sizeof(table) / sizeof((table)[0]))

#define __printf(format, first)	__attribute((__format__(printf, format, first)))

/* As ip and tc leave. */
#define EXIT_SYNTAX	1
#define EXIT_KERNEL	2
/* Done, but others are not within the time. */
#define EXIT_LATE	3

/**
 * struct context - what stands before the subcommand
 * @sym: connection, NULL until cmd_connect()
 * @json: machines read the output
 * @pretty: with line breaks
 * @details: more than the usual
 */
struct context {
	struct symphony *sym;
	bool json;
	bool pretty;
	bool details;
};

/**
 * struct command - a subcommand
 * @name: of it
 * @args: what may follow
 * @help: one line on what it does
 * @run: does it; @argv has what follows the name. Returns the exit status
 */
struct command {
	const char *name;
	const char *args;
	const char *help;
	int (*run)(struct context *ctx, int argc, char **argv);
};

extern const struct command cmd_show;
extern const struct command cmd_doctor;
extern const struct command cmd_jobs;
extern const struct command cmd_flows;
extern const struct command cmd_job;
extern const struct command cmd_monitor;
extern const struct command cmd_top;
extern const struct command cmd_export;
extern const struct command cmd_record;
extern const struct command cmd_plot;

/**
 * cmd_connect() - connect to the kernel
 * @ctx: context
 *
 * Return: 0, or an exit status after a complaint.
 */
int cmd_connect(struct context *ctx);

/**
 * cmd_syntax() - complain about the command line
 * @format: as for printf()
 *
 * Return: the exit status.
 */
int cmd_syntax(const char *format, ...) __printf(1, 2);

/**
 * cmd_kernel() - complain about what the kernel said
 * @ctx: context
 * @what: what failed
 *
 * Return: the exit status.
 */
int cmd_kernel(const struct context *ctx, const char *what);

/**
 * cmd_device() - number of a device
 * @name: of it
 * @ifindex: result
 *
 * Return: 0, or an exit status after a complaint.
 */
int cmd_device(const char *name, unsigned int *ifindex);

/**
 * cmd_argument_device() - read "[ [ dev ] DEV ]", which is all that follows
 * @command: name of the command, for complaints
 * @argc: words that follow
 * @argv: these
 * @ifindex: result, stays as it is without a device
 *
 * Return: 0, or an exit status after a complaint.
 */
int cmd_argument_device(const char *command, int argc, char **argv, unsigned int *ifindex);

/**
 * cmd_print_json() - print an object in a line, or in many if that is wanted
 * @ctx: context
 * @object: is put
 */
void cmd_print_json(const struct context *ctx, struct json_object *object);

/**
 * struct qdiscs - symphony qdiscs, those of a device side by side
 * @qdisc: each
 * @nr: of them
 */
struct qdiscs {
	struct symphony_qdisc *qdisc;
	size_t nr;
};

/**
 * qdiscs_get() - all symphony qdiscs, or those of a device
 * @ctx: context, connected
 * @ifindex: device, 0 for all
 * @list: result, to be freed with qdiscs_free()
 *
 * Return: 0, or an exit status after a complaint.
 */
int qdiscs_get(struct context *ctx, unsigned int ifindex, struct qdiscs *list);

/**
 * qdiscs_free() - free what qdiscs_get() gave
 * @list: is empty afterwards
 */
void qdiscs_free(struct qdiscs *list);

/**
 * qdiscs_sum() - sums of the statistics of qdiscs
 * @qdisc: first of them
 * @nr: of them
 * @sum: result. What the qdiscs of a domain have together counts once, of the longest
 *	wait the longest
 */
void qdiscs_sum(const struct symphony_qdisc *qdisc, size_t nr, struct symphony_values *sum);

/**
 * values_json() - values as members of an object
 * @values: values
 * @attr_of: describes them
 *
 * Return: the object.
 */
struct json_object *values_json(const struct symphony_values *values,
				const struct symphony_field *(*attr_of)(unsigned int attr));

/* Room for what the functions below write. */
#define TEXT_MAX	32

/**
 * text_handle() - a handle as tc prints it
 * @handle: number
 * @buf: %TEXT_MAX bytes
 *
 * Return: @buf.
 */
const char *text_handle(__u32 handle, char *buf);

/**
 * text_number() - a number in seven columns at most: 9999999, 12.3M
 * @number: number
 * @buf: %TEXT_MAX bytes
 *
 * Return: @buf.
 */
const char *text_number(__u64 number, char *buf);

/**
 * text_share() - a share in percent, "-" of nothing
 * @part: of @whole
 * @whole: all
 * @buf: %TEXT_MAX bytes
 *
 * Return: @buf.
 */
const char *text_share(__u64 part, __u64 whole, char *buf);

/**
 * text_device() - name of a device
 * @ifindex: its number
 * @buf: %TEXT_MAX bytes
 *
 * Return: @buf; if5 of one that is gone.
 */
const char *text_device(unsigned int ifindex, char *buf);

/**
 * text_age() - a time in five columns at most: 15us, 3.2s, 5m
 * @ns: nanoseconds
 * @buf: %TEXT_MAX bytes
 *
 * Return: @buf.
 */
const char *text_age(__u64 ns, char *buf);

/**
 * text_choice() - name of a value that is one of several
 * @values: values
 * @attr: attribute of this value
 * @field_of: describes it
 *
 * Return: the name, "?" of one that a newer kernel has.
 */
const char *text_choice(const struct symphony_values *values, unsigned int attr,
			const struct symphony_field *(*field_of)(unsigned int attr));

/**
 * text_option() - text_choice() of an option of a qdisc
 * @options: options
 * @attr: of &enum tca_symphony
 *
 * Return: as there.
 */
const char *text_option(const struct symphony_values *options, unsigned int attr);

#endif
