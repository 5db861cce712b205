#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Send the packets of vectors/*.vec through a router and compare what arrives,
# byte by byte. Prints TAP 13; README.rst tells how to write vectors.
#
#	net.sh [-v] [-t TITLE] [-q QUEUE] [FILE.vec]...
#
# QUEUE: child (default), or order, for all vectors that do not name one or have a child
. "$(dirname "$0")/../lib/help.sh"

set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

skip_all()
{
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$*"
	exit 4
}

options=()
queue=child
while getopts vt:q: opt; do
	case $opt in
	v)	options+=(-v) ;;
	t)	options+=(-t "$OPTARG") ;;
	q)	queue=$OPTARG ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- vectors/*.vec

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
for tool in ip tc ethtool sysctl; do
	command -v $tool > /dev/null || skip_all "needs $tool"
done
[ -x ./rocepkt ] || skip_all "rocepkt is not built: make -C selftests/net"
modprobe -q sch_symphony || grep -q ^sch_symphony /proc/modules ||
	skip_all "module sch_symphony is not installed"

topology=topology.vec
if [ "$queue" != child ]; then
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	topology=$tmp/topology.vec
	sed "s/^define QUEUE .*/define QUEUE queue $queue/" topology.vec > "$topology"
	for file; do
		# a test ends where the next begins
		awk '/^test / { printf "%s", all; all = ""; child = 0 }
		     { all = child ? "" : all $0 "\n" }
		     /^# about a child$/ { child = 1; all = "" }
		     END { printf "%s", all }' "$file" > "$tmp/${file##*/}"
		shift
		set -- "$@" "$tmp/${file##*/}"
	done
fi
. ./topology.sh
topology_up
./rocepkt -n "$NS" ${options[@]+"${options[@]}"} "$topology" "$@"
