#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Configuration under traffic: changes, children, devices, namespaces and the
# module come and go while two floods and a reader of statistics run.
# SECONDS_EACH (default 4) is the length of a part, MODULE a file to insert
# where modprobe does not find the module.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
each=${SECONDS_EACH:-4}
children=""

# The traffic of a part ends with it.
begin()
{
	end=$(($(date +%s) + each))
	"$flood" "$1" "${each}s" 1 20 gso > "$tmp/sent1" & children=$!
	"$flood" "$1" "${each}s" 2 "${2:-3000}" mix > "$tmp/sent2" & children="$children $!"
	while [ "$(date +%s)" -lt "$end" ]; do
		tc -s qdisc show dev "$1" > "$tmp/seen"
	done 2> /dev/null & children="$children $!"
}

busy()
{
	rounds=$((rounds + 1))
	[ "$(date +%s)" -lt "$end" ]
}

finish()
{
	status=0
	for child in $children; do
		wait "$child" || status=1
	done
	echo "# $1: $rounds rounds, $(cat "$tmp/sent1" "$tmp/sent2" | tr '\n' ' ')packets"
	tap_result "$status" "$1: traffic ran"
	splats "$1: no complaint of the kernel"
	rounds=0
}

empty()
{
	if drained "$dev"; then
		tap_result 0 "$1: nothing queued"
	else
		tap_result 1 "$1: nothing queued"
	fi
}

options()
{
	cat <<-END
	k 1 warmup 0 window 1ms
	tau 0.9 samples 0 alpha_max 3
	jobs 5000 flows 64
	mode observe
	psn absolute
	domain 7
	domain 8 jobs 6000
	flows 4096
	job dscp
	job fixed 9
	mode prio
	domain 0
	job filter
	proto uet step msgid
	proto rocev2 job resv psn relative
	ecn_min 1000 ecn_max 9000 shield 8 ecn_prob 0.5
	ecn_min 0 ecn_max 0 shield 1
	seed 1 limit 1
	idle 1ms window 1us
	idle 60s window 60s limit 1000
	mode mark domain 9
	END
}

changes()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony
	tc filter add dev "$dev" parent 5: protocol all matchall classid 5:6
	options | sed "s/^/qdisc change dev $dev root handle 5: symphony /" > "$tmp/batch"
	begin "$dev"
	status=0
	while busy; do
		tc -batch "$tmp/batch" > "$tmp/err" 2>&1 || status=1
		[ "$status" -eq 0 ] || break
	done
	note < "$tmp/err"
	tap_result "$status" "change: accepted"
	finish change
	ip link del "$dev"
}

refused()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony proto uet idle 60s
	begin "$dev" 3000
	sleep 1
	status=1
	while busy; do
		tc qdisc change dev "$dev" root handle 5: symphony jobs 1 2> "$tmp/err" || status=0
	done
	note < "$tmp/err"
	tap_result "$status" "refused: a table too small for its jobs"
	finish refused
	ip link del "$dev"
}

roots()
{
	new_device
	begin "$dev"
	while busy; do
		tc qdisc replace dev "$dev" root handle 5: symphony domain 1 limit 30
		tc qdisc add dev "$dev" parent 5:1 handle 6: tbf rate 100mbit burst 5k limit 50k
		tc qdisc replace dev "$dev" root handle 7: symphony domain 1 job dscp
		tc qdisc add dev "$dev" parent 7:1 handle 8: netem delay 1ms
		tc qdisc replace dev "$dev" root handle 9: symphony domain 2
		tc qdisc del dev "$dev" root
	done 2> "$tmp/err"
	note < "$tmp/err"
	finish "root"
	ip link del "$dev"
}

grafts()
{
	new_device
	tc qdisc add dev "$dev" root handle 9: prio
	tc qdisc add dev "$dev" parent 9:1 handle 5: symphony k 1 warmup 0
	tc qdisc add dev "$dev" parent 9:2 handle 4: symphony k 1 warmup 0
	tc qdisc add dev "$dev" parent 9:3 handle 3: symphony k 1 warmup 0
	begin "$dev"
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
	finish graft
	empty graft
	ip link del "$dev"
}

flaps()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony k 1 warmup 0
	tc qdisc add dev "$dev" parent 5:1 handle 6: netem delay 5ms 2ms
	begin "$dev"
	while busy; do
		ip link set "$dev" down
		tc -s qdisc show dev "$dev" > "$tmp/stats"
		ip link set "$dev" up
	done
	finish flap
	empty flap
	ip link del "$dev"
}

namespaces()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony domain 1
	begin "$dev"
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
	finish namespace
	empty namespace
	ip link del "$dev"
}

modules()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony domain 1
	begin "$dev"
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
	finish module
	ip link del "$dev"
}

exhaustion()
{
	new_device
	tc qdisc add dev "$dev" root handle 5: symphony jobs 7 flows 4 idle 1ms window 1us
	begin "$dev" 60
	before=$(awk '/^VmallocUsed|^Slab/ { sum += $2 } END { print sum }' /proc/meminfo)
	while busy; do
		sleep 1
	done
	finish exhaustion
	after=$(awk '/^VmallocUsed|^Slab/ { sum += $2 } END { print sum }' /proc/meminfo)
	echo "# kernel memory: $before before, $after after, kB"
	empty exhaustion
	grep -q 'table_full [1-9]' "$tmp/stats"
	tap_result $? "exhaustion: jobs without room are counted"
	grep -q 'flows_replaced [1-9]' "$tmp/stats"
	tap_result $? "exhaustion: flows without room are counted"
	ip link del "$dev"
}

rounds=0
changes
refused
roots
grafts
flaps
namespaces
exhaustion
modules
tap_done
