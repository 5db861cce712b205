#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A hundred thousand made-up JobIDs, a packet each, against a table of 512 jobs:
# eight jobs that are in use stay, and new ones get in.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
prepare
forged=100000

# count COUNTER: its value now, which comes after an option of the same name
count()
{
	tc -s qdisc show dev "$dev" |
		awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) value = $(i + 1) + 0 }
			END { print value }'
}

new_device
tc qdisc add dev "$dev" root handle 5: symphony proto uet jobs 512 limit 10000
"$flood" "$dev" 4000 1 8 forged > "$tmp/sent"
tap_equal "eight jobs" "8 0" "$(count jobs_created) $(count jobs_replaced)"

"$flood" "$dev" 600s 2 8 forged > "$tmp/sent" &
in_use=$!
before=$(count data)
# shellcheck disable=SC2317	# called by wait_for
going_on()
{
	[ "$(count data)" -gt "$before" ]
}
tap_check "they go on to send" wait_for 60 going_on || :
"$flood" "$dev" $forged 3 16777215 forged > "$tmp/forged"
tap_equal "all made-up numbers pass" $forged "$(cat "$tmp/forged")"
kill "$in_use"
wait "$in_use"

created=$(count jobs_created) full=$(count table_full)
echo "# $created jobs created, $(count jobs_replaced) replaced, $full packets found no room"
tap_equal "the table is full" 512 "$(count jobs)"
tap_equal "who is not in it was replaced" $((created - 512)) "$(count jobs_replaced)"
# a few numbers are made up twice
again=$((created + full - 8 - forged))
tap_check "jobs in use came back $again times, at most 50" [ $again -le 50 ] || :

# 1 to 40: eight known ones, and 32 that are new
"$flood" "$dev" 2000 4 40 forged > "$tmp/sent"
entered=$(($(count jobs_created) - created))
tap_check "of 32 new jobs $entered got in" [ "$entered" -ge 32 ] || :
tap_check "with $(($(count table_full) - full)) packets refused, at most 20" \
	[ $(($(count table_full) - full)) -le 20 ] || :
splats "no complaint of the kernel"
ip link del "$dev"
tap_done
