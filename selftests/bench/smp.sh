#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# smp.sh [KERNEL]: two CPUs and one table, in a virtual machine. TAP 13.
. "$(dirname "$0")/../lib/help.sh"
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kernel=${1:-6.12}

found=$("$top/scripts/kernel" "$kernel")
eval "$found"
# shellcheck disable=SC2154 # set by the line above
bench=$("$here/build.sh" "$top/out/bench/$release" "$headers")
"$top/scripts/build-module" "$kernel" > /dev/null
mkdir -p "$top/out/bench"
log=$top/out/bench/smp-$kernel.log
status=0
"$top/scripts/vm" --quiet --kernel "$kernel" --cpus 2 --timeout 800 --out "$top/out/bench/vm-$kernel" -- \
	bash "$here/smp-guest.sh" "$bench" > "$log" || status=$?

# Where a lock is lost, the guest may die of it: then the last point fails.
grep -v '^1\.\.' "$log" || :
points=$(grep -c -E '^(not )?ok ' "$log" || :)
case $status in
0 | 1)	echo "ok $((points + 1)) the guest came to its end" ;;
*)	echo "not ok $((points + 1)) the guest came to its end"
	echo "# exit status $status of scripts/vm"
	status=1 ;;
esac
echo "1..$((points + 1))"
exit $status
