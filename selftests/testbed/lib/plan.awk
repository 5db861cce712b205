# SPDX-License-Identifier: GPL-2.0
#
# Read an experiment description, write what each of its runs needs.
#
#	awk -f plan.awk -v out=DIR [-v full=1] [-v seeds=N] [-v overrides=FILE]
#		[-v only=REGEX] DESCRIPTION
#
# Every run gets a directory below DIR with topo (arguments of the topology
# builder, one a line), commands (for collgen), at (what happens at a virtual
# time), params (key=value of every parameter) and guest (options of
# scripts/uml). DIR/plan lists the runs: directory, tab, variant and sweep values and seed as CSV, DIR/experiment what holds for
# all of them. The language is described in Documentation/testbed.rst.

function die(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	failed = 1
	exit 1
}

# The rest of a line from its Nth word on.
function rest(line, n)
{
	while (--n > 0)
		sub(/^[^ \t]+[ \t]+/, "", line)
	return line
}

function note_key(key)
{
	if (!(key in known)) {
		known[key] = 1
		keys[++nr_keys] = key
	}
}

# Replace {key} until nothing is left to replace.
function expand(text,	key, from, depth)
{
	while (match(text, /\{[a-z_0-9.-]+\}/)) {
		key = substr(text, RSTART + 1, RLENGTH - 2)
		if (!(key in value))
			die("{" key "} is not set")
		if (++depth > 200)
			die("{" key "} is set to itself")
		text = substr(text, 1, RSTART - 1) value[key] \
		       substr(text, RSTART + RLENGTH)
	}
	return text
}

function read_file(file,	line, status)
{
	while ((status = (getline line < file)) > 0)
		read_line(line)
	if (status < 0)
		die("cannot read " file)
	close(file)
}

