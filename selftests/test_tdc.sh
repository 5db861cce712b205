#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The command line of tc. SYMPHONY_TDC: arguments of run.sh.
. "$(dirname "$0")/lib/help.sh"
# shellcheck disable=SC2086	# they are a list of words
exec "$(dirname "$0")/tdc/run.sh" ${SYMPHONY_TDC:-}
