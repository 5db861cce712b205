#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every script that can be run helps instead of acting, if it is asked for --help. All
# it finds to run are tools that change nothing, and it has no rights here.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
cd "$top" || exit 1

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/cwd"
for tool in sh bash sed cat dirname basename readlink realpath mktemp rm nproc id; do
	ln -s "$(command -v $tool)" "$tmp/bin/"
done
alone=()
if unshare -r -n -m true 2> /dev/null; then
	alone=("$(command -v unshare)" -r -n -m)
fi

# helps SCRIPT: prints what is wrong with what it does.
helps()
{
	local status=0

	(cd "$tmp/cwd" && exec env -i PATH="$tmp/bin" HOME="$tmp/cwd" timeout 60 \
		"${alone[@]}" "$top/$1" --help) > "$tmp/out" 2> "$tmp/err" < /dev/null || status=$?
	[ "$status" -eq 0 ] || echo "exit status $status"
	head -n 5 "$tmp/err"
	[ "$(grep -c . "$tmp/out")" -ge 1 ] || echo "says nothing"
	grep -E '^(TAP version|ok |not ok )' "$tmp/out"
	find "$tmp/cwd" -mindepth 1
}

export PATH="$PATH:/usr/sbin:/sbin"
ln -s "$(command -v timeout)" "$(command -v env)" "$tmp/bin/"
find .ci scripts iproute2-plugin lib tools selftests -name out -prune -o -type f -perm -u+x -print |
	sort > "$tmp/files"
touch "$tmp/began"
while read -r file; do
	[ "$(head -c 2 "$file" | tr -d '\0')" = '#!' ] || continue
	tap_equal "${file#./} --help" "" "$(helps "$file")"
done < "$tmp/files"
# A program that is no script, if it was built.
if [ -x out/tools/symphony ]; then
	tap_equal "symphony --help" "" "$(helps out/tools/symphony)"
else
	tap_skip "symphony --help" "the command was not built: make tools"
fi
# What git ignores others build meanwhile.
tap_equal "no file of the tree was touched" "" "$(git ls-files --cached --others --exclude-standard |
	while read -r file; do
		find "$file" -newer "$tmp/began"
	done)"
tap_done
