#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony doctor finds what is wrong, each fault planted alone. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

# examine [OPTION]...: symphony anew, traffic of the lines on standard input, and what
# the doctor says of it to $tmp/findings.
examine()
{
	local traffic

	traffic=$(cat)
	tc qdisc del dev $dev root 2> /dev/null
	tc qdisc add dev $dev root handle 1: symphony window 60s "$@"
	[ -z "$traffic" ] || send "$traffic"
	"$symphony" -j doctor dev $dev > "$tmp/findings"
	echo $? > "$tmp/status"
}

# finds POINT RESULT CHECK PATTERN: text or advice of the finding.
finds()
{
	local have

	have=$(jq -r --arg check "$3" '.[] | select(.check == $check) |
		"\(.result) \(.text) \(.advice)"' "$tmp/findings")
	if grep -q -- "^$2 .*$4" <<< "$have"; then
		tap_result 0 "$1"
	else
		tap_equal "$1" "$2 ... $4" "$have"
	fi
}

wrong()
{
	jq -r '.[] | select(.result == "wrong") | .check' "$tmp/findings" | paste -s -d ' '
}

# pairs ECN: a laggard and one that runs ahead.
pairs()
{
	echo "
low, high = Sender(peer, 3, 0x11, ecn=$1), Sender(peer, 4, 0x12, ecn=$1)
for _ in range(20):
    low.send(1)
    high.send(1)"
}

sure=(k 1 warmup 0)

"$symphony" -j doctor > "$tmp/findings"
tap_equal "something is wrong: the status" 3 $?
tap_valid "JSON without a qdisc is what the schema says" doctor "$tmp/findings"
finds "the module" ok module "is loaded"
finds "the plugin" ok plugin "finds its plugin"
finds "no qdisc" wrong qdisc "tc qdisc add"
TC_LIB_DIR=/nowhere "$symphony" -j doctor > "$tmp/findings"
finds "no plugin" wrong plugin "TC_LIB_DIR"

examine <<< ""
finds "no traffic" wrong traffic "no packet"
examine <<< "
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (peer, 9))"
finds "no RoCE" wrong parsed "4791"
examine <<< "Sender(peer, 3, 0x11, job=0).send(10)"
finds "no job in the packets" wrong job "job filter"
examine job filter <<< "Sender(peer, 3, 0x11).send(10)"
finds "no filter that selects them" wrong job "tc filter show"
examine <<< "
Sender(peer, 3, 0x11).send(1)
s = Sender(peer, 4, 0x12)
s.messages(30)
s.send(60)"
finds "source ports that are no steps" wrong step \
	"tc qdisc change dev $dev root handle 1: symphony step count"
examine jobs 1 <<< "
for job in range(1, 5):
    Sender(peer, 3, 0x11, job).send(1)"
finds "a full table" wrong table "Raise jobs"
examine <<< "Sender(peer, 3, 0x11).send(10)"
finds "a single step" ok ahead "nothing ran ahead"
tap_equal "nothing is wrong" "0 " "$(cat "$tmp/status") $(wrong)"
examine "${sure[@]}" < <(pairs 0)
finds "not ECN capable" wrong ect "NCCL_IB_TC=106"
examine "${sure[@]}" mode observe < <(pairs 2)
finds "mode observe" note mode "symphony mode mark"
examine "${sure[@]}" mode prio < <(pairs 2)
finds "mode prio" note mode "marks nothing"
examine k 0 < <(pairs 2)
finds "a k that marks nothing" note marks "k 1"
examine "${sure[@]}" < <(pairs 2)
finds "marks" ok marks "[1-9][0-9]* packets"
tap_equal "nothing is wrong with marks" "0 " "$(cat "$tmp/status") $(wrong)"
tap_valid "JSON is what the schema says" doctor "$tmp/findings"

tc qdisc del dev $dev root
ip link add br0 type bridge
ip link set br0 up
tc qdisc add dev br0 root symphony
"$symphony" -j doctor > "$tmp/findings"
finds "symphony on a bridge" wrong place "ports of the bridge"
ip link set br0 down
"$symphony" -j doctor > "$tmp/findings"
finds "a device that is down" wrong place "down"
tap_equal "text: fits 80 columns" "" "$("$symphony" doctor | awk 'length > 80')"
tap_equal "text: every finding" "$(jq length "$tmp/findings")" \
	"$("$symphony" doctor | grep -c -E '^(ok|note|wrong) ')"
tap_done
