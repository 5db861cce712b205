# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Three guests, sender - router - receiver, and RDMA traffic between them.
# Sourced, after "top" has been set.

rdma_here=${top:?}/selftests/rdma

# rdma_missing: print what is not installed; true if anything is.
rdma_missing()
{
	local tool missing=

	for tool in qemu-system-x86_64 ib_write_bw rdma tcpdump jq; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$tool" > /dev/null || missing+=" $tool"
	done
	[ -z "$missing" ] || echo "not installed:$missing"
	[ -n "$missing" ]
}

# rdma_run KERNEL DIR [OPTION]...: carry out DIR/shared/phases. The options go to
# the router's scripts/vm. Results are below DIR/shared, a directory a phase.
rdma_run()
{
	local kernel=$1 dir=$2 sockets status=0 sender receiver

	shift 2
	# The path of a socket may have 107 characters.
	sockets=$(mktemp -d /tmp/rdma.XXXXXX)
	rdma_vm sender --nic "52:54:00:00:00:01,$sockets/s,$sockets/rs" &
	sender=$!
	rdma_vm receiver --nic "52:54:00:00:00:04,$sockets/d,$sockets/rd" &
	receiver=$!
	rdma_vm router --nic "52:54:00:00:00:02,$sockets/rs,$sockets/s" \
		--nic "52:54:00:00:00:03,$sockets/rd,$sockets/d" "$@" || status=$?
	wait "$sender" || status=$?
	wait "$receiver" || status=$?
	rm -rf "$sockets"
	return "$status"
}

# rdma_vm ROLE OPTION...
rdma_vm()
{
	local role=$1 command=(bash "$rdma_here/guest.sh" "$1")

	shift
	"$top/scripts/vm" --kernel "$kernel" --cpus 1 --mem 768 --name "$role" --quiet \
		--timeout "${RDMA_TIMEOUT:-400}" --out "$dir/$role" --share "$dir/shared" \
		--env SHARED="$dir/shared" "$@" -- "${command[@]}" && return
	# The others would wait for this one.
	: > "$dir/shared/failed"
	return 1
}

# rdma_packets PHASE_DIR: judge the capture, see model.awk.
rdma_packets()
{
	"$rdma_here/rocecap" "$1/receiver.pcap" > "$1/packets" &&
	awk -f "$rdma_here/model.awk" "$1/packets" > "$1/model"
}

# rdma_count PHASE_DIR NAME: a count of the capture.
rdma_count()
{
	awk -v name="$2" '$1 == "count" && $2 == name { print $3 }' "$1/model"
}

# rdma_counter PHASE_DIR NAME: a counter of tc -s -j.
rdma_counter()
{
	jq ".[] | select(.kind == \"symphony\") | .$2" "$1/router.json"
}
