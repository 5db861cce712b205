/* SPDX-License-Identifier: GPL-2.0 */
/* Jobs that are in the store: hearing of them, and telling it what is in force. */
#ifndef _SYMPHONYD_FOLLOW_H
#define _SYMPHONYD_FOLLOW_H

#include <time.h>

#include "etcd.h"
#include "jobspec.h"

struct settings;
struct troubles;

/**
 * struct follow - what is known of the store
 * @settings: where it is, and of which cluster jobs count
 * @etcd: client, NULL if no store is configured
 * @watch: of jobs, NULL until all were read
 * @spec: jobs by number, NULL of those that are not there
 * @revision: of their entries, 0 of those
 * @confirmed: revisions that the store was told are in force, 0 for none
 * @lease: under which it is told, %ETCD_NO_LEASE if there is none
 * @retry_at: when to ask again what failed, in ms of etcd_now()
 * @renew_at: when to renew the lease
 * @away: since when no member has answered, in seconds of time(); 0 if one does
 * @reading: all jobs are being read
 * @granting: a lease is being asked for or renewed
 * @telling: it is being told what is in force
 * @more: there is more to tell when that has ended
 * @stale: what is known may be older than the watch can tell: read all anew
 * @changed: jobs differ from what they were when this was last set to false
 * @known: all jobs were read once
 * @trim: memory that was needed to read them is to go back
 * @bad: by number: its entry cannot be read
 * @error: the last sentence on what failed
 */
struct follow {
	const struct settings *settings;
	struct etcd *etcd;
	struct etcd_watch *watch;
	struct jobspec *spec[JOBSPEC_JOB_MAX + 1];
	__s64 revision[JOBSPEC_JOB_MAX + 1];
	__s64 confirmed[JOBSPEC_JOB_MAX + 1];
	__s64 lease;
	__u64 retry_at;
	__u64 renew_at;
	time_t away;
	bool reading;
	bool granting;
	bool telling;
	bool more;
	bool stale;
	bool changed;
	bool known;
	bool trim;
	bool bad[JOBSPEC_JOB_MAX + 1];
	char error[256];
};

/**
 * follow_open() - begin to follow the store, if there is one
 * @follow: all zero
 * @settings: stay as they are until follow_close()
 *
 * Return: 0 or -ENOMEM.
 */
int follow_open(struct follow *follow, const struct settings *settings);

/**
 * follow_close() - follow no more; the lease goes by itself
 * @follow: all zero afterwards
 */
void follow_close(struct follow *follow);

/**
 * follow_fd() - what to wait for
 * @follow: it
 *
 * Return: a descriptor that can be read if follow_run() has something to do, -1 without a
 * store.
 */
int follow_fd(const struct follow *follow);

/**
 * follow_run() - do what there is to do, without blocking
 * @follow: changed
 *
 * Return: milliseconds after which to call it again even if nothing came, -1 without a store.
 */
int follow_run(struct follow *follow);

/**
 * follow_troubles() - say what is wrong
 * @follow: it
 * @troubles: get it
 */
void follow_troubles(const struct follow *follow, struct troubles *troubles);

/**
 * follow_tell() - tell the store which of its jobs are in force, and how the router is
 * @follow: changed
 * @in_force: by number
 * @health: of the router; is put
 *
 * While a call is still on its way nothing is told: follow_run() says afterwards that jobs
 * have changed, so that this is called again.
 */
void follow_tell(struct follow *follow, const bool *in_force, struct json_object *health);

#endif
