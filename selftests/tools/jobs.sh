#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony jobs against live qdiscs with traffic. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

ip link add td1 type dummy
tap_equal "no table: no job" "[]" "$("$symphony" -j jobs)"
tc qdisc add dev $dev root handle 7: symphony k 1 warmup 0 window 60s
tc qdisc add dev td1 root symphony
tap_equal "no traffic: no job" "[]" "$("$symphony" -j jobs)"
two_steps 30 5
two_steps 10 6
"$symphony" -j jobs > "$tmp/jobs"
tap_valid "jobs -j is what the schema says" jobs "$tmp/jobs"
tap_equal "each job with its place" "td0 7: root 5,td0 7: root 6" \
	"$(jq -r '.[] | "\(.dev) \(.handle) \(.parent) \(.job)"' "$tmp/jobs" | paste -s -d ,)"
tap_equal "its packets, those ahead, its marks" "60 30 30,20 10 10" \
	"$(jq -r '.[].stats | "\(.packets) \(.outpacing) \(.marked)"' "$tmp/jobs" | paste -s -d ,)"
tap_equal "the sums are the device's" "$("$symphony" -j show $dev | jq -c '.[0].stats |
	[.data, .data_bytes, .outpacing, .marked]')" \
	"$(jq -c '[.[].stats] | map([.packets, .bytes, .outpacing, .marked]) | transpose | map(add)' \
		"$tmp/jobs")"
tap_equal "its smallest step" "3 3" "$(jq -r '.[].state.step_min' "$tmp/jobs" | paste -s -d ' ')"
tap_equal "a device's alone" "[]" "$("$symphony" -j jobs td1)"
tap_equal "a qdisc's alone" "2" "$("$symphony" -j jobs $dev handle 7: | jq length)"
tap_equal "text: a line for each" "5 6" \
	"$("$symphony" jobs | awk 'NR > 1 { print $3 }' | paste -s -d ' ')"
tap_equal "text: fits 80 columns" "" "$("$symphony" jobs | awk 'length > 80')"

# Flows of a job.
"$symphony" -j flows 5 > "$tmp/flows"
tap_valid "flows -j is what the schema says" flows "$tmp/flows"
tap_equal "flows: addresses, queue pair, step, position" \
	"192.0.2.1 192.0.2.2 17 3 30,192.0.2.1 192.0.2.2 18 4 30" \
	"$(jq -r 'sort_by(.dest)[] | "\(.src) \(.dst) \(.dest) \(.step) \(.position)"' "$tmp/flows" |
		paste -s -d ,)"
tap_equal "flows: text" "17 18" \
	"$("$symphony" flows 5 $dev | awk 'NR > 1 { print $3 }' | sort | paste -s -d ' ')"
tap_equal "flows: fits 80 columns" "" "$("$symphony" flows 5 | awk 'length > 80')"
tap_equal "flows: of a job that nobody knows" "2 symphony: no table knows job 99" \
	"$(status_of "$symphony" flows 99)"

# Misaligned: windows end in which most run ahead.
misaligned()
{
	two_steps 30 5
	"$symphony" -j jobs | jq -e '.[] | select(.job == 5 and .state.alpha > 1 and
		.state.misaligned > 0)' > "$tmp/misaligned"
}
tc qdisc change dev $dev root handle 7: symphony window 1ms
tap_check "for how long it is misaligned" wait_for 60 misaligned

tc qdisc del dev $dev root
tc qdisc del dev td1 root
tc qdisc add dev $dev root handle 1: mq
for queue in 1 2; do
	tc qdisc add dev $dev parent 1:$queue symphony domain 3
done
two_steps 10 9
"$symphony" -j jobs > "$tmp/jobs"
tap_valid "jobs -j of a domain is what the schema says" jobs "$tmp/jobs"
tap_equal "a domain's table is there once" "3 9 20" \
	"$(jq -r '.[] | "\(.domain) \(.job) \(.stats.packets)"' "$tmp/jobs")"
tap_equal "text: a domain" "domain 3 9" "$("$symphony" jobs domain 3 | awk 'NR > 1 { print $1, $2, $3 }')"
tap_equal "a domain that is none" 2 "$(status_of "$symphony" jobs domain 4 | cut -d ' ' -f 1)"
tap_equal "no number of a domain" "1 symphony: jobs: domain \"x\": not a number from 1 to 4294967295" \
	"$(status_of "$symphony" jobs domain x)"
tap_equal "no handle" "1 symphony: jobs: handle \"7\": not as 1: or 1:2" \
	"$(status_of "$symphony" jobs handle 7)"
tap_done
