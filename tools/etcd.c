// SPDX-License-Identifier: GPL-2.0
/* A client of etcd: requests to one member each, driven by one descriptor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "etcd_transfer.h"

/* As gRPC has them. */
enum {
	GRPC_DEADLINE_EXCEEDED	= 4,
	GRPC_NOT_FOUND		= 5,
	GRPC_RESOURCE_EXHAUSTED	= 8,
	GRPC_UNAVAILABLE	= 14,
};

__u64 etcd_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* Let the timer run out when the first is due. */
static void arm(struct etcd *etcd)
{
	const struct etcd_transfer *transfer;
	struct itimerspec when = { 0 };
	__u64 due = etcd->curl_due;

	for (transfer = etcd->transfers; transfer; transfer = transfer->next)
		due = transfer->due < due ? transfer->due : due;
	if (due != ETCD_NEVER) {
		when.it_value.tv_sec = due / 1000;
		when.it_value.tv_nsec = due % 1000 * 1000000 + 1;
	}
	timerfd_settime(etcd->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static int on_timer(CURLM *multi, long ms, void *arg)
{
	struct etcd *etcd = arg;

	(void)multi;
	etcd->curl_due = ms < 0 ? ETCD_NEVER : etcd_now() + ms;
	arm(etcd);
	return 0;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
	struct epoll_event event = { .data.fd = fd };
	struct etcd *etcd = arg;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(etcd->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
	epoll_ctl(etcd->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
	curl_multi_assign(etcd->multi, fd, etcd);
	return 0;
}

/* An error is a sentence with a code beside it, in a stream an object of the two. */
static bool read_refusal(struct etcd_transfer *transfer, struct json_object *object)
{
	struct json_object *error, *message, *code = NULL;

	if (!json_object_object_get_ex(object, "error", &error))
		return false;
	if (!json_object_object_get_ex(error, "grpc_code", &code))
		json_object_object_get_ex(object, "code", &code);
	if (!json_object_object_get_ex(error, "message", &message))
		message = error;
	transfer->refused = json_object_get_int(code) ?: -1;
	snprintf(transfer->why, sizeof(transfer->why), "%s", json_object_get_string(message));
	return true;
}

static size_t on_data(char *data, size_t size, size_t nr, void *arg)
{
	struct etcd_transfer *transfer = arg;
	struct json_object *object;
	size_t at = 0;

	for (size *= nr; at < size; at += json_tokener_get_parse_end(transfer->tokener)) {
		object = json_tokener_parse_ex(transfer->tokener, data + at, size - at);
		if (json_tokener_get_error(transfer->tokener) == json_tokener_continue)
			break;
		if (!object) {
			snprintf(transfer->why, sizeof(transfer->why), "the answer is no JSON");
			return 0;
		}
		if (!read_refusal(transfer, object))
			transfer->object(transfer->arg, object);
		json_object_put(object);
	}
	return size;
}

static const char *url_of(const struct etcd_transfer *transfer)
{
	return transfer->etcd->config.urls[transfer->url];
}

static void set_options(struct etcd_transfer *transfer)
{
	const struct etcd_config *config = &transfer->etcd->config;
	CURL *easy = transfer->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->curl_why);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->etcd->headers);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	if (config->cacert)
		curl_easy_setopt(easy, CURLOPT_CAINFO, config->cacert);
	if (config->cert)
		curl_easy_setopt(easy, CURLOPT_SSLCERT, config->cert);
	if (config->key)
		curl_easy_setopt(easy, CURLOPT_SSLKEY, config->key);
}

int etcd_transfer_init(struct etcd *etcd, struct etcd_transfer *transfer)
{
	transfer->easy = curl_easy_init();
	transfer->tokener = json_tokener_new();
	if (!transfer->easy || !transfer->tokener) {
		curl_easy_cleanup(transfer->easy);
		json_tokener_free(transfer->tokener);
		return -ENOMEM;
	}
	transfer->etcd = etcd;
	transfer->url = etcd->url;
	transfer->due = ETCD_NEVER;
	transfer->next = etcd->transfers;
	etcd->transfers = transfer;
	set_options(transfer);
	return 0;
}

static void stop(struct etcd_transfer *transfer)
{
	if (transfer->running)
		curl_multi_remove_handle(transfer->etcd->multi, transfer->easy);
	transfer->running = false;
	transfer->due = ETCD_NEVER;
}

void etcd_transfer_release(struct etcd_transfer *transfer)
{
	struct etcd_transfer **at;

	stop(transfer);
	for (at = &transfer->etcd->transfers; *at != transfer; at = &(*at)->next)
		;
	*at = transfer->next;
	curl_easy_cleanup(transfer->easy);
	json_tokener_free(transfer->tokener);
	free(transfer->body);
}

void etcd_transfer_start(struct etcd_transfer *transfer, __u64 pause_ms, __u64 limit_ms)
{
	transfer->limit_ms = limit_ms;
	transfer->due = etcd_now() + pause_ms;
	arm(transfer->etcd);
}

void etcd_transfer_allow(struct etcd_transfer *transfer, __u64 limit_ms)
{
	transfer->due = etcd_now() + limit_ms;
}

void etcd_transfer_next(struct etcd_transfer *transfer)
{
	struct etcd *etcd = transfer->etcd;
	size_t next = (transfer->url + 1) % etcd->config.nr_urls;

	if (etcd->url == transfer->url)
		etcd->url = next;
	transfer->url = next;
}

static void begin(struct etcd_transfer *transfer)
{
	char url[512];

	snprintf(url, sizeof(url), "%s/v3/%s", url_of(transfer), transfer->path);
	transfer->due = etcd_now() + transfer->limit_ms;
	transfer->running = true;
	transfer->refused = 0;
	transfer->why[0] = '\0';
	transfer->curl_why[0] = '\0';
	json_tokener_reset(transfer->tokener);
	curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
	curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, transfer->body);
	curl_multi_add_handle(transfer->etcd->multi, transfer->easy);
}

/* Failures that are of this side, and the same for every member. */
static bool is_local(int code)
{
	return code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
	       code == CURLE_OUT_OF_MEMORY;
}

static enum etcd_end how(const struct etcd_transfer *transfer, int code)
{
	switch (transfer->refused) {
	case 0:
		break;
	case GRPC_NOT_FOUND:
		return ETCD_END_NOENT;
	case GRPC_DEADLINE_EXCEEDED:
	case GRPC_RESOURCE_EXHAUSTED:
	case GRPC_UNAVAILABLE:
		return ETCD_END_AGAIN;
	default:
		return ETCD_END_REFUSED;
	}
	if (code)
		return is_local(code) ? ETCD_END_REFUSED : ETCD_END_AGAIN;
	return ETCD_END_OK;
}

static enum etcd_end finish(struct etcd_transfer *transfer, int code)
{
	enum etcd_end end = how(transfer, code);
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	stop(transfer);
	transfer->late = code == CURLE_OPERATION_TIMEDOUT;
	if (end == ETCD_END_OK && status != 200) {
		snprintf(transfer->why, sizeof(transfer->why), "HTTP status %ld", status);
		end = ETCD_END_AGAIN;
	} else if (!transfer->why[0]) {
		snprintf(transfer->why, sizeof(transfer->why), "%s",
			 transfer->curl_why[0] ? transfer->curl_why : curl_easy_strerror(code));
	}
	if (end != ETCD_END_OK)
		snprintf(transfer->etcd->error, sizeof(transfer->etcd->error), "%s: %s",
			 url_of(transfer), transfer->why);
	return end;
}

/* A transfer that curl is done with, and the result. */
static struct etcd_transfer *take_finished(struct etcd *etcd, int *code)
{
	struct etcd_transfer *transfer = NULL;
	__auto_type msg = curl_multi_info_read(etcd->multi, &(int) { 0 });

	if (!msg)
		return NULL;
	*code = msg->data.result;
	curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &transfer);
	return transfer;
}

