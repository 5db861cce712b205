#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Numbers of jobs when many want them, and when there are none left. Prints TAP 13.
. "$(dirname "$0")/etcd.sh"
set -u

make --no-print-directory -s -C "$here" storedrive > "$tmp/make" 2>&1 || tap_skip_all "storedrive does not build"
member_start 1 1
SYMPHONY_ETCD=$(member_url 1)
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf
printf 'grace 3600\nttl 3600\nlimit 300\n' > "$SYMPHONY_STORE_CONF"
wait_for 60 healthy 1 || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# Many at once.
ulimit -n 16384
"$here/storedrive" race 1000 > "$tmp/race" 2>&1
tap_equal "two schedulers race 1000 times" "jobs 2000 failed 0 duplicates 0" \
	"$(tail -n 1 "$tmp/race" | cut -d ' ' -f 1-6)"
tap_equal "as many entries" 2000 "$("$symphony" -j job list | jq '[.[] | select(.cluster == "drive")] | length')"
tap_check "and numbers that are close" test "$(cut -d ' ' -f 8 "$tmp/race")" -le 4000
tail -n 1 "$tmp/race" | sed 's/^/# /'
ctl del /symphony --prefix > "$tmp/ctl"
"$here/storedrive" many 1000 > "$tmp/many" 2>&1
tap_equal "1000 jobs begin at once, and end" "jobs 1000 failed 0 duplicates 0 not deleted 0" \
	"$(grep -E '^jobs|^not' "$tmp/many" | sed 's/ highest.*//' | paste -s -d ' ')"
tap_check "none is left" key_count /symphony/jobs/ 0
tap_check "each number stays taken" key_count /symphony/used/ 1000
tail -n 2 "$tmp/many" | sed 's/^/# /'

# All numbers are taken but one.
take_all()
{
	local from job

	for ((from = 1; from < 8190; from += 100)); do
		printf '\n'
		for ((job = from; job < from + 100 && job < 8190; job++)); do
			printf 'put /symphony/used/%04d x\n' "$job"
		done
		printf '\n\n'
	done | split -l 103 --filter "etcdctl --endpoints $SYMPHONY_ETCD txn" - > "$tmp/ctl"
}
take_all
tap_check "all but one are taken" key_count /symphony/used/ 8189
tap_equal "the last number" "0 SYMPHONY_JOB=8190" "$(status_of job add id 200 hosts 192.0.2.1)"
leases=$(ctl lease list | head -n 1)
tap_equal "then none is free" \
	"2 symphony: job add: no number is free: all 8190 are of jobs or in their grace period" \
	"$(status_of job add id 201 hosts 192.0.2.1)"
tap_equal "and no lease is left behind" "$leases" "$(ctl lease list | head -n 1)"
tap_equal "the job that has the last keeps it" "0 SYMPHONY_JOB=8190" "$(status_of job add id 200 hosts 192.0.2.1)"
ctl del /symphony/used/4711 > "$tmp/ctl"
tap_equal "one becomes free" "0 SYMPHONY_JOB=4711" "$(status_of job add id 201 hosts 192.0.2.1)"
tap_done
