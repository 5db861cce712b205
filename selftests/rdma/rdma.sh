#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RDMA WRITE traffic of the kernel's rdma_rxe through a router with symphony, in
# three guests: what the router counts is what arrives, packet by packet.
#
#	rdma.sh [KERNEL]
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/selftests/rdma/lib.sh"

kernel=${1:-6.12}
reason=$(rdma_missing) && tap_skip_all "$reason"
dir=${OUT:-$(mktemp -d)}
make -s -C "$top/selftests/rdma" || exit 1
"$top/scripts/build-module" "$kernel" > /dev/null && make -s -C "$top" plugin > /dev/null || exit 1
mkdir -p "$dir/shared"

# One of four queue pairs is held back; nobody writes a step. With k 1 nearly all
# that is ahead is marked, the last phase leaves more to chance. Windows are as
# long as the laggard's round trip.
cat > "$dir/shared/phases" <<'END'
observe symphony job fixed 1 step count gap 30s k 1 window 500ms limit 20000 mode observe
mark symphony job fixed 1 step count gap 30s k 1 window 500ms limit 20000
chance symphony job fixed 1 step count gap 30s k 0.1 window 250ms limit 20000
END

# The marks the router says it set (or would have), as model.awk prints them.
traced_marks()
{
	sed -n 's/.*symphony_mark: .* step=\([0-9]*\) .* position=\([0-9]*\) .*/ce \1 \2/p' "$1/trace"
}

# equal_counts DIR COUNTER COUNT: of tc and of the capture
equal_counts()
{
	tap_equal "$phase: $2 is the capture's number of $3" "$(rdma_count "$1" "$3")" \
		"$(rdma_counter "$1" "$2")"
}

received()
{
	awk '$1 == "rcvd_pkts" { print (FILENAME ~ /before$/ ? -1 : 1) * $2 }' \
		"$1/counters-before" "$1/counters-after" | awk '{ n += $1 } END { print n }'
}

# The one that ended last is the one that was held back; before the others have
# begun or after they have ended it can be ahead of none. That all others are marked
# is not certain: one that ends before the held one's packets come may have been the
# slowest until then.
judged_right()
{
	[ "$phase" = observe ] || awk '
		$1 == "held" { held = $2 }
		$1 == "qp" { packets[$2] = $4; ce[$2] = $5 }
		END { exit held == "" || ce[held] > packets[held] / 20 }' "$1/model" || { grep -E '^(qp|held)' "$1/model"; return 1; }
}

capture_is_whole()
{
	grep -q '^0 packets dropped by kernel' "$1/tcpdump.log" || { cat "$1/tcpdump.log"; return 1; }
}

check_phase()
{
	local d=$dir/shared/$phase total marked

	tap_check "$phase: the capture can be read" rdma_packets "$d" || return
	tap_check "$phase: the capture missed nothing" capture_is_whole "$d"
	total=$(rdma_count "$d" data)
	tap_check "$phase: 6400 data packets or more ($total)" test "$total" -ge 6400
	tap_equal "$phase: four QPs" 4 "$(grep -c '^qp ' "$d/model")"
	tap_equal "$phase: four source ports, none of which is a step" 4 \
		"$(awk '{ print $1, $2 }' "$d/packets" | sort -u | wc -l)"
	tap_equal "$phase: all are ECN capable" 0 "$(rdma_count "$d" not_ect)"
	equal_counts "$d" data data
	equal_counts "$d" lagging lagging
	equal_counts "$d" outpacing outpacing
	equal_counts "$d" last_seen last_seen
	tap_equal "$phase: step_min moved as the capture says" "$(rdma_count "$d" moves)" \
		"$(($(rdma_counter "$d" step_advances) + $(rdma_counter "$d" step_corrections)))"
	equal_counts "$d" marked ce
	tap_equal "$phase: none came with CE or without ECT" "0 0" \
		"$(rdma_counter "$d" already_ce) $(rdma_counter "$d" not_ect)"
	tap_check "$phase: only packets that are ahead carry CE" \
		finds_nothing grep -m 5 '^wrong' "$d/model"
	tap_check "$phase: of the queue pair held back next to none" judged_right "$d"
	tap_equal "$phase: the receiver took every packet, none had a wrong ICRC" \
		"$(rdma_count "$d" packets)" "$(received "$d")"

	traced_marks "$d" > "$d/traced"
	if [ "$phase" = observe ]; then
		marked=$(rdma_counter "$d" would_mark)
		tap_check "$phase: some would be marked ($marked)" test "$marked" -gt 0
		tap_equal "$phase: none is" 0 "$(rdma_count "$d" ce)"
		tap_equal "$phase: each is traced" "$marked" "$(wc -l < "$d/traced")"
	else
		marked=$(rdma_counter "$d" marked)
		tap_check "$phase: some are marked ($marked)" test "$marked" -gt 0
		tap_equal "$phase: nothing else would be" 0 "$(rdma_counter "$d" would_mark)"
		grep '^ce' "$d/model" > "$d/arrived"
		tap_check "$phase: step and position of each mark arrive as traced, in order" \
			cmp "$d/traced" "$d/arrived"
	fi
}

tap_check "three guests, traffic in three phases on $kernel" rdma_run "$kernel" "$dir" ||
	{ cat "$dir/guests.log" "$dir"/shared/*/*.log 2>/dev/null | tail -n 40 | sed 's/^/# /'; tap_done; }
for phase in observe mark chance; do
	check_phase
done
tap_check "no wrong ICRC in the logs of the hosts" \
	finds_nothing grep -a -i 'bad icrc' "$dir/receiver/kmsg" "$dir/sender/kmsg"
tap_done
