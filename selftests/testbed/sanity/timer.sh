#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# With an hrtimer instead of a thread behind the events: timer.sh TOPO MODULES,
# which are not loaded yet.
# The hash of seed 1 must be that of repeat.sh.
. "$(dirname "$0")/../../lib/help.sh"

set -eu
topo=$1
modules=$2
cd "$(dirname "$0")"
# shellcheck source=selftests/testbed/sanity/lib.sh
. ./lib.sh

insmod "$modules/simdev.ko" thread=0
insmod "$modules/collgen.ko"
./repeat.sh "$topo" 1

# A qdisc with a timer of its own lets packets go between our events.
for delay in 0 8; do	# of 64 ns, which is how qdiscs count
	build hosts=2 "qdisc=qdisc replace dev DEV root handle 1: netem delay ${delay}us limit 1000"
	run 2 <<-END
		flow 1 src 0 dst 1 bytes 1000 step 1
	END
	[ "$delay" != 0 ] || base=$(value end_ns)
done
equal "a delaying qdisc delays by just that, there and back" $((base + 16000)) "$(value end_ns)"
