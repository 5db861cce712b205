// SPDX-License-Identifier: GPL-2.0
/* Jobs and flows, by the generic netlink family. */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <string.h>
#include <sys/socket.h>

#include "internal.h"

int symphony_family(struct symphony *sym)
{
	int err;

	if (sym->genl)
		return 0;
	err = symphony_socket(NETLINK_GENERIC, &sym->genl);
	if (!err) {
		sym->family = genl_ctrl_resolve(sym->genl, SYMPHONY_GENL_NAME);
		sym->group = genl_ctrl_resolve_grp(sym->genl, SYMPHONY_GENL_NAME,
						   SYMPHONY_GENL_MCGRP_EVENTS);
		if (sym->family >= 0)
			return 0;
	}
	nl_socket_free(sym->genl);
	sym->genl = NULL;
	if (err)
		return symphony_fail(sym, err, NULL);
	return symphony_fail(sym, -EOPNOTSUPP,
			     "no module sch_symphony that tells about jobs is loaded");
}

void symphony_place_read(struct symphony_place *place, struct nlattr **tb)
{
	place->ifindex = tb[SYMPHONY_ATTR_IFINDEX] ? nla_get_u32(tb[SYMPHONY_ATTR_IFINDEX]) : 0;
	place->handle = tb[SYMPHONY_ATTR_HANDLE] ? nla_get_u32(tb[SYMPHONY_ATTR_HANDLE]) : 0;
	place->parent = tb[SYMPHONY_ATTR_PARENT] ? nla_get_u32(tb[SYMPHONY_ATTR_PARENT]) : 0;
	place->domain = tb[SYMPHONY_ATTR_DOMAIN] ? nla_get_u32(tb[SYMPHONY_ATTR_DOMAIN]) : 0;
}

static int put_nonzero(struct nl_msg *msg, int attr, __u32 value)
{
	return value ? nla_put_u32(msg, attr, value) : 0;
}

static int put_place(struct nl_msg *msg, const struct symphony_place *place)
{
	if (!place)
		return 0;
	return put_nonzero(msg, SYMPHONY_ATTR_IFINDEX, place->ifindex) ?:
	       put_nonzero(msg, SYMPHONY_ATTR_HANDLE, place->handle) ?:
	       put_nonzero(msg, SYMPHONY_ATTR_PARENT, place->parent) ?:
	       put_nonzero(msg, SYMPHONY_ATTR_DOMAIN, place->domain);
}

/* NULL if there is no memory. */
static struct nl_msg *new_request(const struct symphony *sym, int cmd,
				  const struct symphony_place *place, __u32 job)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return NULL;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, sym->family, 0, 0, cmd,
			SYMPHONY_GENL_VERSION) &&
	    !put_place(msg, place) && !put_nonzero(msg, SYMPHONY_ATTR_JOB, job))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/* Without what it is to be called with, or if the message is none of the family. */
static bool parse(const struct nlmsghdr *nlh, int family, int cmd, struct nlattr **tb)
{
	struct genlmsghdr *genl = nlmsg_data(nlh);

	return nlh->nlmsg_type == family && nlmsg_valid_hdr(nlh, GENL_HDRLEN) &&
	       genl->cmd == cmd &&
	       !nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, tb, SYMPHONY_ATTR_MAX, NULL);
}

struct request {
	int family;
	symphony_job_cb job;
	symphony_flow_cb flow;
	void *arg;
};

static int on_job(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[SYMPHONY_ATTR_MAX + 1] = { NULL };
	const struct request *request = arg;
	struct symphony_job job;

	if (!parse(nlh, request->family, SYMPHONY_CMD_JOB_GET, tb) || !tb[SYMPHONY_ATTR_JOB])
		return 0;
	symphony_place_read(&job.place, tb);
	job.job = nla_get_u32(tb[SYMPHONY_ATTR_JOB]);
	symphony_values_read(&job.state, tb[SYMPHONY_ATTR_STATE]);
	symphony_values_read(&job.stats, tb[SYMPHONY_ATTR_STATS]);
	symphony_values_read(&job.overrides, tb[SYMPHONY_ATTR_OVERRIDES]);
	return request->job(&job, request->arg);
}

/* Which jobs a dump is of: an attribute; of all if there is no @data. */
struct selection {
	int attr;
	const void *data;
	size_t len;
};

