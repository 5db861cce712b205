#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of Documentation/operators.rst, one after another, with traffic in between.
# Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

ip link del $dev
device eth1 2
PATH=${symphony%/*}:$PATH

# works COMMAND: it succeeds, or the doctor finds something.
works()
{
	local status=0

	bash -c "$1" > "$tmp/out" 2>&1 || status=$?
	[ "$status" -eq 0 ] || [[ $1 == "symphony doctor"* && $status -eq 3 ]] || {
		cat "$tmp/out"
		return 1
	}
}

sed -n 's/^\t# //p' "$top/Documentation/operators.rst" > "$tmp/commands"
while read -r command; do
	two_steps 20 7
	tap_check "$command" works "$command"
	cat "$tmp/out" >> "$tmp/printed"
	case $command in
	"symphony jobs")	tap_check "has the job" grep -q '^eth1 1: * 7 ' "$tmp/out" ;;
	"symphony show")	tap_check "has the device" grep -q '^eth1 ' "$tmp/out" ;;
	esac
done < "$tmp/commands"

# The guide's tables have the columns that are printed.
sed -n 's/^\t\([A-Z]\)/\1/p' "$top/Documentation/operators.rst" | sort -u > "$tmp/heads"
tap_equal "the tables have the columns that the guide shows" "" \
	"$(grep -v -x -F -f "$tmp/printed" "$tmp/heads")"
tap_check "two kinds of them" test "$(wc -l < "$tmp/heads")" -eq 2
tap_check "which are many" test "$(wc -l < "$tmp/commands")" -gt 10
tap_done
