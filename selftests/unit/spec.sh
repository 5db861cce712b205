#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The YNL specification names the attributes of the UAPI header, in its order.
top=$(cd "$(dirname "$0")/../.." && pwd)
header=$top/include/uapi/linux/pkt_sch_symphony.h
spec=$top/Documentation/netlink/specs/tc-symphony.yaml

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

# compare NUMBER ENUM PREFIX SET
compare()
{
	want=$(enum_names "$2" "$3")
	have=$(set_names "$4")
	if [ -n "$want" ] && [ "$want" = "$have" ]; then
		echo "ok $1 - $4 is enum $2"
	else
		echo "not ok $1 - $4 is enum $2"
		printf 'header:\n%s\nspecification:\n%s\n' "$want" "$have" | sed 's/^/# /'
		failed=1
	fi
}

echo "TAP version 13"
echo "1..2"
failed=0
compare 1 tca_symphony TCA_SYMPHONY_ symphony-attrs
compare 2 tca_symphony_stats TCA_SYMPHONY_STATS_ symphony-stats-attrs
exit $failed
