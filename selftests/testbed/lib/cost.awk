# SPDX-License-Identifier: GPL-2.0
#
# awk -f cost.awk FILE: of the runs whose directories FILE names, one a line, how many
# differ and about how many packet-hops they have, on one line. A message takes four
# hops between racks, two within one, and an ACK for each four packets as many.

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

function rack(host)
{
	return int(host * fabric["tors"] / fabric["hosts"])
}

# send BYTES LINKS: a message over each of so many links.
function send(size, links)
{
	run_hops += links * int((size + mtu - 1) / mtu) * 1.25
}

# All rings of a job: each host sends twice (length - 1) / length of what is reduced.
function add_rings(	i, j, n, job)
{
	for (i = 1; i <= nr_rings; i++) {
		job = ring_job[i]
		n = ring_length[i]
		if (!layers[job])
			send(chunk[job], ring_links[i] * 2 * (n - 1) * passes[job])
		for (j = 1; j <= layers[job]; j++)
			send(layer[job, j] / n, ring_links[i] * 2 * (n - 1) * passes[job])
	}
}

# A 2D ring as if it were one along its first dimension; the second has little.
function read_ring(	host, ends, i, n, links)
{
	ring_job[++nr_rings] = $2
	n = split($1 == "ring" ? $3 : $4, host, ",")
	if (n == 1) {
		split(host[1], ends, "[-/]")
		n = 0
		for (i = ends[1] + 0; i <= ends[2]; i++)
			host[++n] = i
	}
	for (i = 1; i <= n; i++)
		links += rack(host[i]) == rack(host[i % n + 1]) && $NF != "shuffle" ? 2 : 4
	ring_links[nr_rings] = links
	ring_length[nr_rings] = $1 == "ring" ? n : $3 + 0
}

function read_command()
{
	if ($1 == "set") {
		mtu = value_of("mtu", mtu)
	} else if ($1 == "job") {
		chunk[$2] = bytes(value_of("chunk", "8m"))
		passes[$2] = value_of("passes", 1)
	} else if ($1 == "layer") {
		layer[$2, ++layers[$2]] = bytes(value_of("bytes", "1m"))
	} else if ($1 == "ring" || $1 == "grid") {
		read_ring()
	} else if ($1 == "flow") {
		send(bytes(value_of("bytes", "1m")), 2)
	}
}

# The text of a run's file; what its lines say is taken note of.
function read_file(file,	text, part)
{
	while ((getline < file) > 0) {
		text = text $0 "\n"
		if (file ~ /topo$/) {
			split($0, part, "=")
			fabric[part[1]] = part[2]
		} else if (file ~ /commands$/) {
			read_command()
		}
	}
	close(file)
	return text
}

{
	run = $0
	run_hops = nr_rings = 0
	mtu = 4096
	split("", chunk)
	split("", passes)
	split("", layers)
	fabric["hosts"] = fabric["tors"] = 1
	text = read_file(run "/topo") read_file(run "/at") read_file(run "/commands")
	add_rings()
	if (!(text in seen)) {
		seen[text] = 1
		runs++
		hops += run_hops
	}
}

END { printf "%d %.0f\n", runs, hops }
