/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * libsymphony: the symphony qdisc from C, over netlink.
 *
 *	struct symphony *sym;
 *	int err = symphony_open(&sym);
 *
 *	if (!err)
 *		err = symphony_qdiscs(sym, 0, print_qdisc, NULL);
 *	if (err)
 *		fprintf(stderr, "%s\n", symphony_error(sym));
 *	symphony_close(sym);
 *
 * Functions return 0 or a negative errno, and symphony_error() has a sentence on the
 * last failure, the kernel's own where it gave one. A connection belongs to one thread
 * at a time and to the network namespace in which it was opened; there is no other
 * state. Structures that the library hands out may grow at their end.
 *
 * cc $(pkg-config --cflags symphony) x.c $(pkg-config --libs symphony)
 */
#ifndef _SYMPHONY_H
#define _SYMPHONY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/pkt_sch_symphony.h>
#include <linux/symphony.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes beyond any that a kernel has. */
#define SYMPHONY_VALUES_MAX	128

/**
 * struct symphony_values - numbers by their attribute in the kernel's interface
 * @given: a bit for each attribute that is there
 * @value: in the units of the interface; 32-bit attributes, too. What is not given has
 *	no meaning
 *
 * What the numbers of the options are, &enum tca_symphony says, of the statistics
 * &enum tca_symphony_stats. A kernel older or newer than the library gives fewer, or
 * more; no attribute ever changes its place.
 */
struct symphony_values {
	__u64 given[SYMPHONY_VALUES_MAX / 64];
	__u64 value[SYMPHONY_VALUES_MAX];
};

/**
 * symphony_has() - whether an attribute is there
 * @values: values
 * @attr: attribute
 *
 * Return: true if it is.
 */
static inline bool symphony_has(const struct symphony_values *values, unsigned int attr)
{
	return attr < SYMPHONY_VALUES_MAX && values->given[attr / 64] >> attr % 64 & 1;
}

/**
 * symphony_get() - an attribute's value
 * @values: values
 * @attr: attribute
 *
 * Return: the value, 0 if it is not there.
 */
static inline __u64 symphony_get(const struct symphony_values *values, unsigned int attr)
{
	return symphony_has(values, attr) ? values->value[attr] : 0;
}

/**
 * symphony_put() - give an attribute a value
 * @values: values; all zero is none
 * @attr: attribute
 * @value: value
 */
static inline void symphony_put(struct symphony_values *values, unsigned int attr, __u64 value)
{
	if (attr >= SYMPHONY_VALUES_MAX)
		return;
	values->given[attr / 64] |= 1ULL << attr % 64;
	values->value[attr] = value;
}

/**
 * enum symphony_unit - what a number counts
 * @SYMPHONY_UNIT_NONE: nothing with a unit, as jobs or windows
 * @SYMPHONY_UNIT_PACKETS: packets on the wire
 * @SYMPHONY_UNIT_BYTES: bytes
 * @SYMPHONY_UNIT_NANOSECONDS: nanoseconds
 * @SYMPHONY_UNIT_BILLIONTHS: billionths of one, see %TC_SYMPHONY_ONE
 * @SYMPHONY_UNIT_RATE: bytes a second
 * @SYMPHONY_UNIT_CHOICE: one of &symphony_field.choices
 * @SYMPHONY_UNIT_FLAG: 1 if it is there
 */
enum symphony_unit {
	SYMPHONY_UNIT_NONE,
	SYMPHONY_UNIT_PACKETS,
	SYMPHONY_UNIT_BYTES,
	SYMPHONY_UNIT_NANOSECONDS,
	SYMPHONY_UNIT_BILLIONTHS,
	SYMPHONY_UNIT_RATE,
	SYMPHONY_UNIT_CHOICE,
	SYMPHONY_UNIT_FLAG,
};

/**
 * struct symphony_field - what an attribute is
 * @name: as tc types and prints it
 * @help: what the interface says of it
 * @choices: names of the values of %SYMPHONY_UNIT_CHOICE; NULL where there is none
 * @nr_choices: of them
 * @unit: of its values
 * @wide: has 64 bits on the wire, else 32
 * @gauge: goes down as well as up; counters do not
 */
struct symphony_field {
	const char *name;
	const char *help;
	const char *const *choices;
	unsigned int nr_choices;
	enum symphony_unit unit;
	bool wide;
	bool gauge;
};

/**
 * symphony_option_field() - describe an option
 * @attr: of &enum tca_symphony
 *
 * Return: its description, NULL if the library knows no such option.
 */
