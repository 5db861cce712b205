#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Build symphony_bench.ko in a copy of its source and print the file's name.
. "$(dirname "$0")/../lib/help.sh"
set -eu

[ $# -ge 2 ] || {
	echo "usage: build.sh OUT_DIR KERNEL_BUILD_DIR [ARCH=um]" >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../scripts/kbuild.sh"
out=$1
kernel=$2
shift 2

mkdir -p "$out"
out=$(cd "$out" && pwd)
cp -p "$here/Kbuild" "$here/symphony_bench.c" "$out/"
if ! make -C "$kernel" M="$out" "$@" modules > "$out/build.log" 2>&1; then
	tail -n 30 "$out/build.log" >&2
	exit 1
fi
kbuild_accept "$out/build.log" "$out"
echo "$out/symphony_bench.ko"
