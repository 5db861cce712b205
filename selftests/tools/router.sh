# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A router with symphonyd, for its tests. Sourced behind lib.sh or etcd.sh; the test has wanted(),
# which prints what rules() is to print.

# Names that the tests use.
# shellcheck disable=SC2034,SC2154	# of what was sourced before
daemon=$top/out/tools/symphonyd
# shellcheck disable=SC2154
conf=$tmp/symphonyd.conf
pid=
watcher=

begin()
{
	"$daemon" -c "$conf" 2>> "$tmp/log" &
	pid=$!
}
# end [SIGNAL]
end()
{
	kill -"${1:-TERM}" "$pid"
	wait "$pid" 2> "$tmp/kill"
	pid=
}

# rules: our filters of the block: a host and its job, a line each.
rules()
{
	tc -j filter show block 5 2> "$tmp/err" | rules_of
}
# rules_of: of what tc printed
rules_of()
{
	jq -r '.[] | select(.pref >= 8000 and .pref < 8160 and .options.handle) |
		"\(.options.keys.src_ip) \(.options.classid // .options.flowid)"' | sort
}
in_force()
{
	[ "$(rules)" = "$(wanted)" ]
}
# status FILTER: of what the daemon says of itself, by jq.
status()
{
	"$daemon" -c "$conf" -j status | jq -c "$1"
}
says()
{
	"$daemon" -c "$conf" -j status | jq -r '.troubles[]' | grep -q -F "$1"
}
well()
{
	[ "$(status .healthy)" = true ]
}

# heard WORD: the kernel's notifications up to now are written down, a qdisc of our own the last.
heard()
{
	tc qdisc replace dev lo root handle "$1:" pfifo && grep -q "pfifo $1:" "$tmp/watched"
}
# watch_rules: until rules_gone, which prints how many were deleted meanwhile.
watch_rules()
{
	stdbuf -oL tc monitor > "$tmp/watched" 2>&1 &
	watcher=$!
	wait_for 60 heard a
}
rules_gone()
{
	wait_for 60 heard b
	kill "$watcher"
	wait "$watcher" 2> "$tmp/kill"
	grep -c '^deleted filter block 5 ' "$tmp/watched"
}

# random N: one of 0 to N - 1, the same in each run.
seed=7
random()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	echo $((seed / 65536 % $1))
}
