// SPDX-License-Identifier: GPL-2.0
/* A connection: sockets, requests, errors. */
#include <errno.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "internal.h"

/* As much as a dump may ask for, so that a large one needs few calls. */
#define RECEIVE_SIZE	(1024 * 1024)
/* Twice what a part of a dump has at most. */
#define MESSAGE_SIZE	(64 * 1024)

int symphony_fail(struct symphony *sym, int err, const char *format, ...)
{
	va_list args;

	if (!format) {
		snprintf(sym->error, sizeof(sym->error), "%s", strerror(-err));
		return err;
	}
	va_start(args, format);
	vsnprintf(sym->error, sizeof(sym->error), format, args);
	va_end(args);
	return err;
}

const char *symphony_error(const struct symphony *sym)
{
	return sym ? sym->error : strerror(ENOMEM);
}

int symphony_errno(int nl_err)
{
	switch (-nl_err) {
	case 0:
		return 0;
	case NLE_DUMP_INTR:
	case NLE_INTR:
		return -EINTR;
	case NLE_NOMEM:
		return -ENOBUFS;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOACCESS:
		return -EACCES;
	case NLE_MSGSIZE:
		return -EMSGSIZE;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_PROTO_MISMATCH:
	case NLE_AF_NOSUPPORT:
		return -EPROTONOSUPPORT;
	default:
		return -EIO;
	}
}

int symphony_socket(int protocol, struct nl_sock **sock)
{
	int one = 1;
	int err;

	*sock = nl_socket_alloc();
	if (!*sock)
		return -ENOMEM;
	err = nl_connect(*sock, protocol);
	if (err)
		return symphony_errno(err);
	nl_socket_set_buffer_size(*sock, RECEIVE_SIZE, 0);
	/* room for the largest message that the kernel makes: nobody has to look first */
	nl_socket_disable_msg_peek(*sock);
	nl_socket_set_msg_buf_size(*sock, MESSAGE_SIZE);
	/* kernels that lack these give errors without sentences */
	setsockopt(nl_socket_get_fd(*sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(*sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	return 0;
}

int symphony_open(struct symphony **sym)
{
	int err;

	*sym = calloc(1, sizeof(**sym));
	if (!*sym)
		return -ENOMEM;
	err = symphony_socket(NETLINK_ROUTE, &(*sym)->route);
	return err ? symphony_fail(*sym, err, NULL) : 0;
}

void symphony_close(struct symphony *sym)
{
	if (!sym)
		return;
	nl_socket_free(sym->route);
	nl_socket_free(sym->genl);
	nl_socket_free(sym->events);
	free(sym);
}

struct talk {
	struct symphony *sym;
	int (*valid)(const struct nlmsghdr *nlh, void *arg);
	void *arg;
	int result;
	bool done;
};

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct talk *talk = arg;

	/* the rest must be read all the same, or the next answer would begin with it */
	if (talk->valid && !talk->result)
		talk->result = talk->valid(nlmsg_hdr(msg), talk->arg);
	return NL_OK;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct talk *talk = arg;

	(void)msg;
	talk->done = true;
	return NL_STOP;
}

/* The sentence behind a message's error; -1 if there is none. */
static int take_sentence(struct symphony *sym, const struct nlmsghdr *nlh, size_t fixed)
{
	struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || nlh->nlmsg_len <= NLMSG_LENGTH(fixed))
		return -1;
	attr = nla_find((struct nlattr *)((char *)NLMSG_DATA(nlh) + fixed),
			nlh->nlmsg_len - NLMSG_LENGTH(fixed), NLMSGERR_ATTR_MSG);
	if (!attr || !nla_len(attr))
		return -1;
	snprintf(sym->error, sizeof(sym->error), "%.*s", nla_len(attr), (char *)nla_data(attr));
	return 0;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	/* libnl shows the message's body only; the header is right before it */
	const struct nlmsghdr *nlh = (void *)((char *)error - NLMSG_HDRLEN);
	size_t fixed = sizeof(*error);
	struct talk *talk = arg;

	(void)from;
	talk->done = true;
	talk->result = error->error;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		fixed += error->msg.nlmsg_len - NLMSG_HDRLEN;
	if (take_sentence(talk->sym, nlh, fixed))
		symphony_fail(talk->sym, error->error, NULL);
	return NL_STOP;
}

static int receive(struct nl_sock *sock, struct nl_cb *cb, struct talk *talk)
{
	int err = 0;

	while (!talk->done) {
		err = nl_recvmsgs(sock, cb);
		if (err == -NLE_DUMP_INTR) {
			/* said at the first message; the others are still to come */
			talk->result = talk->result ?: symphony_fail(talk->sym, -EINTR, NULL);
			continue;
		}
		if (err < 0)
			break;
	}
	return err < 0 && !talk->done ? symphony_errno(err) : 0;
}

static int talk(struct talk *talk, struct nl_sock *sock, struct nl_msg *msg)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, talk);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, talk);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, talk);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, talk);
	err = nl_send_auto(sock, msg);
	err = err < 0 ? symphony_errno(err) : receive(sock, cb, talk);
	nl_cb_put(cb);
	return err;
}

int symphony_talk(struct symphony *sym, struct nl_sock *sock, struct nl_msg *msg, int flags,
		  int (*valid)(const struct nlmsghdr *nlh, void *arg), void *arg)
{
	struct talk state = { .sym = sym, .valid = valid, .arg = arg };
	int err;

	if (!msg)
		return symphony_fail(sym, -ENOMEM, NULL);
	sym->error[0] = '\0';
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_REQUEST | flags;
	err = talk(&state, sock, msg);
	nlmsg_free(msg);
	if (err)
		return symphony_fail(sym, err, NULL);
	return state.result;
}

static int put_value(struct nl_msg *msg, unsigned int i, __u64 value,
		     const struct symphony_field *attr)
{
	if (!attr)
		return -EINVAL;
	if (attr->wide)
		return nla_put_u64(msg, i, value) ? -EMSGSIZE : 0;
	if (value > UINT32_MAX)
		return -ERANGE;
	return nla_put_u32(msg, i, value) ? -EMSGSIZE : 0;
}

int symphony_values_put(struct nl_msg *msg, const struct symphony_values *values,
			const struct symphony_field *(*attr_of)(unsigned int attr))
{
	unsigned int i;
	int err;

	for (i = 0; i < SYMPHONY_VALUES_MAX; i++) {
		if (!symphony_has(values, i))
			continue;
		err = put_value(msg, i, values->value[i], attr_of(i));
		if (err)
			return err;
	}
	return 0;
}

void symphony_values_take(struct symphony_values *values, struct nlattr *first, int len)
{
	struct nlattr *attr;
	__u64 wide;
	int left;

	/* the numbers themselves stay: most attributes are never there */
	memset(values->given, 0, sizeof(values->given));
	nla_for_each_attr(attr, first, len, left) {
		switch (nla_len(attr)) {
		case 0:
			symphony_put(values, nla_type(attr), 1);
			break;
		case sizeof(__u32):
			symphony_put(values, nla_type(attr), nla_get_u32(attr));
			break;
		case sizeof(__u64):
			memcpy(&wide, nla_data(attr), sizeof(wide));
			symphony_put(values, nla_type(attr), wide);
			break;
		}
	}
}

void symphony_values_read(struct symphony_values *values, struct nlattr *nest)
{
	symphony_values_take(values, nest ? nla_data(nest) : NULL, nest ? nla_len(nest) : 0);
}
