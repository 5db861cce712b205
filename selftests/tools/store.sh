#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony job add, del, list and keep against etcd: numbers, leases, routers, TLS. Prints
# TAP 13.
. "$(dirname "$0")/etcd.sh"
set -u

member_start 1 1
SYMPHONY_ETCD=$(member_url 1)
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf
# What is not about time is not to depend on it, on a busy machine either.
printf 'ttl 3600\ngrace 3600\nlimit 120\n' > "$SYMPHONY_STORE_CONF"
wait_for 120 healthy 1 || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# mark SECONDS: a key that lasts so long by etcd's clock; marked: whether it is still there.
mark()
{
	ctl put mark "" --lease "$(ctl lease grant "$1" | cut -d ' ' -f 2)" > "$tmp/ctl"
}
marked()
{
	key_count mark 1
}
unmarked()
{
	key_count mark 0
}

# Numbers.
tap_equal "the first number" "0 SYMPHONY_JOB=1" "$(status_of job add id 100 hosts 192.0.2.1,192.0.2.2)"
tap_equal "the next" "0 SYMPHONY_JOB=2" "$(status_of job add id 101 hosts 192.0.2.3 k 0.5)"
tap_equal "the same job again" "0 SYMPHONY_JOB=1" "$(status_of job add id 100 hosts 192.0.2.2,192.0.2.1)"
tap_equal "changes nothing" 1 "$(ctl get -w json /symphony/jobs/1 | jq '.kvs[0].version')"
tap_equal "on other hosts" "0 SYMPHONY_JOB=1" "$(status_of job add id 100 hosts 192.0.2.9)"
tap_equal "its entry is new" '["192.0.2.9"]' "$(ctl get --print-value-only /symphony/jobs/1 | jq -c .hosts)"
tap_equal "the ID of another cluster" "0 SYMPHONY_JOB=3" "$(status_of job add cluster b id 100 hosts 2001:db8::/64)"
tap_equal "as JSON" '{"job":2,"cluster":"default","id":"101","hosts":["192.0.2.3"],"k":0.5,"environment":{"SYMPHONY_JOB":"2"}}' \
	"$("$symphony" -j job add id 101 hosts 192.0.2.3 k 0.5)"
tap_equal "a list" "1 default 100 1,2 default 101 1,3 b 100 1" \
	"$(job list | sed 1d | awk -v OFS=' ' '{ $1 = $1; print }' | paste -s -d ,)"
tap_equal "as JSON" '[1,"default","100"],[2,"default","101"],[3,"b","100"]' \
	"$("$symphony" -j job list | jq -c '.[] | [.job, .cluster, .id]' | paste -s -d ,)"

# Deletion, and the grace period.
tap_equal "deleted" "0 SYMPHONY_JOB=2" "$(status_of job del id 101 grace 15)"
tap_equal "and again" "0 " "$(status_of job del id 101)"
tap_check "its entries are gone" key_count /symphony/jobs/2 0
tap_check "its ID, too" key_count /symphony/ids/default/101 0
tap_equal "its number stays taken" "0 SYMPHONY_JOB=4" "$(status_of job add id 102 hosts 192.0.2.3)"
tap_check "until the grace period ends" wait_for 120 key_count /symphony/used/0002 0
tap_equal "then it is the lowest" "0 SYMPHONY_JOB=2" "$(status_of job add id 103 hosts 192.0.2.3)"
job del id 102 > "$tmp/out"
tap_equal "a job again, in its grace period" "0 SYMPHONY_JOB=5" "$(status_of job add id 102 hosts 192.0.2.3)"
tap_equal "no lease is left behind" 9 "$(ctl lease list | sed 1d | wc -l)"

# Leases.
job add id 110 hosts 192.0.2.4 ttl 2 grace 15 > "$tmp/out"
tap_check "nobody keeps it" wait_for 120 key_count /symphony/ids/default/110 0
tap_check "its number stays taken" key_count /symphony/used/0006 1
tap_check "but not forever" wait_for 120 key_count /symphony/used/0006 0
"$symphony" job keep 2> "$tmp/keep" &
keeper=$!
others=$keeper
tap_check "a keeper" wait_for 120 grep -q 'keeps 3 jobs of cluster default' "$tmp/keep"
job add id 111 hosts 192.0.2.4 ttl 8 grace 15 > "$tmp/out"
job add cluster b id 111 hosts 192.0.2.4 ttl 2 > "$tmp/out"
mark 25
tap_check "not of another cluster" wait_for 120 key_count /symphony/ids/b/111 0
tap_check "longer than three times its time" wait_for 120 unmarked
tap_check "its job is there" key_count /symphony/ids/default/111 1
job del id 103 > "$tmp/out"
job add id 103 hosts 192.0.2.5 ttl 8 > "$tmp/out"
mark 25
tap_check "one that ended and began anew" wait_for 120 unmarked
tap_check "is there as well" key_count /symphony/ids/default/103 1
kill -KILL "$keeper"
wait "$keeper" 2> "$tmp/kill"
tap_check "a dead keeper's jobs end" wait_for 120 key_count /symphony/ids/default/111 0
tap_check "their numbers stay taken" key_count /symphony/used/0006 1
tap_check "for the grace period" wait_for 120 key_count /symphony/used/0006 0

# Routers.
routers_confirm()
{
	local revision

	revision=$(ctl get -w json "/symphony/jobs/$1" | jq -r '.kvs[0].mod_revision // empty')
	[ -n "$revision" ] || return
	shift
	for router; do
		ctl put "/symphony/applied/$router" "$revision" > "$tmp/ctl"
	done
}
tap_equal "no router" "3 symphony: job add: no router within 1 s; job 1 is kept" \
	"$(status_of job add id 100 hosts 192.0.2.9 wait 1)"
