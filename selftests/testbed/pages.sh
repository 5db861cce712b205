#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What people see of the results: plots, pages, the demonstration's verdict, drawn
# from records made up here. Prints TAP 13.

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
lib=$here/lib
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
command -v gnuplot > /dev/null || tap_skip_all "gnuplot is not installed"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# plan_of NAME SEEDS ONLY OVERRIDE...: an experiment's plan, its runs not yet made.
plan_of()
{
	local name=$1 seeds=$2 only=$3

	shift 3
	mkdir -p "$tmp/$name"
	printf '%s\n' "$@" > "$tmp/overrides"
	awk -f "$lib/plan.awk" -v out="$tmp/$name" -v full= -v seeds="$seeds" -v only="$only" \
		-v overrides="$tmp/overrides" "$here/experiments/$name.exp"
	echo "scripts/testbed run $name" > "$tmp/$name/command-line"
}

# Records and metrics of each run of a plan: seed N is N % longer, symphony a tenth
# shorter, order a fifth, and two flows of which A is the shorter one.
make_runs()
{
	local run fields

	while IFS=$'\t' read -r run fields; do
		awk -v fields="$fields" -v run="$run" 'BEGIN {
			n = split(fields, part, ",")
			f = part[1] == "symphony" ? 0.9 : part[1] == "order" ? 0.8 : 1
			f *= 1 + part[n] / 100
			print "time_ns,job,min_step,max_step,steps_in_flight" > (run "/steps")
			for (i = 0; i < 50; i++)
				print i * 1e6 * f ",1,1,2," (i + 1) > (run "/steps")
			print "job,ring,pass,step,src,dst,qp,start_ns,end_ns,bytes" > (run "/flows")
			printf "1,0,0,2,1,2,1,1000000000,%.0f,1000000\n", 1e9 + 1.4e9 * f > (run "/flows")
			for (i = 1; i < 50; i++)
				printf "1,0,0,%d,0,2,1,500000000,%.0f,1000000\n", i, 5e8 + i * 3e7 * f > (run "/flows")
			printf "flowA_ms %g\nflowB_ms %g\noverlap_ms %g\njct_ms %g\nslowdown %g\n",
				1000 * f, 1400 * f, 800 * f, 400 * f, 2 * f > (run "/metrics")
			printf "max_in_flight %d\nmean_in_flight %g\n", 10 * f, 5 * f > (run "/metrics")
		}'
	done < "$1/plan"
}

results_of()
{
	local run fields

	while IFS=$'\t' read -r run fields; do
		awk -v fields="$fields" '{ print fields "," $1 "," $2 }' "$run/metrics"
	done < "$1/plan" > "$1/results.csv"
	awk -F, -v OFS=, '{
		key = $1 OFS $2 OFS $4
		for (i = 1; i <= 5; i++)
			$(NF + 1) = $5
		print
	}' "$1/results.csv" | awk -F, -v OFS=, '{ print $1, $2, $4, 1, $5, $5, $5, $5, $5 }' |
		awk -F, '!seen[$1, $2, $3]++' > "$1/summary.csv"
	awk -f "$lib/table.awk" "$1/experiment" "$1/summary.csv" > "$1/table.md"
}

# The texts of a picture, one a line; gnuplot writes each into an element.
texts()
{
	sed -n 's/.*<text><tspan[^>]*>\(.*\)<\/tspan><\/text>.*/\1/p; s/.*<text>\(.*\)<\/text>.*/\1/p' \
		"$1"
}

# A picture whose every series has more than the two points of its line in the key.
not_empty()
{
	awk '/<g id="gnuplot_plot_/ { series++; points[series] = 0; depth = 0 }
	series && depth >= 0 {
		depth += gsub(/<g /, "<g ") - gsub(/<\/g>/, "</g>")
		if (!/translate/)
			points[series] += gsub(/[0-9.]+,[0-9.]+/, "")
		if (!depth)
			depth = -1
	}
	END {
		for (i = 1; i <= series; i++)
			drawn += points[i] > 3
		exit !(series && drawn == series)
	}' "$1" || { echo "$1"; return 1; }
}

