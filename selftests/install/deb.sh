#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the Debian packages and look at them: what is in them, what they need, what
# lintian says, whether a program builds with the library's, and what installing and
# purging them does to a copy of this system (deb-root.sh). Prints TAP 13.
#
#	deb.sh		DKMS builds nothing: install.sh lets it build from the same files
#	deb.sh KERNEL	DKMS builds the module for this kernel, and a guest uses what is installed

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/scripts/lib.sh"
cd "$top" || exit 1
PATH=$PATH:/usr/sbin:/sbin
out=${OUT:-$top/out/deb-check}
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

have dpkg-buildpackage || tap_skip_all "dpkg-dev is not installed"
have dh_dkms || tap_skip_all "dh-dkms is not installed"
[ -z "$(scripts/tools-missing)" ] ||
	tap_skip_all "not installed: $(scripts/tools-missing | paste -s -d ' ')"
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

tap_check "make deb" scripts/deb --out "$out/deb" || tap_done

names()
{
	sed -n 's/^Package: //p' debian/control | LC_ALL=C sort
}

packages=()
for name in $(names); do
	packages+=("$(ls "$out/deb/${name}_${version}"_*.deb)")
done
tap_equal "it makes what debian/control says" "$(names)" \
	"$(for file in "${packages[@]}"; do dpkg-deb -f "$file" Package; done)"

package()
{
	ls "$out/deb/$1_$version"_*.deb
}

files_in()
{
	dpkg-deb --fsys-tarfile "$(package "$1")" | tar -tf - | sed -n 's|^\./\(.*[^/]\)$|/\1|p' |
		grep -v '^/usr/share/doc/'
}

no_complaint()
{
	lintian --fail-on error,warning "$out"/deb/*.changes 2>&1
}

if have lintian; then
	tap_check "lintian finds no error and nothing to warn of" no_complaint
else
	tap_skip "lintian finds no error and nothing to warn of" "lintian is not installed"
fi

sources()
{
	files_in symphony-dkms | sed "s|^/usr/src/symphony-$version/||" | LC_ALL=C sort
}
tap_equal "the module's sources are in it, nothing that was built" \
	"$(git ls-files dkms.conf Kbuild kernel include scripts/kernel-compiler | LC_ALL=C sort)" \
	"$(sources)"

for name in $(names); do
	dpkg-deb -x "$(package "$name")" "$tmp/root"
done
libdir=$tmp/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)

# The library of the package, not of the tree: the command has no path to it.
symphony_of_package()
{
	LD_LIBRARY_PATH=$libdir "$tmp/root/usr/sbin/symphony" -V
}
tap_check "the command runs with the library" symphony_of_package
tap_equal "it depends on the library that it was built with" 1 \
	"$(dpkg-deb -f "$(package symphony-tools)" Depends | grep -c 'libsymphony0 (>= ')"

builds()
{
	cat > "$tmp/program.c" <<-END
	#include <symphony.h>
	int main(void)
	{
		return symphony_option_field(TCA_SYMPHONY_K) ? 0 : 1;
	}
	END
	# shellcheck disable=SC2046	# words are meant
	gcc -o "$tmp/program" "$tmp/program.c" $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config \
		--define-variable=includedir="$tmp/root/usr/include/symphony" \
		--define-variable=libdir="$libdir" --cflags --libs symphony) || return
	LD_LIBRARY_PATH=$libdir "$tmp/program"
}
tap_check "a program builds with libsymphony-dev" builds

# A name that the library no longer has must fail the build of the packages.
tap_equal "the names of the library are those of debian's list" \
	"$(sed -n 's/^ (symver)\([^ ]*\) .*/\1/p' debian/libsymphony0.symbols)" \
	"$(sed -n 's/^\(SYMPHONY_[^ ]*\) {/\1/p' lib/libsymphony.map)"


release=none
why=
if [ $# -gt 0 ]; then
	headers=
	found=$(scripts/kernel "$1") && eval "$found"
	[ -n "$headers" ] || why="no headers of kernel $1"
	have qemu-system-x86_64 || why="qemu-system-x86 is not installed"
	export FLAVOUR=$1 image modules
fi
have dkms || why="dkms is not installed"
unshare -m mount -t overlay -o lowerdir=/usr:/etc overlay "$tmp/root" 2> "$tmp/why" ||
	why="no overlay of file systems: $(head -n 1 "$tmp/why")"
if [ -n "$why" ]; then
	tap_skip "install and purge" "$why"
	tap_done
fi
unshare -m "$here/deb-root.sh" "$release" "${packages[@]}" > "$out/root.tap" 2>&1
status=$?
while read -r line; do
	case $line in
	ok*)		tap_result 0 "${line#ok * }" ;;
	"not ok"*)	tap_result 1 "${line#not ok * }" ;;
	"#"*)		echo "$line" ;;
	esac
done < "$out/root.tap"
tap_result "$status" "all of it was tried" || sed 's/^/# |/' "$out/root.tap"
tap_done
