#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the test device, the traffic module and the topology builder, in
# User Mode Linux with virtual time: guest.sh TOPO [quick]. run.sh makes TAP of it.
. "$(dirname "$0")/../../lib/help.sh"

set -eu
topo=$1
quick=${2:-}
cd "$(dirname "$0")"
# shellcheck source=selftests/testbed/sanity/lib.sh
. ./lib.sh
# shellcheck source=selftests/testbed/sanity/frames.sh
. ./frames.sh

red="qdisc replace dev DEV root handle 1: red limit 4000000 min 50000 max 100000
	probability 0.2 avpkt 1000 burst 52 bandwidth 10gbit ecn"
red=$(echo "$red" | tr -d '\n')

# Bytes on the wire of a message: BYTES in packets of MTU, see facts of RoCEv2:
# Ethernet 14, IP 20, UDP 8, BTH 12, ICRC 4; RETH 16 first, ImmDt 4 last; 24 more
# for preamble, FCS and gap.
wire_bytes()
{
	awk -v bytes="$1" -v mtu="$2" 'BEGIN {
		n = int((bytes + mtu - 1) / mtu)
		print bytes + n * (14 + 20 + 8 + 12 + 4 + 24) + 16 + 4
	}'
}

test_idle_flow()
{
	build hosts=2
	run 2 <<-END
		flow 1 src 0 dst 1 bytes 10m step 1
	END
	# 0.8 ns a byte; two hops of 1 us there and back, one packet more in the
	# switch, and the ACK.
	ideal=$(wire_bytes 10000000 4096 | awk '{ printf "%d", $1 * 0.8 + 4000 + 3358 + 144 }')
	end=$(value end_ns)
	check "a flow on an idle path takes the theoretical time to 0.5 %" \
		"$end > $ideal * 0.995 && $end < $ideal * 1.005"
}

test_full_port()
{
	build hosts=9 "qdisc=$red"
	run 9 <<-END
		dcqcn off
		set rto 1s
		flow 1 src 0 dst 8 bytes 1m step 0
		flow 1 src 1 dst 8 bytes 1m step 0
		flow 1 src 2 dst 8 bytes 1m step 0
		flow 1 src 3 dst 8 bytes 1m step 0
	END
	busy=$(of_port t0h8 busy_ns)
	# from the first packet's arrival to the last packet's departure
	span=$(($(value end_ns) - 3358 - 1000 - 1000 - 72 - 72 - 2000))
	check "a full port carries line rate to 0.1 %" \
		"$busy > $span * 0.999 && $busy < $span * 1.001"
	requeues=$(tc -n t0 -s qdisc show dev t0h8 | sed -n 's/.*requeues \([0-9]*\)).*/\1/p')
	check "a root qdisc gives out a packet when it leaves, not before" "$requeues <= 1"
}

test_share()
{
	build hosts=3 "qdisc=$red"
	for set in sigcomm15 hpcc conweave; do
		run 3 <<-END
			dcqcn $set
			set ack_every 1
			flow 1 src 0 dst 2 bytes 1g step 0
			flow 1 src 1 dst 2 bytes 1g step 0
		END
		first=$(column end_ns | sort -n | head -n 1)
		last=$(column end_ns | sort -n | tail -n 1)
		check "two DCQCN flows share a port to 5 % ($set)" "$first > $last * 0.95"
	done
}

