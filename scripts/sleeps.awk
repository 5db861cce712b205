# SPDX-License-Identifier: GPL-2.0
#
# Find sleeps that something rests on: that are neither the pause between two looks at
# a condition, and so inside a loop, nor "sleep infinity", which nothing waits for. One
# by which time is meant, and not what may have happened meanwhile, says so: "time is
# meant" on its line or on one of the two before. Prints FILE:LINE: TEXT.

function width(line,	i, n, c)
{
	for (i = 1; (c = substr(line, i, 1)) ~ /[ \t]/; i++)
		n += c == "\t" ? 8 : 1
	return n + 0
}

FNR == 1	{ depth = 0; meant = -9 }
/[Tt]ime is meant/ { meant = FNR }
/^[ \t]*$/	{ next }
{
	line = $0
	if (FILENAME !~ /\.json$/)
		sub(/^[ \t]*(#|\/?\*|\/\/).*/, "", line)
	if (line == "")
		next
	gsub(/sleep infinity/, "", line)
	here = width($0)
	while (depth && here <= loop[depth])
		depth--
	looping = depth
	if (line ~ /(^|[^A-Za-z0-9_$.-])(while|until|for)[ \t(]/) {
		loop[++depth] = here
		looping = 1
	}
}
(line ~ /(^|[;&|({"' \t])(\$bb )?sleep[ \t]+[0-9.$"]/ ||
 line ~ /(^|[^A-Za-z0-9_])(sleep|usleep|nanosleep|clock_nanosleep|msleep|ssleep|fsleep|msleep_interruptible|usleep_range|mdelay)[ ]?\(/) &&
!looping && FNR - meant > 2 {
	print FILENAME ":" FNR ": " $0
}