/* NULL if there is no memory. */
static struct nl_msg *select_jobs(struct nl_msg *msg, const struct selection *selection)
{
	if (!msg || !selection->data ||
	    !nla_put(msg, selection->attr, selection->len, selection->data))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

static int list_too_long(struct symphony *sym)
{
	return symphony_fail(sym, -EINVAL, "a dump can name %u jobs, and has to name one",
			     SYMPHONY_GENL_JOBS_MAX);
}

static struct selection selection_of(const __u32 *jobs, size_t nr)
{
	return (struct selection) { SYMPHONY_ATTR_JOBS, jobs, nr * sizeof(*jobs) };
}

static int dump_jobs(struct symphony *sym, const struct symphony_place *place,
		     const struct selection *selection, symphony_job_cb cb, void *arg)
{
	struct request request = { .job = cb, .arg = arg };
	int err = symphony_family(sym);
	struct nl_msg *msg;

	if (err)
		return err;
	request.family = sym->family;
	msg = new_request(sym, SYMPHONY_CMD_JOB_GET, place, 0);
	msg = select_jobs(msg, selection);
	return symphony_talk(sym, sym->genl, msg, NLM_F_DUMP, on_job, &request);
}

int symphony_jobs(struct symphony *sym, const struct symphony_place *place, symphony_job_cb cb,
		  void *arg)
{
	return dump_jobs(sym, place, &(struct selection) { 0 }, cb, arg);
}

int symphony_jobs_active(struct symphony *sym, const struct symphony_place *place, __u64 active,
			 symphony_job_cb cb, void *arg)
{
	struct selection selection = { SYMPHONY_ATTR_ACTIVE, &active, sizeof(active) };

	return dump_jobs(sym, place, &selection, cb, arg);
}

int symphony_jobs_listed(struct symphony *sym, const struct symphony_place *place,
			 const __u32 *jobs, size_t nr, symphony_job_cb cb, void *arg)
{
	struct selection selection = selection_of(jobs, nr);

	if (!nr || nr > SYMPHONY_GENL_JOBS_MAX)
		return list_too_long(sym);
	return dump_jobs(sym, place, &selection, cb, arg);
}

int symphony_job_get(struct symphony *sym, const struct symphony_place *place, __u32 job,
		     symphony_job_cb cb, void *arg)
{
	struct request request = { .job = cb, .arg = arg };
	int err = symphony_family(sym);

	if (err)
		return err;
	request.family = sym->family;
	return symphony_talk(sym, sym->genl, new_request(sym, SYMPHONY_CMD_JOB_GET, place, job),
			     NLM_F_ACK, on_job, &request);
}

static void read_address(struct symphony_flow *flow, __u8 *address, struct nlattr *nest, int type)
{
	struct nlattr *attr = nla_find(nla_data(nest), nla_len(nest), type);

	if (!attr || (nla_len(attr) != 4 && nla_len(attr) != 16))
		return;
	flow->family = nla_len(attr) == 4 ? AF_INET : AF_INET6;
	memcpy(address, nla_data(attr), nla_len(attr));
}

static int on_flow(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[SYMPHONY_ATTR_MAX + 1] = { NULL };
	const struct request *request = arg;
	struct symphony_flow flow = { 0 };
	struct nlattr *nest;

	if (!parse(nlh, request->family, SYMPHONY_CMD_FLOW_GET, tb) || !tb[SYMPHONY_ATTR_FLOW])
		return 0;
	nest = tb[SYMPHONY_ATTR_FLOW];
	symphony_place_read(&flow.place, tb);
	if (tb[SYMPHONY_ATTR_JOB])
		flow.job = nla_get_u32(tb[SYMPHONY_ATTR_JOB]);
	read_address(&flow, flow.src, nest, SYMPHONY_FLOW_ATTR_SRC);
	read_address(&flow, flow.dst, nest, SYMPHONY_FLOW_ATTR_DST);
	symphony_values_read(&flow.values, nest);
	return request->flow(&flow, request->arg);
}

static int dump_flows(struct symphony *sym, const struct symphony_place *place, __u32 job,
		      const struct selection *selection, symphony_flow_cb cb, void *arg)
{
	struct request request = { .flow = cb, .arg = arg };
	int err = symphony_family(sym);
	struct nl_msg *msg;

	if (err)
		return err;
	request.family = sym->family;
	msg = new_request(sym, SYMPHONY_CMD_FLOW_GET, place, job);
	msg = select_jobs(msg, selection);
	return symphony_talk(sym, sym->genl, msg, NLM_F_DUMP, on_flow, &request);
}

int symphony_flows(struct symphony *sym, const struct symphony_place *place, __u32 job,
		   symphony_flow_cb cb, void *arg)
{
	return dump_flows(sym, place, job, &(struct selection) { 0 }, cb, arg);
}

int symphony_flows_listed(struct symphony *sym, const struct symphony_place *place,
			  const __u32 *jobs, size_t nr, symphony_flow_cb cb, void *arg)
{
	struct selection selection = selection_of(jobs, nr);

	if (!nr || nr > SYMPHONY_GENL_JOBS_MAX)
		return list_too_long(sym);
	return dump_flows(sym, place, 0, &selection, cb, arg);
}

static int put_overrides(struct nl_msg *msg, const struct symphony_values *overrides)
{
	struct nlattr *nest = nla_nest_start(msg, SYMPHONY_ATTR_OVERRIDES | NLA_F_NESTED);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = symphony_values_put(msg, overrides, symphony_override_field);
	nla_nest_end(msg, nest);
	return err;
}

int symphony_job_set(struct symphony *sym, const struct symphony_place *place, __u32 job,
		     const struct symphony_values *overrides)
{
	struct nl_msg *msg;
	int err = symphony_family(sym);

	if (err)
		return err;
	msg = new_request(sym, SYMPHONY_CMD_JOB_SET, place, job);
	err = msg ? put_overrides(msg, overrides) : 0;
	if (err) {
		nlmsg_free(msg);
		return symphony_fail(sym, err, "an override is unknown or its value too large");
	}
	return symphony_talk(sym, sym->genl, msg, NLM_F_ACK, NULL, NULL);
}

static int change(struct symphony *sym, int cmd, const struct symphony_place *place, __u32 job)
{
	int err = symphony_family(sym);

	return err ?: symphony_talk(sym, sym->genl, new_request(sym, cmd, place, job), NLM_F_ACK,
				    NULL, NULL);
}

int symphony_job_reset(struct symphony *sym, const struct symphony_place *place, __u32 job)
{
	return change(sym, SYMPHONY_CMD_JOB_RESET, place, job);
}

int symphony_job_delete(struct symphony *sym, const struct symphony_place *place, __u32 job)
{
	return change(sym, SYMPHONY_CMD_JOB_DEL, place, job);
}
