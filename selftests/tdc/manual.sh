#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands and files of the manual page and of README.md do what they are
# there for. Prints TAP 13.
. "$(dirname "$0")/../lib/help.sh"

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
if [ -z "${MANUAL_NETNS:-}" ] && [ "$(id -u)" -eq 0 ]; then
	MANUAL_NETNS=1 exec unshare -n "$0" "$@"
fi
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
command -v jq > /dev/null || tap_skip_all "needs jq"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

ip link add eth1 numtxqueues 4 type dummy || tap_skip_all "no dummy device"
ip link set eth1 up
ip link add eth2 type dummy
tc qdisc add dev eth1 root symphony 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"

# The manual page's examples, a file each, as they look to a reader.
examples()
{
	awk -v dir="$tmp" '
		/^\.EX/ { file = sprintf("%s/example%02d", dir, ++n); next }
		/^\.EE/ { close(file); file = "" }
		file { print > file }' "$top/Documentation/man/tc-symphony.8"
	sed -i 's/\\-/-/g; s/\\e/\\/g; s/\\(aq/'\''/g; s/\\(dq/"/g' "$tmp"/example*
}

# What is typed: behind "# " or "> ", and on after a backslash.
typed()
{
	awk '/^[#>] ?/ { sub(/^[#>][ \t]*/, ""); print; on = /\\$/; next }
		on { print; on = /\\$/ }' "$1"
}

has_symphony()
{
	tc qdisc show dev eth1 | grep -q '^qdisc symphony ' || { tc qdisc show dev eth1; return 1; }
}

# run FILE: all of it succeeds and leaves a symphony qdisc.
run()
{
	if grep -q -m 1 'add dev eth1 root' "$1"; then
		tc qdisc del dev eth1 root 2> /dev/null
	fi
	IFACE=eth1 bash -e -u -o pipefail "$1" && has_symphony
}

touches_no_other()
{
	tc qdisc del dev eth1 root
	IFACE=eth2 sh "$1"
	! has_symphony > /dev/null
}

examples
for example in "$tmp"/example*; do
	first=$(head -n 1 "$example")
	case $first in
	"# "*)
		typed "$example" > "$tmp/commands"
		# it would run for ever; selftests/vm/trace.sh reads the same fields
		! grep -q '^bpftrace ' "$tmp/commands" || continue
		tap_check "manual page: $(head -n 1 "$tmp/commands")" run "$tmp/commands"
		;;
	"[Unit]")
		tc qdisc del dev eth1 root
		sed -n 's/^ExecStart=//p' "$example" | sed 's/%i/eth1/g' > "$tmp/commands"
		tap_check "manual page: the unit of systemd" run "$tmp/commands"
		if command -v systemd-analyze > /dev/null; then
			cp "$example" "$tmp/symphony@.service"
			tap_check "which systemd understands" \
				systemd-analyze verify --man=no "$tmp/symphony@.service"
		else
			tap_skip "which systemd understands" "systemd is not installed"
		fi
		;;
	"#!/bin/sh")
		tap_check "manual page: the script of networkd-dispatcher lets others alone" \
			touches_no_other "$example"
		tap_check "manual page: the script of networkd-dispatcher" run "$example"
		;;
	auto*)
		tc qdisc del dev eth1 root
		sed -n 's/^[ \t]*up //p' "$example" > "$tmp/commands"
		tap_check "manual page: the line of ifupdown" run "$tmp/commands"
		;;
	*)
		tap_result 1 "manual page: nobody knows how to try: $first"
		;;
	esac
done

# README's commands, a block of indented lines each.
awk -v dir="$tmp" '
	!/^    / { file = ""; next }
	/^    tc / {
		if (file == "")
			file = sprintf("%s/readme%02d", dir, ++n)
		sub(/^    /, "")
		print > file
	}' "$top/README.md"
for example in "$tmp"/readme*; do
	tap_check "README: $(head -n 1 "$example")" run "$example"
done
tap_done
