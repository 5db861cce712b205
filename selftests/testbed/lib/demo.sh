#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh DIR: what the demonstration in DIR/fig9 and DIR/fig4 came to, for the
# terminal, and as a page in DIR/report.html: a verdict, a picture, where to look
# further.

set -euo pipefail
lib=$(cd "$(dirname "$0")" && pwd)
dir=$1
cd "$dir"

says()
{
	awk -v part="$1" -f "$lib/demo.awk" fig9/experiment fig9/summary.csv fig4/experiment \
		fig4/summary.csv
}

escape()
{
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
}

# Records of the runs, by where they lie: the plan names each run's directory.
run_of()
{
	awk -F '\t' -v variant="$2" 'index($2, variant ",") == 1 { print $1; exit }' "$1/plan"
}

# What the demonstration compares, by experiment, and how it is called.
ring_variants="baseline symphony order"
flow_variants="dcqcn symphony order"

called()
{
	case $1 in
	symphony)	echo "the paper's marks" ;;
	order)		echo "queue order" ;;
	*)		echo "without symphony" ;;
	esac
}

colours="set linetype 1 lc rgb '#d55e00' lw 2; set linetype 2 lc rgb '#0072b2' lw 2
set linetype 3 lc rgb '#000000' lw 2
set border 3; set tics nomirror; set grid lc rgb '#dddddd'"

# The largest number of steps in flight in each of 600 slices of time, in ms.
steps_of()
{
	awk -F, 'NR > 1 { t[++n] = $1; x[n] = $5 } END {
		by = int(n / 600) + 1
		for (i = 1; i <= n; i += by) {
			top = 0
			for (j = i; j < i + by && j <= n; j++)
				if (x[j] > top)
					top = x[j]
			print t[i] / 1e6, top
		}
	}' "$1/steps"
}

# The ring's steps in flight over time, a line each.
draw_ring()
{
	local variant plots=

	for variant in $ring_variants; do
		steps_of "$(run_of fig4 "$variant")" > "steps.$variant"
		plots+="${plots:+, }'steps.$variant' with steps title \"$(called "$variant")\""
	done
	gnuplot <<-END
		set terminal svg size 900,420 dynamic background '#ffffff' font 'sans-serif,13'
		set output 'ring.svg'
		set title 'A ring all-reduce of 32 hosts: how far its steps drift apart'
		set xlabel 'time since the start, ms'
		set ylabel 'steps in flight at the same time'
		set yrange [0:*]; set xrange [0:*]; set key top right
		$colours
		plot $plots
	END
	rm steps.*
}

# When each of the two flows sends, a bar each.
draw_flows()
{
	local variant row=0 colour=0

	for variant in $flow_variants; do
		colour=$((colour + 1))
		sed 1d "$(run_of fig9 "$variant")/flows" | sort -t, -s -k5,5n |
			awk -F, -v OFS=, -v row=$row -v name="$(called "$variant")" -v colour=$colour '{
				print $8 / 1e6, ($9 - $8) / 1e6, -(row + NR), colour,
					"flow " substr("AB", NR, 1) " (" name ")"
			}'
		row=$((row + 3))
	done > bars
	gnuplot <<-END
		set terminal svg size 900,340 dynamic background '#ffffff' font 'sans-serif,13'
		set output 'flows.svg'
		set datafile separator ','
		set title 'Two flows through one port: when each of them sends'
		set xlabel 'time since the start, ms'
		set xrange [0:*]; set yrange [-8.8:-0.2]; unset key
		set lmargin 28
		$colours
		plot 'bars' using 1:3:2:(0):4:ytic(5) with vectors nohead lw 12 lc variable
	END
	rm bars
}

# A picture without what only a file of its own needs, and with ids of its own.
inline()
{
	sed -e '/<?xml/d; /<!DOCTYPE/,/>/d; /<title>Gnuplot</d; /<desc>/d' -e "s/gnuplot_/$1_/g; s/\\bgp\\(Dot\\|Pt\\)/$1_&/g" "$1.svg"
}

page()
{
	cat <<-'END'
		<!DOCTYPE html>
		<html lang="en"><head><meta charset="utf-8"><title>Symphony: the demonstration</title>
		<style>
		body { font: 16px/1.5 sans-serif; max-width: 58em; margin: 2em auto; padding: 0 1em; color: #222 }
		.verdict { font-size: 1.2em }
		pre { background: #f6f6f6; padding: .6em 1em; overflow-x: auto }
		svg { max-width: 100%; height: auto }
		</style></head><body>
		<h1>Symphony: the demonstration</h1>
	END
	echo '<div class="verdict">'
	echo "<p><b>A ring of 32 hosts.</b> $(says ring_verdict | escape)</p>"
	echo "<p><b>Two flows through one port.</b> $(says flows_verdict | escape)</p>"
	echo '</div>'
	inline ring
	echo '<h2>Where to look further</h2>'
	echo '<h3>The ring in numbers</h3>'
	echo "<pre>$(says ring | escape)</pre>"
	echo '<h3>Two flows, the simplest case</h3>'
	echo '<p>Flow A is step 1 and begins at 500 ms, flow B is step 2 and begins at 1000 ms.'
	echo 'The paper'"'"'s marks slow down B, the step ahead, so that A, which all wait for, gets the'
	echo 'link; queue order serves A first.</p>'
	echo "<pre>$(says flows | escape)</pre>"
	inline flows
	echo '<h3>Why the paper has other figures</h3>'
	echo "<p>$(says paper | escape)"
	echo "$(why_other_figures | escape)</p>"
	echo '<h3>More</h3><ul>'
	echo '<li><a href="fig4/report.html">fig4/report.html</a> and'
	echo '<a href="fig9/report.html">fig9/report.html</a>: all metrics and pictures of these runs,'
	echo 'and the parameters</li>'
	echo '<li><code>scripts/testbed run fig4</code>: more seeds, more variants;'
	echo '<code>make reproduce</code>: all experiments</li>'
	echo '<li>Documentation/evaluation.rst: all results, also those where symphony loses;'
	echo 'Documentation/testbed.rst: what is real and what is modelled</li>'
	echo '</ul></body></html>'
}

why_other_figures()
{
	cat <<-END
		This run is scaled down: one run of steps of 4 MB instead of 50 runs of steps of
		8 MB. Besides, the paper does not give the DCQCN parameters of its network cards, nor
		how its rings lie in the racks; both decide how large the figures are.
		Documentation/evaluation.rst has the full sizes beside the paper's figures.
	END
}

draw_ring
draw_flows
page > report.html
echo
echo "A ring all-reduce of 32 hosts: $(says ring_verdict)" | fold -s -w 90
echo
says ring
echo
echo "Two flows through one port, A half a second before B: $(says flows_verdict)" |
	fold -s -w 90
echo
says flows
echo
says paper | fold -s -w 90
why_other_figures
echo
echo "Pictures and where to look further: open this page in a browser:"
echo "  file://$dir/report.html"
