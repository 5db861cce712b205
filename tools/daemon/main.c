// SPDX-License-Identifier: GPL-2.0
/*
 * symphonyd: puts the jobs of a cluster in force on a router: a filter for each host in the
 * block that the ports' symphony qdiscs share, and overrides in their tables. One thread
 * waits for what may have changed anything and then compares all that is wanted with all
 * that is there. What it cannot learn it leaves as it is.
 */
#include <errno.h>
#include <getopt.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon.h"
#include "follow.h"

#define SECOND		1000000000ULL
/* After this all is compared, even if nothing was heard. */
#define COMPARE_EVERY	(60 * SECOND)
/* But not before so many times the processor time that it took. */
#define COMPARE_SHARE	200
/* What failed is tried again after this, doubled each time. */
#define RETRY_FIRST	(SECOND / 2)
#define RETRY_LAST	(30 * SECOND)
/* Devices may come and go by the hundred. */
#define LOOK_EVERY	(SECOND / 10)

enum {
	POLL_SIGNAL,
	POLL_FILES,
	POLL_NOTICES,
	POLL_STORE,
	POLL_MAX,
};

/**
 * struct daemon - all of it
 * @settings: configuration
 * @conf: where it was read
 * @files: jobs that are files
 * @follow: jobs that are in the store
 * @jobs: those that are wanted
 * @partly: of them, those of which something is not in force
 * @sym: connection for qdiscs and overrides
 * @rtnl: socket for filters
 * @notices: socket for notifications
 * @signals: descriptor for signals
 * @ports: qdiscs with the block
 * @have: filters that are there
 * @overrides: that are there
 * @troubles: what is wrong since all was compared last
 * @look_at: when to look for ports again, 0 for not at all
 * @all_at: when to read and compare all, even if nothing was heard
 * @compare: whether to compare what is wanted with what is there
 * @read_have: whether @have is to be read
 * @retry: the next pause after a failure
 * @notify_at: when to tell the service manager that we live
 * @store_at: when to look after the store, 0 without one
 * @stop: it is time to go
 */
struct daemon {
	struct settings settings;
	const char *conf;
	struct jobfiles files;
	struct follow follow;
	struct jobset jobs;
	bool partly[JOBSPEC_JOB_MAX + 1];
	struct symphony *sym;
	struct rtnl rtnl;
	struct rtnl notices;
	int signals;
	struct ports ports;
	struct rules have;
	struct overrides overrides;
	struct troubles troubles;
	__u64 look_at;
	__u64 all_at;
	__u64 retry;
	__u64 notify_at;
	__u64 store_at;
	bool compare;
	bool read_have;
	bool stop;
};

static __u64 time_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static __u64 now(void)
{
	return time_of(CLOCK_MONOTONIC);
}

static void look_within(struct daemon *d, __u64 pause)
{
	__u64 at = now() + pause;

	if (!d->look_at || at < d->look_at)
		d->look_at = at;
}

static void on_claim(void *arg, const struct jobhost *host, __u32 job, __u32 other)
{
	char buf[JOBSPEC_HOST_SIZE];
	struct daemon *d = arg;

	d->partly[job] = true;
	d->partly[other] = true;
	troubles_add(&d->troubles, "host %s: jobs %u and %u claim it, it is of neither",
		     jobhost_text(host, buf), job, other);
}

static void on_refusal(void *arg, const struct rule *rule, const char *sentence)
{
	char buf[JOBSPEC_HOST_SIZE];
	struct daemon *d = arg;

	d->partly[rule->job] = true;
	troubles_add(&d->troubles, "host %s of job %u: %s",
		     rule->host.family ? jobhost_text(&rule->host, buf) : "?", rule->job, sentence);
}

static bool want_job(struct daemon *d, const struct jobspec *spec)
{
	if (d->jobs.spec[spec->job])
		return false;
	d->jobs.spec[spec->job] = spec;
	d->jobs.nr++;
	return true;
}

/* Of what is in our place and of no job nothing goes while there may be jobs that are unknown. */
static void hold_jobs(struct daemon *d)
{
	bool unknown = d->follow.etcd && !d->follow.known;
	__u32 job;
	size_t i;

	for (job = 0; job <= JOBSPEC_JOB_MAX; job++)
		d->jobs.held[job] = unknown || (job && d->follow.bad[job]);
	for (i = 0; i < d->files.nr; i++) {
		if (d->files.file[i].named)
			d->jobs.held[d->files.file[i].named] = true;
	}
}

