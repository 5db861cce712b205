// SPDX-License-Identifier: GPL-2.0
/* The command: what stands before the subcommand, and which it is. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const struct command *const commands[] = {
	&cmd_show,
	&cmd_doctor,
	&cmd_jobs,
	&cmd_flows,
	&cmd_job,
	&cmd_monitor,
	&cmd_top,
	&cmd_export,
	&cmd_record,
	&cmd_plot,
};

static void usage(FILE *file)
{
	size_t i;

	fprintf(file,
		"Usage: symphony [ OPTIONS ] COMMAND [ help ]\n"
		"       OPTIONS := { -j[son] | -p[retty] | -d[etails] | -n[etns] NAME | -V[ersion] }\n");
	for (i = 0; i < ROWS(commands); i++)
		fprintf(file, "       symphony %s %s\n", commands[i]->name, commands[i]->args);
	fprintf(file, "See symphony(8).\n");
}

static void usage_of(const struct command *command, FILE *file)
{
	fprintf(file, "Usage: symphony %s %s\n%s\n", command->name, command->args, command->help);
}

int cmd_syntax(const char *format, ...)
{
	va_list args;

	fputs("symphony: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_SYNTAX;
}

int cmd_kernel(const struct context *ctx, const char *what)
{
	fprintf(stderr, "symphony: %s: %s\n", what, symphony_error(ctx->sym));
	return EXIT_KERNEL;
}

int cmd_connect(struct context *ctx)
{
	return symphony_open(&ctx->sym) ? cmd_kernel(ctx, "netlink") : 0;
}

int cmd_device(const char *name, unsigned int *ifindex)
{
	*ifindex = if_nametoindex(name);
	if (*ifindex)
		return 0;
	fprintf(stderr, "symphony: Cannot find device \"%s\"\n", name);
	return EXIT_SYNTAX;
}

int cmd_argument_device(const char *command, int argc, char **argv, unsigned int *ifindex)
{
	if (argc && !strcmp(*argv, "dev")) {
		argc--;
		argv++;
		if (!argc)
			return cmd_syntax("%s: \"dev\" wants the name of a device", command);
	}
	if (argc > 1)
		return cmd_syntax("%s: \"%s\" is one word too many", command, argv[1]);
	return argc ? cmd_device(*argv, ifindex) : 0;
}

/* "ip netns add" leaves namespaces there. */
static int enter_netns(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		fprintf(stderr, "symphony: network namespace \"%s\": %s\n", name, strerror(errno));
		return EXIT_SYNTAX;
	}
	close(fd);
	return 0;
}

/* As ip and tc: the first of the table that begins like this, unless it is one whole. */
static const struct command *find(const char *name)
{
	const struct command *found = NULL;
	size_t i;

	for (i = 0; i < ROWS(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
		if (!found && !strncmp(commands[i]->name, name, strlen(name)))
			found = commands[i];
	}
	return found;
}

/* One dash or two, whole or only its beginning. */
static bool is_option(const char *arg, const char *name)
{
	arg += arg[0] == '-' && arg[1] == '-' ? 2 : 1;
	return *arg && !strncmp(arg, name, strlen(arg));
}

static bool wants_help(const char *arg)
{
	return !strcmp(arg, "help") || !strcmp(arg, "-h") || !strcmp(arg, "-help") ||
	       !strcmp(arg, "--help");
}

static int run(struct context *ctx, int argc, char **argv)
{
	const struct command *command = find(*argv);
	int i;

	if (wants_help(*argv)) {
		usage(stdout);
		return 0;
	}
	if (!command)
		return cmd_syntax("Object \"%s\" is unknown, try \"symphony help\".", *argv);
	for (i = 1; i < argc; i++) {
		if (wants_help(argv[i])) {
			usage_of(command, stdout);
			return 0;
		}
	}
	return command->run(ctx, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	struct context ctx = { 0 };
	int status;

	for (argc--, argv++; argc && **argv == '-'; argc--, argv++) {
		if (is_option(*argv, "json")) {
			ctx.json = true;
		} else if (is_option(*argv, "pretty")) {
			ctx.pretty = true;
		} else if (is_option(*argv, "details")) {
			ctx.details = true;
		} else if (is_option(*argv, "Version")) {
			printf("symphony utility, %s\n", SYMPHONY_VERSION);
			return 0;
		} else if (is_option(*argv, "netns") && argc > 1) {
			argc--;
			argv++;
			status = enter_netns(*argv);
			if (status)
				return status;
		} else if (is_option(*argv, "help")) {
			usage(stdout);
			return 0;
		} else {
			return cmd_syntax("Option \"%s\" is unknown, try \"symphony -help\".",
					  *argv);
		}
	}
	if (!argc) {
		usage(stderr);
		return EXIT_SYNTAX;
	}
	status = run(&ctx, argc, argv);
	symphony_close(ctx.sym);
	/* a full disk, or a reader that has gone */
	if (fflush(stdout) && !status) {
		fprintf(stderr, "symphony: output: %s\n", strerror(errno));
		status = EXIT_SYNTAX;
	}
	return status;
}
