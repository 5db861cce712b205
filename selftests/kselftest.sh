#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# This directory as part of the kernel's selftests: copied into
# tools/testing/selftests of linux-source, built and run there by "make
# run_tests" with a few tests each, and installed. The tree of linux-source
# stays as it is: a tree of links stands for it.

set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib/tap.sh"

cache=${SYMPHONY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/symphony}
source=${LINUX_SOURCE:-}
if [ -z "$source" ]; then
	for source in "$cache"/src/linux-source-*; do
		:
	done
fi
[ -e "$source/tools/testing/selftests/lib.mk" ] ||
	tap_skip_all "no kernel source: set LINUX_SOURCE"
for tool in gcc make rsync perl jq; do
	command -v $tool > /dev/null || tap_skip_all "needs $tool"
done
modprobe -q sch_symphony || grep -q ^sch_symphony /proc/modules ||
	tap_skip_all "module sch_symphony is not installed"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
selftests=$tmp/linux/tools/testing/selftests
mkdir -p "$selftests"
ln -s "$source"/* "$tmp/linux/" 2> "$tmp/exists"
cp -r "$source"/tools/testing/selftests/{Makefile,lib.mk,kselftest,run_kselftest.sh,tc-testing} \
	"$selftests/"

cp -r "$here" "$selftests/symphony"
mkdir "$selftests/include"
cp -r "$here/../include/uapi" "$selftests/include/"
find "$selftests/symphony" \( -name rocepkt -o -name pkttest -o -name rawopt \) -type f -delete

in_tree()
{
	make -C "$selftests" TARGETS=symphony FORCE_TARGETS=1 "$@"
}

export SYMPHONY_NET="vectors/steps.vec"
SYMPHONY_TDC="tdc/symphony.json $(jq -r ".[0:3][].id" "$here/tdc/symphony.json" | paste -s -d " ")"
export SYMPHONY_TDC
tap_check "builds in the kernel's tree" in_tree
tap_check "the tools are there" test -x "$selftests/symphony/net/rocepkt" \
	-a -x "$selftests/symphony/tdc/rawopt"
in_tree run_tests > "$tmp/log" 2>&1
tap_result $? "make run_tests"
tap_check "the net tests are one test that passes" \
	grep -Eq '^ok 1 selftests: symphony: test_net.sh$' "$tmp/log"
tap_check "their points are shown" grep -q '^# ok .* steps: ' "$tmp/log"
tap_check "so are the tc tests" \
	grep -Eq '^ok 2 selftests: symphony: test_tdc.sh$' "$tmp/log"
if [ "$tap_failed" -gt 0 ]; then
	sed 's/^/# /' "$tmp/log"
fi
tap_check "make install" in_tree install INSTALL_PATH="$tmp/install" \
	KSFT_INSTALL_PATH="$tmp/install"
tap_check "what is installed runs" env SYMPHONY_NET="vectors/steps.vec" \
	"$tmp/install/run_kselftest.sh" -t symphony:test_net.sh
tap_done
