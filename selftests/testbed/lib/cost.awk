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

# All rings and trees: of a ring each host sends twice (length - 1) / length of what is reduced,
# of a tree each edge carries all of it twice.
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
	for (i = 1; i <= nr_trees; i++) {
		job = tree_job[i]
		send(chunk[job], tree_links[i] * 2 * pipeline[job] * passes[job])
	}
}

# links(HOST, OTHER, LINE): that a message passes between them.
function links(host, other, line)
{
	return rack(host) == rack(other) && line !~ / shuffle$/ ? 2 : 4
}

# hosts_of LIST: their numbers in host[], and how many.
function hosts_of(list,	ends, i, n)
{
	n = split(list, host, ",")
	if (n > 1)
		return n
	split(host[1], ends, "[-/]")
	n = 0
	for (i = ends[1] + 0; i <= ends[2]; i++)
		host[++n] = i
	return n
}

# A 2D ring as if it were one along its first dimension; the second has little.
function read_ring(	i, n, sum)
{
	ring_job[++nr_rings] = $2
	n = hosts_of($1 == "ring" ? $3 : $4)
	for (i = 1; i <= n; i++)
		sum += links(host[i], host[i % n + 1], $0)
	ring_links[nr_rings] = sum
	ring_length[nr_rings] = $1 == "ring" ? n : $3 + 0
}

function read_tree(	i, n)
{
	tree_job[++nr_trees] = $2
	tree_links[nr_trees] = 0
	n = hosts_of($3)
	for (i = 2; i <= n; i++)
		tree_links[nr_trees] += links(host[i], host[int(i / 2)], $0)
}

function read_command()
{
	if ($1 == "set") {
		mtu = value_of("mtu", mtu)
	} else if ($1 == "job") {
		chunk[$2] = bytes(value_of("chunk", chunk[$2] ? chunk[$2] : "8m"))
		passes[$2] = value_of("passes", passes[$2] ? passes[$2] : 1)
		pipeline[$2] = value_of("pipeline", pipeline[$2] ? pipeline[$2] : 8)
	} else if ($1 == "layer") {
		layer[$2, ++layers[$2]] = bytes(value_of("bytes", "1m"))
	} else if ($1 == "ring" || $1 == "grid") {
		read_ring()
	} else if ($1 == "tree") {
		read_tree()
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
	run_hops = nr_rings = nr_trees = 0
	mtu = 4096
	split("", chunk)
	split("", passes)
	split("", pipeline)
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
