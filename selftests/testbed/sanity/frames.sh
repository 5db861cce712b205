# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Frames byte by byte. Sourced by guest.sh.

# hex_frames FILE: of tcpdump -xx, a line of hexadecimal digits a frame.
hex_frames()
{
	awk '
		/^[^ \t]/ { if (frame != "") print frame; frame = ""; next }
		{ sub(/^[ \t]*0x[0-9a-f]*:/, ""); gsub(/[ \t]/, ""); frame = frame $0 }
		END { if (frame != "") print frame }' "$1"
}

# crc32 HEX: of these bytes, as it is stored. gzip is the second opinion.
crc32()
{
	# shellcheck disable=SC2059	# the octal escapes are the data
	printf "$(echo "$1" | awk '{
		for (i = 1; i < length($0); i += 2)
			printf "\\%03o", 16 * digit(substr($0, i, 1)) + digit(substr($0, i + 1, 1))
	}
	function digit(c) { return index("0123456789abcdef", c) - 1 }')" |
		gzip -c | tail -c 8 | od -An -tx1 -N4 | tr -d ' \n'
}

# icrc HEX: what the ICRC of a frame over IPv4 must be. Ones stand for TOS, TTL,
# IP and UDP checksum and the first reserved byte of the BTH.
icrc()
{
	crc32 "$(echo "$1" | awk '{
		ip = substr($0, 29, length($0) - 28 - 8)
		print "ffffffffffffffff" substr(ip, 1, 2) "ff" substr(ip, 5, 12) "ff" \
			substr(ip, 19, 2) "ffff" substr(ip, 25, 28) "ffff" substr(ip, 57, 8) \
			"ff" substr(ip, 67)
	}')"
}

# frame DESCRIPTION HEX PATTERN: the frame is that, .... for the IP checksum and
# whatever stands before the ICRC, and the ICRC is right.
frame()
{
	body=${2%????????}
	if ! echo "$body" | grep -qx "$3"; then
		note "want: $3"
		note "have: $body"
		point 1 "$1"
		return
	fi
	equal "$1" "$(icrc "$2")" "${2#"$body"}"
}

# capture FILTER FRAMES HOSTS: run the commands on standard input, with the
# frames on h0's link that match in /tmp/frames.
capture()
{
	cat > /tmp/capture-commands
	ip netns exec t0 tcpdump -i t0h0 -n -xx -c "$2" --immediate-mode "$1" \
		> /tmp/tcpdump 2> /tmp/tcpdump.log &
	pid=$!
	until grep -q listening /tmp/tcpdump.log; do
		sleep 0.01
	done
	run "$3" < /tmp/capture-commands
	wait $pid
	hex_frames /tmp/tcpdump > /tmp/frames
}

nth_frame()
{
	sed -n "$1p" /tmp/frames
}

test_frames()
{
	build hosts=2
	down=020000000001 up=020000000002
	h0=0a000100 h1=0a000101
	zeros256=$(printf '%0512d' 0)

	# Job 0x1234: its high six bits 0x24, its low seven 0x34.
	capture "udp" 5 2 <<-END
		set mtu 256
		set psn zero
		set icrc on
		flow 4660 src 0 dst 1 bytes 600 step 5
		flow 4660 src 0 dst 1 bytes 61 step 16389 start 1ms
	END
	from_h0=$down${up}0800
	to_h1=$h0$h1
	frame "WRITE FIRST is byte-exact" "$(nth_frame 1)" \
		"${from_h0}4502013c000040004011....${to_h1}c00512b7012800000600ffff240000013400000000000000000000000000000100000258$zeros256"
	frame "WRITE MIDDLE is byte-exact" "$(nth_frame 2)" \
		"${from_h0}4502012c000040004011....${to_h1}c00512b7011800000700ffff2400000134000001$zeros256"
	frame "WRITE LAST with immediate asks for an ACK" "$(nth_frame 3)" \
		"${from_h0}45020088000040004011....${to_h1}c00512b7007400000900ffff24000001b400000200000258$(printf '%0176d' 0)"
	frame "ACK is byte-exact" "$(nth_frame 4)" \
		"${up}${down}080045100030000040003f11....$h1${h0}c00012b7001c00001100ffff240000013400000200000000"
	bth=0b30ffff24000002b4000000
	reth=0000000000000000000000020000003d
	frame "WRITE ONLY with immediate, padded; the step is 14 bits" "$(nth_frame 5)" \
		"${from_h0}45020080000040004011....${to_h1}c00512b7006c0000$bth${reth}0000003d$(printf '%0128d' 0)"

	# The second packet is lost: the third makes a NAK for PSN 1.
	capture "udp and src host 10.0.1.1" 1 2 <<-END
		set mtu 256
		set psn zero
		fault t0h1 drop 1 5 2
		flow 1 src 0 dst 1 bytes 1000 step 5
	END
	frame "NAK is byte-exact" "$(nth_frame 1)" \
		"${up}${down}080045100030000040003f11....$h1${h0}c00012b7001c00001100ffff000000010100000160000000"

	# A sender that marks its own packets gets a CNP.
	capture "udp and src host 10.0.1.1" 1 2 <<-END
		set mtu 256
		set data_tos 3
		set cnp_tos 0xc0
		dcqcn sigcomm15
		flow 1 src 0 dst 1 bytes 1000 step 5
	END
	frame "CNP is byte-exact" "$(nth_frame 1)" \
		"${up}${down}080045c0003c000040003f11....$h1${h0}c00012b7002800008100ffff4000000100000000$(printf '%032d' 0)"
}
