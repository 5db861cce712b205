#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What scripts/vm makes of a guest that dies, and rdma_run of three: a fault of
# the emulator is no verdict, a panic of the kernel always is one. A script with
# the emulator's name stands for it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
. "$top/scripts/complaints.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The registers at the end of a console, with these flags.
dump()
{
	cat <<-END
	[   14.102311] traps: PANIC: double fault, error_code: 0x0
	[   14.102320] Oops: double fault: 0000 [#1] PREEMPT SMP NOPTI
	[   14.102333] RIP: 0010:finish_task_switch.isra.0+0x8a/0x2b0
	[   14.102341] RSP: 0018:ffffb5c6403c3d60 EFLAGS: $1
	[   14.102348] RAX: 0000000000000000 RBX: ffff9a5d8222b440 RCX: 0000000000000000
	[   14.102352] RDX: 0000000000000000 RSI: 0000000000000000 RDI: ffff9a5d$1
	[   14.102480] Kernel panic - not syncing: Fatal exception in interrupt
	END
}

# verdict FLAGS...: of a console with a dump for each.
verdict()
{
	for flags; do
		dump "$flags"
	done > "$tmp/console"
	if emulator_fault "$tmp/console"; then
		echo emulator
	else
		echo kernel
	fi
}

tap_equal "usual flags: the kernel" kernel "$(verdict 00010246)"
tap_equal "every flag a 64-bit kernel can have: the kernel" kernel "$(verdict 003dffff)"
tap_equal "another register in their place: the emulator" emulator "$(verdict 822b2202)"
tap_equal "the bit of virtual 8086 mode alone: the emulator" emulator "$(verdict 00030246)"
tap_equal "the first of several dumps is what it died of" emulator "$(verdict 822b2202 00000046)"
tap_equal "a later one may be of a stack that was smashed" kernel "$(verdict 00010246 822b2202)"
tap_equal "more digits than a processor prints" emulator "$(verdict ffff9a5d00010246)"
tap_equal "no dump: the kernel" kernel "$(verdict)"

tap_equal "a log that is missing is not clean" "there is no log $tmp/missing" \
	"$(kernel_complaints "$tmp/missing" 0 2> "$tmp/stderr")"

# complains NAME WANT LINE...: WANT of these lines are complaints.
complains()
{
	local name=$1 want=$2

	shift 2
	printf '%s\n' "$@" > "$tmp/kmsg"
	tap_equal "$name" "$want" "$(kernel_complaints "$tmp/kmsg" 0 | wc -l)"
}

complains "a trace" 1 "something" "Call Trace:"
complains "that of who hits the limit of his group's memory is none" 0 \
	"tc invoked oom-killer: order=0" "Call Trace:" "Memory cgroup out of memory: Killed process 478 (tc)"
complains "one after it is" 1 "tc invoked oom-killer: order=0" "Call Trace:" "Call Trace:"
complains "memory of the machine is another matter" 1 \
	"tc invoked oom-killer: order=0" "Call Trace:" "Out of memory: Killed process 478 (tc)"

race()
{
	complains "$1" "$2" "=======" "BUG: KCSAN: data-race in $3 / net_tx_action" \
		"write to 0xffff of 8 bytes by task 1 on cpu 1:" " $4+0x10/0x20" \
		"CPU: 0 UID: 0 PID: 1 Comm: flood Tainted: G O 6.12.117-symphony-kcsan #1" "======="
}

race "a race of the kernel's own is none" 0 __dev_queue_xmit __dev_queue_xmit
race "one of the module is" 1 "symphony_judge [sch_symphony]" symphony_judge
race "also further down" 1 net_tx_action symphony_dequeue
complains "with the core's reading of a qdisc's length is none" 0 \
	"BUG: KCSAN: data-race in symphony_leaves [sch_symphony] / tc_fill_qdisc" \
	"write to 0xff of 4 bytes by interrupt on cpu 0:" " symphony_leaves+0x1/0x2 [sch_symphony]" "===="
complains "nor of its backlog" 0 \
	"BUG: KCSAN: data-race in gnet_stats_copy_queue / symphony_queue_put [sch_symphony]" \
	"write to 0xff of 4 bytes by task 1 on cpu 0:" " symphony_queue_put+0x1/0x2 [sch_symphony]" "===="
complains "the next one counts again" 1 \
	"BUG: KCSAN: data-race in symphony_leaves [sch_symphony] / tc_fill_qdisc" " symphony_leaves+0x1" \
	"====" "BUG: KCSAN: data-race in symphony_judge / symphony_walk" " symphony_judge+0x10" "===="
complains "where an interrupt found it is none" 0 "BUG: KCSAN: data-race in a / b" \
	"write to 0xff of 8 bytes by interrupt on cpu 0:" " a+0x1/0x2" \
	" asm_sysvec_apic_timer_interrupt+0x1/0x2" " symphony_put_job+0x1/0x2 [sch_symphony]" "===="
complains "what it interrupted itself is" 1 "BUG: KCSAN: data-race in a / b" \
	"write to 0xff of 8 bytes by interrupt on cpu 0:" " symphony_dequeue+0x1/0x2 [sch_symphony]" \
	" asm_common_interrupt+0x1/0x2" "read to 0xff of 8 bytes by task 2 on cpu 1:" " b+0x1/0x2"
complains "one that the log ends in" 1 "BUG: KCSAN: data-race in a / b" " symphony_enqueue+0x10"
complains "what comes after it" 1 "BUG: KCSAN: data-race in a / b" "======" "Call Trace:"

# The emulator's n-th run does the n-th of $RUNS: "end" well, or die before the
# command runs ("early"), or with these flags; "untold": it ends, but without a
# word about taint.
mkdir "$tmp/bin"
{
	echo '#!/bin/bash'
	declare -f dump
	cat <<-'END'
	for arg; do
		case $arg in
		*,id=con,path=*) out=$(dirname "${arg##*path=}") ;;
		esac
	done
	echo run >> "$COUNT"
	n=$(wc -l < "$COUNT")
	run=$(echo "$RUNS" | cut -d ' ' -f "$n")
	echo "[    0.000000] Linux version 6" > "$out/console.log"
	[ "$run" != early ] || exit 0
	touch "$out/started"
	echo "output of run $n" >&3
	if [ "$run" != end ] && [ "$run" != untold ]; then
		dump "$run" >> "$out/console.log"
		exit 0
	fi
	echo 0 > "$out/rc"
	[ "$run" = untold ] || echo 0 > "$out/tainted"
	cp "$out/console.log" "$out/kmsg"
	touch "$out/done"
	END
} > "$tmp/bin/qemu-system-x86_64"
chmod +x "$tmp/bin/qemu-system-x86_64"