pictures_have_something()
{
	local picture

	for picture in "$tmp"/*/plots/*.svg "$tmp"/*.svg; do
		not_empty "$picture" || return 1
	done
}

titles()
{
	sed -n 's/^set title //p' "$1"/plots/*.gp
}

titles_differ()
{
	[ "$(titles "$1" | wc -l)" -gt 1 ] && [ -z "$(titles "$1" | sort | uniq -d)" ]
}

# Names of variables have underscores, words have none.
no_variable_names()
{
	! grep -h -E '^set (title|xlabel|ylabel)' "$tmp"/*/plots/*.gp | grep '_'
}

documented_pictures_have_words()
{
	grep -v '^#' "$lib/words" | cut -f 1 | sed 's/.*/<text>&<\/text>/' > "$tmp/names"
	! grep -n -F -f "$tmp/names" "$top"/Documentation/*.svg
}

every_plot_has_words()
{
	sed -n 's/^plot \(sweep\|bars\|cdf\) \([^ ]*\).*/\2/p' "$here"/experiments/*.exp | sort -u |
		while read -r metric; do
			grep -q "^$metric	" "$lib/words" || { echo "$metric"; exit 1; }
		done
}

plan_of fig9 1 '^(dcqcn|symphony|order),' a_delay=500ms
plan_of fig4 1 '^(baseline|symphony|order),' dcqcn=hpcc chunk=4m
for name in fig9 fig4; do
	make_runs "$tmp/$name"
	results_of "$tmp/$name"
	tap_check "$name: plots are drawn" bash "$lib/plot.sh" "$tmp/$name"
	bash "$lib/report.sh" "$tmp/$name" > "$tmp/$name/report.html"
done
plan_of fig7 1 '^(baseline|order),' dcqcn=hpcc
make_runs "$tmp/fig7"
results_of "$tmp/fig7"
# the range of a bar of one seed is an empty series
sed -i '/^plot bars/d' "$tmp/fig7/experiment"
tap_check "fig7: plots are drawn" bash "$lib/plot.sh" "$tmp/fig7"
# 50 messages of 1 MB in 50 intervals, Gbit/s times ms
tap_equal "payload over time adds up to what was sent" 400 \
	"$(awk -F, '{ sum += $2; by = $1 - last; last = $1 } END { printf "%.0f", sum * by }' \
		"$tmp/fig7/plots/goodput.1.csv")"
tap_equal "a distribution of one seed is not drawn" "" "$(find "$tmp" -name 'cdf-*.svg')"
tap_check "titles differ" titles_differ "$tmp/fig4"
tap_check "axes and titles are words" no_variable_names
tap_check "so are those of Documentation" documented_pictures_have_words
tap_check "what can be plotted has words" every_plot_has_words
tap_equal "the table's flows are the picture's" "flow A
flow B" "$(grep -o 'flow[AB]_ms' "$tmp/fig9/table.md" | sed 's/flow\(.\)_ms/flow \1/' | sort -u)"
tap_equal "and the picture's are the table's" "A B" "$(texts "$tmp/fig9/plots/timeline.svg" |
	sed -n 's/^dcqcn flow //p' | grep '[AB]' | sort -u | xargs)"
tap_equal "a page names the variants that were run, and no others" "baseline symphony order" \
	"$(sed -n 's/^<li><b>\(.*\)<\/b>.*/\1/p' "$tmp/fig4/report.html" | xargs)"
tap_check "it says what is scaled down" grep -q 'Scaled down from the paper: number of seeds 1 (there 50)' \
	"$tmp/fig4/report.html"

plan_of fig4 3 '^(baseline|symphony|order),' dcqcn=hpcc
make_runs "$tmp/fig4"
results_of "$tmp/fig4"
rm -rf "$tmp/fig4/plots"
bash "$lib/plot.sh" "$tmp/fig4" > "$tmp/files"
tap_check "a distribution of three seeds is" test -s "$tmp/fig4/plots/cdf-slowdown.svg"
tap_check "titles differ there, too" titles_differ "$tmp/fig4"

