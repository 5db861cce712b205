#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All at once for a long time: frames of any bytes through a bridge whose qdisc is changed
# under way, floods of jobs that come and go, grafts, namespaces and flaps, statistics, dumps
# of jobs and flows, operators who override, reset and delete them. In the end every frame
# has left once, the counters are those of what was seen and the memory is what it was.
#
#	soak.sh [SECONDS]	default 1800
# shellcheck disable=SC2031	# topology.sh has a variable dev in a pipe, which is not this one

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
# shellcheck source=router.sh
. "$here/router.sh"
command -v python3 > /dev/null || tap_skip_all "python3 is not installed"
seconds=${1:-1800}
router_with_frames
export PYTHONPATH="$here:$here/../genl" PYTHONDONTWRITEBYTECODE=1

in_router()
{
	ip netns exec "${NS}r" "$@"
}

# Changes by which no packet is lost. The last ones lead back to the first.
harmless()
{
	cat <<-END
	k 1 warmup 0 window 1ms idle 1ms limit 100000
	ecn_min 2000 ecn_max 30000 ecn_prob 1
	tau 0.9 samples 0 alpha_max 3
	jobs 5000 flows 64
	mode observe
	psn absolute
	domain 8
	queue order limit_bytes 100mb limit 100000
	patience 1us hold 1ms
	job dscp
	flows 4096
	proto uet step msgid
	job fixed 9
	queue child limit 100000
	mode prio
	domain 0
	job resv
	mode mark
	psn relative step count messages 2
	queue order limit_bytes 100mb limit 100000
	proto rocev2 step sport
	shield 8
	queue child limit 100000
	shield 1 ecn_max 0 ecn_min 0
	jobs 16384 flows 65536 idle 60s window 1ms
	END
}

# Frames until the end, each burst of another seed: how many came, how many marked.
all_frames()
{
	local seed=0 came=0 marked=0 some more

	while [ ! -e "$tmp/end" ]; do
		seed=$((seed + 1))
		"$frames" "$NS" bridged any 1000 "$seed" "$here"/../net/topology.vec \
			"$here"/../net/vectors/*.vec > "$tmp/frames" 2>&1 || {
			echo "seed $seed:"
			cat "$tmp/frames"
			return 1
		} > "$tmp/lost"
		read -r some _ more _ < "$tmp/frames"
		came=$((came + some))
		marked=$((marked + more))
		echo "$came $marked" > "$tmp/came"
	done
}

statistics()
{
	local reads=0

	while [ ! -e "$tmp/end" ]; do
		# tc says it of a dump that was interrupted
		tc -s -j qdisc show > "$tmp/shown" 2> "$tmp/said" || return 1
		tc -s class show dev atk1 > "$tmp/shown" 2> "$tmp/said" || return 1
		reads=$((reads + 1))
	done
	echo "$reads" > "$tmp/reads"
}

# What a round does to other qdiscs, devices and namespaces.
churn()
{
	local kind status=0

	for kind in codel "netem delay 1ms duplicate 9%" "symphony domain 4" pfifo; do
		# shellcheck disable=SC2086	# words
		tc qdisc replace dev atk1 parent 9:1 $kind || status=1
	done
	ip -n "${NS}r" link set atk1 down
	ip -n "${NS}r" link set atk1 up
	ip -n "${NS}r" link add name atk2 type dummy
	ip -n "${NS}r" link set atk2 up
	tc qdisc add dev atk2 root handle 5: symphony domain 4 || status=1
	in_router "$flood" atk2 300 3 9000 mix > "$tmp/few" || status=1
	ip -n "${NS}r" link del atk2 || status=1
	unshare -n sh -c "
		ip link add name n0 type dummy
		ip link set n0 up
		tc qdisc add dev n0 root handle 5: symphony domain 1 queue order &&
		'$flood' n0 300 3" > "$tmp/few" || status=1
	return "$status"
}

# floods_stop, floods_begin: so that memory is compared at rest. Not by in_router, whose shell
# would be ended in the flood's place.
floods_begin()
{
	ip netns exec "${NS}r" "$flood" "$dev" 86400s $((rounds + 1)) 8000 mix > "$tmp/sent1" &
	floods=$!
	ip netns exec "${NS}r" "$flood" atk1 86400s $((rounds + 2)) 20 gso > "$tmp/sent2" &
	floods="$floods $!"
}

floods_stop()
{
	# shellcheck disable=SC2086	# numbers of processes
	kill $floods
	# shellcheck disable=SC2086
	wait $floods
	# one that goes on would be memory that grows
	if grep -qsx "${flood##*/}" /proc/[0-9]*/comm; then
		echo "a flood outlived its round" > "$tmp/err"
		refused=1
	fi
}

