# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the attacks share. Sourced, after "here" has been set to this directory.
# FLOOD and NLFUZZ name the built programs if they are not in this directory.

# shellcheck disable=SC2034	# used by the scripts that source this file
flood=${FLOOD:-$here/flood}
# shellcheck disable=SC2034
nlfuzz=${NLFUZZ:-$here/nlfuzz}
dev=atk0
tests=0
failures=0
tmp=$(mktemp -d)

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

# ok STATUS NAME: one line of TAP; 0 is a pass.
ok()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $2"
	fi
}

skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

plan()
{
	echo "1..$tests"
	rm -rf "$tmp"
	[ "$failures" -eq 0 ]
	exit
}

note()
{
	sed 's/^/# /'
}

# The kernel's complaints since the last call, as a TAP line.
splats()
{
	dmesg -c > "$tmp/dmesg"
	if grep -E 'WARNING|BUG|Oops|KASAN|UBSAN|possible recursive|circular locking|inconsistent lock|suspicious RCU|sleeping function|scheduling while atomic|refcount_t|Call Trace|non-work-conserving.*symphony|unregister_netdevice' \
		"$tmp/dmesg" > "$tmp/splats"; then
		note < "$tmp/splats"
		ok 1 "$1"
		return 1
	fi
	ok 0 "$1"
}

# prepare: root, a module and tc's plugin, an empty namespace of our own.
prepare()
{
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
	[ -x "$flood" ] || skip_all "flood is not built"
	if [ -z "${ATTACK_NETNS:-}" ]; then
		ATTACK_NETNS=1 exec unshare -n "$0" "$@"
	fi
	ip link set lo up
	ip link add name atk1 type dummy || skip_all "no dummy device"
	tc qdisc add dev atk1 root symphony 2> "$tmp/err" ||
		skip_all "no qdisc symphony: $(cat "$tmp/err")"
	ip link del atk1
	dmesg -c > /dev/null
	echo "TAP version 13"
}

# A device of its own with two queues, to be had again and again.
new_device()
{
	ip link add name "$dev" numtxqueues 2 numrxqueues 2 type dummy
	ip link set "$dev" up
}

# drained DEV: 0 once every qdisc of the device holds nothing, 1 after two seconds.
drained()
{
	i=0
	while [ $i -lt 20 ]; do
		tc -s qdisc show dev "$1" > "$tmp/stats"
		grep 'backlog .*requeues' "$tmp/stats" | grep -qv 'backlog 0b 0p' || return 0
		sleep 0.1
		i=$((i + 1))
	done
	note < "$tmp/stats"
	return 1
}

# balanced: whether in each symphony of $tmp/stats every packet is in one class.
balanced()
{
	awk '
	function check() {
		if (kind == "symphony" && seen && sum != packets) {
			print "# " packets " packets, " sum " counted"
			bad = 1
		}
	}
	$1 == "qdisc" { check(); kind = $2; sum = 0; packets = -1; seen = 0 }
	$1 == "Sent" { packets = $4 }
	kind == "symphony" {
		for (i = 1; i < NF; i++) {
			if ($i ~ /^(data|control|no_job|no_step|table_full|unparsable|other)$/) {
				sum += $(i + 1)
				seen = 1
			}
		}
	}
	END { check(); exit bad }' "$tmp/stats"
}
