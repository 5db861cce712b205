#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the language of experiments: what lib/plan.awk makes of a description.
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
fabric "command flow 1 src 0 dst 1 bytes 4096k"
tap_check "those of a flow" near 0.01 "$(hops_of | cut -d ' ' -f 2)" 2500
fabric "variant a" "variant b" "variant c" "variant c size 8192" "set size 4096" \
	"command flow 1 src 0 dst 1 bytes {size}"
tap_equal "runs that are the same count once" "2 8" "$(hops_of)"

# Numbers of the models: the published shapes of their layers.
bytes_of()
{
	awk '!/^#/ { sum += $4; n++ } END { print n, sum }' "$here/experiments/$1.layers"
}
tap_equal "VGG16 has 138,357,544 parameters of two bytes" "16 276715088" "$(bytes_of vgg16)"
tap_equal "ResNet50 has 54 layers with weights, four bytes each" "54 102011648" "$(bytes_of resnet50)"

tap_done
