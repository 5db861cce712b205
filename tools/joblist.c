// SPDX-License-Identifier: GPL-2.0
/* Lists of jobs, and which tables they are of. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "joblist.h"

/* With jobs coming and going all the time the last list must do. */
#define DUMP_TRIES	3

static __u32 keep(const struct symphony_values *values, __u64 *kept, unsigned int max)
{
	unsigned int i;
	__u32 has = 0;

	for (i = 0; i <= max; i++) {
		if (!symphony_has(values, i))
			continue;
		kept[i] = values->value[i];
		has |= 1U << i;
	}
	return has;
}

static int add(const struct symphony_job *job, void *arg)
{
	struct joblist *list = arg;
	struct job_row *row;

	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 64;

		row = reallocarray(list->row, room, sizeof(*row));
		if (!row)
			return -ENOMEM;
		list->row = row;
		list->room = room;
	}
	row = &list->row[list->nr++];
	memset(row, 0, sizeof(*row));
	row->place = job->place;
	row->job = job->job;
	row->has_state = keep(&job->state, row->state, SYMPHONY_STATE_ATTR_MAX);
	row->has_stats = keep(&job->stats, row->stats, SYMPHONY_STATS_ATTR_MAX);
	row->has_overrides = keep(&job->overrides, row->overrides, SYMPHONY_OVERRIDE_ATTR_MAX);
	return 0;
}

int joblist_compare(const void *a, const void *b)
{
	const struct job_row *x = a, *y = b;
	int order = memcmp(&x->place, &y->place, sizeof(x->place));

	if (order)
		return order;
	return x->job < y->job ? -1 : x->job > y->job;
}

/* What a dump gave, and whether it can be used. */
static int sorted(struct joblist *list, int err)
{
	/* what stays while the dump lasts is there exactly once */
	if (err && err != -EINTR)
		return err;
	if (list->nr)
		qsort(list->row, list->nr, sizeof(*list->row), joblist_compare);
	return 0;
}

int joblist_read(struct symphony *sym, const struct symphony_place *place, __u64 active,
		 struct joblist *list)
{
	int tries, err = -EINTR;

	for (tries = 0; err == -EINTR && tries < DUMP_TRIES; tries++) {
		list->nr = 0;
		err = active ? symphony_jobs_active(sym, place, active, add, list) :
			       symphony_jobs(sym, place, add, list);
	}
	return sorted(list, err);
}

int joblist_named(struct symphony *sym, const struct symphony_place *place, const __u32 *jobs,
		  size_t nr, struct joblist *list)
{
	size_t first, part;
	int err = 0;

	list->nr = 0;
	for (first = 0; (!err || err == -EINTR) && first < nr; first += part) {
		part = nr - first < SYMPHONY_GENL_JOBS_MAX ? nr - first : SYMPHONY_GENL_JOBS_MAX;
		err = symphony_jobs_listed(sym, place, jobs + first, part, add, list);
	}
	return sorted(list, err);
}

int joblist_get(struct context *ctx, const struct symphony_place *place, struct joblist *list)
{
	if (!joblist_read(ctx->sym, place, 0, list))
		return 0;
	joblist_free(list);
	return cmd_kernel(ctx, "jobs");
}

void joblist_free(struct joblist *list)
{
	free(list->row);
	memset(list, 0, sizeof(*list));
}

__u64 row_marks(const struct job_row *row)
{
	return row->stats[SYMPHONY_STATS_ATTR_MARKED] +
	       row->stats[SYMPHONY_STATS_ATTR_WOULD_MARK];
}

static struct json_object *kept_json(__u32 has, const __u64 *kept,
				     const struct symphony_field *(*field_of)(unsigned int attr))
{
	struct symphony_values values = { 0 };
	unsigned int i;

	for (i = 0; i < 32; i++) {
		if (has & 1U << i)
			symphony_put(&values, i, kept[i]);
	}
	return values_json(&values, field_of);
}

void place_json(struct json_object *object, const struct symphony_place *place)
{
	char buf[TEXT_MAX];

	if (place->domain)
		json_object_object_add(object, "domain", json_object_new_uint64(place->domain));
	if (!place->ifindex)
		return;
	json_object_object_add(object, "dev",
			       json_object_new_string(text_device(place->ifindex, buf)));
	json_object_object_add(object, "ifindex", json_object_new_uint64(place->ifindex));
	json_object_object_add(object, "handle",
			       json_object_new_string(text_handle(place->handle, buf)));
	json_object_object_add(object, "parent",
			       json_object_new_string(text_handle(place->parent, buf)));
}

struct json_object *row_json(const struct job_row *row)
{
	struct json_object *object = json_object_new_object();

