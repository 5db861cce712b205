/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of symphonyd share. */
#ifndef _SYMPHONYD_H
#define _SYMPHONYD_H

#include <stdbool.h>
#include <time.h>

#include "conf.h"
#include "etcd.h"
#include "jobspec.h"
#include "rules.h"
#include "rtnl.h"

#define DAEMON_CONF	"/etc/symphony/symphonyd.conf"
#define DAEMON_JOBS	"/etc/symphony/jobs.d"
#define DAEMON_RUN	"/run/symphony"

/**
 * struct settings - what the configuration says
 * @block: number of the block of filters
 * @jobs: directory of the jobs that are files, NULL for none
 * @run: directory of what others may read, and of what must outlast the daemon
 * @router: name of this router in the store
 * @cluster: whose jobs in the store count, empty for all
 * @etcd: where the store is, with no URL if there is none
 */
struct settings {
	__u32 block;
	char *jobs;
	char *run;
	char router[JOBSPEC_NAME_SIZE];
	char cluster[JOBSPEC_NAME_SIZE];
	struct etcd_config etcd;
};

/**
 * settings_read() - read the configuration
 * @settings: result, to be freed with settings_free(), also after a failure
 * @path: of the file
 * @error: %CONF_ERROR_SIZE bytes
 *
 * Return: 0, or -1 after a sentence.
 */
int settings_read(struct settings *settings, const char *path, char *error);

/**
 * settings_free() - forget a configuration
 * @settings: all zero afterwards
 */
void settings_free(struct settings *settings);

/* Sentences that are kept; of more it is said how many. */
#define TROUBLES_MAX	16

/**
 * struct troubles - what is wrong, as sentences
 * @sentence: each
 * @nr: how many there were
 */
struct troubles {
	char *sentence[TROUBLES_MAX];
	size_t nr;
};

/**
 * troubles_add() - one more thing is wrong
 * @troubles: changed
 * @format: as for printf()
 */
void troubles_add(struct troubles *troubles, const char *format, ...) __printf(2, 3);

/**
 * troubles_clear() - nothing is wrong
 * @troubles: changed
 */
void troubles_clear(struct troubles *troubles);

/**
 * struct jobfile - a job that is a file
 * @name: of the file
 * @spec: what it said when it was good last; job 0 if it never was
 * @next: what it says now, until it is known that nobody writes it
 * @bad: that is no job
 * @error: and why
 * @named: number that it names if it is not good, 0 if there is none
 * @seen: it is still there
 * @writing: somebody writes it: what it says is not all
 */
struct jobfile {
	char *name;
	struct jobspec spec;
	struct jobspec next;
	bool bad;
	char *error;
	__u32 named;
	bool seen;
	bool writing;
};

/**
 * struct jobfiles - those of a directory
 * @file: each, by name
 * @nr: of them
 * @fd: tells of changes; -1 if nobody listens
 * @watch: on the directory, -1 if there is none
 * @changed: there is something to read anew
 * @troubles: what is wrong with files, since they were read last
 */
struct jobfiles {
	struct jobfile *file;
	size_t nr;
	int fd;
	int watch;
	bool changed;
	struct troubles troubles;
};

/**
 * jobfiles_listen() - listen to changes of the directory
 * @files: all zero
 *
 * Return: 0 or a negative errno.
 */
int jobfiles_listen(struct jobfiles *files);

/**
 * jobfiles_heard() - take what was heard
 * @files: that listen; are changed when a file is whole, or gone
 */
void jobfiles_heard(struct jobfiles *files);

/**
 * jobfiles_read() - read all files
 * @files: changed: a file that is not good, or not whole, keeps the job that it was, and a
 *	directory that cannot be read all its jobs
 * @path: of the directory, NULL if there is none
 */
void jobfiles_read(struct jobfiles *files, const char *path);

/**
 * jobfiles_free() - forget all files
 * @files: all zero afterwards
 */
void jobfiles_free(struct jobfiles *files);

