#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/unload: what it advises frees the module, whatever holds it. To be run in a
# virtual machine: it changes net.core.default_qdisc and devices.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
. "$here/../lib/wait.sh"
unload=$here/../../scripts/unload
PATH=$PATH:/usr/sbin:/sbin

tmp=$(mktemp -d)
sleepers=()
clean_up()
{
	[ ${#sleepers[@]} -eq 0 ] || kill "${sleepers[@]}" 2> /dev/null
	umount "$tmp/mounted" 2> /dev/null
	rm -rf "$tmp"
}
trap clean_up EXIT

loaded()
{
	[ -d /sys/module/sch_symphony ]
}

# handles DEV: of its symphony qdiscs.
handles()
{
	tc qdisc show dev "$1" | awk '$2 == "symphony" { print $3 }' | paste -s -d ' '
}

# stays: scripts/unload ends well, leaves the module and prints advice.
stays()
{
	"$unload" > "$tmp/advice" && loaded && grep -q "stays loaded" "$tmp/advice"
}

# Runs what it advised, all of it and as it is printed.
follow()
{
	sed -n 's/^  \(.*\)/\1/p' "$tmp/advice" > "$tmp/commands"
	[ -s "$tmp/commands" ] && sh -e -x "$tmp/commands"
}

gone()
{
	! loaded
}

# frees NAME [PATTERN]...: the advice has these lines, and following it frees the module.
frees()
{
	local name=$1 pattern

	shift
	tap_check "$name: it stays loaded" stays
	for pattern; do
		tap_check "$name: it advises ${pattern##*( )}" grep -qE "^  $pattern\$" "$tmp/advice"
	done
	tap_check "$name: the commands work" follow
	tap_check "$name: and free it" gone
}

# held_namespace: a namespace with a symphony qdisc that a process keeps; leaves its id.
held_namespace()
{
	rm -f "$tmp/ready"
	# shellcheck disable=SC2016	# expanded there
	unshare -n sh -c 'tc qdisc add dev lo root symphony && touch "$1" && exec sleep infinity' sh "$tmp/ready" \
		> /dev/null 2>&1 &
	holder=$!
	sleepers+=("$holder")
	wait_for 300 test -e "$tmp/ready"
}

modprobe ifb numifbs=0 || tap_skip_all "this kernel has no ifb, a device with queues"
tap_check "nothing to do without the module" "$unload"

# The manual page's file, read by the program that reads it at boot.
as_at_boot()
{
	local reader=/usr/lib/systemd/systemd-sysctl

	sed -n 's/^.BR \(net.core.default_qdisc=symphony\) .$/\1/p' \
		"$here/../../Documentation/man/tc-symphony.8" > "$tmp/symphony.conf"
	[ -s "$tmp/symphony.conf" ] || return
	[ -x "$reader" ] || reader="sysctl -q -p"
	$reader "$tmp/symphony.conf" && loaded
}

tap_check "the file of sysctl.d loads the module" as_at_boot
frees "default_qdisc alone" "sysctl -w net.core.default_qdisc=pfifo_fast"

sysctl -q -w net.core.default_qdisc=symphony
ip link add one type ifb
ip link add many numtxqueues 3 type ifb
ip link add own numtxqueues 2 type ifb
for dev in one many own; do
	ip link set "$dev" up
done
tc qdisc replace dev own root handle 1: mq
tap_equal "a root nobody asked for" "0:" "$(handles one)"
tap_equal "and one for each queue" "0: 0: 0:" "$(handles many)"
frees "default_qdisc and its qdiscs" "sysctl -w net.core.default_qdisc=pfifo_fast" \
	"tc qdisc replace dev one root pfifo_fast" "tc qdisc replace dev many root mq" \
	"tc qdisc replace dev own parent 1:1 pfifo"

tc qdisc replace dev one root handle 1: symphony
tc qdisc add dev one parent 1: handle 2: symphony
tc qdisc replace dev many root handle 1: mq
tc qdisc replace dev many parent 1:2 handle 2: symphony
ip netns add named
ip netns exec named tc qdisc add dev lo root symphony
frees "qdiscs with handles, one in another" "tc qdisc del dev one root" \
	"tc qdisc del dev many parent 1:2" "tc -n named qdisc del dev lo root"

held_namespace
tap_result $? "a namespace that a process alone keeps"
frees "it" "nsenter -t [0-9]+ -n tc qdisc del dev lo root"

held_namespace
exec 8< "/proc/$holder/ns/net"
touch "$tmp/mounted"
kill "$holder"
wait "$holder" 2> /dev/null
frees "a namespace of an open file" "nsenter --net=/proc/[0-9]+/fd/8 tc qdisc del dev lo root"
exec 8<&-

unshare --net="$tmp/mounted" tc qdisc add dev lo root symphony
frees "a namespace of a mount" "nsenter --net=$tmp/mounted tc qdisc del dev lo root"
tap_done
