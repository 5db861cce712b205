# SPDX-License-Identifier: GPL-2.0
#
# Simple tables of reStructuredText: table_begin(), table_row() for the head and
# each row, table_end(). Cells of a row are parted by "|".

function table_begin()
{
	table_rows = 0
	split("", table_width)
}

function table_row(cells,	parts, i, n)
{
	table_line[++table_rows] = cells
	n = split(cells, parts, "|")
	for (i = 1; i <= n; i++)
		if (length(parts[i]) > table_width[i] + 0)
			table_width[i] = length(parts[i])
	table_columns = n
}

function table_rule(	i, line)
{
	for (i = 1; i <= table_columns; i++)
		line = line (i > 1 ? " " : "") sprintf("%*s", table_width[i], "")
	gsub(/ /, "=", line)
	# a space between the columns
	table_place(line)
}

function table_place(line,	i, at, out)
{
	at = 1
	for (i = 1; i <= table_columns; i++) {
		out = out (i > 1 ? " " : "") substr(line, at, table_width[i])
		at += table_width[i] + 1
	}
	print out
}

function table_end(	r, i, n, parts, line)
{
	table_rule()
	for (r = 1; r <= table_rows; r++) {
		n = split(table_line[r], parts, "|")
		line = ""
		for (i = 1; i <= n; i++)
			line = line (i > 1 ? " " : "") sprintf("%-*s", table_width[i], parts[i] == "" ? "\\" : parts[i])
		sub(/ +$/, "", line)
		print line
		if (r == 1)
			table_rule()
	}
	table_rule()
	print ""
}
