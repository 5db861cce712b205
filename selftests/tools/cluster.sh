#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of Documentation/cluster.rst as they are written there, without Slurm: from an
# empty cluster to a job whose rules are in force, with a store and without. Prints TAP 13.
# What a system has and a guest has not is played: systemctl starts what a unit's file says.
. "$(dirname "$0")/etcd.sh"
set -u

grep -q 'User Mode Linux' /proc/cpuinfo || tap_skip_all "writes to /etc: in User Mode Linux alone"
ip link add eth1 type dummy
tc qdisc add dev eth1 root symphony 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
tc qdisc del dev eth1 root

# /etc as the packages have it.
cp -a /etc "$tmp/etc"
rm -rf "$tmp/etc/symphony"
mkdir -p "$tmp/etc/symphony/jobs.d"
cp "$top/tools/daemon/symphonyd.conf.example" "$tmp/etc/symphony"
mount --bind "$tmp/etc" /etc
PATH=$tmp/bin:$top/out/tools:$PATH
others=
# etcd as its unit has it, but for where it writes.
export ETCD_DATA_DIR=$tmp/m1 ETCD_UNSAFE_NO_FSYNC=true ETCD_NAME=m1
daemon_pid=

mkdir "$tmp/bin"
cat > "$tmp/bin/apt-get" <<'END'
#!/bin/sh
[ "$1" = install ] && exec dpkg -s "$2"
END
cat > "$tmp/bin/mpirun" <<'END'
#!/bin/sh
[ -n "$SYMPHONY_JOB" ]
END
cat > "$tmp/bin/edit" <<'END'
#!/bin/sh
exec sed -i 's|^#etcd .*|etcd http://127.0.0.1:2379|; s/^#router .*/router leaf1/' "$1"
END
chmod +x "$tmp"/bin/*
export EDITOR=$tmp/bin/edit

# unit NAME: its file, which has other paths where it is installed.
unit()
{
	local dir

	for dir in "$top/tools" "$top/tools/daemon" /lib/systemd/system; do
		[ ! -r "$dir/$1.service" ] || { echo "$dir/$1.service"; return; }
	done
	return 1
}
# ready NAME: what systemd waits for, or what who comes next needs.
ready()
{
	case $1 in
	etcd)		healthy 1 ;;
	symphonyd)	[ -e /run/symphony/status.json ] ;;
	esac
}
# systemctl enable --now NAME
systemctl()
{
	local file command

	[ "$1 $2" = "enable --now" ] || return
	file=$(unit "$3") || return
	command=$(sed -n 's/^ConditionPathExists=//p' "$file")
	[ -z "$command" ] || [ -e "$command" ] || return
	command=$(sed -n 's/^ExecStart=//p' "$file")
	command=${command##*/}
	command=${command%%\$*}
	# shellcheck disable=SC2086	# words are meant
	$command >> "$tmp/$3.log" 2>&1 &
	others="$others $!"
	[ "$3" != symphonyd ] || daemon_pid=$!
	wait_for 120 ready "$3" || {
		tail -n 5 "$tmp/$3.log"
		return 1
	}
}

# commands SECTION: what is typed in it, a line each.
commands()
{
	awk -v section="$1" '
		$0 == section { on = 1; next }
		on && /^====*$/ { if (on++ > 1) exit; next }
		on && sub(/^    /, "")' "$top/Documentation/cluster.rst"
}
# type_in FILE: its commands, one after another, in this shell.
type_in()
{
	local line status

	while read -r line <&3; do
		status=0
		eval "$line" > "$tmp/out" 2>&1 || status=$?
		tap_result "$status" "${line%%  *}"
		[ "$status" -eq 0 ] || sed 's/^/# /' "$tmp/out"
		case $line in
		export*)	wait_for 120 has_rules
				tap_equal "its rules are in force" "192.0.2.1 1:1,192.0.2.2 1:1" "$(rules)" ;;
		*"job del"*)	tap_check "its rules go" wait_for 120 no_rules ;;
		*seven.conf)	wait_for 120 has_rules
				tap_equal "its rules are in force" "192.0.2.1 1:7,192.0.2.2 1:7" "$(rules)" ;;
		esac
	done 3< "$1"
}
rules()
{
	tc -j filter show block 5 2> "$tmp/err" | jq -r '.[] | select(.options.handle) |
		"\(.options.keys.src_ip) \(.options.classid // .options.flowid)"' | sort | paste -s -d ,
}
known()
{
	etcdctl --command-timeout 1s get --keys-only /symphony/routers/leaf1 | grep -q leaf1
}
has_rules()
{
	[ -n "$(rules)" ]
}
no_rules()
{
	[ -z "$(rules)" ]
}

commands "Ten commands, without Slurm" > "$tmp/ten"
commands "On each router" > "$tmp/router"
tap_equal "ten commands" 10 "$(wc -l < "$tmp/ten")"
head -n 5 "$tmp/ten" > "$tmp/store"
tail -n 5 "$tmp/ten" > "$tmp/job"
grep -v -e seven -e 'symphonyd status' "$tmp/router" > "$tmp/daemon"
grep -e seven -e 'symphonyd status' "$tmp/router" > "$tmp/files"
tap_equal "and of a router" "4 2" "$(wc -l < "$tmp/daemon") $(wc -l < "$tmp/files")"

type_in "$tmp/store"
type_in "$tmp/daemon"
tap_check "the store knows the router" wait_for 120 known 2> "$tmp/err"
type_in "$tmp/job"

# A router without a store: the file is not edited.
kill "$daemon_pid"
wait "$daemon_pid" 2> "$tmp/kill"
rm -rf /run/symphony
tc qdisc del dev eth1 root
EDITOR=:
type_in "$tmp/daemon"
type_in "$tmp/files"
tap_done
