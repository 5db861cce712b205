// SPDX-License-Identifier: GPL-2.0
/*
 * simdev: pairs of network devices that send one frame at a time for exactly
 * as long as the frame takes at the link's rate, with the queue stopped
 * meanwhile. So the qdisc is the root as on a NIC, and its dequeue is the
 * moment at which the frame begins to leave.
 */
#include <linux/cpumask.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/inetdevice.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/pkt_sched.h>
#include <net/rtnetlink.h>
#include <net/sch_generic.h>
#include "roce.h"
#include "simdev.h"
#include "simdev_netlink.h"

#define SIMDEV_DEFAULT_RATE	10000000000ULL
#define SIMDEV_DEFAULT_DELAY	1000
#define SIMDEV_DEFAULT_OVERHEAD	24
#define SIMDEV_MTU		9000

LIST_HEAD(simdev_ports);
EXPORT_SYMBOL_GPL(simdev_ports);

u64 simdev_hops;
EXPORT_SYMBOL_GPL(simdev_hops);

static struct rtnl_link_ops simdev_link_ops;

/* The port whose frame the stack handles at the moment. */
static struct sim_ingress *current_ingress;

struct simdev_port *simdev_find(const char *name)
{
	struct simdev_port *port;

	list_for_each_entry(port, &simdev_ports, list)
		if (!strcmp(port->dev->name, name))
			return port;
	return NULL;
}
EXPORT_SYMBOL_GPL(simdev_find);

/**
 * simdev_attach_host() - put a traffic generator behind a port
 * @port: the port
 * @ops: what it does, NULL to take it away
 * @host: its cookie
 */
