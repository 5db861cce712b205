# SPDX-License-Identifier: GPL-2.0
# Print a table of the lines "qp QPN STEP PACKETS CE" of model.awk.
$1 == "held" {
	held = $2
}

$1 == "qp" {
	n++
	qpn[n] = $2; step[n] = $3; packets[n] = $4; ce[n] = $5
}

END {
	printf "  %-5s %-6s %-9s %9s %9s %8s\n", "QP", "done", "", "packets", "marked", "share"
	for (i = 1; i <= n; i++)
		printf "  %-5d %-6d %-9s %9d %9d %7.1f%%\n", qpn[i], step[i],
			(qpn[i] == held ? "held back" : "ahead"),
			packets[i], ce[i], (packets[i] ? 100 * ce[i] / packets[i] : 0)
}
