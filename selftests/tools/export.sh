#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony export --prometheus against live qdiscs, with promtool, with curl and with
# Prometheus. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

quoted='q"\d'
ip link add "$quoted" type dummy
tc qdisc add dev $dev root handle 7: symphony k 1 warmup 0 window 60s
tc qdisc add dev "$quoted" root symphony
two_steps 30 5
"$symphony" export --prometheus > "$tmp/metrics"
names=$(grep -o '^[a-z_]*' "$tmp/metrics" | sort -u)

# value NAME LABELS: of a sample.
value()
{
	awk -v sample="$1{$2}" '$1 == sample { print $2 }' "$tmp/metrics"
}

place="device=\"$dev\",handle=\"7:\""
tap_equal "a counter of a qdisc" 60 "$(value symphony_data_packets_total "$place")"
tap_equal "a gauge" 1 "$(value symphony_jobs "$place")"
tap_equal "tau" 0.25 "$(value symphony_tau_ratio "$place")"
tap_equal "a counter of a job" 30 "$(value symphony_job_marked_packets_total "$place,job=\"5\"")"
tap_equal "its smallest step" 3 "$(value symphony_job_step_min "$place,job=\"5\"")"
tap_equal "what it is not: misaligned" 0 "$(value symphony_job_misaligned_seconds "$place,job=\"5\"")"
seen=$(value symphony_job_last_seen_timestamp_seconds "$place,job=\"5\"")
tap_check "when it was seen, as a moment" awk -v seen="$seen" -v now="$(date +%s)" \
	'BEGIN { exit !(seen <= now + 1 && seen > now - 300) }'
tap_equal "a name that has to be escaped" 1 \
	"$(grep -c -F 'symphony_jobs{device="q\"\\d"' "$tmp/metrics")"
tap_equal "--no-jobs" "" "$("$symphony" export --prometheus --no-jobs | grep '^symphony_job_')"
tap_equal "one device" 1 "$("$symphony" export --prometheus dev $dev | grep -c '^symphony_jobs{')"

# Each counter of tc is there, with the unit that tc prints behind it.
wanted_names()
{
	tc -s qdisc show dev $dev | awk '
		/^ +[a-z_]+ [0-9]/ && !/pkts_in|backlog|Sent/ {
			for (i = 1; i <= NF; i++) {
				if ($i !~ /^[a-z_]+$/)
					continue
				unit = $(i + 1)
				gsub(/[0-9]/, "", unit)
				print $i, unit
			}
		}' | while read -r name unit; do
		case $unit in
		p)	name=${name}_packets ;;
		b)	name=${name}_bytes ;;
		ns)	name=${name}_seconds ;;
		esac
		echo "symphony_$name"
	done
}

missing_names()
{
	wanted_names | while read -r name; do
		grep -q -x "${name}\(_total\)\?" <<< "$names" || echo "$name"
	done
}
tap_equal "every counter of tc, with its unit" "" "$(missing_names)"
tap_check "which are many" test "$(wanted_names | wc -l)" -gt 30

if command -v promtool > "$tmp/which"; then
	tap_equal "promtool finds nothing" "" "$(promtool check metrics < "$tmp/metrics" 2>&1)"
else
	tap_skip "promtool finds nothing" "prometheus is not installed"
fi

tap_equal "a file, whole or not at all" "$names" "$(
	"$symphony" export --prometheus --output "$tmp/symphony.prom"
	grep -o '^[a-z_]*' "$tmp/symphony.prom" | sort -u)"
tap_equal "and nothing beside it" symphony.prom "$(cd "$tmp" && ls -d symphony.prom*)"
tap_equal "a directory that is none" 1 \
	"$(status_of "$symphony" export --prometheus --output "$tmp/none/x" | cut -d ' ' -f 1)"
tap_equal "export to nothing" "1 symphony: export: to what? --prometheus" \
	"$(status_of "$symphony" export)"
tap_equal "a port that is none" '1 symphony: export: --listen "0": not [ADDRESS:]PORT' \
	"$(status_of "$symphony" export --prometheus --listen 0)"
tap_equal "an address of another host" "1 symphony: export: cannot listen on 192.0.2.99:9753" \
	"$(status_of "$symphony" export --prometheus --listen 192.0.2.99:9753)"

"$symphony" export --prometheus --listen > "$tmp/listen" 2>&1 &
exporter=$!
url=http://127.0.0.1:9753/metrics
if ! command -v curl > "$tmp/which"; then
	tap_skip "over HTTP" "curl is not installed"
elif tap_check "listens" wait_for 60 grep -q "^listening on $url" "$tmp/listen"; then
	tap_equal "over HTTP: the same" "$names" \
		"$(curl -s $url | grep -o '^[a-z_]*' | sort -u)"
	tap_equal "of the right type" "text/plain; version=0.0.4; charset=utf-8" \
		"$(curl -s -o /dev/null -w '%{content_type}' $url)"
	tap_equal "another page" 404 "$(curl -s -o /dev/null -w '%{http_code}' ${url%/*})"
	tap_equal "another method" 405 "$(curl -s -o /dev/null -w '%{http_code}' -d x $url)"
	tap_equal "on loopback alone" 000 \
		"$(curl -s -o /dev/null -w '%{http_code}' http://192.0.2.1:9753/metrics)"
fi

cat > "$tmp/prometheus.yml" <<END
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: symphony
    honor_labels: true
    static_configs:
      - targets: ["127.0.0.1:9753"]
END

# asked QUERY: what Prometheus has.
asked()
{
	curl -s --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query |
		jq -r '.data.result[]? | .value[1]'
}

has_sample()
{
	[ "$(asked 'symphony_job_packets_total{job="5",device="td0"}')" = 60 ]
}

if command -v prometheus > "$tmp/which" && command -v curl > "$tmp/which"; then
	prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/tsdb" \
		--web.listen-address=127.0.0.1:9090 > "$tmp/prometheus.log" 2>&1 &
	prometheus=$!
	tap_check "Prometheus has the samples" wait_for 120 has_sample ||
		tail -n 5 "$tmp/prometheus.log" | sed 's/^/# /'
	kill $prometheus
	wait $prometheus
else
	tap_skip "Prometheus has the samples" "prometheus or curl is not installed"
fi
kill $exporter
status=0
wait $exporter || status=$?
tap_equal "ends when it is told to" 0 $status
tap_done
