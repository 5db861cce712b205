# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# To wait for what comes true at a time of its own. Sourced. Nothing that a test needs
# has happened because some time has passed: scripts/lint looks for a sleep that is not
# the pause between two looks at a condition.

# wait_for SECONDS CMD [ARG]...: until the command succeeds; false after that long, which
# is to be far longer than a busy machine may take.
wait_for()
{
	wait_limit=$(($(date +%s) + $1))
	shift
	until "$@"; do
		if [ "$(date +%s)" -ge "$wait_limit" ]; then
			echo "${0##*/}: waited in vain for: $*" >&2
			return 1
		fi
		sleep 0.1
	done
}
