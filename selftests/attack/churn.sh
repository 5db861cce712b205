#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Configuration under traffic: changes, children, devices, namespaces and the
# module come and go while two floods and a reader of statistics run.
# SECONDS_EACH (default 2) is the length of a part, from the first packet on, which
# has two rounds at least. MODULE is a file to insert where modprobe does not find
# the module.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
each=${SECONDS_EACH:-2}

# begin [JOBS]: the traffic of $part, which ends with it; what is done to it begins
# with its packets.
begin()
{
	: > "$tmp/reading"
	"$flood" "$dev" 3600s 1 20 gso > "$tmp/sent1" & floods=$!
	"$flood" "$dev" 3600s 2 "${1:-3000}" mix > "$tmp/sent2" & floods="$floods $!"
	while [ -e "$tmp/reading" ]; do
		tc -s qdisc show dev "$dev" > "$tmp/seen"
	done 2> /dev/null & reader=$!
	wait_for 120 passing "$dev"
	tap_result $? "$part: traffic has begun"
	end=$(($(date +%s) + each))
	rounds=0
}

busy()
{
	rounds=$((rounds + 1))
	[ "$rounds" -le 2 ] || [ "$(date +%s)" -lt "$end" ]
}

finish()
{
	rm "$tmp/reading"
	# shellcheck disable=SC2086	# numbers of processes
	kill $floods
	status=0
	for child in $floods $reader; do
		wait "$child" || status=1
	done
	for sent in "$tmp/sent1" "$tmp/sent2"; do
		[ "$(cat "$sent")" -gt 0 ] || status=1
	done
	echo "# $part: $rounds rounds, $(cat "$tmp/sent1" "$tmp/sent2" | tr '\n' ' ')packets"
	tap_result "$status" "$part: traffic ran"
	splats "$part: no complaint of the kernel"
}

empty()
{
	drained "$dev"
	tap_result $? "$part: nothing queued"
}

# batches NAME: $tmp/batch again and again under traffic, of which nothing is refused.
batches()
{
	begin
	status=0
	while busy; do
		tc -batch "$tmp/batch" > "$tmp/err" 2>&1 || status=1
		[ "$status" -eq 0 ] || break
	done
	note < "$tmp/err"
	tap_result "$status" "$1"
	finish
}

changes()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony
	tc filter add dev "$dev" parent 5: protocol all matchall classid 5:6
	options | sed "s/^/qdisc change dev $dev root handle 5: symphony /" > "$tmp/batch"
	batches "change: accepted"
	ip link del "$dev"
}

refused()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony proto uet idle 60s
	begin
	wait_for 120 seen "$dev" '^ *jobs \([2-9]\|[1-9][0-9]\)'
	tap_result $? "refused: there are jobs to make room for"
	status=1
	while busy; do
		tc qdisc change dev "$dev" root handle 5: symphony jobs 1 2> "$tmp/err" || status=0
	done
	note < "$tmp/err"
	tap_result "$status" "refused: a table too small for its jobs"
	finish
	ip link del "$dev"
}

roots()
{
	new_device
	begin
	while busy; do
		tc qdisc replace dev "$dev" root handle 5: symphony domain 1 limit 30
		tc qdisc add dev "$dev" parent 5:1 handle 6: tbf rate 100mbit burst 5k limit 50k
		tc qdisc replace dev "$dev" root handle 7: symphony domain 1 job dscp
		tc qdisc add dev "$dev" parent 7:1 handle 8: netem delay 1ms
		tc qdisc replace dev "$dev" root handle 9: symphony domain 2
		tc qdisc del dev "$dev" root
	done 2> "$tmp/err"
	note < "$tmp/err"
	finish
	ip link del "$dev"
}

