// SPDX-License-Identifier: GPL-2.0
/*
 * The NIC: queue pairs, go-back-N, and who may send next. ACKs and CNPs go
 * first; then the queue pairs that have something to send and whose pacing
 * time has come take turns, packet by packet.
 */
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/inet_ecn.h>
#include "collgen.h"

static void cg_nic_kick(struct cg_host *host);

static void cg_nic_control(struct cg_host *host, struct sk_buff *skb)
{
	if (!skb)
		return;
	__skb_queue_tail(&host->control, skb);
	cg_nic_kick(host);
}

static void cg_qp_trace(const struct cg_qp *qp)
{
	struct cg_rate_rec rec = {
		.time = cg_time(),
		.rate = qp->cc.rate,
		.target = qp->cc.target,
		.alpha = mul_u64_u32_shr(qp->cc.alpha, CG_BILLION, 31),
		.qpn = qp->qpn,
		.cnps = qp->cnps,
	};

	if (cg.trace_rates)
		cg_log_add(&cg.rate_log, &rec);
}

static bool cg_qp_may_send(const struct cg_qp *qp)
{
	u64 window = qp->params->window;

	if (qp->next >= qp->end)
		return false;
	return !window || (qp->next - qp->acked) * qp->params->mtu < window;
}

static void cg_qp_update_ready(struct cg_qp *qp)
{
	if (!cg_qp_may_send(qp))
		list_del_init(&qp->ready);
	else if (list_empty(&qp->ready))
		list_add_tail(&qp->ready, &qp->src->ready);
}

static struct cg_msg *cg_qp_find_msg(struct cg_qp *qp, u64 index)
{
	struct cg_msg *msg;

	list_for_each_entry(msg, &qp->msgs, list)
		if (index >= msg->first && index < msg->first + msg->count)
			return msg;
	return NULL;
}

static void cg_qp_advance_cursor(struct cg_qp *qp)
{
	struct cg_msg *msg = qp->cursor;

	if (!msg || qp->next < msg->first + msg->count)
		return;
	qp->cursor = list_is_last(&msg->list, &qp->msgs) ? NULL :
		     list_next_entry(msg, list);
}

/* An ACK is wanted for every so many packets and whenever the sender stops. */
static bool cg_qp_wants_ack(const struct cg_qp *qp, const struct cg_msg *msg)
{
	u64 window = qp->params->window;
	u64 position = qp->next - msg->first;

	if (position == msg->count - 1 ||
	    position % qp->params->ack_every == qp->params->ack_every - 1)
		return true;
	return window &&
	       (qp->next + 1 - qp->acked) * qp->params->mtu >= window;
}

static struct sk_buff *cg_qp_next_frame(struct cg_qp *qp, u64 now)
{
	struct cg_msg *msg = qp->cursor;
	struct sk_buff *skb;
	u64 remainder = 0;
	u32 wire;

	skb = cg_frame_data(qp, msg, qp->next, cg_qp_wants_ack(qp, msg));
	if (!skb)
		return NULL;
	msg->rec.packets++;
	if (qp->next < qp->sent)
		msg->rec.retx++;
	qp->next++;
	qp->sent = max(qp->sent, qp->next);
	cg_qp_advance_cursor(qp);

	wire = skb->len + qp->src->port->overhead;
	cg_cc_advance(&qp->cc, &qp->params->cc, now);
	qp->pace = now + simdev_frame_time((u64)wire * BITS_PER_BYTE,
					   qp->cc.rate, &remainder);
	cg_cc_sent(&qp->cc, &qp->params->cc, skb->len);
	if (!sim_event_pending(&qp->timeout)) {
		qp->progress = now;
		sim_schedule(&qp->timeout, now + qp->params->rto);
	}
	return skb;
}

/* The first queue pair whose time has come; else when the next one's will. */
static struct cg_qp *cg_nic_pick(struct cg_host *host, u64 now, u64 *next)
{
	struct cg_qp *qp;

	*next = U64_MAX;
	list_for_each_entry(qp, &host->ready, ready) {
		if (qp->pace <= now)
			return qp;
		*next = min(*next, qp->pace);
	}
	return NULL;
}

static void cg_nic_send_data(struct cg_host *host)
{
	u64 now = sim_now(), next;
	struct sk_buff *skb;
	struct cg_qp *qp;

	qp = cg_nic_pick(host, now, &next);
	if (!qp) {
		if (next != U64_MAX &&
		    (!sim_event_pending(&host->wake) || host->wake.time > next))
			sim_schedule(&host->wake, next);
		return;
	}
	skb = cg_qp_next_frame(qp, now);
	if (!skb)
		return;
	list_move_tail(&qp->ready, &host->ready);
	cg_qp_update_ready(qp);
	simdev_send(host->port, skb);
}