# shrink_caches: what nobody uses goes back. KASAN keeps up to a thirty-second of the memory in
# freed objects, other ones each round.
shrink_caches()
{
	local cache

	for cache in /sys/kernel/slab/*/shrink; do
		[ ! -w "$cache" ] || echo 1 > "$cache"
	done
}

# memory_now: what the kernel holds once nothing changes and freed tables are gone, kB
memory_now()
{
	local last=0 now

	now=$(kernel_memory)
	# a grace period or two after the last change
	while [ $((now - last)) -gt 100 ] || [ $((last - now)) -gt 100 ]; do
		last=$now
		[ ! -w /sys/kernel/debug/kmemleak ] || echo scan > /sys/kernel/debug/kmemleak
		shrink_caches
		now=$(kernel_memory)
	done
	echo "$now"
}

ip -n "${NS}r" link add name "$dev" type dummy
ip -n "${NS}r" link add name atk1 type dummy
ip -n "${NS}r" link set "$dev" up
ip -n "${NS}r" link set atk1 up
tc qdisc add dev b2 root handle 9: tbf rate 40mbit burst 10k limit 10m
tc qdisc add dev b2 parent 9:1 handle 1: symphony limit 100000
tc qdisc add dev "$dev" root handle 5: symphony
tc filter add dev "$dev" parent 5: protocol all matchall classid 5:6
tc qdisc add dev atk1 root handle 9: prio
harmless | sed "s/^/qdisc change dev b2 parent 9:1 handle 1: symphony /" > "$tmp/harmless"
options | sed "s/^/qdisc change dev $dev root handle 5: symphony /" > "$tmp/options"

rounds=0
all_frames & workers=$!
statistics & workers="$workers $!"
in_router python3 "$here/soak.py" "$tmp/end" 1 > "$tmp/operator" 2>&1 & workers="$workers $!"
end=$(($(date +%s) + seconds))
: > "$tmp/memory"
refused=0
while [ "$rounds" -lt 4 ] || [ "$(date +%s)" -lt "$end" ]; do
	floods_begin
	for _ in 1 2 3; do
		tc -batch "$tmp/harmless" > "$tmp/err" 2>&1 || { refused=1; break; }
		# jobs that are too many or have overrides stand against some of these
		tc -force -batch "$tmp/options" > "$tmp/some" 2>&1
		churn 2> "$tmp/err" || { refused=1; break; }
	done
	floods_stop
	[ "$refused" -eq 0 ] || break
	rounds=$((rounds + 1))
	memory_now >> "$tmp/memory"
done
note < "$tmp/err"
tap_result "$refused" "$rounds rounds of changes that were accepted"
: > "$tmp/end"
status=0
for worker in $workers; do
	wait "$worker" || status=1
done
[ ! -e "$tmp/lost" ] || note < "$tmp/lost"
note < "$tmp/operator"
tap_result "$status" "frames, statistics and operators ran to the end"
read -r came marked < "$tmp/came"
echo "# $came frames, $marked marked; statistics read $(cat "$tmp/reads") times"
agree "bridge" b2 "$came" "$marked"
drained "$dev"
tap_result $? "flood: nothing stays queued"
balanced
tap_result $? "flood: every packet in one class"

# of the last quarter and of the second, when all there is to be used has been used
echo "# kernel memory after each round, kB: $(tr '\n' ' ' < "$tmp/memory")"
awk '{ kb[NR] = $1 }
	END {
		n = int(NR / 4)
		if (!n)
			exit 1
		for (i = 1; i <= n; i++) {
			before += kb[n + i]
			after += kb[NR - n + i]
		}
		printf "# %d before, %d after\n", before / n, after / n
		exit after / n - before / n > 1000
	}' "$tmp/memory"
tap_result $? "memory is flat"
splats "no complaint of the kernel"
tap_done
