#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/vm: what it hands over, and that it notices a kernel that complains.
#
#	vm.sh [qemu|vng]	the runner, see scripts/vm
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
runner=${1:-qemu}
[ "$runner" != vng ] || command -v vng > /dev/null || tap_skip_all "virtme-ng is not installed"
"$top/scripts/build-module" 6.12 > /dev/null && make -s -C "$top" plugin > /dev/null || exit 1

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run NAME OPTION... -- CMD: a guest; leaves its status, output and log.
run()
{
	local name=$1

	shift
	status=0
	"$top/scripts/vm" --runner "$runner" --cpus 1 --timeout 300 --out "$tmp/$name" "$@" \
		> "$tmp/$name.out" 2> "$tmp/$name.err" || status=$?
	output=$(cat "$tmp/$name.out")
	if [ "$status" -eq 125 ]; then
		sed 's/^/# /' "$tmp/$name.err"
	fi
}

# shellcheck disable=SC2016	# expanded in the guest
run basic --env "GREETING=a b" --share "$tmp/shared" -- sh -c '
	echo "$GREETING" "$1"
	echo error > /dev/stderr
	touch "'"$tmp"'/not-shared" "'"$tmp"'/shared/from-guest" "$VM_OUT/in-out"
	grep -c ^cgroup2 /proc/mounts
	tc qdisc add dev lo root symphony k 0.5
	tc qdisc show dev lo | grep -o "symphony.* k 0.5"
	exit 7' sh "c  d"
tap_equal "exit status of the command" 7 "$status"
tap_equal "arguments, variables, both outputs" "a b c  d error 1" \
	"$(echo "$output" | head -n 3 | paste -s -d ' ')"
tap_check "the tree's module and plugin of tc work" grep -q '^symphony .* k 0\.5$' "$tmp/basic.out"
tap_check "a shared directory is written" test -e "$tmp/shared/from-guest"
tap_check "the output directory is written" test -e "$tmp/basic/in-out"
tap_check "nothing else of the host is" test ! -e "$tmp/not-shared"

run taint -- sh -c 'echo 64 > /proc/sys/kernel/tainted'
tap_equal "taint fails a run that succeeded" 99 "$status"

run warn -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at here" > /dev/kmsg; dmesg -C'
tap_equal "a warning fails it, even if the log was cleared" 99 "$status"
tap_check "the warning is shown" grep -q "WARNING: CPU" "$tmp/warn.err"

run panic -- sh -c 'echo c > /proc/sysrq-trigger; sleep infinity'
tap_equal "a panic ends the run" 125 "$status"
tap_check "its end is shown" grep -q "Kernel panic - not syncing: sysrq" "$tmp/panic.err"

run slow --timeout 10 -- sleep infinity
tap_equal "timeout" 124 "$status"

# virtme-ng has no cables.
[ "$runner" = qemu ] || tap_done

# Two guests and a cable. Either may be slow to start or to end.
cat > "$tmp/ping.sh" <<'END'
meet()
{
	touch "$shared/$1-$me"
	for _ in $(seq 600); do
		[ -e "$shared/$1-$peer" ] && return
		sleep 0.2
	done
	echo "the other guest is missing"
	exit 1
}

me=$1
peer=$2
shared=$3
ip addr add "192.0.2.$me/24" dev eth0
ip link set eth0 up
meet up
ping -q -c 3 -i 0.2 -W 30 "192.0.2.$peer"
status=$?
meet done
exit $status
END
run b --share "$tmp/shared" --nic "52:54:00:00:00:02,$tmp/b.sock,$tmp/a.sock" -- \
	sh "$tmp/ping.sh" 2 1 "$tmp/shared" &
run a --share "$tmp/shared" --nic "52:54:00:00:00:01,$tmp/a.sock,$tmp/b.sock" -- \
	sh "$tmp/ping.sh" 1 2 "$tmp/shared"
wait
tap_equal "two guests joined by a cable" 0 "$status"
tap_done