# dies NAME RUNS WANT [OPTION]...: WANT is the exit status of scripts/vm, the
# number of runs, and what it printed.
dies()
{
	local name=$1 runs=$2 want=$3 have

	: > "$tmp/count"
	have=$(shift 3
		COUNT=$tmp/count RUNS=$runs PATH=$tmp/bin:$PATH "$top/scripts/vm" --bare \
			--accel tcg --out "$tmp/out" "$@" -- true 2> "$tmp/stderr" | paste -s -d ,
		echo "${PIPESTATUS[0]} $(wc -l < "$tmp/count")")
	tap_equal "$name" "$want" "$(echo "$have" | tac | paste -s -d ' ')"
}

nic=(--nic "52:54:00:00:00:01,$tmp/a,$tmp/b")
dies "a run that ends" "end" "0 1 output of run 1"
dies "a panic is never repeated" "00010246 end" "125 1 output of run 1"
dies "nor with a cable" "00010246 end" "125 1 output of run 1" "${nic[@]}"
dies "a fault of the emulator is repeated, and printed once" "822b2202 end" "0 2 output of run 2"
tap_check "and it says so" grep -q "the emulator corrupted the guest's flags" "$tmp/stderr"
dies "once, no more" "822b2202 822b2202 end" "123 2 output of run 2"
dies "and a panic after it is one" "822b2202 00010246 end" "125 2 output of run 2"
dies "with a cable that is left to the caller" "822b2202 end" "123 1 output of run 1" "${nic[@]}"
dies "a guest that never came up is started again" "early end" "0 2 output of run 2"
dies "with a cable too" "early end" "0 2 output of run 2" "${nic[@]}"
dies "that too only once" "early early end" "123 2 "
dies "taint flags that are missing are not clean" "untold" "99 1 output of run 1"

# The answer that is remembered is not to be this machine's.
mkdir "$tmp/kvm-cache"
ln -s "$cache/kernels" "$cache/initramfs" "$tmp/kvm-cache/"
export SYMPHONY_CACHE="$tmp/kvm-cache"
dies "with KVM flags are never the emulator's fault" "822b2202 end" "125 1 output of run 1" --accel kvm
dies "a guest that does not come up with KVM does without" "early end" "0 2 output of run 2" --accel kvm
tap_equal "and that is remembered" tcg "$(sed -n 2p "$tmp/kvm-cache/accel")"
unset SYMPHONY_CACHE

