# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the scripts share. Sourced, after "top" has been set to the top of the
# source tree; everything here is POSIX shell.

# Downloaded and derived files that outlive a clone. Nothing in it is precious.
# shellcheck disable=SC2034  # used by the scripts that source this file
cache=${SYMPHONY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/symphony}

# Kernels every test in a VM runs on, by the name scripts/kernel takes.
# shellcheck disable=SC2034
kernel_flavours="6.1 6.12 6.12-rt"

# Kernels that scripts/debug-kernel builds.
# shellcheck disable=SC2034
debug_flavours="kcsan-6.12 debug-6.12 debug-6.1"

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

# Packages can only be installed by root, directly or through sudo.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif have sudo; then
		sudo "$@"
	else
		die "needs root for: $*"
	fi
}

# Lists older than a day may name packages that are no longer there.
apt_refresh()
{
	if [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mtime -1 2>/dev/null)" ] ||
	   [ "${1:-}" = force ]; then
		as_root apt-get -qq update ||
			say "apt-get update failed, going on with the lists there are"
	fi
}
