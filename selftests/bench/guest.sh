#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The measurements, in a guest that has sch_symphony and symphony_bench loaded.
# Prints a line for each device and round:
#
#	GROUP DEVICE PACKETS ENQUEUE_NS DEQUEUE_NS LOST
#
# and lines "value NAME NUMBER" for what is no round.
. "$(dirname "$0")/../lib/help.sh"

set -eu
# shellcheck source=selftests/lib/wait.sh
. "$(dirname "$0")/../lib/wait.sh"

fail()
{
	echo "guest.sh: $*" >&2
	exit 1
}

# RED that never marks, and RED that marks about as many packets as symphony
# does, at 64 packets of 4154 bytes in the queue.
red="limit 10000000 avpkt 4154 bandwidth 10gbit ecn"
red_idle="$red min 400000 max 1200000 burst 200 probability 0.02"
red_busy="$red min 10000 max 300000 burst 20 probability 1"
peers=noqueue,pfifo,red,red_mark,codel,fq_codel,fq,cake
ours=symphony,sym_red

quiet_link()
{
	echo 1 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"
	ip link set "$1" mtu 4200 up
}

# add_qdisc DEVICE TREE
add_qdisc()
{
	case $2 in
	noqueue)	;;
	pfifo)		tc qdisc add dev "$1" root handle 1: pfifo limit 1000 ;;
	red)		# shellcheck disable=SC2086
			tc qdisc add dev "$1" root handle 1: red $red_idle
			tc qdisc add dev "$1" parent 1:1 handle 2: pfifo limit 1000 ;;
	red_mark)	# shellcheck disable=SC2086
			tc qdisc add dev "$1" root handle 1: red $red_busy
			tc qdisc add dev "$1" parent 1:1 handle 2: pfifo limit 1000 ;;
	cake)		# isolation of flows alone: with that of hosts 256 of them
			# cost it several microseconds a packet
			tc qdisc add dev "$1" root handle 1: cake besteffort flows ;;
	sym_red)	tc qdisc add dev "$1" root handle 1: symphony
			# shellcheck disable=SC2086
			tc qdisc add dev "$1" parent 1:1 handle 2: red $red_idle ;;
	sym_flows)	tc qdisc add dev "$1" root handle 1: symphony ;;
	sym_abs)	tc qdisc add dev "$1" root handle 1: symphony psn absolute ;;
	sym_observe)	tc qdisc add dev "$1" root handle 1: symphony mode observe ;;
	sym_order)	tc qdisc add dev "$1" root handle 1: symphony queue order ;;
	sym_uet)	tc qdisc add dev "$1" root handle 1: symphony proto uet ;;
	sym_filter)	tc qdisc add dev "$1" root handle 1: symphony job filter
			tc filter add dev "$1" parent 1: handle 1 protocol ip \
				flow map key src and 0x3f baseclass 1:1 ;;
	*)		tc qdisc add dev "$1" root handle 1: "$2" ;;
	esac
}

# run GROUP OPTION...
run()
{
	group=$1
	shift
	exec 3<> /sys/kernel/debug/symphony_bench
	if ! echo "$*" >&3; then
		dmesg | tail -n 2 >&2
		fail "symphony_bench refused $*"
	fi
	# device queue round packets enqueue dequeue lost
	awk -v group="$group" '{ print group, $1, $4, $5, $6, $7 }' <&3
	exec 3>&-
}

setup_dummies()
{
	for tree in $(echo "$peers,$ours,sym_order,sym_uet,sym_filter,sym_flows,sym_abs,sym_observe" | tr , ' '); do
		ip link add "$tree" numtxqueues 1 type dummy
		ip link set "$tree" arp off
		quiet_link "$tree"
		add_qdisc "$tree" "$tree"
	done
}

# Names of a kind of devices: in_pfifo,in_red,...
with_prefix()
{
	echo "$2" | sed "s/[^,]*/$1&/g"
}

# This namespace is the router: what comes in by in_X leaves by out_X, whose
# other end is in the namespace sink and drops it.
setup_router()
{
	ip netns add sink
	echo 1 > /proc/sys/net/ipv4/ip_forward
	echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter
	echo 0 > /proc/sys/net/ipv4/conf/default/rp_filter
	table=100
	for tree in $(echo "$peers,$ours" | tr , ' '); do
		table=$((table + 1))
		ip link add "in_$tree" type dummy
		ip link add "out_$tree" type veth peer name "end_$tree" netns sink
		quiet_link "in_$tree"
		quiet_link "out_$tree"
		ip -n sink link set "end_$tree" mtu 4200 up
		ip addr add "10.1.$table.254/24" dev "in_$tree"
		ip addr add "10.3.$table.1/24" dev "out_$tree"
		ip neigh add "10.3.$table.2" dev "out_$tree" nud permanent \
			lladdr "$(ip -n sink -br link show "end_$tree" | awk '{ print $3 }')"
		ip rule add iif "in_$tree" table "$table"
		ip route add default via "10.3.$table.2" dev "out_$tree" table "$table"
		add_qdisc "out_$tree" "$tree"
	done
}

pktgen_set()
{
	echo "$2" > "/proc/net/pktgen/$1" || fail "pktgen: $1: $2"
}

# pktgen's thread obeys when it gets the processor, not when it is told.
pktgen_wait()
{
	wait_for 120 "$@" 2> /dev/null || fail "pktgen: waited in vain for: $*"
}

