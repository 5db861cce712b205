#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make install and uninstall with DESTDIR, and the module as DKMS builds it: of the
# files install-dkms puts there alone.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
cd "$top" || exit 1
PATH=$PATH:/usr/sbin:/sbin

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

headers=
release=
found=$(scripts/kernel 6.12) || tap_skip_all "no kernel 6.12"
eval "$found"
[ -n "$headers" ] || tap_skip_all "no headers of kernel 6.12"
plugin_dir=$(iproute2-plugin/tc-libdir) || tap_skip_all "no tc"

make_in()
{
	make --no-print-directory KDIR="$headers" DESTDIR="$tmp/root" "$@"
}

installed()
{
	(cd "$tmp/root" && find . -type f | sed 's|^\.||' | sort)
}

expected_tools()
{
	printf '/usr/lib/%s\n' libsymphony.so.0 libsymphony.a pkgconfig/symphony.pc
	echo /usr/include/symphony/symphony.h
	(cd include/uapi && find linux -type f -printf '/usr/include/symphony/%p\n')
	echo /usr/sbin/symphony
	echo /usr/sbin/symphonyd
	echo /usr/lib/systemd/system/symphonyd.service
	echo /etc/symphony/symphonyd.conf.example
	echo /usr/lib/systemd/system/symphony-keep.service
	for script in "$top"/tools/slurm/*; do
		echo "/usr/lib/symphony/slurm/${script##*/}"
	done
	echo /usr/share/bash-completion/completions/symphony
}

expected()
{
	{
		echo "/lib/modules/$release/updates/sch_symphony.ko"
		echo "$plugin_dir/q_symphony.so"
		echo /etc/bash_completion.d/tc-symphony
		for page in Documentation/man/*.8; do
			echo "/usr/share/man/man8/${page##*/}"
		done
		[ -n "$(scripts/tools-missing)" ] || expected_tools
	} | sort
}

module_is_for()
{
	modinfo -F vermagic "$1" | grep -q "^$2 "
}

# A program that uses nothing of the tree.
builds_with_library()
{
	cat > "$tmp/program.c" <<-END
	#include <symphony.h>
	int main(void)
	{
		return symphony_option_field(TCA_SYMPHONY_K) ? 0 : 1;
	}
	END
	export PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig
	# shellcheck disable=SC2046	# words are meant
	gcc -o "$tmp/program" "$tmp/program.c" \
		$(pkg-config --define-variable=prefix="$tmp/root/usr" \
			--define-variable=includedir="$tmp/root/usr/include/symphony" \
			--define-variable=libdir="$tmp/root/usr/lib" --cflags --libs symphony) || return
	LD_LIBRARY_PATH=$tmp/root/usr/lib "$tmp/program"
}

nothing_left()
{
	[ -z "$(installed)" ] || { installed; return 1; }
}

tap_check "make install DESTDIR" make_in install
tap_equal "it puts these files there, no others" "$(expected)" "$(installed)"
tap_equal "its version is that of dkms.conf" "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)" \
	"$(modinfo -F version "$tmp/root/lib/modules/$release/updates/sch_symphony.ko")"
tap_check "the module is of that kernel" \
	module_is_for "$tmp/root/lib/modules/$release/updates/sch_symphony.ko" "$release"
if [ -z "$(scripts/tools-missing)" ]; then
	tap_check "a program builds with what pkg-config says" builds_with_library
	tap_equal "command and daemon find the system's library alone" "" \
		"$(readelf -d "$tmp/root/usr/sbin/symphony" "$tmp/root/usr/sbin/symphonyd" |
			grep -E 'RPATH|RUNPATH')"
else
	tap_skip "the library" "not installed: $(scripts/tools-missing | paste -s -d ' ')"
fi
tap_check "make install-pyroute2 DESTDIR" make_in install-pyroute2
tap_equal "it adds this" /usr/lib/python3/dist-packages/pyroute2_symphony.py \
	"$(comm -13 <(expected) <(installed))"
tap_check "make uninstall DESTDIR" make_in uninstall
tap_check "it leaves nothing" nothing_left

# takes RELEASE...: which of these kernels DKMS would build for.
takes()
{
	(
		kernel_source_dir=
		dkms_tree=
		. ./dkms.conf
		for kernel; do
			[[ ! $kernel =~ $BUILD_EXCLUSIVE_KERNEL ]] || echo "$kernel"
		done
	) | paste -s -d ' '
}

in_range=(5.15.0-91-generic 5.19.0 6.1.0-57-amd64 6.12.117+deb12-amd64 7.2.6-rc1 10.0.1)
tap_equal "DKMS builds for these kernels" "${in_range[*]}" "$(takes "${in_range[@]}")"
tap_equal "and passes over older ones" "" "$(takes 4.19.0-27 5.4.0-1 5.10.0-33-amd64 5.14.21)"
tap_equal "the README names the oldest" 1 "$(grep -c "Linux 5.15 and later" README.md)"

dkms_in()
{
	dkms --dkmstree "$tmp/dkms" --sourcetree "$tmp/root/usr/src" \
		--installtree "$tmp/installed" "$@"
}

if ! have dkms; then
	tap_skip "DKMS" "dkms is not installed"
else
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
	mkdir "$tmp/dkms"
	tap_check "make install-dkms DESTDIR" make_in install-dkms
	tap_check "dkms add" dkms_in add "symphony/$version"
	for flavour in 6.1 6.12; do
		headers=
		found=$(scripts/kernel "$flavour") && eval "$found"
		if [ -z "$headers" ]; then
			tap_skip "dkms build for $flavour" "no headers of kernel $flavour"
			continue
		fi
		tap_check "dkms build for $flavour" dkms_in build "symphony/$version" -k "$release"
		tap_check "the module is of kernel $flavour" module_is_for \
			"$(find "$tmp/dkms/symphony/$version/$release" -name 'sch_symphony.ko*')" "$release"
	done
	tap_check "make uninstall removes the sources" make_in uninstall
	tap_check "it leaves nothing" nothing_left
fi
tap_done
