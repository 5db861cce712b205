# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the attacks share. Sourced, after "here" has been set to this directory.
# FLOOD and NLFUZZ name the built programs if they are not in this directory.

# shellcheck source=selftests/lib/help.sh
. "${here:?}/../lib/help.sh"
# An empty namespace of our own.
if [ -z "${ATTACK_NETNS:-}" ] && [ "$(id -u)" -eq 0 ]; then
	ATTACK_NETNS=1 exec unshare -n "$0" "$@"
fi
# shellcheck source=selftests/lib/tap.sh
. "${here:?}/../lib/tap.sh"
# shellcheck source=selftests/lib/wait.sh
. "$here/../lib/wait.sh"
# shellcheck source=scripts/complaints.sh
. "$here/../../scripts/complaints.sh"

# shellcheck disable=SC2034	# used by the scripts that source this file
flood=${FLOOD:-$here/flood}
# shellcheck disable=SC2034
nlfuzz=${NLFUZZ:-$here/nlfuzz}
dev=atk0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

note()
{
	sed 's/^/# /'
}

# The kernel's complaints since the last call, as a point.
splats()
{
	dmesg -c > "$tmp/dmesg"
	{
		kernel_complaints "$tmp/dmesg" 0
		grep 'non-work-conserving.*symphony' "$tmp/dmesg"
	} > "$tmp/splats"
	note < "$tmp/splats"
	[ ! -s "$tmp/splats" ]
	tap_result $? "$1"
}

# prepare: root, a module and tc's plugin.
prepare()
{
	[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
	[ -x "$flood" ] || tap_skip_all "flood is not built"
	ip link set lo up
	ip link add name atk1 type dummy || tap_skip_all "no dummy device"
	tc qdisc add dev atk1 root symphony 2> "$tmp/err" ||
		tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
	ip link del atk1
	dmesg -c > /dev/null
}

# A device of its own with two queues, to be had again and again.
new_device()
{
	ip link add name "$dev" numtxqueues 2 numrxqueues 2 type dummy
	ip link set "$dev" up
}

# seen DEV PATTERN...: whether each is in the statistics, which are left in $tmp/stats.
seen()
{
	tc -s qdisc show dev "$1" > "$tmp/stats" || return 1
	shift
	for pattern; do
		grep -q "$pattern" "$tmp/stats" || return 1
	done
}

nothing_queued()
{
	tc -s qdisc show dev "$1" > "$tmp/stats" || return 1
	! grep 'backlog .*requeues' "$tmp/stats" | grep -qv 'backlog 0b 0p'
}

# drained DEV: 0 once every qdisc of the device holds nothing, 1 after half a minute.
drained()
{
	wait_for 120 nothing_queued "$1" && return 0
	note < "$tmp/stats"
	return 1
}

# passing DEV: packets have left it. What sysfs shows is of another namespace.
passing()
{
	awk -v dev="$1:" '$1 == dev { sent = $11 } END { exit !sent }' /proc/net/dev
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

# What the kernel holds in slabs and vmalloc and would not give back when asked, kB.
kernel_memory()
{
	awk '/^VmallocUsed|^SUnreclaim/ { sum += $2 } END { print sum }' /proc/meminfo
}

# One change of a qdisc a line, from whatever the one before left.
options()
{
	cat <<-END
	k 1 warmup 0 window 1ms
	tau 0.9 samples 0 alpha_max 3
	jobs 5000 flows 64
	mode observe
	psn absolute
	domain 7
	domain 8 jobs 6000
	flows 4096
	job dscp
	job fixed 9
	mode prio
	domain 0
	job filter
	proto uet step msgid
	proto rocev2 job resv psn relative
	ecn_min 1000 ecn_max 9000 shield 8 ecn_prob 0.5
	ecn_min 0 ecn_max 0 shield 1
	seed 1 limit 1
	idle 1ms window 1us
	idle 60s window 60s limit 1000
	mode mark domain 9
	queue order limit_bytes 30k
	patience 1us limit_bytes 64mb
	hold 60s
	hold 0
	ecn_max 1ms
	queue child ecn_max 0
	queue order limit 3
	queue child limit 1000
	END
}
