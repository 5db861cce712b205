#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The generic netlink family against live qdiscs with traffic. Prints TAP 13.
#
#	genl.sh		what it says and refuses
#	genl.sh churn	a hundred dumpers while jobs come and go
#	genl.sh race	few jobs that are read and changed while packets write them
#	genl.sh bench	what a dump of 16,384 jobs costs
. "$(dirname "$0")/../lib/help.sh"

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
if [ -z "${GENL_NETNS:-}" ] && [ "$(id -u)" -eq 0 ]; then
	GENL_NETNS=1 exec unshare -n "$0" "$@"
fi
skip_all()
{
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$1"
	exit 4
}

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
command -v python3 > /dev/null || skip_all "python3 is not installed"
err=$(ip link add name gn0 type dummy 2>&1) || skip_all "no dummy device: $err"
err=$(tc qdisc add dev gn0 root symphony 2>&1) || skip_all "no qdisc symphony: $err"
ip link del gn0
export PYTHONPATH="$here:$top/selftests/readers" PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/${1:-genl}_test.py"
