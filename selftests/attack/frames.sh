#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames that are nearly those of the vectors of selftests/net, any bytes included, through
# a bridge and a router: each leaves once, as it was but for CE in its outermost IP header
# and that header's checksum, and the counters say what was done to them.
#
#	frames.sh [COUNT [SEED]...]	COUNT (default 4000) of each seed (default 1) and part

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
# shellcheck source=router.sh
. "$here/router.sh"
count=${1:-4000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1
router_with_frames

# through PART WAY PORT ORDER: frames of each seed, and what was counted
through()
{
	part=$1 port=$3
	expected=0 marks=0
	for seed in "${seeds[@]}"; do
		"$frames" "$NS" "$2" "$4" "$count" "$seed" \
			"$here"/../net/topology.vec "$here"/../net/vectors/*.vec > "$tmp/frames" 2>&1
		tap_result $? "$part: seed $seed: each leaves once, as it was or marked"
		note < "$tmp/frames"
		read -r came _ marked _ < <(tail -n 1 "$tmp/frames")
		expected=$((expected + came))
		marks=$((marks + marked))
	done
	agree "$part" "$port" "$expected" "$marks"
	splats "$part: no complaint of the kernel"
}

# reached COUNTER...: each is more than 0
reached()
{
	for name; do
		[ "$(counter "$name")" -gt 0 ]
		tap_result $? "$part: $name: $(counter "$name")"
	done
}

seeds=("$@")
marking="k 1 warmup 0 window 60s samples 16777215 alpha_max 1 patience 60s ecn_min 2000 ecn_max 30000 ecn_prob 1 limit 100000"
slow=$(slow_link)
tap_result $? "frames pass without a qdisc: $slow"
classes="data control no_job unparsable other marked ecn_marked not_ect already_ce"

# shellcheck disable=SC2086	# words
{
	tc qdisc add dev b2 root handle 9: $slow
	tc qdisc add dev b2 parent 9:1 handle 1: symphony $marking
	through "bridged, child" bridged b2 fifo
	reached $classes
	tc qdisc replace dev b2 parent 9:1 handle 2: symphony $marking queue order limit_bytes 100mb
	through "bridged, order" bridged b2 any
	reached $classes order_passed
	tc qdisc replace dev b2 parent 9:1 handle 3: symphony $marking proto uet step msgid \
		queue order limit_bytes 100mb
	through "bridged, order, uet" bridged b2 any
	reached data outpacing other ecn_marked

	tc qdisc add dev r2 root handle 9: $slow
	tc qdisc add dev r2 parent 9:1 handle 1: symphony $marking
	through "routed, child" routed r2 fifo
	reached data control other marked ecn_marked
	tc qdisc replace dev r2 parent 9:1 handle 2: symphony $marking step count queue order \
		limit_bytes 100mb hold 1ms
	through "routed, order, counted steps" routed r2 any
	reached data control other
}

# between the two while packets wait
# shellcheck disable=SC2086
tc qdisc replace dev b2 parent 9:1 handle 4: symphony $marking
while [ ! -e "$tmp/end" ]; do
	tc qdisc change dev b2 parent 9:1 handle 4: symphony queue order limit_bytes 100mb
	tc qdisc change dev b2 parent 9:1 handle 4: symphony queue child limit 100000
done 2> "$tmp/changes" &
changes=$!
through "bridged, changed under way" bridged b2 any
: > "$tmp/end"
wait "$changes"
note < "$tmp/changes"
tap_result "$([ ! -s "$tmp/changes" ]; echo $?)" "changes were accepted"
reached data control other marked order_passed
tap_done
