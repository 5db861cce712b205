#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tc plugin without a kernel: it loads with every symbol resolved, takes
# what users type and refuses the rest with exit status 1 and one line on stderr
# that names the option, the value and the range. Prints TAP 13.
#
#	plugin.sh [DIR]		DIR holds q_symphony.so

set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export TC_LIB_DIR="${1:-${TC_LIB_DIR:-$here/../../out/plugin}}"

# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"
command -v tc >/dev/null || tap_skip_all "needs tc"
[ -e "$TC_LIB_DIR/q_symphony.so" ] ||
	tap_skip_all "no q_symphony.so in $TC_LIB_DIR: make plugin"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A device that is not there: tc looks for it once the plugin is content.
try()
{
	rc=0
	tc qdisc add dev no-such-dev root symphony "$@" > "$tmp/out" 2> "$tmp/err" || rc=$?
}

answer()
{
	cat "$tmp/out" "$tmp/err"
	echo "exit status $rc"
}

takes()
{
	try "$@"
	tap_equal "takes $*" 'Cannot find device "no-such-dev"
exit status 1' "$(answer)"
}

refuses()
{
	message=$1
	shift
	try "$@"
	tap_equal "refuses $*" "symphony: $message
exit status 1" "$(answer)"
}

export LD_BIND_NOW=1
try help
tap_equal "loads with every symbol resolved, help exits with 1" 1 "$rc"
tap_check "help prints its usage" grep -q "^Usage: \.\.\. symphony \[ limit" "$tmp/err"
unset LD_BIND_NOW

for option in limit k tau window warmup samples alpha_max proto job step psn jobs flows \
	      idle domain mode seed ecn_min ecn_max ecn_prob shield queue patience hold \
	      limit_bytes ecn_rate messages gap; do
	tap_check "help names $option" grep -q "\[ $option " "$tmp/err"
done

takes
while read -r line; do
	# shellcheck disable=SC2086  # words of a command line
	takes $line
done <<'END'
k 0
k 1
k 1.0
k .5
k 0.010000000000000000000000000
k 00.5
k 1e0
k 1E-9
k 1000000000e-9
k 100%
k 0.0000001%
tau 33.3333333%
limit 1 k 0.01 tau 0.25 window 100us warmup 8 samples 8 alpha_max 65535
limit 0x10
limit 1000p
window 100
window 100usec
window 1S
window 0.000001s
window 60000msecs
window 1e3us
idle 86400s
seed 18446744073709551615
job fixed 16777215
job fixed 0xffffff
job filter jobs 65535 flows 4194304
proto uet step msgid psn absolute mode prio domain 4294967295
ecn_min 0 ecn_max 256mb ecn_prob 1 shield 64
ecn_min 1.5kb ecn_max 8mbit
ecn_max 0.25gb
queue child patience 1us limit_bytes 1
queue order patience 60s limit_bytes 1gb
queue order hold 0
queue order hold 60s
ecn_min 0 ecn_max 60s
ecn_min 100us ecn_max 1ms ecn_rate 100gbit
ecn_max 1ms ecn_rate 8tbit
ecn_rate 1kbps
step count messages 1 gap 100us
step count messages 16 gap 60s
proto uet step count
END

while IFS='|' read -r line message; do
	# shellcheck disable=SC2086  # words of a command line
	refuses "$message" $line
