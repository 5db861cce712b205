#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# symphony below every parent and above every child, in a flood of hostile
# packets: nothing stays counted as queued, every packet is counted once, and
# the device can be torn down with packets queued. Without ALL set, each child
# below a parent that peeks and each parent above the three most different
# children; PARENTS and CHILDREN choose others.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare

parents="root prio ets drr qfq hfsc htb tbf netem red symphony mq"
children="default pfifo bfifo red codel fq_codel fq fq_pie pie sfq sfb hhf choke
	cake tbf skbprio netem-dup netem-loss netem-delay netem-corrupt plug
	drr-empty qfq-empty prio htb-empty symphony order"

# add_parent KIND: tc commands that make room for symphony at "parent 9:1".
add_parent()
{
	case $1 in
	prio)	echo "qdisc add dev $dev root handle 9: prio" ;;
	ets)	echo "qdisc add dev $dev root handle 9: ets bands 2 quanta 1500 3000 priomap 0" ;;
	drr)	echo "qdisc add dev $dev root handle 9: drr"
		echo "class add dev $dev parent 9: classid 9:1 drr quantum 1500"
		echo "filter add dev $dev parent 9: protocol all matchall classid 9:1" ;;
	qfq)	echo "qdisc add dev $dev root handle 9: qfq"
		echo "class add dev $dev parent 9: classid 9:1 qfq weight 10 maxpkt 8000"
		echo "filter add dev $dev parent 9: protocol all matchall classid 9:1" ;;
	hfsc)	echo "qdisc add dev $dev root handle 9: hfsc default 1"
		echo "class add dev $dev parent 9: classid 9:1 hfsc rt m2 400mbit ls m2 400mbit" ;;
	htb)	echo "qdisc add dev $dev root handle 9: htb default 1"
		echo "class add dev $dev parent 9: classid 9:1 htb rate 400mbit burst 100k" ;;
	tbf)	echo "qdisc add dev $dev root handle 9: tbf rate 400mbit burst 20k latency 50ms" ;;
	netem)	echo "qdisc add dev $dev root handle 9: netem delay 1ms duplicate 20%" ;;
	red)	echo "qdisc add dev $dev root handle 9: red limit 1mb avpkt 1000 bandwidth 1gbit" ;;
	symphony) echo "qdisc add dev $dev root handle 9: symphony k 1 warmup 0 window 10ms domain 3" ;;
	mq)	echo "qdisc add dev $dev root handle 9: mq" ;;
	esac
}

# add_child KIND: a tc command that puts it below symphony, "parent 5:1".
add_child()
{
	add="qdisc add dev $dev parent 5:1 handle 6:"
	case $1 in
	default) ;;
	# no child at all: symphony holds the packets, and few of them
	order)	echo "qdisc change dev $dev $at handle 5: symphony queue order" \
			"limit_bytes 20k patience 100us" ;;
	bfifo)	echo "$add bfifo limit 20k" ;;
	pfifo)	echo "$add pfifo limit 1" ;;
	red)	echo "$add red limit 60k min 2k max 20k avpkt 1000 burst 5 ecn bandwidth 1gbit" ;;
	cake)	echo "$add cake bandwidth 300mbit memlimit 20k" ;;
	fq_codel) echo "$add fq_codel memory_limit 1 flows 16" ;;
	codel)	echo "$add codel limit 5 target 1us interval 10us" ;;
	tbf)	echo "$add tbf rate 300mbit burst 3000 limit 40k" ;;
	skbprio) echo "$add skbprio limit 1" ;;
	netem-dup) echo "$add netem duplicate 50%" ;;
	netem-loss) echo "$add netem loss 100%" ;;
	netem-delay) echo "$add netem delay 2ms 1ms reorder 30%" ;;
	netem-corrupt) echo "$add netem corrupt 50%" ;;
	drr-empty) echo "$add drr" ;;
	qfq-empty) echo "$add qfq" ;;
	htb-empty) echo "$add htb default 7" ;;
	sfq)	echo "$add sfq limit 20" ;;
	choke)	echo "$add choke limit 100 min 3 max 20 bandwidth 1gbit burst 10" ;;
	symphony) echo "$add symphony job dscp mode prio window 10ms domain 3" ;;
	*)	echo "$add $1" ;;
	esac
}

