#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of what the testbed is made of: simdev, collgen, topo. TAP version 13.
# run.sh [--debug]: with the debugging kernel.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
out=${OUT:-$top/out/testbed-sanity}
debug=()
[ "${1:-}" != --debug ] || debug=(--debug)

modules=$("$top/scripts/uml-modules" ${debug[@]+"${debug[@]}"} testbed)

# guest NAME COMMAND...: its output is in $out/NAME/log.
guest()
{
	local name=$1

	shift
	mkdir -p "$out/$name"
	"$top/scripts/uml" --time-travel --quiet ${debug[@]+"${debug[@]}"} --out "$out/$name" \
		${load[@]+"${load[@]}"} -- "$@" > "$out/$name/log" 2> "$out/$name/stderr"
}

# points LOG: turn what the guest found into points.
points()
{
	local kind rest verdict

	while read -r kind rest; do
		case $kind in
		point)
			verdict=${rest%% *}
			[ "$verdict" = ok ] && status=0 || status=1
			tap_result "$status" "${rest#* }"
			;;
		*)	echo "# $kind $rest" ;;
		esac
	done < "$1"
}

load=(--module "$modules/simdev.ko" --module "$modules/collgen.ko")
status=0
guest sanity "$here/guest.sh" "$modules/topo" ${debug[@]+quick} || status=$?
points "$out/sanity/log"
[ ${#debug[@]} -eq 0 ] || tap_skip "two DCQCN flows share a port" "too long for the debugging kernel"
tap_equal "the guest came to its end, and its kernel did not complain" 0 "$status"
[ "$status" = 0 ] || sed 's/^/# /' "$out/sanity/stderr"

for run in 1:a 1:b 2:a; do
	guest "repeat-$run" "$here/repeat.sh" "$modules/topo" "${run%:*}" || {
		sed 's/^/# /' "$out/repeat-$run/stderr"
	}
done
hash()
{
	sed -n 's/^hash //p' "$out/repeat-$1/log"
}
tap_equal "two runs of a seed give the same records" "$(hash 1:a)" "$(hash 1:b)"
tap_check "another seed gives others" test "$(hash 1:a)" != "$(hash 2:a)"
tap_check "with congestion" test "$(sed -n 's/^marks //p' "$out/repeat-1:a/log")" -gt 0
tap_check "and all is sent" grep -q 'complete 1' "$out/repeat-1:a/log" "$out/repeat-2:a/log"

load=()
guest timer "$here/timer.sh" "$modules/topo" "$modules" || sed 's/^/# /' "$out/timer/stderr"
grep '^point' "$out/timer/log" > "$out/timer/points"
points "$out/timer/points"
tap_equal "an hrtimer behind the events gives the same records as a thread" "$(hash 1:a)" \
	"$(sed -n 's/^hash //p' "$out/timer/log")"

read -r _ cpu wall < <(grep '^speed ' "$out/repeat-1:a/log")
echo "# $cpu packet hops a second of processor time, $wall of wall time"
if [ ${#debug[@]} -eq 0 ]; then
	tap_check "at least 300,000 packet hops a second on one core" test "$cpu" -ge 300000
fi
tap_done
