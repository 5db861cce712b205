#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest with two processors: two queues under mq, fed at the same time, with
# a table each and with one table for both; jobs that come and go, and domains that
# are left and joined, resized and changed, meanwhile. Prints TAP 13.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/selftests/lib/wait.sh"
bench=$1
file=/sys/kernel/debug/symphony_bench
events=/sys/kernel/tracing/events/lock/contention_begin
rounds=20
packets=2048
warmup=4096

# setup DEVICE OPTION...
setup()
{
	local dev=$1 queue

	shift
	ip link add "$dev" numtxqueues 2 numrxqueues 2 type dummy
	echo 1 > "/proc/sys/net/ipv6/conf/$dev/disable_ipv6"
	ip link set "$dev" mtu 4200 arp off up
	tc qdisc replace dev "$dev" root handle 1: mq
	for queue in 1 2; do
		tc qdisc replace dev "$dev" parent "1:$queue" handle "1$queue:" "$@"
	done
}

# feed DEVICES OPTION...: "device ns" for each, the best of the rounds
feed()
{
	local devs=$1

	shift
	exec 3<> $file
	echo "dev=$devs rounds=$rounds packets=$packets warmup=$warmup $*" >&3
	awk '
		{ ns = ($5 + $6) / $4 }
		!($1 in best) || ns < best[$1] { best[$1] = ns }
		END { for (dev in best) printf "%s %.0f\n", dev, best[dev] }' <&3
	exec 3>&-
}

time_of()
{
	awk -v dev="$1" '$1 == dev { print $2 }'
}

# Packets that all queues of a device counted, for each counter named.
count()
{
	tc -s -j qdisc show dev "$1" | jq "[.[] | select(.kind == \"symphony\") | .$2] | add"
}

# jobs_of QUEUE: in the table of churn's queue
jobs_of()
{
	tc -s -j qdisc show dev churn | jq ".[] | select(.handle == \"1$1:\") | .jobs"
}

# Leave and join, alone and with the other queue, resize and change, once each: a
# line each, its kind and the queue first.
changes()
{
	cat <<-END
	leave 1 domain 0
	resize 1 jobs 5000
	join 1 domain 3
	resize 1 jobs 4096
	join 2 domain 3
	change 1 k 0.5 ecn_max 100000
	change 2 k 0.01 ecn_max 0
	leave 2 domain 0
	join 2 domain 2
	leave 1 domain 0
	join 1 domain 2
	END
}

# change_all: all of changes(); adds to $churn/made a line for each during which
# packets passed: its kind. Of the others, refused ones are in $churn/errors.
change_all()
{
	tc -s -force -batch "$churn/batch" > "$churn/shown" 2> "$churn/refused" || :
	cat "$churn/refused" >> "$churn/errors"
	# a change is between two shows, on every second line of the batch
	awk '
	FILENAME ~ /refused$/	{ if (/^Command failed/) { sub(/.*:/, ""); refused[$0 + 0] = 1 }; next }
	FILENAME ~ /changes$/	{ kind[++n] = $1; next }
	/^qdisc mq /		{ root = 1; next }
	root && /Sent /		{ sent[++shows] = $4; root = 0 }
	END {
		for (i = 1; i <= n; i++)
			if (!(2 * i in refused) && sent[i + 1] > sent[i])
				print kind[i]
	}' "$churn/refused" "$churn/changes" "$churn/shown" >> "$churn/made"
}

# made KIND: how many
made()
{
	grep -c -x "$1" "$churn/made" || :
}

# Whether there were enough changes of each kind.
enough()
{
	local kind

	for kind in leave join resize change; do
		[ "$(made $kind)" -ge 10 ] || return 1
	done
}

# Feeds churn again and again, and leaves in $churn/runs how often.
feed_on()
{
	local runs=0

	while [ ! -e "$churn/enough" ]; do
		feed churn path=xmit queues=2 jobs=8191 rounds=10 > /dev/null
		runs=$((runs + 1))
		echo $runs > "$churn/runs"
	done
}

# known DEV: jobs in the table of its queues, idle ones as well, which do not show as such.
known()
{
	tc qdisc change dev "$1" parent 1:1 handle 11: symphony idle 60s
	echo $(($(count "$1" jobs) / 2))
	tc qdisc change dev "$1" parent 1:1 handle 11: symphony idle 1ms
}

# Idle jobs are forgotten where tables change.
forgotten()
{
	tc qdisc change dev churn parent 1:1 handle 11: symphony domain 0
	tc qdisc change dev churn parent 1:1 handle 11: symphony domain 2
	[ "$(known churn)" -eq 0 ]
}

begin_contention()
{
	: > /sys/kernel/tracing/trace
	echo 'hist:keys=flags' > $events/trigger
}

# Times that somebody waited for a spinlock since begin_contention().
contention()
{
	awk -F: '/Hits/ { print $2 + 0 }' $events/hist
	echo '!hist:keys=flags' > $events/trigger
}

