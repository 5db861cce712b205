// SPDX-License-Identifier: GPL-2.0
/* Rtnetlink: dumps, requests in batches, notifications. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rtnl.h"

/* The kernel sends no larger part of a dump. */
#define RECEIVE_SIZE	(64 * 1024)
/* Requests in one call; more than this a socket may not take. */
#define BATCH_SIZE	(32 * 1024)
/* A burst of rules is told in as many notifications. */
#define SOCKET_SIZE	(4 * 1024 * 1024)

int rtnl_open(struct rtnl *rtnl, __u32 groups)
{
	int type = SOCK_RAW | SOCK_CLOEXEC | (groups ? SOCK_NONBLOCK : 0);
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = groups };
	int one = 1, size = SOCKET_SIZE;
	socklen_t len = sizeof(address);

	rtnl->seq = 0;
	rtnl->fd = socket(AF_NETLINK, type, NETLINK_ROUTE);
	if (rtnl->fd < 0)
		return -errno;
	if (bind(rtnl->fd, (struct sockaddr *)&address, sizeof(address)) ||
	    getsockname(rtnl->fd, (struct sockaddr *)&address, &len))
		return -errno;
	rtnl->port = address.nl_pid;
	/* without these: fewer sentences, and what is lost is read anew */
	setsockopt(rtnl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(rtnl->fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	setsockopt(rtnl->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	return 0;
}

void rtnl_close(struct rtnl *rtnl)
{
	if (rtnl->fd >= 0)
		close(rtnl->fd);
	rtnl->fd = -1;
}

static int send_all(struct rtnl *rtnl, const void *data, size_t len)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(rtnl->fd, data, len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

/* Returns a length, or a negative errno. Nobody but the kernel is listened to. */
static ssize_t receive(struct rtnl *rtnl, void *data)
{
	struct sockaddr_nl from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t len;

	do
		len = recvfrom(rtnl->fd, data, RECEIVE_SIZE, 0, (struct sockaddr *)&from, &size);
	while ((len < 0 && errno == EINTR) || (len >= 0 && from.nl_pid));
	return len < 0 ? -errno : len;
}

/* The kernel's sentence, or that of the error. */
static const char *sentence_of(const struct nlmsghdr *nlh, char *buf)
{
	const struct nlmsgerr *error = NLMSG_DATA(nlh);
	struct nlattr *attr = NULL;
	size_t fixed = sizeof(*error);

	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		fixed += NLMSG_ALIGN(error->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && nlh->nlmsg_len > NLMSG_LENGTH(fixed))
		attr = nla_find((struct nlattr *)((char *)error + fixed),
				nlh->nlmsg_len - NLMSG_LENGTH(fixed), NLMSGERR_ATTR_MSG);
	if (attr)
		snprintf(buf, RTNL_ERROR_SIZE, "%.*s", nla_len(attr), (char *)nla_data(attr));
	else
		snprintf(buf, RTNL_ERROR_SIZE, "%s", strerror(-error->error));
	return buf;
}

/* Whether the dump has ended with this message, and how. */
static bool is_end(const struct nlmsghdr *nlh, int *err)
{
	const struct nlmsgerr *error = NLMSG_DATA(nlh);

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		*err = -EINTR;
	if (nlh->nlmsg_type == NLMSG_ERROR)
		*err = error->error;
	return nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR;
}

int rtnl_dump(struct rtnl *rtnl, struct nlmsghdr *request, rtnl_message_fn each, void *arg)
{
	char *data = malloc(RECEIVE_SIZE);
	const struct nlmsghdr *nlh;
	bool end = false;
	int err, result = 0;
	unsigned int left;
	ssize_t len;

	if (!data)
		return -ENOMEM;
	request->nlmsg_flags |= NLM_F_REQUEST | NLM_F_DUMP;
	request->nlmsg_seq = ++rtnl->seq;
	err = send_all(rtnl, request, request->nlmsg_len);
	while (!err && !end) {
		len = receive(rtnl, data);
		if (len < 0) {
			err = len;
			break;
		}
		left = len;
		for (nlh = (void *)data; NLMSG_OK(nlh, left) && !end; nlh = NLMSG_NEXT(nlh, left)) {
			if (nlh->nlmsg_seq != rtnl->seq)
				continue;
			end = is_end(nlh, &result);
			if (!end)
				each(nlh, arg);
		}
	}
	free(data);
	return err ?: result;
}

int rtnl_notified(struct rtnl *rtnl, rtnl_message_fn each, void *arg)
{
	char *data = malloc(RECEIVE_SIZE);
	const struct nlmsghdr *nlh;
	unsigned int left;
	ssize_t len;

	if (!data)
		return -ENOBUFS;
	while ((len = receive(rtnl, data)) >= 0) {
		left = len;
		for (nlh = (void *)data; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left))
			each(nlh, arg);
	}
	free(data);
	return len == -EAGAIN ? 0 : -ENOBUFS;
}

static void take_result(struct rtnl_batch *batch, const struct nlmsghdr *nlh, __u32 first_seq)
{
	const struct nlmsgerr *error = NLMSG_DATA(nlh);
	size_t number = nlh->nlmsg_seq - first_seq;
	char sentence[RTNL_ERROR_SIZE];

	if (nlh->nlmsg_type == NLMSG_ERROR && error->error && number < batch->nr)
		batch->failed(batch->arg, batch->first + number, error->error,
			      sentence_of(nlh, sentence));
}

/* The kernel answers the last request in any case, others if it refuses them. */
static int take_results(struct rtnl_batch *batch, __u32 first_seq)
{
	char *data = malloc(RECEIVE_SIZE);
	const struct nlmsghdr *nlh;
	bool end = false;
	unsigned int left;
	ssize_t len = 0;

	if (!data)
		return -ENOMEM;
	while (!end && (len = receive(batch->rtnl, data)) >= 0) {
		left = len;
		for (nlh = (void *)data; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left)) {
			take_result(batch, nlh, first_seq);
			end = end || nlh->nlmsg_seq == batch->rtnl->seq;
		}
	}
	free(data);
	return len < 0 ? len : 0;
}

static void flush(struct rtnl_batch *batch)
{
	__u32 first_seq = batch->rtnl->seq + 1;
	struct nlmsghdr *nlh = (void *)batch->data;
	unsigned int left = batch->len;
	int err;

	for (; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left)) {
		nlh->nlmsg_flags |= NLM_F_REQUEST;
		nlh->nlmsg_seq = ++batch->rtnl->seq;
		if (nlh->nlmsg_seq == first_seq + batch->nr - 1)
			nlh->nlmsg_flags |= NLM_F_ACK;
	}
	err = send_all(batch->rtnl, batch->data, batch->len);
	err = err ?: take_results(batch, first_seq);
	batch->lost = batch->lost ?: err;
	batch->first += batch->nr;
	batch->nr = 0;
	batch->len = 0;
}

void rtnl_batch_add(struct rtnl_batch *batch, const struct nlmsghdr *request)
{
	size_t len = NLMSG_ALIGN(request->nlmsg_len);

	if (!batch->data)
		batch->data = calloc(1, BATCH_SIZE);
	if (!batch->data || len > BATCH_SIZE) {
		batch->lost = -ENOMEM;
		return;
	}
	if (batch->len + len > BATCH_SIZE)
		flush(batch);
	memcpy(batch->data + batch->len, request, request->nlmsg_len);
	batch->len += len;
	batch->nr++;
}

int rtnl_batch_end(struct rtnl_batch *batch)
{
	if (batch->nr)
		flush(batch);
	free(batch->data);
	batch->data = NULL;
	return batch->lost;
}
