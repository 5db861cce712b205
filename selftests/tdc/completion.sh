#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What bash completes behind "tc qdisc ... symphony". Prints TAP 13.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export TC_LIB_DIR=${TC_LIB_DIR:-$top/out/plugin}
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"

command -v tc > /dev/null || tap_skip_all "needs tc"
[ -e "$TC_LIB_DIR/q_symphony.so" ] || tap_skip_all "no plugin in $TC_LIB_DIR: make plugin"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=selftests/lib/complete.sh
. "$top/selftests/lib/complete.sh"

complete_words()
{
	complete_by _tc_symphony "$top/iproute2-plugin/tc-symphony.bash" "$@"
}

every_option()
{
	local options option

	options=" $(complete_words tc qdisc add dev lo root symphony '') "
	tc qdisc add dev lo root symphony help 2>&1 | grep -o '\[ [a-z_]* ' | cut -c 3- |
		while read -r option; do
			[[ $options == *" $option "* ]] || { echo "$option: $options"; exit 1; }
		done
}

tap_check "every option of the help" every_option
offers "what begins alike" "idle" tc qdisc add dev lo root symphony i
offers "an option's choices" "mark observe prio" tc qdisc add dev lo root symphony mode ''
offers "and those that begin alike" "filter fixed" tc qdisc change dev lo root symphony job f
offers "nothing for a number" "" tc qdisc add dev lo root symphony job fixed ''
offers "nothing for a time" "" tc qdisc add dev lo root symphony window ''
offers "no option twice" "" tc qdisc add dev lo root symphony alpha_max 3 alpha
offers "help only at first" "" tc qdisc add dev lo root symphony k 1 hel
if [ -r /usr/share/bash-completion/completions/tc ]; then
	offers "symphony beside the qdiscs of iproute2" "symphony" tc qdisc add dev lo root sym
	offers "and those as before" "fq_codel" tc qdisc add dev lo root fq_c
	offers "and their options" "target" tc qdisc add dev lo root fq_codel targ
	offers "and the commands" "qdisc" tc qd
else
	tap_skip "beside the completion of iproute2" "iproute2 has none here"
fi
tap_equal "no complaint" "" "$(cat "$tmp/err")"
tap_done
