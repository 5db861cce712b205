/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of the client of etcd, each to one member. */
#ifndef _SYMPHONY_ETCD_TRANSFER_H
#define _SYMPHONY_ETCD_TRANSFER_H

#include <curl/curl.h>

#include "etcd.h"

/**
 * enum etcd_end - how a transfer ended
 * @ETCD_END_OK: with all of the reply
 * @ETCD_END_AGAIN: without, another member may know more
 * @ETCD_END_NOENT: what the request names is not there
 * @ETCD_END_REFUSED: no member would do it
 * @ETCD_END_CLOSED: the client closes: free it
 */
enum etcd_end {
	ETCD_END_OK,
	ETCD_END_AGAIN,
	ETCD_END_NOENT,
	ETCD_END_REFUSED,
	ETCD_END_CLOSED,
};

/**
 * struct etcd_transfer - a request to one member; may be started again when it has ended
 * @etcd: client
 * @next: of the client's transfers
 * @easy: curl's handle
 * @tokener: reads the reply
 * @path: of the call behind /v3/
 * @body: the request, to be freed
 * @url: which member
 * @due: milliseconds at which it begins, or has taken too long; or %ETCD_NEVER
 * @limit_ms: it may take
 * @running: curl has it
 * @late: the last time it took too long
 * @refused: code that the reply has instead of a result, 0 without
 * @why: it did not end well
 * @curl_why: as curl has it
 * @object: an object of the reply has come; in it nothing of curl may be called
 * @end: it has ended
 * @arg: for both
 */
struct etcd_transfer {
	struct etcd *etcd;
	struct etcd_transfer *next;
	CURL *easy;
	struct json_tokener *tokener;
	const char *path;
	char *body;
	size_t url;
	__u64 due;
	__u64 limit_ms;
	bool running;
	bool late;
	int refused;
	char why[CURL_ERROR_SIZE];
	char curl_why[CURL_ERROR_SIZE];
	void (*object)(void *arg, struct json_object *object);
	void (*end)(void *arg, enum etcd_end end);
	void *arg;
};

/* No time of @due. */
#define ETCD_NEVER		(~0ULL)

/**
 * struct etcd - a client
 * @config: where etcd is
 * @multi: curl's handle of all transfers
 * @headers: of each request
 * @epoll: curl's sockets, and @timer
 * @timer: runs out when something is due
 * @curl_due: milliseconds at which curl wants to be called
 * @url: member that is asked first
 * @transfers: all
 * @error: what the last call complained of
 */
struct etcd {
	struct etcd_config config;
	CURLM *multi;
	struct curl_slist *headers;
	int epoll;
	int timer;
	__u64 curl_due;
	size_t url;
	struct etcd_transfer *transfers;
	char error[CURL_ERROR_SIZE + 256];
};

/**
 * etcd_transfer_init() - prepare
 * @etcd: client
 * @transfer: all zero but @path, @object, @end and @arg
 *
 * Return: 0, or -ENOMEM, and then there is nothing to release.
 */
int etcd_transfer_init(struct etcd *etcd, struct etcd_transfer *transfer);

/**
 * etcd_transfer_release() - end it without a word
 * @transfer: transfer
 */
void etcd_transfer_release(struct etcd_transfer *transfer);

/**
 * etcd_transfer_start() - begin
 * @transfer: is not running
 * @pause_ms: from now
 * @limit_ms: it may take
 */
void etcd_transfer_start(struct etcd_transfer *transfer, __u64 pause_ms, __u64 limit_ms);

/**
 * etcd_transfer_allow() - let it take longer, since something has come
 * @transfer: is running
 * @limit_ms: from now
 */
void etcd_transfer_allow(struct etcd_transfer *transfer, __u64 limit_ms);

/**
 * etcd_transfer_next() - take the next member: this one did not do
 * @transfer: has ended
 */
void etcd_transfer_next(struct etcd_transfer *transfer);

#endif
