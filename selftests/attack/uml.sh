#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run one attack in User Mode Linux: uml.sh [--debug] NAME. With --debug the
# kernel has KASAN, UBSAN, lockdep, kmemleak and fault injection.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
debug=
if [ "${1:-}" = --debug ]; then
	debug=--debug
	shift
fi
if [ $# -ne 1 ] || [ ! -x "$here/$1.sh" ]; then
	echo "usage: uml.sh [--debug] NAME" >&2
	exit 2
fi
modules=$("$top/scripts/uml-modules" $debug)
make -s -C "$top" plugin > /dev/null
exec "$top/scripts/uml" $debug --quiet --mem 1024 --timeout 1400 \
	--out "${OUT:-$top/out/attack/$1$debug}/guest" --module "$modules/sch_symphony.ko" \
	--env TC_LIB_DIR="$top/out/plugin" --env MODULE="$modules/sch_symphony.ko" \
	-- "$here/$1.sh"
