#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own program dumps symphony beside other qdiscs by the tc.yaml that
# scripts/tc-spec makes of the kernel's. Prints TAP 13.
#
#	ynl.sh [TREE]...	kernels' trees, by default linux-source
. "$(dirname "$0")/../lib/help.sh"
set -u
if [ "${YNL_UNSHARED:-}" != 1 ]; then
	YNL_UNSHARED=1 exec unshare -n "$0" "$@"
fi
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
name=Documentation/netlink/specs/tc.yaml
# Debian's: it has the modules, which another that a user's PATH has first need not.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

for tool in jq patch "$python"; do
	have "$tool" || tap_skip_all "needs $tool"
done
"$python" -c 'import yaml, jsonschema' 2> /dev/null ||
	tap_skip_all "needs python3-yaml and python3-jsonschema"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The program of a tree; 6.12 has it elsewhere than later ones.
cli_of()
{
	local cli

	for cli in "$1/tools/net/ynl/pyynl/cli.py" "$1/tools/net/ynl/cli.py"; do
		if [ -e "$cli" ]; then
			echo "$cli"
			return 0
		fi
	done
	return 1
}

# of KIND PATH: of the dump
of()
{
	jq -c ".[] | select(.kind == \"$1\") | $2" "$tmp/dump"
}

# output FILE CMD...: the command's output goes to the file.
output()
{
	local file=$1

	shift
	"$@" > "$file"
}

# try_tree DIR NAME
try_tree()
{
	local tree=$1 name_of=$2 cli

	# The schema is looked for beside the directory of the specification.
	rm -rf "${tmp:?}/tree"
	mkdir -p "$tmp/tree/${name%/*}"
	cp "$tree"/Documentation/netlink/*.yaml "$tmp/tree/Documentation/netlink/"
	cp "$tree/$name" "$tmp/tree/$name"

	tap_check "$name_of: a patch is made" \
		output "$tmp/patch" "$top/scripts/tc-spec" "$tree/$name" || return
	tap_check "$name_of: it applies" patch --quiet -d "$tmp/tree" -p1 -i "$tmp/patch" || return
	tap_check "$name_of: nothing else is changed" \
		finds_nothing grep '^-[^-]' "$tmp/patch" || :
	tap_check "$name_of: all attributes are in it" [ \
		"$(grep -c '^+        name: ' "$tmp/patch")" -ge 50 ] || :
	tap_equal "$name_of: a second one is refused" \
		"tc-spec: $tmp/tree/$name: has symphony already" \
		"$("$top/scripts/tc-spec" "$tmp/tree/$name" 2>&1)"

	if ! cli=$(cli_of "$tree"); then
		tap_skip "$name_of: dump" "the tree has no tools/net/ynl"
		return
	fi
	# The program holds the specification against its schema, too.
	tap_check "$name_of: dump" output "$tmp/dump" "$python" "$cli" --spec "$tmp/tree/$name" \
		--dump getqdisc --output-json || return
	tap_equal "$name_of: options of symphony" '[7,500000000,"uet","msgid",9]' \
		"$(of symphony '.options | [.limit, .k, .proto, .step, .jobs]')"
	tap_equal "$name_of: statistics of symphony" '[0,0]' \
		"$(of symphony '.stats2.app | [.data, .jobs]')"
	tap_equal "$name_of: fq_codel beside it" '77' "$(of fq_codel '.options.limit')"
	tap_equal "$name_of: red beside it" '100000' "$(of red '.options.parms.limit')"
}

add()
{
	ip link add "y$1" type dummy && tc qdisc add dev "y$1" root "$@"
}

[ $# -gt 0 ] || set -- "$("$top/scripts/linux-source" 2> /dev/null)"
[ -r "$1/$name" ] || tap_skip_all "no tc.yaml: linux-source is not installed"
modprobe -q sch_symphony || grep -q ^sch_symphony /proc/modules ||
	tap_skip_all "module sch_symphony is not installed"
tap_check "qdiscs are added" add symphony limit 7 k 0.5 proto uet step msgid jobs 9 || tap_done
tap_check "and others" add fq_codel limit 77 || :
tap_check "and more" add red limit 100000 avpkt 1000 min 10000 max 30000 bandwidth 1gbit || :
for tree; do
	try_tree "$tree" "$(sed -n 's/^VERSION = //p' "$tree/Makefile" 2> /dev/null).$(
		sed -n 's/^PATCHLEVEL = //p' "$tree/Makefile" 2> /dev/null)"
done
tap_done
