#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the test cases of this directory with the kernel's tdc and print TAP 13.
#
#	run.sh [-v] [FILE.json | ID]...
#
# Without arguments all cases run, by the tdc that lib.sh finds. Each case has a
# network namespace of its own, see nsPlugin.py, but for those about lo and
# net.core.default_qdisc: run this in a virtual machine.
. "$(dirname "$0")/../lib/help.sh"

set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
# shellcheck source=selftests/tdc/lib.sh
. "$here/lib.sh"

skip_all()
{
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$*"
	exit 4
}

fail()
{
	echo "run.sh: $*" >&2
	exit 1
}

verbose=
while getopts v opt; do
	case $opt in
	v)	verbose=-vv ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
for tool in tc ip ping jq unshare python3; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done
[ -x "$here/rawopt" ] || skip_all "rawopt is not built: make -C selftests/tdc"
tdc=$(find_tdc)
[ -n "$tdc" ] || skip_all "tdc not found: set TDC_DIR to tools/testing/selftests/tc-testing"
modprobe -q sch_symphony || grep -q ^sch_symphony /proc/modules ||
	skip_all "module sch_symphony is not installed"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r "$tdc" "$tmp/tdc"
cp "$here/nsPlugin.py" "$tmp/tdc/plugin-lib/"

# The python of Debian, not one that a user's PATH has first.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
# tdc runs commands with an empty environment unless told otherwise.
cat > "$tmp/tdc/tdc_config_local.py" <<END
ENVIR = {'PATH': '$PATH'}
EXTRA_NAMES = {'TC': '$(command -v tc)', 'IP': '$(command -v ip)',
               'RAWOPT': '$here/rawopt', 'PROBE': '$here/probe.sh'}
END
if [ -n "${TC_LIB_DIR:-}" ]; then
	echo "ENVIR['TC_LIB_DIR'] = '$TC_LIB_DIR'" >> "$tmp/tdc/tdc_config_local.py"
fi

files=
ids=
for arg; do
	case $arg in
	*.json)	files="$files $(readlink -f "$arg")" ;;
	*)	ids="$ids $arg" ;;
	esac
done
[ -n "$files" ] || files="$here/infra-symphony.json $here/symphony.json"

# shellcheck disable=SC2086  # lists of words
(cd "$tmp/tdc" &&
 "$python" tdc.py $verbose -J "$(nproc)" -f $files ${ids:+-e $ids} --format tap --outfile "$tmp/tap") > "$tmp/log" 2>&1 || :
[ -z "$verbose" ] || sed 's/^/# /' "$tmp/log"
if [ ! -s "$tmp/tap" ]; then
	sed 's/^/# /' "$tmp/log"
	fail "tdc printed no results"
fi

# What the case could not do without is a better reason than tdc's own; a case
# that did not run since one before it broke off is no skip.
# shellcheck disable=SC2086
jq -r '.[] | select(.dependsOn) | [.id, (.dependsOn | sub("^true ; "; ""))] | @tsv' \
	$files > "$tmp/needs"
awk -F '\t' -v needs_file="$tmp/needs" '
FILENAME == needs_file		{ needs[$1] = $2; next }
FNR == 1			{ print "TAP version 13" }
/^1\.\./			{ split($0, plan, "[.][.]"); print; next }
!/^(not )?ok /			{ if (NF) print "# " $0; next }
/ # skipped - skipped - /	{ sub(/ # skipped - .*/, " # did not run"); print "not " $0; failed++; seen++; next }
/ # skipped - /			{ split($0, word, " "); sub(/ # skipped - .*/, "")
				  print $0 " # SKIP not on this kernel or tc: " needs[word[3]]; skipped++; seen++; next }
				{ print; seen++; if (/^not/) failed++ }
END				{ printf "# Totals: pass:%d fail:%d skip:%d\n", seen - failed - skipped, failed, skipped
				  if (seen != plan[2]) print "# planned " plan[2] ", saw " seen
				  exit failed || seen != plan[2] || !seen }
' "$tmp/needs" "$tmp/tap"