const struct symphony_field *symphony_option_field(unsigned int attr);

/**
 * symphony_stat_field() - describe a statistic
 * @attr: of &enum tca_symphony_stats
 *
 * Return: its description, NULL if the library knows no such statistic.
 */
const struct symphony_field *symphony_stat_field(unsigned int attr);

/**
 * symphony_state_field() - describe a number of a job's state
 * @attr: of &enum symphony_state_attr
 *
 * Return: its description, NULL if the library knows no such number.
 */
const struct symphony_field *symphony_state_field(unsigned int attr);

/**
 * symphony_job_stat_field() - describe a statistic of a job
 * @attr: of &enum symphony_stats_attr
 *
 * Return: its description, NULL if the library knows no such statistic.
 */
const struct symphony_field *symphony_job_stat_field(unsigned int attr);

/**
 * symphony_override_field() - describe an override
 * @attr: of &enum symphony_override_attr
 *
 * Return: its description, NULL if the library knows no such override.
 */
const struct symphony_field *symphony_override_field(unsigned int attr);

/**
 * symphony_event_field() - describe a number of an event
 * @attr: of &enum symphony_attr
 *
 * Return: its description, NULL if the library knows no such number.
 */
const struct symphony_field *symphony_event_field(unsigned int attr);

/**
 * symphony_flow_field() - describe a number of a flow
 * @attr: of &enum symphony_flow_attr
 *
 * Return: its description, NULL if the library knows no such number.
 */
const struct symphony_field *symphony_flow_field(unsigned int attr);

struct symphony;

/**
 * symphony_open() - connect to the kernel
 * @sym: where the connection goes, NULL if there is no memory for it
 *
 * Return: 0 or a negative errno. symphony_close() is due in any case.
 */
int symphony_open(struct symphony **sym);

/**
 * symphony_close() - end a connection
 * @sym: connection or NULL
 */
void symphony_close(struct symphony *sym);

/**
 * symphony_error() - a sentence on what failed last
 * @sym: connection or NULL
 *
 * Return: the sentence without full stop or end of line; of the connection, until its
 * next use.
 */
const char *symphony_error(const struct symphony *sym);

/**
 * struct symphony_qdisc - a symphony qdisc
 * @ifindex: its device
 * @handle: its handle, major number in the high 16 bits
 * @parent: of what class it is the child, %TC_H_ROOT of none
 * @dev: the device's name
 * @options: its configuration, by &enum tca_symphony
 * @stats: its statistics, by &enum tca_symphony_stats
 * @bytes: sent
 * @packets: sent
 * @drops: packets dropped
 * @overlimits: see tc(8)
 * @requeues: see tc(8)
 * @qlen: packets that wait
 * @backlog: bytes that wait
 * @egress_block: number of the block of its filters, 0 if no other qdisc may share it
 */
struct symphony_qdisc {
	unsigned int ifindex;
	__u32 handle;
	__u32 parent;
	char dev[16];
	struct symphony_values options;
	struct symphony_values stats;
	__u64 bytes;
	__u64 packets;
	__u32 drops;
	__u32 overlimits;
	__u32 requeues;
	__u32 qlen;
	__u32 backlog;
	__u32 egress_block;
};

/**
 * typedef symphony_qdisc_cb - what is called for each qdisc
 * @qdisc: valid until the function returns
 * @arg: of the caller
 *
 * Return: 0 to go on, else symphony_qdiscs() ends and returns this value. It must not
 * use the connection.
 */
typedef int (*symphony_qdisc_cb)(const struct symphony_qdisc *qdisc, void *arg);

/**
 * symphony_qdiscs() - get the symphony qdiscs of a device or of all
 * @sym: connection
 * @ifindex: device, 0 for all
 * @cb: called for each
 * @arg: for @cb
 *
 * Return: 0, a negative errno, or what @cb returned. -EINTR if qdiscs came or went
 * meanwhile, so that some may be missing: begin again.
 */
int symphony_qdiscs(struct symphony *sym, unsigned int ifindex, symphony_qdisc_cb cb, void *arg);

/**
 * enum symphony_how - what there may be before
 * @SYMPHONY_ADD: there must be no qdisc at this place, but for the default one
 * @SYMPHONY_CHANGE: there must be a symphony qdisc; what is not given stays
 * @SYMPHONY_REPLACE: one of the two
 */
