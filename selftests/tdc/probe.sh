#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tell whether this kernel has a feature of net/sched on which a test case's
# outcome depends: exit status 0 if so. Works in a namespace of its own.
#
#	probe.sh depth		qdisc trees deeper than eight are refused
#	probe.sh nested-duplicate	two duplicating netems may share a tree
. "$(dirname "$0")/../lib/help.sh"

set -eu

if [ "${PROBE_UNSHARED:-}" != 1 ]; then
	PROBE_UNSHARED=1 exec unshare -n "$0" "$@"
fi

dev=probe0
ip link add dev $dev type dummy

# Levels of prio, so that nothing of symphony is in play.
has_depth()
{
	tc qdisc add dev $dev root handle 1: prio
	for level in 2 3 4 5 6 7 8; do
		tc qdisc add dev $dev parent $((level - 1)):1 handle $level: prio
	done
	! tc qdisc add dev $dev parent 8:1 handle 9: prio 2>/dev/null
}

has_nested_duplicate()
{
	tc qdisc add dev $dev root handle 1: netem duplicate 100%
	tc qdisc add dev $dev parent 1: handle 2: netem duplicate 100% 2>/dev/null
}

case ${1:-} in
depth)			has_depth ;;
nested-duplicate)	has_nested_duplicate ;;
*)			echo "usage: probe.sh { depth | nested-duplicate }" >&2; exit 2 ;;
esac
