#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# plot.sh DIR: draw what DIR/experiment asks for from DIR/summary.csv,
# DIR/results.csv and the runs' records, as SVG and PNG. Prints their names.

set -euo pipefail
lib=$(cd "$(dirname "$0")" && pwd)
dir=$1
cd "$dir"

# 1 + sweeps columns name a line of the CSV files.
names=$(awk '$1 == "sweeps" { print NF }' experiment)
tab=$(printf '\t')
title=$(sed -n 's/^title //p' experiment)
mkdir -p plots

# What a metric or parameter is, in words; its name if there are none.
words_of()
{
	awk -F '\t' -v name="$1" '$1 == name { text = $2 } END { print text == "" ? name : text }' \
		"$lib/words"
}

# What the picture at hand is of: columns and their values, words for its file's
# name and its title.
each=
want=
suffix=
subtitle=

# of_picture FILE [X]: its lines for this picture, the name of their series first.
of_picture()
{
	awk -v names="$names" -v each="$each" -v want="$want" -v x="${2:-0}" \
		-f "$lib/series.awk" "$1" "$1"
}

# The column of a swept parameter or of "variant".
column_of()
{
	awk -v key="$1" '$1 == "sweeps" { $1 = "variant"; for (i = 1; i <= NF; i++) if ($i == key) print i }' experiment
}

# of_metric METRIC FILE COLUMN [X]: lines of a metric, which is in this column.
of_metric()
{
	of_picture "$2" "${4:-0}" | awk -F "[,\t]" -v metric="$1" -v column="$3" '$(column + 1) == metric'
}

