#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the kernel itself refuses, past the checks of tc: each attribute beyond
# its bounds, of a wrong length and without a value. A refused change must name
# the option and its range and leave no trace on the qdisc. Prints TAP 13.
#
#	policy.sh [-o OUTPUT]	OUTPUT holds rawopt, else it is built here

set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

if [ "${POLICY_UNSHARED:-}" != 1 ]; then
	POLICY_UNSHARED=1 exec unshare -n "$0" "$@"
fi

output=${OUTPUT:-}
while getopts o: opt; do
	case $opt in
	o)	output=$OPTARG ;;
	*)	exit 2 ;;
	esac
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
rawopt=$output/rawopt
if [ ! -x "$rawopt" ]; then
	rawopt=$tmp/rawopt
	"${CC:-cc}" -O2 -I"$here/../../include/uapi" ${UAPI_DIR:+-I"$UAPI_DIR"} \
		-o "$rawopt" "$here/rawopt.c"
fi

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
	step u32 proto=u32:1|3|step must be sport, spdcid or msgid
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

echo "TAP version 13"
dev=policy0
ip link add dev $dev type dummy
if ! tc qdisc add dev $dev root handle 1: symphony; then
	echo "1..0 # SKIP tc cannot make a symphony qdisc"
	exit 4
fi

tc qdisc show dev $dev > "$tmp/before"
expectations > "$tmp/expected"
cut -f 1 "$tmp/expected" | "$rawopt" -b $dev change > "$tmp/answers"
tc qdisc show dev $dev > "$tmp/after"

trace=0
cmp "$tmp/before" "$tmp/after" >&2 || trace=1
paste "$tmp/expected" "$tmp/answers" | awk -F '\t' -v good="$good" -v trace=$trace '
{
	sub(good " *", "", $1)
	if ($2 == $3)
		print "ok " NR " refuses " $1
	else {
		failed++
		print "not ok " NR " refuses " $1
		print "# expected: " $2
		print "# answered: " $3
	}
}
END {
	print (trace ? "not ok " : "ok ") NR + 1 " refused changes leave no trace"
	print "1.." NR + 1
	exit failed || trace || !NR
}
'
