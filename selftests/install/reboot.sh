#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The manual page's examples of settings that survive a reboot, in a guest that is started
# twice: put into place with the first start, and looked for with the second. Prints TAP 13.
#
#	reboot.sh networkd|ifupdown	what sets the guest's devices up

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
case ${1:-} in
networkd)
	program=networkctl
	units="systemd-networkd.service systemd-networkd.socket systemd-network-generator.service" ;;
ifupdown)
	program=ifup
	units="networking.service ifupdown-pre.service" ;;
*)
	echo "usage: reboot.sh networkd|ifupdown" >&2
	exit 2 ;;
esac
out=${OUT:-$top/out/reboot-$1}

have qemu-system-x86_64 || tap_skip_all "qemu-system-x86 is not installed"
have mke2fs || tap_skip_all "e2fsprogs is not installed"
[ -x /lib/systemd/systemd ] || tap_skip_all "systemd is not installed"
have "$program" || tap_skip_all "$1 is not installed: there is no $program"
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
truncate -s 256M "$tmp/disk"
mke2fs -q -t ext4 "$tmp/disk" || tap_skip_all "no file system can be made in a file"

# start NAME UNITS: the guest's first start has none of what this host would start.
start()
{
	"$top/scripts/vm" --kernel 6.12 --cpus 1 --timeout 1500 --disk "$tmp/disk" --systemd "$2" \
		--nic "52:54:00:00:00:01,$tmp/nic0,$tmp/none" \
		--nic "52:54:00:00:00:02,$tmp/nic1,$tmp/none" --out "$out/$1" \
		-- "$here/reboot-guest.sh" "$program" "$1" > "$out/$1.tap" 2> "$out/$1.err"
}

for name in first second; do
	units_now=
	[ "$name" = first ] || units_now=$units
	tap_check "$name start" start "$name" "$units_now" || sed 's/^/# /' "$out/$name.err"
	tap_nested "$name start" "$out/$name.tap"
done
tap_done