# draw NAME TITLE XLABEL YLABEL SETTINGS PLOTS [SIZE]
draw()
{
	local name=$1$suffix terminal heading=$2$subtitle

	shift
	local size=${6:-900,500}

	if [ -z "$5" ]; then
		echo "plot $name: no run has such a value" >&2
		return 0
	fi

	{
		printf 'set title "%s\\n%s" noenhanced\n' "${heading^}" "$title"
		echo "set xlabel \"$2\" noenhanced; set ylabel \"$3\" noenhanced"
		echo "set grid lc rgb '#dddddd'; set border 3; set tics nomirror"
		echo "set key outside right top noenhanced; set datafile separator ','"
		echo "set linetype 1 lc rgb '#d55e00' lw 2; set linetype 2 lc rgb '#0072b2' lw 2"
		echo "set linetype 3 lc rgb '#009e73' lw 2; set linetype 4 lc rgb '#cc79a7' lw 2"
		echo "set linetype 5 lc rgb '#e69f00' lw 2; set linetype 6 lc rgb '#56b4e9' lw 2"
		echo "set linetype 7 lc rgb '#000000' lw 2; set linetype 8 lc rgb '#999999' lw 2"
		echo "set linetype 9 lc rgb '#7a4b12' lw 2; set linetype 10 lc rgb '#b0c400' lw 2"
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
	local metric=$1 key=$2 log=${3:-} column plots="" n=0 name line unit

	column=$(column_of "$key")
	unit=$(awk -F, -v x="$column" '{ sub(/^[-+.0-9]+/, "", $x); print $x; exit }' summary.csv)
	name=$metric-by-$key$suffix
	if [ "$(awk -F, -v x="$column" '!seen[$x]++ { n++ } END { print n }' summary.csv)" -lt 2 ]; then
		return 0
	fi
	of_metric "$metric" summary.csv $((names + 1)) "$column" > plots/lines
	while read -r line; do
		n=$((n + 1))
		awk -F "[,\t]" -v OFS=, -v names="$names" -v column="$column" -v want="$line" '
		$1 == want {
			x = $(column + 1)
			sub(/[a-z%]+$/, "", x)
			print x, $(names + 6), $(names + 4), $(names + 8)
		}' plots/lines | sort -t, -g > "plots/$name.$n.csv"
		plots+="${plots:+, }'plots/$name.$n.csv' with yerrorlines title \"$line\" lt $n pt 7 ps .6"
	done < <(cut -f 1 plots/lines | awk '!seen[$0]++')
	paper_points "$metric" "$key" > "plots/$name.paper.csv"
	if [ -s "plots/$name.paper.csv" ]; then
		plots+="${plots:+, }'plots/$name.paper.csv' using 1:2:3 with labels point pt 2 ps 1.5 lc rgb '#000000' offset 0,-1 noenhanced title 'paper'"
	fi
	draw "$metric-by-$key" "$(words_of "$metric") by $(words_of "$key")" \
		"$(words_of "$key")${unit:+, $unit}" "$(words_of "$metric")" "set yrange [0:*]${log:+; set logscale x; set format x '%g'}" "$plots"
}

# The swept parameters that differ within a picture, in words.
words_of_groups()
{
	local key column text=""

	while read -r key; do
		column=$(column_of "$key")
		if [[ " $each " != *" $column "* ]] &&
		   [ "$(cut -d , -f "$column" summary.csv | sort -u | wc -l)" -gt 1 ]; then
			text+="${text:+, }$(words_of "$key")"
		fi
	done < <(sed -n 's/^sweeps //p' experiment | tr ' ' '\n')
	echo "$text"
}

# Variants alone: each has its place and name on the axis.
name_by_variant()
{
	awk -F "[,\t]" '{ sub(/^[^,\t]*\t/, $2 "\t"); sub(/\t[^,\t]*/, "\t") } 1' "$1" > plots/names
	mv plots/names "$1"
}

# The fluid bound of each group of bars, as a line over all of it.
bound_of_groups()
{
	awk -F "[,\t]" -v OFS=, -v names="$names" '
	FNR == NR {
		if (!($1 in group))
			group[$1] = ++groups
		if (!seen[$2]++)
			variants++
		next
	}
	($1 in group) && !($1 in done) {
		done[$1] = 1
		print (group[$1] - 1) * (variants + 1) + 0.5, $(names + 6), variants
	}' plots/lines plots/bound
}

# Bars of the variants side by side, a group for the rest of what differs.
plot_bars()
{
	local metric=$1 name=$1$suffix bars tics plots="" n=0 line xlabel

	of_metric "$metric" summary.csv $((names + 1)) 1 > plots/lines
	of_metric fluid_order summary.csv $((names + 1)) 1 > plots/bound
	bars=$(wc -l < plots/lines)
	if ! grep -q "^[^$tab]" plots/lines; then
		name_by_variant plots/lines
		name_by_variant plots/bound
		xlabel=variant
	else
		xlabel=$(words_of_groups)
	fi
	tics=$(awk -F "[,\t]" '
	!($1 in group) { group[$1] = ++groups; label[groups] = $1 }
	!seen[$2]++ { variants++ }
	END {
		for (i = 1; i <= groups; i++)
			printf "%s\"%s\" %g", (i > 1 ? ", " : ""), label[i],
				(i - 1) * (variants + 1) + (variants + 1) / 2
	}' plots/lines)
	while read -r line; do
		n=$((n + 1))
		awk -F "[,\t]" -v OFS=, -v names="$names" -v want="$line" '
		!($1 in group) { group[$1] = ++groups }
		!($2 in variant) { variant[$2] = ++variants }
		$2 == want { place[++n] = group[$1]; value[n] = $(names + 6) OFS $(names + 4) OFS $(names + 8) }
		END {
			for (i = 1; i <= n; i++)
				print (place[i] - 1) * (variants + 1) + variant[want], value[i]
		}' plots/lines > "plots/$name.$n.csv"
		plots+="${plots:+, }'plots/$name.$n.csv' using 1:2 with boxes lt $n title \"$line\""
		plots+=", '' using 1:3:(0):(\$4-\$3) with vectors nohead lt 7 lw 1 notitle"
	done < <(awk -F "[,\t]" '!seen[$2]++ { print $2 }' plots/lines)
	if [ "$metric" = slowdown ] && [ -s plots/bound ]; then
		bound_of_groups > "plots/$name.bound.csv"
		plots+=", 'plots/$name.bound.csv' using 1:2:3:(0) with vectors nohead lt 7 lw 2 dt 2 title 'fluid in order'"
	fi
	draw "$metric" "$(words_of "$metric")" "$xlabel" "$(words_of "$metric")" \
		"set style fill solid .6; set boxwidth .9; set yrange [0:*]; set xtics rotate by -35 noenhanced ($tics); set rmargin 18$([ $n -gt 1 ] || echo '; unset key')" \
		"$plots" "$((bars > 25 ? bars * 16 + 500 : 900)),560"
}

plot_cdf()
{
	local metric=$1 name=cdf-$1$suffix plots="" n=0 line settings="" value

	# One run is no distribution.
	[ "$(sed -n 's/^seeds //p' experiment)" -gt 1 ] || return 0
	of_metric "$metric" results.csv $((names + 2)) > plots/lines
	while read -r line; do
		n=$((n + 1))
		awk -F "[,\t]" -v want="$line" '$1 == want { print $NF }' plots/lines | sort -g |
			awk '{ x[NR] = $1 } END { for (i = 1; i <= NR; i++) print x[i] "," i / NR }' \
			> "plots/$name.$n.csv"
		plots+="${plots:+, }'plots/$name.$n.csv' with steps title \"$line\" lt $n"
	done < <(cut -f 1 plots/lines | awk '!seen[$0]++')
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
	draw "cdf-$metric" "$(words_of "$metric") over the seeds" "$(words_of "$metric")" "share of the runs" "set yrange [0:1.02]$settings" "$plots"
}

# Directories of the runs of the first seed and the names of their series.
first_runs()
{
	awk -F "\t" -v OFS="\t" '{ print $2, $1 }' plan > plots/runs
	of_picture plots/runs | awk -F "\t" -v OFS="\t" '{
		n = split($2, part, ",")
		if (part[n] == 1)
			print $3, $1
	}'
}

plot_steps()
{
	local plots="" n=0 path label

	while IFS=$tab read -r path label; do
		n=$((n + 1))
		[ -s "$path/steps" ] || continue
		# Thin out: 700 points a line are enough for the eye.
		awk -F, 'NR > 1 { t[++n] = $1; x[n] = $5 } END {
			by = int(n / 700) + 1
			for (i = 1; i <= n; i += by) {
				top = 0
				for (j = i; j < i + by && j <= n; j++)
					if (x[j] > top)
						top = x[j]
				print t[i] / 1e6 "," top
			}
		}' "$path/steps" > "plots/steps$suffix.$n.csv"
		plots+="${plots:+, }'plots/steps$suffix.$n.csv' with steps title \"$label\" lt $n"
	done < <(first_runs)
	draw steps "steps in flight over time" "time, ms" "steps in flight (seed 1)" "set yrange [0:*]" "$plots"
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
		}' "$path/flows" > "plots/rate$suffix.$n.csv"
		plots+="${plots:+, }'plots/rate$suffix.$n.csv' with linespoints title \"$label\" lt $n pt 7 ps .5"
	done < <(first_runs)
	draw rate "speed of the ring over time" "time, ms" "steps completed a ms (seed 1)" "set yrange [0:*]" "$plots"
}

