#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# symphony record and plot, with a job that goes on from step to step. Prints TAP 13.
. "$(dirname "$0")/lib.sh"
set -u

tc qdisc add dev $dev root handle 7: symphony k 1 warmup 0 window 60s
two_steps 5 5
"$symphony" record --count 3 --interval 0.01 > "$tmp/three.csv"
tap_equal "a head and three samples" 4 "$(wc -l < "$tmp/three.csv")"
tap_equal "the columns" "time,table,job,step_min,psn_rec,alpha" \
	"$(head -n 1 "$tmp/three.csv" | cut -d , -f 1-6)"
tap_equal "as many fields in each line" 1 "$(awk -F , '{ print NF }' "$tmp/three.csv" | sort -u | wc -l)"

# column NAME FILE: of the samples.
column()
{
	awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i; next }
		{ print $n }' "$2"
}
tap_equal "what jobs says" "$("$symphony" -j jobs | jq -r '.[0] | "\(.job) \(.state.step_min) \(.stats.packets) \(.stats.marked)"')" \
	"$(for name in job step_min packets marked; do column $name "$tmp/three.csv" | tail -n 1; done | paste -s -d ' ')"

"$symphony" record --interval 0.05 --output "$tmp/long.csv" &
recorder=$!
# saw JOB STEP: whether a sample has it there.
saw()
{
	awk -F , -v job="$1" -v step="$2" '$3 == job && $4 == step { found = 1 }
		END { exit !found }' "$tmp/long.csv"
}
wait_for 60 saw 5 3
two_steps 5 6
tap_check "it saw a job come" wait_for 60 saw 6 3
send "Sender(peer, 3, 0x11, 6).messages(1)"
tap_check "it saw its step go on" wait_for 60 saw 6 4
kill -INT $recorder
status=0
wait $recorder || status=$?
tap_equal "ends when it is told to" 0 $status
tap_equal "no interval" '1 symphony: record: --interval "0": not seconds from 0.001 to 86400' \
	"$(status_of "$symphony" record --interval 0)"
tap_equal "a device that is none" 1 "$(status_of "$symphony" record nix | cut -d ' ' -f 1)"

if command -v gnuplot > "$tmp/which"; then
	tap_check "plot: a picture" "$symphony" plot "$tmp/long.csv" --output "$tmp/jobs.svg"
	tap_equal "with a curve for each job" "td0 7: job 5,td0 7: job 6" \
		"$(grep -o 'td0 7: job [0-9]' "$tmp/jobs.svg" | sort -u | paste -s -d ,)"
	tap_check "a PNG" "$symphony" plot "$tmp/long.csv" --job 6 --output "$tmp/jobs.png"
	tap_equal "which it is" "89504e47" "$(head -c 4 "$tmp/jobs.png" | od -A n -t x1 | tr -d ' ')"
	tap_equal "no such job" "1 symphony: plot: no sample of a job" \
		"$(status_of "$symphony" plot "$tmp/long.csv" --job 99)"
else
	tap_skip "plot" "gnuplot is not installed"
fi
tap_equal "another file" "1 symphony: plot: $tmp/err was not written by symphony record" \
	"$(status_of "$symphony" plot "$tmp/err")"
tap_equal "another picture" '1 symphony: plot: --output "x.pdf": not a name that ends with .svg or .png' \
	"$(status_of "$symphony" plot "$tmp/long.csv" --output x.pdf)"
tap_done
