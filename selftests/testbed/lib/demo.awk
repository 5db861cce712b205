# SPDX-License-Identifier: GPL-2.0
#
# awk -f demo.awk -v part=PART fig9/experiment fig9/summary.csv fig4/experiment
# fig4/summary.csv: what the demonstration says. PART is "flows" or "ring", a
# table, "flows_verdict" or "ring_verdict", a sentence or two, or "paper".

FNR == 1 {
	file = FILENAME
	where = file ~ /fig9\/[^\/]*$/ ? "flows" : "ring"
	FS = file ~ /\.csv$/ ? "," : " "
	$0 = $0
}

file ~ /experiment$/ {
	if ($1 == "paper")
		paper[where, $4, $2] = $3
	next
}

# variant, swept values, metric, number, least, quartile, median, ...
{
	name = $1 == "symphony" ? "marks" : $1 == "order" ? "order" : "without"
	for (i = 2; i <= NF; i++)
		if ($i !~ /^[0-9.e+-]+$/)
			metric = i
	value[where, name, $metric] = $(metric + 4)
}

# A change in words, where less is better for the one spoken of.
function change(before, after,	percent)
{
	percent = (after - before) / before * 100
	if (percent > -0.5 && percent < 0.5)
		return "as long"
	return sprintf("%.0f %% %s", percent < 0 ? -percent : percent, percent < 0 ? "less" : "longer")
}

function round(x)
{
	return sprintf(x == int(x) || x >= 9.95 ? "%.0f" : "%.1f", x)
}

function flows(metric, name)
{
	return value["flows", name, metric]
}

function ring(metric, name)
{
	return value["ring", name, metric]
}

function from_to(where, name, metric, unit)
{
	return round(value[where, "without", metric]) " to " \
		round(value[where, name, metric]) unit
}

function from_to_both(where, metric, unit)
{
	return round(value[where, "without", metric]) " to " \
		round(value[where, "marks", metric]) unit " with marks, " \
		round(value[where, "order", metric]) unit " with order"
}

function row(a, b, c, d)
{
	printf "%-18s  %-12s  %-12s  %s\n", a, b, c, d
}

function flows_row(name, words)
{
	row(words, round(flows("flowA_ms", name)) " ms",
	    round(flows("flowB_ms", name)) " ms", round(flows("overlap_ms", name)) " ms")
}

function ring_row(name, words)
{
	row(words, round(ring("jct_ms", name)) " ms",
	    round(ring("max_in_flight", name)), round(ring("mean_in_flight", name)))
}

function time_verdict(before, after,	percent)
{
	percent = (after - before) / before * 100
	if (percent < -0.5)
		return sprintf("gets %.0f %% faster", -percent)
	if (percent > 0.5)
		return sprintf("gets %.0f %% slower", percent)
	return "takes as long as before"
}

END {
	if (part == "flows") {
		row("", "flow A", "flow B", "both send")
		flows_row("without", "without symphony")
		flows_row("marks", "the paper's marks")
		flows_row("order", "queue order")
	} else if (part == "ring") {
		row("", "whole ring", "most steps in", "mean steps in")
		row("", "takes", "flight", "flight")
		ring_row("without", "without symphony")
		ring_row("marks", "the paper's marks")
		ring_row("order", "queue order")
	} else if (part == "flows_verdict") {
		printf "With the paper's marks flow A, the step behind, takes %s: %s. " \
			"Flow B, the step ahead, %s: %s. With queue order A takes %s: %s, B %s: %s.\n",
			change(flows("flowA_ms", "without"), flows("flowA_ms", "marks")),
			from_to("flows", "marks", "flowA_ms", " ms"),
			change(flows("flowB_ms", "without"), flows("flowB_ms", "marks")),
			from_to("flows", "marks", "flowB_ms", " ms"),
			change(flows("flowA_ms", "without"), flows("flowA_ms", "order")),
			from_to("flows", "order", "flowA_ms", " ms"),
			change(flows("flowB_ms", "without"), flows("flowB_ms", "order")),
			from_to("flows", "order", "flowB_ms", " ms")
	} else if (part == "ring_verdict") {
		printf "With the paper's marks at most %s steps are in flight instead of %s, and the " \
			"ring %s: %s. With queue order it is %s steps, and the ring %s: %s.\n",
			round(ring("max_in_flight", "marks")),
			round(ring("max_in_flight", "without")),
			time_verdict(ring("jct_ms", "without"), ring("jct_ms", "marks")),
			from_to("ring", "marks", "jct_ms", " ms"),
			round(ring("max_in_flight", "order")),
			time_verdict(ring("jct_ms", "without"), ring("jct_ms", "order")),
			from_to("ring", "order", "jct_ms", " ms")
	} else if (part == "paper") {
		printf "The paper has %s to %s ms for flow A, %s to %s steps in flight " \
			"(ranges of 50 runs), and a ring that takes %s to %s times the least " \
			"possible time, here %s.\n",
			paper["flows", "dcqcn", "flowA_ms"], paper["flows", "symphony", "flowA_ms"],
			paper["ring", "baseline", "max_in_flight"],
			paper["ring", "symphony", "max_in_flight"],
			paper["ring", "baseline", "slowdown"], paper["ring", "symphony", "slowdown"],
			from_to_both("ring", "slowdown", "")
	}
}
