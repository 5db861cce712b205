# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of the command symphony in bash. What can be typed is what its help says.

# The commands and what may follow each, a line a command.
_symphony_usage()
{
	symphony help 2> /dev/null | sed -n 's/^ *symphony \([a-z]\)/\1/p'
}

_symphony_devices()
{
	symphony show 2> /dev/null | awk 'NR > 1 { print $1 }'
}

# The words of a command's usage that are typed as they stand.
_symphony_words()
{
	_symphony_usage | awk -v name="$1" '$1 == name {
		for (i = 2; i <= NF; i++)
			if ($i ~ /^(-*[a-z][a-z_-]*)$/)
				print $i
	}'
}

# What follows a word that wants a value, by the name of the value.
_symphony_value()
{
	_symphony_usage | awk -v name="$1" -v word="$2" '$1 == name {
		for (i = 2; i < NF; i++)
			if ($i == word && $(i + 1) ~ /^([A-Z]|{)/) {
				for (i++; i <= NF && $i != "}" && $i != "]"; i++)
					print $i
				exit
			}
	}'
}

_symphony()
{
	local cur prev words cword at list value
	local options="-json -pretty -details -netns -Version -help"

	_init_completion || return
	at=1
	while [[ ${words[at]} == -* && at -lt cword ]]; do
		[[ ${words[at]} != -n* ]] || ((at++))
		((at++))
	done
	if ((at > cword)); then
		list=$(ip netns list 2> /dev/null | awk '{ print $1 }')
	elif ((at == cword)); then
		[[ $cur == -* ]] && list=$options || list="$(_symphony_usage | awk '{ print $1 }') help"
	else
		value=$(_symphony_value "${words[at]}" "$prev")
		case $value in
		DEV)		list=$(_symphony_devices) ;;
		'{'*)		list=$(grep -x '[a-z]*' <<< "$value") ;;
		FILE)		_filedir; return ;;
		?*)		list= ;;
		*)		list=$(_symphony_words "${words[at]}"; _symphony_devices; echo help) ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$cur")
}

complete -F _symphony symphony