# A cache without an initramfs, and a program that fails to make one.
mkdir "$tmp/cache"
ln -s "$cache/kernels" "$tmp/cache/kernels"
for tool in cpio modprobe; do
	mkdir "$tmp/no-$tool"
	printf '#!/bin/sh\nexit 1\n' > "$tmp/no-$tool/$tool"
	chmod +x "$tmp/no-$tool/$tool"
done
export SYMPHONY_CACHE="$tmp/cache"
PATH=$tmp/no-modprobe:$PATH dies "a kernel without modules: no run" "end" "1 0 "
tap_check "and it says so" grep -q "has no module" "$tmp/stderr"
PATH=$tmp/no-cpio:$PATH dies "no initramfs: no run" "end" "1 0 "
tap_check "and it says so" grep -q "no initramfs" "$tmp/stderr"
unset SYMPHONY_CACHE

# As on a full disk.
mkdir "$tmp/no-output"
cat > "$tmp/no-output/cat" <<'END'
#!/bin/sh
case $(readlink "/proc/$$/fd/1") in
*/output)	exit 1 ;;
esac
exec /bin/cat "$@"
END
chmod +x "$tmp/no-output/cat"
PATH=$tmp/no-output:$PATH dies "output that cannot be kept: no verdict" "end" "1 1 "
tap_check "and it says so" grep -q "cannot write $tmp/out/output" "$tmp/stderr"

# rdma_run in a tree of its own, in which scripts/vm ends as $ENDS says: a line a
# guest, in it a status for each time. The others "wait" and end when one has
# failed; "splat": this one's kernel has complained by then.
mkdir -p "$tmp/tree/scripts" "$tmp/tree/selftests"
cp -r "$top/selftests/rdma" "$tmp/tree/selftests/"
cat > "$tmp/tree/scripts/vm" <<'END'
#!/bin/bash
while [ "$1" != --name ]; do
	shift
done
echo run >> "$DIR/$2.runs"
status=$(awk -v role="$2" -v n="$(wc -l < "$DIR/$2.runs")" '$1 == role { print $(n + 1) }' "$ENDS")
mkdir -p "$DIR/$2"
: > "$DIR/$2/complaints"
case $status in
0)	exit 0 ;;
wait|splat) until [ -e "$DIR/shared/failed" ]; do sleep 0.1; done ;;
esac
case $status in
99|123|125|splat) echo "WARNING: CPU: 0 PID: 1 at here" > "$DIR/$2/complaints" ;;
esac
case $status in
wait|splat) exit 143 ;;
esac
touch "$DIR/shared/old"
echo "vm: the guest died" >&2
exit "$status"
END
chmod +x "$tmp/tree/scripts/vm"

# three NAME WANT SENDER ROUTER RECEIVER: WANT is the status of rdma_run and how
# often it ran the guests.
three()
{
	local name=$1 want=$2 dir=$tmp/three

	shift 2
	rm -rf "$dir"
	mkdir -p "$dir/shared"
	: > "$dir/shared/phases"
	printf '%s\n' "sender $1" "router $2" "receiver $3" > "$tmp/ends"
	tap_equal "$name" "$want" "$(
		export DIR="$dir" ENDS="$tmp/ends"
		top=$tmp/tree
		. "$top/selftests/rdma/lib.sh"
		rdma_run 6.12 "$dir" > /dev/null 2> "$tmp/stderr"
		echo "$? $(sort "$dir"/*.runs | uniq -c | awk '{ print $1 / 3 }')")"
}

three "three guests that end" "0 1" "0" "0" "0"
three "a receiver's panic ends all and is not repeated" "1 1" "wait 0" "wait 0" "125 0"
three "a command that fails is not repeated" "1 1" "1 0" "wait 0" "wait 0"
three "an excused receiver: all three once more" "0 2" "wait 0" "wait 0" "123 0"
tap_check "and it says so" grep -q "once more" "$tmp/stderr"
tap_check "nothing of the first time is left but its phases" \
	test ! -e "$tmp/three/shared/old" -a ! -e "$tmp/three/shared/failed" -a -e "$tmp/three/shared/phases"
three "an excused router" "0 2" "wait 0" "123 0" "wait 0"
three "not a third time" "123 2" "wait wait 0" "wait wait 0" "123 123 0"
three "a panic after it is one" "1 2" "wait 125" "wait wait" "123 wait"
three "two excused guests" "0 2" "123 0" "wait 0" "123 0"
three "a panic beside it is one" "1 1" "wait 0" "125 0" "123 0"
three "so is a complaint" "1 1" "99 0" "wait 0" "123 0"
three "even of a guest that was ended" "1 1" "wait 0" "splat 0" "123 0"
three "a command that fails beside it has failed" "1 1" "wait 0" "1 0" "123 0"
tap_done
