#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report.sh DIR...: one HTML page without outside references on the results of
# experiments, on standard output.

set -euo pipefail

escape()
{
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
}

html_table()
{
	escape | awk -F ' *\\| *' '
	NR == 2 { next }
	{
		tag = NR == 1 ? "th" : "td"
		line = "<tr>"
		for (i = 2; i < NF; i++)
			line = line "<" tag ">" $i "</" tag ">"
		print line "</tr>"
	}
	BEGIN { print "<table>" }
	END { print "</table>" }'
}

# What the variants are that were run.
variants()
{
	sed -n 's/^what //p' "$1" | escape | awk '{
		name = $1
		sub(/^[^ ]+ /, "")
		text = text "<li><b>" name "</b>: " $0 "</li>\n"
	}
	END { if (text != "") print "<ul>\n" text "</ul>" }'
}

# What is smaller than in the paper.
scaled()
{
	awk '$1 == "scaled" { text = text (text == "" ? "" : ", ") $2 " " $3 " (there " $4 ")" }
	END {
		if (text != "")
			print "<p>Scaled down from the paper: " text ". Figures differ from the" \
				" paper\047s for that, too; <code>--full</code> runs its sizes.</p>"
	}' "$1" | sed 's/seeds \([0-9]*\)/number of seeds \1/'
}

cat <<-'END'
	<!DOCTYPE html>
	<html lang="en"><head><meta charset="utf-8"><title>Symphony: testbed results</title>
	<style>
	body { font: 15px/1.45 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }
	table { border-collapse: collapse; margin: 1em 0; font-size: 13px }
	th, td { border: 1px solid #ccc; padding: .2em .6em; text-align: left }
	th { background: #f2f2f2 }
	code, pre { background: #f6f6f6 }
	svg { max-width: 100%; height: auto }
	</style></head><body>
	<h1>Symphony: testbed results</h1>
	<p>Medians over the seeds, the range in brackets. The definitions of the metrics
	are in Documentation/testbed.rst.</p>
END
for dir; do
	name=${dir##*/}
	echo "<h2 id=\"$name\">$name: $(sed -n 's/^title //p' "$dir/experiment" | escape)</h2>"
	sed -n 's/^about //p' "$dir/experiment" | escape | sed '1s/^/<p>/; $s/$/<\/p>/'
	variants "$dir/experiment"
	scaled "$dir/experiment"
	echo "<p>Seeds: $(sed -n 's/^seeds //p' "$dir/experiment"). Command: <code>$(escape < "$dir/command-line")</code></p>"
	for table in "$dir"/pivot-*.md; do
		[ -e "$table" ] || continue
		table_name=$(basename "$table" .md)
		echo "<h3>${table_name#pivot-}</h3>"
		html_table < "$table"
	done
	echo "<h3>all metrics</h3>"
	html_table < "$dir/table.md"
	for plot in "$dir"/plots/*.svg; do
		[ -e "$plot" ] || continue
		# Names inside a plot must not meet those of another on the page.
		sed -e '/<?xml/d; /<!DOCTYPE/,/>/d; /<title>Gnuplot</d; /<desc>/d' -e "s/gnuplot_/${name}_$(basename "$plot" .svg)_/g" "$plot"
	done
	echo "<details><summary>Parameters</summary><pre>"
	sed -n 's/^parameter //p' "$dir/experiment" | escape
	echo "</pre></details>"
done
echo "</body></html>"
