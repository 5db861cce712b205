#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The module loads, a qdisc without options passes packets, all goes away again.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
PATH=$PATH:/usr/sbin:/sbin

ns=smoke$$
dev=smoke0
trap 'ip netns del "$ns"' EXIT

network()
{
	ip netns add "$ns" &&
	ip link add "$dev" type veth peer name eth0 netns "$ns" &&
	ip addr add 192.0.2.1/24 dev "$dev" &&
	ip -n "$ns" addr add 192.0.2.2/24 dev eth0 &&
	ip link set "$dev" up &&
	ip -n "$ns" link set eth0 up
}

# The counter of a name in the statistics of the qdisc on the device.
counter()
{
	tc -s -j qdisc show dev "$dev" | jq ".[0].$1"
}

no_module()
{
	! [ -d /sys/module/sch_symphony ]
}

unknown_option()
{
	! tc qdisc change dev "$dev" root symphony no_such_option 1
}

# Unloads nothing and says why.
unload_names_it()
{
	"$here/../../scripts/unload" | grep -q "tc qdisc del dev $dev root" &&
		[ -d /sys/module/sch_symphony ]
}

holders_names_it()
{
	"$here/../../scripts/holders" | grep -qx "tc qdisc del dev $dev root"
}

tap_check "a router and a host" network
tap_check "modprobe loads the module" modprobe sch_symphony
tap_check "rmmod unloads it" rmmod sch_symphony
tap_check "tc adds the qdisc without options and loads the module" \
	tc qdisc add dev "$dev" root symphony
tap_equal "it is the root" symphony "$(tc -j qdisc show dev "$dev" | jq -r '.[0].kind')"
tap_check "packets pass" ping -c 3 -i 0.2 -W 60 192.0.2.2
tap_check "they are counted" test "$(counter packets)" -ge 3
tap_equal "none is dropped" 0 "$(counter drops)"
tap_check "an unknown option is refused" unknown_option
tap_check "scripts/holders names the device" holders_names_it
tap_check "scripts/unload, part of make uninstall, too" unload_names_it
tap_check "change" tc qdisc change dev "$dev" root symphony k 0.5
tap_check "packets pass after it" ping -c 1 -W 60 192.0.2.2
tap_check "tc deletes the qdisc" tc qdisc del dev "$dev" root
tap_check "packets pass without it" ping -c 1 -W 60 192.0.2.2
tap_check "scripts/unload unloads the module" "$here/../../scripts/unload"
tap_check "the module is gone" no_module
tap_done
