#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tracepoints: the manual page names each with its fields, and bpftrace reads them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
. "$here/../lib/wait.sh"
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
	tap_check "bpftrace reads every field" timeout 1200 bpftrace -e "$program"
else
	tap_skip "bpftrace reads every field" "bpftrace is not installed"
fi

# The scripts of tools/bpftrace, with a job whose second flow runs ahead.
scripts=$here/../../tools/bpftrace
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# watches POINT SCRIPT PATTERN [ARG]...: what it prints while packets pass.
watches()
{
	local point=$1 script=$2 pattern=$3 tracer status=0

	shift 3
	: > "$tmp/out"
	bpftrace -B line "$scripts/$script" "$@" > "$tmp/out" 2> "$tmp/err" &
	tracer=$!
	if wait_for 1200 grep -q . "$tmp/out"; then
		traffic
		wait_for 300 seen "$pattern"
	fi
	status=$?
	kill -INT $tracer
	wait $tracer
	# a histogram comes at the end
	grep -q -E "$pattern" "$tmp/out"
	tap_result $? "$point"
	[ $status -eq 0 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
}

# Whether it has been printed, or will be when the tracer ends.
seen()
{
	[[ $1 == ^@thousandths* ]] || grep -q -E "$1" "$tmp/out"
}

traffic()
{
	PYTHONPATH=$here/../readers PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
from roce import Sender
low, high = Sender("192.0.2.2", 3, 0x11), Sender("192.0.2.2", 4, 0x12)
for _ in range(50):
    low.send(1)
    high.send(1)
low.messages(3)'
}

if ! command -v bpftrace > /dev/null; then
	tap_skip "the scripts of tools/bpftrace" "bpftrace is not installed"
elif ! ip link add tr0 type dummy; then
	tap_skip "the scripts of tools/bpftrace" "no dummy device"
else
	ip address add 192.0.2.1/24 dev tr0
	ip link set tr0 up
	ip neighbor add 192.0.2.2 lladdr 02:00:00:00:00:02 dev tr0
	tc qdisc add dev tr0 root symphony k 1 warmup 0 window 60s
	watches "symphony-marks.bt counts marks by job" symphony-marks.bt '^@due\[[0-9]+, 5, marked\]: [1-9]'
	watches "symphony-steps.bt has a line for each step" symphony-steps.bt ' 5 +3 +4 '
	watches "of the job alone that is asked for" symphony-steps.bt ' 5 +3 +4 ' 5
	watches "symphony-probability.bt has a histogram" symphony-probability.bt '^@thousandths\[5\]' 1000000
fi
tap_done
