#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# net.sh in User Mode Linux; with --debug under KASAN, lockdep and kmemleak.
#
#	uml.sh [--debug] [ARGUMENT OF net.sh]...

set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
debug=
if [ "${1:-}" = --debug ]; then
	debug=--debug
	shift
fi
modules=$("$top/scripts/uml-modules" $debug)
exec "$top/scripts/uml" $debug --quiet --mem 1536 --module "$modules/sch_symphony.ko" \
	--env TC_LIB_DIR="$top/out/plugin" -- "$here/net.sh" "$@"
