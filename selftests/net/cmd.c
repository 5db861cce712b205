// SPDX-License-Identifier: GPL-2.0
/* Commands, run in the namespace that the caller is in. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

/* A device that every namespace has and that no test touches. */
#define TC_MARKER	"qdisc show dev lo\n"

/* A program with both of its outputs in @out. */
struct child {
	pid_t pid;
	int in, out;
};

static bool spawn(struct child *c, const char * const *argv)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	int err;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    posix_spawn_file_actions_init(&actions))
		return false;
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_adddup2(&actions, out[1], 2);
	err = posix_spawnp(&c->pid, argv[0], &actions, NULL,
			   (char * const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	c->in = in[1];
	c->out = out[0];
	if (err) {
		close(c->in);
		close(c->out);
	}
	return !err;
}

static int run_shell(const char *cmd, char *out, size_t size)
{
	const char * const argv[] = { "sh", "-c", cmd, NULL };
	struct child c;
	size_t at = 0;
	ssize_t n;
	int status;

	*out = '\0';
	if (!spawn(&c, argv))
		return 255;
	close(c.in);
	while (at < size - 1 && (n = read(c.out, out + at, size - 1 - at)) > 0)
		at += n;
	out[at] = '\0';
	close(c.out);
	waitpid(c.pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Where the answer to TC_MARKER begins, if all of it is there. */
static char *find_marker(char *out)
{
	size_t len = strlen(out);
	char *begin = NULL, *p;

	if (len < 2 || strcmp(out + len - 2, "]\n"))
		return NULL;
	for (p = out; *p; p++)
		if (*p == '[' && (p == out || p[-1] == '\n'))
			begin = p;
	if (!begin || (!strstr(begin, "\"dev\":\"lo\"") && strlen(begin) > 8))
		return NULL;
	return begin;
}

static int run_tc(const char *args, char *out, size_t size)
{
	static const char * const argv[] = {
		"tc", "-force", "-s", "-j", "-batch", "-", NULL
	};
	static struct child tc;
	char *marker = NULL;
	char line[4096];
	size_t at = 0;
	int len;

	*out = '\0';
	if (!tc.pid && !spawn(&tc, argv))
		return 255;
	len = snprintf(line, sizeof(line), "%s\n" TC_MARKER, args);
	if (len >= (int)sizeof(line) || write(tc.in, line, len) != len)
		return 255;
	while (!marker && at < size - 1) {
		ssize_t n = read(tc.out, out + at, size - 1 - at);

		if (n <= 0)
			return 255;
		at += n;
		out[at] = '\0';
		marker = find_marker(out);
	}
	if (!marker)
		return 255;
	*marker = '\0';
	return !!strstr(out, "Command failed");
}

int cmd_run(const char *cmd, char *out, size_t size)
{
	if (!strncmp(cmd, "tc ", 3) && !strpbrk(cmd, "\"$\\|&;<>(){}*?!~"))
		return run_tc(cmd + 3, out, size);
	return run_shell(cmd, out, size);
}
