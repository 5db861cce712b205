#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tdc knows a case by its number, whatever file it is in: none is given twice, and
# none is one of the kernel's own. Prints TAP 13.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"
# shellcheck source=selftests/tdc/lib.sh
. "$here/lib.sh"
command -v jq > /dev/null || tap_skip_all "needs jq"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ids FILE...: numbers and names, sorted by number
ids()
{
	jq -r '.[] | .id + " " + .name' "$@" | sort
}

ids "$here"/*.json > "$tmp/ours"
tap_equal "every number is four hexadecimal digits" "" \
	"$(grep -v -E '^[0-9a-f]{4} ' "$tmp/ours")"
tap_equal "no number is given twice" "" "$(cut -d ' ' -f 1 "$tmp/ours" | uniq -d)"

# Unpacked now if it is installed and that has not been done.
[ ! -x "$here/../../scripts/linux-source" ] || "$here/../../scripts/linux-source" > /dev/null 2>&1 || :
tdc=$(find_tdc)
if [ -z "$tdc" ]; then
	tap_skip "no number is the kernel's" "no tc-testing here: set TDC_DIR"
	tap_done
fi
find "$tdc/tc-tests" -name '*.json' ! -name '*symphony*' -print0 |
	xargs -0 jq -r '.[] | .id + " " + .name' | sort > "$tmp/theirs"
tap_check "the kernel's cases are found" [ "$(wc -l < "$tmp/theirs")" -ge 500 ] || :
tap_equal "no number is the kernel's" "" "$(join "$tmp/ours" "$tmp/theirs")"
tap_done
