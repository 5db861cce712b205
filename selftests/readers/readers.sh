#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Programs that read what symphony says, against a live qdisc: pyroute2 with the
# module of python/, and flent. Prints TAP 13.
. "$(dirname "$0")/../lib/help.sh"

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
if [ -z "${READERS_NETNS:-}" ] && [ "$(id -u)" -eq 0 ]; then
	READERS_NETNS=1 exec unshare -n "$0" "$@"
fi
. "$top/selftests/lib/tap.sh"

[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
dev=rd0
peer=192.0.2.2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Its neighbour never answers, and need not.
ip -batch - <<-END || tap_skip_all "no dummy device"
	link set lo up
	link add name $dev type dummy
	address add 192.0.2.1/24 dev $dev
	link set $dev up
	neighbor add $peer lladdr 02:00:00:00:00:02 dev $dev
END
tc qdisc add dev $dev root symphony 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
tc qdisc del dev "$dev" root

# Debian's Python has Debian's pyroute2, whatever else is on the path.
python=
for candidate in /usr/bin/python3 python3; do
	if "$candidate" -c 'import pyroute2' 2> "$tmp/err"; then
		python=$candidate
		break
	fi
done

export PYTHONPATH="$top/python" PYTHONDONTWRITEBYTECODE=1
if [ -n "$python" ]; then
	"$python" "$here/pyroute2_test.py" $dev $peer > "$tmp/pyroute2" 2> "$tmp/err"
	status=$?
	tap_nested pyroute2 "$tmp/pyroute2"
	tap_result $status "pyroute2: came to its end"
	[ $status -eq 0 ] || sed 's/^/# /' "$tmp/err"
else
	tap_skip "pyroute2" "python3-pyroute2 is not installed"
fi

# Each pair of packets is one of the laggard and one that is marked.
flent_agrees()
{
	tc qdisc replace dev "$dev" root symphony k 1 warmup 0 window 60s || return
	/usr/bin/python3 "$here/flent_test.py" "$dev" "$peer" "$tmp" > "$tmp/flent" || return
	cat "$tmp/flent"
	awk '{
		off = $6 - 2 * $2
		exit !($1 == "ecn_mark" && $2 > 0 && $4 == 0 && off >= -2 && off <= 2)
	}' "$tmp/flent"
}

# A shaper above, so that packets wait and more come than there is room for.
overlimit_is_drops()
{
	tc qdisc del dev "$dev" root
	tc qdisc add dev "$dev" root handle 2: tbf rate 64kbit burst 2kb limit 1mb || return
	tc qdisc add dev "$dev" parent 2:1 handle 1: symphony queue order limit 4 || return
	PYTHONPATH="$PYTHONPATH:$here" "$python" -c '
import sys, roce
roce.Sender(sys.argv[1], 3, 0x11).send(40)' "$peer"
	tc -s qdisc show dev "$dev" > "$tmp/text"
	cat "$tmp/text"
	awk '{
		for (i = 1; i < NF; i++) {
			if ($i ~ /^drops_/)
				drops += $(i + 1)
			if ($i == "overlimit")
				shown = $(i + 1)
		}
	}
	END { exit !(drops > 0 && drops == shown) }' "$tmp/text"
}

if [ -n "$python" ]; then
	tap_check "drops for want of room are the overlimit of fq_pie's line" overlimit_is_drops
fi

if command -v flent > "$tmp/which"; then
	tap_check "flent: its marks are half of the packets" flent_agrees
else
	tap_skip "flent" "flent is not installed"
fi
tap_done
