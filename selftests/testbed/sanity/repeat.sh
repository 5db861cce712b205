#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A ring under ECMP with congestion, for the hash of its records and the speed:
# repeat.sh TOPO SEED. Codel's threshold marks without tossing a coin, which the
# kernel would not toss alike in guests that start differently.
. "$(dirname "$0")/../../lib/help.sh"

set -eu
topo=$1
seed=$2
cd "$(dirname "$0")"
# shellcheck source=selftests/testbed/sanity/lib.sh
. ./lib.sh

build hosts=16 tors=4 spines=2 "seed=$seed" \
	qdisc="qdisc replace dev DEV root handle 1: codel limit 100000 target 1s interval 10s ecn ce_threshold 40us"
run 16 <<-END
	seed $seed
	sample queue 100us
	background src 0 dst 5 rate 1000 on 200us off 200us period random
	job 1 chunk 500k
	ring 1 0-15/4
END
echo "marks $(value job1_ce)"
echo "hash $(value hash) complete $(value complete)"
echo "speed $(value hops_per_cpu_s) $(value hops_per_s)"
