#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Netlink messages that are nearly right, of all that symphony listens to, while packets
# pass: see messages.py.
#
#	messages.sh [COUNT [SEED]...]	COUNT (default 4000) of each seed (default 1 2 3)

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
count=${1:-4000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 1 2 3
command -v python3 > /dev/null || tap_skip_all "python3 is not installed"
export PYTHONPATH="$here:$here/../genl" PYTHONDONTWRITEBYTECODE=1

new_device
ip link add name atk1 type dummy
ip link set atk1 up
tc qdisc add dev "$dev" root handle 5: symphony domain 1
tc qdisc add dev atk1 root handle 5: symphony domain 1
"$flood" "$dev" 3600s 1 20 mix > "$tmp/sent" & traffic=$!
wait_for 120 passing "$dev"
tap_result $? "traffic has begun"
for seed; do
	python3 "$here/messages.py" "$count" "$seed" > "$tmp/log$seed" 2> "$tmp/err"
	note < "$tmp/err"
	tap_nested "seed $seed" "$tmp/log$seed"
	splats "seed $seed: no complaint of the kernel"
done

# what all that leaves still works
ip link set "$dev" up
tc qdisc replace dev "$dev" root handle 9: symphony 2> "$tmp/err"
tap_result $? "afterwards: a qdisc as asked for"
note < "$tmp/err"
wait_for 120 seen "$dev" '^ *data [1-9]'
tap_result $? "afterwards: packets of jobs pass"
kill $traffic
wait $traffic
tap_result $? "afterwards: traffic ran to the end"
drained "$dev"
tap_result $? "afterwards: nothing queued"
balanced
tap_result $? "afterwards: every packet in one class"
ip link del "$dev"
ip link del atk1
splats "afterwards: no complaint of the kernel"
tap_done