# pktgen GROUP DEVICES ROUNDS PACKETS: hands packets to the devices' qdiscs.
# They are UNPARSABLE to symphony: pktgen writes its own header where the BTH is.
pktgen()
{
	for round in $(seq "$3"); do
		for dev in $(echo "$2" | tr , ' '); do
			pktgen_set kpktgend_0 "add_device $dev"
			pktgen_set "$dev" "xmit_mode queue_xmit"
			pktgen_set "$dev" "count $4"
			pktgen_set "$dev" "pkt_size 1024"
			pktgen_set "$dev" "clone_skb 0"
			pktgen_set "$dev" "delay 0"
			pktgen_set "$dev" "dst 10.2.0.1"
			pktgen_set "$dev" "dst_mac 02:00:00:00:00:01"
			pktgen_set "$dev" "udp_dst_min 4791"
			pktgen_set "$dev" "udp_dst_max 4791"
			pktgen_set pgctrl start
			pktgen_wait grep -q "^Result: OK" "/proc/net/pktgen/$dev"
			awk -v group="$1" -v dev="$dev" -v count="$4" '
				/^Result: OK:/ {
					sub(/\(.*/, "", $3)
					print group, dev, count, $3 * 1000, 0, 0
					seen = 1
				}
				END { exit !seen }' "/proc/net/pktgen/$dev" ||
				fail "pktgen gave no result for $dev in round $round"
			pktgen_set kpktgend_0 rem_device_all
			pktgen_wait [ ! -e "/proc/net/pktgen/$dev" ]
		done
	done
}

# Time of one "qdisc add" within a batch, and what the tables take.
control_plane()
{
	ip link add ctl type dummy
	for _ in $(seq 20); do
		echo "qdisc add dev ctl root handle 1: symphony jobs 16384"
		echo "qdisc del dev ctl root"
	done > /tmp/batch
	start=$(date +%s%N)
	tc -batch /tmp/batch
	echo "value create_us $((($(date +%s%N) - start) / 20000))"

	tc qdisc add dev ctl root symphony jobs 16384 flows 4
	memory 16384_jobs
	tc qdisc replace dev ctl root symphony jobs 1 flows 4
	memory 1_job
	tc qdisc replace dev ctl root symphony jobs 1 flows 1048576
	memory 1048576_flows
	tc qdisc replace dev ctl root symphony jobs 1 flows 4 queue order
	memory order
	ip link del ctl
}

memory()
{
	bytes=$(tc -s -j qdisc show dev ctl | sed -n 's/.*"memory":\([0-9]*\).*/\1/p')
	[ -n "$bytes" ] || fail "no memory in the statistics"
	echo "value memory_$1 $bytes"
}

# order OPTION...: so many jobs have packets that wait, two each at least
order()
{
	for backlogged in 1:64 64:256 1024:2048; do
		run "order_${backlogged%:*}" "dev=fq_codel,fq,sym_order $1" \
			"jobs=${backlogged%:*} batch=${backlogged#*:} packets=4096 warmup=8192"
	done
	run order_other "dev=pfifo,fq_codel,sym_order $1 kind=other"
}

# Streaks of rounds, so that a device's tables are in the cache when all the
# others have had their turn.
short()
{
	run alone "dev=$peers,$ours rounds=120 streak=20"
	run other "dev=pfifo,red,symphony rounds=100 kind=other"
	run jobs_1024 "dev=symphony rounds=100 jobs=1024 warmup=8192"
	order "rounds=60 streak=20"
	run uet_64 "dev=sym_uet rounds=100 kind=uet"
	run uet_16384 "dev=sym_uet rounds=128 kind=uet jobs=16384 warmup=131072"
	run xmit "dev=pfifo,red,red_mark,symphony path=xmit rounds=100 streak=20"
	pktgen pktgen pfifo,red_mark,symphony 5 10000
	run router "dev=$(with_prefix in_ pfifo,red_mark,symphony) path=receive rounds=100 streak=20"
	run router_other "dev=$(with_prefix in_ pfifo,red,symphony) path=receive rounds=100 streak=20 kind=other"
}

full()
{
	all=$peers,$ours
	long="rounds=400 streak=20"
	run alone "dev=$all $long"
	run one_by_one "dev=$all $long alternate=1"
	run cold "dev=$all $long cold=1"
	run hashed "dev=$all $long hashed=1"
	run ipv6 "dev=$all $long family=6"
	for kind in nojob control other tcp; do
		run $kind "dev=pfifo,red,symphony,sym_red $long kind=$kind"
	done
	run lagging "dev=symphony,sym_abs $long flows=1"
	run ahead "dev=symphony,sym_observe $long"
	run filter "dev=pfifo,red,symphony,sym_filter $long"

	order "rounds=200 streak=20"

	some=pfifo,red_mark,fq_codel,fq
	long="rounds=256 streak=64"
	for jobs in 1 64 1024 2048 4096 8191; do
		run jobs_$jobs "dev=$some,symphony $long jobs=$jobs warmup=65536"
	done
	for jobs in 1 64 1024 16384; do
		run uet_$jobs "dev=$some,sym_uet $long kind=uet jobs=$jobs warmup=131072"
	done
	for jobs in 64 16384; do
		run uet_one_$jobs "dev=$some,sym_uet $long kind=uet jobs=$jobs warmup=131072 alternate=1"
	done
	for flows in 1 16 256 4096 65536; do
		run flows_$((64 * flows)) "dev=sym_flows $long flows=$flows warmup=131072"
	done

	long="rounds=300 streak=20"
	run xmit "dev=$all path=xmit $long"
	run router "dev=$(with_prefix in_ $all) path=receive $long"
	run router_other "dev=$(with_prefix in_ $all) path=receive $long kind=other"
	pktgen pktgen "$all" 12 10000
}

ip link set lo up
setup_dummies
setup_router
control_plane
case ${1:-} in
short|full)	$1 ;;
order)		order "rounds=60 streak=20" ;;
*)		fail "usage: guest.sh short|full|order" ;;
esac