# What sigcomm15 does at a CNP, from one record: the target is the old rate, and
# alpha tells what it was before.
test_rates()
{
	run 3 <<-END
		dcqcn sigcomm15
		trace rates on
		flow 1 src 0 dst 2 bytes 50m step 0
		flow 1 src 1 dst 2 bytes 50m step 0
	END
	wrong=$(awk -F, '
		NR > 1 {
			g = 1 / 256
			alpha = ($6 / 1e9 - g) / (1 - g)
			rate = $5 * (1 - alpha / 2)
			if (rate < 100e6)
				rate = 100e6
			if (alpha < -1e-6 || alpha > 1 + 1e-6 || $4 > rate * 1.00001 || $4 < rate * 0.99999)
				wrong++
		}
		END { print (NR > 20 ? wrong + 0 : "too few") }' $control/rates)
	equal "every CNP lowers the rate as the formula says" 0 "$wrong"
	records=$(awk -F, 'NR > 1 { n++ } END { print n + 0 }' $control/rates)
	equal "there is a record for every CNP" "$(value job1_cnps)" "$records"
}

test_marks()
{
	build hosts=3 "qdisc=$red"
	run 3 <<-END
		set icrc on
		flow 1 src 0 dst 2 bytes 10m step 0
		flow 1 src 1 dst 2 bytes 10m step 0
	END
	marked=$(tc -n t0 -s qdisc show dev t0h2 | sed -n 's/.*marked \([0-9]*\) .*/\1/p')
	check "there are marks" "$marked > 0"
	equal "every mark of the switch reaches the receiver's record" "$marked" "$(value job1_ce)"
	equal "and leaves the ICRC right" 0 "$(value icrc_bad)"
}

test_ring()
{
	build hosts=8
	run 8 <<-END
		job 1 chunk 1m
		ring 1 0-7
	END
	bound=$(wire_bytes 1000000 4096 | awk '{ printf "%d", $1 * 0.8 * 14 }')
	end=$(value end_ns)
	check "a ring without contention reaches the lower bound to 2 %" \
		"$end >= $bound && $end < $bound * 1.02"
	equal "a ring of 8 has 14 steps of 8 nodes" 112 "$(value flows)"
	equal "without contention one step is in flight" 1 "$(value job1_max_in_flight)"

	run 8 <<-END
		job 1 chunk 200k passes 3 first_step 16370
		ring 1 0-7
		ring 1 0-7/2
	END
	equal "steps grow over passes, also past 2^14" "16370 16411" \
		"$(column step | sort -n | sed -n '1p;$p' | xargs)"
	equal "two rings, three passes: all steps of all nodes" 672 "$(value flows)"
	equal "passes are recorded" 3 "$(awk -F, 'NR > 1' $control/collectives | wc -l)"

	# Rings of 5 and 3: the short one waits, or does not.
	for barrier in on off; do
		run 8 <<-END
			job 1 chunk 100k passes 3 barrier $barrier
			ring 1 0-4
			ring 1 5-7
		END
		early=$(awk -F, 'NR == FNR { end[$2] = $4; next }
			FNR > 1 && $3 > 0 && $8 < end[$3 - 1] { n++ }
			END { print n + 0 }' $control/collectives $control/flows)
		[ $barrier = off ] || equal "behind a barrier nobody begins before all are done" 0 "$early"
		[ $barrier = on ] || check "without one a short ring does not wait" "$early > 0"
	done

	# The path's record has what the source port says of the step.
	for sport in step entropy; do
		run 8 <<-END
			job 1 chunk 100k mode qp-per-ring sport $sport
			ring 1 0-7
			trace paths on
		END
		ports=$(awk -F, 'NR > 1 && !seen[$1, $2]++ { n++ } END { print n }' $control/paths)
		[ $sport = entropy ] || equal "8 queue pairs carry 14 steps in their source ports" 112 "$ports"
		[ $sport = step ] || equal "or one number each" 8 "$ports"
	done
	equal "every message's path is recorded" 112 "$(awk 'NR > 1' $control/paths | wc -l)"

	run 8 <<-END
		job 1 chunk 200001 messages 2
		ring 1 0-7
	END
	equal "a step may go in two messages" "224 22400112 14" \
		"$(value flows) $(column bytes | awk '{ s += $1 } END { print s }') $(column step | sort -u | wc -l)"

	for mode in qp-per-step qp-per-ring; do
		run 8 <<-END
			job 1 chunk 200k mode $mode
			grid 1 4x2 0-7
		END
		# 3 + 2 + 3 steps of 8 nodes; along columns half a chunk
		equal "a 2D ring sends its messages ($mode)" "64 11200000" \
			"$(value flows) $(column bytes | awk '{ s += $1 } END { print s }')"
	done
	equal "qp-per-ring keeps a connection a neighbour" 16 "$(column qp | sort -u | wc -l)"
}

# Messages of trees that were sent before what they are made of was there, and hosts
# that went on before all was.
too_early()
{
	awk -F, -v pipeline="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			step[++n] = $column["step"]; src[n] = $column["src"]; dst[n] = $column["dst"]
			start[n] = $column["start_ns"]
			if (src[n] > dst[n]) {
				below[dst[n]]
				if ($column["end_ns"] > up[dst[n], step[n]])
					up[dst[n], step[n]] = $column["end_ns"]
			} else {
				down[dst[n], step[n]] = $column["end_ns"]
			}
		}
		END {
			for (i = 1; i <= n; i++) {
				if (src[i] < dst[i] && src[i])
					early += start[i] <= down[src[i], step[i]] + 0
				else if (src[i] in below)
					early += start[i] <= up[src[i], step[i]] + 0
				last = int(step[i] / pipeline) * pipeline - 1
				if (src[i] > dst[i] && last > 0)
					early += start[i] <= down[src[i], last] + 0
			}
			print early + 0
		}' $control/flows
}

test_tree()
{
	build hosts=7
	# Two hosts send to the one above them, and it sends to both: messages of two
	# take their time one after the other.
	message=$(wire_bytes 1000000 4096 | awk '{ printf "%d", $1 * 0.8 }')
	run 7 <<-END
		job 1 chunk 1m pipeline 4 mode qp-per-ring
		tree 1 0-2
	END
	end=$(value end_ns)
	check "a tree of 3 and 4 chunks: five pairs of messages" \
		"$end > 10 * $message && $end < 10 * $message * 1.02"
	run 7 <<-END
		job 1 chunk 1m pipeline 1 mode qp-per-ring
		tree 1 0-6
	END
	end=$(value end_ns)
	check "a tree of 7 and one chunk: two pairs up and two down" \
		"$end > 8 * $message && $end < 8 * $message * 1.02"

	run 7 <<-END
		set reduce 8000
		set endpoint 1us
		job 1 chunk 100k pipeline 1 mode qp-per-ring
		tree 1 0,1
	END
	# one message up, added up at 1 ns a byte, one down
	idle=$(column end_ns | head -n 1)
	equal "a chunk is added up before it goes on" $((idle + 101000)) "$(column start_ns | tail -n 1)"

	for barrier in off on; do
		run 7 <<-END
			job 1 chunk 100k pipeline 5 passes 3 first_step 16370 mode qp-per-ring messages 2 barrier $barrier
			tree 1 0-6
			tree 1 6,2,3,1
			trace paths on
		END
		# 12 connections and 6, 15 chunks of two messages
		equal "trees send all their messages (barrier $barrier)" "540 27000000 18 16370 16384 1" \
			"$(value flows) $(value job1_bytes) $(column qp | sort -u | wc -l) $(column step | sort -n | sed -n '1p;$p' | xargs) $(value complete)"
		equal "in three passes (barrier $barrier)" 3 "$(awk -F, 'NR > 1' $control/collectives | wc -l)"
		early=$(awk -F, 'NR > 1 { n += $3 < last + 0; last = $4 } END { print n }' $control/collectives)
		[ $barrier = off ] || equal "behind a barrier no tree begins before all are done" 0 "$early"
		[ $barrier = on ] || check "without one a small tree does not wait" "$early > 0"
	done
	equal "each path says the step" 15 \
		"$(awk -F, 'NR > 1 { print $2 }' $control/paths | sort -u | wc -l)"

	run 7 <<-END
		job 1 chunk 100k pipeline 5 passes 3 mode qp-per-ring sport entropy
		tree 1 0-6
		trace paths on
	END
	equal "no chunk goes on before it is there, no host before its pass is done" "180 0" \
		"$(value flows) $(too_early 5)"
	equal "or 12 numbers" 12 "$(awk -F, 'NR > 1 { print $2 }' $control/paths | sort -u | wc -l)"
	run 7 <<-END
		set rto 1ms
		fault t0h0 drop 1 2 last
		fault t0h1 drop 1 3 first
		job 1 chunk 100k pipeline 5 mode qp-per-ring
		tree 1 0-6
	END
	equal "a tree completes with losses" "1 60 1 1" \
		"$(value complete) $(value flows) $(of_port t0h0 drops_fault) $(of_port t0h1 drops_fault)"

	for wrong in "mode qp-per-step:its mode is not qp-per-ring" \
			"mode qp-per-ring collective all_gather:its collective is no allreduce"; do
		printf '%s\n' reset "hosts h 7" "job 1 ${wrong%:*}" "tree 1 0-6" > $control/command
		try start || :
		equal "refused: ${wrong#*:}" "tree: job 1 cannot have one, ${wrong#*:}" "$(cat /tmp/error)"
	done
	printf '%s\n' reset "hosts h 7" "job 1 mode qp-per-ring" "tree 1 0-6" "layer 1" > $control/command
	try start || :
	equal "refused: a model" "tree: job 1 cannot have one, it has layers" "$(cat /tmp/error)"
}

# Two layers of 1 ms forward and 2 ms backward, the second one four times as large.
model()
{
	cat <<-END
		job 1 passes 2 $*
		ring 1 0-3
		layer 1 bytes 400k forward 1ms backward 2ms update 500us
		layer 1 bytes 1600k forward 1ms backward 2ms update 500us
	END
}

# of_layer CHUNK PASS COLUMN: of the flows of a layer, which its messages' size tells.
of_layer()
{
	awk -F, -v bytes="$1" -v pass="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["bytes"] == bytes && $column["pass"] == pass { print $column[name] }' \
		$control/flows | sort -n
}

test_training()
{
	build hosts=4
	model | run 4
	# 2 passes of 6 steps of 4 nodes a layer
	equal "a model sends the gradients of its layers" "96 24000000" \
		"$(value flows) $(column bytes | awk '{ s += $1 } END { print s }')"
	equal "the last layer's collective comes first, and its steps" "0 5 12 17" \
		"$(of_layer 400000 0 step | sed -n '1p;$p' | xargs) $(of_layer 400000 1 step | sed -n '1p;$p' | xargs)"
	equal "the first layer's steps follow" "6 11 18 23" \
		"$(of_layer 100000 0 step | sed -n '1p;$p' | xargs) $(of_layer 100000 1 step | sed -n '1p;$p' | xargs)"
	equal "a gradient is sent when its backward pass is done" "4000010 6000010" \
		"$(of_layer 400000 0 start_ns | head -n 1) $(of_layer 100000 0 start_ns | head -n 1)"
	# 0.5 ms update, 1 ms forward twice, 2 ms backward
	begin=$(of_layer 400000 1 start_ns | head -n 1)
	end=$(of_layer 100000 0 end_ns | tail -n 1)
	check "the next pass waits for the first layer's gradient" \
		"$begin - $end >= 4500000 && $begin - $end < 4501000"

	model | sed 's/ward [12]ms/ward 0/g' | run 4
	check "gradients of two layers are under way at once" "$(value job1_max_in_flight) > 1"
	check "and what waits for them ends" "$(value complete) == 1"
	model mode qp-per-ring | run 4
	equal "the layers share a connection a neighbour" 4 "$(column qp | sort -u | wc -l)"
	model | sed 's/^ring.*/grid 1 2x2 0-3/' | run 4
	# 1 + 2 + 1 steps of 4 nodes a layer and pass
	equal "a 2D ring reduces them, too" "64 1" "$(value flows) $(value complete)"
	model barrier on | sed '1i reset\nhosts h 4' > $control/command
	try start || :
	equal "a model has no barrier" \
		"layer: job 1 has a barrier or gap, but layers wait for their gradients" \
		"$(cat /tmp/error)"
}

test_pfc()
{
	for classes in 1 2; do
		build hosts=9 classes=$classes buffer=1m pfc=on
		incast
		equal "PFC loses nothing, $classes queues a port" "0 0" \
			"$(sum_ports drops_buffer) $(value job1_retx)"
		check "PFC pauses, $classes queues a port" "$(sum_ports pauses) > 0"
		stops=$(awk -F, '$3 == 1' $control/pauses | wc -l)
		equal "every pause is recorded, $classes queues a port" "$(sum_ports pauses)" "$stops"
	done
}

incast()
{
	for src in 0 1 2 3 4 5 6 7; do
		echo "flow 1 src $src dst 8 bytes 2m step 0"
	done > /tmp/flows
	{
		echo "dcqcn off"
		cat /tmp/flows
	} | run 9
}

test_drop_tail()
{
	build hosts=9 buffer=1m
	incast
	check "a shared buffer without PFC drops, and go-back-N repeats" \
		"$(sum_ports drops_buffer) > 0 && $(value job1_retx) > 0 && $(value complete) == 1"

	build hosts=9 "qdisc=qdisc replace dev DEV root handle 1: bfifo limit 1000000"
	incast
	dropped=$(tc -n t0 -s qdisc show dev t0h8 | sed -n 's/.*dropped \([0-9]*\),.*/\1/p')
	check "so does a queue of a stated size" \
		"$dropped > 0 && $(value job1_retx) >= $dropped && $(value complete) == 1"
}

test_faults()
{
	build hosts=4
	for fault in "drop 1 2 last" "drop 1 2 first" "drop 1 2 7 count 1" "dup 1 2 first" \
			"dup 1 2 last" "delay 1 2 5 by 20us" "delay 1 2 last by 20us"; do
		run 4 <<-END
			set rto 1ms
			fault t0h1 $fault
			job 1 chunk 100k
			ring 1 0-3
		END
		case $fault in
		drop*)	lost=1 ;;
		*)	lost=0 ;;
		esac
		equal "a ring completes: $fault" "1 24 $lost" \
			"$(value complete) $(value flows) $(of_port t0h1 drops_fault)"
	done
	run 4 <<-END
		set rto 1ms
		fault t0h1 drop 1 2 last
		job 1 chunk 100k
		ring 1 0-3
	END
	check "the lost packet is sent again, after the timeout" \
		"$(value job1_retx) == 1 && $(value end_ns) > 1000000"
	for recovery in 0 50us; do
		run 2 <<-END
			set recovery $recovery
			fault t0h1 drop 1 1 7 count 1
			job 1 chunk 100k
			ring 1 0-1
		END
		ends="${ends:-} $(value end_ns)"
	done
	# shellcheck disable=SC2086  # two words
	set -- $ends
	# in the first run its next packet is due within the time of two
	check "a sender takes its time to go back" "$2 - $1 <= 50000 && $2 - $1 > 46000"
}

