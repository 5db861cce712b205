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
loader=/usr/share/bash-completion/bash_completion
[ -r "$loader" ] || tap_skip_all "bash-completion is not installed"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# complete_words WORD...: what bash would offer for the last one, which may be empty.
complete_words()
{
	PATH=$top/out/tools:$PATH bash -c '
		. "$1"
		. "$2"
		shift 2
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		COMP_LINE=$*
		COMP_POINT=${#COMP_LINE}
		COMP_TYPE=9
		COMP_KEY=9
		_symphony symphony "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$loader" "$top/tools/symphony.bash" "$@" 2> "$tmp/err" | LC_ALL=C sort | xargs
}

offers()
{
	local name=$1 want=$2

	shift 2
	tap_equal "$name" "$want" "$(complete_words "$@")"
}

# Every command of the help, in the sources' words.
commands=$(sed -n 's/^	&cmd_\([a-z]*\),$/\1/p' "$top/tools/symphony.c")
tap_equal "every command" "$(echo "$commands help" | xargs -n 1 | LC_ALL=C sort | xargs)" \
	"$(complete_words symphony '')"
offers "what begins alike" "show" symphony sh
offers "an option" "-json" symphony -j
offers "a command behind an option" "show" symphony -j sh
offers "a word of a command" "dev" symphony show de
tap_equal "no complaint" "" "$(cat "$tmp/err")"
tap_done