# What may be changed with packets on their way, and is.
change_child()
{
	case $1 in
	codel|pie|fq_pie) echo "qdisc change dev $dev parent 5:1 handle 6: $1 limit 1" ;;
	fq_codel) echo "qdisc change dev $dev parent 5:1 handle 6: $1 limit 1" ;;
	plug)	echo "qdisc change dev $dev parent 5:1 handle 6: plug release_indefinite" ;;
	symphony) echo "qdisc change dev $dev parent 5:1 handle 6: symphony domain 0" ;;
	order)	for queue in child order child order; do
			echo "qdisc change dev $dev $at handle 5: symphony queue $queue"
		done ;;
	esac
}

place()
{
	parent=$1
	child=$2
	name="$parent / symphony / $child"
	at="parent 9:1"
	[ "$parent" = root ] && at=root
	opts="k 1 warmup 0 window 10ms ecn_min 3000 ecn_max 9000 shield 4 domain 3"

	new_device || { tap_result 1 "$name: device"; return; }
	{
		add_parent "$parent"
		echo "qdisc add dev $dev $at handle 5: symphony $opts"
		# the second queue of a shared table
		[ "$parent" = mq ] && echo "qdisc add dev $dev parent 9:2 handle 7: symphony $opts"
		add_child "$child"
	} > "$tmp/batch"
	if ! tc -batch "$tmp/batch" > "$tmp/err" 2>&1; then
		if grep -q 'Specified qdisc kind is unknown\|Unknown qdisc' "$tmp/err"; then
			tap_skip "$name" "$(head -n 1 "$tmp/err")"
		else
			note < "$tmp/err"
			tap_result 1 "$name: configuration"
		fi
		ip link del "$dev"
		return
	fi
	# skbprio loses count of bytes when it drops for a packet of better priority
	mode=prio
	[ "$child" = skbprio ] && mode=observe
	[ "$child" = order ] && mode=observe
	{
		echo "qdisc change dev $dev $at handle 5: symphony mode $mode limit 1"
		echo "qdisc change dev $dev $at handle 5: symphony job dscp domain 0 jobs 300"
		change_child "$child"
	} > "$tmp/batch"

	"$flood" "$dev" 150 1 > /dev/null
	tc -batch "$tmp/batch" > "$tmp/err" 2>&1
	tap_result $? "$name: change with packets queued"
	note < "$tmp/err"
	"$flood" "$dev" 150 2 > /dev/null
	if drained "$dev"; then
		tap_result 0 "$name: drains"
	else
		tap_result 1 "$name: drains"
	fi
	balanced
	tap_result $? "$name: every packet in one class"

	# torn down from below with packets queued, then from above
	"$flood" "$dev" 50 3 20 gso > /dev/null
	ip link set "$dev" down
	tc -s qdisc show dev "$dev" > "$tmp/stats"
	ip link set "$dev" up
	"$flood" "$dev" 50 4 20 data > /dev/null
	if [ "$child" != default ] && [ "$child" != order ]; then
		tc qdisc del dev "$dev" parent 5:1 handle 6: 2> "$tmp/err"
		tap_result $? "$name: child deleted"
		note < "$tmp/err"
		"$flood" "$dev" 20 5 20 gso > /dev/null
		drained "$dev"
		tap_result $? "$name: nothing queued without child"
	fi
	tc qdisc add dev "$dev" parent 5:1 handle 8: netem delay 20ms 2> "$tmp/err"
	"$flood" "$dev" 50 6 20 gso > /dev/null
	tc qdisc del dev "$dev" root
	tap_result $? "$name: deleted"
	ip link del "$dev"
	splats "$name: no complaint of the kernel"
}

chosen()
{
	[ -n "${ALL:-}${PARENTS:-}${CHILDREN:-}" ] && return 0
	case $1/$2 in
	tbf/*|*/default|*/order|*/fq_codel|*/tbf) return 0 ;;
	esac
	return 1
}

for parent in ${PARENTS:-$parents}; do
	for child in ${CHILDREN:-$children}; do
		if chosen "$parent" "$child"; then
			place "$parent" "$child"
		fi
	done
done
tap_done