/* The first file by name has the number, before the store. */
static void want_jobs(struct daemon *d)
{
	const struct jobspec *spec;
	__u32 job;
	size_t i;

	memset(&d->jobs, 0, sizeof(d->jobs));
	memset(d->partly, 0, sizeof(d->partly));
	hold_jobs(d);
	for (i = 0; i < d->files.nr; i++) {
		spec = &d->files.file[i].spec;
		if (spec->job && !want_job(d, spec))
			troubles_add(&d->troubles, "%s: job %u is in another file, too",
				     d->files.file[i].name, spec->job);
	}
	for (job = 1; job <= JOBSPEC_JOB_MAX; job++) {
		spec = d->follow.spec[job];
		if (!spec || want_job(d, spec))
			continue;
		d->partly[job] = true;
		troubles_add(&d->troubles, "job %u of the store: a file has this number", job);
	}
}

/* With another qdisc nothing of what is remembered of the kernel counts any more. */
static int look_for_ports(struct daemon *d)
{
	struct ports ports = { 0 };
	int err = ports_read(d->sym, d->settings.block, &ports);
	size_t i;

	if (err) {
		troubles_add(&d->troubles, "qdiscs: %s", symphony_error(d->sym));
		return err;
	}
	if (!ports_equal(&ports, &d->ports)) {
		d->read_have = true;
		d->overrides.all = true;
	}
	ports_free(&d->ports);
	d->ports = ports;
	if (!d->ports.nr)
		troubles_add(&d->troubles, "no symphony qdisc has egress_block %u",
			     d->settings.block);
	for (i = 0; i < d->ports.nr; i++) {
		if (d->ports.port[i].job_source != TC_SYMPHONY_JOB_FILTER)
			troubles_add(&d->troubles, "%s: its symphony is without \"job filter\"",
				     d->ports.port[i].dev);
	}
	return 0;
}

static int compare_rules(struct daemon *d)
{
	struct rules want = { 0 };
	struct rules_change change = {
		.block = d->settings.block,
		.have = &d->have,
		.want = &want,
		.failed = on_refusal,
		.arg = d,
		.held = d->jobs.held,
	};
	__u32 job;
	int err;

	if (d->read_have) {
		err = rules_read(&d->rtnl, d->settings.block, &d->have);
		if (err) {
			troubles_add(&d->troubles, "filters: %s", strerror(-err));
			return err;
		}
	}
	for (job = 1; job <= JOBSPEC_JOB_MAX; job++) {
		if (d->jobs.spec[job] && rules_add(&want, d->jobs.spec[job])) {
			rules_free(&want);
			troubles_add(&d->troubles, "filters: %s", strerror(ENOMEM));
			return -ENOMEM;
		}
	}
	rules_sort(&want, on_claim, d);
	err = rules_apply(&d->rtnl, &change);
	d->read_have = err || change.kept;
	rules_free(&d->have);
	d->have = want;
	return err;
}

static void add_strings(struct json_object *object, const char *name,
			const struct troubles *troubles, struct json_object *list)
{
	size_t i;

	for (i = 0; i < troubles->nr && i < TROUBLES_MAX; i++)
		json_object_array_add(list,
				      json_object_new_string(troubles->sentence[i] ?: "no memory"));
	json_object_object_add(object, name, list);
}

static struct json_object *port_names(const struct ports *ports)
{
	struct json_object *names = json_object_new_array();
	char handle[TEXT_MAX], name[2 * TEXT_MAX];
	size_t i;

	for (i = 0; i < ports->nr; i++) {
		snprintf(name, sizeof(name), "%.15s %s", ports->port[i].dev,
			 text_handle(ports->port[i].place.handle, handle));
		json_object_array_add(names, json_object_new_string(name));
	}
	return names;
}

static struct json_object *status_of(struct daemon *d)
{
	struct json_object *status = json_object_new_object();

	json_object_object_add(status, "version", json_object_new_string(SYMPHONY_VERSION));
	json_object_object_add(status, "pid", json_object_new_int(getpid()));
	json_object_object_add(status, "time", json_object_new_int64(time(NULL)));
	json_object_object_add(status, "block", json_object_new_int64(d->settings.block));
	json_object_object_add(status, "jobs", json_object_new_int64(d->jobs.nr));
	json_object_object_add(status, "rules", json_object_new_int64(d->have.nr));
	json_object_object_add(status, "overrides",
			       json_object_new_int64(overrides_count(&d->overrides)));
	json_object_object_add(status, "ports", port_names(&d->ports));
	json_object_object_add(status, "healthy", json_object_new_boolean(!d->troubles.nr));
	add_strings(status, "troubles", &d->troubles, json_object_new_array());
	return status;
}