void simdev_attach_host(struct simdev_port *port,
			const struct simdev_host_ops *ops, void *host)
{
	local_bh_disable();
	port->host = host;
	port->ops = ops;
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(simdev_attach_host);

static bool simdev_frame_is_data(struct sk_buff *skb)
{
	struct roce_bth *bth;
	u16 sport;

	bth = roce_header(skb, &sport);
	return !bth || !roce_is_control(bth);
}

/* A frame arrives, data at the MAC header. */
static void simdev_deliver(struct simdev_port *port, struct sk_buff *skb)
{
	struct net_device *dev = port->dev;

	if (!netif_running(dev) || !netif_carrier_ok(dev)) {
		port->stats.drops_link++;
		kfree_skb(skb);
		return;
	}
	if (!sim_buffer_admit(port, skb)) {
		port->stats.drops_buffer++;
		kfree_skb(skb);
		return;
	}
	simdev_hops++;
	skb_scrub_packet(skb, true);
	skb->priority = 0;
	skb->tstamp = 0;
	skb_set_queue_mapping(skb, 0);
	skb->protocol = eth_type_trans(skb, dev);
	skb_reset_network_header(skb);
	if (port->ops && port->ops->receive(port->host, skb))
		return;
	current_ingress = port->ingress;
	netif_receive_skb(skb);
	current_ingress = NULL;
}

static void simdev_arrive(struct sim_event *event)
{
	struct simdev_port *port;
	struct sk_buff *skb;
	u64 now = sim_now();

	port = container_of(event, struct simdev_port, arrive);
	while ((skb = simdev_tx_landed(port, now))) {
		if (SIMDEV_CB(skb)->lost)
			kfree_skb(skb);
		else
			simdev_deliver(port->peer, skb);
	}
}

/**
 * simdev_set_link() - cut or restore a link, both directions
 * @port: one of its ends
 * @up: restore
 */
void simdev_set_link(struct simdev_port *port, bool up)
{
	if (up) {
		netif_carrier_on(port->dev);
		netif_carrier_on(port->peer->dev);
		return;
	}
	netif_carrier_off(port->dev);
	netif_carrier_off(port->peer->dev);
}
EXPORT_SYMBOL_GPL(simdev_set_link);

/**
 * simdev_backlog() - bytes in the qdiscs of a port
 * @port: the port
 *
 * Context: bottom halves off.
 */
u64 simdev_backlog(const struct simdev_port *port)
{
	struct netdev_queue *txq;
	unsigned int i;
	u64 bytes = 0;

	for (i = 0; i < port->dev->num_tx_queues; i++) {
		txq = netdev_get_tx_queue(port->dev, i);
		bytes += rcu_dereference_bh(txq->qdisc)->qstats.backlog;
	}
	return bytes;
}
EXPORT_SYMBOL_GPL(simdev_backlog);

/* simdev_reset() - forget counters and faults, of every port */
void simdev_reset(void)
{
	struct simdev_port *port;

	local_bh_disable();
	list_for_each_entry(port, &simdev_ports, list) {
		memset(&port->stats, 0, sizeof(port->stats));
		sim_fault_clear(port);
		if (port->stopped)
			port->stopped_since = sim_now();
	}
	simdev_hops = 0;
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(simdev_reset);

/* simdev_settle() - bring counters of running states up to now */
void simdev_settle(void)
{
	struct simdev_port *port;
	u64 now;

	local_bh_disable();
	now = sim_now();
	list_for_each_entry(port, &simdev_ports, list) {
		if (!port->stopped)
			continue;
		port->stats.paused_ns += now - port->stopped_since;
		port->stopped_since = now;
	}
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(simdev_settle);

/*
 * The stack asks for a link header after it has routed a frame and before the
 * qdisc sees it: the one place where the device learns that a frame it has
 * received stays in the buffer of this machine. (A destructor set on receipt
 * would not survive ip_rcv().)
 */
static int simdev_header_create(struct sk_buff *skb, struct net_device *dev,
				unsigned short type, const void *daddr,
				const void *saddr, unsigned int len)
{
	struct simdev_port *port = netdev_priv(dev);
	int ret;

	ret = eth_header(skb, dev, type, daddr, saddr, len);
	if (!current_ingress || !current_ingress->sw || skb->destructor ||
	    skb->sk || !current_ingress->sw->size)
		return ret;
	if (port->dev->num_tx_queues == 1 || simdev_frame_is_data(skb))
		sim_buffer_hold(current_ingress, skb);
	return ret;
}

/* No cache: it would bypass @create. */
static const struct header_ops simdev_header_ops = {
	.create = simdev_header_create,
	.parse = eth_header_parse,
};

static u16 simdev_select_queue(struct net_device *dev, struct sk_buff *skb,
			       struct net_device *sb_dev)
{
	return simdev_frame_is_data(skb) ? SIMDEV_QUEUE_DATA : 0;
}

static void simdev_get_stats(struct net_device *dev,
			     struct rtnl_link_stats64 *stats)
{
	struct simdev_port *port = netdev_priv(dev);

	stats->tx_packets = port->stats.tx_packets;
	stats->tx_bytes = port->stats.tx_bytes;
	stats->rx_dropped = port->stats.drops_buffer + port->stats.drops_link;
	if (!port->peer)
		return;
	stats->rx_packets = port->peer->stats.tx_packets;
	stats->rx_bytes = port->peer->stats.tx_bytes;
}

static int simdev_open(struct net_device *dev)
{
	netif_tx_start_all_queues(dev);
	return 0;
}

static int simdev_stop(struct net_device *dev)
{
	netif_tx_stop_all_queues(dev);
	return 0;
}

static int simdev_dev_init(struct net_device *dev)
{
	struct simdev_port *port = netdev_priv(dev);

	port->ingress = sim_ingress_new(port);
	return port->ingress ? 0 : -ENOMEM;
}

static void simdev_dev_uninit(struct net_device *dev)
{
	struct simdev_port *port = netdev_priv(dev);

	sim_ingress_free(port->ingress);
}

static const struct net_device_ops simdev_ops = {
	.ndo_init = simdev_dev_init,
	.ndo_uninit = simdev_dev_uninit,
	.ndo_open = simdev_open,
	.ndo_stop = simdev_stop,
	.ndo_start_xmit = simdev_xmit,
	.ndo_select_queue = simdev_select_queue,
	.ndo_get_stats64 = simdev_get_stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static int simdev_get_link(struct net_device *dev,
			   struct ethtool_link_ksettings *link)
{
	const struct simdev_port *port = netdev_priv(dev);

	link->base.speed = div_u64(port->rate, 1000000);
	link->base.duplex = DUPLEX_FULL;
	return 0;
}

static const struct ethtool_ops simdev_ethtool_ops = {
	.get_link_ksettings = simdev_get_link,
};

static void simdev_setup(struct net_device *dev)
{
	struct simdev_port *port = netdev_priv(dev);

	ether_setup(dev);
	dev->netdev_ops = &simdev_ops;
	dev->header_ops = &simdev_header_ops;
	dev->ethtool_ops = &simdev_ethtool_ops;
	dev->needs_free_netdev = true;
	dev->max_mtu = ETH_MAX_MTU;
	dev->mtu = SIMDEV_MTU;
	dev->features |= NETIF_F_SG;
	dev->hw_features |= NETIF_F_SG;
	port->dev = dev;
	port->rate = SIMDEV_DEFAULT_RATE;
	port->delay = SIMDEV_DEFAULT_DELAY;
	port->overhead = SIMDEV_DEFAULT_OVERHEAD;
	INIT_LIST_HEAD(&port->list);
	INIT_LIST_HEAD(&port->faults);
	simdev_tx_init(port, simdev_arrive);
}

static const struct nla_policy simdev_policy[SIMDEV_MAX + 1] = {
	[SIMDEV_PEER] = { .len = sizeof(struct ifinfomsg) },
	[SIMDEV_RATE] = NLA_POLICY_MIN(NLA_U64, 1),
	[SIMDEV_DELAY] = { .type = NLA_U32 },
	[SIMDEV_OVERHEAD] = NLA_POLICY_MAX(NLA_U32, 1000),
	[SIMDEV_SWITCH] = { .type = NLA_U32 },
	[SIMDEV_BUFFER] = { .type = NLA_U32 },
	[SIMDEV_PFC] = NLA_POLICY_MAX(NLA_U32, 1),
	[SIMDEV_PFC_SHIFT] = NLA_POLICY_MAX(NLA_U32, 16),
	[SIMDEV_PFC_XON] = { .type = NLA_U32 },
	[SIMDEV_HEADROOM] = { .type = NLA_U32 },
};

static int simdev_validate(struct nlattr *tb[], struct nlattr *data[],
			   struct netlink_ext_ack *extack)
{
	if (tb[IFLA_ADDRESS] &&
	    !is_valid_ether_addr(nla_data(tb[IFLA_ADDRESS]))) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
				    "address: not a unicast MAC address");
		return -EADDRNOTAVAIL;
	}
	if (tb[IFLA_NUM_TX_QUEUES] &&
	    nla_get_u32(tb[IFLA_NUM_TX_QUEUES]) > SIMDEV_QUEUE_DATA + 1) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_NUM_TX_QUEUES],
				    "numtxqueues: at most 2");
		return -ERANGE;
	}
	return 0;
}

