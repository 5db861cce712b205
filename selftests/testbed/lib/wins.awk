# SPDX-License-Identifier: GPL-2.0
#
# awk -f grid.awk -f wins.awk -v metric=NAME experiment results.csv: a metric with a column for
# each variant and a line for each combination of swept values: the median over the
# seeds, the range, and behind a comma in how many of the seeds it is smaller than in
# the first column with the same seed, of how many. Markdown, or reStructuredText
# with -v rst=1.

FILENAME ~ /experiment$/ {
	if ($1 == "sweeps") {
		nr_sweeps = NF - 1
		for (i = 1; i <= nr_sweeps; i++)
			sweep[i] = $(i + 1)
	}
	next
}

FNR == 1 { FS = ","; $0 = $0 }

$(NF - 1) == metric {
	row = ""
	for (i = 2; i <= nr_sweeps + 1; i++)
		row = row (i > 2 ? "," : "") $i
	if (!(row in seen_row)) {
		seen_row[row] = 1
		rows[++nr_rows] = row
	}
	if (!($1 in seen_column)) {
		seen_column[$1] = 1
		columns[++nr_columns] = $1
	}
	seed = $(nr_sweeps + 2)
	if (!(seed in seen_seed)) {
		seen_seed[seed] = 1
		seeds[++nr_seeds] = seed
	}
	value[row, $1, seed] = $NF
}

function number(x)
{
	return sprintf(x >= 10000 || x == int(x) ? "%.0f" : "%.4g", x)
}

# The values of one cell, sorted into x[]; returns how many.
function gather(row, column,	n, i, j, v)
{
	for (i = 1; i <= nr_seeds; i++) {
		if (!((row, column, seeds[i]) in value))
			continue
		v = value[row, column, seeds[i]] + 0
		for (j = n++; j > 0 && x[j] > v; j--)
			x[j + 1] = x[j]
		x[j + 1] = v
	}
	return n
}

function cell(row, column,	n, i, both, won, median, text)
{
	n = gather(row, column)
	if (!n)
		return "-"
	median = n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
	text = number(median)
	if (x[1] != x[n])
		text = text " (" number(x[1]) "-" number(x[n]) ")"
	if (column == columns[1])
		return text
	for (i = 1; i <= nr_seeds; i++) {
		if (!((row, column, seeds[i]) in value) ||
		    !((row, columns[1], seeds[i]) in value))
			continue
		both++
		won += value[row, column, seeds[i]] + 0 < value[row, columns[1], seeds[i]] + 0
	}
	return both ? text ", " won "/" both : text
}

END {
	for (i = 1; i <= nr_sweeps; i++)
		put(0, i, sweep[i])
	for (v = 1; v <= nr_columns; v++)
		put(0, nr_sweeps + v, columns[v])
	for (r = 1; r <= nr_rows; r++) {
		split(rows[r], part, ",")
		for (i = 1; i <= nr_sweeps; i++)
			put(r, i, part[i])
		for (v = 1; v <= nr_columns; v++)
			put(r, nr_sweeps + v, cell(rows[r], columns[v]))
	}
	print_grid()
}
