// SPDX-License-Identifier: GPL-2.0
/* symphony export: to standard output, into a file, or over HTTP. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prometheus.h"

/* ADDRESS:PORT, ADDRESS or PORT. */
static int read_address(const char *word, struct sockaddr_in *address)
{
	const char *colon = strchr(word, ':');
	char host[INET_ADDRSTRLEN] = "127.0.0.1";
	unsigned long port = PROMETHEUS_PORT;
	const char *digits = NULL;
	char *end;

	if (colon)
		digits = colon + 1;
	else if (!strchr(word, '.'))
		digits = word;
	if (digits != word)
		snprintf(host, sizeof(host), "%.*s",
			 colon ? (int)(colon - word) : (int)strlen(word), word);
	if (digits) {
		port = strtoul(digits, &end, 10);
		if (end == digits || *end || !port || port > 65535)
			return -1;
	}
	address->sin_family = AF_INET;
	address->sin_port = htons(port);
	return inet_pton(AF_INET, host, &address->sin_addr) == 1 ? 0 : -1;
}

/* Who reads the file sees the old one or the new one, never half of one. */
static int write_file(struct context *ctx, const struct exported *what, const char *path)
{
	char temporary[PATH_MAX];
	int status = 0;
	FILE *file;

	snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	file = fopen(temporary, "we");
	if (!file) {
		fprintf(stderr, "symphony: export: %s: %s\n", temporary, strerror(errno));
		return EXIT_SYNTAX;
	}
	status = prometheus_write(ctx, what, file);
	if ((fclose(file) || (!status && rename(temporary, path))) && !status) {
		fprintf(stderr, "symphony: export: %s: %s\n", path, strerror(errno));
		status = EXIT_SYNTAX;
	}
	if (status)
		unlink(temporary);
	return status;
}

struct request {
	struct exported what;
	struct sockaddr_in address;
	const char *output;
	bool prometheus;
	bool listen;
};

static int read_option(struct request *request, int *argc, char ***argv)
{
	const char *word = **argv;
	bool valued = !strcmp(word, "--output");

	if (!strcmp(word, "--listen")) {
		request->listen = true;
		/* its value may be left out */
		valued = *argc > 1 && (*argv)[1][0] >= '0' && (*argv)[1][0] <= '9';
		if (read_address(valued ? (*argv)[1] : "127.0.0.1", &request->address))
			return cmd_syntax("export: --listen \"%s\": not [ADDRESS:]PORT",
					  (*argv)[1]);
	} else if (!strcmp(word, "--prometheus")) {
		request->prometheus = true;
	} else if (!strcmp(word, "--no-jobs")) {
		request->what.no_jobs = true;
	} else if (valued && *argc > 1) {
		request->output = (*argv)[1];
	} else {
		return cmd_syntax("export: \"%s\" is no option, or wants a value", word);
	}
	*argc -= 1 + valued;
	*argv += 1 + valued;
	return 0;
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct request request = { 0 };
	int status = 0;

	while (argc && !status && !strncmp(*argv, "--", 2))
		status = read_option(&request, &argc, &argv);
	status = status ?: cmd_argument_device("export", argc, argv, &request.what.ifindex);
	if (!status && !request.prometheus)
		status = cmd_syntax("export: to what? --prometheus");
	if (!status && request.listen && request.output)
		status = cmd_syntax("export: --listen or --output, not both");
	if (status)
		return status;
	if (request.listen)
		return prometheus_listen(&request.what, &request.address);
	status = cmd_connect(ctx);
	if (status)
		return status;
	if (request.output)
		return write_file(ctx, &request.what, request.output);
	return prometheus_write(ctx, &request.what, stdout);
}

const struct command cmd_export = {
	.name = "export",
	.args = "--prometheus [ --listen ADDR:PORT ] [ --output FILE ] [ --no-jobs ] [ dev DEV ]",
	.help = "Metrics for Prometheus: printed, over HTTP (127.0.0.1 by itself), or into a file\n"
		"for node_exporter, which is replaced at once.",
	.run = run,
};
