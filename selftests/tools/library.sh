#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libsymphony against a live qdisc, and under valgrind. Prints TAP 13.
set -u
. "$(dirname "$0")/lib.sh"

"$here/libtest" "$dev" > "$tmp/log" 2> "$tmp/err"
status=$?
tap_nested library "$tmp/log"
tap_result $status "library: came to its end"

without_leaks()
{
	valgrind -q --leak-check=full --show-leak-kinds=all --error-exitcode=9 \
		"$here/libtest" "$dev" > "$tmp/log" 2> "$tmp/valgrind"
	status=$?
	cat "$tmp/valgrind"
	[ "$status" -eq 0 ] && [ ! -s "$tmp/valgrind" ]
}

if command -v valgrind > "$tmp/which"; then
	tap_check "valgrind: no leak, no error" without_leaks
else
	tap_skip "valgrind: no leak, no error" "valgrind is not installed"
fi

exported()
{
	nm -D --defined-only "$top/out/lib/libsymphony.so" | awk '$2 == "T" { print $3 }' |
		sed 's/@@SYMPHONY_/ /' | sort
}

declared()
{
	grep -o -E '\bsymphony_[a-z_]+\(' "$top/lib/symphony.h" | tr -d '(' | sort -u |
		grep -v -x -E 'symphony_(has|get|put)'
}

tap_equal "exports what the header declares" "$(declared)" "$(exported | cut -d ' ' -f 1)"
tap_equal "each with a version" "" "$(exported | awk 'NF != 2')"
# What can be written and is not the compiler's own.
state()
{
	objdump -t "$top/out/lib/libsymphony.so" | awk '/ \.(data|bss)[ \t]/ { print $NF }' |
		grep -v -E '^(\.|_|completed)'
}

tap_equal "has no state of its own" "" "$(state)"
tap_done
