#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every allocation of creating and changing a qdisc fails once, in its turn, and every copy
# from user space where the kernel can have that fail: the request is done or refused, never
# half done. Then allocations fail at random under packets that have to be copied to be
# marked: none is lost.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
debugfs=/sys/kernel/debug
requests=${REQUESTS:-60}

[ -w /proc/self/fail-nth ] || tap_skip_all "no /proc/self/fail-nth: CONFIG_FAULT_INJECTION"
[ -d $debugfs/failslab ] || tap_skip_all "no failslab in debugfs: CONFIG_FAILSLAB"

# set FILE VALUE: of every kind of failing allocation
set_all()
{
	for kind in failslab fail_page_alloc; do
		[ ! -w "$debugfs/$kind/$1" ] || echo "$2" > "$debugfs/$kind/$1"
	done
}

set_all ignore-gfp-wait N
set_all ignore-gfp-highmem N
set_all min-order 0
set_all verbose 0
# Copies from and to user space fail in their turn, too, but not at random: there it would
# be those of the sender.
[ ! -w $debugfs/fail_usercopy/verbose ] || echo 0 > $debugfs/fail_usercopy/verbose

new_device
for seed in 1 2 3; do
	"$nlfuzz" "$dev" "$requests" $seed fail
	tap_result $? "configuration $seed: all or nothing at every allocation"
done
splats "configuration: no complaint of the kernel"
ip link del "$dev"

# a second owner of every packet, so that a mark needs a copy
new_device
ip link add name atk1 type dummy
ip link set atk1 up
tc qdisc add dev atk1 root netem delay 100ms limit 1000000
tc qdisc add dev "$dev" root handle 5: symphony k 1 warmup 0 ecn_max 1
tc qdisc add dev "$dev" parent 5:1 handle 6: netem delay 1ms
tc qdisc add dev "$dev" clsact
tc filter add dev "$dev" egress protocol all matchall action mirred egress mirror dev atk1
set_all task-filter Y
set_all probability 10
set_all times -1
"$flood" "$dev" 5000 1 20 data fail > "$tmp/sent"
tap_result $? "packets: sent"
set_all probability 0
set_all task-filter N
echo "# $(cat "$tmp/sent") packets sent"
drained "$dev"
tap_result $? "packets: nothing queued"
note < "$tmp/stats"
grep -q 'mark_failed [1-9]' "$tmp/stats"
tap_result $? "packets: marks that failed are counted"
balanced
tap_result $? "packets: every packet in one class"
splats "packets: no complaint of the kernel"
ip link del "$dev"
ip link del atk1
tap_done
