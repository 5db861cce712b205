# SPDX-License-Identifier: GPL-2.0
#
# awk -f grid.awk -f pivot.awk -v metric=NAME [-v over=KEY] experiment summary.csv: a metric with
# a column for each variant, or for each value of the swept parameter KEY, and
# a line for each combination of the rest: the median over the seeds and its
# difference from the first column. Markdown, or reStructuredText with -v rst=1.

FILENAME ~ /experiment$/ {
	if ($1 == "sweeps") {
		nr_sweeps = NF - 1
		column_name[1] = "variant"
		across = 1
		for (i = 1; i <= nr_sweeps; i++) {
			column_name[i + 1] = $(i + 1)
			if ($(i + 1) == over)
				across = i + 1
		}
	}
	next
}

FNR == 1 { FS = ","; $0 = $0 }

$(nr_sweeps + 2) == metric {
	row = ""
	for (i = 1; i <= nr_sweeps + 1; i++)
		if (i != across)
			row = row (row == "" ? "" : ",") $i
	if (!(row in seen_row)) {
		seen_row[row] = 1
		rows[++nr_rows] = row
	}
	if (!($across in seen_column)) {
		seen_column[$across] = 1
		columns[++nr_columns] = $across
	}
	median[row, $across] = $(nr_sweeps + 6)
}

function number(x)
{
	return sprintf(x >= 10000 ? "%.0f" : "%.4g", x)
}

END {
	for (i = 1; i <= nr_sweeps + 1; i++)
		if (i != across)
			put(0, ++heads, column_name[i])
	for (v = 1; v <= nr_columns; v++)
		put(0, nr_sweeps + v, columns[v])
	for (r = 1; r <= nr_rows; r++) {
		split(rows[r], part, ",")
		for (i = 1; i <= nr_sweeps; i++)
			put(r, i, part[i])
		base = median[rows[r], columns[1]]
		for (v = 1; v <= nr_columns; v++) {
			x = median[rows[r], columns[v]]
			if (x == "")
				text = "-"
			else if (v == 1 || base == "" || base == 0)
				text = number(x)
			else
				text = number(x) sprintf(" (%+.0f %%)", (x / base - 1) * 100)
			put(r, nr_sweeps + v, text)
		}
	}
	print_grid()
}