grafts()
{
	new_device
	tc qdisc add dev "$dev" root handle 9: prio
	tc qdisc add dev "$dev" parent 9:1 handle 5: symphony k 1 warmup 0
	tc qdisc add dev "$dev" parent 9:2 handle 4: symphony k 1 warmup 0
	tc qdisc add dev "$dev" parent 9:3 handle 3: symphony k 1 warmup 0
	begin
	status=0
	while busy; do
		for parent in 3 4 5; do
			for kind in codel fq_codel "netem delay 1ms duplicate 9%" \
				"tbf rate 200mbit burst 5k limit 60k" "cake memlimit 20k" \
				"sfq limit 9" "symphony domain 4" pfifo; do
				# shellcheck disable=SC2086
				tc qdisc replace dev "$dev" parent "$parent":1 handle "2$parent:" \
					$kind || status=1
				tc qdisc del dev "$dev" parent "$parent":1 || status=1
			done
		done
	done 2> "$tmp/err"
	note < "$tmp/err"
	tap_result "$status" "graft: accepted"
	finish
	empty
	ip link del "$dev"
}

# One block of two ports: filters, ports and the block itself come and go.
blocks()
{
	new_device
	ip link add name atk1 type dummy
	cat > "$tmp/batch" <<-END
	qdisc add dev $dev root handle 5: egress_block 3 symphony job filter
	filter add block 3 protocol all pref 9 matchall classid 5:6
	qdisc add dev atk1 root handle 5: egress_block 3 symphony domain 1
	filter add block 3 protocol all pref 1 matchall classid 5:7
	qdisc replace dev $dev root handle 6: egress_block 3 symphony job filter
	filter del block 3 pref 9
	qdisc del dev atk1 root
	filter add block 3 protocol all pref 9 matchall classid 5:8
	qdisc del dev $dev root
	END
	batches "blocks: accepted, and gone with the last port"
	ip link del atk1
	ip link del "$dev"
}

flaps()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony k 1 warmup 0
	tc qdisc add dev "$dev" parent 5:1 handle 6: netem delay 5ms 2ms
	begin
	while busy; do
		ip link set "$dev" down
		tc -s qdisc show dev "$dev" > "$tmp/stats"
		ip link set "$dev" up
	done
	finish
	empty
	ip link del "$dev"
}

namespaces()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony domain 1
	begin
	while busy; do
		unshare -n sh -c "
			ip link add name n0 numtxqueues 4 type dummy
			ip link add name n1 type dummy
			ip link set n0 up
			ip link set n1 up
			tc qdisc add dev n0 root handle 9: mq
			for i in 1 2 3 4; do
				tc qdisc add dev n0 parent 9:\$i handle 1\$i: symphony domain 1
			done
			tc qdisc add dev n1 root handle 5: symphony domain 1
			'$flood' n0 500 3 > /dev/null
			'$flood' n1 500 3 > /dev/null
			tc -s qdisc show > /dev/null
		" || break
	done
	finish
	empty
	ip link del "$dev"
}

modules()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony domain 1
	begin
	status=0
	while busy; do
		rmmod sch_symphony 2> /dev/null && status=1
		tc qdisc del dev "$dev" root
		rmmod sch_symphony || status=1
		if [ -n "${MODULE:-}" ]; then
			insmod "$MODULE"
		else
			modprobe sch_symphony
		fi || status=1
		tc qdisc add dev "$dev" root handle 5: symphony domain 1 || status=1
	done
	tap_result "$status" "module: held while in use, else not"
	finish
	ip link del "$dev"
}

exhaustion()
{
	no_job='table_full [1-9]'
	no_flow='flows_replaced [1-9]'
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony jobs 7 flows 4 idle 1s window 1us
	begin 60
	before=$(kernel_memory)
	while busy; do
		wait_for 120 seen "$dev" "$no_job" "$no_flow" || break
	done
	finish
	after=$(kernel_memory)
	echo "# kernel memory: $before before, $after after, kB"
	empty
	grep -q "$no_job" "$tmp/stats"
	tap_result $? "exhaustion: jobs without room are counted"
	grep -q "$no_flow" "$tmp/stats"
	tap_result $? "exhaustion: flows without room are counted"
	ip link del "$dev"
}

for part in changes refused roots grafts blocks flaps namespaces exhaustion modules; do
	"$part"
done
tap_done
