# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# TAP 13 for tests in shell. Sourced. A test calls tap_check, tap_result and
# tap_skip once for each point, and tap_done at its end.

# As help.sh, which may not lie beside this file's copies.
case ${1:-} in
-h|--help)
	sed -n '/^#!/d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$0"
	exit 0
	;;
esac

tap_points=0
tap_failed=0
echo "TAP version 13"

# tap_result STATUS NAME: a point; 0 is a pass.
tap_result()
{
	tap_points=$((tap_points + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_points $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_points $2"
	fi
}

# tap_check NAME CMD [ARG]...: a point that passes if the command succeeds; what
# it printed is shown if it does not.
tap_check()
{
	tap_name=$1
	shift
	tap_status=0
	tap_output=$("$@" 2>&1) || tap_status=$?
	tap_result "$tap_status" "$tap_name"
	if [ "$tap_status" -ne 0 ]; then
		printf '%s\n' "$tap_output" "exit status $tap_status" | sed 's/^/# /'
	fi
	return "$tap_status"
}

# tap_equal NAME WANT HAVE: a point that passes if both are the same text.
tap_equal()
{
	if [ "$2" = "$3" ]; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		printf '%s\n' "want: $2" "have: $3" | sed 's/^/# /'
	fi
}

# tap_nested NAME LOG: the points of another program's TAP, under a name, and its notes.
tap_nested()
{
	grep -E '^(not )?ok ' "$2" | sed -E 's/ok [0-9]+ /ok /' > "$2.points"
	tap_result "$([ -s "$2.points" ]; echo $?)" "$1: has a result"
	while read -r tap_line; do
		case $tap_line in
		ok*)	tap_result 0 "$1: ${tap_line#ok }" ;;
		*)	tap_result 1 "$1: ${tap_line#not ok }" ;;
		esac
	done < "$2.points"
	grep '^#' "$2"
}

# finds_nothing GREP...: true if it looked and found nothing. "!" would take it for
# that, too, if it could not look.
finds_nothing()
{
	"$@"
	[ $? -eq 1 ]
}

# tap_skip NAME REASON
tap_skip()
{
	tap_points=$((tap_points + 1))
	echo "ok $tap_points $1 # SKIP $2"
}

# tap_skip_all REASON: leave; nothing of the test can run here.
tap_skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

tap_done()
{
	echo "1..$tap_points"
	[ "$tap_failed" -eq 0 ] || exit 1
	exit 0
}
