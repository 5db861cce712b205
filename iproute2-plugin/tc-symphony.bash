# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of "tc qdisc ... symphony" in bash, around that of iproute2, which
# knows no qdiscs of plugins. What can be typed is what the plugin's help says.

# The options as the help has them, a line each: "NAME { CHOICE | CHOICE N }".
_tc_symphony_usage()
{
	tc qdisc add dev lo root symphony help 2>&1 | tr -s '\n\t ' ' ' |
		grep -o '\[ [a-z_]* [^]]*\]' | sed 's/^\[ //; s/ \]$//'
}

_tc_symphony_choices()
{
	_tc_symphony_usage | awk -v name="$1" '$1 == name && $2 == "{" {
		for (i = 3; i < NF; i++)
			if ($i ~ /^[a-z]/)
				print $i
	}'
}

# The options that are not on the command line yet.
_tc_symphony_options()
{
	local typed=" $* "

	_tc_symphony_usage | while read -r name _; do
		[[ $typed == *" $name "* ]] || echo "$name"
	done
	[ $# -gt 0 ] || echo help
}

_tc_symphony()
{
	local cur prev words cword at i
	local file=${TC_COMPLETION:-/usr/share/bash-completion/completions/tc}

	_init_completion || return
	for ((i = 1; i < cword; i++)); do
		[[ ${words[i]} != symphony || ${words[i - 1]} == dev ]] || at=$i
	done
	if [ -z "$at" ]; then
		if ! declare -F _tc > /dev/null && [ -r "$file" ]; then
			# shellcheck source=/dev/null
			. "$file"
			complete -F _tc_symphony tc
			QDISC_KIND+='symphony '
		fi
		declare -F _tc > /dev/null && _tc "$@"
		return
	fi

	local list
	if ((cword - at > 1)) && _tc_symphony_usage | grep -q "^$prev "; then
		list=$(_tc_symphony_choices "$prev")
	elif [[ $prev == fixed ]]; then
		list=
	else
		list=$(_tc_symphony_options "${words[@]:at + 1:cword - at - 1}")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$cur")
}

complete -F _tc_symphony tc
