# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the tests of this directory share. Sourced, after "here" has been set to it.

# Prints the kernel's tc-testing, of 6.8 or later, which compares JSON: TDC_DIR, beside
# this directory in a kernel tree, or in an unpacked linux-source.
find_tdc()
{
	for dir in "${TDC_DIR:-}" "${here:?}"/../tc-testing "$here"/../../tc-testing \
		   "${SYMPHONY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/symphony}"/src/linux-source-*/tools/testing/selftests/tc-testing; do
		if [ -n "$dir" ] && grep -qs matchJSON "$dir/tdc.py"; then
			echo "$dir"
			return
		fi
	done
}
