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

/* A file counts when it is whole. */
#define CHANGES	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | \
		 IN_MOVE_SELF | IN_ONLYDIR)
#define SUFFIX	".conf"

int jobfiles_listen(struct jobfiles *files)
{
	files->watch = -1;
	files->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return files->fd < 0 ? -errno : 0;
}

void jobfiles_changed(struct jobfiles *files)
{
	char buf[4096] __attribute((aligned(8)));
	const struct inotify_event *event;
	ssize_t len, at;

	while ((len = read(files->fd, buf, sizeof(buf))) > 0) {
		for (at = 0; at < len; at += sizeof(*event) + event->len) {
			event = (void *)(buf + at);
			/* the directory is gone, or another: look for it by name */
			if (event->mask & (IN_IGNORED | IN_MOVE_SELF) && event->wd == files->watch)
				files->watch = -1;
		}
	}
}

static int is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return *entry->d_name != '.' && len > strlen(SUFFIX) &&
	       !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX);
}

static struct jobfile *find(struct jobfiles *files, const char *name)
{
	size_t i;

	for (i = 0; i < files->nr; i++) {
		if (!strcmp(files->file[i].name, name))
			return &files->file[i];
	}
	return NULL;
}

/* Without memory there is no new file; those that are known stay. */
static struct jobfile *find_or_add(struct jobfiles *files, const char *name)
{
	struct jobfile *file = find(files, name);
	struct jobfile *all;
	char *copy;

	if (file)
		return file;
	copy = strdup(name);
	all = reallocarray(files->file, files->nr + 1, sizeof(*all));
	if (all)
		files->file = all;
	if (!copy || !all) {
		free(copy);
		return NULL;
	}
	file = &files->file[files->nr++];
	memset(file, 0, sizeof(*file));
	file->name = copy;
	return file;
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
	if (err) {
		jobspec_free(&spec);
		troubles_add(&files->troubles, "%s%s", error,
			     file->spec.job ? "; what it said before counts" : "");
		return;
	}
	jobspec_free(&file->spec);
	file->spec = spec;
}

static void free_file(struct jobfile *file)
{
	jobspec_free(&file->spec);
	free(file->name);
}

static void drop_unseen(struct jobfiles *files)
{
	size_t i, kept = 0;

	for (i = 0; i < files->nr; i++) {
		if (files->file[i].seen)
			files->file[kept++] = files->file[i];
		else
			free_file(&files->file[i]);
	}
	files->nr = kept;
}

void jobfiles_read(struct jobfiles *files, const char *path)
{
	struct dirent **entry;
	int nr, i;

	troubles_clear(&files->troubles);
	if (!path)
		return;
	/* before it is read, or a change in between would be missed */
	if (files->fd >= 0 && files->watch < 0)
		files->watch = inotify_add_watch(files->fd, path, CHANGES);
	nr = scandir(path, &entry, is_conf, alphasort);
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
	drop_unseen(files);
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
