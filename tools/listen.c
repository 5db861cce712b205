// SPDX-License-Identifier: GPL-2.0
/* The metrics over HTTP. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "prometheus.h"

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status, char *text,
			      size_t size, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(size, text, mode);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, PROMETHEUS_TYPE);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *text)
{
	return answer(connection, status, (char *)text, strlen(text), MHD_RESPMEM_PERSISTENT);
}

/* A connection to the kernel for each scrape: threads share nothing. */
static enum MHD_Result scrape(const struct exported *what, struct MHD_Connection *connection)
{
	struct context ctx = { 0 };
	char *text = NULL;
	size_t size = 0;
	int status;
	FILE *file;

	file = open_memstream(&text, &size);
	if (!file)
		return MHD_NO;
	status = cmd_connect(&ctx);
	status = status ?: prometheus_write(&ctx, what, file);
	symphony_close(ctx.sym);
	if (fclose(file) || status) {
		free(text);
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			      "the kernel does not tell; see the exporter's messages\n");
	}
	return answer(connection, MHD_HTTP_OK, text, size, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	if (strcmp(url, "/metrics"))
		return refuse(connection, MHD_HTTP_NOT_FOUND, "see /metrics\n");
	return scrape(arg, connection);
}

int prometheus_listen(const struct exported *what, const struct sockaddr_in *address)
{
	struct MHD_Daemon *daemon;
	char text[INET_ADDRSTRLEN];
	sigset_t signals;
	int which;

	/* before the thread begins, so that the signals are left to this one */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text));
	daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, ntohs(address->sin_port), NULL,
				  NULL, on_request, (void *)what, MHD_OPTION_SOCK_ADDR, address,
				  MHD_OPTION_CONNECTION_TIMEOUT, 10U,
				  MHD_OPTION_CONNECTION_LIMIT, 16U, MHD_OPTION_END);
	if (!daemon)
		return cmd_syntax("export: cannot listen on %s:%u", text,
				  ntohs(address->sin_port));
	printf("listening on http://%s:%u/metrics\n", text, ntohs(address->sin_port));
	fflush(stdout);
	sigwait(&signals, &which);
	MHD_stop_daemon(daemon);
	return 0;
}
