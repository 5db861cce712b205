# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# How a command of a test ended. Sourced.

# status_of CMD [ARG]...: its exit status and its last line.
status_of()
{
	local status=0

	"$@" > "${tmp:?}/out" 2>&1 || status=$?
	echo "$status $(tail -n 1 "$tmp/out")"
}
