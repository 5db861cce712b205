#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The alerts fire where they should and nowhere else; the dashboard's queries can be read;
# both ask for what symphony export tells. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

alerts=$top/tools/monitoring/symphony-alerts.yml
dashboard=$top/tools/monitoring/symphony-dashboard.json

if command -v promtool > "$tmp/which"; then
	tap_check "promtool reads the alerts" promtool check rules "$alerts"
	tap_check "each alert where it is due alone" promtool test rules "${alerts%.yml}.test.yml"
else
	tap_skip "the alerts" "prometheus is not installed"
fi
tap_equal "five alerts" 5 "$(grep -c -- '- alert:' "$alerts")"

# The dashboard's queries with its variables filled in, as rules that promtool reads.
jq -r '.panels[].targets[].expr' "$dashboard" > "$tmp/queries"
dashboard_rules()
{
	echo "groups: [{name: dashboard, rules: ["
	# shellcheck disable=SC2016	# the variables of Grafana
	sed -e 's/\$__rate_interval/1m/g; s/\$device/td0/g; s/\$job/5/g' "$tmp/queries" |
		jq -c -R '{record: "query:\(input_line_number)", expr: .}' | paste -s -d ,
	echo "]}]"
}
dashboard_rules > "$tmp/dashboard.yml"
if command -v promtool > "$tmp/which"; then
	tap_check "promtool reads the dashboard's queries" promtool check rules "$tmp/dashboard.yml"
else
	tap_skip "the dashboard's queries" "prometheus is not installed"
fi
tap_equal "no two panels at one place" "" \
	"$(jq -r '.panels[].gridPos | "\(.x) \(.y)"' "$dashboard" | sort | uniq -d)"

tc qdisc add dev $dev root symphony
two_steps 3
"$symphony" export --prometheus | grep -o '^[a-z_]*' | sort -u > "$tmp/told"
unknown()
{
	grep -h -o 'symphony_[a-z_]*' "$@" | sort -u | grep -v -x -F -f "$tmp/told"
}
tap_equal "the alerts ask for what is told" "" "$(sed -n '/expr:/,/for:/p' "$alerts" > "$tmp/exprs"
	unknown "$tmp/exprs")"
tap_equal "so does the dashboard" "" "$(jq -r '.templating.list[].query | .query? // empty' \
	"$dashboard" >> "$tmp/queries"; unknown "$tmp/queries")"
tap_check "which is a lot" test "$(wc -l < "$tmp/queries")" -gt 15
tap_done