static void cg_nic_kick(struct cg_host *host)
{
	if (!cg.running)
		return;
	if (simdev_may_send(host->port, false) &&
	    !skb_queue_empty(&host->control)) {
		simdev_send(host->port, __skb_dequeue(&host->control));
		return;
	}
	if (simdev_may_send(host->port, true))
		cg_nic_send_data(host);
}

static void cg_nic_wake(struct sim_event *event)
{
	cg_nic_kick(container_of(event, struct cg_host, wake));
}

static void cg_nic_idle(void *host)
{
	cg_nic_kick(host);
}

static void cg_qp_free(struct cg_qp *qp)
{
	struct cg_msg *msg, *next;

	list_for_each_entry_safe(msg, next, &qp->msgs, list)
		kfree(msg);
	list_del(&qp->ready);
	sim_cancel(&qp->timeout);
	xa_erase(&cg.qps, qp->qpn);
	kfree(qp);
}

static void cg_qp_go_back(struct cg_qp *qp, u64 index)
{
	if (index >= qp->next)
		return;
	qp->next = index;
	qp->cursor = cg_qp_find_msg(qp, index);
	cg_qp_update_ready(qp);
}

static void cg_qp_timeout(struct sim_event *event)
{
	struct cg_qp *qp = container_of(event, struct cg_qp, timeout);
	u64 now = sim_now();

	if (qp->acked == qp->sent || !cg.running)
		return;
	if (now - qp->progress >= qp->params->rto) {
		qp->progress = now;
		cg_qp_go_back(qp, qp->acked);
		cg_nic_kick(qp->src);
	}
	sim_schedule(&qp->timeout, qp->progress + qp->params->rto);
}

/* PSN on the wire to packet number, nearest to @near. */
static u64 cg_qp_index(const struct cg_qp *qp, u32 psn, u64 near)
{
	u32 ahead = (psn - qp->psn_base - (u32)near) & ROCE_PSN_MASK;

	if (ahead & ((ROCE_PSN_MASK + 1) >> 1))
		return near - (ROCE_PSN_MASK + 1 - ahead);
	return near + ahead;
}

static void cg_receive_ce(struct cg_qp *qp, u64 index)
{
	struct cg_msg *msg = cg_qp_find_msg(qp, index);
	const struct cg_cc_params *cc = &qp->params->cc;
	u64 now = sim_now();

	if (msg)
		msg->rec.ce++;
	if (!cc->on)
		return;
	if (cc->cnp_in_ack) {
		qp->ce_seen = true;
		return;
	}
	if (qp->cnp_at && now - qp->cnp_at < cc->cnp_interval)
		return;
	qp->cnp_at = now;
	cg_nic_control(qp->dst, cg_frame_cnp(qp));
}

static void cg_msg_notify(struct cg_msg *msg)
{
	if (msg->notified)
		return;
	msg->notified = true;
	if (msg->arrived)
		msg->arrived(msg);
}

static void cg_receive_notify(struct cg_qp *qp)
{
	struct cg_msg *msg;

	if (!qp->params->notify_data)
		return;
	list_for_each_entry(msg, &qp->msgs, list) {
		if (qp->expected < msg->first + msg->count)
			return;
		cg_msg_notify(msg);
	}
}

static void cg_receive_data(struct cg_qp *qp, struct sk_buff *skb,
			    const struct roce_bth *bth)
{
	u64 index = cg_qp_index(qp, get_unaligned_be24(bth->psn), qp->expected);
	bool ack = bth->resv7 & ROCE_ACK_REQ;

	if (INET_ECN_is_ce(ip_hdr(skb)->tos))
		cg_receive_ce(qp, index);
	if (index > qp->expected) {
		if (!qp->naked)
			cg_nic_control(qp->dst,
				       cg_frame_ack(qp, qp->expected, true,
						    false));
		qp->naked = true;
		return;
	}
	if (index == qp->expected) {
		qp->expected++;
		qp->naked = false;
	} else {
		ack = true;
	}
	if (ack) {
		cg_nic_control(qp->dst, cg_frame_ack(qp, qp->expected - 1,
						     false, qp->ce_seen));
		qp->ce_seen = false;
	}
	cg_receive_notify(qp);
}

