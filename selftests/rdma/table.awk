# SPDX-License-Identifier: GPL-2.0
# Print a table of the lines "qp QPN STEP PACKETS CE" of model.awk.
function step_diff(a, b,	d)
{
	d = (a - b + 16384) % 16384
	return d < 8192 ? d : d - 16384
}

$1 == "qp" {
	n++
	qpn[n] = $2; step[n] = $3; packets[n] = $4; ce[n] = $5
	if (n == 1 || step_diff($3, smallest) < 0)
		smallest = $3
}

END {
	printf "  %-5s %-6s %-9s %9s %9s %8s\n", "QP", "step", "", "packets", "marked", "share"
	for (i = 1; i <= n; i++)
		printf "  %-5d %-6d %-9s %9d %9d %7.1f%%\n", qpn[i], step[i],
			(step_diff(step[i], smallest) > 0 ? "ahead" : "smallest"),
			packets[i], ce[i], (packets[i] ? 100 * ce[i] / packets[i] : 0)
}