done <<'END'
k 1.5|k "1.5": not a probability from 0 to 1
k -0.5|k "-0.5": not a probability from 0 to 1
k +0.5|k "+0.5": not a probability from 0 to 1
k 1.000000001|k "1.000000001": not a probability from 0 to 1
k 101%|k "101%": not a probability from 0 to 1
k 1%%|k "1%%": not a probability from 0 to 1
k 0.1.2|k "0.1.2": not a probability from 0 to 1
k .|k ".": not a probability from 0 to 1
k 1e|k "1e": not a probability from 0 to 1
k 1e99|k "1e99": not a probability from 0 to 1
k 1e1000000000000|k "1e1000000000000": not a probability from 0 to 1
k 99999999999999999999|k "99999999999999999999": not a probability from 0 to 1
k nan|k "nan": not a probability from 0 to 1
k inf|k "inf": not a probability from 0 to 1
k 0x1|k "0x1": not a probability from 0 to 1
k 0.0123456789|k "0.0123456789": finer than a billionth, a probability from 0 to 1
k 0.00000001%|k "0.00000001%": finer than a billionth, a probability from 0 to 1
k 0.33333333333333333333333|k "0.33333333333333333333333": finer than a billionth, a probability from 0 to 1
k|k: no value given, needs a probability from 0 to 1
k 0.5 tau 0.5 k 0.5|k "0.5": given twice
tau 2|tau "2": not a ratio from 0 to 1
limit 0|limit "0": not a number of packets from 1 to 1073741824
limit 1073741825|limit "1073741825": not a number of packets from 1 to 1073741824
limit -1|limit "-1": not a number of packets from 1 to 1073741824
limit 1.5|limit "1.5": not a number of packets from 1 to 1073741824
limit 10kb|limit "10kb": not a number of packets from 1 to 1073741824
limit 18446744073709551617|limit "18446744073709551617": not a number of packets from 1 to 1073741824
window 999ns|window "999ns": not a time from 1us to 60s
window 60.000000001s|window "60.000000001s": not a time from 1us to 60s
window 1m|window "1m": not a time from 1us to 60s
window 2000.5ns|window "2000.5ns": finer than a nanosecond, a time from 1us to 60s
window|window: no value given, needs a time from 1us to 60s
warmup 16777216|warmup "16777216": not a number of packets from 0 to 16777215
samples 16777216|samples "16777216": not a number of packets from 0 to 16777215
alpha_max 0|alpha_max "0": not a number from 1 to 65535
alpha_max 65536|alpha_max "65536": not a number from 1 to 65535
proto roce|proto "roce": not one of rocev2, uet
proto|proto: no value given, needs one of rocev2, uet
job 5|job "5": not one of resv, dscp, filter, fixed
job fixed|job fixed: no value given, needs a number from 1 to 16777215
job fixed 0|job fixed "0": not a number from 1 to 16777215
job fixed 16777216|job fixed "16777216": not a number from 1 to 16777215
job fixed k 1|job fixed "k": not a number from 1 to 16777215
job resv 5|"5" is not an option, "help" lists them
step dport|step "dport": not one of sport, spdcid, msgid, count
psn rel|psn "rel": not one of relative, absolute
mode MARK|mode "MARK": not one of mark, observe, prio
jobs 0|jobs "0": not a number from 1 to 65535
jobs 65536|jobs "65536": not a number from 1 to 65535
flows 3|flows "3": not a number from 4 to 4194304
flows 4194305|flows "4194305": not a number from 4 to 4194304
idle 999us|idle "999us": not a time from 1ms to 86400s
idle 86401s|idle "86401s": not a time from 1ms to 86400s
domain 4294967296|domain "4294967296": not a number from 0 to 4294967295
seed -1|seed "-1": not a number from 0 to 18446744073709551615
seed 18446744073709551616|seed "18446744073709551616": not a number from 0 to 18446744073709551615
ecn_min 268435457|ecn_min "268435457": not a size from 0b to 256Mb
ecn_max 257mb|ecn_max "257mb": not a size from 0b to 256Mb
ecn_max 0.3kb|ecn_max "0.3kb": finer than a byte, a size from 0b to 256Mb
ecn_max -1kb|ecn_max "-1kb": not a size from 0b to 256Mb
ecn_prob 1.1|ecn_prob "1.1": not a probability from 0 to 1
shield 0|shield "0": not a number from 1 to 64
shield 65|shield "65": not a number from 1 to 64
ecn_max 61s|ecn_max "61s": not a time from 0ns to 60s
ecn_min 0.1ns|ecn_min "0.1ns": finer than a nanosecond, a time from 0ns to 60s
ecn_rate 1bit|ecn_rate "1bit": finer than a byte a second, a rate from 0bit to 8Tbit
ecn_rate 9tbit|ecn_rate "9tbit": not a rate from 0bit to 8Tbit
queue fifo|queue "fifo": not one of child, order
patience 999ns|patience "999ns": not a time from 1us to 60s
patience 61s|patience "61s": not a time from 1us to 60s
hold 61s|hold "61s": not a time from 0ns to 60s
limit_bytes 0|limit_bytes "0": not a size from 1b to 1024Mb
messages 0|messages "0": not a number from 1 to 16
messages 17|messages "17": not a number from 1 to 16
gap 99us|gap "99us": not a time from 100us to 60s
gap 61s|gap "61s": not a time from 100us to 60s
limit_bytes 1025mb|limit_bytes "1025mb": not a size from 1b to 1024Mb
lim 5|"lim" is not an option, "help" lists them
K 0.1|"K" is not an option, "help" lists them
job_id 5|"job_id" is not an option, "help" lists them
END

tap_done
