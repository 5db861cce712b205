#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/upstream: the patches apply to a kernel and to iproute2, pass checkpatch and
# build there.
#
#	IPROUTE2_SOURCE	an unpacked source of iproute2; Debian packages none
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
. "$top/scripts/kbuild.sh"
cd "$top" || exit 1
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
have git || tap_skip_all "git is not installed"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# thin TREE DIR PATH...: DIR becomes a tree of links to TREE in which those paths can be
# written to.
thin()
{
	local from=$1 to=$2 path dir part

	shift 2
	mkdir "$to"
	ln -s "$from"/* "$to/"
	for path; do
		dir=
		for part in ${path//\// }; do
			dir=${dir:+$dir/}$part
			if [ -L "$to/$dir" ] && [ -d "$to/$dir" ]; then
				rm "$to/$dir"
				mkdir "$to/$dir"
				ln -s "$from/$dir"/* "$to/$dir/"
			fi
		done
		if [ -L "$to/$path" ]; then
			rm "$to/$path"
			cp "$from/$path" "$to/$path"
		fi
	done
}

# The layout of TRACE_EVENT() and long lines in a shell's tables are accepted, as in the
# kernel. That MAINTAINERS covers new directories checkpatch does not see.
checkpatch()
{
	local bad

	(cd "$tmp" && perl "$source/scripts/checkpatch.pl" --root="$tmp/root" --strict --terse --showfile \
		--no-summary --show-types --ignore FILE_PATH_CHANGES "$1") > "$tmp/checkpatch"
	bad=$(grep -E ': (ERROR|WARNING|CHECK):' "$tmp/checkpatch" |
		grep -v -E '_trace\.h:[0-9]+: CHECK:(OPEN_ENDED_LINE|PARENTHESIS_ALIGNMENT)' |
		grep -v -E '(\.sh|/help):[0-9]+: WARNING:LONG_LINE')
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}

in_tree()
{
	make -s -C "$tmp/linux" ARCH=um O="$tmp/build" "$@" > "$tmp/make" 2>&1 || { tail -n 20 "$tmp/make"; return 1; }
	# Kbuild's own warnings are of the configuration, a compiler's are ours.
	! grep -E '\.[ch]:[0-9]+.*warning:' "$tmp/make"
}

configured()
{
	cat > "$tmp/fragment" <<-'END'
	CONFIG_64BIT=y
	CONFIG_MODULES=y
	CONFIG_NET=y
	CONFIG_INET=y
	CONFIG_IPV6=y
	CONFIG_FTRACE=y
	CONFIG_NET_SCHED=y
	CONFIG_NET_CLS=y
	CONFIG_NET_CLS_ACT=y
	CONFIG_KUNIT=y
	CONFIG_NET_SCH_SYMPHONY=y
	CONFIG_NET_SCH_SYMPHONY_KUNIT_TEST=y
	END
	mkdir -p "$tmp/build"
	in_tree KCONFIG_ALLCONFIG="$tmp/fragment" allnoconfig &&
		[ "$(grep -c '^CONFIG_NET_SCH_SYMPHONY.*=y' "$tmp/build/.config")" -eq 2 ]
}

source=${LINUX_SOURCE:-$(scripts/linux-source 2> /dev/null)}
if [ -z "$source" ]; then
	tap_skip "a kernel" "no source of a kernel: install linux-source-6.12 or set LINUX_SOURCE"
else
	thin "$source" "$tmp/linux" MAINTAINERS net/sched/{Kconfig,Makefile} include/uapi/linux/types.h \
		tools/testing/selftests/{Makefile,lib.mk} Documentation/netlink/specs/tc.yaml
	tap_check "scripts/upstream puts symphony into a kernel" \
		scripts/upstream --out "$tmp/out" "$tmp/linux"
	tap_equal "as these patches" 5 "$(find "$tmp/out/linux" -name '000*.patch' | wc -l)"
	if have perl; then
		checkpatch_root "$source" "$tmp/root"
		for patch in "$tmp"/out/linux/*.patch; do
			tap_check "checkpatch, ${patch##*/}" checkpatch "$patch"
		done
	else
		tap_skip "checkpatch" "perl is not installed"
	fi
	tap_equal "nothing of the tree outside is left in it" "" \
		"$(grep -rlE 'compat/compat\.h|symphony-has|HAVE_[A-Z]*QDISC|SYMPHONY_KUNIT[^_]|dkms' "$tmp/linux/net/sched/symphony")"
	tap_check "its configuration" configured
	tap_check "the kernel prepares" in_tree prepare
	tap_check "symphony builds in it" in_tree W=1 net/sched/symphony/
	tap_check "with its tests" test -s "$tmp/build/net/sched/symphony/symphony_kunit.o"
	again()
	{
		! scripts/upstream --out "$tmp/out" "$tmp/linux"
	}
	tap_check "a second time is refused" again
fi

source=${IPROUTE2_SOURCE:-}
if [ -z "$source" ]; then
	tap_skip "iproute2" "no source of iproute2: set IPROUTE2_SOURCE"
else
	cp -r "$source" "$tmp/iproute2"
	tap_check "scripts/upstream puts symphony into iproute2" \
		scripts/upstream --out "$tmp/out" "$tmp/iproute2"
	iproute2_builds()
	{
		(cd "$tmp/iproute2" && ./configure && make -s SUBDIRS="lib tc") > "$tmp/make" 2>&1 ||
			{ tail -n 20 "$tmp/make"; return 1; }
		! grep -E 'q_symphony\.c:.*warning:' "$tmp/make"
	}
	tap_check "tc builds" iproute2_builds
	helps()
	{
		env -u TC_LIB_DIR "$tmp/iproute2/tc/tc" qdisc add dev lo root symphony help 2>&1 |
			grep -q 'Usage: .*symphony'
	}
	tap_check "and knows it without a plugin" helps
	tap_check "with its manual page" test -s "$tmp/iproute2/man/man8/tc-symphony.8"
fi
tap_done
