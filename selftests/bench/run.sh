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
	usage: selftests/bench/run.sh [check|order|full|domain|smp [KERNEL]]

	In User Mode Linux, at the host's speed:
	  check  a minute's choice of the measurements, held to the ceilings of
	         selftests/bench/targets, as TAP 13 (default)
	  order  of that choice, queue order alone
	  full   all of them; prints tables in reStructuredText and writes them to
	         out/bench/tables.rst, the chart to out/bench/performance.svg
	On the host:
	  domain what locks cost when two processors share a table
	In a virtual machine with two processors:
	  smp    no update of a shared table is lost, as TAP 13
	END
}

mode=${1:-check}
case $mode in
check)		run=short ;;
order)		run=order ;;
full)		run=full ;;
domain)
	mkdir -p "$top/out/bench"
	gcc -O2 -Wall -Wextra -I"$top/include/uapi" -I"$top/kernel" -o "$top/out/bench/domain" \
		"$here/domain.c" -pthread
	exec "$top/out/bench/domain"
	;;
smp)		exec "$here/smp.sh" "${2:-6.12}" ;;
-h | --help)	usage; exit 0 ;;
*)		say "'$mode' is not one of: check order full domain smp"; exit 2 ;;
esac

out=$top/out/bench
mkdir -p "$out"
modules=$("$top/scripts/uml-modules" module)
kernel=$("$top/scripts/uml-build" --print)
bench=$("$here/build.sh" "$out/uml" "$kernel" ARCH=um)
[ -e "$top/out/plugin/q_symphony.so" ] || make -s -C "$top" plugin >&2

measure()
{
	if ! "$top/scripts/uml" --quiet --out "$out/guest" --timeout 900 --module "$modules/sch_symphony.ko" \
			--module "$bench" -- sh "$here/guest.sh" "$run" > "$out/$mode.rounds"; then
		die "the measurement failed, see $out/guest"
	fi
	awk -f "$here/summary.awk" "$out/$mode.rounds" > "$out/$mode.summary"
}

# A busy host fails a ceiling by chance, a slower module each time: what is too slow is
# measured again, and has to be so three times.
hold_to_ceilings()
{
	grep -E "$1" "$here/targets" > "$out/targets"
	rm -f "$out"/tap.*
	for try in 1 2 3; do
		measure
		awk -v form=tap -f "$here/rst.awk" -f "$here/targets.awk" "$out/$mode.summary" \
			"$out/targets" > "$out/tap.$try" && break
	done
	awk '/^(not )?ok / {
			n = $1 == "ok" ? $2 : $3
			# a lost packet is no matter of time: once is enough
			lost = /no packet was lost/
			if (!(n in good) || (lost ? $1 != "ok" : !good[n])) {
				line[n] = $0
				text[n] = ""
				good[n] = $1 == "ok"
				taken = n
			} else {
				taken = 0
			}
			next
		}
		/^# / && taken { text[taken] = text[taken] $0 "\n" }
		END {
			print "TAP version 13"
			for (n = 1; n in line; n++) {
				printf "%s\n%s", line[n], text[n]
				bad += !good[n]
			}
			print "1.." n - 1
			exit bad > 0
		}' "$out"/tap.*
}

if [ "$mode" != full ]; then
	status=0
	[ "$mode" = check ] && targets=. || targets="^(order|#)"
	hold_to_ceilings "$targets" || status=$?
	exit "$status"
fi
measure
{
	awk -v form=table -f "$here/rst.awk" -f "$here/targets.awk" "$out/full.summary" "$here/targets"
	awk -f "$here/rst.awk" -f "$here/tables.awk" "$out/full.summary"
} | tee "$out/tables.rst"
if have gnuplot; then
	gnuplot -e "summary='$out/full.summary'; output='$out/performance.svg'" "$here/chart.gp"
else
	say "gnuplot is not installed: no chart"
fi