static void write_status(struct daemon *d)
{
	struct json_object *status = status_of(d);
	int err;

	err = run_write(d->settings.run, STATUS_FILE, json_object_to_json_string(status));
	if (err)
		say("%s: %s", d->settings.run, strerror(-err));
	json_object_put(status);
	notify("STATUS=%zu jobs, %zu rules, %zu ports, %zu troubles", d->jobs.nr, d->have.nr,
	       d->ports.nr, d->troubles.nr);
}

/* Of what failed as a whole nothing is said to be in force that was not before. */
static void tell(struct daemon *d, int err)
{
	static bool in_force[JOBSPEC_JOB_MAX + 1];
	__u32 job;

	for (job = 1; job <= JOBSPEC_JOB_MAX; job++)
		in_force[job] = d->follow.spec[job] && !d->partly[job] && d->ports.nr &&
				(!err || d->follow.confirmed[job] == d->follow.revision[job]);
	follow_tell(&d->follow, in_force, status_of(d));
}

/* The log hears of what is wrong once, and when all is well again. */
static void say_troubles(struct daemon *d, const struct troubles *before)
{
	size_t i;

	for (i = 0; i < d->troubles.nr && i < TROUBLES_MAX; i++) {
		if (i >= before->nr || !d->troubles.sentence[i] || !before->sentence[i] ||
		    strcmp(d->troubles.sentence[i], before->sentence[i]))
			say("%s", d->troubles.sentence[i] ?: "no memory");
	}
	if (d->troubles.nr > TROUBLES_MAX && d->troubles.nr != before->nr)
		say("and %zu more", d->troubles.nr - TROUBLES_MAX);
	if (before->nr && !d->troubles.nr)
		say("all is well: %zu jobs, %zu rules, %zu ports", d->jobs.nr, d->have.nr,
		    d->ports.nr);
}

static void copy_troubles(struct troubles *to, const struct troubles *from)
{
	size_t i;

	for (i = 0; i < from->nr && i < TROUBLES_MAX; i++)
		troubles_add(to, "%s", from->sentence[i] ?: "no memory");
	to->nr = to->nr < from->nr ? from->nr : to->nr;
}

static int put_in_force(struct daemon *d)
{
	int err = look_for_ports(d);

	if (err)
		return err;
	/* the block is one of theirs, and went with the last of them */
	if (!d->ports.nr) {
		d->have.nr = 0;
		return 0;
	}
	err = compare_rules(d);
	return overrides_apply(d->sym, &d->overrides, &d->jobs, &d->ports, d->settings.run,
			       &d->troubles) ?: err;
}

/* However many rules there are, to look at all for nothing takes little of a processor. */
static void compare_later(struct daemon *d, __u64 cost)
{
	__u64 at = now() + COMPARE_SHARE * cost;

	if (d->all_at < at)
		d->all_at = at;
}

static void compare(struct daemon *d)
{
	__u64 since = time_of(CLOCK_PROCESS_CPUTIME_ID);
	struct troubles before = d->troubles;
	int err;

	memset(&d->troubles, 0, sizeof(d->troubles));
	d->compare = false;
	d->look_at = 0;
	copy_troubles(&d->troubles, &d->files.troubles);
	follow_troubles(&d->follow, &d->troubles);
	want_jobs(d);
	err = put_in_force(d);
	if (err) {
		d->read_have = true;
		d->overrides.all = true;
		look_within(d, d->retry);
		d->retry = d->retry * 2 < RETRY_LAST ? d->retry * 2 : RETRY_LAST;
	} else {
		d->retry = RETRY_FIRST;
	}
	say_troubles(d, &before);
	troubles_clear(&before);
	write_status(d);
	tell(d, err);
	compare_later(d, time_of(CLOCK_PROCESS_CPUTIME_ID) - since);
}

/* Nothing of what is remembered of the kernel counts any more. */
static void look_anew(struct daemon *d)
{
	d->read_have = true;
	d->overrides.all = true;
	d->compare = true;
}

