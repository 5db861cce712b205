#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# plot.sh DIR: draw what DIR/experiment asks for from DIR/summary.csv,
# DIR/results.csv and the runs' records, as SVG and PNG. Prints their names.

set -euo pipefail
dir=$1
cd "$dir"

# 1 + sweeps columns name a line of the CSV files.
names=$(awk '$1 == "sweeps" { print NF }' experiment)
tab=$(printf '\t')
title=$(sed -n 's/^title //p' experiment)
mkdir -p plots

# Lines of a plot, one a distinct set of names but for the column given.
series()
{
	awk -F, -v names="$names" -v without="${1:-0}" '{
		key = ""
		for (i = 1; i <= names; i++)
			if (i != without)
				key = key (key == "" ? "" : " ") $i
		if (!seen[key]++)
			print key
	}' "$2"
}

# draw NAME XLABEL YLABEL SETTINGS PLOTS [SIZE]
draw()
{
	local name=$1 terminal size=${6:-900,500}

	if [ -z "$5" ]; then
		echo "plot $name: no run has such a value" >&2
		return 0
	fi

	{
		echo "set title \"$title\" noenhanced"
		echo "set xlabel \"$2\" noenhanced; set ylabel \"$3\" noenhanced"
		echo "set grid lc rgb '#dddddd'; set border 3; set tics nomirror"
		echo "set key outside right top noenhanced; set datafile separator ','"
		echo "set linetype 1 lc rgb '#d55e00' lw 2; set linetype 2 lc rgb '#0072b2' lw 2"
		echo "set linetype 3 lc rgb '#009e73' lw 2; set linetype 4 lc rgb '#cc79a7' lw 2"
		echo "set linetype 5 lc rgb '#e69f00' lw 2; set linetype 6 lc rgb '#56b4e9' lw 2"
		echo "set linetype 7 lc rgb '#000000' lw 2; set linetype 8 lc rgb '#999999' lw 2"
		echo "$4"
		echo "plot $5"
	} > "plots/$name.gp"
	for terminal in "svg size $size dynamic background '#ffffff'" "pngcairo size $size"; do
		{
			echo "set terminal $terminal"
			echo "set output 'plots/$name.${terminal%%[ c]*}'"
			cat "plots/$name.gp"
		} | gnuplot
	done
	echo "$dir/plots/$name.svg"
	echo "$dir/plots/$name.png"
}

# The paper's figures for a metric as points (x value) of a variant.
paper_points()
{
	awk -v metric="$1" -v key="$2" '
	$1 == "paper" && $2 == metric {
		for (i = 5; i <= NF; i++)
			if (index($i, key "=") == 1) {
				x = substr($i, length(key) + 2)
				sub(/[a-z%]+$/, "", x)
				print x "," $3 "," $4
			}
	}' experiment
}

plot_sweep()
{
	local metric=$1 key=$2 log=${3:-} column plots="" n=0 name line

	column=$(awk -v key="$key" '$1 == "sweeps" { for (i = 2; i <= NF; i++) if ($i == key) print i }' experiment)
	name=$metric-by-$key
	if [ "$(awk -F, -v x="$column" '!seen[$x]++ { n++ } END { print n }' summary.csv)" -lt 2 ]; then
		return 0
	fi
	while read -r line; do
		n=$((n + 1))
		awk -F, -v OFS=, -v names="$names" -v without="$column" -v want="$line" -v metric="$metric" '
		$(names + 1) == metric {
			key = ""
			for (i = 1; i <= names; i++)
				if (i != without)
					key = key (key == "" ? "" : " ") $i
			x = $without
			sub(/[a-z%]+$/, "", x)
			if (key == want)
				print x, $(names + 5), $(names + 3), $(names + 7)
		}' summary.csv | sort -t, -g > "plots/$name.$n.csv"
		[ -s "plots/$name.$n.csv" ] || continue
		plots+="${plots:+, }'plots/$name.$n.csv' with yerrorlines title \"$line\" lt $n pt 7 ps .6"
	done < <(series "$column" summary.csv)
	paper_points "$metric" "$key" > "plots/$name.paper.csv"
	if [ -s "plots/$name.paper.csv" ]; then
		plots+="${plots:+, }'plots/$name.paper.csv' using 1:2:3 with labels point pt 2 ps 1.5 lc rgb '#000000' offset 0,-1 noenhanced title 'paper'"
	fi
	draw "$name" "$key" "$metric" "set yrange [0:*]${log:+; set logscale x}" "$plots"
}

plot_bars()
{
	local metric=$1

	awk -F, -v names="$names" -v metric="$metric" '
	$(names + 1) == metric {
		key = $1
		for (i = 2; i <= names; i++)
			key = key " " $i
		print ++n "," key "," $(names + 5) "," $(names + 3) "," $(names + 7)
	}' summary.csv > "plots/$metric.csv"
	draw "$metric" "" "$metric" \
		"set style fill solid .6; set boxwidth .7; set yrange [0:*]; set xtics rotate by -35 noenhanced; unset key" \
		"'plots/$metric.csv' using 1:3:xtic(2) with boxes lt 2, '' using 1:3:4:5 with yerrorbars lt 7 pt 0" \
		"$(($(wc -l < "plots/$metric.csv") * 14 + 400)),560"
}