test_link()
{
	build hosts=4 tors=2 spines=2
	run 4 <<-END
		set rto 10ms
		link t0s0 down at 100us
		link t0s0 up at 5ms
		rate h1 5000 at 6ms
		job 1 chunk 4m
		ring 1 0,2,1,3
	END
	equal "a run survives a link that goes and comes" 1 "$(value complete)"
	check "what was on the link is lost" "$(sum_ports drops_link) + $(value job1_retx) > 0"
}

test_routing()
{
	build hosts=8 tors=2 spines=2 routing=balanced
	run 8 <<-END
		dcqcn off
		job 1 chunk 400k
		ring 1 0-7/4
	END
	equal "balanced routing loads the uplinks alike" "$(of_port t0s0 tx_packets)" \
		"$(of_port t0s1 tx_packets)"
	loads=
	for seed in 1 2 3 4; do
		build hosts=8 tors=2 spines=2 seed=$seed
		run 8 <<-END
			dcqcn off
			job 1 chunk 400k
			ring 1 0-7/4
		END
		loads="$loads $(of_port t0s0 tx_packets)"
	done
	note "uplink 0 by seed: $loads"
	differ=$(echo "$loads" | xargs -n 1 | sort -u | wc -l)
	check "another seed hashes flows to other uplinks" "$differ > 1"
	build hosts=8 tors=4 spines=1 pods=2 cores=2 core_rate=5gbit skew=t0s0:1.25 print=on \
		> /tmp/devices
	equal "no two devices of a fabric share an index" "" \
		"$(awk -F, 'NR > 1 { print $4 }' /tmp/devices | sort | uniq -d)"
	equal "one device is as much slower as asked for" "t0s0 8000000000" \
		"$(awk -F, 'NR > 1 && $5 == 8e9 { print $1, $5 }' /tmp/devices)"
	run 8 <<-END
		job 1 chunk 400k
		ring 1 0-7/2
	END
	equal "a fabric of two pods with cores carries a ring" 1 "$(value complete)"
}

