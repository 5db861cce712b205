# SPDX-License-Identifier: GPL-2.0
#
# Add to the results, given twice, what a job took over what it took in the
# variant {reference} with the same parameters and seed.

function rest_of_key(	i, key)
{
	for (i = 2; i <= NF - 2; i++)
		key = key FS $i
	return key
}

NR == FNR {
	if ($1 == reference && $(NF - 1) == "jct_ms")
		base[rest_of_key()] = $NF
	next
}

{ print }

$(NF - 1) == "jct_ms" && base[rest_of_key()] > 0 {
	value = $NF / base[rest_of_key()]
	$(NF - 1) = "inflation"
	$NF = value
	print
}
