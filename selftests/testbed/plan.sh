#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the language of experiments: what lib/plan.awk makes of a description, and
# of what is counted over jobs and seeds.
# Prints TAP 13.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# plan: of the description on standard input, what it says in $tmp/said.
plan()
{
	cat > "$tmp/x.exp"
	rm -rf "$tmp/out"
	mkdir "$tmp/out"
	awk -f "$here/lib/plan.awk" -v out="$tmp/out" "$tmp/x.exp" > "$tmp/said" 2>&1
}

# fabric LINE...: 32 hosts in 4 racks, and these lines.
fabric()
{
	printf '%s\n' "set hosts 32" "set tors 4" "$@" | plan
}

commands()
{
	cat "$tmp/out/run,seed=1/commands"
}

# refused NAME WHY LINE...
refused()
{
	local name=$1 why=$2

	shift 2
	if fabric "$@"; then
		tap_result 1 "$name"
	else
		tap_check "$name" grep -q -F -- "$why" "$tmp/said"
	fi
}

fabric "rings 3 8x4 paired"
tap_equal "8 rings of 4: one host in each rack" "ring 3 0,8,16,24 ring 3 7,15,23,31 8" \
	"$(commands | sed -n '1p;$p' | xargs) $(commands | wc -l)"
fabric "rings 3 2x4 paired 4"
tap_equal "two of them beside the first four" "ring 3 4,12,20,28 ring 3 5,13,21,29" \
	"$(commands | xargs)"
fabric "rings 1 1x32 paired"
tap_equal "a paired ring of 32: every other hop in a rack" "ring 1 0,4,8,12,16,20" \
	"$(commands | cut -d , -f 1-6)"
fabric "rings 1 8x4 grid"
tap_equal "a 2D ring, along the hosts of a rack first" "grid 1 8x4 0-31" "$(commands)"
fabric "rings 1 8x4 grid-across"
tap_equal "a 2D ring, across the racks first" "grid 1 4x8 0,8,16,24,1,9" \
	"$(commands | cut -d , -f 1-6)"
tap_equal "with all hosts" 32 "$(commands | awk '{ print $4 }' | tr , '\n' | sort -u | wc -l)"
refused "a 2D ring of a part of the hosts" "a 2D ring has all hosts, 8 x 4" "rings 1 4x4 grid"
refused "an order there is not" "sideways is not one of" "rings 1 8x4 sideways"
refused "more rings than there is room for" "32 hosts hold 8 rings of 4" "rings 1 8x4 paired 1"

fabric "trees 3 4x8"
tap_equal "4 trees of 8: an edge leads to another rack where it can" \
	"tree 3 0,8,16,24,4,12,20,28 tree 3 3,11,19,27,7,15,23,31 4" \
	"$(commands | sed -n '1p;$p' | xargs) $(commands | wc -l)"
refused "trees in two dimensions" "grid is not one of crossing paired random" "trees 1 4x8 grid"
refused "more trees than there is room for" "trees 1 5x8: 32 hosts hold 4 trees of 8" "trees 1 5x8"

cat > "$tmp/two.layers" <<-END
	# forward backward update bytes name
	1000 3000 20 4096 first
	500 800 10 3 last
END
fabric "layers 2 two"
tap_equal "a model's layers" "layer 2 bytes 4096 forward 1000 backward 3000 update 20
layer 2 bytes 3 forward 500 backward 800 update 10" "$(commands)"
fabric "layers 2 two 0.25 0.5"
tap_equal "smaller elements, faster processors; a gradient has a byte at the least" \
	"layer 2 bytes 1024 forward 500 backward 1500 update 10
layer 2 bytes 1 forward 250 backward 400 update 5" "$(commands)"
refused "a model there is not" "no layers in" "layers 2 three"
refused "no bytes" "not JOB MODEL" "layers 2 two 0"
echo 1 2 3 > "$tmp/bad.layers"
refused "a line that is none" "cannot make sense of: 1 2 3" "layers 2 bad"

