/* SPDX-License-Identifier: GPL-2.0 */
/* Rtnetlink: dumps, requests in batches, notifications. */
#ifndef _SYMPHONYD_RTNL_H
#define _SYMPHONYD_RTNL_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>

#include "cmd.h"

/* Room for a sentence of the kernel. */
#define RTNL_ERROR_SIZE		256

/**
 * struct rtnl - a socket
 * @fd: of it
 * @port: who we are to the kernel
 * @seq: of the last request
 */
struct rtnl {
	int fd;
	__u32 port;
	__u32 seq;
};

/**
 * rtnl_open() - open a socket
 * @rtnl: result
 * @groups: of notifications that it is to get, a bit each, and then nothing else; it does
 *	not block
 *
 * Return: 0 or a negative errno.
 */
int rtnl_open(struct rtnl *rtnl, __u32 groups);

/**
 * rtnl_close() - close a socket
 * @rtnl: it
 */
void rtnl_close(struct rtnl *rtnl);

/**
 * typedef rtnl_message_fn - a message of a dump, or a notification
 * @nlh: valid until the function returns
 * @arg: of the caller
 */
typedef void (*rtnl_message_fn)(const struct nlmsghdr *nlh, void *arg);

/**
 * rtnl_dump() - ask for all of a kind
 * @rtnl: socket
 * @request: header and body; gets flags, sequence and port
 * @each: called for each message
 * @arg: for it
 *
 * Return: 0 or a negative errno: -EINTR if it changed meanwhile.
 */
int rtnl_dump(struct rtnl *rtnl, struct nlmsghdr *request, rtnl_message_fn each, void *arg);

/**
 * rtnl_notified() - read notifications that are there
 * @rtnl: socket
 * @each: called for each
 * @arg: for it
 *
 * Return: 0, or -ENOBUFS if some were lost.
 */
int rtnl_notified(struct rtnl *rtnl, rtnl_message_fn each, void *arg);

/**
 * struct rtnl_batch - requests that are yet to be sent, and how they fared
 * @rtnl: socket
 * @failed: called for each that was refused, with the number that it had
 * @arg: for it
 * @data: messages
 * @len: of them
 * @first: number of the first of them
 * @nr: of them
 * @lost: 0, or a negative errno: it is not known how some fared
 */
struct rtnl_batch {
	struct rtnl *rtnl;
	void (*failed)(void *arg, size_t number, int err, const char *sentence);
	void *arg;
	char *data;
	size_t len;
	size_t first;
	size_t nr;
	int lost;
};

/**
 * rtnl_batch_add() - add a request, and send what is there if there is no room
 * @batch: batch; all zero but for socket, function and argument at first
 * @request: request; requests are numbered from 0
 */
void rtnl_batch_add(struct rtnl_batch *batch, const struct nlmsghdr *request);

/**
 * rtnl_batch_end() - send the rest
 * @batch: batch
 *
 * Return: 0, whatever was refused; or a negative errno if that is not known.
 */
int rtnl_batch_end(struct rtnl_batch *batch);

#endif
