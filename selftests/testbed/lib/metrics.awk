# SPDX-License-Identifier: GPL-2.0
#
# The metrics of one run as "name value" lines; their definitions are in
# Documentation/testbed.rst. Arguments: params summary flows steps queues ports
# pauses collectives qdiscs.csv and, if there are any, windows, rates and fluid, in
# this order.

BEGIN { FS = ","; nr_flows = 0 }

FNR == 1 {
	file = FILENAME
	sub(/.*\//, "", file)
	for (i in column)
		delete column[i]
	if (file !~ /^(params|summary|fluid)$/) {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
}

function field(name)
{
	return $(column[name])
}

file == "params" || file == "summary" {
	eq = index($0, "=")
	param[substr($0, 1, eq - 1)] = substr($0, eq + 1)
	next
}

file == "flows" {
	job = field("job")
	if (job == 0)
		next
	start = field("start_ns")
	end = field("end_ns")
	src = field("src")
	bytes = field("bytes")
	flow_time += (end - start) / 1e6
	if ((end - start) / 1e6 > flow_time_max)
		flow_time_max = (end - start) / 1e6
	step = field("step")
	ce += field("ce")
	cnps += field("cnps")
	retx += field("retx")
	goodput_bytes += bytes
	job_bytes[job] += bytes
	if (!(job in job_start) || start < job_start[job])
		job_start[job] = start
	if (end > job_end[job])
		job_end[job] = end
	# What the node's own link needs at the least for what it sends.
	packets = int((bytes + mtu() - 1) / mtu())
	wire[job, src] += bytes + packets * (58 + param["overhead"])
	if (!((job, step) in step_end) || end > step_end[job, step])
		step_end[job, step] = end
	if (!((job, step) in step_first) || end < step_first[job, step])
		step_first[job, step] = end
	if (!(job in last_step) || step > last_step[job])
		last_step[job] = step
	if (!(job in first_step) || step < first_step[job])
		first_step[job] = step
	if (nr_flows < 9) {
		flow_start[nr_flows] = start
		flow_end[nr_flows] = end
		flow_src[nr_flows] = src
		flow_step[nr_flows] = step
	}
	nr_flows++
	next
}

file == "steps" {
	# Samples are equally spaced.
	if (field("steps_in_flight") > 0) {
		in_flight += field("steps_in_flight")
		in_flight_samples++
	}
	next
}

file == "queues" {
	dev = field("dev")
	if (dev in queue_now)
		queue_area[dev] += queue_now[dev] * (field("time_ns") - queue_time[dev])
	queue_now[dev] = field("bytes")
	queue_time[dev] = field("time_ns")
	if (queue_now[dev] > queue_max)
		queue_max = queue_now[dev]
	next
}

file == "ports" {
	drops_buffer += field("drops_buffer")
	drops_fault += field("drops_fault")
	drops_link += field("drops_link")
	paused += field("paused_ns")
	pauses += field("pauses")
	next
}

file == "collectives" {
	nr_cct++
	cct_sum += cct[nr_cct] = field("end_ns") - field("start_ns")
	next
}

file == "qdiscs.csv" {
	qdisc[$1] = $2
	next
}

file == "windows" {
	if (field("dev") != param["watch"])
		next
	start = field("start_ns")
	end = start + 100000
	smallest = -1
	for (i = 0; i < nr_flows; i++) {
		# Longer than a round trip on either side of a change says nothing.
		if ((flow_start[i] > start - 100000 && flow_start[i] < end + 100000) ||
		    (flow_end[i] > start - 100000 && flow_end[i] < end + 100000))
			next
		if (flow_start[i] <= start && flow_end[i] >= end &&
		    (smallest < 0 || flow_step[i] + 0 < smallest))
			smallest = flow_step[i] + 0
	}
	windows++
	if (smallest >= 0 && smallest != field("step_min"))
		wrong_windows++
	next
}

file == "fluid" {
	split($0, part, " ")
	put(part[1], part[2])
	fluid[part[1]] = part[2]
	next
}

file == "rates" {
	qp = field("qp")
	mbps = field("rate_bps") / 1e6
	if (!(qp in lowest) || mbps < lowest[qp])
		lowest[qp] = mbps
	next
}

# Sorts the N values: there is one for each pass.
function quantile(x, n, q,	i, j, value, at, low)
{
	for (i = 2; i <= n; i++) {
		value = x[i]
		for (j = i - 1; j > 0 && x[j] > value; j--)
			x[j + 1] = x[j]
		x[j + 1] = value
	}
	at = 1 + q * (n - 1)
	low = int(at)
	return low < n ? x[low] + (at - low) * (x[low + 1] - x[low]) : x[n]
}

function mtu()
{
	return param["mtu"] ? param["mtu"] : 4096
}

function rate_of(text)
{
	return text * (text ~ /g/ ? 1e9 : text ~ /m/ ? 1e6 : text ~ /k/ ? 1e3 : 1)
}

function put(name, value, format)
{
	printf "%s " (format ? format : "%.6g") "\n", name, value
}

END {
	rate = rate_of(param["rate"])
	put("complete", param["complete"])
	put("end_ms", param["end_ns"] / 1e6)

	for (job in job_start) {
		jobs++
		jct = (job_end[job] - job_start[job]) / 1e6
		jct_sum += jct
		put("job" job "_ms", jct)
		if (jct > jct_max)
			jct_max = jct
		speed = job_bytes[job] / jct
		speed_sum += speed
		speed_squares += speed * speed
		steps = last_step[job] - first_step[job]
		if (steps > 0) {
			span += (step_end[job, last_step[job]] - step_first[job, last_step[job]]) / 1e6
			step_time = (step_end[job, last_step[job]] - step_end[job, first_step[job]]) / steps
			step_times += step_time
		}
		all_steps[job] = steps + 1
		if (param["job" job "_max_in_flight"] > max_in_flight)
			max_in_flight = param["job" job "_max_in_flight"]
		if (param["job" job "_max_span"] > max_span)
			max_span = param["job" job "_max_span"]
	}
	for (pair in wire) {
		split(pair, part, SUBSEP)
		if (wire[pair] * 8e3 / rate > ideal[part[1]])
			ideal[part[1]] = wire[pair] * 8e3 / rate
	}
	for (pair in wire) {
		split(pair, part, SUBSEP)
		size[part[1]]++
	}
	for (job in ideal) {
		alike = size[job]
		size_jobs[alike]++
		size_jct[alike] += (job_end[job] - job_start[job]) / 1e6
		size_slowdown[alike] += (job_end[job] - job_start[job]) / 1e6 / ideal[job]
		ideal_sum += ideal[job]
		ideal_step += ideal[job] * 1e6 / all_steps[job]
	}
	if (jobs) {
		put("jct_ms", jct_sum / jobs)
		put("jct_max_ms", jct_max)
		put("ideal_ms", ideal_sum / jobs)
		put("slowdown", jct_sum / ideal_sum)
		if (fluid["fluid_order"])
			put("over_fluid", jct_sum / ideal_sum / fluid["fluid_order"])
		put("at_once", jct_sum * 1e6 / (param["end_ns"] ? param["end_ns"] : 1))
		put("fairness", speed_sum * speed_sum / (jobs * speed_squares))
		put("goodput_gbps", goodput_bytes * 8 / (param["end_ns"] ? param["end_ns"] : 1))
		put("last_span_ms", span / jobs)
		if (step_times)
			put("step_rate", ideal_step / step_times)
		put("max_in_flight", max_in_flight)
		put("max_span", max_span)
	}
	for (alike in size_jobs)
		sizes++
	for (alike in size_jobs)
		if (sizes > 1) {
			put("jobs_" alike, size_jobs[alike])
			put("jct_" alike "_ms", size_jct[alike] / size_jobs[alike])
			put("slowdown_" alike, size_slowdown[alike] / size_jobs[alike])
		}
	if (nr_flows) {
		put("flow_mean_ms", flow_time / nr_flows)
		put("flow_max_ms", flow_time_max)
	}
	for (qp in lowest) {
		nr_qps++
		lowest_sum += lowest[qp]
		if (lowest[qp] < rate / 1e7)
			nr_slow++
	}
	if (nr_qps) {
		put("qps_cnp", nr_qps)
		put("qps_slow", nr_slow)
		put("lowest_mbps", lowest_sum / nr_qps)
	}
	if (nr_cct) {
		put("cct_ms", cct_sum / nr_cct / 1e6)
		put("cct_med_ms", quantile(cct, nr_cct, 0.5) / 1e6)
		put("cct_p99_ms", quantile(cct, nr_cct, 0.99) / 1e6)
	}
	if (in_flight_samples)
		put("mean_in_flight", in_flight / in_flight_samples)

	# Single flows, in order of their source.
	if (nr_flows && nr_flows < 9) {
		for (i = 0; i < nr_flows; i++) {
			rank = 0
			for (j = 0; j < nr_flows; j++)
				if (flow_src[j] + 0 < flow_src[i] + 0 || (flow_src[j] == flow_src[i] && j < i))
					rank++
			order[rank] = i
		}
		for (i = 0; i < nr_flows; i++)
			put("flow" substr("ABCDEFGH", i + 1, 1) "_ms", (flow_end[order[i]] - flow_start[order[i]]) / 1e6)
		if (nr_flows > 1) {
			from = flow_start[0] > flow_start[1] ? flow_start[0] : flow_start[1]
			to = flow_end[0] < flow_end[1] ? flow_end[0] : flow_end[1]
			put("overlap_ms", to > from ? (to - from) / 1e6 : 0)
		}
	}

	for (dev in queue_area) {
		nr_queues++
		queue_sum += queue_area[dev]
	}
	if (nr_queues) {
		put("queue_max_kb", queue_max / 1e3)
		put("queue_mean_kb", queue_sum / nr_queues / param["end_ns"] / 1e3)
	}
	if (windows) {
		put("windows", windows)
		put("wrong_windows", wrong_windows)
	}
	put("drops", drops_buffer + qdisc["drops"])
	put("drops_fault", drops_fault + drops_link)
	put("pauses", pauses)
	put("paused_ms", paused / 1e6)
	put("ce", ce)
	put("cnps", cnps)
	put("retx", retx)
	for (name in qdisc)
		if (name != "drops")
			put(name, qdisc[name])
	put("hops", param["hops"])
	put("wall_s", param["wall_ns"] / 1e9)
	put("hops_per_s", param["hops_per_s"])
	put("cpu_s", param["cpu_ns"] / 1e9)
	put("hops_per_cpu_s", param["hops_per_cpu_s"])
	if (param["memory_kb"])
		put("memory_mb", param["memory_kb"] / 1024)
	put("hash", param["hash"], "%s")
}
