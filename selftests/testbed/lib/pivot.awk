# SPDX-License-Identifier: GPL-2.0
#
# awk -f pivot.awk -v metric=NAME experiment summary.csv: a metric with a column
# for each variant and a line for each combination of swept values: the median
# over the seeds and its difference from the first variant. Markdown, or
# reStructuredText with -v rst=1.

FILENAME ~ /experiment$/ {
	if ($1 == "sweeps") {
		nr_sweeps = NF - 1
		for (i = 1; i <= nr_sweeps; i++)
			sweep[i] = $(i + 1)
	}
	next
}

FNR == 1 { FS = ","; $0 = $0 }

$(nr_sweeps + 2) == metric {
	row = ""
	for (i = 1; i <= nr_sweeps; i++)
		row = row (i > 1 ? "," : "") $(i + 1)
	if (!(row in seen_row)) {
		seen_row[row] = 1
		rows[++nr_rows] = row
	}
	if (!($1 in seen_variant)) {
		seen_variant[$1] = 1
		variants[++nr_variants] = $1
	}
	median[row, $1] = $(nr_sweeps + 6)
}

function put(text)
{
	cells[++nr_cells] = text
	column = (nr_cells - 1) % (nr_sweeps + nr_variants) + 1
	if (length(text) > width[column])
		width[column] = length(text)
}

function rule(	i, line, dashes)
{
	for (i = 1; i <= nr_sweeps + nr_variants; i++) {
		dashes = sprintf("%" width[i] "s", "")
		gsub(/ /, rst ? "=" : "-", dashes)
		line = line (i > 1 ? (rst ? "  " : "|") : rst ? "" : "|") dashes
	}
	print line (rst ? "" : "|")
}

function emit(r,	i, line, n)
{
	n = nr_sweeps + nr_variants
	for (i = 1; i <= n; i++)
		line = line (i > 1 ? (rst ? "  " : " | ") : rst ? "" : "| ") \
		       sprintf("%-" width[i] "s", cells[(r - 1) * n + i])
	if (rst)
		sub(/ +$/, "", line)
	print line (rst ? "" : " |")
}

END {
	for (i = 1; i <= nr_sweeps; i++)
		put(sweep[i])
	for (v = 1; v <= nr_variants; v++)
		put(variants[v])
	for (r = 1; r <= nr_rows; r++) {
		split(rows[r], part, ",")
		for (i = 1; i <= nr_sweeps; i++)
			put(part[i])
		base = median[rows[r], variants[1]]
		for (v = 1; v <= nr_variants; v++) {
			x = median[rows[r], variants[v]]
			if (x == "")
				put("-")
			else if (v == 1 || base == "" || base == 0)
				put(sprintf("%.4g", x))
			else
				put(sprintf("%.4g (%+.0f %%)", x, (x / base - 1) * 100))
		}
	}
	if (rst)
		rule()
	emit(1)
	rule()
	for (r = 2; r <= nr_rows + 1; r++)
		emit(r)
	if (rst)
		rule()
}
