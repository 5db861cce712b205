# SPDX-License-Identifier: GPL-2.0
#
# awk -f tables.awk SUMMARY: tables in reStructuredText, ns a packet, medians of
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

function begin(title, head,	parts, i, n)
{
	print title
	gsub(/./, "~", title)
	print title "\n"
	print ".. list-table::"
	print "   :header-rows: 1\n"
	n = split(head, parts, "|")
	for (i = 1; i <= n; i++)
		print (i == 1 ? "   * - " : "     - ") parts[i]
}

# A row of a device in several groups.
function row(name, device, groups,	parts, i, n)
{
	print "   * - " name
	n = split(groups, parts, " ")
	for (i = 1; i <= n; i++)
		if ((parts[i], device) in cell)
			print "     - " cell[parts[i], device] " (" spread[parts[i], device] ")"
		else
			print "     -"
}

function rows(prefix, devices, groups,	parts, i, n)
{
	n = split(devices, parts, " ")
	for (i = 1; i <= n; i++)
		row(label(parts[i]), prefix parts[i], groups)
	print ""
}

function label(device)
{
	if (device == "red")
		return "red, marks nothing"
	if (device == "red_mark")
		return "red, marks"
	if (device == "symphony")
		return "symphony over pfifo"
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

	begin("Enqueue and dequeue of the first column", "qdisc|enqueue|dequeue")
	n = split(all, parts, " ")
	for (i = 1; i <= n; i++)
		printf "   * - %s\n     - %s\n     - %s\n", label(parts[i]),
			enqueue["alone", parts[i]], dequeue["alone", parts[i]]
	print ""

	begin("Other traffic", "qdisc|RoCEv2 without job|ACK|UDP to another port|TCP")
	rows("", "pfifo red symphony sym_red", "nojob control other tcp")

	begin("Job numbers from filters, 64 jobs", "qdisc|data")
	rows("", "pfifo red symphony sym_filter", "filter")

	begin("Jobs, RoCEv2, two flows each", "qdisc|1|64|1,024|2,048|4,096|8,191")
	rows("", "pfifo red_mark fq_codel fq symphony", "jobs_1 jobs_64 jobs_1024 jobs_2048 jobs_4096 jobs_8191")

	begin("Jobs, Ultra Ethernet, two flows each", "qdisc|1|64|1,024|16,384|64, one by one|16,384, one by one")
	groups = "uet_1 uet_64 uet_1024 uet_16384 uet_one_64 uet_one_16384"
	rows("", "pfifo red_mark fq_codel fq", groups)
	row("symphony", "sym_uet", groups)
	print ""

	begin("Flows offered by 64 jobs to a table of 65,536", "qdisc|64|1,024|16,384|262,144|4,194,304")
	row("symphony", "sym_flows", "flows_64 flows_1024 flows_16384 flows_262144 flows_4194304")
	print ""

	begin("From the packet's allocation on", "qdisc|dev_queue_xmit() into a dummy|pktgen, queue_xmit")
	rows("", "noqueue " all, "xmit pktgen")

	begin("A router, from receive to the other end of a veth", "qdisc|data of 64 jobs|UDP to another port")
	rows("in_", "noqueue " all, "router router_other")
}
