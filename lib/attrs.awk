# SPDX-License-Identifier: GPL-2.0
#
# What the interface's headers say of each attribute, as tables in C: its name, its
# unit, whether it is wide, the names of its choices, its comment. So there is one place
# where an attribute is described.
#
#	awk -f attrs.awk ENUM=TABLE[:u64]... HEADER...
#
# ":u64": all attributes of this enumeration are.

BEGIN {
	for (i = 1; i < ARGC; i++) {
		if (ARGV[i] !~ /^[a-z_]+=/)
			continue
		split(ARGV[i], part, /[=:]/)
		table[part[1]] = part[2]
		width[part[1]] = part[3]
		tables[++nr_tables] = part[1]
		ARGV[i] = ""
	}
	# Statistics that count no packets, and those that can fall.
	split("step_advances step_corrections windows alpha_ups alpha_downs jobs jobs_created " \
	      "jobs_expired flows_replaced jobs_replaced order_fifos order_holds step_restarts " \
	      "corrections", list, " ")
	for (i in list)
		unit["stats", list[i]] = "NONE"
	unit["stats", "memory"] = unit["stats", "order_backlog_smallest"] = \
		unit["stats", "order_backlog_ahead"] = "BYTES"
	unit["stats", "order_wait_max"] = "NANOSECONDS"
	# Ages.
	unit["options", "first_seen"] = unit["options", "last_seen"] = \
		unit["options", "misaligned"] = unit["options", "time"] = "NANOSECONDS"
	split("jobs memory order_fifos order_backlog_smallest order_backlog_ahead order_wait_max",
	      list, " ")
	for (i in list)
		gauge["stats", list[i]] = 1
}

# The comment's first line names the enumeration.
/^ \* enum [a-z_]+ - / {
	enum = $3
	attr = ""
	next
}

enum && /^ \* @[A-Z0-9_]+: / {
	attr = substr($2, 2, length($2) - 2)
	sub(/^ \* @[A-Z0-9_]+: /, "")
	attrs[enum, ++nr[enum]] = attr
	# A sentence that wants the one before.
	if ($0 == "their bytes")
		$0 = "bytes of " help[attrs[enum, nr[enum] - 1]]
	help[attr] = $0
	next
}

enum && attr && /^ \*\t/ {
	sub(/^ \*[ \t]+/, "")
	help[attr] = help[attr] " " $0
	next
}

/^ \*($|\/)/ { attr = "" }
/^ \*\// { enum = "" }

# What all names of an enumeration begin with.
function prefix(enum,	first, i, len)
{
	first = attrs[enum, 1]
	for (len = length(first); len > 0; len--) {
		for (i = 2; i <= nr[enum]; i++)
			if (substr(attrs[enum, i], 1, len) != substr(first, 1, len))
				break
		if (i > nr[enum] && substr(first, len, 1) == "_")
			return len
	}
	return 0
}

function name_of(enum, i)
{
	return tolower(substr(attrs[enum, i], prefix(enum) + 1))
}

function print_choices(enum,	i)
{
	if (enum in printed)
		return
	printed[enum] = 1
	printf "static const char *const %s_names[] = {\n", enum
	for (i = 1; i <= nr[enum]; i++)
		printf "\t[%s] = \"%s\",\n", attrs[enum, i], name_of(enum, i)
	print "};\n"
}

function choice_of(text)
{
	return match(text, /&enum [a-z_]+/) ? substr(text, RSTART + 6, RLENGTH - 6) : ""
}

function unit_of(kind, name, text)
{
	if ((kind, name) in unit)
		return unit[kind, name]
	if (choice_of(text) != "" && text ~ /^u(8|16|32), &enum /)
		return "CHOICE"
	if (text ~ /^flag, /)
		return "FLAG"
	if (name ~ /(^|_)bytes$/)
		return "BYTES"
	if (kind == "stats")
		return "PACKETS"
	if (text ~ /bytes a second/)
		return "RATE"
	if (text ~ /^u[0-9]+, billionths/)
		return "BILLIONTHS"
	if (text ~ /^u[0-9]+, nanoseconds/)
		return "NANOSECONDS"
	if (text ~ /^u[0-9]+, bytes/)
		return "BYTES"
	if (text ~ /^u[0-9]+, packets/)
		return "PACKETS"
	return "NONE"
}

function print_table(enum,	i, kind, name, text, choice, attr)
{
	kind = width[enum] == "u64" ? "stats" : "options"
	for (i = 1; i <= nr[enum]; i++) {
		text = help[attrs[enum, i]]
		if (unit_of(kind, name_of(enum, i), text) == "CHOICE")
			print_choices(choice_of(text))
	}
	printf "static const struct symphony_field %s[] = {\n", table[enum]
	for (i = 1; i <= nr[enum]; i++) {
		attr = attrs[enum, i]
		name = name_of(enum, i)
		text = help[attr]
		if (name ~ /^(unspec|pad)$/ || (kind != "stats" && text !~ /^(u(8|16|32|64)|flag)[,;]/))
			continue
		printf "\t[%s] = {\n\t\t.name = \"%s\",\n", attr, name
		printf "\t\t.unit = SYMPHONY_UNIT_%s,\n", unit_of(kind, name, text)
		if (unit_of(kind, name, text) == "CHOICE") {
			choice = choice_of(text)
			printf "\t\t.choices = %s_names,\n", choice
			printf "\t\t.nr_choices = ROWS(%s_names),\n", choice
		}
		if (kind == "stats" || text ~ /^u64/)
			print "\t\t.wide = true,"
		if ((kind, name) in gauge)
			print "\t\t.gauge = true,"
		sub(/^(u(8|16|32|64)|flag)[,;] /, "", text)
		gsub(/["\\]/, "\\\\&", text)
		printf "\t\t.help = \"%s\",\n\t},\n", text
	}
	print "};\n"
}

END {
	print "/* Made by attrs.awk. */"
	for (t = 1; t <= nr_tables; t++) {
		if (!nr[tables[t]]) {
			print "attrs.awk: no comment on enum " tables[t] > "/dev/stderr"
			exit 1
		}
		print_table(tables[t])
	}
}
