#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphonyd while its world fails: members of a store of three are killed, clocks jump, the
# router reboots, a certificate is missing. No rule goes that stays, none is wrong, and all is
# made good. Prints TAP 13. Sets the clock of the kernel it runs on: for a guest alone.
. "$(dirname "$0")/etcd.sh"
. "$here/router.sh"
. "$here/followed.sh"
set -u

grep -q 'User Mode Linux' /proc/cpuinfo || tap_skip_all "sets the clock: in User Mode Linux alone"
SYMPHONY_ETCD=$(member_url 1),$(member_url 2),$(member_url 3)
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf
printf 'ttl 3600\ngrace 3600\nlimit 60\n' > "$SYMPHONY_STORE_CONF"
printf 'block 5\nrun %s\nrouter r1\ncluster default\netcd %s\nlimit 6\n' "$tmp/run" \
	"$SYMPHONY_ETCD" > "$conf"

# boot: what a router has then, without its daemon; crash: as the power does it.
boot()
{
	ip link add td0 type dummy &&
		tc qdisc add dev td0 root handle 7: egress_block 5 symphony job filter
}
crash()
{
	end KILL
	ip link del td0
	rm -rf "$tmp/run"
}
boot 2> "$tmp/err" || tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"

# One processor has three members: no election because one has to wait.
start_member()
{
	member_start "$1" 3 --heartbeat-interval 1000 --election-timeout 10000
}
all_healthy()
{
	healthy 1 && healthy 2 && healthy 3
}
for i in 1 2 3; do
	start_member "$i"
done
wait_for 240 all_healthy || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"
begin

# Members.
tap_equal "three members: a job" "0 SYMPHONY_JOB=1" "$(status_of job add id 1 hosts 192.0.2.1 wait 240)"
watch_rules
member_kill 1
tap_equal "one is killed: another job" "0 SYMPHONY_JOB=2" "$(status_of job add id 2 hosts 192.0.2.2 wait 240)"
tap_check "in force" wait_for 240 in_force
before=$(rules)
member_kill 2
status_of job add id 3 hosts 192.0.2.3 limit 5 > "$tmp/said"
tap_check "two are killed: none is given" grep -q '^2 symphony: job add: etcd: no answer within 5 s' "$tmp/said"
tap_equal "rules stay" "$before" "$(rules)"
end KILL
begin
tap_check "a daemon that begins meanwhile" wait_for 240 says "no job is known"
tap_equal "leaves them" "$before" "$(rules)"
start_member 1
start_member 2
tap_check "they come back" wait_for 240 all_healthy
tap_check "all is well" wait_for 240 well
tap_equal "the job gets its number" "0 SYMPHONY_JOB=3" "$(status_of job add id 3 hosts 192.0.2.3 wait 240)"
tap_check "in force" wait_for 240 in_force
tap_check "and confirmed" wait_for 240 confirmed

# Clocks. No wait may be on its way then.
number=4
for by in "+1 day" "-2 days" "+3 years" "-1 year" "-2 years"; do
	date -s "$by" > "$tmp/date"
	kill -HUP "$pid"
	tap_equal "the clock goes $by: the next number" "0 SYMPHONY_JOB=$number" \
		"$(status_of job add id $number hosts 192.0.2.$number wait 240)"
	number=$((number + 1))
done
tap_check "in force" wait_for 240 in_force
tap_check "and confirmed" wait_for 240 confirmed
tap_equal "a number each" "$((number - 1))" "$("$symphony" -j job list | jq '[.[].job] | unique | length')"
tap_equal "no rule was away meanwhile" 0 "$(rules_gone)"

# The router.
lost=0
for ((round = 0; round < 5; round++)); do
	crash
	[ -z "$(rules)" ] || lost=$((lost + 1))
	status_of job add id $number hosts 192.0.2.$number wait 240 > "$tmp/waits" & waiter=$!
	boot
	begin
	wait_for 240 in_force || lost=$((lost + 1))
	wait "$waiter"
	[ "$(cat "$tmp/waits")" = "0 SYMPHONY_JOB=$number" ] || lost=$((lost + 1))
	wait_for 240 confirmed || lost=$((lost + 1))
	number=$((number + 1))
done
echo "# $round reboots, $lost times not as it was"
tap_equal "the router reboots: all rules are back, and one more" 0 "$lost"
crash
rm -f "$tmp/log"

# TLS.
command -v openssl > "$tmp/which" || {
	tap_skip "TLS" "openssl is not installed"
	tap_done
}
for i in 1 2 3; do
	member_kill "$i"
	rm -rf "$tmp/m$i"
done
tap_check "an authority" authority
tap_check "certificates" certificate member
tap_check "the router's, too" certificate router
member_start_tls 2 router
export ETCDCTL_CACERT=$tmp/ca.crt ETCDCTL_CERT=$tmp/router.crt ETCDCTL_KEY=$tmp/router.key
SYMPHONY_ETCD=$(member_url 2)
tap_check "a member that wants them" wait_for 240 healthy 2
tls=(cacert "$tmp/ca.crt" cert "$tmp/router.crt" key "$tmp/router.key")
boot
printf 'block 5\nrun %s\nrouter r1\ncluster default\netcd %s\nlimit 60\n' "$tmp/run" "$SYMPHONY_ETCD" > "$tmp/plain"
{ cat "$tmp/plain"; printf '%s %s\n' "${tls[@]}"; } > "$conf"
begin
tap_equal "with a certificate" "0 SYMPHONY_JOB=1" "$(status_of job add id 1 hosts 192.0.2.1 wait 240 "${tls[@]}")"
tap_check "its rule is in force" wait_for 240 in_force
before=$(rules)
end
{ cat "$tmp/plain"; printf 'limit 6\ncacert %s\n' "$tmp/ca.crt"; } | sed '/^limit 60$/d' > "$conf"
begin
tap_check "without: it says so" wait_for 240 says "etcd does not answer"
tap_check "and why" says "$SYMPHONY_ETCD: "
tap_check "in words" says "certificate"
"$daemon" -c "$conf" -j status | jq -r '.troubles[] | "# \(.)"'
tap_equal "rules stay" "$before" "$(rules)"
end KILL
sed 's/^/# log: /' "$tmp/log" | head -n 20
tap_done
