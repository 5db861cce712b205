# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a router r1 has of a store's jobs, for tests. Sourced behind etcd.sh and router.sh.

# What the store has of our cluster, as rules() has it.
wanted()
{
	ctl get /symphony/jobs/ --prefix --print-value-only | grep '^{' |
		jq -r 'select(.cluster == "default") | "\(.job) \(.hosts[])"' |
		awk '{ printf "%s 1:%x\n", $2, $1 }' | sort
}
# confirmed: the store was told of each job's present entry, and of no other.
confirmed()
{
	local have want

	want=$(ctl get /symphony/jobs/ --prefix -w json | jq -r '.kvs[]? |
		select(.value | @base64d | contains("\"cluster\":\"default\"")) |
		"\(.key | @base64d | split("/")[-1]) \(.mod_revision)"' | sort)
	have=$(ctl get /symphony/applied/r1/ --prefix -w json | jq -r '.kvs[]? |
		"\(.key | @base64d | split("/")[-1]) \(.value | @base64d)"' | sort)
	[ "$have" = "$want" ]
}
