# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What bash completes, for the tests of completions. Sourced behind tap.sh, with $tmp set; the
# test has complete_words WORD..., which calls complete_by().

loader=/usr/share/bash-completion/bash_completion
[ -r "$loader" ] || tap_skip_all "bash-completion is not installed"

# complete_by FUNCTION FILE WORD...: what bash would offer for the last word, which may be
# empty, by a function of a file.
complete_by()
{
	# shellcheck disable=SC2016,SC2154	# expanded there; of the test
	bash -c '
		. "$1"
		. "$3"
		by=$2
		shift 3
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		COMP_LINE=$*
		COMP_POINT=${#COMP_LINE}
		COMP_TYPE=9
		COMP_KEY=9
		"$by" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$loader" "$@" 2> "$tmp/err" | LC_ALL=C sort | xargs
}

# offers NAME WANT WORD...
offers()
{
	local name=$1 want=$2

	shift 2
	tap_equal "$name" "$want" "$(complete_words "$@")"
}
