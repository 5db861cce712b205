#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A block of filters that ports share: what it gives to packets, and how long it lives.
# MODULE is a file to insert where modprobe does not find the module. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/complaints.sh
. "$top/scripts/complaints.sh"
set -u
dmesg -c > "$tmp/before"

device td1 3
port()
{
	tc qdisc "$1" dev "$2" root handle "$3": egress_block 5 symphony job filter "${@:4}"
}

# jobs DEV: what is known there after packets, which name job 9 themselves.
jobs()
{
	send "Sender('192.0.$((${1#td} + 2)).2', 3, 0x11, 9).send(2)" &&
		"$symphony" -j jobs "$1" | jq -r '.[].job' | paste -s -d ,
}

rule()
{
	tc filter "$1" block 5 protocol ip pref 3 handle 1 flower src_ip 192.0.0.0/16 classid 1:"$2"
}

gone()
{
	! tc filter show block 5 2> "$tmp/err"
}

tap_check "a qdisc with a block" port add td0 7
tap_check "another with the same" port add td1 8
tap_equal "each shows it" "td0 5,td1 5" "$(tc -j qdisc show | jq -r '
	.[] | select(.kind == "symphony") | "\(.dev) \(.egress_block)"' | paste -s -d ,)"
tap_equal "no filter: no job" " " "$(jobs td0) $(jobs td1)"
tap_equal "which is counted" "2 2" "$("$symphony" -j show | jq -r '.[].stats.no_job' | paste -s -d ' ')"
tap_check "one filter" rule add 7
tap_equal "gives packets at both ports their job" "7 7" "$(jobs td0) $(jobs td1)"
tap_check "another job" rule change a
tap_equal "at both ports" "7,10 7,10" "$(jobs td0) $(jobs td1)"

tap_equal "no filter through a port" "2 We have an error talking to the kernel" \
	"$(status_of tc filter add dev td0 parent 7: protocol ip matchall classid 1:3)"
tap_check "for a reason" grep -q "This filter block is shared" "$tmp/out"
tap_check "change of options" tc qdisc change dev td0 root handle 7: symphony k 0.5
tap_equal "the block stays" "5" "$(tc -j qdisc show dev td0 | jq '.[0].egress_block')"
tap_equal "no change of the block" 2 "$(status_of port change td0 7 k 0.25 | cut -d ' ' -f 1)"
tap_check "for a reason" grep -q "Change of blocks is not supported" "$tmp/out"
tap_equal "nothing changed" 0.5 "$(tc -j qdisc show dev td0 | jq '.[0].options.k')"
tap_equal "no class to delete" 2 "$(status_of tc class del dev td0 classid 7:1 | cut -d ' ' -f 1)"
tap_check "other sources of jobs" tc qdisc change dev td0 root handle 7: symphony job resv
tap_equal "have the filters act alone" "7,9,10 7,10" "$(jobs td0) $(jobs td1)"

tc qdisc del dev td1 root
tap_check "a port leaves, the filter stays" rule change 7
tap_check "a port returns" port add td1 8
tap_equal "and finds the filter" "7" "$(jobs td1)"
tap_check "a port's qdisc is replaced" port replace td1 9
tap_equal "and finds the filter" "7" "$(jobs td1)"
tap_check "by another kind" tc qdisc replace dev td1 root handle 6: pfifo
tap_check "and back" port replace td1 9
tap_equal "and finds the filter" "7" "$(jobs td1)"
tap_equal "a qdisc that is refused" 2 \
	"$(status_of port replace td1 8 ecn_min 5 ecn_max 4 | cut -d ' ' -f 1)"
tap_equal "leaves the one that is there" "7" "$(jobs td1)"

ip link add td2 type dummy
tap_check "an egress hook joins" tc qdisc add dev td2 egress_block 5 clsact
tc qdisc del dev td0 root
ip link del td1
tap_check "the last port leaves, the hook has the filter" rule change a
# KASAN of User Mode Linux takes a module's new variables for those of the last one.
if [ -e /sys/kernel/debug/kmemleak ]; then
	tap_skip "the module goes" "kernel for debugging"
else
	tap_check "the module goes" rmmod sch_symphony
	rule change 8
	if [ -n "${MODULE:-}" ]; then
		insmod "$MODULE"
	else
		modprobe sch_symphony
	fi
fi
tap_check "the hook has the filter" rule change 9
tap_check "a port comes" port add td0 7
tap_equal "and finds the filter" "9" "$(jobs td0)"
tc qdisc del dev td2 clsact
tap_check "a block of a port alone" rule change 7
tc qdisc del dev td0 root
tap_check "goes with it" gone
status_of port add td0 7 ecn_min 5 ecn_max 4 > "$tmp/refused"
tap_check "a qdisc that is refused leaves no block" gone
port add td0 7
rule add 7
tc qdisc add dev td0 parent 7:1 handle 8: egress_block 5 symphony job filter
tap_equal "a port below a port, with the same block" "7,7" "$(jobs td0)"
ip link del td0
tap_check "a device takes the last of it along" gone
unshare -n sh -c '
	ip link add name n0 type dummy
	tc qdisc add dev n0 root egress_block 5 symphony job filter
	tc filter add block 5 protocol ip flower classid 1:4'
tap_result $? "a namespace, too"
dmesg -c > "$tmp/dmesg"
kernel_complaints "$tmp/dmesg" 0 > "$tmp/complaints"
tap_equal "no complaint of the kernel" "" "$(cat "$tmp/complaints")"
tap_done