ctl put /symphony/routers/r1 '{"cluster":"*"}' > "$tmp/ctl"
ctl put /symphony/routers/r2 '{"cluster":"default"}' > "$tmp/ctl"
ctl put /symphony/routers/r3 '{"cluster":"b"}' > "$tmp/ctl"
routers_confirm 1 r1/1
tap_equal "one of two" "3 symphony: job add: 1 of 2 routers not within 1 s; job 1 is kept: r2" \
	"$(status_of job add id 100 hosts 192.0.2.9 wait 1)"
routers_confirm 1 r2/1
tap_equal "both" "0 SYMPHONY_JOB=1" "$(status_of job add id 100 hosts 192.0.2.9 wait 120)"
tap_equal "not what the job was before" 3 \
	"$(status_of job add id 100 hosts 192.0.2.10 wait 1 | cut -d ' ' -f 1)"
wait_for 120 routers_confirm 6 r1/6 r2/6 2> "$tmp/err" &
tap_equal "while it waits" "0 SYMPHONY_JOB=6" "$(status_of job add id 120 hosts 192.0.2.9 wait 120)"

# Words.
while read -r want; read -r words; do
	# shellcheck disable=SC2086	# words are meant
	tap_equal "job $words" "1 symphony: job $want" "$(status_of job $words)"
done <<END
add: which job? "id ID"
add hosts 192.0.2.1
add: from where? "hosts ADDRESS[/LENGTH][,...]"
add id 1
add: "hosts" wants a value
add id 1 hosts
add: id: "a/b" is not 1 to 63 letters, digits, _.-, first no sign
add id a/b hosts 192.0.2.1
add: job: the store chooses the number
add id 1 job 7
add: wait: "0" is not a number from 1 to 3600
add id 1 hosts 192.0.2.1 wait 0
add: ttl: "90000" is not a number from 1 to 86400
add id 1 hosts 192.0.2.1 ttl 90000
list: "id" is no word of it
list id 1
del: etcd: "ftp://192.0.2.1" is no URL with http:// or https://
del id 1 etcd ftp://192.0.2.1
END
echo "grace long" > "$tmp/wrong.conf"
tap_equal "a line of the file" \
	"1 symphony: job list: $tmp/wrong.conf:1: grace: \"long\" is not a number from 1 to 86400" \
	"$(SYMPHONY_STORE_CONF=$tmp/wrong.conf status_of job list)"
echo "colour red" > "$tmp/wrong.conf"
tap_equal "a key of the file" \
	"1 symphony: job list: $tmp/wrong.conf:1: colour: not one of etcd, cacert, cert, key, limit, cluster, ttl, grace" \
	"$(SYMPHONY_STORE_CONF=$tmp/wrong.conf status_of job list)"
tap_equal "no store" '1 symphony: job list: no etcd is named: "etcd URL" here or in /etc/symphony/store.conf' \
	"$(SYMPHONY_ETCD='' status_of env -u SYMPHONY_ETCD "$symphony" job list)"

# Members that are not there.
tap_equal "the second of two answers" 0 \
	"$(status_of job list etcd "http://127.0.0.9:1,$SYMPHONY_ETCD" limit 60 | cut -d ' ' -f 1)"
begin=$(date +%s)
status_of job list etcd http://127.0.0.9:1,http://127.0.0.9:2 limit 2 > "$tmp/said"
tap_check "none answers" grep -q -x \
	'2 symphony: job list: etcd: no answer within 2 s, the last: http://127.0.0.9:[12]: .*connect.*' "$tmp/said"
tap_check "within its time and a busy machine's" test $(($(date +%s) - begin)) -le 20
printf 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' > "$tmp/answer"
python3 -c '
import socket, sys
s = socket.create_server(("127.0.0.8", 2379))
answer = open(sys.argv[1], "rb").read()
while True:
    c, _ = s.accept()
    c.recv(4096)
    c.sendall(answer)
    c.close()
' "$tmp/answer" &
others="$others $!"
speaks()
{
	curl -s -m 2 http://127.0.0.8:2379/ | grep -q hello
}
wait_for 120 speaks
tap_equal "what is no etcd" "2 symphony: job list: etcd: no answer within 1 s, the last: http://127.0.0.8:2379: the answer is no JSON" \
	"$(status_of job list etcd http://127.0.0.8:2379 limit 1)"

# TLS: both sides show certificates of an authority of our own.
if ! command -v openssl > "$tmp/which"; then
	tap_skip "TLS" "openssl is not installed"
	tap_done
fi
tap_check "an authority" authority
tap_check "certificates" certificate member
tap_check "the scheduler's, too" certificate scheduler
member_start_tls 2 scheduler
SYMPHONY_ETCD=$(member_url 2)
tap_check "a member that wants them" wait_for 120 healthy 2
tap_equal "with a certificate" "0 SYMPHONY_JOB=1" "$(status_of job add id 1 hosts 192.0.2.1 \
	cacert "$tmp/ca.crt" cert "$tmp/scheduler.crt" key "$tmp/scheduler.key")"
status_of job list cacert "$tmp/ca.crt" limit 5 > "$tmp/said"
tap_check "without" grep -q '^2 symphony: job list: etcd: no answer within 5 s, the last: https://127.0.0.2:2379: ' "$tmp/said"
status_of job list cert "$tmp/scheduler.crt" key "$tmp/scheduler.key" limit 5 > "$tmp/said"
tap_check "a member that nobody vouches for" grep -q '^2 symphony: job list: .*certificate' "$tmp/said"
status_of job list cacert "$tmp/none.crt" limit 5 > "$tmp/said"
tap_check "a file that is not there" grep -q "^2 symphony: job list: .*$tmp/none.crt" "$tmp/said"
tap_done