# Payload of all jobs over time, in fiftieths of the run: a message's bytes evenly
# from its post to its last ACK.
plot_goodput()
{
	local plots="" n=0 path label

	while IFS=$tab read -r path label; do
		n=$((n + 1))
		[ -s "$path/flows" ] || continue
		awk -F, '
		NR > 1 && $1 > 0 {
			start[++n] = $8; end[n] = $9; bytes[n] = $10
			if ($9 > last)
				last = $9
		}
		END {
			bin = last / 50
			for (i = 1; i <= n; i++)
				for (b = int(start[i] / bin); b < 50 && b * bin < end[i]; b++) {
					from = start[i] > b * bin ? start[i] : b * bin
					to = end[i] < (b + 1) * bin ? end[i] : (b + 1) * bin
					sent[b] += bytes[i] * (to - from) / (end[i] - start[i])
				}
			for (b = 0; b < 50; b++)
				print (b + 0.5) * bin / 1e6 "," sent[b] * 8 / bin
		}' "$path/flows" > "plots/goodput$suffix.$n.csv"
		plots+="${plots:+, }'plots/goodput$suffix.$n.csv' with lines title \"$label\" lt $n"
	done < <(first_runs)
	draw goodput "payload of all jobs over time" "time, ms" "Gbit/s (seed 1)" "set yrange [0:*]" "$plots"
}

# Bars from start to end of each flow, under the names that metrics.awk gives them.
plot_timeline()
{
	local path label rows=0

	: > plots/timeline.csv
	while IFS=$tab read -r path label; do
		[ -s "$path/flows" ] || continue
		sed 1d "$path/flows" | sort -t, -s -k5,5n |
			awk -F, -v OFS=, -v rows="$rows" -v label="$label" '{
				n++
				print $8 / 1e6, $9 / 1e6, -(rows + n), n,
					label " flow " substr("ABCDEFGH", n, 1)
			}' >> plots/timeline.csv
		rows=$(wc -l < plots/timeline.csv)
	done < <(first_runs)
	draw timeline "when each flow sends" "time, ms" "" \
		"unset key; set xrange [0:*]; set yrange [-$rows - 1:0]; set lmargin 34" \
		"'plots/timeline.csv' using 1:3:(\$2-\$1):(0):4:ytic(5) with vectors nohead lw 8 lc variable" \
		"900,$((rows * 16 + 120))"
}

# plot_each KEYS KIND ARGUMENT...: a picture for each combination of the values of
# these parameters. A parameter of one value is left out of the file's name.
plot_each()
{
	local keys=$1 kind=$2 key column

	shift 2
	each=
	for key in $keys; do
		column=$(column_of "$key")
		if [ "$(cut -d , -f "$column" summary.csv | sort -u | wc -l)" -gt 1 ]; then
			each+="${each:+ }$column"
		fi
	done
	while read -r want; do
		suffix=${want:+-${want// /-}}
		subtitle=${want:+, ${want// /, }}
		"plot_$kind" "$@"
	done < <(awk -F, -v each="$each" '{
		n = split(each, column, " ")
		here = ""
		for (i = 1; i <= n; i++)
			here = here (i > 1 ? " " : "") $column[i]
		if (!seen[here]++)
			print here
	}' summary.csv)
}

while read -r line; do
	keys=
	[[ $line != *" each "* ]] || keys=${line##* each }
	# shellcheck disable=SC2086  # words of the description
	plot_each "$keys" ${line%% each *}
done < <(sed -n 's/^plot //p' experiment)
rm -f plots/lines plots/bound plots/runs