enum symphony_how {
	SYMPHONY_ADD,
	SYMPHONY_CHANGE,
	SYMPHONY_REPLACE,
};

/**
 * symphony_qdisc_set() - create or change a qdisc
 * @sym: connection
 * @how: one of &enum symphony_how
 * @ifindex: device
 * @parent: class, or %TC_H_ROOT
 * @handle: 0 lets the kernel choose, or change whatever is there
 * @options: those that are given, or NULL
 *
 * Context: needs CAP_NET_ADMIN in the user namespace of the network namespace.
 * Return: 0 or a negative errno; of a bad configuration nothing is applied.
 */
int symphony_qdisc_set(struct symphony *sym, enum symphony_how how, unsigned int ifindex,
		       __u32 parent, __u32 handle, const struct symphony_values *options);

/**
 * symphony_qdisc_delete() - delete a qdisc
 * @sym: connection
 * @ifindex: device
 * @parent: class, or %TC_H_ROOT
 *
 * Context: as symphony_qdisc_set().
 * Return: 0 or a negative errno.
 */
int symphony_qdisc_delete(struct symphony *sym, unsigned int ifindex, __u32 parent);

/**
 * struct symphony_place - which tables of jobs are meant
 * @ifindex: of this device, 0 for all
 * @handle: of the qdisc with this handle, 0 for all
 * @parent: of the qdisc below this class, 0 for all
 * @domain: of this domain, 0 for all
 *
 * A table belongs to one qdisc or to the qdiscs of a domain. What writes, and what
 * asks for one job, wants a place that is one table.
 */
struct symphony_place {
	unsigned int ifindex;
	__u32 handle;
	__u32 parent;
	__u32 domain;
};

/**
 * struct symphony_job - a job
 * @place: its table; of a domain's, the device is there only if it was asked for
 * @job: its number
 * @state: what the algorithm knows of it, by &enum symphony_state_attr
 * @stats: its statistics, by &enum symphony_stats_attr
 * @overrides: what counts for it instead of the qdisc's options, by
 *	&enum symphony_override_attr
 */
struct symphony_job {
	struct symphony_place place;
	__u32 job;
	struct symphony_values state;
	struct symphony_values stats;
	struct symphony_values overrides;
};

/**
 * typedef symphony_job_cb - what is called for each job
 * @job: valid until the function returns
 * @arg: of the caller
 *
 * Return: 0 to go on, else symphony_jobs() ends and returns this value. It must not use
 * the connection.
 */
typedef int (*symphony_job_cb)(const struct symphony_job *job, void *arg);

/**
 * symphony_jobs() - get the jobs of tables
 * @sym: connection
 * @place: which tables, NULL for all
 * @cb: called for each job
 * @arg: for @cb
 *
 * Return: 0, a negative errno, or what @cb returned. -EINTR if jobs came or went
 * meanwhile: those that stayed are there, each once. -EOPNOTSUPP if the module does not
 * offer jobs.
 */
int symphony_jobs(struct symphony *sym, const struct symphony_place *place, symphony_job_cb cb,
		  void *arg);

/**
 * symphony_jobs_active() - get the jobs of tables that sent lately
 * @sym: connection
 * @place: which tables, NULL for all
 * @active: nanoseconds: those that may have sent since then
 * @cb: called for each job
 * @arg: for @cb
 *
 * The others are as they were, or are forgotten: then %TCA_SYMPHONY_STATS_JOBS_EXPIRED
 * or %TCA_SYMPHONY_STATS_JOBS_REPLACED of a qdisc has grown, or a qdisc is gone.
 *
 * Return: as symphony_jobs(). -EINVAL if the kernel knows no such selection.
 */
int symphony_jobs_active(struct symphony *sym, const struct symphony_place *place, __u64 active,
			 symphony_job_cb cb, void *arg);

/**
 * symphony_jobs_listed() - get some of the jobs of tables
 * @sym: connection
 * @place: which tables, NULL for all
 * @jobs: their numbers, ascending
 * @nr: of them, from 1 to %SYMPHONY_GENL_JOBS_MAX
 * @cb: called for each that a table knows
 * @arg: for @cb
 *
 * Return: as symphony_jobs_active().
 */
int symphony_jobs_listed(struct symphony *sym, const struct symphony_place *place,
			 const __u32 *jobs, size_t nr, symphony_job_cb cb, void *arg);

/**
 * symphony_job_get() - get one job
 * @sym: connection
 * @place: its table
 * @job: its number
 * @cb: called for it
 * @arg: for @cb
 *
 * Return: as symphony_jobs(); -ENOENT if the table does not know it.
 */