static bool is_symphony(const struct nlmsghdr *nlh)
{
	struct nlattr *kind;

	kind = nlmsg_find_attr((struct nlmsghdr *)nlh, sizeof(struct tcmsg), TCA_KIND);
	return kind && !nla_strcmp(kind, "symphony");
}

static void on_notice(const struct nlmsghdr *nlh, void *arg)
{
	struct daemon *d = arg;

	switch (nlh->nlmsg_type) {
	case RTM_NEWQDISC:
	case RTM_DELQDISC:
		if (is_symphony(nlh))
			look_anew(d);
		break;
	/* a device takes its qdisc with it without a word */
	case RTM_NEWLINK:
	case RTM_DELLINK:
		look_within(d, LOOK_EVERY);
		break;
	default:
		if (nlh->nlmsg_pid != d->rtnl.port && rules_is_ours(nlh, d->settings.block))
			look_anew(d);
	}
}

static void read_files(struct daemon *d)
{
	jobfiles_read(&d->files, d->settings.jobs);
	d->compare = true;
}

/* What was not heard of is found all the same. */
static void look_in_time(struct daemon *d)
{
	__u64 time = now();

	if (d->look_at && time >= d->look_at)
		d->compare = true;
	if (time < d->all_at)
		return;
	d->all_at = time + COMPARE_EVERY;
	read_files(d);
	look_anew(d);
}

static void on_signal(struct daemon *d)
{
	struct signalfd_siginfo info;

	if (read(d->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGHUP) {
		d->stop = true;
		return;
	}
	notify("RELOADING=1\nMONOTONIC_USEC=%llu", now() / 1000);
	read_files(d);
	look_anew(d);
	compare(d);
	notify("READY=1");
}

/* Milliseconds until there is something to do. */
static int pause_of(struct daemon *d)
{
	__u64 at = d->all_at, time = now();

	if (d->files.changed)
		return 0;
	if (d->look_at && d->look_at < at)
		at = d->look_at;
	if (d->notify_at && d->notify_at < at)
		at = d->notify_at;
	if (d->store_at && d->store_at < at)
		at = d->store_at;
	return at <= time ? 0 : (at - time) / 1000000 + 1;
}

static void notify_in_time(struct daemon *d)
{
	__u64 interval = notify_interval();

	if (!interval || now() < d->notify_at)
		return;
	notify("WATCHDOG=1");
	d->notify_at = now() + interval;
}

static void look_after_store(struct daemon *d)
{
	int pause = follow_run(&d->follow);

	d->store_at = pause < 0 ? 0 : now() + pause * 1000000ULL;
	d->compare = d->compare || d->follow.changed;
	d->follow.changed = false;
}

static int run(struct daemon *d)
{
	struct pollfd fds[POLL_MAX] = {
		[POLL_SIGNAL]	= { .fd = d->signals, .events = POLLIN },
		[POLL_FILES]	= { .fd = d->files.fd, .events = POLLIN },
		[POLL_NOTICES]	= { .fd = d->notices.fd, .events = POLLIN },
		[POLL_STORE]	= { .fd = follow_fd(&d->follow), .events = POLLIN },
	};

	look_after_store(d);
	look_in_time(d);
	compare(d);
	notify("READY=1");
	while (!d->stop) {
		notify_in_time(d);
		if (poll(fds, POLL_MAX, pause_of(d)) < 0 && errno != EINTR)
			return EXIT_KERNEL;
		if (fds[POLL_NOTICES].revents && rtnl_notified(&d->notices, on_notice, d))
			look_anew(d);
		if (fds[POLL_FILES].revents)
			jobfiles_heard(&d->files);
		if (d->files.changed)
			read_files(d);
		if (fds[POLL_SIGNAL].revents)
			on_signal(d);
		look_in_time(d);
		look_after_store(d);
		if (d->compare && !d->stop)
			compare(d);
	}
	notify("STOPPING=1");
	say("ends; what it put in force stays");
	return 0;
}

static int catch_signals(struct daemon *d)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	d->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return d->signals < 0 ? -errno : 0;
}

static int open_kernel(struct daemon *d)
{
	int err = symphony_open(&d->sym);

	err = err ?: rtnl_open(&d->rtnl, 0);
	return err ?: rtnl_open(&d->notices, RTMGRP_TC | RTMGRP_LINK);
}

