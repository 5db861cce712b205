#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphonyd with jobs that are in etcd: what the store has is in force on a router and
# confirmed, whatever dies. Prints TAP 13. Argument: how many jobs are alive at last (1000; 7190
# if all numbers are to be). ROUNDS (default 10): of the loop that kills it.
. "$(dirname "$0")/etcd.sh"
. "$here/router.sh"
. "$here/followed.sh"
set -u

many=${1:-1000}
SYMPHONY_ETCD=$(member_url 1)
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf
printf 'ttl 3600\ngrace 5\nlimit 120\n' > "$SYMPHONY_STORE_CONF"
printf 'block 5\nrun %s\nrouter r1\ncluster default\netcd %s\nlimit 3\n' "$tmp/run" \
	"$SYMPHONY_ETCD" > "$conf"

ip link add td0 type dummy
tc qdisc add dev td0 root handle 7: egress_block 5 symphony job filter 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
member_start 1 1
wait_for 120 healthy 1 || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# put FROM TO: jobs of these numbers with two hosts each, in few transactions.
put()
{
	local job from

	for ((from = $1; from <= $2; from += 100)); do
		{
			echo
			for ((job = from; job < from + 100 && job <= $2; job++)); do
				printf 'put /symphony/jobs/%s "{\\"job\\":%s,\\"cluster\\":\\"default\\",\\"hosts\\":[\\"10.0.%s.%s\\",\\"10.1.%s.%s\\"]}"\n' \
					"$job" "$job" $((job / 250)) $((job % 250)) $((job / 250)) $((job % 250))
			done
			printf '\n\n'
		} | ctl txn > "$tmp/ctl" || return
	done
}

job add id 1 hosts 192.0.2.1,192.0.2.2 > "$tmp/out"
begin
tap_check "a job that was there" wait_for 120 in_force
tap_check "is confirmed" wait_for 120 confirmed
tap_check "well" wait_for 120 well
tap_equal "the router is known" "default" \
	"$(ctl get --print-value-only /symphony/routers/r1 | jq -r .cluster)"
tap_equal "job add waits for it" "0 SYMPHONY_JOB=2" "$(status_of job add id 2 hosts 192.0.2.3 wait 120)"
tap_equal "then its rule is in force" "192.0.2.3 1:2" "$(rules | grep 2.3)"
job add id 2 hosts 192.0.2.4 k 0.5 wait 120 > "$tmp/out"
tap_equal "other hosts" "192.0.2.4 1:2" "$(rules | grep 1:2)"
tap_equal "overrides" '{"k":0.5,"pinned":1}' "$("$symphony" -j jobs | jq -c '.[] | select(.job == 2).overrides')"
job add cluster b id 1 hosts 192.0.2.9 > "$tmp/out"
job del id 2 > "$tmp/out"
tap_check "a job less" wait_for 120 in_force
tap_check "and not confirmed any more" wait_for 120 confirmed
tap_equal "of another cluster none" "" "$(rules | grep 2.9)"
job add id 3 hosts 192.0.2.5 ttl 2 wait 120 > "$tmp/out"
tap_check "a job that nobody keeps" wait_for 120 key_count /symphony/ids/default/3 0
tap_check "goes" wait_for 120 in_force

# Nothing that goes wrong, and no second look, takes a rule away that stays.
before=$(rules)
watch_rules
ctl put /symphony/jobs/9 '{"job":10}' > "$tmp/out"
tap_check "an entry that is no job" wait_for 120 says "1 entries of the store are no jobs"
tap_equal "keeps no other from being in force" "$before" "$(rules)"
entry=$(ctl get --print-value-only /symphony/jobs/1)
ctl put /symphony/jobs/1 '{' > "$tmp/out"
tap_check "in place of a job that was one" wait_for 120 says "2 entries of the store are no jobs"
tap_equal "leaves it as it was" "$before" "$(rules)"
end KILL
begin
tap_check "a daemon that never knew it otherwise" wait_for 120 says "2 entries of the store are no jobs"
tap_equal "leaves its rules, too" "$before" "$(rules)"
kill -HUP "$pid"
ip link set td0 down
ip link set td0 up
ctl put /symphony/jobs/1 "$entry" > "$tmp/out"
ctl del /symphony/jobs/9 > "$tmp/out"
tap_check "they go: all is well" wait_for 120 well
tap_check "and confirmed" wait_for 120 confirmed
tap_equal "no rule was away meanwhile" 0 "$(rules_gone)"

