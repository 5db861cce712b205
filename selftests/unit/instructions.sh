#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Count with callgrind the instructions that parser, algorithm and flow table
# spend on each kind of packet, and compare with instructions.ceiling.
# With --measure: print the counts and compare nothing.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/../../out/unit}
cc=${CC:-cc}

# count DEPTH: "KIND INSTRUCTIONS" for each kind of packet.
count()
{
	# counted once more for each kind, to leave the flow's anchor behind
	valgrind --tool=callgrind --callgrind-out-file="$tmp/$1" \
		--toggle-collect=measured "$out/count_$1" >"$tmp/log" 2>&1 || {
		cat "$tmp/log" >&2
		return 1
	}
	for profile in "$tmp/$1".*; do
		awk '
			sub(/^desc: Trigger: Client Request: /, "") { kind = $0 }
			/^summary:/ { instructions = $2 }
			END { print kind, int(instructions / 1000) }' "$profile"
	done
}

measure()
{
	for depth in parser judge all; do
		count "$depth" | sed "s/^/$depth /" || return
	done
}

missing()
{
	command -v valgrind >/dev/null || { echo "valgrind is not installed"; return; }
	case $("$cc" -dumpmachine) in
	x86_64-*) ;;
	*)	echo "the ceilings are for x86-64"; return ;;
	esac
	case $("$cc" --version) in
	*"Free Software Foundation"*) ;;
	*)	echo "the ceilings are for gcc"; return ;;
	esac
	echo '#include <valgrind/callgrind.h>' | "$cc" -E - >/dev/null 2>&1 ||
		echo "valgrind's headers are not installed"
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ "${1:-}" = --measure ]; then
	make -s -C "$here" OUTPUT="$out" count
	measure
	exit
fi

# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"
reason=$(missing)
[ -z "$reason" ] || tap_skip_all "$reason"
make -s -C "$here" OUTPUT="$out" count
measure >"$tmp/measured"

while read -r kind parser judge all; do
	case $kind in ''|'#'*) continue ;; esac
	for depth in "parser $parser" "judge $judge" "all $all"; do
		ceiling=${depth#* }
		depth=${depth% *}
		count=$(awk -v d="$depth" -v k="$kind" '$1 == d && $2 == k { print $3 }' \
			"$tmp/measured")
		if [ -n "$count" ] && [ "$count" -le "$ceiling" ]; then
			tap_result 0 "$kind, $depth: $count instructions, ceiling $ceiling"
		else
			tap_result 1 "$kind, $depth: ${count:-no} instructions, ceiling $ceiling"
		fi
	done
done <"$here/instructions.ceiling"

# nothing may be measured without a ceiling
tap_equal "every kind of packet has a ceiling" \
	"$(awk '!/^#/ && NF { print $1 }' "$here/instructions.ceiling" | sort)" \
	"$(awk '{ print $2 }' "$tmp/measured" | sort -u)"
tap_done