	place_json(object, &row->place);
	json_object_object_add(object, "job", json_object_new_uint64(row->job));
	json_object_object_add(object, "state",
			       kept_json(row->has_state, row->state, symphony_state_field));
	json_object_object_add(object, "stats",
			       kept_json(row->has_stats, row->stats, symphony_job_stat_field));
	json_object_object_add(object, "overrides",
			       kept_json(row->has_overrides, row->overrides,
					 symphony_override_field));
	return object;
}

const char *place_text(const struct symphony_place *place, char *buf)
{
	char dev[TEXT_MAX], handle[TEXT_MAX];

	if (place->domain)
		snprintf(buf, TEXT_MAX, "domain %u", place->domain);
	else
		snprintf(buf, TEXT_MAX, "%.15s %.9s", text_device(place->ifindex, dev),
			 text_handle(place->handle, handle));
	return buf;
}

/* "1:", "1:2", "root" */
static int read_handle(const char *word, __u32 *handle)
{
	unsigned long major, minor = 0;
	char *end;

	if (!strcmp(word, "root")) {
		*handle = UINT32_MAX;
		return 0;
	}
	errno = 0;
	major = strtoul(word, &end, 16);
	if (*end != ':' || end == word)
		return -EINVAL;
	if (end[1])
		minor = strtoul(end + 1, &end, 16);
	else
		end++;
	if (errno || *end || major > 0xffff || minor > 0xffff)
		return -EINVAL;
	*handle = major << 16 | minor;
	return 0;
}

static int read_number(const char *word, __u32 max, __u32 *number)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(word, &end, 0);
	if (errno || end == word || *end || *word == '-' || !value || value > max)
		return -EINVAL;
	*number = value;
	return 0;
}

static int place_value(const char *command, const char *name, const char *word,
		       struct symphony_place *place)
{
	if (!strcmp(name, "handle") || !strcmp(name, "parent")) {
		if (read_handle(word, name[0] == 'h' ? &place->handle : &place->parent))
			return cmd_syntax("%s: %s \"%s\": not as 1: or 1:2", command, name, word);
		return 0;
	}
	if (read_number(word, UINT32_MAX, &place->domain))
		return cmd_syntax("%s: domain \"%s\": not a number from 1 to %u", command, word,
				  UINT32_MAX);
	return 0;
}

int place_argument(const char *command, int *argc, char ***argv, struct symphony_place *place)
{
	static const char *const names[] = { "dev", "handle", "parent", "domain" };
	const char *word = **argv;
	size_t i;

	for (i = 0; i < ROWS(names) && strcmp(word, names[i]); i++)
		;
	if (i < ROWS(names)) {
		if (*argc < 2)
			return cmd_syntax("%s: \"%s\" wants a value", command, word);
		(*argc)--;
		(*argv)++;
	} else if (place->ifindex) {
		return cmd_syntax("%s: \"%s\" is one word too many", command, word);
	}
	(*argc)--;
	(*argv)++;
	word = (*argv)[-1];
	if (i == 0 || i == ROWS(names))
		return cmd_device(word, &place->ifindex);
	return place_value(command, names[i], word, place);
}

int job_argument(const char *command, int *argc, char ***argv, __u32 *job)
{
	if (!*argc)
		return cmd_syntax("%s: no job given, needs a number from 1 to %u", command,
				  SYMPHONY_GENL_JOB_MAX);
	if (read_number(**argv, SYMPHONY_GENL_JOB_MAX, job))
		return cmd_syntax("%s: job \"%s\": not a number from 1 to %u", command, **argv,
				  SYMPHONY_GENL_JOB_MAX);
	(*argc)--;
	(*argv)++;
	return 0;
}

int place_of_job(struct context *ctx, __u32 job, struct symphony_place *place)
{
	const struct symphony_place *found = NULL;
	char buf[2][TEXT_MAX];
	struct joblist list = { 0 };
	int status;
	size_t i;

	if (place->ifindex || place->domain)
		return 0;
	status = joblist_get(ctx, place, &list);
	for (i = 0; !status && i < list.nr; i++) {
		if (list.row[i].job != job)
			continue;
		if (found)
			status = cmd_syntax("job %u is in %s and in %s: say dev or domain", job,
					    place_text(found, buf[0]),
					    place_text(&list.row[i].place, buf[1]));
		found = &list.row[i].place;
	}
	if (!status && !found) {
		fprintf(stderr, "symphony: no table knows job %u\n", job);
		status = EXIT_KERNEL;
	}
	if (!status)
		*place = *found;
	joblist_free(&list);
	return status;
}
