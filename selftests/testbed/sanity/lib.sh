# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Helpers of the guest's side. Sourced; $topo is the topology builder.

control=/proc/collgen

# point STATUS DESCRIPTION: what run.sh turns into a point of TAP.
point()
{
	if [ "$1" -eq 0 ]; then
		echo "point ok $2"
	else
		echo "point bad $2"
	fi
}

note()
{
	echo "note $*"
}

# check DESCRIPTION EXPRESSION: of numbers, by awk.
check()
{
	note "$2"
	status=0
	awk "BEGIN { exit !($2) }" || status=$?
	point "$status" "$1"
}

# equal DESCRIPTION WANT HAVE
equal()
{
	if [ "$2" = "$3" ]; then
		point 0 "$1"
	else
		note "want: $2"
		note "have: $3"
		point 1 "$1"
	fi
}

# build KEY=VALUE...: a new fabric in place of the one there is.
build()
{
	echo reset > $control/command
	for ns in /run/netns/*; do
		[ ! -e "$ns" ] || ip netns del "${ns##*/}"
	done
	# The kernel takes a namespace down behind our back.
	while [ "$(wc -l < $control/ports)" -gt 1 ]; do
		sleep 0.01
	done
	"${topo:?}" "$@"
}

# start HOSTS: a run of the commands on standard input.
start()
{
	{
		echo reset
		cat
		echo start
	} | awk -v hosts="$1" '{ print } /^reset/ { print "hosts h " hosts }' > /tmp/commands
	if ! cat /tmp/commands > $control/command; then
		cat $control/error
		return 1
	fi
}

# run HOSTS: the same, up to the end.
run()
{
	start "$1" && cat $control/wait > /tmp/wait
}

# value KEY: of the summary.
value()
{
	sed -n "s/^$1=//p" $control/summary
}

# of_port DEV COLUMN
of_port()
{
	awk -F, -v dev="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		$1 == dev { print $column[name] }' $control/ports
}

# sum_ports COLUMN
sum_ports()
{
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ sum += $column[name] }
		END { print sum + 0 }' $control/ports
}

# column NAME: of the flows, a line each.
column()
{
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print $column[name] }' $control/flows
}
