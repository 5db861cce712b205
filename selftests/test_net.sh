#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Packets through a router. SYMPHONY_NET: arguments of net.sh.
. "$(dirname "$0")/lib/help.sh"
# shellcheck disable=SC2086	# they are a list of words
exec "$(dirname "$0")/net/net.sh" ${SYMPHONY_NET:-}