static void simdev_set_buffer(struct sim_switch *sw, struct nlattr *data[])
{
	if (data[SIMDEV_BUFFER])
		sw->size = nla_get_u32(data[SIMDEV_BUFFER]);
	if (data[SIMDEV_PFC])
		sw->pfc = nla_get_u32(data[SIMDEV_PFC]);
	if (data[SIMDEV_PFC_SHIFT])
		sw->shift = nla_get_u32(data[SIMDEV_PFC_SHIFT]);
	if (data[SIMDEV_PFC_XON])
		sw->xon = nla_get_u32(data[SIMDEV_PFC_XON]);
	if (data[SIMDEV_HEADROOM])
		sw->headroom = nla_get_u32(data[SIMDEV_HEADROOM]);
	sim_buffer_check(sw);
}

static int simdev_set(struct simdev_port *port, struct nlattr *data[])
{
	int err = 0;

	if (!data)
		return 0;
	local_bh_disable();
	if (data[SIMDEV_RATE])
		port->rate = nla_get_u64(data[SIMDEV_RATE]);
	if (data[SIMDEV_DELAY])
		port->delay = nla_get_u32(data[SIMDEV_DELAY]);
	if (data[SIMDEV_OVERHEAD])
		port->overhead = nla_get_u32(data[SIMDEV_OVERHEAD]);
	if (data[SIMDEV_SWITCH])
		err = sim_ingress_set_switch(port->ingress,
					     nla_get_u32(data[SIMDEV_SWITCH]));
	if (!err && port->ingress->sw)
		simdev_set_buffer(port->ingress->sw, data);
	local_bh_enable();
	return err;
}

static int simdev_changelink(struct net_device *dev, struct nlattr *tb[],
			     struct nlattr *data[],
			     struct netlink_ext_ack *extack)
{
	if (data && data[SIMDEV_PEER]) {
		NL_SET_ERR_MSG(extack, "peer: fixed when the pair is made");
		return -EINVAL;
	}
	return simdev_set(netdev_priv(dev), data);
}

static void simdev_name(struct net_device *dev, struct nlattr *tb[])
{
	if (tb[IFLA_IFNAME])
		nla_strscpy(dev->name, tb[IFLA_IFNAME], IFNAMSIZ);
	else
		strscpy(dev->name, "sim%d", IFNAMSIZ);
	if (!tb[IFLA_ADDRESS])
		eth_hw_addr_random(dev);
}

static void simdev_join(struct net_device *a, struct net_device *b)
{
	struct simdev_port *pa = netdev_priv(a), *pb = netdev_priv(b);

	pa->peer = pb;
	pb->peer = pa;
	local_bh_disable();
	list_add_tail(&pa->list, &simdev_ports);
	list_add_tail(&pb->list, &simdev_ports);
	local_bh_enable();
}