/**
 * struct jobset - jobs by number
 * @spec: job, or NULL
 * @nr: how many there are
 * @held: of those that are not there: it is not known whether they are over, so that nothing
 *	of theirs goes
 */
struct jobset {
	const struct jobspec *spec[JOBSPEC_JOB_MAX + 1];
	size_t nr;
	bool held[JOBSPEC_JOB_MAX + 1];
};

/**
 * struct port - a qdisc with the block
 * @place: it
 * @domain: its jobs are those of this domain, if not 0
 * @job_source: of &enum tc_symphony_job
 * @dev: its device
 */
struct port {
	struct symphony_place place;
	__u32 domain;
	__u32 job_source;
	char dev[16];
};

/**
 * struct ports - all qdiscs with the block
 * @port: each
 * @nr: of them
 */
struct ports {
	struct port *port;
	size_t nr;
};

/**
 * ports_read() - find the qdiscs with a block
 * @sym: connection
 * @block: number of the block
 * @ports: result; stays as it is after a failure
 *
 * Return: 0 or a negative errno.
 */
int ports_read(struct symphony *sym, __u32 block, struct ports *ports);

/**
 * ports_equal() - compare ports
 * @a: some
 * @b: others
 *
 * Return: whether they are the same, with the same options.
 */
bool ports_equal(const struct ports *a, const struct ports *b);

/**
 * ports_table() - the table of a port's jobs
 * @ports: all
 * @i: which port
 * @place: result
 *
 * Return: false if one before it has the same.
 */
bool ports_table(const struct ports *ports, size_t i, struct symphony_place *place);

/**
 * ports_free() - forget ports
 * @ports: is empty afterwards
 */
void ports_free(struct ports *ports);

/**
 * struct override - what counts for a job in the tables
 * @has: as &jobspec.has_overrides
 * @value: as &jobspec.overrides
 */
struct override {
	__u32 has;
	__u32 value[SYMPHONY_OVERRIDE_ATTR_MAX + 1];
};

/**
 * struct overrides - what counts for jobs in the tables
 * @job: by number
 * @all: say it anew to all tables
 */
struct overrides {
	struct override job[JOBSPEC_JOB_MAX + 1];
	bool all;
};

/**
 * overrides_load() - learn which jobs another daemon before gave overrides
 * @overrides: all zero
 * @run: directory where it wrote that
 */
void overrides_load(struct overrides *overrides, const char *run);

/**
 * overrides_apply() - let count for jobs what is wanted, and end what is not any more
 * @sym: connection
 * @overrides: changed
 * @jobs: wanted
 * @ports: whose tables
 * @run: directory where it is written which jobs have any, before the kernel hears of it
 * @troubles: what was refused
 *
 * Return: 0, or -1 if something was refused.
 */
int overrides_apply(struct symphony *sym, struct overrides *overrides, const struct jobset *jobs,
		    const struct ports *ports, const char *run, struct troubles *troubles);

/**
 * overrides_count() - how many jobs have any
 * @overrides: of them
 *
 * Return: their number.
 */
size_t overrides_count(const struct overrides *overrides);

/**
 * run_write() - write a file anew, in one step for who reads it
 * @run: directory, which is made if it is not there
 * @name: of the file
 * @text: all of it
 *
 * Return: 0 or a negative errno.
 */
int run_write(const char *run, const char *name, const char *text);

/**
 * notify() - tell the service manager, if there is one
 * @format: as for printf(); lines as sd_notify(3) has them
 */
void notify(const char *format, ...) __printf(1, 2);

/**
 * notify_interval() - how often the service manager wants to hear WATCHDOG=1
 *
 * Return: half of its limit in ns, 0 for never.
 */
__u64 notify_interval(void);

/**
 * say() - write a line for the log
 * @format: as for printf()
 */
void say(const char *format, ...) __printf(1, 2);

/**
 * status_print() - print what a daemon wrote of itself
 * @run: directory where it did
 * @json: as it is
 *
 * Return: exit status: 0 if it is well, %EXIT_KERNEL if something is wrong or it does not run.
 */
int status_print(const char *run, bool json);

#define STATUS_FILE	"status.json"

#endif
