#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All unit tests: as built for use, and again with sanitizers on less input. TAP
# 13, one point for each program with its own points nested.
. "$(dirname "$0")/../lib/help.sh"

set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/../../out/unit}
points=0
failed=0

# nested NAME CMD [ARG]...
nested()
{
	name=$1
	shift
	points=$((points + 1))
	echo "# Subtest: $name"
	status=0
	"$@" >"$tmp/log" 2>&1 || status=$?
	sed 's/^/    /' "$tmp/log"
	case $status in
	0)	echo "ok $points $name" ;;
	4)	reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$tmp/log")
		echo "ok $points $name # SKIP $reason" ;;
	*)	echo "not ok $points $name"
		echo "# exit status $status"
		failed=1 ;;
	esac
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo "TAP version 13"
if ! make -s -C "$here" OUTPUT="$out" all >"$tmp/log" 2>&1; then
	sed 's/^/# /' "$tmp/log"
	echo "Bail out! selftests/unit does not build"
	exit 1
fi

for test in serial coin algo flow count parse order forged; do
	nested "$test" "$out/test_$test"
done
nested "serial, sanitized" "$out/test_serial.sanitized"
nested "coin, sanitized" "$out/test_coin.sanitized" 20000
nested "algo, sanitized" "$out/test_algo.sanitized" 500000
nested "flow, sanitized" "$out/test_flow.sanitized" 100000
nested "count, sanitized" "$out/test_count.sanitized" 100000
nested "parse, sanitized" "$out/test_parse.sanitized" 400000
nested "order, sanitized" "$out/test_order.sanitized" 4000
export OUT="$out"
nested instructions "$here/instructions.sh"

echo "1..$points"
exit "$failed"