static struct net_device *simdev_create_peer(struct net *src_net,
					     struct nlattr *data[],
					     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg *info;
	struct net_device *peer;
	struct net *net;
	int err;

	if (!data || !data[SIMDEV_PEER]) {
		NL_SET_ERR_MSG(extack, "peer: missing");
		return ERR_PTR(-EINVAL);
	}
	err = rtnl_nla_parse_ifinfomsg(tb, data[SIMDEV_PEER], extack);
	if (!err)
		err = simdev_validate(tb, NULL, extack);
	if (err)
		return ERR_PTR(err);
	net = rtnl_link_get_net(src_net, tb);
	if (IS_ERR(net))
		return ERR_CAST(net);
	peer = rtnl_create_link(net, "sim%d", NET_NAME_USER, &simdev_link_ops,
				tb, extack);
	put_net(net);
	if (IS_ERR(peer))
		return peer;
	simdev_name(peer, tb);
	info = nla_data(data[SIMDEV_PEER]);
	peer->ifindex = info->ifi_index;
	err = register_netdevice(peer);
	if (err) {
		free_netdev(peer);
		return ERR_PTR(err);
	}
	err = rtnl_configure_link(peer, info, 0, NULL);
	if (err) {
		unregister_netdevice(peer);
		return ERR_PTR(err);
	}
	return peer;
}

static int simdev_newlink(struct net *src_net, struct net_device *dev,
			  struct nlattr *tb[], struct nlattr *data[],
			  struct netlink_ext_ack *extack)
{
	struct net_device *peer;
	int err;

	peer = simdev_create_peer(src_net, data, extack);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	simdev_name(dev, tb);
	err = register_netdevice(dev);
	if (err) {
		unregister_netdevice(peer);
		return err;
	}
	simdev_join(dev, peer);
	err = simdev_set(netdev_priv(dev), data);
	if (!err)
		err = simdev_set(netdev_priv(peer), data);
	return err;
}

static void simdev_drain(struct simdev_port *port)
{
	if (simdev_hooks)
		simdev_hooks->gone(port);
	simdev_tx_drain(port);
	sim_fault_clear(port);
	list_del_init(&port->list);
}

static void simdev_dellink(struct net_device *dev, struct list_head *head)
{
	struct simdev_port *port = netdev_priv(dev);

	if (list_empty(&port->list))
		return;
	local_bh_disable();
	simdev_drain(port);
	simdev_drain(port->peer);
	local_bh_enable();
	unregister_netdevice_queue(dev, head);
	unregister_netdevice_queue(port->peer->dev, head);
}

static unsigned int simdev_num_queues(void)
{
	return 1;
}

static struct net *simdev_get_link_net(const struct net_device *dev)
{
	struct simdev_port *port = netdev_priv(dev);

	return port->peer ? dev_net(port->peer->dev) : dev_net(dev);
}

static size_t simdev_get_size(const struct net_device *dev)
{
	return nla_total_size_64bit(sizeof(u64)) +
	       2 * nla_total_size(sizeof(u32));
}

static int simdev_fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	struct simdev_port *port = netdev_priv(dev);

	if (nla_put_u64_64bit(skb, SIMDEV_RATE, port->rate, SIMDEV_PAD) ||
	    nla_put_u32(skb, SIMDEV_DELAY, port->delay) ||
	    nla_put_u32(skb, SIMDEV_OVERHEAD, port->overhead))
		return -EMSGSIZE;
	return 0;
}

static struct rtnl_link_ops simdev_link_ops = {
	.kind = "simdev",
	.priv_size = sizeof(struct simdev_port),
	.setup = simdev_setup,
	.validate = simdev_validate,
	.newlink = simdev_newlink,
	.changelink = simdev_changelink,
	.dellink = simdev_dellink,
	.policy = simdev_policy,
	.maxtype = SIMDEV_MAX,
	.get_num_tx_queues = simdev_num_queues,
	.get_num_rx_queues = simdev_num_queues,
	.get_link_net = simdev_get_link_net,
	.get_size = simdev_get_size,
	.fill_info = simdev_fill_info,
};

static int __init simdev_init(void)
{
	int err;

	/* Events, transmitters and buffers are kept apart by softirqs alone. */
	if (num_possible_cpus() > 1) {
		pr_err("simdev: %u processors, but it is for one\n",
		       num_possible_cpus());
		return -EOPNOTSUPP;
	}
	err = sim_engine_init();
	if (err)
		return err;
	err = rtnl_link_register(&simdev_link_ops);
	if (err)
		sim_engine_exit();
	return err;
}

static void __exit simdev_exit(void)
{
	rtnl_link_unregister(&simdev_link_ops);
	rcu_barrier();
	sim_engine_exit();
}

module_init(simdev_init);
module_exit(simdev_exit);

MODULE_DESCRIPTION("Network device with a true transmit clock, for tests");
MODULE_ALIAS_RTNL_LINK("simdev");
MODULE_LICENSE("GPL");
