# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What counts as a complaint of the kernel in its log. Sourced.

# kernel_complaints LOG TAINTED: print the complaints in a kernel's log and what
# its taint flags say, nothing if it is clean.
kernel_complaints()
{
	splat='WARNING:|BUG:|\bBUG\b|Oops|general protection|Call Trace|cut here'
	splat="$splat|KASAN|KCSAN|KFENCE|UBSAN|unreferenced object|refcount_t:"
	splat="$splat|possible (recursive|circular) locking|inconsistent lock state|suspicious RCU"
	splat="$splat|detected stalls|self-detected stall|soft lockup|hard LOCKUP|blocked for more than"
	splat="$splat|scheduling while atomic|sleeping function|page allocation failure"
	splat="$splat|Kernel panic|waiting for .* to become free"
	# An initialisation message of KASAN is none.
	grep -a -E "$splat" "$1" | grep -v -E 'KernelAddressSanitizer initialized|kasan:.*init' || [ $? -eq 1 ]
	# Bits 12, 13 and 18: module from outside the tree, unsigned module, test module.
	if [ $(($2 & ~0x43000)) -ne 0 ]; then
		echo "the kernel is tainted: $2"
	fi
	return 0
}
