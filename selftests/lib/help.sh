# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Sourced by scripts that have no usage() before they do anything: asked for help,
# they print the comment at their top. tap.sh does the same for tests.
case ${1:-} in
-h|--help)
	sed -n '/^#!/d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$0"
	exit 0
	;;
esac
