#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fuzz the parser, the algorithm, anchors, counted steps, the order of service and the
# parser of tc's options with libFuzzer, AddressSanitizer and UBSan. TAP 13.
#
#	run.sh [SECONDS]	short, 30 s in all: replays what was found before, fuzzes each
#				target, and shows that a planted fault would be found
#	run.sh keep SECONDS	long, goes on with the corpus in out/fuzz, and adds what it finds
#				to selftests/fuzz/regressions

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"

targets="parse algo flow count order plugin"
keep=
if [ "${1:-}" = keep ]; then
	keep=1
	shift
fi
seconds=${1:-30}
case $seconds in
''|*[!0-9]*|0*)
	echo "run.sh: \"$seconds\" is not a number of seconds" >&2
	exit 2
	;;
esac

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$top/out/fuzz
[ -n "$keep" ] || out=${OUT:-$out}
mkdir -p "$out"

command -v clang > /dev/null || tap_skip_all "needs clang (scripts/deps check)"
echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p && n; }' > "$tmp/try.c"
clang -fsanitize=fuzzer,address,undefined -o "$tmp/try" "$tmp/try.c" 2> "$tmp/log" ||
	tap_skip_all "clang has no libFuzzer here (scripts/deps check: libclang-rt-dev)"

# build OUTPUT [VARIABLE=VALUE]... TARGET...: the targets' programs
build()
{
	local output=$1 words=() word

	shift
	for word; do
		case $word in
		*=*)	words+=("$word") ;;
		*)	words+=("$output/fuzz_$word") ;;
		esac
	done
	make -s -j"$(nproc)" -C "$here" OUTPUT="$output" "${words[@]}" > "$tmp/log" 2>&1
}

# fuzz PROGRAM TARGET SECONDS CORPUS ARTIFACTS LOG: true if nothing was found
fuzz()
{
	local options=(-seed=1 -max_total_time="$3" -rss_limit_mb=4096 -timeout=20
		       -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$5")

	[ "$2" != plugin ] || "$top/selftests/fuzz/words" "$top" > "$tmp/plugin.dict"
	[ "$2" != parse ] || cp "$here/parse.dict" "$tmp/"
	[ ! -e "$tmp/$2.dict" ] || options+=(-dict="$tmp/$2.dict")
	# bytes that mean something; the model of the order takes its time
	case $2 in
	parse)	options+=(-max_len=512) ;;
	plugin)	options+=(-max_len=1024) ;;
	order)	options+=(-max_len=1500) ;;
	*)	options+=(-max_len=4096) ;;
	esac
	"$1" "${options[@]}" "$4" > "$6" 2>&1
}

# figures LOG: what was reached
figures()
{
	awk '/ cov: / {
			for (i = 1; i < NF; i++)
				seen[$i] = $(i + 1)
		}
		/^stat::number_of_executed_units:/ { runs = $2 }
		END {
			printf "%d inputs, cov %d, ft %d, corpus %s\n", runs, seen["cov:"],
				seen["ft:"], seen["corp:"]
		}' "$1"
}

# The files in DIR that the list of regressions has for TARGET.
regressions()
{
	local target=$1 dir=$2 name bytes n=0

	mkdir -p "$dir"
	while read -r name bytes _; do
		[ "$name" = "$target" ] || continue
		n=$((n + 1))
		echo "$bytes" | base64 -d > "$dir/regression-$n"
	done < "$here/regressions"
	echo "$n"
}

# What the program says of an input that it fell over.
complaint()
{
	"$1" "$2" 2>&1 | grep -E -m 1 '^[^ ]*:[0-9]+: |ERROR: AddressSanitizer|runtime error|libFuzzer:' ||
		echo "no complaint when tried again"
}

# one TARGET SECONDS
one()
{
	local target=$1 program=$out/fuzz_$1 seeds=$tmp/$1.seeds found status=0 nr

	nr=$(regressions "$target" "$tmp/$target.old")
	if [ "$nr" -gt 0 ]; then
		tap_check "$target: $nr inputs of before" "$program" "$tmp/$target".old/*
	fi
	mkdir -p "$seeds" "$out/found"
	"$program" seeds "$seeds" 2> "$tmp/log"
	if [ -n "$keep" ]; then
		mkdir -p "$out/corpus/$target"
		cp "$seeds"/* "$tmp/$target".old/* "$out/corpus/$target/" 2> "$tmp/log"
		seeds=$out/corpus/$target
	fi
	rm -f "$out/found/$target"-*
	fuzz "$program" "$target" "$2" "$seeds" "$out/found/$target-" "$out/$target.log" || status=$?
	echo "# $target: $(figures "$out/$target.log")"
	for found in "$out/found/$target"-*; do
		[ -e "$found" ] || continue
		status=1
		echo "# $found: $(complaint "$program" "$found")"
		[ -z "$keep" ] || printf '%s\t%s\n' "$target" "$(base64 -w 0 "$found")" >> "$here/regressions"
	done
	tap_result "$status" "$target: nothing found"
}

# A fault in a copy of what is fuzzed: TARGET FILE SCRIPT.
plant()
{
	local target=$1 file=$2 script=$3 name seeds=$tmp/fault.seeds

	name="$target: would find in ${file##*/}: $(printf '%s' "$script" | tr '\t#' '  ')"
	rm -rf "$tmp/tree" "$seeds"
	mkdir -p "$tmp/tree" "$seeds"
	cp -r "$top/kernel" "$top/iproute2-plugin" "$tmp/tree/"
	sed -i "$script" "$tmp/tree/$file"
	if cmp -s "$top/$file" "$tmp/tree/$file"; then
		tap_result 1 "$name"
		echo "# there is nothing like it in the file"
		return
	fi
	if ! build "$tmp/faulty" KERNEL="$tmp/tree/kernel" PLUGIN="$tmp/tree/iproute2-plugin" \
			CFLAGS=-w "$target"; then
		tap_result 1 "$name"
		sed 's/^/# /' "$tmp/log"
		return
	fi
	"$tmp/faulty/fuzz_$target" seeds "$seeds" 2> "$tmp/log"
	if fuzz "$tmp/faulty/fuzz_$target" "$target" "$seconds" "$seeds" "$tmp/fault-" "$tmp/log"; then
		tap_result 1 "$name"
		echo "# $(figures "$tmp/log")"
	else
		tap_result 0 "$name"
		echo "# after $(figures "$tmp/log")"
	fi
}

# shellcheck disable=SC2086	# a list
if ! build "$out" $targets; then
	sed 's/^/# /' "$tmp/log"
	tap_result 1 "the targets build"
	tap_done
fi
each=$((seconds / 6))
[ "$each" -gt 0 ] || each=1
for target in $targets; do
	one "$target" "$each"
done
if [ -z "$keep" ]; then
	while IFS='	' read -r target file script; do
		case $target in ''|'#'*) continue ;; esac
		plant "$target" "$file" "$script"
	done < "$here/faults"
fi
tap_done
