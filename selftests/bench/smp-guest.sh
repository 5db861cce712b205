#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest with two processors: two queues under mq, fed at the same time, with
# a table each and with one table for both; jobs that come and go, and a domain
# that is left and joined, meanwhile. Prints TAP 13.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
bench=$1
file=/sys/kernel/debug/symphony_bench
events=/sys/kernel/tracing/events/lock/contention_begin
rounds=60
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

# How often the domain of churn's first queue was another than before.
changes_made()
{
	awk '/symphony 11:/ {
		domain = match($0, /domain [0-9]+/) ? substr($0, RSTART, RLENGTH) : ""
		made += domain != before
		before = domain
	}
	END { print made + 0 }' "$changes"
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
tap_equal "churn: a job entered is in the table or expired" "$(count churn jobs_created)" \
	$(($(count churn jobs_expired) + $(count churn jobs) / 2))
tap_check "churn: jobs expired under traffic" [ "$(count churn jobs_expired)" -gt $((fed / 4)) ] || :

# The first queue leaves the domain and comes back, with its jobs each time.
changes=$(mktemp)
while :; do
	for domain in 0 3 2; do
		echo "qdisc change dev churn parent 1:1 handle 11: symphony domain $domain"
		echo "qdisc show dev churn"
	done
done | tc -force -batch - > "$changes" 2> "$changes.refused" &
changer=$!
until [ -s "$changes" ]; do
	sleep 0.1
done
before=$(changes_made)
feed churn queues=2 jobs=8191 rounds=400 > /dev/null
made=$(($(changes_made) - before))
kill $changer
wait $changer || :
fed=$((fed + 2 * (warmup + 400 * packets)))
echo "# $made changes while packets passed"
tap_check "changes: enough of them" [ "$made" -gt 20 ] || :
tap_equal "changes: none was refused but for lack of room" "" \
	"$(grep Error "$changes.refused" | grep -v "no room")"
tap_equal "changes: every packet is data or finds the table full" $fed \
	$(($(count churn data) + $(count churn table_full)))
tc qdisc change dev churn parent 1:1 handle 11: symphony domain 2
sleep 1
tap_equal "changes: all jobs are forgotten in the end" 0 "$(count churn jobs)"
for queue in 1 2; do
	tc qdisc change dev churn parent 1:$queue handle 1$queue: symphony idle 60s
done
full=$(count churn table_full)
feed churn queues=2 jobs=4096 > /dev/null
tap_equal "changes: the table holds as many jobs as ever" "8192 $full" \
	"$(count churn jobs) $(count churn table_full)"

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
