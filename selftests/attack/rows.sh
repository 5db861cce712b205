#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What broke other qdiscs and has no test elsewhere, by the letters of
# Documentation/reliability.rst. SECONDS_EACH (default 2) is the length of a part that is a
# loop, which has 20 rounds at least.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
each=${SECONDS_EACH:-2}

# The flood leaves, nothing stays counted, every packet is in one class.
passes()
{
	"$flood" "$dev" 300 1 > /dev/null
	drained "$dev"
	tap_result $? "$1: nothing stays queued"
	balanced
	tap_result $? "$1: every packet in one class"
	splats "$1: no complaint of the kernel"
}

backlog_of_32_bits()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony
	tc qdisc add dev "$dev" parent 5:1 handle 6: bfifo limit 4294967295
	passes "A7: a child of 2^32 - 1 bytes"
	tc qdisc replace dev "$dev" root handle 7: symphony queue order \
		limit_bytes 1gb limit 1073741824
	passes "A7: 2^30 bytes in queue order"
	ip link del "$dev"
}

mtus()
{
	for mtu in 68 65535 1000000000; do
		new_device
		tc qdisc add dev "$dev" root handle 5: symphony queue order
		ip link set "$dev" mtu "$mtu" 2> "$tmp/err" || { ip link del "$dev"; continue; }
		passes "D3: changed to an MTU of $mtu"
		tc qdisc replace dev "$dev" root handle 5: symphony queue order
		passes "D3: created at an MTU of $mtu"
		ip link del "$dev"
	done
}

size_tables()
{
	for overhead in 2000 1000000 500000000; do
		new_device
		tc qdisc add dev "$dev" root handle 5: stab overhead "$overhead" \
			symphony queue order limit_bytes 1gb limit 1000000 2> "$tmp/err"
		tap_result $? "D4: a size table adds $overhead bytes"
		note < "$tmp/err"
		passes "D4: a size table adds $overhead bytes"
		ip link del "$dev"
	done
}

channels()
{
	ip link add name "$dev" numtxqueues 4 numrxqueues 4 type veth \
		peer name atk1 numtxqueues 4 numrxqueues 4
	ip link set "$dev" up
	ip link set atk1 up
	if ! ethtool -L "$dev" tx 2 rx 2 > "$tmp/err" 2>&1; then
		tap_skip "C8: number of queues" "$(tail -n 1 "$tmp/err")"
		ip link del "$dev"
		return
	fi
	tc qdisc add dev "$dev" root handle 9: mq
	for queue in 1 2 3 4; do
		tc qdisc replace dev "$dev" parent "9:$queue" handle "1$queue:" symphony domain 5
	done
	"$flood" "$dev" 3600s 1 20 gso > "$tmp/sent1" & floods=$!
	"$flood" "$dev" 3600s 2 3000 mix > "$tmp/sent2" & floods="$floods $!"
	wait_for 120 passing "$dev"
	tap_result $? "C8: traffic has begun"
	end=$(($(date +%s) + each))
	rounds=0
	status=0
	while [ "$rounds" -lt 20 ] || [ "$(date +%s)" -lt "$end" ]; do
		ethtool -L "$dev" tx 1 rx 1 || status=1
		tc -s qdisc show dev "$dev" > "$tmp/seen" || status=1
		ethtool -L "$dev" tx 4 rx 4 || status=1
		rounds=$((rounds + 1))
	done
	tap_result "$status" "C8: number of queues changed in $rounds rounds"
	# shellcheck disable=SC2086	# numbers of processes
	kill $floods
	wait
	drained "$dev"
	tap_result $? "C8: nothing stays queued"
	ip link del "$dev"
	splats "C8: no complaint of the kernel"
}

given_back()
{
	[ "$(kernel_memory)" -lt $((before + 8000)) ]
}

nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Urn \
		env PATH="$PATH" TC_LIB_DIR="$tmp/lib" sh -c "$1"
}

user_namespace()
{
	name="C9: an unprivileged user's namespace"
	chmod 755 "$tmp"
	cp "$flood" "$tmp/flood"
	mkdir "$tmp/lib"
	# where a user may read it
	for dir in "${TC_LIB_DIR:-/usr/lib/tc}" /usr/lib/*/tc /usr/lib64/tc; do
		[ ! -e "$dir/q_symphony.so" ] || cp "$dir/q_symphony.so" "$tmp/lib/"
	done
	if ! nobody true 2> "$tmp/err"; then
		tap_skip "$name" "$(tail -n 1 "$tmp/err")"
		return
	fi
	before=$(kernel_memory)
	nobody "ip link add name n0 type dummy && ip link set n0 up &&
		tc qdisc add dev n0 root symphony jobs 65535 flows 1000000 queue order &&
		tc -s qdisc show dev n0 && '$tmp/flood' n0 20000 1 8000 mix &&
		tc -s qdisc show dev n0" > "$tmp/seen" 2> "$tmp/err"
	tap_result $? "$name: has a qdisc"
	note < "$tmp/err"
	memory=$(grep -o 'memory [0-9]*b' "$tmp/seen" | tr '\n' ' ')
	echo "# then after 20000 packets of 8000 jobs: $memory"
	# shellcheck disable=SC2086	# four words
	set -- $memory
	[ $# -eq 4 ] && [ "$2" = "$4" ]
	tap_result $? "$name: a flood of jobs costs no memory"
	wait_for 60 given_back
	tap_result $? "$name: all is given back with it"
	echo "# kernel memory: $before before, $(kernel_memory) after, kB"
	splats "$name: no complaint of the kernel"
}

# Both in one group: a table of 64 MB does not fit into 32.
accounted()
{
	name="C9: memory counts as its user's"
	mkdir "$tmp/cgroup"
	if ! mount -t cgroup2 none "$tmp/cgroup" 2> "$tmp/err" ||
	   ! grep -qw memory "$tmp/cgroup/cgroup.controllers"; then
		tap_skip "$name" "no memory controller"
		return
	fi
	echo +memory > "$tmp/cgroup/cgroup.subtree_control"
	mkdir "$tmp/cgroup/small"
	echo 32M > "$tmp/cgroup/small/memory.max"
	new_device
	# shellcheck disable=SC2016	# for the inner shell
	sh -c 'echo $$ > "$1" && exec tc qdisc add dev "$2" root handle 5: symphony flows 4194304' \
		- "$tmp/cgroup/small/cgroup.procs" "$dev" 2> "$tmp/err"
	note < "$tmp/err"
	tc qdisc show dev "$dev" > "$tmp/seen"
	tap_check "$name: 64 MB do not fit into 32" finds_nothing grep -q symphony "$tmp/seen" || :
	tc qdisc add dev "$dev" root handle 5: symphony flows 4194304
	tap_result $? "$name: they do where there is no limit"
	ip link del "$dev"
	rmdir "$tmp/cgroup/small"
	umount "$tmp/cgroup"
	# what the killer of processes says is no fault here
	dmesg -c > /dev/null
}

for part in backlog_of_32_bits mtus size_tables channels user_namespace accounted; do
	"$part"
done
tap_done
