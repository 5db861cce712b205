#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A store of three members that are killed, stopped and replaced while jobs begin: no number
# is given twice, and what one member cannot do another does. Prints TAP 13.
. "$(dirname "$0")/etcd.sh"
set -u

make --no-print-directory -s -C "$here" storedrive > "$tmp/make" 2>&1 || tap_skip_all "storedrive does not build"
SYMPHONY_ETCD=$(member_url 1),$(member_url 2),$(member_url 3)
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf
printf 'ttl 3600\ngrace 3600\nlimit 60\n' > "$SYMPHONY_STORE_CONF"

all_healthy()
{
	healthy 1 && healthy 2 && healthy 3
}
for i in 1 2 3; do
	member_start "$i" 3
done
wait_for 120 all_healthy || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# begun: some jobs of a race are there, so that what happens now happens in the middle of it.
begun()
{
	[ "$("$symphony" -j job list | jq '[.[] | select(.cluster == "drive")] | length')" -ge 20 ]
}

# race_while NAME CMD...: two schedulers race while something happens.
race_while()
{
	local name=$1 racer

	shift
	ctl del /symphony --prefix > "$tmp/ctl"
	"$here/storedrive" race 100 > "$tmp/race" 2>&1 &
	racer=$!
	wait_for 120 begun
	"$@"
	wait "$racer"
	tap_equal "$name: all get numbers, none twice" "jobs 200 failed 0 duplicates 0" \
		"$(tail -n 1 "$tmp/race" | cut -d ' ' -f 1-6)"
	tap_equal "$name: as the store has them" "200 200" \
		"$("$symphony" -j job list | jq -r '"\(length) \([.[].job] | unique | length)"')"
}

leader()
{
	local i

	for i in "${!member_pid[@]}"; do
		curl -s -m 2 "$(member_url "$i")/metrics" | grep -q '^etcd_server_is_leader 1' && echo "$i" && return
	done
	return 1
}

kill_leader()
{
	lost=$(leader)
	member_kill "$lost"
}
race_while "the leader is killed" kill_leader
member_start "$lost" 3
tap_check "it comes back" wait_for 120 all_healthy

stop_first()
{
	kill -STOP "${member_pid[1]}"
}
race_while "the first is stopped" stop_first
kill -CONT "${member_pid[1]}"
tap_check "it goes on" wait_for 120 all_healthy

# Without a majority nothing is given, and what was stays.
"$symphony" job keep cluster kept 2> "$tmp/keep" &
others=$!
tap_check "a keeper" wait_for 120 grep -q 'keeps 0 jobs of cluster kept' "$tmp/keep"
tap_equal "a job that is kept" 0 "$(status_of job add cluster kept id 1 hosts 192.0.2.1 ttl 20 | cut -d ' ' -f 1)"
before=$("$symphony" -j job list | jq -c 'map(.job)')
member_kill 1
member_kill 2
begin=$(date +%s)
status_of job add cluster kept id 2 hosts 192.0.2.1 limit 5 > "$tmp/said"
tap_check "two of three are killed" grep -q '^2 symphony: job add: etcd: no answer within 5 s, the last: ' "$tmp/said"
tap_check "which is said in time" test $(($(date +%s) - begin)) -le 60
member_start 1 3
member_start 2 3
tap_check "they come back" wait_for 120 all_healthy
tap_equal "no job has gone" "$before" "$("$symphony" -j job list | jq -c 'map(.job)')"
tap_equal "a new one gets a number" 0 "$(status_of job add cluster kept id 2 hosts 192.0.2.1 ttl 20 | cut -d ' ' -f 1)"
ctl put mark "" --lease "$(ctl lease grant 45 | cut -d ' ' -f 2)" > "$tmp/ctl"
tap_check "longer than twice their time" wait_for 240 key_count mark 0
tap_check "both are kept" key_count /symphony/ids/kept/ 2

# Nothing of the old store is left.
for i in 1 2 3; do
	member_kill "$i"
	rm -rf "$tmp/m$i"
done
for i in 1 2 3; do
	member_start "$i" 3
done
tap_check "a store that has forgotten all" wait_for 120 all_healthy
tap_equal "gives the first number" "0 SYMPHONY_JOB=1" "$(status_of job add cluster kept id 3 hosts 192.0.2.1 ttl 20)"
ctl put mark "" --lease "$(ctl lease grant 45 | cut -d ' ' -f 2)" > "$tmp/ctl"
tap_check "longer than twice its time" wait_for 240 key_count mark 0
tap_check "the keeper keeps it" key_count /symphony/ids/kept/3 1
tap_check "numbers, one each" test "$("$symphony" -j job list | jq '[.[].job] | length == (unique | length)')" = true
tap_done
