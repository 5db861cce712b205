#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Several tests in one guest, whose start costs more than they do. Prints TAP 13.
#
#	each.sh TEST...
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for test; do
	name=$(basename "$test" .sh)
	status=0
	"$test" > "$tmp/log" || status=$?
	reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$tmp/log")
	if [ "$status" -eq 4 ] && [ -n "$reason" ]; then
		tap_skip "$name" "$reason"
		continue
	fi
	tap_nested "$name" "$tmp/log"
	tap_check "$name: came to its end" grep -q '^1\.\.[1-9]' "$tmp/log"
	tap_check "$name: ends as its points say" test "$status" -eq \
		"$(grep -c -m 1 '^not ok' "$tmp/log")"
done
tap_done
