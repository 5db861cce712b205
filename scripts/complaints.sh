# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What a kernel's log says: complaints, and deaths it is not to blame for. Sourced.

# kernel_complaints LOG TAINTED: print the complaints in a kernel's log and what
# its taint flags say, nothing if it is clean.
kernel_complaints()
{
	splat='WARNING:|BUG:|\bBUG\b|Oops|general protection|Call Trace|cut here'
	splat="$splat|KASAN|KCSAN|KFENCE|UBSAN|unreferenced object|refcount_t:"
	splat="$splat|possible (recursive|circular) locking|inconsistent lock state|suspicious RCU"
	splat="$splat|detected stalls|self-detected stall|soft lockup|hard LOCKUP|blocked for more than"
	splat="$splat|scheduling while atomic|sleeping function|page allocation failure"
	splat="$splat|Kernel panic|waiting for .* to become free|Out of memory:"
	[ -r "$1" ] || { echo "there is no log $1"; return; }
	# An initialisation message of KASAN is none, nor is the trace of who hit the limit of
	# his group's memory; that the machine had none left is. Of races, which the kernel has
	# of its own, those count that name the module, but for where it was when an interrupt came,
	# and for the statistics of any qdisc, which the core reads without the lock they change under.
	awk '/BUG: KCSAN:/ {
		race = $0
		ours = 0
		core = /data-race in .*(tc_fill_qdisc|gnet_stats_copy_(basic|queue))/
	     }
	     race != "" {
		if (/ of [0-9]+ bytes by /)
			interrupted = 0
		else if (/ asm_(sysvec|common_interrupt)/)
			interrupted = 1
		ours = ours || !core && !interrupted && /symphony_|sch_symphony/
		if (/======/) {
			if (ours)
				print race
			race = ""
		}
		next
	     }
	     END { if (race != "" && ours) print race }
	     /invoked oom-killer/ { limit = 1 }
	     limit && /Call Trace/ { limit = 0; next }
	     { print }' "$1" | grep -a -E "$splat" |
		grep -v -E 'KernelAddressSanitizer initialized|kasan:.*init' || [ $? -eq 1 ]
	# Bits 12, 13 and 18: module from outside the tree, unsigned module, test module.
	case $2 in
	'' | *[!0-9]*)	echo "no taint flags of the kernel: '$2'" ;;
	*)		[ $(($2 & ~0x43000)) -eq 0 ] || echo "the kernel is tainted: $2" ;;
	esac
}

# emulator_fault LOG: true if the first register dump in a guest's console shows
# flags that no processor in 64-bit mode can have: bit 17 (virtual 8086 mode) or one
# of those above 21, which are always 0. QEMU's emulation now and then takes another
# register for them, and the kernel dies of that without being at fault. Later dumps
# prove nothing: a kernel that has smashed its stack shows what it wrote there.
emulator_fault()
{
	flags=$(sed -n 's/.*EFLAGS: \([0-9a-f]\{8,16\}\).*/\1/p' "$1" | head -n 1)
	[ $((0x${flags:-0} & ~0x3dffff)) -ne 0 ]
}