# Jobs that come at random: the same for every variant of a seed.
arrivals()
{
	printf '%s\n' "set hosts 128" "set tors 4" "set rate 10gbit" "set seeds 8" \
		"variant a" "variant b" \
		"arrivals 12 3.5 16,32,64 4m,16m 2,8 gap 0" | plan
}
jobs_of()
{
	cat "$tmp/out/a,seed=$1/commands"
}
all_jobs()
{
	local seed

	for seed in 1 2 3 4 5 6 7 8; do
		jobs_of $seed
	done
}
# Rings that belong to two jobs, where each job takes twice its least time at 10 Gbit/s.
rings_shared()
{
	awk '$1 == "job" { at = $8 + 0; ends = at + 2 * $6 * 6 * $4 * 8 / 1e4; start[$2] = at; end[$2] = ends }
	$1 == "ring" {
		n = split(had[$3], job, " ")
		for (i = 1; i <= n; i++)
			shared += end[job[i]] > start[$2] + 1
		had[$3] = had[$3] " " $2
	}
	END { print shared + 0 }'
}
arrivals
tap_equal "12 jobs come at random" "1 12" \
	"$(jobs_of 1 | awk '$1 == "job" { print $2 }' | sed -n '1p;$p' | xargs)"
tap_check "all variants of a seed have the same" cmp "$tmp/out/a,seed=1/commands" \
	"$tmp/out/b,seed=1/commands"
tap_equal "each seed has others" 8 "$(sha256sum "$tmp"/out/a,*/commands | cut -c 1-64 | sort -u | wc -l)"
tap_equal "every size, message and number of passes comes" \
	"1000000 4000000 2 8 4 8 16" \
	"$(all_jobs | awk '$1 == "job" { chunk[$4]; passes[$6] }
		$1 == "ring" { n++ } $1 != "ring" && n { size[n]; n = 0 }
		END { print 1000000 in chunk ? 1000000 : "", 4000000 in chunk ? 4000000 : "",
			2 in passes ? 2 : "", 8 in passes ? 8 : "",
			4 in size ? 4 : "", 8 in size ? 8 : "", 16 in size ? 16 : "" }')"
tap_equal "one host in each rack" "0 1 2 3" \
	"$(jobs_of 1 | sed -n '/^ring/{s/.* //;p;q}' | tr , '\n' | awk '{ print int($1 / 32) }' | xargs)"
tap_equal "a ring belongs to one job" 0 \
	"$(for seed in 1 2 3 4 5 6 7 8; do jobs_of $seed | rings_shared; done | awk '{ n += $1 } END { print n }')"
tap_equal "they begin one after the other" 0 \
	"$(jobs_of 3 | awk '$1 == "job" { bad += $8 + 0 < last; last = $8 + 0 } END { print bad + 0 }')"
refused "hosts that are no rings" "6 hosts are no rings of 4" "set rate 10gbit" "arrivals 2 3 6 4m 2"
refused "arrivals without a number of passes" "not COUNT AT_ONCE" "arrivals 2 3 16 4m"

# Two jobs of 2 hosts and one of 3, of 1 MB a host in 1.6, 2.4 and 0.8 ms.
cat > "$tmp/flows" <<-END
	job,ring,pass,step,src,dst,qp,start_ns,end_ns,bytes,packets,ce,cnps,retx
	1,0,0,1,0,1,1,0,1600000,1000000,1,0,0,0
	1,0,0,1,1,0,1,0,1600000,1000000,1,0,0,0
	2,0,0,1,2,3,1,1000000,3400000,1000000,1,0,0,0
	2,0,0,1,3,2,1,1000000,3400000,1000000,1,0,0,0
	3,0,0,1,4,5,1,0,800000,1000000,1,0,0,0
	3,0,0,1,5,6,1,0,800000,1000000,1,0,0,0
	3,0,0,1,6,4,1,0,800000,1000000,1,0,0,0
END
printf '%s\n' rate=10gbit mtu=1000000 overhead=-58 > "$tmp/params"
printf '%s\n' end_ns=4000000 complete=1 > "$tmp/summary"
(cd "$tmp" && awk -f "$here/lib/metrics.awk" params summary flows) > "$tmp/metrics"
metric_of()
{
	awk -v name="$1" '$1 == name { print $2 }' "$tmp/metrics"
}
tap_equal "jobs of one size: how long, times their least, how many" "2 2.5 2 0.8 1 1" \
	"$(for name in jct_2_ms slowdown_2 jobs_2 jct_3_ms slowdown_3 jobs_3; do
		metric_of $name
	done | xargs)"
