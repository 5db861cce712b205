# SPDX-License-Identifier: GPL-2.0
#
# awk -f series.awk -v names=N [-v each="COLUMN..." -v want="VALUE..."] [-v x=COLUMN]
# FILE FILE: the lines of one picture, the name of their series and a tab before
# each. A line's first N columns say which run it is of: those in "each" have
# the values in "want", the others that differ between the lines, but for x,
# are the series' name. The file is read twice.

BEGIN {
	FS = "[,\t]"
	nr_each = split(each, column, " ")
}

{
	here = ""
	for (i = 1; i <= nr_each; i++)
		here = here (i > 1 ? " " : "") $column[i]
	if (here != want)
		next
}

NR == FNR {
	for (i = 1; i <= names; i++) {
		if (!(i in first))
			first[i] = $i
		else if ($i != first[i])
			differs[i] = 1
	}
	next
}

{
	name = ""
	for (i = 1; i <= names; i++)
		if (i in differs && i != x)
			name = name (name == "" ? "" : " ") $i
	print (name == "" && x != 1 ? $1 : name) "\t" $0
}
