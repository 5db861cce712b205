#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module builds, without a warning of its own, for every kernel this machine has
# headers of, for likenesses of older and newer ones and of one that clang built, and
# is thrown away for no warning but its own.
#
#	SYMPHONY_TREES	more kernel trees, prepared for modules, with colons between
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
. "$top/scripts/kbuild.sh"
cd "$top" || exit 1
# Neither the flags of a make that runs this nor a choice of compiler count here.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES LLVM CC SYMPHONY_STRICT SYMPHONY_KBUILD KDIR

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# headers_of FLAVOUR: its headers' directory.
headers_of()
{
	local headers="" found

	found=$(scripts/kernel "$1" 2> /dev/null) && eval "$found"
	[ -n "$headers" ] && readlink -f "$headers"
}

# What a compiler, make and modpost print, as their own and as others' warnings.
touch "$tmp/own.c"
mkdir "$tmp/kernel"
touch "$tmp/kernel/own.h"
cat > "$tmp/others.log" <<END
make[1]: warning: jobserver unavailable: using -j1.  Add '+' to parent make rule.
make[1]: warning: -j2 forced in submake: resetting jobserver mode.
make[2]: Warning: File 'own.c' has modification time 86399 s in the future
make: warning:  Clock skew detected.  Your build may be incomplete.
warning: the compiler differs from the one used to build the kernel
/usr/include/linux/if.h:12:3: warning: unused variable 'a'
./include/net/sock.h:12:3: warning: unused variable 'a'
WARNING: modpost: "kfree" [$tmp/sch_symphony.ko] undefined!
END
cat > "$tmp/own.log" <<END
$tmp/own.c:12:3: warning: unused variable 'a'
kernel/own.h:12:3: warning: unused variable 'b'
own.c:12: warning: unused variable 'c'
In function 'memcpy',
    inlined from 'f' at $tmp/own.c:9:3:
/usr/include/linux/string.h:5:7: warning: 'd' overflows
WARNING: modpost: missing MODULE_LICENSE() in kernel/sch_symphony.o
END
tap_equal "warnings that are not of the module" "" "$(kbuild_warnings "$tmp/others.log" "$tmp")"
tap_equal "those that are" 5 \
	"$(kbuild_warnings "$tmp/own.log" "$tmp" | grep -c -i 'warning:')"

# What make says of the kernels it builds for.
# shellcheck disable=SC2016	# make's variable
release=$(make -s --eval='print-release: ; @echo $(RELEASE)' print-release)
notice()
{
	make --no-print-directory -s "$@" need-kdir 2>&1 || echo failed
}
if [ -z "$release" ]; then
	tap_skip "what make says without headers of the running kernel" "no headers at all"
else
	tap_equal "without headers of the running kernel make says so first" 1 \
		"$(notice RUNNING=0.0.0-none | grep -c 'no headers of the running kernel, 0.0.0-none,')"
	tap_equal "with them it does not" "" "$(notice RUNNING="$release")"
	tap_equal "nor with headers that were named" "" \
		"$(notice RUNNING=0.0.0-none KDIR="/lib/modules/$release/build")"
fi

# A copy in a path with blanks, with a source from the future and one warning.
copy="$tmp/a tree: two"
module()
{
	make -s --no-print-directory -C "$copy" KDIR="$newest" "$@"
}
newest=$(headers_of 6.12)
if [ -z "$newest" ]; then
	tap_skip "plain make" "no headers of kernel 6.12"
else
	mkdir "$copy"
	git ls-files -z | tar --null -T - -cf - | tar -C "$copy" -xf -
	echo 'static int symphony_unused(void) { return 0; }' >> "$copy/kernel/symphony_trace.c"
	touch -d tomorrow "$copy/kernel/symphony.h"
	tap_check "make -j4, a path with blanks, a clock that is wrong and a warning" module -j4
	built=$copy/out/$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
		"$newest/include/generated/utsrelease.h")/sch_symphony.ko
	tap_check "leave a module" test -s "$built"
	rm -f "$built"
	touch "$copy/kernel/symphony_trace.c"
	export MAKEFLAGS=-j2
	module modules > "$tmp/out" 2>&1
	tap_result $? "MAKEFLAGS=-j2"
	unset MAKEFLAGS
	tap_check "and the warning is shown" grep -q 'warning: .*symphony_unused' "$tmp/out"
	touch "$copy/kernel/symphony_trace.c"
	not_strict()
	{
		! "$copy/scripts/build-module" --strict "$newest"
	}
	tap_check "a check fails by it" not_strict
	tap_check "so does the next, although nothing has changed" not_strict
	mkdir "$tmp/a root"
	tap_check "make install there" module DESTDIR="$tmp/a root" install
	tap_check "it installs the module" \
		test -s "$tmp/a root/lib/modules/$(basename "$(dirname "$built")")/updates/sch_symphony.ko"
	tap_check "make uninstall there" module DESTDIR="$tmp/a root" uninstall
	tap_equal "it leaves nothing" "" "$(find "$tmp/a root" -type f)"