tap_equal "jobs at once" 1.2 "$(metric_of at_once)"

# Of three seeds order wins two; a metric and a seed that are not asked for.
printf '%s\n' "sweeps dcqcn" > "$tmp/experiment"
cat > "$tmp/results.csv" <<-END
	baseline,hpcc,1,slowdown,2
	order,hpcc,1,slowdown,1.5
	baseline,hpcc,2,slowdown,1.25
	order,hpcc,2,slowdown,1.5
	order,hpcc,2,jct_ms,1
	baseline,hpcc,3,slowdown,10.5
	order,hpcc,3,slowdown,1.125
	order,nvidia,1,slowdown,1
END
tap_equal "range over the seeds, and how many are won" \
	"| hpcc | 2 (1.25-10.5) | 1.5 (1.125-1.5), 2/3 |
| nvidia | - | 1 |" \
	"$(awk -v metric=slowdown -f "$here/lib/grid.awk" -f "$here/lib/wins.awk" \
		"$tmp/experiment" "$tmp/results.csv" |
		sed '1,2d; s/  */ /g')"

# The packet-hops that runs were found to have, and what is told before them.
hops_of()
{
	find "$tmp/out" -name commands | sort | sed 's|/commands$||' > "$tmp/runs"
	awk -f "$here/lib/cost.awk" "$tmp/runs"
}
near()
{
	awk -v a="$2" -v b="$3" -v by="$1" 'BEGIN { print a, b; exit !(a > b * (1 - by) && a < b * (1 + by)) }'
}
fabric "topo hosts 32" "topo tors 4" "command job 1 chunk 8m passes 10" "rings 1 8x4 paired"
tap_check "packet-hops of 8 rings of 4, told before" near 0.01 "$(hops_of | cut -d ' ' -f 2)" 18762240
fabric "topo hosts 32" "topo tors 4" "command job 1 passes 2" "rings 1 1x32 paired" "layers 1 two 1000 1"
tap_check "those of a model: 62 steps of 32 hosts, two passes, 3 hops and those of ACKs" \
	near 0.01 "$(hops_of | cut -d ' ' -f 2)" $((62 * 32 * 2 * 15 * 33 / 4))
fabric "topo hosts 32" "topo tors 4" "command job 1 chunk 409600 pipeline 4 passes 3" "trees 1 1x8"
# Five edges lead to another rack, two do not.
tap_check "those of a tree, up and down" near 0.01 "$(hops_of | cut -d ' ' -f 2)" \
	$((2 * 4 * 3 * 100 * (5 * 4 + 2 * 2) * 5 / 4))
fabric "command job 1 chunk 409600 passes 3" "command job 1 pipeline 4" "trees 1 1x2"
tap_check "what changes a job leaves the rest of it as it was" near 0.01 \
	"$(hops_of | cut -d ' ' -f 2)" $((2 * 4 * 3 * 100 * 4 * 5 / 4))
fabric "command flow 1 src 0 dst 1 bytes 4096k"
tap_check "those of a flow" near 0.01 "$(hops_of | cut -d ' ' -f 2)" 2500
fabric "variant a" "variant b" "variant c" "variant c size 8192" "set size 4096" \
	"command flow 1 src 0 dst 1 bytes {size}"
tap_equal "runs that are the same count once" "2 8" "$(hops_of)"

# Numbers of the models: the published shapes of their layers.
bytes_of()
{
	awk '!/^#/ { sum += $4; n++ } END { printf "%d %.0f", n, sum }' "$here/experiments/$1.layers"
}
tap_equal "VGG16 has 138,357,544 parameters of two bytes" "16 276715088" "$(bytes_of vgg16)"
tap_equal "ResNet50 has 54 layers with weights, four bytes each" "54 102011648" "$(bytes_of resnet50)"
tap_equal "the Transformer 37 with gradients" "37 2434351104" "$(bytes_of transformer)"

tap_done
