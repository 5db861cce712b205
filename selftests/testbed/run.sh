#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the virtual-time testbed as a whole and, on it, of the clamp. TAP
# version 13. What the testbed is made of is tested in sanity/.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
out=${OUT:-$top/out/testbed-check}
mkdir -p "$out"

# experiment NAME [OPTION]...: run one, its output as comments.
experiment()
{
	"$top/scripts/testbed" run "$@" 2>&1 | sed 's/^/# /'
	return "${PIPESTATUS[0]}"
}

# metric EXPERIMENT RUN NAME [DIR]: 0 if there is none.
metric()
{
	awk -v name="$3" '$1 == name { value = $2 } END { print value == "" ? 0 : value }' \
		"${4:-$out}/$1/$2/metrics"
}

# holds NAME EXPRESSION: a point about numbers, for awk.
holds()
{
	echo "# $2"
	tap_check "$1" awk "BEGIN { exit !($2) }"
}

tap_check "DCQCN: the test of the formulas compiles" "${CC:-cc}" -O2 -o "$out/dcqcn_test" \
	"$here/dcqcn_test.c" "$here/kernel/collgen_dcqcn.c" -lm &&
	tap_check "DCQCN: the rate after every CNP equals the formulas" "$out/dcqcn_test"

# From what a clone has: whatever a run needs is built by it.
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
git -C "$top" ls-files -z | tar -C "$top" --null -T - -cf - | tar -C "$fresh" -xf -
top=$fresh experiment check-flow --out "$out"
tap_result $? "in a tree where nothing is built, a run builds all it needs"
slowdown=$(metric check-flow run,seed=1 slowdown)
holds "one flow on an idle path takes its theoretical time to 0.5 %" \
	"$slowdown >= 1 && $slowdown <= 1.005"

experiment check-share --out "$out"
a=$(metric check-share run,seed=1 flowA_ms)
b=$(metric check-share run,seed=1 flowB_ms)
holds "two DCQCN flows share a port to 5 %" "$a > 0 && $a <= 1.05 * $b && $b <= 1.05 * $a"

experiment check-bound --out "$out"
slowdown=$(metric check-bound run,seed=1 slowdown)
holds "a ring without contention reaches its lower bound to 2 %" \
	"$slowdown >= 1 && $slowdown <= 1.02"

experiment check-clamp --out "$out"
tap_result $? "rings with and without symphony complete"
for seed in 1 2 3 4 5; do
	baseline=$(metric check-clamp "baseline,seed=$seed" max_in_flight)
	symphony=$(metric check-clamp "symphony,seed=$seed" max_in_flight)
	holds "seed $seed: symphony at least halves the largest number of steps in flight" \
		"$symphony > 0 && 2 * $symphony <= $baseline"
done

experiment check-layout --out "$out"
layout()
{
	metric check-layout "$1,seed=1" "$2"
}
holds "8 rings of 4: balanced paths reach the lower bound to 3 %" \
	"$(layout balanced slowdown) >= 1 && $(layout balanced slowdown) <= 1.03"
holds "8 rings of 4: the fluid bound of order is 1.58, here to 3 %" \
	"$(layout baseline fluid_order) > 1.53 && $(layout baseline fluid_order) < 1.63"
holds "8 rings of 4: no run is faster than the fluid" \
	"$(layout baseline over_fluid) > 1 && $(layout paper over_fluid) > 1 &&
	 $(layout balanced over_fluid) > 1"
holds "8 rings of 4: the rings run away from each other, by a dozen steps" \
	"$(layout baseline max_in_flight) >= 10 && $(layout balanced max_in_flight) == 2"
holds "8 rings of 4: the paper's marks take a third off a pass, with 3 to 6 steps in flight" \
	"$(layout paper cct_ms) > 0 && $(layout paper cct_ms) < 0.67 * $(layout baseline cct_ms) &&
	 $(layout paper max_in_flight) >= 3 && $(layout paper max_in_flight) <= 6"

rm -rf "$out/again"
experiment check-clamp --out "$out/again" --seeds 1
for variant in baseline symphony; do
	first=$(metric check-clamp "$variant,seed=1" hash)
	other=$(metric check-clamp "$variant,seed=2" hash)
	tap_equal "$variant: a seed repeats to the last record" "$first" \
		"$(metric check-clamp "$variant,seed=1" hash "$out/again")"
	tap_result "$([ "$first" = "$other" ] && echo 1 || echo 0)" \
		"$variant: another seed gives other records"
done

# The host may do other things: its processor time counts, not the clock.
speed=$(cat "$out"/check-clamp/*/metrics |
	awk '$1 == "hops_per_cpu_s" && $2 > best { best = $2 } END { print best + 0 }')
holds "at least 300000 packet-hops a second of one core" "$speed >= 300000"

tap_done
