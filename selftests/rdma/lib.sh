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
# the router's scripts/vm. Results are below DIR/shared, a directory a phase; what
# scripts/vm says is in DIR/guests.log. Should a guest die of what is not its
# command's doing, and nothing else be amiss, all three are run once more.
rdma_run()
{
	local kernel=$1 dir=$2 status=0

	shift 2
	: > "$dir/guests.log"
	rdma_try "$@" || status=$?
	if [ "$status" -eq 123 ]; then
		grep '^vm: ' "$dir/guests.log" >&2
		echo "running all three guests once more" >&2
		rdma_forget
		status=0
		rdma_try "$@" || status=$?
	fi
	return "$status"
}

# rdma_try OPTION...: run the guests once, for a status as of rdma_verdict.
rdma_try()
{
	local sockets sender receiver codes=(0 0 0)

	# The path of a socket may have 107 characters.
	sockets=$(mktemp -d /tmp/rdma.XXXXXX)
	rdma_vm sender --nic "52:54:00:00:00:01,$sockets/s,$sockets/rs" &
	sender=$!
	rdma_vm receiver --nic "52:54:00:00:00:04,$sockets/d,$sockets/rd" &
	receiver=$!
	rdma_vm router --nic "52:54:00:00:00:02,$sockets/rs,$sockets/s" \
		--nic "52:54:00:00:00:03,$sockets/rd,$sockets/d" "$@" || codes[1]=$?
	wait "$sender" || codes[0]=$?
	wait "$receiver" || codes[2]=$?
	rm -rf "$sockets"
	rdma_verdict "${codes[@]}"
}

# rdma_verdict SENDER ROUTER RECEIVER: what three statuses of scripts/vm come to. 0 if
# all are 0; 123 if one is and the others are 0 or 143, which is how a guest ends
# that is told of another's end; but that may hide that its kernel complained.
rdma_verdict()
{
	local role result=0

	for role in sender router receiver; do
		case $1 in
		0)	;;
		123)	result=123 ;;
		143)
			[ ! -s "$dir/$role/complaints" ] || return 1
			[ "$result" -ne 0 ] || result=1
			;;
		*)	return 1 ;;
		esac
		shift
	done
	return "$result"
}

# Removes what a run left; "failed" last, so that who watches sees no old file.
rdma_forget()
{
	find "$dir/shared" -mindepth 1 ! -name phases ! -name welcome ! -name failed -delete
	rm -f "$dir/shared/failed"
}

# rdma_vm ROLE OPTION...
rdma_vm()
{
	local role=$1 command=(bash "$rdma_here/guest.sh" "$1") status=0

	shift
	"$top/scripts/vm" --kernel "$kernel" --cpus 1 --mem 768 --name "$role" --quiet \
		--timeout "${RDMA_TIMEOUT:-800}" --out "$dir/$role" --share "$dir/shared" \
		--env SHARED="$dir/shared" "$@" -- "${command[@]}" 2>> "$dir/guests.log" || status=$?
	# The others would wait for this one.
	[ "$status" -eq 0 ] || : > "$dir/shared/failed"
	return "$status"
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
