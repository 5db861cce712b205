# SPDX-License-Identifier: GPL-2.0
#
# awk -f rst.awk -f tables.awk SUMMARY: tables in reStructuredText, ns a packet, medians of
# the rounds with the quartiles behind them.

$1 == "value" {
	next
}

{
	cell[$1, $2] = $6
	spread[$1, $2] = $5 "-" $7
	enqueue[$1, $2] = $8
	dequeue[$1, $2] = $9
}

function begin(title, head)
{
	print title
	gsub(/./, "-", title)
	print title "\n"
	table_begin()
	table_row(head)
}

# A row of a device in several groups.
function row(name, device, groups,	parts, i, n, line)
{
	line = name
	n = split(groups, parts, " ")
	for (i = 1; i <= n; i++) {
		line = line "|"
		if ((parts[i], device) in cell)
			line = line cell[parts[i], device] " (" spread[parts[i], device] ")"
	}
	table_row(line)
}

function at(group, device)
{
	return cell[group, device]
}

# A part is what a measurement takes longer than the one before.
function part(name, before, after)
{
	table_row(sprintf("%s|%.1f", name, after - before))
}

function rows(prefix, devices, groups,	parts, i, n)
{
	n = split(devices, parts, " ")
	for (i = 1; i <= n; i++)
		row(label(parts[i]), prefix parts[i], groups)
}

function label(device)
{
	if (device == "red")
		return "red, marks nothing"
	if (device == "red_mark")
		return "red, marks"
	if (device == "symphony")
		return "symphony over pfifo"
	if (device == "sym_order")
		return "symphony, queue order"
	if (device == "sym_red")
		return "symphony over red"
	if (device == "sym_filter")
		return "symphony, job filter"
	return device
}

END {
	all = "pfifo red red_mark codel fq_codel fq cake symphony sym_red"
	begin("One packet, 64 jobs of two flows", "qdisc|queue of 64|one by one|headers not in the cache|hash from the NIC|IPv6")
	rows("", all, "alone one_by_one cold hashed ipv6")
	table_end()

	begin("Enqueue and dequeue of the first column", "qdisc|enqueue|dequeue")
	n = split(all, parts, " ")
	for (i = 1; i <= n; i++)
		table_row(label(parts[i]) "|" enqueue["alone", parts[i]] "|" dequeue["alone", parts[i]])
	table_end()

	begin("Other traffic", "qdisc|RoCEv2 without job|ACK|UDP to another port|TCP")
	rows("", "pfifo red symphony sym_red", "nojob control other tcp")
	table_end()

	begin("Where a packet's time goes", "part|ns")
	part("the child, pfifo alone", 0, at("alone", "pfifo"))
	part("a qdisc with a child, protocol of the packet", at("alone", "pfifo"), at("tcp", "symphony"))
	part("IPv4 and UDP headers", at("tcp", "symphony"), at("other", "symphony"))
	part("BTH, hash of addresses and queue pair", at("other", "symphony"), at("nojob", "symphony"))
	part("job, window, counters, an eighth of a clock reading", at("nojob", "symphony"), at("lagging", "sym_abs"))
	part("anchor and position", at("lagging", "sym_abs"), at("lagging", "symphony"))
	part("coin of every second packet", at("lagging", "symphony"), at("ahead", "sym_observe"))
	part("setting CE on two of five", at("ahead", "sym_observe"), at("ahead", "symphony"))
	part("the whole clock reading, one by one", at("ahead", "symphony"), at("one_by_one", "symphony"))
	table_end()

	begin("Job numbers from filters, 64 jobs", "qdisc|data")
	rows("", "pfifo red symphony sym_filter", "filter")
	table_end()

	begin("Jobs, RoCEv2, two flows each", "qdisc|1|64|1,024|2,048|4,096|8,191")
	rows("", "pfifo red_mark fq_codel fq symphony", "jobs_1 jobs_64 jobs_1024 jobs_2048 jobs_4096 jobs_8191")
	table_end()

	begin("Jobs, Ultra Ethernet, two flows each", "qdisc|1|64|1,024|16,384|64, one by one|16,384, one by one")
	groups = "uet_1 uet_64 uet_1024 uet_16384 uet_one_64 uet_one_16384"
	rows("", "pfifo red_mark fq_codel fq", groups)
	row("symphony", "sym_uet", groups)
	table_end()

	begin("Flows offered by 64 jobs to a table of 65,536", "qdisc|64|1,024|16,384|262,144|4,194,304")
	row("symphony", "sym_flows", "flows_64 flows_1024 flows_16384 flows_262144 flows_4194304")
	table_end()

	begin("From the packet's allocation on", "qdisc|dev_queue_xmit() into a dummy|pktgen, queue_xmit")
	rows("", "noqueue " all, "xmit pktgen")
	table_end()

	begin("A router, from receive to the other end of a veth", "qdisc|data of 64 jobs|UDP to another port")
	rows("in_", "noqueue " all, "router router_other")
	table_end()
}
