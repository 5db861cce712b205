#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The YNL specification and the module for pyroute2 name the attributes of the
# UAPI header, in its order.
. "$(dirname "$0")/../lib/help.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
header=$top/include/uapi/linux/pkt_sch_symphony.h
spec=$top/Documentation/netlink/specs/tc-symphony.yaml
module=$top/python/pyroute2_symphony.py

# enum_names ENUM PREFIX: the enum's names as a specification spells them
enum_names()
{
	awk -v enum="enum $1 {" -v prefix="$2" '
		$0 == enum { on = 1; next }
		/^};/ { on = 0 }
		on && $1 ~ "^" prefix && $1 !~ /UNSPEC/ {
			name = substr($1, length(prefix) + 1)
			sub(/,$/, "", name)
			gsub(/_/, "-", name)
			print tolower(name)
		}' "$header"
}

# set_names SET: names of a specification's attribute set
set_names()
{
	awk -v set="$1" '
		/^    name: / { on = $2 == set }
		/^[a-z]/ { on = 0 }
		on && /^        name: / { print $2 }' "$spec"
}

# python_names TABLE: names of a table of the module for pyroute2
python_names()
{
	echo pad
	awk -v table="$1" '
		/^[A-Z]/ { on = $1 == table }
		on && /^    '\''/ {
			n = table == "OPTIONS" ? 2 : split($0, quoted, "'\''")
			split($0, quoted, "'\''")
			for (i = 2; i <= n; i += 2) {
				gsub(/_/, "-", quoted[i])
				print quoted[i]
			}
		}' "$module"
}

# compare NUMBER ENUM PREFIX NAME READ...
compare()
{
	point="$1 - $4 is enum $2"
	want=$(enum_names "$2" "$3")
	shift 4
	have=$("$@")
	if [ -n "$want" ] && [ "$want" = "$have" ]; then
		echo "ok $point"
	else
		echo "not ok $point"
		printf 'header:\n%s\nhere:\n%s\n' "$want" "$have" | sed 's/^/# /'
		failed=1
	fi
}

echo "TAP version 13"
echo "1..4"
failed=0
compare 1 tca_symphony TCA_SYMPHONY_ symphony-attrs set_names symphony-attrs
compare 2 tca_symphony_stats TCA_SYMPHONY_STATS_ symphony-stats-attrs \
	set_names symphony-stats-attrs
compare 3 tca_symphony TCA_SYMPHONY_ "pyroute2's options" python_names OPTIONS
compare 4 tca_symphony_stats TCA_SYMPHONY_STATS_ "pyroute2's counters" python_names COUNTERS
exit $failed
