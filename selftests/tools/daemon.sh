#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphonyd with jobs that are files: what it puts in force at two ports, under traffic,
# while all around it changes, and after it was killed. Prints TAP 13.
# ROUNDS (default 20): of the loop that kills it.
. "$(dirname "$0")/lib.sh"
. "$here/router.sh"
# shellcheck source=scripts/complaints.sh
. "$top/scripts/complaints.sh"
set -u
dmesg -c > "$tmp/before"

jobs=$tmp/jobs.d
device td1 3
mkdir "$jobs" "$tmp/later"
printf 'block 5\njobs %s\nrun %s\n' "$jobs" "$tmp/run" > "$conf"
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$tmp"' EXIT

# job FILE NUMBER HOSTS [LINE]...: a file, whole when it is there.
job()
{
	printf '%s\n' "job $2" "hosts $3" "${@:4}" > "$tmp/later/$1"
	mv "$tmp/later/$1" "$jobs/$1.conf"
}

# What the files say, as rules() has it.
wanted()
{
	cat "$jobs"/*.conf /dev/null | awk '
		$1 == "job" { job = $2 }
		$1 == "hosts" {
			n = split($2, host, ",")
			for (i = 1; i <= n; i++)
				printf "%s 1:%x\n", host[i], job
		}' | sort
}
port()
{
	tc qdisc "$1" dev "$2" root handle 7: egress_block 5 symphony job filter k 0.25
}
# jobs_at DEV: that it knows after packets, which name job 9 themselves.
jobs_at()
{
	send "Sender('192.0.$((${1#td} + 2)).2', 3, 0x11, 9).send(2)" &&
		"$symphony" -j jobs "$1" | jq -r '.[] | select(.stats.packets > 0).job' |
			paste -s -d ,
}
override()
{
	"$symphony" -j jobs "$1" | jq -c ".[] | select(.job == $2).overrides"
}

# heard_times WORD COUNT: what the daemon told the service manager.
heard_times()
{
	[ "$(grep -c "$1" "$tmp/heard")" -ge "$2" ]
}

# Configuration.
tap_equal "no configuration" "1 symphonyd: /no.conf: No such file or directory" \
	"$(status_of "$daemon" -c /no.conf)"
echo "blocks 5" > "$tmp/bad.conf"
tap_equal "an unknown key" "1 symphonyd: $tmp/bad.conf:1: blocks: not one of block, jobs, run" \
	"$(status_of "$daemon" -c "$tmp/bad.conf" | sed 's/block, jobs, run.*/block, jobs, run/')"
echo "block 0" > "$tmp/bad.conf"
tap_equal "a block that is none" \
	"1 symphonyd: $tmp/bad.conf:1: block: \"0\" is not a number from 1 to 4294967295" \
	"$(status_of "$daemon" -c "$tmp/bad.conf")"
tap_equal "--check: no jobs" "0 0 jobs" "$(status_of "$daemon" -c "$conf" --check)"
job a 7 192.0.2.1,192.0.3.0/24,fd00::1
echo "job 8" > "$jobs/b.conf"
tap_equal "--check: one, and a bad one" "1 1 jobs" "$(status_of "$daemon" -c "$conf" --check)"
tap_check "named with what is wrong" grep -q -F "$jobs/b.conf: hosts: not there" "$tmp/out"
rm "$jobs/b.conf"
tap_equal "status before it ran" 2 "$(status_of "$daemon" -c "$conf" status | cut -d ' ' -f 1)"

# It begins without a port, and says when it has begun.
/usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
with open(sys.argv[2], "w", buffering=1) as out:
    while True:
        print(s.recv(4096).decode(), file=out)
' "$tmp/notify" "$tmp/heard" & listener=$!
bound()
{
	[ -S "$tmp/notify" ]
}
wait_for 60 bound
export NOTIFY_SOCKET=$tmp/notify
begin
tap_check "no port: it says so" wait_for 60 says "no symphony qdisc has egress_block 5"
tap_check "the service manager hears that it is ready" wait_for 60 grep -q READY=1 "$tmp/heard"
tc qdisc add dev td0 root handle 7: egress_block 5 symphony job resv
tap_check "a port that takes no job from filters" wait_for 60 says 'td0: its symphony is without "job filter"'
tap_check "has the rules all the same" wait_for 60 in_force
tc qdisc change dev td0 root handle 7: symphony job filter k 0.25
tap_check "a port: all is well" wait_for 60 well
tap_check "another port" port add td1
tap_equal "packets at both have their job" "7 7" "$(jobs_at td0) $(jobs_at td1)"
tap_equal "status" '[1,3,0,["td0 7:","td1 7:"]]' "$(wait_for 60 well; status '[.jobs,.rules,.overrides,.ports]')"
tap_equal "in words" "symphonyd $(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf"): well, block 5, jobs 1, rules 3, overrides 0" \
	"$("$daemon" -c "$conf" status | head -n 1)"

