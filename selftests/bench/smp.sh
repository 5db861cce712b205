#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# smp.sh [KERNEL]: two CPUs and one table, in a virtual machine. TAP 13.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kernel=${1:-6.12}

found=$("$top/scripts/kernel" "$kernel")
eval "$found"
# shellcheck disable=SC2154 # set by the line above
bench=$("$here/build.sh" "$top/out/bench/$release" "$headers")
"$top/scripts/build-module" "$kernel" > /dev/null
exec "$top/scripts/vm" --quiet --kernel "$kernel" --cpus 2 --out "$top/out/bench/vm-$kernel" -- \
	bash "$here/smp-guest.sh" "$bench"
