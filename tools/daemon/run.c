// SPDX-License-Identifier: GPL-2.0
/* What the daemon tells others: files, the service manager, the log. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon.h"

void say(const char *format, ...)
{
	va_list args;

	fputs("symphonyd: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void troubles_add(struct troubles *troubles, const char *format, ...)
{
	va_list args;
	int len = -1;

	if (troubles->nr < TROUBLES_MAX) {
		va_start(args, format);
		len = vasprintf(&troubles->sentence[troubles->nr], format, args);
		va_end(args);
		if (len < 0)
			troubles->sentence[troubles->nr] = NULL;
	}
	troubles->nr++;
}

void troubles_clear(struct troubles *troubles)
{
	size_t i;

	for (i = 0; i < troubles->nr && i < TROUBLES_MAX; i++)
		free(troubles->sentence[i]);
	troubles->nr = 0;
}

static int write_all(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	size_t len = strlen(text), at = 0;
	ssize_t written;

	if (fd < 0)
		return -errno;
	while (at < len) {
		written = write(fd, text + at, len - at);
		if (written <= 0) {
			close(fd);
			return -EIO;
		}
		at += written;
	}
	return close(fd) ? -errno : 0;
}

int run_write(const char *run, const char *name, const char *text)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	int err;

	if (mkdir(run, 0755) && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), "%s/%s", run, name);
	snprintf(temporary, sizeof(temporary), "%s/.%s.new", run, name);
	err = write_all(temporary, text);
	if (!err && rename(temporary, path))
		err = -errno;
	return err;
}

void notify(const char *format, ...)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	char text[512];
	va_list args;
	int fd, len;

	if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, strlen(path));
	/* one without a place in the file system */
	if (*path == '@')
		address.sun_path[0] = '\0';
	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (sendto(fd, text, len < (int)sizeof(text) ? len : (int)sizeof(text) - 1, MSG_NOSIGNAL,
		   (struct sockaddr *)&address,
		   offsetof(struct sockaddr_un, sun_path) + strlen(path)) < 0)
		say("%s: %s", path, strerror(errno));
	close(fd);
}

__u64 notify_interval(void)
{
	const char *limit = getenv("WATCHDOG_USEC");

	return limit ? strtoull(limit, NULL, 10) * 1000 / 2 : 0;
}

static struct json_object *read_status(const char *run)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", run, STATUS_FILE);
	return json_object_from_file(path);
}

static const char *member(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		return "?";
	return json_object_get_string(value);
}

static void print_list(struct json_object *status, const char *name, const char *prefix)
{
	struct json_object *list;
	size_t i;

	if (!json_object_object_get_ex(status, name, &list))
		return;
	for (i = 0; i < json_object_array_length(list); i++)
		printf("%s%s\n", prefix,
		       json_object_get_string(json_object_array_get_idx(list, i)));
}

/* Whether who wrote it still runs. */
static bool is_running(struct json_object *status)
{
	struct json_object *pid;
	char path[64];

	if (!json_object_object_get_ex(status, "pid", &pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%d", json_object_get_int(pid));
	return !access(path, F_OK);
}

int status_print(const char *run, bool json)
{
	struct json_object *status = read_status(run), *healthy = NULL;
	bool running, well;

	if (!status) {
		fprintf(stderr, "symphonyd: %s/%s: no daemon has written it\n", run, STATUS_FILE);
		return EXIT_KERNEL;
	}
	running = is_running(status);
	json_object_object_get_ex(status, "healthy", &healthy);
	well = running && json_object_get_boolean(healthy);
	json_object_object_add(status, "running", json_object_new_boolean(running));
	if (json) {
		puts(json_object_to_json_string_ext(status, JSON_C_TO_STRING_NOSLASHESCAPE));
	} else {
		printf("symphonyd %s: %s, block %s, jobs %s, rules %s, overrides %s\n",
		       member(status, "version"),
		       !running ? "does not run" : well ? "well" : "not well",
		       member(status, "block"), member(status, "jobs"), member(status, "rules"),
		       member(status, "overrides"));
		print_list(status, "ports", "port ");
		print_list(status, "troubles", "trouble: ");
	}
	json_object_put(status);
	return well ? 0 : EXIT_KERNEL;
}
