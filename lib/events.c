// SPDX-License-Identifier: GPL-2.0
/* Events, by the multicast group of the generic netlink family. */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>

#include "internal.h"

struct reader {
	int family;
	symphony_event_cb cb;
	void *arg;
	int result;
};

int symphony_events_open(struct symphony *sym, size_t buffer)
{
	int err = symphony_family(sym);

	if (err)
		return err;
	if (sym->events)
		return nl_socket_get_fd(sym->events);
	if (sym->group < 0)
		return symphony_fail(sym, -EOPNOTSUPP, "this module has no events");
	err = symphony_socket(NETLINK_GENERIC, &sym->events);
	if (!err) {
		/* nobody asked for what comes */
		nl_socket_disable_seq_check(sym->events);
		if (buffer)
			nl_socket_set_buffer_size(sym->events, buffer, 0);
		nl_socket_set_nonblocking(sym->events);
		err = symphony_errno(nl_socket_add_membership(sym->events, sym->group));
	}
	if (!err)
		return nl_socket_get_fd(sym->events);
	nl_socket_free(sym->events);
	sym->events = NULL;
	return symphony_fail(sym, err, NULL);
}

static int any_sequence(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

static int on_event(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[SYMPHONY_ATTR_MAX + 1] = { NULL };
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct symphony_happening event;
	struct reader *reader = arg;
	struct genlmsghdr *genl;

	genl = nlmsg_data(nlh);
	if (nlh->nlmsg_type != reader->family || !nlmsg_valid_hdr(nlh, GENL_HDRLEN) ||
	    genl->cmd != SYMPHONY_CMD_EVENT || reader->result ||
	    nlmsg_parse(nlh, GENL_HDRLEN, tb, SYMPHONY_ATTR_MAX, NULL))
		return NL_OK;
	symphony_place_read(&event.place, tb);
	event.job = tb[SYMPHONY_ATTR_JOB] ? nla_get_u32(tb[SYMPHONY_ATTR_JOB]) : 0;
	symphony_values_take(&event.values, genlmsg_attrdata(genl, 0), genlmsg_attrlen(genl, 0));
	reader->result = reader->cb(&event, reader->arg);
	return NL_OK;
}

int symphony_events_read(struct symphony *sym, symphony_event_cb cb, void *arg)
{
	struct reader reader = { .family = sym->family, .cb = cb, .arg = arg };
	struct nl_cb *nl_cb;
	int err;

	if (!sym->events)
		return symphony_fail(sym, -EBADF, "nobody listens to events");
	nl_cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!nl_cb)
		return symphony_fail(sym, -ENOMEM, NULL);
	nl_cb_set(nl_cb, NL_CB_VALID, NL_CB_CUSTOM, on_event, &reader);
	nl_cb_set(nl_cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_sequence, NULL);
	do
		err = nl_recvmsgs(sym->events, nl_cb);
	while (!err && !reader.result);
	nl_cb_put(nl_cb);
	err = symphony_errno(err);
	if (reader.result || !err || err == -EAGAIN)
		return reader.result;
	return symphony_fail(sym, err, NULL);
}
