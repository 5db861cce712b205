#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A ring under ECMP with congestion (RED all but without a coin), for the hash of its records and the speed:
# repeat.sh TOPO SEED

set -eu
topo=$1
seed=$2
cd "$(dirname "$0")"
# shellcheck source=selftests/testbed/sanity/lib.sh
. ./lib.sh

build hosts=16 tors=4 spines=2 "seed=$seed" \
	qdisc="qdisc replace dev DEV root handle 1: red limit 4000000 min 50000 max 50050 probability 1 avpkt 1000 burst 52 bandwidth 10gbit ecn"
run 16 <<-END
	seed $seed
	sample queue 100us
	background src 0 dst 5 rate 1000 on 200us off 200us period random
	job 1 chunk 500k
	ring 1 0-15/4
END
echo "hash $(value hash) complete $(value complete)"
echo "speed $(value hops_per_cpu_s) $(value hops_per_s)"