# Files change.
job b 20 10.0.0.1
tap_check "a job more" wait_for 60 in_force
echo "hosts 10.0.0.2" > "$jobs/b.conf"
tap_check "a file that is broken is named" wait_for 60 says "b.conf: job: not there; what it said before counts"
tap_equal "its job stays" "10.0.0.1 1:14" "$(rules | grep 10.0)"
job c 21 10.0.0.1,10.0.0.3
tap_check "a host of two jobs" wait_for 60 says "host 10.0.0.1: jobs 20 and 21 claim it"
tap_equal "is of neither" "10.0.0.3 1:15" "$(rules | grep 10.0)"
rm "$jobs/b.conf"
tap_check "a job less" wait_for 60 in_force
tap_check "all is well" wait_for 60 well
job d 21 10.0.0.4
tap_check "a number twice" wait_for 60 says "d.conf: job 21 is in another file, too"
rm "$jobs/c.conf"
tap_check "until the other goes" wait_for 60 in_force
rm "$jobs/d.conf"
wait_for 60 in_force

# Nothing that goes wrong, and no second look, takes a rule away that stays.
watch_rules
echo "hosts 192.0.2" > "$jobs/b.conf"
tap_check "a bad file" wait_for 60 says "b.conf:1: hosts:"
cp "$jobs/a.conf" "$tmp/a"
echo "job 7000000" > "$jobs/a.conf"
tap_check "in place of a good one" wait_for 60 says "a.conf:1: job:"
printf 'job 7\nhosts\n' > "$jobs/a.conf"
tap_check "that names the number" wait_for 60 says "a.conf:2: hosts: has no value; what it said before counts"
end KILL
begin
tap_check "a daemon that never knew it otherwise" wait_for 60 says "a.conf:2: hosts: has no value"
cp "$tmp/a" "$jobs/a.conf"
rm "$jobs/b.conf"
tap_check "all is well" wait_for 60 well
for ((i = 0; i < 300; i++)); do
	# mv within the directory, as editors do, with a link's news and a file's in between
	cp "$tmp/a" "$jobs/new"
	mv "$jobs/new" "$jobs/a.conf"
	[ $((i % 10)) -ne 0 ] || ip link set td1 mtu $((1500 + i))
	: > "$jobs/c$((i % 7)).conf"
done
tap_check "replaced 300 times" wait_for 60 says "c6.conf: job: not there"
# the second line comes late
mkfifo "$tmp/late"
{
	printf 'job 7\nhosts 192.0.2.1\n'
	cat "$tmp/late"
} > "$jobs/a.conf" & writer=$!
rm "$jobs"/c?.conf
tap_check "a file that somebody still writes" wait_for 60 well
job d 23 10.0.0.7
has_rules()
{
	[ "$(rules | grep -c "$1")" -eq "$2" ]
}
tap_check "while others count" wait_for 60 has_rules 10.0.0.7 1
kill -HUP "$pid"
ip link set td1 mtu 1500
wait_for 60 heard_times RELOADING=1 1
wait_for 60 heard_times READY=1 3
tap_equal "no rule was away meanwhile" 0 "$(rules_gone)"
echo "k 0.25" > "$tmp/late"
wait "$writer"
tap_check "it counts when it is whole" wait_for 60 has_rules 192.0 1
cp "$tmp/a" "$jobs/a.conf"
rm "$jobs/d.conf"
tap_check "all is as before" wait_for 60 in_force

# A job's host goes to another under traffic, in one step each time.
send "
import os
low = Sender(peer, 3, 0x11, 9)
while not os.path.exists('$tmp/enough'):
    low.send(1)" & traffic=$!
before=$("$symphony" -j show td0 | jq '.[0].stats | .no_job')
for number in {100..120}; do
	job a "$number" 192.0.2.1,192.0.3.0/24,fd00::1
	wait_for 60 in_force || break
done
touch "$tmp/enough"
wait "$traffic"
tap_equal "twenty changes: each packet had a job" "$before" \
	"$("$symphony" -j show td0 | jq '.[0].stats | .no_job')"
tap_equal "each of these" 21 \
	"$("$symphony" -j jobs td0 | jq '[.[] | select(.job >= 100 and .stats.packets > 0)] | length')"
job a 7 192.0.2.1,192.0.3.0/24,fd00::1
wait_for 60 in_force

# Others meddle.
tc filter del block 5 pref 8128
tap_check "a rule deleted by hand comes back" wait_for 60 in_force
tc filter change block 5 protocol ip pref 8136 handle "$(tc -j filter show block 5 |
	jq '.[] | select(.pref == 8136 and .options.handle).options.handle')" flower \
	src_ip 192.0.3.0/24 classid 1:99