static void cg_receive_cnp(struct cg_qp *qp)
{
	struct cg_msg *msg;

	qp->cnps++;
	msg = list_first_entry_or_null(&qp->msgs, struct cg_msg, list);
	if (msg)
		msg->rec.cnps++;
	cg_cc_cnp(&qp->cc, &qp->params->cc, sim_now());
	cg_qp_trace(qp);
}

static void cg_msg_complete(struct cg_msg *msg)
{
	struct cg_qp *qp = msg->qp;

	list_del(&msg->list);
	msg->rec.end = cg_time();
	cg_cc_advance(&qp->cc, &qp->params->cc, sim_now());
	msg->rec.rate = qp->cc.rate;
	cg_msg_notify(msg);
	if (msg->done)
		msg->done(msg);
	kfree(msg);
}

static void cg_qp_acked(struct cg_qp *qp, u64 acked)
{
	struct cg_msg *msg;

	if (acked <= qp->acked || acked > qp->sent)
		return;
	qp->acked = acked;
	qp->progress = sim_now();
	if (qp->next < acked) {
		/* what was to be repeated has arrived after all */
		qp->next = acked;
		qp->cursor = cg_qp_find_msg(qp, acked);
	}
	while ((msg = list_first_entry_or_null(&qp->msgs, struct cg_msg, list)) &&
	       msg->first + msg->count <= acked)
		cg_msg_complete(msg);
}

static void cg_receive_ack(struct cg_qp *qp, struct roce_bth *bth)
{
	struct roce_aeth *aeth = (struct roce_aeth *)(bth + 1);
	u64 index = cg_qp_index(qp, get_unaligned_be24(bth->psn), qp->acked);
	struct cg_host *host = qp->src;

	if (bth->resv6 & ROCE_BECN)
		cg_receive_cnp(qp);
	if (aeth->syndrome == ROCE_NAK_SEQUENCE) {
		cg_qp_acked(qp, index);
		if (index < qp->next)
			qp->pace = max(qp->pace, sim_now() + qp->params->recovery);
		cg_qp_go_back(qp, index);
	} else {
		cg_qp_acked(qp, index + 1);
	}
	cg_qp_update_ready(qp);
	if (qp->oneshot && list_empty(&qp->msgs))
		cg_qp_free(qp);
	cg_nic_kick(host);
}

static void cg_receive_roce(struct cg_host *host, struct sk_buff *skb,
			    struct roce_bth *bth)
{
	struct cg_qp *qp = xa_load(&cg.qps, get_unaligned_be24(bth->qpn));

	if (!qp)
		return;
	if (qp->params->icrc && !cg_frame_icrc_ok(skb)) {
		cg.icrc_bad++;
		return;
	}
	if (bth->opcode == ROCE_ACK && qp->src == host)
		cg_receive_ack(qp, bth);
	else if (bth->opcode == ROCE_CNP && qp->src == host)
		cg_receive_cnp(qp);
	else if (!roce_is_control(bth) && qp->dst == host)
		cg_receive_data(qp, skb, bth);
}

static bool cg_nic_receive(void *priv, struct sk_buff *skb)
{
	struct cg_host *host = priv;
	struct roce_bth *bth;
	u16 sport;

	bth = roce_header(skb, &sport);
	if (!bth)
		return false;
	if (cg.running)
		cg_receive_roce(host, skb, bth);
	consume_skb(skb);
	return true;
}

const struct simdev_host_ops cg_host_ops = {
	.receive = cg_nic_receive,
	.idle = cg_nic_idle,
};

/**
 * cg_qp_new() - connect two hosts
 * @job: number on the wire, 0 = none
 * @sport: UDP source port; into 0xc000 the step is put
 * @params: settings, must outlive the queue pair
 * @src: sender
 * @dst: receiver
 * @oneshot: ends with its message
 *
 * Return: the queue pair, or NULL without memory.
 */