plot_cdf()
{
	local metric=$1 plots="" n=0 line settings="" value

	while read -r line; do
		n=$((n + 1))
		awk -F, -v names="$names" -v want="$line" -v metric="$metric" '
		$(names + 2) == metric {
			key = $1
			for (i = 2; i <= names; i++)
				key = key " " $i
			if (key == want)
				print $NF
		}' results.csv | sort -g |
			awk '{ x[NR] = $1 } END { for (i = 1; i <= NR; i++) print x[i] "," i / NR }' \
			> "plots/cdf-$metric.$n.csv"
		[ -s "plots/cdf-$metric.$n.csv" ] || continue
		plots+="${plots:+, }'plots/cdf-$metric.$n.csv' with steps title \"$line\" lt $n"
	done < <(series 0 summary.csv)
	# A range a-b of the paper: both ends as lines.
	while read -r line value; do
		settings+="; set arrow from $value, graph 0 to $value, graph 1 nohead dt 2 lc rgb '#555555'"
		settings+="; set label \"paper: $line\" at $value, graph .02 rotate left font ',8' noenhanced"
		settings+="; set xrange [0:$value<*]"
	done < <(awk -v metric="$metric" '$1 == "paper" && $2 == metric {
			n = split($3, part, "-")
			for (i = 1; i <= n; i++)
				print $4, part[i]
		}' experiment | sort -k 2 -g)
	draw "cdf-$metric" "$metric" "share of the runs" "set yrange [0:1.02]$settings" "$plots"
}

# Records of the runs of the first seed.
first_runs()
{
	awk -F "\t" '{
		n = split($2, part, ",")
		label = part[1]
		for (i = 2; i < n; i++)
			label = label " " part[i]
		if (part[n] == 1)
			print $1 "\t" label
	}' plan
}

plot_steps()
{
	local plots="" n=0 path label

	while IFS=$tab read -r path label; do
		n=$((n + 1))
		[ -s "$path/steps" ] || continue
		# Thin out: 2000 points a line are enough for the eye.
		awk -F, 'NR > 1 { t[++n] = $1; x[n] = $5 } END {
			by = int(n / 2000) + 1
			for (i = 1; i <= n; i += by) {
				top = 0
				for (j = i; j < i + by && j <= n; j++)
					if (x[j] > top)
						top = x[j]
				print t[i] / 1e6 "," top
			}
		}' "$path/steps" > "plots/steps.$n.csv"
		plots+="${plots:+, }'plots/steps.$n.csv' with steps title \"$label\" lt $n"
	done < <(first_runs)
	draw steps "time, ms" "steps in flight (seed 1)" "set yrange [0:*]" "$plots"
}

# How fast steps complete: steps a ms over the time, in groups of a tenth.
plot_rate()
{
	local plots="" n=0 path label

	while IFS=$tab read -r path label; do
		n=$((n + 1))
		[ -s "$path/flows" ] || continue
		awk -F, 'NR > 1 && $1 > 0 { if ($9 > end[$4]) end[$4] = $9; if ($4 > last) last = $4 } END {
			by = int(last / 12) + 1
			for (s = by; s <= last; s += by)
				if (end[s] > end[s - by])
					print end[s] / 1e6 "," by * 1e6 / (end[s] - end[s - by])
		}' "$path/flows" > "plots/rate.$n.csv"
		plots+="${plots:+, }'plots/rate.$n.csv' with linespoints title \"$label\" lt $n pt 7 ps .5"
	done < <(first_runs)
	draw rate "time, ms" "steps completed a ms (seed 1)" "set yrange [0:*]" "$plots"
}

# Bars from start to end of each flow.
plot_timeline()
{
	local path label rows=0

	: > plots/timeline.csv
	while IFS=$tab read -r path label; do
		[ -s "$path/flows" ] || continue
		awk -F, -v OFS=, -v rows="$rows" -v label="$label" 'NR > 1 {
			printf "%s,%s,%s,%s,%s flow %s\n", $8 / 1e6, $9 / 1e6, -(rows + ++n), $5, label, substr("ABCDEFGH", $5 + 1, 1)
		}' "$path/flows" >> plots/timeline.csv
		rows=$(wc -l < plots/timeline.csv)
	done < <(first_runs)
	draw timeline "time, ms" "" \
		"unset key; set xrange [0:*]; set yrange [-$rows - 1:0]; set lmargin 34" \
		"'plots/timeline.csv' using 1:3:(\$2-\$1):(0):(\$4+1):ytic(5) with vectors nohead lw 8 lc variable" \
		"900,$((rows * 16 + 120))"
}

while read -r kind arguments; do
	# shellcheck disable=SC2086  # words of the description
	plot_"$kind" $arguments
done < <(sed -n 's/^plot //p' experiment)
