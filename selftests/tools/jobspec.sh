#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Jobs as files and as JSON, read and written, with sanitizers. Prints TAP 13.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/help.sh"

missing=$("$here/../../scripts/tools-missing" | paste -s -d ' ')
[ -z "$missing" ] || { echo "1..0 # SKIP not installed: $missing"; exit 4; }
make -s -C "$here" jobspectest >&2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$here/jobspectest" "$tmp"