tap_check "one that was changed, too" wait_for 60 in_force
tc filter add block 5 protocol ip pref 8128 handle 77 flower dst_ip 10.9.9.9 classid 1:3
tap_check "another in its place goes" wait_for 60 in_force
tc filter add block 5 protocol ip pref 3 flower src_ip 10.9.9.9 classid 1:3
tc qdisc del dev td1 root
tap_check "a port goes" wait_for 60 in_force
tc qdisc del dev td0 root
tap_check "the last port goes" wait_for 60 says "no symphony qdisc has egress_block 5"
port add td1
tap_check "a port comes: so do the rules" wait_for 60 in_force
port add td0
tap_equal "packets have their job" "7 7" "$(jobs_at td0) $(jobs_at td1)"
tc filter add block 5 protocol ip pref 3 flower src_ip 10.9.9.9 classid 1:3
tc qdisc replace dev td0 root handle 8: egress_block 5 symphony job filter k 0.25
tap_check "a qdisc is replaced" wait_for 60 in_force
tap_equal "packets have their job" 7 "$(jobs_at td0)"
ip link set td0 down
ip link set td0 up
tap_check "a link flaps" wait_for 60 in_force
ip link del td1
tap_check "a device goes" wait_for 60 in_force
device td1 3
port add td1
tap_check "and comes" wait_for 60 in_force
tap_equal "what is not ours stays" 3 "$(tc -j filter show block 5 | jq '.[0].pref')"

# Overrides.
job a 7 192.0.2.1,192.0.3.0/24,fd00::1 "k 0.5" "mode observe"
has_override()
{
	[ "$(override td0 7)" = "$1" ] && [ "$(override td1 7)" = "$1" ]
}
tap_check "overrides" wait_for 60 has_override '{"k":0.5,"mode":"observe","pinned":1}'
job a 7 192.0.2.1,192.0.3.0/24,fd00::1 "tau 0.5"
tap_check "others" wait_for 60 has_override '{"tau":0.5,"pinned":1}'
"$symphony" job set 7 td1 tau 0.1
port replace td0
tc qdisc replace dev td0 root handle 9: egress_block 5 symphony job filter
tap_check "a table that is new has them, and one that was changed" \
	wait_for 60 has_override '{"tau":0.5,"pinned":1}'
job e 22 10.0.0.9 "k 0"
tap_check "of a job more" wait_for 60 in_force
end KILL
tap_equal "killed: status says so" "does not run" \
	"$("$daemon" -c "$conf" status | grep -o 'does not run')"
tap_equal "what it put in force stays" "$(wanted)" "$(rules)"
rm "$jobs/e.conf"
job a 7 192.0.2.1,192.0.3.0/24,fd00::1
begin
no_pins()
{
	[ -z "$("$symphony" -j jobs | jq -c '.[] | select(.overrides.pinned == 1)')" ]
}
tap_check "the next ends what was over meanwhile" wait_for 60 no_pins
tap_check "and its rules" wait_for 60 in_force

# Signals.
kill -HUP "$pid"
tap_check "SIGHUP: it reads anew" wait_for 60 heard_times RELOADING=1 2
tap_check "and is ready again" wait_for 60 heard_times READY=1 5
end
tap_check "SIGTERM: it says that it ends" wait_for 60 heard_times STOPPING=1 1
tap_equal "what it put in force stays" "$(wanted)" "$(rules)"
unset NOTIFY_SOCKET
kill "$listener"

# Killed at any time, with any number of jobs, the next one makes good.
lost=0
half=0
for ((round = 0; round < ${ROUNDS:-20}; round++)); do
	rm -f "$jobs"/k*.conf
	for ((i = $(random 40); i > 0; i--)); do
		job "k$i" $((1000 + i)) "10.1.$(random 4).$i,fd01::$i" "k 0.$(random 10)"
	done
	timeout -s KILL "0.0$(printf %02d "$(random 50)")" "$daemon" -c "$conf"
	in_force || half=$((half + 1))
	begin
	wait_for 60 in_force || lost=$((lost + 1))
	end KILL
done 2> "$tmp/err"
echo "# killed $((2 * round)) times, $half times before it was done, $lost times not made good"
tap_equal "killed at any time: the next makes good" 0 "$lost"

# Many at once.
rm -f "$jobs"/k*.conf
begin
wait_for 60 in_force
for ((i = 1; i <= 1000; i++)); do
	printf 'job %s\nhosts 10.%s.%s.1,10.%s.%s.2\n' $((i + 100)) $((i / 250)) $((i % 250)) \
		$((i / 250)) $((i % 250)) > "$tmp/later/m$i.conf"
done
since=$(date +%s%N)
mv "$tmp"/later/m*.conf "$jobs"
tap_check "1000 jobs begin at once" wait_for 120 in_force
echo "# 2000 rules in $((($(date +%s%N) - since) / 1000000)) ms, RSS $(awk '/^VmRSS/ { print $2 }' \
	"/proc/$pid/status") kB"
rm "$jobs"/m*.conf
tap_check "and end at once" wait_for 120 in_force
tap_check "well, still" wait_for 60 well

# The end.
end
tap_check "--flush" "$daemon" -c "$conf" --flush
tap_equal "no rule is left" "" "$(rules)"
tap_equal "what is not ours stays" 3 "$(tc -j filter show block 5 | jq '.[0].pref')"
dmesg -c > "$tmp/dmesg"
kernel_complaints "$tmp/dmesg" 0 > "$tmp/complaints"
tap_equal "no complaint of the kernel" "" "$(cat "$tmp/complaints")"
sed 's/^/# log: /' "$tmp/log" | head -n 40
tap_done
