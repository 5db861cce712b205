#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony top in a terminal of 80x24 without colour, its screen read by tmux. Prints
# TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

command -v tmux > "$tmp/which" || tap_skip_all "tmux is not installed"
export TMUX_TMPDIR=$tmp LC_ALL=C.UTF-8

# on_tmux CMD...: of a server of this test; each start has a new one.
server=0
on_tmux()
{
	tmux -L "top$server" -f /dev/null "$@"
}

# start LOCALE [ARG]...: top in a terminal of its own.
start()
{
	local locale=$1

	shift
	[ $server -eq 0 ] || on_tmux kill-server
	server=$((server + 1))
	on_tmux new-session -d -x 80 -y 24 \
		"LC_ALL=$locale TERM=vt100 '$symphony' top --interval 0.3 $*; echo; echo ended; cat"
}

screen()
{
	on_tmux capture-pane -p > "$tmp/screen" 2> "$tmp/err"
}

# shows PATTERN: whether a line of the screen matches.
shows()
{
	screen
	grep -q -E -- "$1" "$tmp/screen"
}

# tap_shows POINT PATTERN: what is waited for.
tap_shows()
{
	tap_check "$1" wait_for 60 shows "$2" || sed 's/^/# |/' "$tmp/screen"
}

tc qdisc add dev "$dev" root handle 7: symphony k 1 warmup 0 window 1ms
two_steps 5 5
two_steps 5 17
start C.UTF-8 || tap_skip_all "tmux does not start"
tap_shows "its head" '^symphony top [0-9:]{8}  2 jobs, [0-2] misaligned'
tap_shows "what the columns are" '^TABLE +JOB  STEP SPREAD ALPHA  AHEAD  MARKS/S  BYTES/S  MARKS'
tap_shows "a line for each job" '^td0 7: +5 +3 '
tap_shows "and the other, whose steps are one apart" '^td0 7: +17 +3 +1 '
tap_shows "the keys" '^q quit  s sort  r reverse  / filter'
screen
tap_equal "fits 80 columns" "" "$(awk 'length > 80' "$tmp/screen")"

# Traffic while it looks.
going_on()
{
	two_steps 20 17
	shows '^td0 7: +17 .* [1-9][0-9.kM]* .*[▁▂▃▄▅▆▇█]'
}
tap_check "marks a second, and their history" wait_for 60 going_on || cat "$tmp/screen"
going_first()
{
	two_steps 20 17
	screen
	[ "$(awk '/^td0/ { print $3; exit }' "$tmp/screen")" = 17 ]
}
tap_check "the job with most marks comes first" wait_for 60 going_first

# Those that come and go, while others are silent.
two_steps 5 6
tap_shows "a job that is new" '^symphony top [0-9:]{8}  3 jobs'
tap_check "deleted" "$symphony" job del 6
tap_shows "it is gone" '^symphony top [0-9:]{8}  2 jobs'
silent()
{
	screen
	[ "$(awk '/^td0/ && $8 == "0" && $9 == "0"' "$tmp/screen" | wc -l)" -eq 2 ]
}
tap_check "who is silent has no rate" wait_for 60 silent

for order in bytes/s alpha ahead step job; do
	on_tmux send-keys s
	tap_shows "s: sorted by $order" "^sorted by $order"
done
first_is()
{
	screen
	[ "$(awk '/^td0/ { print $3; exit }' "$tmp/screen")" = "$1" ]
}
tap_check "by job: the smallest number first" wait_for 60 first_is 5
on_tmux send-keys r
tap_check "r: the largest first" wait_for 60 first_is 17
on_tmux send-keys / 1 7 Enter
tap_shows "/: a filter" 'filter: 17 +\(1 of them\)'
tap_equal "that lets one pass" 17 "$(awk '/^td0/ { print $3 }' "$tmp/screen")"
on_tmux send-keys / Escape
tap_shows "Escape ends it" '^td0 7: +5 '
misaligned()
{
	two_steps 60 5
	shows '^symphony top .* [1-2] misaligned'
}
tap_check "counts the misaligned" wait_for 60 misaligned
on_tmux send-keys x
tap_shows "x: the misaligned alone" 'misaligned only'
on_tmux send-keys x Space
tap_shows "space: pause" 'PAUSED'
on_tmux send-keys Space
on_tmux resize-window -x 80 -y 12
tap_shows "a smaller window" '^q quit'
tap_equal "has all of it" 12 "$(wc -l < "$tmp/screen")"
on_tmux send-keys q
tap_shows "q: quit" '^ended'

start C
two_steps 5 17
plain()
{
	two_steps 20 17
	shows '^td0 7: +17 .*  [ .:=+*#@-]*[.:=+*#@-]$'
}
tap_check "a sparkline without UTF-8" wait_for 60 plain || cat "$tmp/screen"
on_tmux kill-server
tap_equal "no terminal" "1 symphony: top: needs a terminal; symphony record is for files" \
	"$(status_of "$symphony" top < /dev/null)"
tap_done
