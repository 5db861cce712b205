# SPDX-License-Identifier: GPL-2.0
#
# Read TAP 13 or KTAP, nested or not, and count what was tested:
#
#	passed N
#	failed N
#	skipped N
#	error TEXT	(once for each breach of the protocol)
#	skip TEXT	(once for each point that was skipped)
#
# A result that sums up nested results is no point of its own, unless it failed
# although they all passed.

function depth_of(line)
{
	match(line, /^ */)
	return RLENGTH
}

function problem(text)
{
	errors[++nerrors] = text
}

# Ends everything nested deeper than the given depth; true if there was any.
function close_deeper(depth,	d, any)
{
	for (d in count) {
		if (d + 0 <= depth)
			continue
		any = 1
		check_plan(d)
		nested_failed = nested_failed || bad[d]
		delete count[d]
		delete plan[d]
		delete bad[d]
	}
	return any
}

function check_plan(d)
{
	if (!(d in plan))
		problem("no plan")
	else if (plan[d] != count[d])
		problem("planned " plan[d] " tests, saw " count[d])
}

{
	sub(/\r$/, "")
}

/^ *Bail out!/ {
	problem($0)
}

/^ *1\.\.[0-9]+/ {
	d = depth_of($0)
	text = substr($0, d + 1)
	if (d in plan) {
		problem("two plans")
	} else {
		plan[d] = substr(text, 4) + 0
		if (!(d in count))
			count[d] = 0
	}
	if (plan[d] == 0 && tolower(text) ~ /^1\.\.0[ \t]*#[ \t]*skip/) {
		reason = text
		sub(/^[^#]*#[ \t]*[A-Za-z]+[ \t:-]*/, "", reason)
		if (reason == "")
			problem("SKIP without a reason")
		skipped++
		skips[++nskips] = reason
	}
	next
}

/^ *(not )?ok( |$)/ {
	d = depth_of($0)
	text = substr($0, d + 1)
	nested_failed = 0
	nested = close_deeper(d)
	count[d]++
	failed_here = text ~ /^not /
	directive = tolower(text)
	is_skip = directive ~ /#[ \t]*skip/
	if (failed_here && !is_skip)
		bad[d] = 1
	if (is_skip) {
		reason = text
		sub(/^.*#[ \t]*[Ss][Kk][Ii][Pp][A-Za-z]*[ \t:-]*/, "", reason)
		if (reason == "")
			problem("SKIP without a reason: " text)
	}
	if (nested && !is_skip) {
		if (failed_here && !nested_failed)
			failed++
		next
	}
	if (is_skip) {
		skipped++
		skips[++nskips] = text
	} else if (failed_here) {
		failed++
	} else {
		passed++
	}
}

END {
	close_deeper(0)
	if (!(0 in count))
		problem("no plan")
	else
		check_plan(0)
	print "passed", passed + 0
	print "failed", failed + 0
	print "skipped", skipped + 0
	for (i = 1; i <= nerrors; i++)
		print "error", errors[i]
	for (i = 1; i <= nskips; i++)
		print "skip", skips[i]
}