tap_check "the demonstration ends" bash "$lib/demo.sh" "$tmp"
bash "$lib/demo.sh" "$tmp" > "$tmp/said"
page=$tmp/report.html
tap_check "no picture is empty" pictures_have_something
tap_equal "the picture of the flows says which is which" "flow A (queue order)
flow A (the paper's marks)
flow A (without symphony)" "$(texts "$tmp/flows.svg" | sed "s/&#39;/'/g" | grep 'flow A' | sort)"
echo 1 1 > "$tmp/point"
gnuplot -e "set terminal svg; set output '$tmp/empty'; plot '$tmp/point' with steps title 'x'" 2> "$tmp/err"
tap_equal "an empty one would be found" "$tmp/empty" "$(not_empty "$tmp/empty")"
tap_check "the page says what the ring gained" \
	grep -q 'at most 9 steps are in flight instead of 10, and the ring gets 10 % faster: 404 to 364 ms' \
	"$page"
tap_check "with order as well" grep -q 'order it is 8 steps, and the ring gets 20 % faster: 404 to 323 ms' \
	"$page"
tap_check "and what the flows did" grep -q 'flow A, the step behind, takes 10 % less: 1010 to 909 ms' "$page"
tap_check "with order as well" grep -q 'order A takes 20 % less: 1010 to 808 ms' "$page"
tap_check "and that it is scaled down" grep -q 'scaled down' "$tmp/said"
tap_equal "it says which page to open" "  file://$page" "$(tail -n 1 "$tmp/said")"
tap_equal "the page begins with the verdict, then one picture, then the rest" \
	"verdict svg further svg" \
	"$(grep -o -E 'class="verdict"|<svg|look further' "$page" | sed 's/.*class="//; s/"//; s/<//; s/look //' | xargs)"

# A summary as the bench makes it, with a quartile far out.
for device in pfifo red red_mark codel fq_codel fq cake symphony sym_red; do
	printf '%s %s 100 1 4.5 5 6 2 3 0\n' alone $device one_by_one $device
done | sed 's/^one_by_one cake.*/one_by_one cake 100 1 150 200 9000 2 3 0/' > "$tmp/summary"
bars_inside()
{
	gnuplot -e "summary='$tmp/summary'; output='$tmp/chart'" "$top/selftests/bench/chart.gp" || return
	# the frame of 9000 ns ends at 10000: its bar is below the upper edge
	texts "$tmp/chart" | grep -q '^ *10000$'
}
tap_check "performance.svg: the axis holds every bar" bars_inside

# Red against green is no difference to one man in twelve.
red_and_green()
{
	grep -o -i '#[0-9a-f]\{6\}\b\|#[0-9a-f]\{3\}\b' "$1" | sort -u | awk '
	function hex(s,	i, n)
	{
		for (i = 1; i <= length(s); i++)
			n = n * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
		return n
	}
	{
		s = length($0) == 4 ? substr($0, 2, 1) substr($0, 2, 1) substr($0, 3, 1) \
			substr($0, 3, 1) substr($0, 4, 1) substr($0, 4, 1) : substr($0, 2)
		r = hex(substr(s, 1, 2)); g = hex(substr(s, 3, 2)); b = hex(substr(s, 5, 2))
		if (g > r + 40 && g > b + 40)
			green = $0
		if (r > g + 70 && b > g - 40)
			red = $0
	}
	END { print red, green; exit !(red != "" && green != "") }'
}
tap_result "$(red_and_green "$top/Documentation/symphony.svg" > "$tmp/colours" && echo 1 || echo 0)" \
	"symphony.svg does not tell by red and green"
echo '#8fc98f #f2a6a6' > "$tmp/old"
tap_check "which would be found" red_and_green "$tmp/old"
tap_done
