# SPDX-License-Identifier: GPL-2.0
#
# From the rounds that guest.sh prints to a line for each group and device:
#
#	GROUP DEVICE ROUNDS MIN Q1 MEDIAN Q3 ENQUEUE DEQUEUE LOST
#
# Times are ns a packet; ENQUEUE and DEQUEUE are those of the median round.
# Lines "value NAME NUMBER" pass.

function sort_rounds(key, n,	gap, i, j, t)
{
	for (i = 1; i <= n; i++)
		order[i] = i
	for (gap = int(n / 2); gap; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++) {
			t = order[i]
			for (j = i - gap; j > 0 && total[key, order[j]] > total[key, t]; j -= gap)
				order[j + gap] = order[j]
			order[j + gap] = t
		}
}

function quantile(key, n, q)
{
	return total[key, order[int((n - 1) * q) + 1]]
}

$1 == "value" {
	print
	next
}

{
	key = $1 " " $2
	if (!(key in rounds))
		keys[++nkeys] = key
	i = ++rounds[key]
	enqueue[key, i] = $4 / $3
	dequeue[key, i] = $5 / $3
	total[key, i] = ($4 + $5) / $3
	lost[key] += $6
}

END {
	for (k = 1; k <= nkeys; k++) {
		key = keys[k]
		n = rounds[key]
		sort_rounds(key, n)
		middle = order[int((n - 1) / 2) + 1]
		printf "%s %d %.1f %.1f %.1f %.1f %.1f %.1f %d\n", key, n,
			quantile(key, n, 0), quantile(key, n, 0.25),
			quantile(key, n, 0.5), quantile(key, n, 0.75),
			enqueue[key, middle], dequeue[key, middle], lost[key]
	}
}
