#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest that systemd has started, see reboot.sh. Prints TAP 13.
#
#	reboot-guest.sh networkctl|ifup first|second

set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
. "$here/../lib/wait.sh"
page=$here/../../Documentation/man/tc-symphony.8
limit=900

# put FILE: what the manual page says to put there
put()
{
	local text

	text=$(awk -v "file=$1" '
		{ gsub(/\\-/, "-") }
		index($0, file) { found = 1 }
		on && /^\.EE/ { exit }
		on
		found && /^\.EX/ { on = 1 }' "$page")
	echo "$text" > "$1"
}

has_qdisc()
{
	tc qdisc show dev eth1 root | grep -q '^qdisc symphony 1: .* k 0\.01 '
}

has_address()
{
	ip -4 address show dev eth1 scope global | grep -q ' 192\.0\.2\.1/24 '
}

is_new()
{
	[ ! -d /sys/module/sch_symphony ]
}

by_networkd()
{
	printf '%s\n' '[Match]' 'Name=eth1' '[Network]' 'Address=192.0.2.1/24' \
		> /etc/systemd/network/eth1.network
	tap_check "networkd runs" systemctl enable --now systemd-networkd
	tap_check "it sets the device up" wait_for "$limit" has_address
	put /etc/systemd/system/symphony@.service
	tap_check "the unit is sound" systemd-analyze verify /etc/systemd/system/symphony@.service
	systemctl daemon-reload
	command=$(sed -n 's/\\-/-/g; s/^\.B \(systemctl enable .*symphony@eth1\)$/\1/p' "$page")
	# shellcheck disable=SC2086	# words are meant
	tap_check "${command:-a command}" $command
	tap_check "the qdisc is there" has_qdisc
	tap_check "networkctl reload" networkctl reload
	tap_check "networkctl reconfigure" networkctl reconfigure eth1
	tap_check "the device is set up again" wait_for "$limit" has_address
	tap_check "with the qdisc" has_qdisc
}

by_ifupdown()
{
	put /etc/network/interfaces
	# as the package does; this start has not what the host would start
	ln -sf /lib/systemd/system/networking.service /etc/systemd/system/multi-user.target.wants/
	tap_check "ifup -a" ifup -a
	tap_check "it sets the device up" has_address
	tap_check "with the qdisc" has_qdisc
	tap_check "ifdown" ifdown eth1
	tap_check "ifup" ifup eth1
	tap_check "which makes it again" has_qdisc
}

case $2-$1 in
first-networkctl)
	tap_check "the module is not loaded" is_new
	by_networkd ;;
first-ifup)
	tap_check "the module is not loaded" is_new
	by_ifupdown ;;
second-*)
	tap_check "the qdisc is there with its options" wait_for "$limit" has_qdisc
	tap_check "and the address" wait_for "$limit" has_address ;;
esac
tap_done
