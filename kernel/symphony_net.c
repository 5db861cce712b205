// SPDX-License-Identifier: GPL-2.0
/* The symphony qdiscs of each network namespace. */
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/pkt_sched.h>

#include "symphony.h"
#include "symphony_net.h"

static unsigned int symphony_net_id __read_mostly;

/**
 * symphony_net() - what is known of a network namespace
 * @net: the namespace
 *
 * Return: the module's data of it.
 */
struct symphony_net *symphony_net(const struct net *net)
{
	return net_generic(net, symphony_net_id);
}

/**
 * symphony_net_changed() - the tables of a namespace are others now
 * @net: the namespace
 *
 * Context: RTNL held.
 */
void symphony_net_changed(const struct net *net)
{
	struct symphony_net *sn = symphony_net(net);

	WRITE_ONCE(sn->generation, sn->generation + 1);
}

/**
 * symphony_net_link() - let others find a qdisc that is configured
 * @sch: the qdisc
 * @extack: where to explain a refusal
 *
 * A device that moves to another namespace loses its qdiscs before.
 *
 * Context: RTNL held, may sleep.
 * Return: 0 or a negative errno.
 */
int symphony_net_link(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	struct net *net = dev_net(qdisc_dev(sch));
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_net *sn = symphony_net(net);

	ASSERT_RTNL();
	if (symphony_events_open(&sn->events)) {
		NL_SET_ERR_MSG_MOD(extack, "no memory for events");
		return -ENOMEM;
	}
	q->sch = sch;
	q->id = ++sn->last_id;
	list_add_tail_rcu(&q->node, &sn->qdiscs);
	symphony_net_changed(net);
	return 0;
}

/**
 * symphony_net_unlink() - undo symphony_net_link(), if it was called
 * @sch: the qdisc, which stays for a grace period
 *
 * Context: RTNL held, may sleep.
 */
void symphony_net_unlink(struct Qdisc *sch)
{
	struct net *net = dev_net(qdisc_dev(sch));
	struct symphony_sched_data *q = qdisc_priv(sch);
	struct symphony_net *sn = symphony_net(net);

	if (!q->id)
		return;
	list_del_rcu(&q->node);
	symphony_net_changed(net);
	if (list_empty(&sn->qdiscs))
		symphony_events_flush(&sn->events);
}

static int __net_init symphony_net_init(struct net *net)
{
	struct symphony_net *sn = symphony_net(net);

	INIT_LIST_HEAD(&sn->domains);
	INIT_LIST_HEAD(&sn->qdiscs);
	symphony_events_init(&sn->events, net);
	return 0;
}

static void __net_exit symphony_net_exit(struct net *net)
{
	struct symphony_net *sn = symphony_net(net);

	WARN_ON_ONCE(!list_empty(&sn->domains));
	WARN_ON_ONCE(!list_empty(&sn->qdiscs));
	symphony_events_exit(&sn->events);
}

static struct pernet_operations symphony_net_ops = {
	.init = symphony_net_init,
	.exit = symphony_net_exit,
	.id = &symphony_net_id,
	.size = sizeof(struct symphony_net),
};

/**
 * symphony_net_register() - make room for qdiscs in every namespace
 *
 * Return: 0 or a negative errno.
 */
int symphony_net_register(void)
{
	return register_pernet_subsys(&symphony_net_ops);
}

/**
 * symphony_net_unregister() - undo symphony_net_register()
 *
 * Waits for the tables that RCU is yet to free.
 */
void symphony_net_unregister(void)
{
	unregister_pernet_subsys(&symphony_net_ops);
	rcu_barrier();
}
