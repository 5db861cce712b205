#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony job and monitor against live qdiscs with traffic. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

ip link add td1 type dummy
tc qdisc add dev $dev root handle 7: symphony k 1 warmup 0 window 60s
tc qdisc add dev td1 root handle 8: symphony
"$symphony" monitor > "$tmp/text" &
monitors=$!
"$symphony" -j monitor > "$tmp/events" &
monitors="$monitors $!"
"$symphony" -j monitor --buffer 2048 > "$tmp/few" &
monitors="$monitors $!"

# state JOB FILTER: of a job.
state()
{
	"$symphony" -j jobs | jq -c --argjson job "$1" ".[] | select(.job == \$job) | $2"
}

# There is no sign that a monitor listens but that it prints what happens.
heard()
{
	"$symphony" job del 1 "$dev" 2> /dev/null
	two_steps 1 1
	grep -q '"job_appeared"' "$tmp/events" && grep -q '"job_appeared"' "$tmp/few" && grep -q ' job 1 job_appeared' "$tmp/text"
}
tap_check "monitor: a job appeared" wait_for 60 heard

two_steps 10 5
tap_check "job set: for the job alone" "$symphony" job set 5 k 0 tau 12.5% mode observe
tap_equal "as it was said" '{"k":0,"tau":0.125,"mode":"observe"}' "$(state 5 .overrides)"
marks=$(state 5 .stats.marked)
two_steps 10 5
tap_equal "which is turned down" "$marks" "$(state 5 .stats.marked)"
tap_check "job set: mode prio" "$symphony" job set 5 mode prio
tap_equal "as it was said, too" '"prio"' "$(state 5 .overrides.mode)"
tap_check "job set: default" "$symphony" job set 5 k default mode default
tap_equal "ends an override, others stay" '{"tau":0.125}' "$(state 5 .overrides)"
tap_check "job set: pinned before it sends" "$symphony" job set 9 dev td1 pinned on k 0.123456789
tap_equal "as it was said, to the last digit" '{"k":0.123456789,"pinned":1}' "$(state 9 .overrides)"
"$symphony" -j jobs > "$tmp/jobs"
tap_valid "jobs -j with overrides is what the schema says" jobs "$tmp/jobs"
tap_check "job reset" "$symphony" job reset 5
tap_equal "counters begin anew" 0 "$(state 5 .stats.packets)"
tap_equal "overrides stay" '{"tau":0.125}' "$(state 5 .overrides)"
tap_check "job del" "$symphony" job del 9
tap_equal "it is forgotten" "" "$(state 9 .job)"
expired()
{
	grep -q '"job_expired".*"job":9' "$tmp/events"
}
tap_check "monitor: and expired" wait_for 60 expired

"$symphony" job set 5 td1 pinned on
tap_equal "a job of two tables" \
	"1 symphony: job 5 is in td0 7: and in td1 8:: say dev or domain" \
	"$(status_of "$symphony" job reset 5)"
tap_check "of one that was named" "$symphony" job reset 5 dev td1
tap_equal "a job that nobody knows" "2 symphony: no table knows job 99" \
	"$(status_of "$symphony" job reset 99)"
tap_equal "nor the one that was named" 2 "$(status_of "$symphony" job del 99 $dev | cut -d ' ' -f 1)"
tap_equal "no k" '1 symphony: job set: k "1.1": not a probability from 0 to 1, or default' \
	"$(status_of "$symphony" job set 5 k 1.1)"
tap_equal "too fine a tau" \
	'1 symphony: job set: tau "0.0000000001": not a ratio from 0 to 1, or default' \
	"$(status_of "$symphony" job set 5 tau 0.0000000001)"
tap_equal "a mode that there is not" \
	'1 symphony: job set: mode "fast": not mark, observe or prio, or default' \
	"$(status_of "$symphony" job set 5 mode fast)"
tap_equal "nothing to set" "1 symphony: job set: nothing to set, k, tau, mode or pinned" \
	"$(status_of "$symphony" job set 5)"
tap_equal "no job" '1 symphony: job reset: job "0": not a number from 1 to 16777215' \
	"$(status_of "$symphony" job reset 0)"
tap_equal "nothing to do" '1 symphony: job: "" is not set, reset, del, add, list or keep' \
	"$(status_of "$symphony" job)"
if command -v setpriv > "$tmp/which"; then
	tap_equal "without the right to" 2 "$(status_of setpriv --bounding-set -net_admin \
		--inh-caps -net_admin "$symphony" job reset 5 $dev | cut -d ' ' -f 1)"
else
	tap_skip "without the right to" "setpriv is not installed"
fi

# Misaligned and aligned again, by windows that end.
misaligned()
{
	two_steps 30 5
	grep -q '"misaligned".*"job":5' "$tmp/events"
}
aligned()
{
	send "Sender(peer, 3, 0x11).send(60)"
	grep -q '"aligned".*"job":5' "$tmp/events"
}
tc qdisc change dev $dev root handle 7: symphony window 1ms
tap_check "monitor: misaligned" wait_for 60 misaligned
tap_check "monitor: aligned" wait_for 60 aligned
head -n 1 "$tmp/events" > "$tmp/first"
tap_valid "an event is what the schema says" monitor "$tmp/first"
grep '"misaligned"' "$tmp/events" | head -n 1 > "$tmp/first"
tap_valid "another" monitor "$tmp/first"
tap_check "a time, a table, a job, what happened" grep -q -E \
	'^[0-9:]{8}\.[0-9]{6} td0 7: job 5 misaligned step 3 alpha 2$' "$tmp/text"

# Nobody reads while more happens than fits: said, and gone on with.
for pid in $monitors; do
	kill -STOP "$pid"
done
overrun()
{
	for job in {100..250}; do
		echo "job set $job td1 pinned on"
		echo "job del $job td1"
	done | while read -r line; do
		# shellcheck disable=SC2086	# words are meant
		"$symphony" $line || return
	done
}
tap_check "as much as nobody reads" overrun
for pid in $monitors; do
	kill -CONT "$pid"
done
recovered()
{
	"$symphony" job set 77 td1 pinned on
	"$symphony" job del 77 td1
	grep -q '"job":77\b' "$tmp/events" && grep -q '"job":77\b' "$tmp/few"
}
tap_check "monitor goes on" wait_for 60 recovered
tap_check "and says that some were lost" grep -q '"overrun"' "$tmp/few"
grep '"overrun"' "$tmp/few" | head -n 1 > "$tmp/first"
tap_valid "as the schema has it" monitor "$tmp/first"
tap_check "every line is JSON" jq -e . "$tmp/events" "$tmp/few"
tap_equal "a buffer that is none" '1 symphony: monitor: --buffer "1": not bytes from 2048 to 1073741824' \
	"$(status_of "$symphony" monitor --buffer 1)"
for pid in $monitors; do
	kill "$pid"
done
tap_done
