# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The network of the vectors: hosts h1 and h2, a router between them that is
# also a bridge, each a network namespace whose name begins with $NS.
# topology.vec says what the paths through it are.

NS=${NS:-sym$$-}

# Batches for ip, so that a slow guest starts few processes.
in_ns()
{
	ip -n "$NS$1" -batch -
}

sysctls()
{
	local ns=$1

	shift
	ip netns exec "$NS$ns" sysctl -q -w "$@"
}

topology_down()
{
	local ns

	for ns in h1 r h2; do
		if [ -e "/run/netns/$NS$ns" ]; then
			ip netns del "$NS$ns"
		fi
	done
}

links_up()
{
	ip -batch - <<-END
	link add h1 netns ${NS}h1 address 02:00:00:00:01:02 type veth peer name r1 netns ${NS}r address 02:00:00:00:01:01
	link add r2 netns ${NS}r address 02:00:00:00:02:01 type veth peer name h2 netns ${NS}h2 address 02:00:00:00:02:02
	link add r3 netns ${NS}r numtxqueues 4 numrxqueues 4 address 02:00:00:00:03:01 type veth peer name h3 netns ${NS}h2 address 02:00:00:00:03:02 numtxqueues 4 numrxqueues 4
	link add b1 netns ${NS}r type veth peer name hb1 netns ${NS}h1 address 02:00:00:00:0b:01
	link add b2 netns ${NS}r type veth peer name hb2 netns ${NS}h2
	link add b3 netns ${NS}r type veth peer name hb3 netns ${NS}h2
	END
}

# Static neighbours and no IPv6 of their own: nobody talks unasked.
hosts_up()
{
	sysctls h1 net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.hb1.disable_ipv6=1
	sysctls h2 net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	in_ns h1 <<-END
	address add 10.1.0.2/16 dev h1
	address add fd01::2/16 dev h1 nodad
	link set h1 up
	link set hb1 up
	neighbor add 10.1.0.1 lladdr 02:00:00:00:01:01 dev h1
	neighbor add fd01::1 lladdr 02:00:00:00:01:01 dev h1
	route add 10.0.0.0/8 via 10.1.0.1
	route add fd00::/8 via fd01::1
	END
	in_ns h2 <<-END
	address add 10.2.0.2/16 dev h2
	link add vx0 address 02:00:00:00:09:02 type vxlan id 42 local 10.2.0.2 remote 10.2.0.1 dstport 4789 dev h2
	link set h2 up
	link set h3 up
	link set hb2 up
	link set hb3 up
	link set vx0 up
	neighbor add 10.2.0.1 lladdr 02:00:00:00:02:01 dev h2
	END
}

# Subnet N has the prefixes 10.N/16 and fd0N::/16, the router is number 1.
router_subnet()
{
	cat <<-END
	address add 10.$2.0.1/16 dev $1
	address add fd0$2::1/16 dev $1 nodad
	link set $1 up
	neighbor add 10.$2.0.2 lladdr $3 dev $1
	neighbor add fd0$2::2 lladdr $3 dev $1
	END
}

# What the router itself says to its neighbours is not part of a vector: no
# ICMPv6, with or without a hop-by-hop header in front.
router_hush()
{
	local dev

	for dev; do
		cat <<-END
		qdisc add dev $dev clsact
		filter add dev $dev egress protocol all pref 1 u32 match u16 0x86dd 0xffff at -2 match u8 58 0xff at 6 action drop
		filter add dev $dev egress protocol all pref 1 u32 match u16 0x86dd 0xffff at -2 match u8 0 0xff at 6 match u8 58 0xff at 40 action drop
		END
	done | tc -n "${NS}r" -batch -
}

router_up()
{
	sysctls r net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 \
		net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.b1.disable_ipv6=1 \
		net.ipv6.conf.b2.disable_ipv6=1 net.ipv6.conf.b3.disable_ipv6=1
	in_ns r <<-END
	link add br0 type bridge stp_state 0 mcast_snooping 0
	link add link r2 name r2.5 type vlan id 5
	link add link r2 name r2.6 type vlan id 6 reorder_hdr off
	link add link r2 name r2.7 type vlan proto 802.1ad id 7
	link add link r2.7 name r2.7.8 type vlan id 8
	link add vx0 address 02:00:00:00:09:01 type vxlan id 42 local 10.2.0.1 remote 10.2.0.2 dstport 4789 dev r2
	END
	router_hush r2 r3 r2.5 r2.6 r2.7 r2.7.8 vx0
	sysctls r net.ipv6.conf.br0.disable_ipv6=1
	{
		router_subnet r1 1 02:00:00:00:01:02
		router_subnet r2 2 02:00:00:00:02:02
		router_subnet r3 3 02:00:00:00:03:02
		router_subnet r2.5 5 02:00:00:00:02:02
		router_subnet r2.6 6 02:00:00:00:02:02
		router_subnet r2.7 7 02:00:00:00:02:02
		router_subnet r2.7.8 8 02:00:00:00:02:02
		router_subnet vx0 9 02:00:00:00:09:02
		cat <<-END
		link set b1 master br0 up
		link set b2 master br0 up
		link set b3 master br0 up
		link set br0 up
		END
	} | in_ns r
	# GSO packets cross the qdisc whole and are cut behind it
	ip netns exec "${NS}r" ethtool -K r2 tx-udp-segmentation off
}

topology_up()
{
	trap topology_down EXIT
	ip netns add "${NS}h1"
	ip netns add "${NS}r"
	ip netns add "${NS}h2"
	links_up
	hosts_up
	router_up
}
