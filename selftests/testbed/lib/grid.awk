# SPDX-License-Identifier: GPL-2.0
#
# A table of cells, for awk -f grid.awk -f PROGRAM: put() each, then print_grid().
# Markdown, or reStructuredText with -v rst=1. The head is row 0.

function put(r, c, text)
{
	cells[r, c] = text
	if (length(text) > width[c])
		width[c] = length(text)
	if (r > last_row)
		last_row = r
	if (c > last_column)
		last_column = c
}

function rule(	i, line, dashes)
{
	for (i = 1; i <= last_column; i++) {
		dashes = sprintf("%" width[i] "s", "")
		gsub(/ /, rst ? "=" : "-", dashes)
		line = line (i > 1 ? (rst ? "  " : "|") : rst ? "" : "|") dashes
	}
	print line (rst ? "" : "|")
}

function emit(r,	i, line)
{
	for (i = 1; i <= last_column; i++)
		line = line (i > 1 ? (rst ? "  " : " | ") : rst ? "" : "| ") \
		       sprintf("%-" width[i] "s", cells[r, i])
	if (rst)
		sub(/ +$/, "", line)
	print line (rst ? "" : " |")
}

function print_grid(	r)
{
	if (rst)
		rule()
	emit(0)
	rule()
	for (r = 1; r <= last_row; r++)
		emit(r)
	if (rst)
		rule()
}