static int serve(struct daemon *d)
{
	int err = catch_signals(d);

	err = err ?: open_kernel(d);
	err = err ?: jobfiles_listen(&d->files);
	err = err ?: follow_open(&d->follow, &d->settings);
	if (err) {
		say("cannot begin: %s", strerror(-err));
		return EXIT_KERNEL;
	}
	overrides_load(&d->overrides, d->settings.run);
	return run(d);
}

/* Nothing is wanted: the same as if all jobs had ended. */
static int flush(struct daemon *d)
{
	size_t i;
	int err = open_kernel(d);

	if (!err) {
		overrides_load(&d->overrides, d->settings.run);
		d->read_have = true;
		err = put_in_force(d);
	}
	for (i = 0; i < d->troubles.nr && i < TROUBLES_MAX; i++)
		say("%s", d->troubles.sentence[i]);
	return err ? EXIT_KERNEL : 0;
}

/* Whether a daemon would have anything to complain of before it asks the kernel. */
static int check(struct daemon *d)
{
	size_t i;

	d->files.fd = -1;
	jobfiles_read(&d->files, d->settings.jobs);
	copy_troubles(&d->troubles, &d->files.troubles);
	want_jobs(d);
	for (i = 0; i < d->troubles.nr && i < TROUBLES_MAX; i++)
		say("%s", d->troubles.sentence[i]);
	printf("%zu jobs\n", d->jobs.nr);
	return d->troubles.nr ? EXIT_SYNTAX : 0;
}

static void usage(FILE *file)
{
	fprintf(file,
		"Usage: symphonyd [ -c FILE ] [ --check | --flush ]\n"
		"       symphonyd [ -c FILE ] [ -j ] status\n"
		"       symphonyd { --help | --version }\n"
		"See symphonyd(8).\n");
}

enum action {
	SERVE,
	CHECK,
	FLUSH,
	STATUS,
	HELP,
	VERSION,
	WRONG,
};

static enum action read_arguments(struct daemon *d, int argc, char **argv, bool *json)
{
	static const struct option options[] = {
		{ "conf", required_argument, NULL, 'c' },
		{ "check", no_argument, NULL, 'k' },
		{ "flush", no_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL }
	};
	enum action what = SERVE;
	int option;

	while ((option = getopt_long(argc, argv, "c:jhV", options, NULL)) >= 0) {
		switch (option) {
		case 'c':
			d->conf = optarg;
			break;
		case 'j':
			*json = true;
			break;
		case 'h':
			return HELP;
		case 'V':
			return VERSION;
		case 'k':
			what = CHECK;
			break;
		case 'f':
			what = FLUSH;
			break;
		default:
			return WRONG;
		}
	}
	if (optind < argc && !strcmp(argv[optind], "status") && what == SERVE) {
		what = STATUS;
		optind++;
	}
	return optind == argc && (!*json || what == STATUS) ? what : WRONG;
}

static int act(struct daemon *d, enum action what, bool json)
{
	switch (what) {
	case CHECK:
		return check(d);
	case FLUSH:
		return flush(d);
	case STATUS:
		return status_print(d->settings.run, json);
	default:
		return serve(d);
	}
}

static void clean_up(struct daemon *d)
{
	jobfiles_free(&d->files);
	follow_close(&d->follow);
	ports_free(&d->ports);
	rules_free(&d->have);
	troubles_clear(&d->troubles);
	settings_free(&d->settings);
	symphony_close(d->sym);
	rtnl_close(&d->rtnl);
	rtnl_close(&d->notices);
}

int main(int argc, char **argv)
{
	static struct daemon d = {
		.conf = DAEMON_CONF, .read_have = true, .retry = RETRY_FIRST,
		.files.fd = -1, .rtnl.fd = -1, .notices.fd = -1,
	};
	char error[CONF_ERROR_SIZE];
	enum action what;
	bool json = false;
	int status;

	what = read_arguments(&d, argc, argv, &json);
	if (what == HELP || what == WRONG) {
		usage(what == HELP ? stdout : stderr);
		return what == HELP ? 0 : EXIT_SYNTAX;
	}
	if (what == VERSION) {
		printf("symphonyd, %s\n", SYMPHONY_VERSION);
		return 0;
	}
	if (settings_read(&d.settings, d.conf, error)) {
		say("%s", error);
		status = EXIT_SYNTAX;
	} else {
		status = act(&d, what, json);
	}
	clean_up(&d);
	return status;
}