int symphony_job_get(struct symphony *sym, const struct symphony_place *place, __u32 job,
		     symphony_job_cb cb, void *arg);

/**
 * symphony_job_set() - let other values count for a job
 * @sym: connection
 * @place: its table
 * @job: its number
 * @overrides: those to change; %SYMPHONY_GENL_NO_OVERRIDE ends one. A job that is not
 *	known is entered if it is to be pinned
 *
 * Context: needs CAP_NET_ADMIN in the user namespace of the network namespace.
 * Return: 0 or a negative errno; of what is refused nothing is applied.
 */
int symphony_job_set(struct symphony *sym, const struct symphony_place *place, __u32 job,
		     const struct symphony_values *overrides);

/**
 * symphony_job_reset() - let a job's counters begin at 0, and its steps anew
 * @sym: connection
 * @place: its table
 * @job: its number
 *
 * Context: as symphony_job_set().
 * Return: 0 or a negative errno.
 */
int symphony_job_reset(struct symphony *sym, const struct symphony_place *place, __u32 job);

/**
 * symphony_job_delete() - forget a job and its overrides
 * @sym: connection
 * @place: its table
 * @job: its number
 *
 * Context: as symphony_job_set().
 * Return: 0 or a negative errno.
 */
int symphony_job_delete(struct symphony *sym, const struct symphony_place *place, __u32 job);

/**
 * struct symphony_flow - a flow of a job
 * @place: its table
 * @job: its job
 * @family: AF_INET, AF_INET6, or 0 if its addresses are not known
 * @src: source address, in network byte order
 * @dst: destination address
 * @values: numbers, by &enum symphony_flow_attr
 */
struct symphony_flow {
	struct symphony_place place;
	__u32 job;
	int family;
	__u8 src[16];
	__u8 dst[16];
	struct symphony_values values;
};

/**
 * typedef symphony_flow_cb - what is called for each flow
 * @flow: valid until the function returns
 * @arg: of the caller
 *
 * Return: as &symphony_job_cb.
 */
typedef int (*symphony_flow_cb)(const struct symphony_flow *flow, void *arg);

/**
 * symphony_flows() - get the flows of a job
 * @sym: connection
 * @place: its table
 * @job: its number, 0 for all
 * @cb: called for each flow
 * @arg: for @cb
 *
 * Return: as symphony_jobs().
 */
int symphony_flows(struct symphony *sym, const struct symphony_place *place, __u32 job,
		   symphony_flow_cb cb, void *arg);

/**
 * symphony_flows_listed() - get the flows of some jobs, in one look at all flows
 * @sym: connection
 * @place: which tables, NULL for all
 * @jobs: numbers of the jobs, ascending
 * @nr: of them, from 1 to %SYMPHONY_GENL_JOBS_MAX
 * @cb: called for each flow
 * @arg: for @cb
 *
 * Return: as symphony_jobs_active().
 */
int symphony_flows_listed(struct symphony *sym, const struct symphony_place *place,
			  const __u32 *jobs, size_t nr, symphony_flow_cb cb, void *arg);

/**
 * struct symphony_happening - an event
 * @place: the table
 * @job: the job, or 0
 * @values: numbers, by &enum symphony_attr; %SYMPHONY_ATTR_EVENT says what it was
 */
struct symphony_happening {
	struct symphony_place place;
	__u32 job;
	struct symphony_values values;
};

/**
 * typedef symphony_event_cb - what is called for each event
 * @event: valid until the function returns
 * @arg: of the caller
 *
 * Return: 0 to go on, else symphony_events_read() returns this value.
 */
typedef int (*symphony_event_cb)(const struct symphony_happening *event, void *arg);

/**
 * symphony_events_open() - listen to events
 * @sym: connection
 * @buffer: bytes for events that were not read yet, 0 for the usual
 *
 * Return: a file descriptor of the connection that can be polled for reading, or a
 * negative errno.
 */
int symphony_events_open(struct symphony *sym, size_t buffer);

/**
 * symphony_events_read() - read the events that have come
 * @sym: connection
 * @cb: called for each
 * @arg: for @cb
 *
 * Return: 0 after those that were there, or what @cb returned. -ENOBUFS if some were lost
 * because nobody read: read on.
 */
int symphony_events_read(struct symphony *sym, symphony_event_cb cb, void *arg);

#ifdef __cplusplus
}
#endif

#endif
