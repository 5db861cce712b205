#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphonyd killed after each system call by which it changes anything, from its first until all
# is in force and confirmed: what it leaves is of what was or of what is to be, and the next
# makes good. Prints TAP 13. Arguments: the first of these points (1), the step (1).
. "$(dirname "$0")/etcd.sh"
. "$here/router.sh"
set -u

jobs=$tmp/jobs.d
mkdir "$jobs" "$tmp/later"
SYMPHONY_ETCD=$(member_url 1)
export SYMPHONY_ETCD
printf 'block 5\njobs %s\nrun %s\nrouter r1\netcd %s\nlimit 60\n' "$jobs" "$tmp/run" \
	"$SYMPHONY_ETCD" > "$conf"
ip link add td0 type dummy
tc qdisc add dev td0 root handle 7: egress_block 5 symphony job filter 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
"$here/killat" 1 true || tap_skip_all "no process can be traced"
member_start 1 1
wait_for 120 healthy 1 || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# Two states of files and store: a job that stays, one that changes its host and one whose
# host changes its job, one that comes or goes, with overrides, or without.
# state I: make it so; wanted_I: its rules.
state()
{
	local odd=$(($1 % 2))

	{
		printf '\nput /symphony/jobs/1 "{\\"job\\":1,\\"hosts\\":[\\"192.0.2.1\\"]}"\n'
		printf 'put /symphony/jobs/2 "{\\"job\\":2,\\"hosts\\":[\\"192.0.2.%s\\"]}"\n' $((2 + odd))
		if [ "$odd" -eq 1 ]; then
			printf 'put /symphony/jobs/3 "{\\"job\\":3,\\"hosts\\":[\\"192.0.2.9\\"],\\"k\\":0.5}"\n'
		else
			printf 'del /symphony/jobs/3\n'
		fi
		printf '\n\n'
	} | ctl txn > "$tmp/ctl"
	printf 'job 20\nhosts 10.0.0.1\n' > "$tmp/later/a.conf"
	printf 'job %s\nhosts 10.0.0.2\nk 0.%s\n' $((21 + odd)) $((1 + odd)) > "$tmp/later/b.conf"
	mv "$tmp"/later/*.conf "$jobs"
}
wanted_0="10.0.0.1 1:14
10.0.0.2 1:15
192.0.2.1 1:1
192.0.2.2 1:2"
wanted_1="10.0.0.1 1:14
10.0.0.2 1:16
192.0.2.1 1:1
192.0.2.3 1:2
192.0.2.9 1:3"
wanted()
{
	local name=wanted_$now

	echo "${!name}"
}
# stray: rules that are of neither state, hosts that have two, and rules of both states that
# are not there.
stray()
{
	printf '%s\n%s\n' "$wanted_0" "$wanted_1" | sort -u > "$tmp/either"
	comm -12 <(echo "$wanted_0") <(echo "$wanted_1") > "$tmp/both"
	rules > "$tmp/rules"
	comm -23 "$tmp/rules" "$tmp/either"
	cut -d ' ' -f 1 "$tmp/rules" | uniq -d
	comm -13 "$tmp/rules" "$tmp/both"
}
overrides()
{
	"$symphony" -j jobs | jq -r '.[] | select(.overrides.pinned == 1) | "\(.job) \(.overrides.k)"' |
		sort | paste -s -d ,
}
wanted_overrides()
{
	[ "$now" -eq 0 ] && echo "21 0.1" || echo "22 0.2,3 0.5"
}
confirmed()
{
	[ "$(ctl get --prefix /symphony/applied/r1/ --keys-only | grep -c .)" -eq $((2 + now)) ]
}
settled()
{
	in_force && [ "$(overrides)" = "$(wanted_overrides)" ] && confirmed
}

now=0
state 0
begin
tap_check "the state before" wait_for 120 settled
end KILL
before=0
strays=0
lost=0
killed=0
complete=0
for ((n = ${1:-1}; complete < 5 && n < 4000; n += ${2:-1})); do
	now=$((1 - now))
	state $now
	timeout 120 "$here/killat" "$n" "$daemon" -c "$conf" 2>> "$tmp/log"
	[ ! -e "/proc/$(jq .pid "$tmp/run/status.json")" ] || echo "# point $n: not killed"
	killed=$((killed + 1))
	stray > "$tmp/stray"
	[ ! -s "$tmp/stray" ] || {
		strays=$((strays + 1))
		sed "s/^/# point $n: /" "$tmp/stray"
	}
	# all is done and nothing but the wait for news is left
	if in_force && grep -q '"jobs": *'$((4 + now))'[,} ]' "$tmp/run/status.json"; then
		complete=$((complete + 1))
	else
		complete=0
		before=$n
	fi
	begin
	wait_for 120 settled || {
		lost=$((lost + 1))
		echo "# point $n: $(rules | paste -s -d ,); $(overrides)"
	}
	end KILL
done 2> "$tmp/err"
echo "# killed at $killed points from ${1:-1} to $n, all done behind $before; $strays times a rule of neither state, $lost times not made good"
tap_check "some were before the first rule and some behind the last" test "$before" -gt 50 -a "$complete" -eq 5
tap_equal "no rule is of neither state, none that stays is away" 0 "$strays"
tap_equal "the next makes good" 0 "$lost"
tap_done
