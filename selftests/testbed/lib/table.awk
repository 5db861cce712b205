# SPDX-License-Identifier: GPL-2.0
#
# awk -f table.awk experiment summary.csv: a Markdown table of the metrics the
# experiment names, median over the seeds with the range in brackets, beside
# the paper's figures; with -v plain=1 aligned columns for a terminal, with -v
# rst=1 a table of reStructuredText.

function cell(key, metric,	text)
{
	if (!((key, metric) in median))
		return "-"
	text = number(median[key, metric])
	if (low[key, metric] != high[key, metric])
		text = text " (" number(low[key, metric]) "-" number(high[key, metric]) ")"
	if ((key, metric) in paper)
		text = text ", paper " paper[key, metric]
	return text
}

function number(x)
{
	return sprintf(x >= 10000 || x == int(x) ? "%.0f" : "%.4g", x)
}

FILENAME ~ /experiment$/ {
	if ($1 == "sweeps") {
		nr_sweeps = NF - 1
		for (i = 1; i <= nr_sweeps; i++)
			sweep[i] = $(i + 1)
	} else if ($1 == "table") {
		for (i = 2; i <= NF; i++)
			metric[++nr_metrics] = $i
	} else if ($1 == "paper") {
		claim[++nr_claims] = $0
	}
	next
}

FNR == 1 { FS = ","; $0 = $0 }

{
	key = $1
	for (i = 1; i <= nr_sweeps; i++)
		key = key FS $(i + 1)
	name = $(nr_sweeps + 2)
	if (!(key in seen)) {
		seen[key] = 1
		keys[++nr_keys] = key
	}
	low[key, name] = $(nr_sweeps + 4)
	median[key, name] = $(nr_sweeps + 6)
	high[key, name] = $(nr_sweeps + 8)
}

function emit(row, values, n,	i, line)
{
	for (i = 1; i <= n; i++) {
		table[row, i] = values[i]
		if (length(values[i]) > width[i])
			width[i] = length(values[i])
	}
	if (row > nr_rows)
		nr_rows = row
	nr_columns = n
}

function rule(	i, line, dashes)
{
	for (i = 1; i <= nr_columns; i++) {
		dashes = sprintf("%" width[i] "s", "")
		gsub(/ /, "=", dashes)
		line = line (i > 1 ? "  " : "") dashes
	}
	print line
}

END {
	if (rst)
		plain = 1
	# A claim names metric, value, variant and sweep values.
	for (c = 1; c <= nr_claims; c++) {
		n = split(claim[c], word, " ")
		for (k = 1; k <= nr_keys; k++) {
			split(keys[k], part, ",")
			fits = part[1] == word[4]
			for (i = 5; i <= n; i++)
				for (s = 1; s <= nr_sweeps; s++)
					if (index(word[i], sweep[s] "=") == 1 &&
					    word[i] != sweep[s] "=" part[s + 1])
						fits = 0
			if (fits)
				paper[keys[k], word[2]] = word[3]
		}
	}

	v[1] = "variant"
	for (s = 1; s <= nr_sweeps; s++)
		v[s + 1] = sweep[s]
	for (m = 1; m <= nr_metrics; m++)
		v[nr_sweeps + 1 + m] = metric[m]
	emit(1, v, 1 + nr_sweeps + nr_metrics)
	for (k = 1; k <= nr_keys; k++) {
		split(keys[k], part, ",")
		for (s = 0; s <= nr_sweeps; s++)
			v[s + 1] = part[s + 1]
		for (m = 1; m <= nr_metrics; m++)
			v[nr_sweeps + 1 + m] = cell(keys[k], metric[m])
		emit(k + 1, v, 1 + nr_sweeps + nr_metrics)
	}
	if (rst)
		rule()
	for (r = 1; r <= nr_rows; r++) {
		line = plain ? "" : "| "
		for (i = 1; i <= nr_columns; i++) {
			line = line sprintf("%-" width[i] "s", table[r, i])
			if (i < nr_columns)
				line = line (plain ? "  " : " | ")
		}
		if (plain)
			sub(/ +$/, "", line)
		else
			line = line " |"
		print line
		if (r == 1 && rst)
			rule()
		if (r == 1 && !plain) {
			line = ""
			for (i = 1; i <= nr_columns; i++)
				line = line "|---"
			print line "|"
		}
	}
	if (rst)
		rule()
}
