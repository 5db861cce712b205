#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A hundred routers, each a namespace with a port, its filters and symphonyd, and one store:
# how long it takes from "symphony job add" until the last has the job's rule. Prints TAP 13.
# Arguments: how many routers (100), how many jobs one after another (20), and "goal" if no
# router may be late. One processor for all of them says little about that: in virtual
# time, where work takes none, it is as if each had its own.
. "$(dirname "$0")/etcd.sh"
set -u

routers=${1:-100}
rounds=${2:-20}
goal=${3:-}
others=
daemon=$top/out/tools/symphonyd
SYMPHONY_ETCD=http://10.0.0.1:2379
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf
printf 'ttl 3600\ngrace 1\nlimit 120\n' > "$SYMPHONY_STORE_CONF"

ip link add br0 type bridge
ip address add 10.0.0.1/8 dev br0
ip link set br0 up
member_start 1 1 --listen-client-urls http://127.0.0.1:2379,$SYMPHONY_ETCD
wait_for 120 healthy 1 || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# router I: what a router has when it has booted, and its daemon.
router()
{
	ip netns add "r$1"
	ip link add "v$1" type veth peer name eth0 netns "r$1"
	ip link set "v$1" master br0 up
	ip -n "r$1" -batch - <<-END
		link set lo up
		link set eth0 up
		address add 10.0.$(($1 / 250 + 1)).$(($1 % 250))/8 dev eth0
		link add eth1 type dummy
		link set eth1 up
	END
	tc -n "r$1" qdisc add dev eth1 root egress_block 5 symphony job filter 2> "$tmp/err" ||
		tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
	printf 'block 5\nrun %s\nrouter r%s\netcd %s\nlimit 120\n' "$tmp/run$1" "$1" "$SYMPHONY_ETCD" > "$tmp/r$1.conf"
	ip netns exec "r$1" "$daemon" -c "$tmp/r$1.conf" 2>> "$tmp/log" &
	others="$others $!"
}
# Not all at once: what each asks by broadcast goes to all others, and one processor's backlog
# of a thousand frames is all that the bridge has. A frame that is lost there comes after 1 s.
for ((i = 1; i <= routers; i++)); do
	router "$i"
	sleep 0.01
done
tap_check "$routers routers" wait_for 300 key_count /symphony/routers/ "$routers"

/usr/bin/python3 "$here/rulewatch.py" "$symphony" "$routers" "$rounds" > "$tmp/times"
result=$(tail -n 1 "$tmp/times")
tap_equal "$rounds jobs: each rule is there, and gone after its job" "rounds $rounds missing 0 left 0" \
	"${result% late *}"
sed '$d; s/^/# /' "$tmp/times"
[ -z "$goal" ] || tap_equal "no router has its rule later than the goal" "late 0" "late ${result##* late }"
for router in $others; do
	awk '/^VmRSS/ { print $2 }' "/proc/$router/status"
done | sort -n | tail -n 1 | sed 's/.*/# the largest daemon has & kB/'
tap_equal "no daemon had anything to say" "" "$(sort "$tmp/log" | uniq -c | head -n 5)"
tap_done
