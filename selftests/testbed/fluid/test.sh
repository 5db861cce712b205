#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the fluid bounds against cases solved by hand. TAP version 13.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s -C "$here" O="$dir"

# Links of 8 Gbit/s: a byte a nanosecond. Hosts 0 to 3; "shared" is a link that
# some messages pass. Packets have no overhead: 58 bytes of headers are taken off.
links()
{
	echo dev,peer,namespace,ifindex,rate_bps
	printf '%s,x,y,1,8000000000\n' h0 h1 h2 h3 p0 p1 p2 p3 shared
}

# message RING PASS STEP SRC DST PATH...: one of 1 ms.
message()
{
	local ring=$1 pass=$2 step=$3 src=$4 dst=$5 dev

	qp=$((qp + 1))
	shift 5
	echo "1,$ring,$pass,$step,$src,$dst,$qp,0,1,1000000" >> "$dir/flows"
	for dev; do
		echo "$qp,$step,$dev" >> "$dir/paths"
	done
}

begin()
{
	qp=0
	links > "$dir/devices"
	printf 'mtu=1000\noverhead=-58\n' > "$dir/params"
	printf '%s\n' "$@" >> "$dir/params"
	echo job > "$dir/flows"
	echo qp > "$dir/paths"
}

# expect NAME METRIC VALUE
expect()
{
	tap_equal "$1: $2" "$3" "$("$dir/fluid" "$dir" | awk -v name="$2" '$1 == name { print $2 }')"
}

# A ring of two, two passes of two steps, nothing in the way.
alone()
{
	local pass step

	begin "$@"
	for pass in 0 1; do
		for step in 0 1; do
			message 0 $pass $((2 * pass + step)) 0 1 p1
			message 0 $pass $((2 * pass + step)) 1 0 p0
		done
	done
}

alone
expect "a ring alone takes its ideal time" fluid_fair 1
expect "a ring alone takes its ideal time" fluid_order 1
expect "a ring alone takes its ideal time" fluid_order_cct_ms 2
expect "a ring alone has one step in flight" fluid_fair_steps 1
alone barrier=on gap=500us
expect "a gap of 0.5 ms between passes of 4 ms" fluid_fair 1.125
expect "the gap is not part of a pass" fluid_fair_cct_ms 2

# Two rings whose messages share a link; one is a step ahead.
begin
message 0 0 0 0 1 shared p1
message 0 0 0 1 0 p0
message 1 1 1 2 3 shared p3
message 1 1 1 3 2 p2
expect "fair: both take twice the time" fluid_fair_cct_ms 2
expect "order: the smaller step takes its ideal time" fluid_order_cct_ms 1.5
expect "order costs the link no time" fluid_order 2
expect "both steps are in flight" fluid_order_steps 2

# Max-min: who is held back elsewhere leaves its share to the others.
begin
message 0 0 0 0 1 shared p1
message 0 0 0 1 0 p1 p0
message 1 0 0 2 3 shared p3
message 1 0 0 3 2 p1 p2
expect "three messages on a link, two on another" fluid_fair 3

# Ring 0 waits for its neighbour: one of two is slow, so both are.
begin
message 0 0 0 0 1 shared p1
message 0 0 1 0 1 p1
message 0 0 0 1 0 p0
message 0 0 1 1 0 p0
message 1 0 0 2 3 shared p3
message 1 0 0 3 2 p2
# 0 to 1: half a link to 1 ms, then beside its own second step; 1 to 0 needs that
# step at 2 ms and ends at 3 ms.
expect "a step waits for the one before" fluid_order 1.5

tap_done