function read_line(line,	word, n, i)
{
	sub(/[ \t]+$/, "", line)
	sub(/^[ \t]+/, "", line)
	if (line == "" || line ~ /^#/)
		return
	n = split(line, word, /[ \t]+/)
	if (word[1] == "include") {
		read_file(directory word[2])
	} else if (word[1] == "set" && n >= 2) {
		note_key(word[2])
		preset[word[2]] = n > 2 ? rest(line, 3) : ""
	} else if (word[1] == "full" && n >= 3) {
		note_key(word[2])
		full_value[word[2]] = rest(line, 3)
	} else if (word[1] == "variant" && (n == 2 || n >= 4)) {
		if (!(word[2] in is_variant)) {
			is_variant[word[2]] = 1
			variants[++nr_variants] = word[2]
		}
		if (n >= 4) {
			note_key(word[3])
			variant_value[word[2], word[3]] = rest(line, 4)
		}
	} else if (word[1] == "sweep" && n >= 3) {
		note_key(word[2])
		sweeps[++nr_sweeps] = word[2]
		sweep_values[word[2]] = rest(line, 3)
	} else if (word[1] == "full_sweep" && n >= 3) {
		full_sweep[word[2]] = rest(line, 3)
	} else if (word[1] ~ /^(topo|command|at|rings|trees|layers|arrivals)$/ && n >= 2) {
		lines[++nr_lines] = rest(line, 2)
		line_kind[nr_lines] = word[1]
	} else if (word[1] ~ /^(title|about|what|table|pivot|paper|plot|reference)$/ && n >= 2) {
		facts[++nr_facts] = word[1] " " rest(line, 2)
	} else {
		die("cannot make sense of: " line)
	}
}

# Place of the Nth host of a ring in its list, by the way the ring lies in the
# racks: with a stride of so many hosts.
function laid_out(n, length_, stride,	at, i)
{
	for (i = 0; i < stride; i++)
		for (at = i; at < length_; at += stride)
			if (n-- == 0)
				return at
	return 0
}

# All hosts as one 2D ring: RINGS along a rack's hosts, which are numbered one after
# the other, and HOSTS across the racks; "grid" goes along the racks' hosts first,
# "grid-across" across the racks.
function write_grid(job, rings, hosts, order, path,	list, i, j)
{
	if (order == "grid") {
		print "grid " job " " rings "x" hosts " 0-" rings * hosts - 1 > path
		return
	}
	for (i = 0; i < rings; i++)
		for (j = 0; j < hosts; j++)
			list = list (list == "" ? "" : ",") i + rings * j
	print "grid " job " " hosts "x" rings " " list > path
}

# Ring (or tree, by the verb) RING of ALL, the hosts in this order.
function write_ring(verb, job, ring, all, length_, stride, how, path,	list, i)
{
	for (i = 0; i < length_; i++)
		list = list (i ? "," : "") ring + all * laid_out(i, length_, stride)
	print verb " " job " " list how > path
}

# "rings JOB RINGSxHOSTS [ORDER [FIRST]]", "trees ..." the same: a command a ring or
# tree. Those of a fabric lie side by side: R of N in all takes the hosts R, R + N,
# R + 2 N ...
function write_rings(kind, text, path,	word, size, n, all, first, order, stride, ring)
{
	n = split(text, word, /[ \t]+/)
	if (n < 2 || n > 4 || split(word[2], size, "x") != 2 || size[1] < 1 || size[2] < 2)
		die(kind " " text ": not JOB " toupper(kind) "xHOSTS [ORDER [FIRST]]")
	order = n > 2 ? word[3] : "crossing"
	first = n > 3 ? word[4] : 0
	all = int(value_of("hosts") / size[2])
	if (first + size[1] > all)
		die(kind " " text ": " value_of("hosts") " hosts hold " all " " kind " of " size[2])
	if (kind == "rings" && (order == "grid" || order == "grid-across")) {
		if (first || size[1] != all)
			die(kind " " text ": a 2D ring has all hosts, " all " x " size[2])
		write_grid(word[1], size[1], size[2], order, path)
		return
	}
	stride = size[2] / value_of("tors")
	if (order == "paired")
		stride /= 2
	else if (order != "crossing" && order != "random")
		die(kind " " text ": " order " is not one of crossing paired random" (kind == "rings" ? " grid grid-across" : ""))
	stride = order == "random" || stride < 1 ? 1 : int(stride)
	for (ring = first; ring < first + size[1]; ring++)
		write_ring(substr(kind, 1, 4), word[1], ring, all, size[2], stride, order == "random" ? " shuffle" : "", path)
}

# "layers JOB MODEL [BYTES [COMPUTE]]": a command a layer of MODEL.layers, its bytes
# and its computation times these factors.
function write_layers(text, path,	word, field, n, file, line, status, bytes, compute, count)
{
	n = split(text, word, /[ \t]+/)
	bytes = n > 2 ? word[3] : 1
	compute = n > 3 ? word[4] : 1
	if (n < 2 || n > 4 || bytes + 0 <= 0 || compute + 0 < 0)
		die("layers " text ": not JOB MODEL [BYTES [COMPUTE]]")
	file = directory word[2] ".layers"
	while ((status = (getline line < file)) > 0) {
		if (line ~ /^#/)
			continue
		if (split(line, field, " ") != 5)
			die(file ": cannot make sense of: " line)
		printf "layer %s bytes %.0f forward %.0f backward %.0f update %.0f\n",
			word[1], field[4] * bytes < 1 ? 1 : field[4] * bytes,
			field[1] * compute, field[2] * compute, field[3] * compute > path
		count++
	}
	if (status < 0 || !count)
		die("layers " text ": no layers in " file)
	close(file)
}

# The next number of a stream that is the same with every awk, from 0 to 1.
function draw()
{
	random = random * 16807 % 2147483647
	return random / 2147483647
}

function one_of(list, n)
{
	return list[1 + int(draw() * n)]
}

function mean_of(list, n,	i, sum)
{
	for (i = 1; i <= n; i++)
		sum += number_of(list[i])
	return sum / n
}

# A size or rate in bytes or bit/s.
function number_of(text)
{
	return text * (text ~ /[0-9]g/ ? 1e9 : text ~ /[0-9]m/ ? 1e6 : text ~ /[0-9]k/ ? 1e3 : 1)
}

# How many rings are free at this time; the first COUNT of them in taken_now[].
function free_rings(all, at, count,	ring, n)
{
	for (ring = 0; ring < all; ring++)
		if (ring_until[ring] <= at && n++ < count)
			taken_now[n] = ring
	return n
}

# When the next ring becomes free after this time.
function next_free(all, at,	ring, next_)
{
	for (ring = 0; ring < all; ring++)
		if (ring_until[ring] > at && (!next_ || ring_until[ring] < next_))
			next_ = ring_until[ring]
	return next_
}

# "arrivals COUNT AT_ONCE HOSTS BYTES PASSES [TEXT]": jobs that come at random, numbered
# from 1, each with so many hosts, bytes to reduce and passes of these lists, in rings of
# one host a rack. The gaps between them are exponential, so that AT_ONCE are there in the
# mean if each takes twice its least time; a ring belongs to one job for as long, and a
# job that finds too few free waits for them.
function write_arrivals(text, seed, path,	word, n, size, bytes, passes, nr_size, nr_bytes,
			nr_passes, length_, all, job, at, ideal, gap, now, i, b, p)
{
	n = split(text, word, /[ \t]+/)
	if (n < 5 || word[1] < 1 || word[2] <= 0)
		die("arrivals " text ": not COUNT AT_ONCE HOSTS BYTES PASSES [TEXT]")
	nr_size = split(word[3], size, ",")
	nr_bytes = split(word[4], bytes, ",")
	nr_passes = split(word[5], passes, ",")
	length_ = value_of("tors") + 0
	all = int(value_of("hosts") / length_)
	for (i = 1; i <= nr_size; i++)
		if (size[i] < length_ || size[i] % length_ || size[i] > all * length_)
			die("arrivals " text ": " size[i] " hosts are no rings of " length_ \
			    " of the " value_of("hosts") " there are")
	# microseconds of one byte on a host's link, per byte to reduce and pass
	ideal = 2 * (length_ - 1) / length_ * 8e6 / number_of(value_of("rate"))
	gap = 2 * ideal * mean_of(bytes, nr_bytes) * mean_of(passes, nr_passes) / word[2]
	# each seed has a stretch of its own
	random = 1
	for (i = 0; i < 200 * seed; i++)
		draw()
	split("", ring_until)
	for (job = 1; job <= word[1]; job++) {
		if (job > 1)
			at -= gap * log(draw())
		now = now > at ? now : at
		n = one_of(size, nr_size) / length_
		b = number_of(one_of(bytes, nr_bytes)) / length_
		p = one_of(passes, nr_passes)
		while (free_rings(all, now, n) < n)
			now = next_free(all, now)
		printf "job %d chunk %.0f passes %d start %.0fus%s\n", job, b, p, now,
			text ~ /([^ \t]+[ \t]+){5}/ ? " " rest(text, 6) : "" > path
		for (i = 1; i <= n; i++) {
			ring_until[taken_now[i]] = now + 2 * ideal * b * length_ * p
			write_ring("ring", job, taken_now[i], all, length_, 1, "", path)
		}
	}
}

function value_of(key)
{
	return expand("{" key "}")
}

# What is said of a variant that was not run says nothing.
function concerns(fact,	word)
{
	split(fact, word, /[ \t]+/)
	if (word[1] == "what")
		return word[2] in has_run
	if (word[1] == "paper")
		return word[4] in has_run
	return 1
}

# The parameters of one run, weakest first.
function set_values(variant, seed,	i, key)
{
	for (i = 1; i <= nr_keys; i++) {
		key = keys[i]
		delete value[key]
		if (key in preset)
			value[key] = preset[key]
		if (full && key in full_value)
			value[key] = full_value[key]
		if ((variant, key) in variant_value)
			value[key] = variant_value[variant, key]
		if (key in override)
			value[key] = override[key]
		if (key in sweep_now)
			value[key] = sweep_now[key]
	}
	value["variant"] = variant
	value["seed"] = seed
}

function write_run(variant, seed,	i, name, path, text, kind)
{
	set_values(variant, seed)
	name = variant
	for (i = 1; i <= nr_sweeps; i++)
		name = name "," sweeps[i] "=" sweep_now[sweeps[i]]
	name = name ",seed=" seed
	if (only != "" && name !~ only)
		return
	path = out "/" name
	gsub(/[^A-Za-z0-9_.,=+\/-]/, "_", path)
	system("mkdir -p '" path "'")
	printf "" > (path "/topo")
	printf "" > (path "/commands")
	printf "" > (path "/at")
	for (i = 1; i <= nr_lines; i++) {
		text = expand(lines[i])
		if (text ~ /(^|[ \t])none$/)
			continue
		kind = line_kind[i]
		if (kind == "topo") {
			sub(/[ \t]+/, "=", text)
			print text > (path "/topo")
		} else if (kind == "command") {
			print text > (path "/commands")
		} else if (kind == "rings" || kind == "trees") {
			write_rings(kind, text, path "/commands")
		} else if (kind == "layers") {
			write_layers(text, path "/commands")
		} else if (kind == "arrivals") {
			write_arrivals(text, seed, path "/commands")
		} else {
			print text > (path "/at")
		}
	}
	printf "" > (path "/params")
	for (i = 1; i <= nr_keys; i++)
		if (keys[i] in value)
			print keys[i] "=" expand(value[keys[i]]) > (path "/params")
	print "--mem " value["mem"] " --timeout " value["timeout"] > (path "/guest")
	close(path "/topo")
	close(path "/commands")
	close(path "/at")
	close(path "/params")
	close(path "/guest")

	text = path "\t" variant
	for (i = 1; i <= nr_sweeps; i++)
		text = text "," sweep_now[sweeps[i]]
	print text "," seed > (out "/plan")
	nr_runs++
	has_run[variant] = 1
}

# All combinations of the sweeps' values from the Nth sweep on.
function combine(n, variant, seed,	values, i, count)
{
	if (n > nr_sweeps) {
		write_run(variant, seed)
		return
	}
	count = split(sweep_values[sweeps[n]], values, /[ \t]+/)
	for (i = 1; i <= count; i++) {
		sweep_now[sweeps[n]] = values[i]
		combine(n + 1, variant, seed)
	}
}

BEGIN {
	note_key("mem")
	note_key("timeout")
	note_key("seeds")
	preset["mem"] = 768
	preset["timeout"] = 1200
	preset["seeds"] = 1
}

FNR == 1 {
	directory = FILENAME
	if (!sub(/[^\/]*$/, "", directory))
		directory = "./"
}

{ read_line($0) }

END {
	if (failed)
		exit 1
	if (overrides != "")
		while ((getline line < overrides) > 0) {
			eq = index(line, "=")
			key = substr(line, 1, eq - 1)
			text = substr(line, eq + 1)
			if (!(key in known)) {
				printf "--set %s: the experiment has no such parameter\n", key > "/dev/stderr"
				exit 1
			}
			override[key] = text
			# A value for what is swept replaces the sweep.
			if (key in sweep_values) {
				gsub(/,/, " ", text)
				sweep_values[key] = text
			}
		}
	if (full)
		for (key in full_sweep)
			if (!(key in override))
				sweep_values[key] = full_sweep[key]
	if (!nr_variants)
		variants[++nr_variants] = "run"
	printf "" > (out "/plan")
	set_values(variants[1], 1)
	count = (seeds != "" ? seeds : value["seeds"]) + 0
	for (seed = 1; seed <= count; seed++)
		for (v = 1; v <= nr_variants; v++)
			combine(1, variants[v], seed)
	close(out "/plan")

	printf "" > (out "/experiment")
	set_values(variants[1], 1)
	for (i = 1; i <= nr_facts; i++)
		if (concerns(facts[i]))
			print facts[i] > (out "/experiment")
	text = "sweeps"
	for (i = 1; i <= nr_sweeps; i++)
		text = text " " sweeps[i]
	print text > (out "/experiment")
	print "seeds " count > (out "/experiment")
	most = "seeds" in full_value ? full_value["seeds"] : preset["seeds"]
	if (count < most)
		print "scaled seeds " count " " most > (out "/experiment")
	for (i = 1; i <= nr_keys; i++)
		if (keys[i] in preset && !(keys[i] in sweep_values)) {
			key = keys[i]
			text = preset[key]
			if (full && key in full_value)
				text = full_value[key]
			if (key in override)
				text = override[key]
			print "parameter " key " " text > (out "/experiment")
			if (key in full_value && key != "seeds" && text != full_value[key])
				print "scaled " key " " text " " full_value[key] > (out "/experiment")
		}
	if (!nr_runs) {
		print "nothing to run" > "/dev/stderr"
		exit 1
	}
}