test_background()
{
	build hosts=3
	run 3 <<-END
		background src 1 dst 2 rate 2000
		flow 1 src 0 dst 2 bytes 10m step 0
	END
	sent=$(of_port h1 tx_bytes)
	end=$(value end_ns)
	check "background traffic keeps its rate to 2 %" \
		"$sent * 8000 / $end > 1940 && $sent * 8000 / $end < 2000"
}

# try COMMAND: what is said about it is in /tmp/error.
try()
{
	if echo "$1" > $control/command; then
		return 0
	fi 2> /dev/null
	cat $control/error > /tmp/error
	return 1
}

test_errors()
{
	refused=0
	while read -r command; do
		if try "$command" || [ ! -s /tmp/error ]; then
			note "not refused: $command"
			refused=1
		fi
	done <<-END
		nonsense
		set mtu 3
		set mtu 4096x
		set nothing 1
		dcqcn nothing
		dcqcn g 1000000001
		job 0
		job 8191
		ring 1 0-99
		ring 1 0,0
		ring 1 0
		tree 1 0
		tree 1 0,3
		job 1 pipeline 0
		job 1 pipeline 1025
		grid 1 2x2 0-2
		layer 1 bytes 0
		flow 1 src 0 dst 0
		flow 1 src 0 dst 77
		fault nowhere drop 1 1 last
		fault t0h0 explode 1 1 last
		link t0h0 down
		link t0h0 sideways at 1ms
		sample everything 1ms
		start
	END
	point $refused "every wrong command is refused with a sentence"
}

# Devices that go in the middle of a run.
test_removal()
{
	build hosts=4
	start 4 <<-END
		job 1 chunk 8m
		ring 1 0-3
	END
	echo until 1ms > $control/command
	ip netns del hosts
	equal "a run ends when its devices go" incomplete "$(cat $control/wait)"
	try start || :
	equal "and only a reset helps" "start: a run has begun, reset first" "$(cat /tmp/error)"
	# Frames that were under way are gone then: the clock is a virtual one.
	sleep 0.01	# time is meant
}

echo reset > $control/command
test_frames
test_idle_flow
test_full_port
[ -n "$quick" ] || test_share
test_rates
test_marks
test_ring
test_tree
test_training
test_pfc
test_drop_tail
test_faults
test_link
test_routing
test_background
test_removal
build hosts=3
echo "reset
hosts h 3" > $control/command
test_errors
build hosts=1
echo reset > $control/command
ip netns del hosts
ip netns del t0
rmmod collgen
rmmod simdev
point 0 "the modules can be removed"