# A lost lock may leave both processors in a loop: let that be the end.
sysctl -q -w kernel.watchdog_thresh=10 kernel.softlockup_panic=1
modprobe sch_symphony
insmod "$bench"
setup private symphony
setup domain symphony domain 1

fed=0
for jobs in 1 64; do
	one=$(feed private,domain queues=1 jobs=$jobs)
	two=$(feed private,domain queues=2 jobs=$jobs)
	fed=$((fed + 3 * (warmup + rounds * packets)))
	for dev in private domain; do
		echo "# $jobs jobs, $dev: $(echo "$one" | time_of $dev) ns a packet on one CPU," \
			"$(echo "$two" | time_of $dev) on each of two"
	done
done
for dev in private domain; do
	tap_equal "$dev: every packet is counted as data" $fed "$(count $dev data)"
	tap_equal "$dev: lagging and outpacing add up" $fed \
		$(($(count $dev lagging) + $(count $dev outpacing)))
done
tap_equal "domain: all jobs are in one table, named by both" 128 "$(count domain jobs)"

# Twice as many jobs as the table holds, and so many that each is idle when its
# turn comes: both CPUs enter, expire and look up jobs with nearly every packet.
setup churn symphony domain 2 jobs 4096 flows 64 idle 1ms window 1us
fed=0
feed churn queues=2 jobs=8191 > /dev/null
fed=$((fed + 2 * (warmup + rounds * packets)))
tap_equal "churn: every packet is data or finds the table full" $fed \
	$(($(count churn data) + $(count churn table_full)))
left=$(($(count churn jobs_expired) + $(count churn jobs_replaced)))
tap_equal "churn: a job entered is in the table or left it" "$(count churn jobs_created)" \
	$((left + $(known churn)))
tap_check "churn: jobs left under traffic" [ $left -gt $((fed / 4)) ] || :

# The same in a table of a few chains, in which both CPUs enter and expire jobs side
# by side: without a job's lock, chains break and jobs get lost.
setup crowd symphony domain 4 jobs 16 flows 64 idle 1ms window 1us
feed crowd queues=2 jobs=512 rounds=100 > /dev/null
tap_equal "crowd: every packet is data or finds the table full" \
	$((2 * (warmup + 100 * packets))) $(($(count crowd data) + $(count crowd table_full)))
left=$(($(count crowd jobs_expired) + $(count crowd jobs_replaced)))
tap_equal "crowd: a job entered is in the table or left it" "$(count crowd jobs_created)" \
	$((left + $(known crowd)))

# Meanwhile queues leave their domain and join another, tables become larger and
# smaller, and configurations change.
churn=$(mktemp -d)
changes > "$churn/changes"
{
	echo "qdisc show dev churn"
	awk '{
		queue = $2
		sub(/^[a-z]+ [0-9]+ /, "")
		print "qdisc change dev churn parent 1:" queue " handle 1" queue ": symphony " $0
		print "qdisc show dev churn"
	}' "$churn/changes"
} > "$churn/batch"
: > "$churn/made"
feed_on &
feeder=$!
wait_for 120 [ -e "$churn/runs" ] || :
limit=$(($(date +%s) + 240))
until enough || [ "$(date +%s)" -ge $limit ]; do
	change_all
done
: > "$churn/enough"
wait $feeder || :
fed=$((fed + 2 * $(cat "$churn/runs") * (warmup + 10 * packets)))
for kind in leave join resize change; do
	tap_check "changes: $kind, $(made $kind) times while packets passed" \
		[ "$(made $kind)" -ge 10 ] || :
done
tap_equal "changes: none was refused but for lack of room" "" \
	"$(grep Error "$churn/errors" | grep -v "no room")"
tap_equal "changes: every packet is data or finds the table full" $fed \
	$(($(count churn data) + $(count churn table_full)))
tap_check "changes: all jobs are forgotten in the end" wait_for 120 forgotten || :

# A table that was resized while only one queue had it is still the domain's.
for queue in 1 2; do
	tc qdisc change dev churn parent 1:$queue handle 1$queue: symphony idle 60s
done
tc qdisc change dev churn parent 1:1 handle 11: symphony domain 3
tc qdisc change dev churn parent 1:1 handle 11: symphony jobs 5000
tc qdisc change dev churn parent 1:2 handle 12: symphony domain 3
full=$(count churn table_full)
feed churn queues=1 jobs=5000 > /dev/null
tap_equal "changes: the table holds as many jobs as ever" "5000 $full" \
	"$(jobs_of 1) $(count churn table_full)"
tap_equal "changes: and is that of the queue that joined" "$(jobs_of 1)" "$(jobs_of 2)"

if [ -e $events/hist ]; then
	for dev in private domain; do
		begin_contention
		feed $dev queues=2 jobs=64 > /dev/null
		echo "# $dev: $(contention) waits for a lock in $((2 * (warmup + rounds * packets))) packets"
	done
else
	tap_skip "waits for locks" "the kernel has no histogram of lock:contention_begin"
fi
tap_done
