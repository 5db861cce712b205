#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# One run, inside User Mode Linux: guest.sh TOPO. The working directory is the
# run's; it holds what lib/plan.awk has written and receives the records.

set -eu
topo=$1
control=/proc/collgen

fail()
{
	echo "guest: $*" >&2
	exit 1
}

# Windows of all jobs at all ports: symphony's tracepoint, for {trace} on.
tracing=/sys/kernel/tracing
if grep -qx trace=on params; then
	echo 65536 > $tracing/buffer_size_kb
	echo 1 > $tracing/events/symphony/symphony_window/enable
fi

print_windows()
{
	awk -v OFS=, '
	BEGIN { print "start_ns,dev,job,step_min,psn_rec,packets,outpacing,alpha" }
	FILENAME == "devices" {
		split($0, part, ",")
		if (part[4] in name)
			part[1] = "?"
		name[part[4]] = part[1]
		next
	}
	FILENAME == "summary" {
		if (sub(/^zero_ns=/, ""))
			zero = $0
		next
	}
	/symphony_window:/ {
		for (i = 1; i <= NF; i++)
			if (split($i, part, "=") == 2)
				value[part[1]] = part[2]
		printf "%.0f,", value["start"] - zero
		print name[value["ifindex"]], value["job"], value["step_min"], value["psn_rec"],
			value["cnt_total"], value["cnt_op"], value["alpha"]
	}' devices summary $tracing/trace
}

# A tc command for every port of every switch, DEV stands for its name.
for_all_ports()
{
	awk -F, -v text="$*" '
	$3 ~ /^[tsc][0-9]+$/ {
		line = text
		gsub(/DEV/, $1, line)
		print line > ("/tmp/batch." $3)
	}' devices
	for batch in /tmp/batch.*; do
		tc -n "${batch#/tmp/batch.}" -batch "$batch" || fail "tc $*"
	done
	rm -f /tmp/batch.*
}

set --
while read -r word; do
	set -- "$@" "$word"
done < topo
"$topo" "$@" print=on > devices || fail "topo failed"

while read -r line; do
	echo "$line" > $control/command || fail "$line: $(cat $control/error)"
done < commands

[ ! -e $tracing/trace_marker ] || echo start > $tracing/trace_marker
echo start > $control/command || fail "start: $(cat $control/error)"

# Events at virtual times: "500ms qdisc change dev DEV ...".
while read -r time rest; do
	echo "until $time" > $control/command || fail "until $time: $(cat $control/error)"
	for_all_ports "$rest"
done < ./at

cat $control/wait > /dev/null
for record in flows steps queues ports pauses collectives summary; do
	cp $control/$record $record
done
awk '/^MemTotal:/ { kb = $2 } /^MemAvailable:/ { print "memory_kb=" kb - $2 }' /proc/meminfo >> summary
for record in rates paths; do
	if grep -qx "trace $record on" commands; then
		cp $control/$record $record
	fi
done
if grep -qx trace=on params; then
	print_windows > windows
fi
awk -F, '$3 ~ /^[tsc][0-9]+$/ && !seen[$3]++ { print $3 }' devices |
	while read -r ns; do
		tc -n "$ns" -s -j qdisc show
	done > qdiscs
