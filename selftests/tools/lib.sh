# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A device with symphony and traffic, for the tests of library and command. Sourced.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$top/selftests/lib/help.sh"
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
if [ -z "${TOOLS_NETNS:-}" ] && [ "$(id -u)" -eq 0 ]; then
	TOOLS_NETNS=1 exec unshare -n "$0" "$@"
fi
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
# shellcheck source=selftests/lib/wait.sh
. "$top/selftests/lib/wait.sh"
. "$here/status.sh"

# Names that the tests use.
# shellcheck disable=SC2034
symphony=$top/out/tools/symphony
# shellcheck disable=SC2034
dev=td0
peer=192.0.2.2

missing=$("$top/scripts/tools-missing" | paste -s -d ' ')
[ -z "$missing" ] || tap_skip_all "not installed: $missing"
[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
command -v jq > /dev/null || tap_skip_all "needs jq"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# device NAME NET: a device whose neighbour 192.0.NET.2 never answers, and need not.
device()
{
	ip -batch - <<-END
		link add name $1 numtxqueues 2 type dummy
		address add 192.0.$2.1/24 dev $1
		link set $1 up
		neighbor add 192.0.$2.2 lladdr 02:00:00:00:00:02 dev $1
	END
}

ip link set lo up
device $dev 2 || tap_skip_all "no dummy device"
tc qdisc add dev $dev root symphony 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
tc qdisc del dev $dev root

# send PYTHON: run lines in which Sender is selftests/readers/roce.py's.
send()
{
	PYTHONPATH=$top/selftests/readers PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import time
from roce import Sender
peer = '$peer'
$1"
}

# two_steps COUNT [JOB]: pairs of packets, one of the laggard and one that runs ahead.
two_steps()
{
	send "
low, high = Sender(peer, 3, 0x11, ${2:-5}), Sender(peer, 4, 0x12, ${2:-5})
for _ in range($1):
    low.send(1)
    high.send(1)"
}

# valid NAME: whether the JSON on standard input is what tools/schema.json has there.
valid()
{
	# shellcheck disable=SC2016	# of Python
	/usr/bin/python3 -c '
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
schema["$ref"] = "#/$defs/" + sys.argv[2]
value = json.load(sys.stdin)
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(value, schema)
' "$top/tools/schema.json" "$1"
}

have_jsonschema()
{
	/usr/bin/python3 -c 'import jsonschema' 2> "$tmp/err"
}

# tap_valid POINT NAME FILE: a point.
tap_valid()
{
	if have_jsonschema; then
		tap_check "$1" valid "$2" < "$3"
	else
		tap_skip "$1" "python3-jsonschema is not installed"
	fi
}
