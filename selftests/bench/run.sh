#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what a packet costs. See usage() and Documentation/performance.rst.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=scripts/lib.sh
. "$top/scripts/lib.sh"

usage()
{
	cat <<-END
	usage: selftests/bench/run.sh [check|full]

	In User Mode Linux, at the host's speed:
	  check  a minute's choice of the measurements, held to the ceilings of
	         selftests/bench/targets, as TAP 13 (default)
	  full   all of them; prints tables in reStructuredText and writes them to
	         out/bench/tables.rst, the chart to out/bench/performance.svg
	END
}

mode=${1:-check}
case $mode in
check)		run=short ;;
full)		run=full ;;
-h | --help)	usage; exit 0 ;;
*)		say "'$mode' is not one of: check full"; exit 2 ;;
esac

out=$top/out/bench
mkdir -p "$out"
modules=$("$top/scripts/uml-modules" module)
kernel=$("$top/scripts/uml-build" --print)
bench=$("$here/build.sh" "$out/uml" "$kernel" ARCH=um)
[ -e "$top/out/plugin/q_symphony.so" ] || make -s -C "$top" plugin >&2

if ! "$top/scripts/uml" --quiet --out "$out/guest" --timeout 900 --module "$modules/sch_symphony.ko" \
		--module "$bench" -- sh "$here/guest.sh" "$run" > "$out/$mode.rounds"; then
	die "the measurement failed, see $out/guest"
fi
awk -f "$here/summary.awk" "$out/$mode.rounds" > "$out/$mode.summary"

if [ "$mode" = check ]; then
	awk -v form=tap -f "$here/targets.awk" "$out/check.summary" "$here/targets"
	exit
fi
{
	awk -v form=table -f "$here/targets.awk" "$out/full.summary" "$here/targets"
	echo
	awk -f "$here/tables.awk" "$out/full.summary"
} | tee "$out/tables.rst"
if have gnuplot; then
	gnuplot -e "summary='$out/full.summary'; output='$out/performance.svg'" "$here/chart.gp"
else
	say "gnuplot is not installed: no chart"
fi
