# SPDX-License-Identifier: GPL-2.0
#
# awk -v form=tap|table -f rst.awk -f targets.awk SUMMARY TARGETS
#
# Hold a summary (see summary.awk) to the targets: minima to the ceilings as TAP
# 13, or medians to the targets as a table in reStructuredText.

function number(name, column)
{
	if (name == "-")
		return 1
	if (!(name in least))
		return -1
	return column == "least" ? least[name] : median[name]
}

function point(ok, text)
{
	print (ok ? "ok " : "not ok ") ++points " " text
	failed += !ok
}

function row(text, ratio, target)
{
	table_row(text "|" (target == "-" ? "" : target) "|" ratio "|" \
		  (target == "-" ? "" : (ratio + 0 <= target + 0 ? "met" : "not met")))
}

BEGIN {
	if (form == "tap") {
		print "TAP version 13"
	} else {
		table_begin()
		table_row("what|target|measured|")
	}
}

FILENAME == ARGV[1] && $1 == "value" {
	least[$2] = median[$2] = $3
	next
}

FILENAME == ARGV[1] {
	least[$1 "/" $2] = $4
	median[$1 "/" $2] = $6
	lost += $10
	next
}

/^#/ || NF < 7 {
	next
}

{
	text = $7
	for (i = 8; i <= NF; i++)
		text = text " " $i
	over = number($3, form == "tap" ? "least" : "median")
	measured = number($2, form == "tap" ? "least" : "median")
	if (measured < 0 || over <= 0) {
		if (form == "tap")
			point(0, $1 ": " text)
		print "# no measurement of " $2 " or " $3 > "/dev/stderr"
		next
	}
	ratio = sprintf($6 == "x" ? "%.2f" : "%d", measured / over)
	if (form == "tap") {
		point(ratio + 0 <= $5 + 0, $1 ": " text)
		printf "# %s %s, target %s, ceiling %s\n", ratio, $6, $4, $5
	} else {
		row(text, ratio, $4)
	}
}

END {
	if (form == "tap") {
		point(!lost, "no packet was lost")
		print "1.." points
		exit failed > 0
	}
	table_end()
}
