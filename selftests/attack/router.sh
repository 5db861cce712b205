# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The network of selftests/net, with long frames, for those that send them. Sourced after
# lib.sh. FRAMES names the built program if it is not in this directory.

# shellcheck source=selftests/net/topology.sh
. "${here:?}/../net/topology.sh"
# shellcheck disable=SC2034	# used by the scripts that source this file
frames=${FRAMES:-$here/frames}

# router_with_frames: all is up, and tc is the router's from here on
router_with_frames()
{
	local link

	[ -x "$frames" ] || tap_skip_all "frames is not built"
	topology_up
	# shellcheck disable=SC2154	# of lib.sh
	trap 'topology_down; rm -rf "$tmp"' EXIT
	for link in h1:hb1 r:b1 r:b2 h2:hb2 h1:h1 r:r1 r:r2 h2:h2; do
		ip -n "$NS${link%:*}" link set "${link#*:}" mtu 9000
	done
	# also where lib.sh calls it
	# shellcheck disable=SC2317
	tc()
	{
		command tc -n "${NS}r" "$@"
	}
}

# slow_link: prints a tbf in which frames wait four times as long as it takes this machine
# to send them, so that there is a queue on any
slow_link()
{
	local begun bytes took

	begun=$(date +%s%N)
	"$frames" "$NS" bridged fifo 300 99 "$here"/../net/topology.vec \
		"$here"/../net/vectors/*.vec > "$tmp/frames" || return 1
	took=$(($(date +%s%N) - begun))
	read -r _ bytes _ < "$tmp/frames"
	echo "tbf rate $((bytes * 8 * 1000000 / (took / 1000) / 4))bit burst 10k limit 10m"
}

# counter NAME: of the one symphony in $tmp/stats; the last of an option's name
counter()
{
	awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) value = $(i + 1) + 0 }
		END { print value + 0 }' "$tmp/stats"
}

# agree PART PORT FRAMES MARKS: the statistics of the port are those of what came
agree()
{
	drained "$2"
	tap_result $? "$1: nothing stays queued"
	balanced
	tap_result $? "$1: every packet in one class"
	tap_equal "$1: packets that the qdisc sent" "$3" \
		"$(awk '$2 == "symphony" { mine = 1 } mine && $1 == "Sent" { print $4; exit }' "$tmp/stats")"
	tap_equal "$1: marks" "$4" $(($(counter marked) + $(counter ecn_marked)))
	# what the router says of its own, and clsact drops, is not counted
	tap_equal "$1: drops" 0 "$(awk '$1 == "qdisc" { kind = $2 }
		kind != "clsact" && $6 == "(dropped" { sum += $7 } END { print sum + 0 }' "$tmp/stats")"
}