struct cg_qp *cg_qp_new(u32 job, u16 sport, const struct cg_params *params,
			u32 src, u32 dst, bool oneshot)
{
	struct cg_qp *qp = kzalloc(sizeof(*qp), GFP_ATOMIC);

	if (!qp)
		return NULL;
	do {
		cg.next_qpn = (cg.next_qpn + 1) & ROCE_PSN_MASK;
	} while (!cg.next_qpn || xa_load(&cg.qps, cg.next_qpn));
	qp->qpn = cg.next_qpn;
	qp->sport = sport;
	qp->wire_job = job;
	qp->params = params;
	qp->src = &cg.hosts[src];
	qp->dst = &cg.hosts[dst];
	qp->oneshot = oneshot;
	if (!params->psn_zero)
		qp->psn_base = prandom_u32_state(&cg.random) & ROCE_PSN_MASK;
	INIT_LIST_HEAD(&qp->ready);
	INIT_LIST_HEAD(&qp->msgs);
	sim_event_init(&qp->timeout, cg_qp_timeout);
	cg_cc_init(&qp->cc, qp->src->port->rate);
	if (xa_err(xa_store(&cg.qps, qp->qpn, qp, GFP_ATOMIC))) {
		kfree(qp);
		return NULL;
	}
	return qp;
}

/**
 * cg_msg_new() - a message to be posted
 * @qp: queue pair
 * @bytes: payload, not 0
 *
 * Return: the message, or NULL without memory. The caller fills in what the
 * record shall say.
 */
struct cg_msg *cg_msg_new(struct cg_qp *qp, u64 bytes)
{
	struct cg_msg *msg = kzalloc(sizeof(*msg), GFP_ATOMIC);

	if (!msg)
		return NULL;
	msg->qp = qp;
	msg->count = DIV_ROUND_UP_ULL(bytes, qp->params->mtu);
	msg->rec.bytes = bytes;
	msg->rec.qpn = qp->qpn;
	msg->rec.src = qp->src->id;
	msg->rec.dst = qp->dst->id;
	return msg;
}

/* cg_qp_post() - give a message to its queue pair */
void cg_qp_post(struct cg_msg *msg)
{
	struct cg_qp *qp = msg->qp;

	msg->first = qp->end;
	msg->rec.start = cg_time();
	qp->end += msg->count;
	list_add_tail(&msg->list, &qp->msgs);
	if (!qp->cursor)
		qp->cursor = msg;
	cg_qp_update_ready(qp);
	cg_nic_kick(qp->src);
}

void cg_qps_free(void)
{
	unsigned long index;
	struct cg_qp *qp;

	xa_for_each(&cg.qps, index, qp)
		cg_qp_free(qp);
}

static int cg_host_init(struct cg_host *host, u32 id, const char *prefix)
{
	char name[IFNAMSIZ];
	struct in_device *in_dev;

	snprintf(name, sizeof(name), "%s%u", prefix, id);
	host->id = id;
	host->port = simdev_find(name);
	if (!host->port) {
		cg_error("hosts: no simdev device %s", name);
		return -ENODEV;
	}
	rtnl_lock();
	in_dev = __in_dev_get_rtnl(host->port->dev);
	if (in_dev && in_dev->ifa_list)
		host->ip = rtnl_dereference(in_dev->ifa_list)->ifa_local;
	rtnl_unlock();
	if (!host->ip) {
		cg_error("hosts: %s has no IPv4 address", name);
		return -EADDRNOTAVAIL;
	}
	__skb_queue_head_init(&host->control);
	INIT_LIST_HEAD(&host->ready);
	sim_event_init(&host->wake, cg_nic_wake);
	simdev_attach_host(host->port, &cg_host_ops, host);
	return 0;
}

int cg_hosts_add(const char *prefix, u32 count)
{
	int err = 0;
	u32 i;

	if (cg.hosts) {
		cg_error("hosts: given already, reset first");
		return -EBUSY;
	}
	cg.hosts = kvcalloc(count, sizeof(*cg.hosts), GFP_KERNEL);
	if (!cg.hosts)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++) {
		err = cg_host_init(&cg.hosts[i], i, prefix);
		if (!err)
			cg.nhosts++;
	}
	if (err)
		cg_hosts_remove();
	return err;
}

/* cg_hosts_lose() - a port goes; the run is over */
void cg_hosts_lose(const struct simdev_port *port)
{
	u32 i;

	for (i = 0; i < cg.nhosts; i++)
		if (cg.hosts[i].port == port)
			cg.hosts[i].port = NULL;
}

/* cg_hosts_remove() - give the ports back; no queue pairs are left */
void cg_hosts_remove(void)
{
	u32 i;

	for (i = 0; i < cg.nhosts; i++) {
		if (cg.hosts[i].port)
			simdev_attach_host(cg.hosts[i].port, NULL, NULL);
		sim_cancel(&cg.hosts[i].wake);
		__skb_queue_purge(&cg.hosts[i].control);
	}
	kvfree(cg.hosts);
	cg.hosts = NULL;
	cg.nhosts = 0;
}
