// SPDX-License-Identifier: GPL-2.0
/* Jobs that are files of a directory. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "daemon.h"

/* A file counts when it is whole, which it is not while it is being written. */
#define WHOLE	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
#define CHANGES	(WHOLE | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define SUFFIX	".conf"

int jobfiles_listen(struct jobfiles *files)
{
	files->watch = -1;
	files->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return files->fd < 0 ? -errno : 0;
}

static bool is_conf(const char *name)
{
	size_t len = strlen(name);

	return *name != '.' && len > strlen(SUFFIX) && !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

static int is_conf_entry(const struct dirent *entry)
{
	return is_conf(entry->d_name);
}

/* Where a file is, or would be. */
static size_t place_of(const struct jobfiles *files, const char *name, bool *found)
{
	size_t from = 0, to = files->nr, middle;
	int order;

	*found = false;
	while (from < to && !*found) {
		middle = (from + to) / 2;
		order = strcmp(name, files->file[middle].name);
		*found = !order;
		if (order > 0)
			from = middle + 1;
		else
			to = middle;
	}
	return to;
}

/* Without memory there is no new file; those that are known stay. */
static struct jobfile *find_or_add(struct jobfiles *files, const char *name)
{
	struct jobfile *all;
	char *copy;
	bool found;
	size_t at;

	at = place_of(files, name, &found);
	if (found)
		return &files->file[at];
	copy = strdup(name);
	all = reallocarray(files->file, files->nr + 1, sizeof(*all));
	if (all)
		files->file = all;
	if (!copy || !all) {
		free(copy);
		return NULL;
	}
	memmove(all + at + 1, all + at, (files->nr++ - at) * sizeof(*all));
	memset(all + at, 0, sizeof(*all));
	all[at].name = copy;
	/* or it would go before it is looked for */
	all[at].seen = true;
	return all + at;
}

/* What was written when events were lost is not known: each file counts as it is. */
static void forget_writers(struct jobfiles *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		files->file[i].writing = false;
	files->changed = true;
}

static void take_event(struct jobfiles *files, const struct inotify_event *event)
{
	struct jobfile *file;

	/* the directory is gone, or another: look for it by name */
	if (event->mask & (IN_IGNORED | IN_MOVE_SELF) && event->wd == files->watch)
		files->watch = -1;
	if (event->mask & (IN_IGNORED | IN_MOVE_SELF | IN_DELETE_SELF | IN_Q_OVERFLOW))
		forget_writers(files);
	if (!event->len || !is_conf(event->name))
		return;
	file = find_or_add(files, event->name);
	if (file)
		file->writing = event->mask & IN_MODIFY;
	if (event->mask & WHOLE)
		files->changed = true;
}

void jobfiles_heard(struct jobfiles *files)
{
	char buf[4096] __attribute((aligned(8)));
	const struct inotify_event *event;
	ssize_t len, at;

	while ((len = read(files->fd, buf, sizeof(buf))) > 0) {
		for (at = 0; at < len; at += sizeof(*event) + event->len) {
			event = (void *)(buf + at);
			take_event(files, event);
		}
	}
}

static void read_file(struct jobfiles *files, const char *directory, const char *name)
{
	char error[JOBSPEC_ERROR_SIZE];
	struct jobfile *file;
	char path[PATH_MAX];
	struct jobspec spec;
	int err;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	err = jobspec_read_conf(&spec, path, error);
	/* deleted meanwhile, which will be heard of, too */
	if (err && access(path, F_OK)) {
		jobspec_free(&spec);
		return;
	}
	file = find_or_add(files, name);
	if (!file) {
		jobspec_free(&spec);
		troubles_add(&files->troubles, "%s: no memory", path);
		return;
	}
	file->seen = true;
	file->next = spec;
	file->bad = err;
	file->error = err ? strdup(error) : NULL;
}

/* One that is being written is as it was: when it is whole it will be heard of. */
static void take_file(struct jobfiles *files, struct jobfile *file)
{
	if (!file->writing && file->bad) {
		troubles_add(&files->troubles, "%s%s", file->error ?: "no memory",
			     file->spec.job ? "; what it said before counts" : "");
		file->named = file->spec.job ? 0 : file->next.job;
	} else if (!file->writing) {
		jobspec_free(&file->spec);
		file->spec = file->next;
		memset(&file->next, 0, sizeof(file->next));
		file->named = 0;
	}
	jobspec_free(&file->next);
	free(file->error);
	file->error = NULL;
}

static void free_file(struct jobfile *file)
{
	jobspec_free(&file->spec);
	free(file->name);
}

static void take_files(struct jobfiles *files)
{
	size_t i, kept = 0;

	for (i = 0; i < files->nr; i++) {
		if (!files->file[i].seen) {
			free_file(&files->file[i]);
			continue;
		}
		take_file(files, &files->file[i]);
		files->file[kept++] = files->file[i];
	}
	files->nr = kept;
}

/* A list may be without a file that was replaced meanwhile. */
static void read_unlisted(struct jobfiles *files, const char *path)
{
	size_t i;

	for (i = 0; i < files->nr; i++) {
		if (!files->file[i].seen)
			read_file(files, path, files->file[i].name);
	}
}

void jobfiles_read(struct jobfiles *files, const char *path)
{
	struct dirent **entry;
	int nr, i;

	files->changed = false;
	troubles_clear(&files->troubles);
	if (!path)
		return;
	/* before it is read, or a change in between would be missed */
	if (files->fd >= 0 && files->watch < 0)
		files->watch = inotify_add_watch(files->fd, path, CHANGES);
	nr = scandir(path, &entry, is_conf_entry, alphasort);
	if (nr < 0) {
		troubles_add(&files->troubles, "%s: %s%s", path, strerror(errno),
			     files->nr ? "; what it had before counts" : "");
		return;
	}
	for (i = 0; i < (int)files->nr; i++)
		files->file[i].seen = false;
	for (i = 0; i < nr; i++) {
		read_file(files, path, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	read_unlisted(files, path);
	/* who began to write when it was read is known now */
	if (files->fd >= 0)
		jobfiles_heard(files);
	take_files(files);
}

void jobfiles_free(struct jobfiles *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		free_file(&files->file[i]);
	free(files->file);
	if (files->fd >= 0)
		close(files->fd);
	troubles_clear(&files->troubles);
	memset(files, 0, sizeof(*files));
	files->fd = -1;
}