fi

# builds NAME DIR [VARIABLE=VALUE]...
builds()
{
	local name=$1 dir=$2

	shift 2
	tap_check "$name" scripts/build-module --strict --out "$tmp/build" "$dir" "$@"
	rm -rf "$tmp/build"
}

trees=${SYMPHONY_TREES-}
# scripts/lint builds for the kernels the tests run on.
tested=" "
for flavour in $kernel_flavours; do
	tested="$tested$(headers_of "$flavour") "
done
found=
for dir in /lib/modules/*/build /usr/src/kernels/* ${trees//:/ }; do
	dir=$(readlink -f "$dir") || continue
	if [ -e "$dir/include/generated/utsrelease.h" ] && [[ $tested != *" $dir "* ]]; then
		found=1
		tested="$tested$dir "
		# A tree that was not built itself has no list of symbols.
		lax=
		[ -s "$dir/Module.symvers" ] || lax=1
		builds "$dir" "$dir" KBUILD_MODPOST_WARN=$lax
	fi
done
[ -n "$found" ] || tap_skip "other kernels" "no other headers here, SYMPHONY_TREES names none"

# like FLAVOUR NAME: a tree in $tmp/NAME that stands for other headers, of links to
# those of the flavour. Debian's are two directories; the first includes the second.
like()
{
	local headers common

	headers=$(headers_of "$1") || return
	rm -rf "${tmp:?}/$2"
	mkdir "$tmp/$2"
	cp -rs "$headers" "$tmp/$2/build"
	common=$(sed -n 's|^include \(/.*\)/Makefile$|\1|p' "$headers/Makefile")
	if [ -n "$common" ]; then
		cp -rs "$common" "$tmp/$2/source"
		rm "$tmp/$2/build/Makefile"
		echo "include $tmp/$2/source/Makefile" > "$tmp/$2/build/Makefile"
	else
		ln -s build "$tmp/$2/source"
	fi
}

# edit FILE SED_SCRIPT: of a file that is a link.
edit()
{
	local text

	text=$(sed "$2" "$1") && rm "$1" && printf '%s\n' "$text" > "$1"
}

# without TREE NAME...: names that its headers do not have.
without()
{
	local tree=$1 file pattern

	shift
	pattern=$(printf '\\|%s' "$@")
	pattern=${pattern#??}
	grep -rlw "$pattern" "$tree"/source/include/{linux,net} | while read -r file; do
		edit "$file" "s/\\b\\($pattern\\)\\b/absent_&/g"
	done
}

# What kernel 5.15 lacks of what 6.1 has for qdiscs.
if like 6.1 like-5.15; then
	without "$tmp/like-5.15" MODULE_ALIAS_NET_SCH tc_qdisc_stats_dump tc_cls_stats_dump \
		tc_cls_bind_class tcf_classify_qdisc tcf_get_drop_reason qdisc_dequeue_internal \
		gnet_stats_basic_sync_init u64_stats_set skb_header_pointer_careful skb_get_dsfield \
		get_random_u8 get_random_u16 get_random_u32_below get_random_u32_above \
		get_random_u32_inclusive timer_delete timer_delete_sync timer_shutdown \
		timer_shutdown_sync umin umax statically_true kfree_rcu_mightsleep netdev_hold \
		netdev_put NL_REQ_ATTR_CHECK DEBUG_NET_WARN_ON_ONCE
	builds "headers as those of 5.15" "$tmp/like-5.15/build"
else
	tap_skip "headers as those of 5.15" "no headers of kernel 6.1"
fi

# What 7.1 lacks of what 6.12 has, and has in addition.
if like 6.12 like-7; then
	without "$tmp/like-7" del_timer del_timer_sync from_timer hrtimer_init qdisc_from_priv \
		qdisc_tree_flush_backlog destroy_timer_on_stack
	# shellcheck disable=SC2016	# sed's last line
	edit "$tmp/like-7/source/include/net/sch_generic.h" '$i \
static inline void qdisc_qlen_inc(struct Qdisc *sch) { sch->q.qlen++; } \
static inline void qdisc_qlen_dec(struct Qdisc *sch) { sch->q.qlen--; }'
	builds "headers as those of 7.1" "$tmp/like-7/build"
else
	tap_skip "headers as those of 7.1" "no headers of kernel 6.12"
fi

# Which compiler: of configurations, with tools that are stand-ins.
mkdir "$tmp/tools" "$tmp/suffixed"
for tool in clang ld.lld llvm-ar llvm-nm llvm-objcopy llvm-objdump llvm-readelf llvm-strip; do
	printf '#!/bin/sh\necho "clang version 14.0.6"\n' > "$tmp/tools/$tool"
	ln -s "$tmp/tools/$tool" "$tmp/suffixed/$tool"
	ln -s "$tmp/tools/$tool" "$tmp/suffixed/$tool-19"
done
chmod +x "$tmp"/tools/*
for tool in sh sed grep; do
	ln -s "$(command -v $tool)" "$tmp/suffixed/$tool"
	ln -s "$(command -v $tool)" "$tmp/tools/$tool"
done
mkdir "$tmp/none"
ln -s "$(command -v sed)" "$(command -v grep)" "$(command -v sh)" "$tmp/none/"

# compiler NAME WANT TOOLS CONFIG...: WANT is what scripts/kernel-compiler prints, or
# "refused".
compiler()
{
	local name=$1 want=$2 tools=$3

	shift 3
	mkdir -p "$tmp/headers"
	printf '%s\n' "$@" > "$tmp/headers/.config"
	tap_equal "$name" "$want" "$(PATH=$tmp/$tools scripts/kernel-compiler "$tmp/headers" \
		2> "$tmp/stderr" || echo refused)"
}

lld="CONFIG_LD_IS_LLD=y"
compiler "a kernel of gcc" "" tools "CONFIG_CC_IS_GCC=y" "CONFIG_CLANG_VERSION=0"
compiler "one of clang" "LLVM=1" tools "CONFIG_CC_IS_CLANG=y" "CONFIG_CLANG_VERSION=140006" $lld
compiler "of another clang" "LLVM=-19" suffixed "CONFIG_CC_IS_CLANG=y" "CONFIG_CLANG_VERSION=190107" $lld
compiler "of one that is not here" "LLVM=1" tools "CONFIG_CC_IS_CLANG=y" "CONFIG_CLANG_VERSION=190107" $lld
compiler "with GNU's linker" "CC=clang" tools "CONFIG_CC_IS_CLANG=y" "CONFIG_CLANG_VERSION=140006"
compiler "no clang at all" "refused" none "CONFIG_CC_IS_CLANG=y" "CONFIG_CLANG_VERSION=190107" $lld
tap_check "it says which one is missing" grep -q "clang 19 " "$tmp/stderr"
LLVM=-15 compiler "a choice of the user's" "" tools "CONFIG_CC_IS_CLANG=y" "CONFIG_CLANG_VERSION=140006"

# The options of gcc that a kernel of this clang would not have.
if ! have clang || ! have ld.lld || ! have llvm-nm; then
	tap_skip "a kernel built by clang" "clang, lld or llvm is not installed"
elif like 6.12 like-clang; then
	gcc_only='GCC_\|MITIGATION_RETHUNK\|MITIGATION_SLS\|CC_HAS_\|INIT_STACK_ALL\|CC_IMPLICIT_FALLTHROUGH\|FTRACE_MCOUNT_USE_CC'
	version=$(clang -dumpversion | awk -F. '{ printf "%d%02d%02d", $1, $2, $3 }')
	edit "$tmp/like-clang/build/include/config/auto.conf" "
		s/^CONFIG_CC_IS_GCC=y/CONFIG_CC_IS_CLANG=y\nCONFIG_LD_IS_LLD=y/
		s/^CONFIG_CLANG_VERSION=.*/CONFIG_CLANG_VERSION=$version/
		/^CONFIG_\($gcc_only\)/d"
	[ ! -e "$tmp/like-clang/build/.kernelvariables" ] ||
		edit "$tmp/like-clang/build/.kernelvariables" '/^CC =\|CROSS_COMPILE/d'
	edit "$tmp/like-clang/build/include/generated/autoconf.h" "
		s/CONFIG_CC_IS_GCC 1/CONFIG_CC_IS_CLANG 1/
		/CONFIG_\($gcc_only\)/d"
	builds "a kernel built by clang" "$tmp/like-clang/build"
else
	tap_skip "a kernel built by clang" "no headers of kernel 6.12"
fi
tap_done
