#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the kernel itself refuses, past the checks of tc: each attribute beyond
# its bounds, of a wrong length and without a value. A refused change must name
# the option and its range and leave no trace on the qdisc. Prints TAP 13.
#
#	policy.sh
. "$(dirname "$0")/../lib/help.sh"

set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

if [ "${POLICY_UNSHARED:-}" != 1 ]; then
	POLICY_UNSHARED=1 exec unshare -n "$0" "$@"
fi

# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"
[ -x "$here/rawopt" ] || tap_skip_all "rawopt is not built: make -C selftests/tdc"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ATTR TYPE WITH|BEYOND...|MESSAGE; WITH is what the attribute cannot go without,
# - for nothing. The largest value of the type and the smallest that looks
# negative are beyond too where BEYOND has any.
table()
{
	cat <<-'END'
	limit u32 -|0 1073741825|limit must be from 1 to 1073741824 packets
	k u32 -|1000000001|k must be from 0 to 1
	tau u32 -|1000000001|tau must be from 0 to 1
	window u64 -|0 999 60000000001|window must be from 1us to 60s
	warmup u32 -|16777216|warmup must be from 0 to 16777215 packets
	samples u32 -|16777216|samples must be from 0 to 16777215 packets
	alpha_max u32 -|0 65536|alpha_max must be from 1 to 65535
	proto u32 -|2|proto must be rocev2 or uet
	job u32 -|4|job must be resv, dscp, filter or fixed
	job_id u32 job=u32:3|0 16777216|job fixed must be from 1 to 16777215
	step u32 proto=u32:1|4|step must be sport, spdcid, msgid or count
	psn u32 -|2|psn must be relative or absolute
	jobs u32 -|0 65536|jobs must be from 1 to 65535
	flows u32 -|0 3 4194305|flows must be from 4 to 4194304
	idle u64 -|0 999999 86400000000001|idle must be from 1ms to 86400s
	domain u32 -||domain must be a 32-bit number
	mode u32 -|3|mode must be mark, observe or prio
	seed u64 -||seed must be a 64-bit number
	ecn_min u32 -|268435457|ecn_min must be from 0 to 268435456 bytes
	ecn_max u32 -|268435457|ecn_max must be from 0 to 268435456 bytes
	ecn_prob u32 -|1000000001|ecn_prob must be from 0 to 1
	shield u32 -|0 65|shield must be from 1 to 64
	queue u32 -|2|queue must be child or order
	patience u64 -|0 999 60000000001|patience must be from 1us to 60s
	ecn_min_time u64 -|60000000001|ecn_min must be from 0 to 60s
	ecn_max_time u64 -|60000000001|ecn_max must be from 0 to 60s
	ecn_rate u64 -|1000000000001|ecn_rate must be from 0 to 1000000000000 bytes a second
	limit_bytes u32 -|0 1073741825|limit_bytes must be from 1 to 1073741824 bytes
	messages u32 step=u32:3|0 17|messages must be from 1 to 16
	hold u64 -|60000000001|hold must be from 0 to 60s
	gap u64 step=u32:3|0 99999 60000000001|gap must be from 100us to 60s
	END
}

# Good attributes come first: they would show if a refused change left a trace.
good="limit=u32:7 k=u32:1 psn=u32:1 jobs=u32:9 seed=u64:3 ecn_prob=u32:1"

# Prints the requests, a tab and the answers they should get.
expectations()
{
	table | while IFS='|' read -r row beyond message; do
		read -r attr type with <<-END
		$row
		END
		with=${with#-}
		case $type in
		u32)	other=u64 extremes="0x80000000 0xffffffff" ;;
		u64)	other=u32 extremes="0x8000000000000000 0xffffffffffffffff" ;;
		esac
		for value in $beyond ${beyond:+$extremes}; do
			printf '%s\trefused: Numerical result out of range: %s: %s\n' \
				"$good $with $attr=$type:$value" "$attr" "$message"
		done
		for value in $other:1 u16:1 u8:1 len:0 len:100; do
			printf '%s\trefused: Invalid argument: %s: %s\n' \
				"$good $with $attr=$value" "$attr" "$message"
		done
	done
}

dev=policy0
ip link add dev $dev type dummy
tc qdisc add dev $dev root handle 1: symphony ||
	tap_skip_all "tc cannot make a symphony qdisc"

tc qdisc show dev $dev > "$tmp/before"
expectations > "$tmp/expected"
cut -f 1 "$tmp/expected" | "$here/rawopt" -b $dev change > "$tmp/answers"
paste "$tmp/expected" "$tmp/answers" > "$tmp/results"

tab=$(printf '\t')
while IFS=$tab read -r request expected answer; do
	tap_equal "refuses ${request#"$good" }" "$expected" "$answer"
done < "$tmp/results"
tap_check "refused changes leave no trace" sh -c "tc qdisc show dev $dev | diff '$tmp/before' -"

# A number of the past is no number.
tc qdisc change dev $dev root handle 1: symphony job fixed 5
tc qdisc change dev $dev root handle 1: symphony job resv
echo "job=u32:3" | "$here/rawopt" -b $dev change > "$tmp/answers"
tap_check "job fixed needs a number of its own" grep -q "job fixed needs a number" "$tmp/answers"
tap_done
