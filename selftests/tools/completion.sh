#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What bash completes behind "symphony". Prints TAP 13.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"

missing=$("$top/scripts/tools-missing" | paste -s -d ' ')
[ -z "$missing" ] || tap_skip_all "not installed: $missing"
make --no-print-directory -s -C "$top" tools > /dev/null || tap_skip_all "the command does not build"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=selftests/lib/complete.sh
. "$top/selftests/lib/complete.sh"

complete_words()
{
	PATH=$top/out/tools:$PATH complete_by _symphony "$top/tools/symphony.bash" "$@"
}

# Every command of the help, in the sources' words.
commands=$(sed -n 's/^	&cmd_\([a-z]*\),$/\1/p' "$top/tools/symphony.c")
tap_equal "every command" "$(echo "$commands help" | xargs -n 1 | LC_ALL=C sort | xargs)" \
	"$(complete_words symphony '')"
offers "what begins alike" "show" symphony sh
offers "an option" "-json" symphony -j
offers "a command behind an option" "show" symphony -j sh
offers "a word of a command" "dev" symphony show de
offers "what a scheduler does" "add" symphony job ad
offers "a word of that" "hosts" symphony job add id 7 host
offers "nothing for a time" "" symphony job add id 7 wait ""
tap_equal "no complaint" "" "$(cat "$tmp/err")"
tap_done
