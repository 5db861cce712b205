#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Would the tests notice? Puts each fault of the list "faults" into a copy of the module,
# one at a time, and expects the suite named there to fail. selftests/unit/mutate.sh does the
# same for the headers and the tests in user space. TAP 13; a fault that is marked "missed"
# in the list is expected to go unnoticed, which is a hole that is known.
#
#	run.sh [TEXT]	only faults whose line contains TEXT

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/lib/tap.sh
. "$here/../lib/tap.sh"
wanted=${1:-}
limit=${SECONDS_EACH:-600}

[ -e "$("$top/scripts/uml-build" --print)/complete" ] ||
	tap_skip_all "User Mode Linux is not built: scripts/uml-build"

out=${OUT:-$top/out/mutants}
tree=$out/tree
mkdir -p "$tree"
# The files that git knows, with their times: what does not change is built once.
git -C "$top" ls-files -z | tar -C "$top" --null -T - -cf - --ignore-failed-read 2> "$out/log" |
	tar -C "$tree" -xf -
# but not the module: what the last run built of its last fault is newer
touch "$tree"/kernel/*.[ch]

# attack "NAME [ARG]..." [--debug]: a test of selftests/attack
attack()
{
	local words

	read -ra words <<< "$1"
	timeout "$limit" "$tree/scripts/uml-test" ${2:+"$2"} \
		"$tree/selftests/attack/${words[0]}.sh" "${words[@]:1}"
}

# guest KERNEL "DIR/NAME [ARG]...": a test of selftests in a virtual machine, shortened: the
# kernel that looks for races is slow
guest()
{
	local words

	read -ra words <<< "$2"
	make -s -C "$tree/selftests/${words[0]%/*}" || return
	"$tree/scripts/vm" --kernel "$1" --timeout "$limit" --out "$out/guest" --env OUT="$out/guest" \
		--env DUMPERS=8 --env SECONDS_EACH=60 --quiet -- "$tree/selftests/${words[0]}.sh" "${words[@]:1}"
}

# suite NAME: runs it in the copy
suite()
{
	case $1 in
	kunit)		timeout "$limit" "$tree/scripts/uml-kunit" ;;
	kunit-debug)	timeout "$limit" "$tree/scripts/uml-kunit" --debug ;;
	attack-debug/*)	attack "${1#*/}" --debug ;;
	attack/*)	attack "${1#*/}" ;;
	net/*)		timeout "$limit" "$tree/scripts/uml-test" "$tree/selftests/net/net.sh" \
				"vectors/${1#*/}.vec" ;;
	kcsan/*)	guest kcsan-6.12 "${1#*/}" ;;
	*)		echo "there is no suite $1"; return 3 ;;
	esac > "$out/log" 2>&1
}

restore()
{
	[ -z "${file:-}" ] || cp "$top/kernel/$file" "$tree/kernel/$file"
}
trap restore EXIT

# A suite that fails without a fault notices nothing.
sound="|"
is_sound()
{
	case $sound in *"|$1|"*) return 0 ;; esac
	suite "$1" || return 1
	sound="$sound$1|"
}

caught=0
missed=0
while IFS='	' read -r name source script note; do
	case $name in ''|'#'*) continue ;; esac
	case "$name	$source	$script" in *"$wanted"*) ;; *) continue ;; esac
	restore
	case $name in
	kcsan/*)
		if ! "$top/scripts/kernel" --local kcsan-6.12 > "$out/log" 2>&1; then
			tap_skip "$name" "the kernel is not built: scripts/debug-kernel kcsan-6.12"
			continue
		fi ;;
	esac
	if ! is_sound "$name"; then
		tap_result 1 "$name passes without a fault"
		sed 's/^/# /' "$out/log" | tail -n 20
		continue
	fi
	file=$source
	point="$name notices in $file: $(printf '%s' "$script" | tr '\t#' '  ')"
	sed "$script" "$top/kernel/$file" > "$tree/kernel/$file"
	if cmp -s "$top/kernel/$file" "$tree/kernel/$file"; then
		tap_result 1 "$point"
		echo "# there is nothing like it in the file"
		continue
	fi
	status=0
	suite "$name" || status=$?
	if grep -q 'does not build\|builds with warnings' "$out/log"; then
		tap_result 1 "$point"
		grep -m 5 'error:\|warning:' "$out/log" "$tree"/out/uml/modules*/*.log | sed 's/^/# /'
		continue
	fi
	if [ "$status" -ne 0 ]; then
		caught=$((caught + 1))
		grep -m 1 '^not ok' "$out/log" | sed 's/^/# /'
	else
		missed=$((missed + 1))
	fi
	case $note in
	missed*)	[ "$status" -eq 0 ]
			tap_result $? "$point (known to be missed)" ;;
	*)		[ "$status" -ne 0 ]
			tap_result $? "$point" ;;
	esac
done < "$here/faults"
echo "# $caught caught, $missed not caught"
tap_done
