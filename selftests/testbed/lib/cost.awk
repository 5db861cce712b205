# SPDX-License-Identifier: GPL-2.0
#
# awk -f cost.awk COMMANDS...: about how many packet-hops runs with these commands
# have. A message takes four hops through a fabric of two tiers, two below one switch,
# and an ACK for each four packets as many.

# bytes TEXT: of a size with k, m or g.
function bytes(text)
{
	return text * (text ~ /g$/ ? 1e9 : text ~ /m$/ ? 1e6 : text ~ /k$/ ? 1e3 : 1)
}

# value_of KEY OTHERWISE: of a line's pairs.
function value_of(key, otherwise,	i)
{
	for (i = 1; i < NF; i++)
		if ($i == key)
			return $(i + 1)
	return otherwise
}

# send BYTES MESSAGES
function send(size, count)
{
	hops += count * int((size + mtu - 1) / mtu) * 4 * 1.25
}

# All rings of a job: each host sends twice (length - 1) / length of what is reduced.
function end_run(	i, j, n, job)
{
	for (i = 1; i <= nr_rings; i++) {
		job = ring_job[i]
		n = ring_length[i]
		if (!layers[job])
			send(chunk[job], ring_hosts[i] * 2 * (n - 1) * passes[job])
		for (j = 1; j <= layers[job]; j++)
			send(layer[job, j] / n, ring_hosts[i] * 2 * (n - 1) * passes[job])
	}
	nr_rings = 0
	split("", chunk)
	split("", passes)
	split("", layers)
	mtu = 4096
}

BEGIN { mtu = 4096 }

FNR == 1 { end_run() }

$1 == "set" { mtu = value_of("mtu", mtu) }

$1 == "job" {
	chunk[$2] = bytes(value_of("chunk", "8m"))
	passes[$2] = value_of("passes", 1)
}

$1 == "layer" { layer[$2, ++layers[$2]] = bytes(value_of("bytes", "1m")) }

$1 == "ring" || $1 == "grid" {
	list = $1 == "ring" ? $3 : $4
	n = 0
	m = split(list, item, ",")
	for (i = 1; i <= m; i++)
		n += split(item[i], ends, "[-/]") > 1 ? ends[2] - ends[1] + 1 : 1
	ring_job[++nr_rings] = $2
	ring_hosts[nr_rings] = n
	# along the first dimension of a 2D ring; the second has little
	ring_length[nr_rings] = $1 == "ring" ? n : $3 + 0
}

$1 == "flow" { send(bytes(value_of("bytes", "1m")), 1) }

END {
	end_run()
	printf "%.0f\n", hops
}
