#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tracepoints: the manual page names each with its fields, and bpftrace reads them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
page=$here/../../Documentation/man/tc-symphony.8
events=/sys/kernel/tracing/events/symphony
PATH=$PATH:/usr/sbin:/sbin

modprobe sch_symphony || tap_skip_all "no module sch_symphony"
[ -d "$events" ] || tap_skip_all "a kernel without tracepoints"

# fields EVENT: what it has beside device and qdisc
fields()
{
	sed -n 's/^	field:.* \([a-z_]*\);	offset.*/\1/p' "$events/$1/format" |
		grep -v -E '^(common_.*|ifindex|handle)$' | sort | paste -s -d ' '
}

# documented EVENT: the fields in the page's paragraph on it
documented()
{
	awk -v event="$1" '
		/^\.SH/ { on = $2 == "TRACEPOINTS" }
		/^\.(TP|P)$/ { next_is = 1; here = 0; next }
		on && next_is { here = $2 == event; next_is = 0; next }
		on && here && /^\.IR? / { print $2 }' "$page" | sort -u | paste -s -d ' '
}

names=$(find "$events" -mindepth 1 -type d -printf '%f\n' | sort | paste -s -d ' ')
tap_equal "the tracepoints" "symphony_mark symphony_step symphony_window" "$names"
program="BEGIN { exit(); }"
for event in $names; do
	tap_equal "the manual page has the fields of $event" "$(fields "$event")" "$(documented "$event")"
	program="$program tracepoint:symphony:$event {"
	for field in ifindex handle $(fields "$event"); do
		program="$program @[args->$field] = count();"
	done
	program="$program }"
done

if command -v bpftrace > /dev/null; then
	tap_check "bpftrace reads every field" timeout 300 bpftrace -e "$program"
else
	tap_skip "bpftrace reads every field" "bpftrace is not installed"
fi
tap_done