# etcd dies, and the daemon, too.
before=$(rules)
member_kill 1
tap_check "etcd is away: it says so" wait_for 120 says "etcd does not answer"
tap_equal "all stays" "$before" "$(rules)"
end KILL
begin
tap_check "a daemon that begins meanwhile" wait_for 120 says "no job is known"
tap_equal "leaves all as it is" "$before" "$(rules)"
member_start 1 1
tap_check "etcd comes back" wait_for 120 well
tap_equal "all is as it was" "$before" "$(rules)"
# The number depends on how long etcd was away.
tap_equal "and follows" "0 SYMPHONY_JOB" \
	"$(status_of job add id 4 hosts 192.0.2.6 wait 120 | sed 's/=.*//')"
tap_check "confirmed" wait_for 120 confirmed
member_kill 1
wait_for 120 says "etcd does not answer"
member_start 1 1
tap_check "away and back" wait_for 120 well
job del id 4 > "$tmp/out"
tap_check "a job less, after that" wait_for 120 in_force

# Killed at any time.
lost=0
end
for ((round = 0; round < ${ROUNDS:-10}; round++)); do
	ctl del --from-key /symphony/jobs/2 --prefix=false > "$tmp/ctl" 2>&1
	put 200 $((200 + $(random 40)))
	timeout -s KILL "0.$(printf %03d "$(random 200)")" "$daemon" -c "$conf"
	begin
	wait_for 120 in_force || lost=$((lost + 1))
	wait_for 120 confirmed || lost=$((lost + 1))
	end KILL
done 2> "$tmp/err"
echo "# killed $((2 * round)) times, $lost times not made good"
tap_equal "killed at any time: the next makes good" 0 "$lost"

# Many at once.
begin
since=$(date +%s%N)
put 1000 $((999 + many))
tap_check "$many jobs begin at once" wait_for 240 in_force
echo "# $((2 * many)) rules in $((($(date +%s%N) - since) / 1000000)) ms, RSS $(awk '/^VmRSS/ { print $2 }' \
	"/proc/$pid/status") kB"
tap_check "and are confirmed" wait_for 240 confirmed

# How soon, and what it costs when nothing happens.
ticks()
{
	awk '{ print $14 + $15 }' "/proc/$pid/stat"
}
# deleted KEY: wait for it, at the cost of one process and of nothing while nothing happens.
deleted()
{
	local watch what=

	exec {watch}< <(exec etcdctl --endpoints "$SYMPHONY_ETCD" watch --rev 1 "$1")
	until [ "$what" = DELETE ]; do
		read -r -t 240 what <&"$watch" || break
	done
	kill $!
	exec {watch}<&-
	[ "$what" = DELETE ]
}
for id in {50..59}; do
	since=$(date +%s%N)
	job add id "$id" hosts "192.0.2.$id" wait 120 > "$tmp/out"
	echo "# job add until it is confirmed: $((($(date +%s%N) - since) / 1000000)) ms"
done
before=$(ticks)
said=$(wc -l < "$tmp/log")
ctl put mark "" --lease "$(ctl lease grant 50 | cut -d ' ' -f 2)" > "$tmp/ctl"
tap_check "50 s and more" deleted mark
echo "# idle: $(($(ticks) - before)) ticks of $(getconf CLK_TCK) a second in 50 s and more"
tap_equal "nothing happens: it says nothing" "" "$(sed "1,${said}d" "$tmp/log")"
ctl del /symphony/jobs/ --prefix > "$tmp/ctl"
tap_check "all end at once" wait_for 240 in_force
tap_check "none is confirmed any more" wait_for 240 confirmed
end KILL
tap_check "a router that is gone is not waited for" wait_for 120 key_count /symphony/routers/r1 0
tap_check "nor what it confirmed" key_count /symphony/applied/r1/ 0
sed 's/^/# log: /' "$tmp/log" | head -n 40
tap_done
