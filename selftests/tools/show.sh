#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony show against live qdiscs, and what all commands have in common. Prints TAP 13.
set -u
. "$(dirname "$0")/lib.sh"

tap_equal "nothing to show" "[]" "$("$symphony" -j show)"
tc qdisc add dev $dev root handle 7: symphony k 1 warmup 0 window 60s ecn_min 10kb ecn_max 50kb \
	job fixed 9 step count messages 3 queue order seed 4
two_steps 40
tc -s -j qdisc show dev $dev > "$tmp/tc"
"$symphony" -j show > "$tmp/show"
tap_valid "show -j is what the schema says" show "$tmp/show"

# What tc has under the same names, of the device's qdisc.
same_as_tc()
{
	jq -S --argjson keys "$(jq '.[0].qdiscs[0]'"$1"' | keys' "$tmp/show")" \
		'.[0] | with_entries(select(.key as $k | $keys | index($k)))' "$tmp/tc"
}

tap_equal "show -j: options as tc has them" "$(jq -S '.[0].options' "$tmp/tc")" \
	"$(jq -S '.[0].qdiscs[0].options' "$tmp/show")"
tap_equal "show -j: statistics as tc has them" "$(same_as_tc .stats)" \
	"$(jq -S '.[0].qdiscs[0].stats' "$tmp/show")"
tap_equal "show -j: all of tc's" "[]" "$(jq -c --slurpfile show "$tmp/show" '.[0] | keys -
	($show[0][0].qdiscs[0] | keys) - ($show[0][0].qdiscs[0].stats | keys) -
	["kind", "root", "refcnt", "pkts_in", "ecn_mark"]' "$tmp/tc")"
tap_equal "show -j: the place" '"td0" "7:" "root"' \
	"$(jq -r '.[0] | [.dev, .qdiscs[0].handle, .qdiscs[0].parent] | @json' "$tmp/show" |
		tr -d '[]' | tr , ' ')"
# Two queues with one view: what they share is not counted twice.
tc qdisc del dev $dev root
tc qdisc add dev $dev root handle 1: mq
for queue in 1 2; do
	tc qdisc add dev $dev parent 1:$queue handle 1$queue: symphony domain 3
done
two_steps 10
"$symphony" -j show $dev > "$tmp/show"
tap_valid "show -j of several queues is what the schema says" show "$tmp/show"
tap_equal "show -j: a device's sums" "20 1" "$(jq -r '.[0].stats | "\(.data) \(.jobs)"' "$tmp/show")"
tap_equal "show: a line for a device" "$dev 2" \
	"$("$symphony" show dev $dev | awk 'NR == 2 { print $1, $2 } NR > 2')"
tap_equal "show -d: a line for each queue" "11: 12:" \
	"$("$symphony" -d show $dev | awk 'NR > 2 { print $1 }' | paste -s -d ' ')"
tap_equal "show: fits 80 columns" "" "$("$symphony" -d show | awk 'length > 80')"
tap_equal "show: of another device" "" "$("$symphony" show lo)"

# What all commands share.
tap_equal "no command" "1 See symphony(8)." "$(status_of "$symphony")"
tap_equal "an unknown command" '1 symphony: Object "nix" is unknown, try "symphony help".' \
	"$(status_of "$symphony" nix)"
tap_equal "an unknown option" '1 symphony: Option "-x" is unknown, try "symphony -help".' \
	"$(status_of "$symphony" -x show)"
tap_equal "an unknown device" '1 symphony: Cannot find device "nix"' \
	"$(status_of "$symphony" show nix)"
tap_equal "a word too many" '1 symphony: show: "x" is one word too many' \
	"$(status_of "$symphony" show $dev x)"
tap_equal "an unknown namespace" \
	'1 symphony: network namespace "nix": No such file or directory' \
	"$(status_of "$symphony" -n nix show)"
tap_equal "a command's beginning is enough" "$("$symphony" show)" "$("$symphony" sh)"
for help in help -help --help -h; do
	tap_equal "$help" "0" "$(status_of "$symphony" $help | cut -d ' ' -f 1)"
done
tap_equal "help of a command" "0" "$(status_of "$symphony" show help | cut -d ' ' -f 1)"
tap_equal "the version" "0 symphony utility, $(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf")" \
	"$(status_of "$symphony" -V)"
status=0
"$symphony" -j show > /dev/full 2> "$tmp/err" || status=$?
tap_equal "a full disk" "1 symphony: output: No space left on device" "$status $(cat "$tmp/err")"
tap_done
