#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest whose system has the packages and nothing else of symphony: the module is
# loaded by tc, counts a job's packets and is shown by the command; deb-root.sh runs it.
. "$(dirname "$0")/../lib/help.sh"
set -eux
loaded()
{
	[ -d /sys/module/sch_symphony ]
}

if loaded; then
	exit 1
fi
ip link add eth9 type dummy
ip address add 192.0.2.1/24 dev eth9
ip link set eth9 up
ip neighbor add 192.0.2.2 lladdr 02:00:00:00:00:02 dev eth9
tc qdisc add dev eth9 root handle 1: symphony
loaded
PYTHONPATH=$(dirname "$0")/../readers python3 -c '
import roce
roce.Sender("192.0.2.2", 3, 0x11).send(10)'
tc -s qdisc show dev eth9 | grep ' data 10p '
symphony -j show | jq -e '.[] | select(.dev == "eth9")'
symphony -j jobs eth9 | jq -e '.[] | select(.job == 5)'
tc qdisc del dev eth9 root
modprobe -r sch_symphony
