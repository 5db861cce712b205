#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Random netlink requests, with traffic and a domain's other member: what is
# refused changes nothing, what is accepted is what was asked for.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare

new_device
ip link add name atk1 type dummy
ip link set atk1 up
tc qdisc add dev atk1 root symphony domain 1
"$flood" "$dev" 3600s 1 > "$tmp/sent" & traffic=$!
wait_for 120 passing "$dev"
tap_result $? "traffic has begun"
for seed in 1 2 3; do
	"$nlfuzz" "$dev" "${REQUESTS:-2000}" $seed
	tap_result $? "requests of seed $seed"
done
kill $traffic
wait $traffic
tap_result $? "traffic ran to the end"
tc qdisc del dev "$dev" root 2> "$tmp/err"
ip link del "$dev"
ip link del atk1
splats "no complaint of the kernel"
tap_done
