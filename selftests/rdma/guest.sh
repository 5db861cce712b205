#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What each of the three guests of rdma_run does: guest.sh ROLE, where ROLE is
# sender, router or receiver. $SHARED is a directory all three see. It holds
# "phases", a line for each pass of traffic: its name and the arguments of tc for
# the router's port to the receiver, or "shell" for one on the router while
# traffic goes on.
. "$(dirname "$0")/../lib/help.sh"
set -eu
# shellcheck source=selftests/lib/wait.sh
. "$(dirname "$0")/../lib/wait.sh"
PATH=$PATH:/usr/sbin:/sbin
role=$1

fail()
{
	echo "$role: $*" >&2
	: > "$SHARED/failed"
	exit 1
}

# Ends this guest when another has failed, whatever it does at that moment: all
# that it runs is in the process group of this shell.
watch_others()
{
	until [ -e "$SHARED/failed" ]; do
		sleep 1 > /dev/null 2>&1
	done
	echo "$role: another guest has failed" >&2
	kill -TERM 0
}

# need SECONDS CMD...: wait for it or fail.
need()
{
	wait_for "$@" || fail "there is no: ${*:2}"
}

# meet NAME: go on when all three have come here.
meet()
{
	local other

	: > "$SHARED/at-$1-$role"
	for other in sender router receiver; do
		need 900 test -e "$SHARED/at-$1-$other"
	done
}

address()
{
	ip addr add "$2" dev "$1"
	ip link set "$1" up
}

# A plain queue: fq_codel, which some kernels start with, sets CE of its own.
rdma_up()
{
	tc qdisc replace dev eth0 root pfifo limit 20000
	ulimit -l unlimited
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev eth0
	ip route add default via "$1"
}

# Hold one of four queue pairs back: their numbers follow each other, and what the
# sender's adapter emits to one of them, it emits half a second late.
hold_back()
{
	tc qdisc replace dev eth0 root handle 1: prio bands 2 \
		priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	tc qdisc add dev eth0 parent 1:1 pfifo limit 20000
	tc qdisc add dev eth0 parent 1:2 netem delay 500ms limit 20000
	# the last byte of the BTH's DestQP
	tc filter add dev eth0 parent 1: protocol ip u32 match ip protocol 17 0xff \
		match u16 4791 0xffff at 22 match u8 0 0x03 at 35 flowid 1:2
}

# Counters of the RDMA device as "NAME VALUE".
rdma_counters()
{
	local file

	for file in /sys/class/infiniband/rxe0/ports/1/hw_counters/*; do
		echo "${file##*/} $(cat "$file")"
	done
}

# --tclass=106: DSCP 26, ECT(0). --qp-timeout=21: 8.6 s until an acknowledgement
# counts as lost, since an emulated host may be busy with others for that long.
bandwidth_test()
{
	ib_write_bw -d rxe0 -x 1 -q 4 -n 25 -s 65536 --tclass=106 --qp-timeout=21 -F "$@"
}

listening()
{
	ss -H -l -t -n 'sport = 18515' | grep -q .
}

# One pass over a phase, from the side of each role.
sender_pass()
{
	bandwidth_test 198.51.100.2 > "$SHARED/$1/sender.log" 2>&1 ||
		fail "ib_write_bw failed, see $SHARED/$1/sender.log"
}

receiver_start()
{
	rdma_counters > "$SHARED/$1/counters-before"
	tcpdump -i eth0 -n -s 96 -B 65536 -w "$SHARED/$1/receiver.pcap" \
		'udp dst port 4791 and dst host 198.51.100.2' 2> "$SHARED/$1/tcpdump.log" &
	tcpdump=$!
	# the end of the line: over the share its begin has come as zeros
	need 240 grep -q "link-type" "$SHARED/$1/tcpdump.log"
	bandwidth_test > "$SHARED/$1/receiver.log" 2>&1 &
	server=$!
	need 240 listening
}

# Whether tcpdump, asked now or before, has written all that the kernel has for it.
all_captured()
{
	kill -USR1 "$tcpdump"
	tail -n 1 "$SHARED/$1/tcpdump.log" |
		awk '/packets captured, / { same = $2 == $5 } END { exit !same }'
}

receiver_end()
{
	wait "$server" || fail "ib_write_bw failed, see $SHARED/$1/receiver.log"
	need 240 all_captured "$1"
	kill -INT "$tcpdump"
	wait "$tcpdump" || fail "tcpdump failed"
	rdma_counters > "$SHARED/$1/counters-after"
}

router_start()
{
	local name=$1

	shift
	# shellcheck disable=SC2068	# arguments of tc
	tc qdisc replace dev eth1 root $@
	echo > /sys/kernel/tracing/trace
	if [ -d /sys/kernel/tracing/events/symphony ]; then
		echo 1 > /sys/kernel/tracing/events/symphony/enable
	fi
	tc -s qdisc show dev eth1 > "$SHARED/$name/router-before.txt"
}

router_end()
{
	tc -s qdisc show dev eth1 > "$SHARED/$1/router.txt"
	tc -s -j qdisc show dev eth1 > "$SHARED/$1/router.json"
	cat /sys/kernel/tracing/trace > "$SHARED/$1/trace"
	tc qdisc del dev eth1 root
}

pass()
{
	mkdir -p "$SHARED/$1"
	case $role in
	router)		router_start "$@" ;;
	receiver)	receiver_start "$1" ;;
	esac
	meet "$1-ready"
	[ "$role" != sender ] || sender_pass "$1"
	meet "$1-sent"
	case $role in
	router)		router_end "$1" ;;
	receiver)	receiver_end "$1" ;;
	esac
	meet "$1-done"
}

# Traffic until the shell on the router ends.
shell_pass()
{
	case $role in
	router)
		tc qdisc replace dev eth1 root symphony job fixed 1 step count window 1s
		[ ! -r "$SHARED/welcome" ] || cat "$SHARED/welcome"
		bash -i || :
		: > "$SHARED/shell-ended"
		;;
	*)
		# Ends with this guest: one of the two sides waits for the other.
		while :; do
			if [ "$role" = sender ]; then
				bandwidth_test 198.51.100.2
			else
				bandwidth_test
			fi > /dev/null 2>&1 || sleep 0.2
		done &
		until [ -e "$SHARED/shell-ended" ]; do
			sleep 1
		done
		;;
	esac
}

watch_others &
watcher=$!
# It is gone if it was what ended this shell.
trap 'kill "$watcher" 2> /dev/null' EXIT
case $role in
sender)
	address eth0 192.0.2.2/24
	rdma_up 192.0.2.1
	hold_back
	;;
receiver)
	address eth0 198.51.100.2/24
	rdma_up 198.51.100.1
	;;
router)
	address eth0 192.0.2.1/24
	address eth1 198.51.100.1/24
	sysctl -q -w net.ipv4.ip_forward=1
	echo 65536 > /sys/kernel/tracing/buffer_size_kb
	modprobe sch_symphony
	;;
*)	fail "no such role" ;;
esac
meet up
if [ "$role" = sender ]; then
	need 240 ping -q -c 1 -W 2 198.51.100.2 > /dev/null
fi
while read -r -a phase <&4; do
	case ${phase[0]} in
	shell)	shell_pass ;;
	*)	pass "${phase[@]}" ;;
	esac
done 4< "$SHARED/phases"
