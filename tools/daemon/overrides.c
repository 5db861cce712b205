// SPDX-License-Identifier: GPL-2.0
/*
 * What counts for jobs in the tables. A job with overrides is pinned, or it would lose them
 * when it is silent; so which jobs have any must be known to a daemon that comes after this.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"

#define OVERRIDES_FILE	"overrides"
/* A number and the end of the line. */
#define LINE_SIZE	8

void overrides_load(struct overrides *overrides, const char *run)
{
	char path[PATH_MAX];
	unsigned int job;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", run, OVERRIDES_FILE);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%u", &job) == 1) {
		if (!job || job > JOBSPEC_JOB_MAX || overrides->job[job].has)
			continue;
		/* which they are, the next job that is wanted says */
		overrides->job[job].has = 1U << SYMPHONY_OVERRIDE_ATTR_PINNED;
	}
	fclose(file);
}

static bool is_wanted(const struct override *have, const struct jobspec *spec)
{
	return have->has == (spec ? spec->has_overrides : 0) &&
	       (!spec || !memcmp(have->value, spec->overrides, sizeof(have->value)));
}

/* Which jobs have overrides before and after this, or after it alone. */
static int save(const struct overrides *overrides, const struct jobset *jobs, const char *run,
		bool before)
{
	char *text = malloc((JOBSPEC_JOB_MAX + 1) * LINE_SIZE);
	size_t len = 0;
	__u32 job;
	int err;

	if (!text)
		return -ENOMEM;
	*text = '\0';
	for (job = 1; job <= JOBSPEC_JOB_MAX; job++) {
		const struct jobspec *spec = jobs->spec[job];

		if (((before || (!spec && jobs->held[job])) && overrides->job[job].has) ||
		    (spec && spec->has_overrides))
			len += sprintf(text + len, "%u\n", job);
	}
	err = run_write(run, OVERRIDES_FILE, text);
	free(text);
	return err;
}

/* What a job without overrides does not have is no failure. */
static int set(struct symphony *sym, const struct symphony_place *place, __u32 job,
	       const struct jobspec *spec)
{
	__u32 has = spec ? spec->has_overrides : 0;
	struct symphony_values values = { 0 };
	unsigned int attr;
	int err;

	for (attr = 1; attr <= SYMPHONY_OVERRIDE_ATTR_MAX; attr++)
		symphony_put(&values, attr,
			     has & 1U << attr ? spec->overrides[attr] : SYMPHONY_GENL_NO_OVERRIDE);
	symphony_put(&values, SYMPHONY_OVERRIDE_ATTR_PINNED, !!has);
	err = symphony_job_set(sym, place, job, &values);
	return err == -ENOENT && !has ? 0 : err;
}

static int set_everywhere(struct symphony *sym, const struct ports *ports, __u32 job,
			  const struct jobspec *spec, struct troubles *troubles)
{
	struct symphony_place place;
	int err = 0;
	size_t i;

	for (i = 0; i < ports->nr; i++) {
		if (!ports_table(ports, i, &place) || !set(sym, &place, job, spec))
			continue;
		troubles_add(troubles, "job %u at %s: %s", job, ports->port[i].dev,
			     symphony_error(sym));
		err = -1;
	}
	return err;
}

static void keep(struct override *have, const struct jobspec *spec)
{
	memset(have, 0, sizeof(*have));
	if (!spec)
		return;
	have->has = spec->has_overrides;
	memcpy(have->value, spec->overrides, sizeof(have->value));
}

int overrides_apply(struct symphony *sym, struct overrides *overrides, const struct jobset *jobs,
		    const struct ports *ports, const char *run, struct troubles *troubles)
{
	bool saved = false;
	int err = 0;
	__u32 job;

	for (job = 1; job <= JOBSPEC_JOB_MAX; job++) {
		struct override *have = &overrides->job[job];
		const struct jobspec *spec = jobs->spec[job];

		if (!spec && jobs->held[job])
			continue;
		if (!is_wanted(have, spec) || (overrides->all && have->has)) {
			if (!saved && save(overrides, jobs, run, true)) {
				troubles_add(troubles, "%s: cannot be written: no overrides", run);
				return -1;
			}
			saved = true;
			if (set_everywhere(sym, ports, job, spec, troubles))
				err = -1;
			else
				keep(have, spec);
		}
	}
	overrides->all = false;
	if (saved && !err)
		save(overrides, jobs, run, false);
	return err;
}

size_t overrides_count(const struct overrides *overrides)
{
	size_t nr = 0;
	__u32 job;

	for (job = 1; job <= JOBSPEC_JOB_MAX; job++)
		nr += !!overrides->job[job].has;
	return nr;
}
