# SPDX-License-Identifier: GPL-2.0
#
# Follow the output of rocecap through DESIGN section 2 with "step count", as far
# as no coin is tossed and nothing was lost on the way, written apart from the
# module, and print
#
#	count NAME N		what the qdisc must have counted
#	qp QPN STEP PACKETS CE	one line for each QP; its step at the end
#	held QPN		the QP whose last packet came last
#	ce STEP POSITION	one line for each packet that carries CE, in order
#	wrong TEXT		a CE mark on a packet that may not have one

# The serial-number difference of two steps of 16 bits: above 0 if a is ahead.
function step_diff(a, b,	d)
{
	d = (a - b + 65536) % 65536
	return d < 32768 ? d : d - 65536
}

function is_data(opcode)
{
	opcode = opcode % 32
	return opcode <= 11 || (opcode >= 13 && opcode <= 16) || opcode == 22 || opcode == 23
}

# FIRST or ONLY of SEND, WRITE and READ RESPONSE.
function is_first(opcode)
{
	opcode = opcode % 32
	return opcode == 0 || opcode == 4 || opcode == 5 || opcode == 6 || opcode == 10 ||
	       opcode == 11 || opcode == 13 || opcode == 16 || opcode == 23
}

function is_last(opcode)
{
	opcode = opcode % 32
	return (opcode >= 2 && opcode <= 5) || (opcode >= 8 && opcode <= 11) ||
	       opcode == 15 || opcode == 16 || opcode == 22 || opcode == 23
}

{
	sport = $1; qpn = $2; opcode = $3; psn = $4; ecn = $5
	packets++
	if (!is_data(opcode)) {
		control++
		if (ecn == 3)
			print "wrong CE on opcode " opcode
		next
	}
	data++
	if (ecn == 0)
		not_ect++
	if (!(qpn in next_psn)) {
		# joins at the smallest step
		order[++qps] = qpn
		steps[qpn] = step_min + 0
		next_psn[qpn] = base[qpn] = psn
		known[qpn] = is_first(opcode)
		joins[qpn] = 1
	} else if (joins[qpn] && step_diff(step_min, steps[qpn]) < 0) {
		steps[qpn] = step_min
	}
	held = qpn
	step = steps[qpn]
	position = known[qpn] ? (psn - base[qpn] + 16777216) % 16777216 + 1 : 0
	# sent again: of the step before, unless it is of this one
	if ((psn - base[qpn] + 16777216) % 16777216 >= 8388608) {
		step = (step + 65535) % 65536
		position = 0
	}
	if (psn == next_psn[qpn]) {
		next_psn[qpn] = (psn + 1) % 16777216
		if (is_last(opcode)) {
			steps[qpn] = (steps[qpn] + 1) % 65536
			base[qpn] = next_psn[qpn]
			known[qpn] = 1
			joins[qpn] = 0
		}
		ends = is_last(opcode)
	} else {
		ends = 0
	}
	per_qp[qpn]++
	if (data == 1)
		step_min = step

	ahead = step_diff(step, step_min) > 0
	if (ahead)
		outpacing++
	before = step_min
	last += is_last(opcode)
	if (ends) {
		step_min = (step + 1) % 65536
	} else if (step_diff(step, step_min) < 0) {
		step_min = step
	}
	if (step_min != before)
		moves++
	if (ecn == 3) {
		ce++
		ce_of[qpn]++
		print "ce", step, position
		if (step_diff(step, step_min) <= 0)
			print "wrong CE on step " step ", which was not ahead of " step_min
	}
}

END {
	print "held", held
	print "count packets", packets + 0
	print "count data", data + 0
	print "count control", control + 0
	print "count outpacing", outpacing + 0
	print "count lagging", data - outpacing
	print "count last_seen", last + 0
	print "count moves", moves + 0
	print "count ce", ce + 0
	print "count not_ect", not_ect + 0
	for (i = 1; i <= qps; i++)
		print "qp", order[i], steps[order[i]], per_qp[order[i]], ce_of[order[i]] + 0
}
