#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The YNL specifications and the module for pyroute2 name the attributes of the
# UAPI headers, in their order, and the generic netlink family takes what its
# specification says.
. "$(dirname "$0")/../lib/help.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
header=$top/include/uapi/linux/pkt_sch_symphony.h
spec=$top/Documentation/netlink/specs/tc-symphony.yaml
module=$top/python/pyroute2_symphony.py
family=$top/kernel/symphony_genl.c

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

# Commands of the specification, in its order.
op_names()
{
	awk '
		/^operations:/ { on = 1 }
		/^mcast-groups:/ { on = 0 }
		on && /^      name: / { print $2 }' "$spec"
}

# definition_names NAME: entries of an enum of the specification
definition_names()
{
	awk -v name="$1" '
		/^    name: / { on = $2 == name }
		/^attribute-sets:/ { exit }
		on && /^        name: / { print $2 }' "$spec"
}

# request_names OP: what the specification lets a request have
request_names()
{
	awk -v op="$1" '
		/^      name: / { on = $2 == op }
		on && /^        request:/ { request = 1; next }
		on && /^        [a-z]/ { request = 0 }
		on && request && /^            - / { print $2 }' "$spec" | sort -u
}

# policy_names POLICY PREFIX: what the family's policy of that name takes
policy_names()
{
	awk -v policy="$1[" -v prefix="$2" '
		/nla_policy/ { head = 1 }
		head && index($0, policy) { on = 1; head = 0; next }
		/;$/ { head = 0 }
		/^};/ { on = 0 }
		on && $1 ~ "^\\[" prefix {
			name = substr($1, length(prefix) + 2)
			sub(/\].*/, "", name)
			gsub(/_/, "-", name)
			print tolower(name)
		}' "$family" | sort -u
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
	judge
}

# judge: $point holds if $want is $have
judge()
{
	if [ -n "$want" ] && [ "$want" = "$have" ]; then
		echo "ok $point"
	else
		echo "not ok $point"
		printf 'header:\n%s\nhere:\n%s\n' "$want" "$have" | sed 's/^/# /'
		failed=1
	fi
}

echo "TAP version 13"
echo "1..16"
failed=0
compare 1 tca_symphony TCA_SYMPHONY_ symphony-attrs set_names symphony-attrs
compare 2 tca_symphony_stats TCA_SYMPHONY_STATS_ symphony-stats-attrs \
	set_names symphony-stats-attrs
compare 3 tca_symphony TCA_SYMPHONY_ "pyroute2's options" python_names OPTIONS
compare 4 tca_symphony_stats TCA_SYMPHONY_STATS_ "pyroute2's counters" python_names COUNTERS
header=$top/include/uapi/linux/symphony.h
spec=$top/Documentation/netlink/specs/symphony.yaml
compare 5 symphony_attr SYMPHONY_ATTR_ symphony set_names symphony
compare 6 symphony_state_attr SYMPHONY_STATE_ATTR_ state set_names state
compare 7 symphony_stats_attr SYMPHONY_STATS_ATTR_ stats set_names stats
compare 8 symphony_override_attr SYMPHONY_OVERRIDE_ATTR_ overrides set_names overrides
compare 9 symphony_flow_attr SYMPHONY_FLOW_ATTR_ flow set_names flow
compare 10 symphony_cmd SYMPHONY_CMD_ operations op_names
compare 11 symphony_event SYMPHONY_EVENT_ event-kind definition_names event-kind

point="12 - a request to job-get has what the family's policy takes"
want=$(request_names job-get)
have=$(policy_names symphony_job_policy SYMPHONY_ATTR_)
judge
point="13 - a request to job-set has what the family's policy takes"
want=$(request_names job-set)
have=$(policy_names symphony_set_policy SYMPHONY_ATTR_)
judge
point="14 - overrides are what the family's policy takes"
want=$(set_names overrides | sort)
have=$(policy_names symphony_override_policy SYMPHONY_OVERRIDE_ATTR_)
judge
point="15 - who writes needs to be an administrator"
want=$(awk '/^      name: / { op = $2 } /flags:.*admin-perm/ { print op }' "$spec")
have=$(awk '/\.cmd = SYMPHONY_CMD_/ { op = tolower(substr($3, 14)); sub(/,$/, "", op) }
	/GENL_UNS_ADMIN_PERM/ { gsub(/_/, "-", op); print op }' "$family")
judge
point="16 - a request to flow-get has what the family's policy takes"
want=$(request_names flow-get)
have=$(policy_names symphony_flow_policy SYMPHONY_ATTR_)
judge
exit $failed