static void serve_finished(struct etcd *etcd)
{
	struct etcd_transfer *transfer;
	int code;

	while ((transfer = take_finished(etcd, &code)))
		transfer->end(transfer->arg, finish(transfer, code));
}

static struct etcd_transfer *find_due(const struct etcd *etcd)
{
	struct etcd_transfer *transfer = etcd->transfers;
	__u64 now = etcd_now();

	while (transfer && transfer->due > now)
		transfer = transfer->next;
	return transfer;
}

static void serve_due(struct etcd *etcd)
{
	struct etcd_transfer *transfer;

	while ((transfer = find_due(etcd))) {
		if (transfer->running)
			transfer->end(transfer->arg, finish(transfer, CURLE_OPERATION_TIMEDOUT));
		else
			begin(transfer);
	}
}

static void serve_socket(struct etcd *etcd, const struct epoll_event *event)
{
	int running, what = 0;

	if (event->events & (EPOLLIN | EPOLLHUP))
		what |= CURL_CSELECT_IN;
	if (event->events & EPOLLOUT)
		what |= CURL_CSELECT_OUT;
	if (event->events & EPOLLERR)
		what |= CURL_CSELECT_ERR;
	curl_multi_socket_action(etcd->multi, event->data.fd, what, &running);
}

void etcd_run(struct etcd *etcd)
{
	struct epoll_event events[16];
	int nr, i, running;
	__u64 expired;

	nr = epoll_wait(etcd->epoll, events, 16, 0);
	for (i = 0; i < nr; i++) {
		if (events[i].data.fd != etcd->timer)
			serve_socket(etcd, &events[i]);
		else if (read(etcd->timer, &expired, sizeof(expired)) < 0)
			continue;
	}
	serve_due(etcd);
	if (etcd->curl_due <= etcd_now()) {
		etcd->curl_due = ETCD_NEVER;
		curl_multi_socket_action(etcd->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	serve_finished(etcd);
	arm(etcd);
}

int etcd_fd(const struct etcd *etcd)
{
	return etcd->epoll;
}

const char *etcd_error(const struct etcd *etcd)
{
	return etcd->error;
}

static int open_descriptors(struct etcd *etcd)
{
	struct epoll_event event = { .events = EPOLLIN };

	etcd->epoll = epoll_create1(EPOLL_CLOEXEC);
	etcd->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	event.data.fd = etcd->timer;
	if (etcd->epoll < 0 || etcd->timer < 0)
		return -1;
	return epoll_ctl(etcd->epoll, EPOLL_CTL_ADD, etcd->timer, &event);
}

static void add_header(struct etcd *etcd, const char *header)
{
	struct curl_slist *list = curl_slist_append(etcd->headers, header);

	etcd->headers = list ?: etcd->headers;
}

struct etcd *etcd_open(const struct etcd_config *config)
{
	struct etcd *etcd = calloc(1, sizeof(*etcd));

	if (!etcd)
		return NULL;
	etcd->config = *config;
	etcd->config.limit_ms = config->limit_ms ?: ETCD_LIMIT_S * 1000;
	etcd->curl_due = ETCD_NEVER;
	add_header(etcd, "Content-Type: application/json");
	/* a large request goes at once */
	add_header(etcd, "Expect:");
	/* a member that is cut off from the others says so instead of keeping silent */
	add_header(etcd, "Grpc-Metadata-hasleader: true");
	etcd->multi = curl_multi_init();
	if (open_descriptors(etcd) || !etcd->multi) {
		etcd_close(etcd);
		return NULL;
	}
	curl_multi_setopt(etcd->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(etcd->multi, CURLMOPT_SOCKETDATA, etcd);
	curl_multi_setopt(etcd->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(etcd->multi, CURLMOPT_TIMERDATA, etcd);
	return etcd;
}

void etcd_close(struct etcd *etcd)
{
	if (!etcd)
		return;
	while (etcd->transfers)
		etcd->transfers->end(etcd->transfers->arg, ETCD_END_CLOSED);
	curl_multi_cleanup(etcd->multi);
	curl_slist_free_all(etcd->headers);
	close(etcd->epoll);
	close(etcd->timer);
	free(etcd);
}
