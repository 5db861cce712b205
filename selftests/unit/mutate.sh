#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do the tests find errors? Puts each error of the list "mutations" into a copy
# of the headers and expects the test named there to fail. TAP 13. With a text:
# only errors that contain it.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
wanted=${1:-}

# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# build and run TEST with the headers in $tmp/kernel; fails if the test does
passes()
{
	case $1 in
	sanitized)	program=test_parse.sanitized repeats=20000 ;;
	parse|flow|count)	program=test_$1 repeats=50000 ;;
	algo)		program=test_$1 repeats=1000000 ;;
	coin)		program=test_$1 repeats=20000 ;;
	order)		program=test_$1 repeats=20000 ;;
	serial)		program=test_$1 repeats=1 ;;
	esac
	rm -rf "$tmp/out"
	make -s -C "$here" OUTPUT="$tmp/out" KERNEL="$tmp/kernel" CFLAGS="-O1 -w" \
		"$tmp/out/$program" >"$tmp/log" 2>&1 || {
		echo "does not compile" >>"$tmp/log"
		return 2
	}
	# an endless loop is an error found, too
	timeout 60 "$tmp/out/$program" "$repeats" >"$tmp/log" 2>&1
}

while IFS='	' read -r header test script; do
	case $header in ''|'#'*) continue ;; esac
	case $script in *"$wanted"*) ;; *) continue ;; esac
	file=symphony_$header.h
	rm -rf "$tmp/kernel"
	mkdir "$tmp/kernel"
	cp "$top"/kernel/*.h "$tmp/kernel"
	sed "$script" "$top/kernel/$file" >"$tmp/kernel/$file"
	name="$test finds in $file: $(printf '%s' "$script" | tr '\t#' '  ')"
	status=0
	if cmp -s "$top/kernel/$file" "$tmp/kernel/$file"; then
		tap_result 1 "$name"
		echo "# there is nothing like it in the header"
		continue
	fi
	passes "$test" || status=$?
	case $status in
	0)	tap_result 1 "$name" ;;
	2)	tap_result 1 "$name"
		sed 's/^/# /' "$tmp/log" ;;
	*)	tap_result 0 "$name" ;;
	esac
done <"$here/mutations"
tap_done
