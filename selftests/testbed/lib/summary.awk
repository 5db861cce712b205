# SPDX-License-Identifier: GPL-2.0
#
# results.csv (long form: variant, sweep values, seed, metric, value) to
# summary.csv: one line a variant, sweep point and metric with count, minimum,
# quartiles, maximum and mean over the seeds. The input is sorted by everything
# but the seed, then numerically by value.

BEGIN { FS = OFS = "," }

function quantile(q,	rank, low)
{
	rank = 1 + q * (n - 1)
	low = int(rank)
	if (low >= n)
		return x[n]
	return x[low] + (rank - low) * (x[low + 1] - x[low])
}

function flush()
{
	if (n)
		print group, n, x[1], quantile(.25), quantile(.5), quantile(.75), x[n], sum / n
	n = 0
	sum = 0
}

{
	key = $1
	for (i = 2; i < NF - 2; i++)
		key = key OFS $i
	key = key OFS $(NF - 1)
	if (key != group)
		flush()
	group = key
	x[++n] = $NF
	sum += $NF
}

END { flush() }
