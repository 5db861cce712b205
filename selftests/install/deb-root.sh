#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install the packages on a copy of this system, which lives in memory, look, and purge
# them. For a mount namespace of its own. Prints TAP 13.
#
#	deb-root.sh RELEASE PACKAGE...
#
# RELEASE is the kernel that DKMS takes for the one that runs, and a guest runs; "none":
# DKMS builds nothing. The kernel's parts are image and modules of the environment.

set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"

if [ -z "${DEB_ROOT:-}" ]; then
	release=$1
	shift
	root=/mnt
	mount -t tmpfs -o size=1g tmpfs "$root"
	mkdir "$root/upper" "$root/work" "$root/all"
	mount -t overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" overlay "$root/all"
	mount --rbind /proc "$root/all/proc"
	mount --rbind /dev "$root/all/dev"
	here_is=()
	if [ "$release" != none ]; then
		top=$(cd "$here/../.." && pwd)
		. "$top/scripts/lib.sh"
		here_is=("FLAVOUR=$FLAVOUR" "TREE=$top" "HOME=$HOME" "SYMPHONY_CACHE=$cache")
		# the guest's root is the copy, where a kernel of the cache is installed, too
		mkdir -p "$root/all/$top" "$root/all/$cache"
		mount --rbind "$top" "$root/all/$top"
		mount --rbind "$cache" "$root/all/$cache"
		if [ "${modules:?}" != "/lib/modules/$release" ]; then
			cp "${image:?}" "$root/all/boot/"
			cp "$modules"/modules.* "$root/all/lib/modules/$release/"
			mkdir "$root/all/lib/modules/$release/kernel"
			mount --bind "$modules/kernel" "$root/all/lib/modules/$release/kernel"
		fi
	fi
	# what stands on other file systems is not in the copy
	mkdir -p "$root/all/opt/deb/install" "$root/all/opt/deb/lib" "$root/all/opt/deb/bin"
	cp "$here/deb-root.sh" "$root/all/opt/deb/install/"
	cp "$here/../lib/"*.sh "$root/all/opt/deb/lib/"
	cp "$@" "$root/all/opt/deb/"
	printf '#!/bin/sh\n[ "$*" = -r ] && exec echo %s\nexec /usr/bin/uname "$@"\n' "$release" \
		> "$root/all/opt/deb/bin/uname"
	chmod +x "$root/all/opt/deb/bin/uname"
	exec chroot "$root/all" env -i DEB_ROOT="$release" "${here_is[@]}" DEBIAN_FRONTEND=noninteractive \
		PATH=/opt/deb/bin:/usr/sbin:/usr/bin:/sbin:/bin /opt/deb/install/deb-root.sh
fi

release=$DEB_ROOT
packages=(/opt/deb/*.deb)
names=()
for package in "${packages[@]}"; do
	names+=("$(dpkg-deb -f "$package" Package)")
done

# What there is of symphony in this system.
traces()
{
	find /etc /usr /var/lib "/lib/modules/$release" -name '*symphony*' \
		-not -path '/var/lib/dpkg/*' 2> /dev/null | sort
}

version_is()
{
	[ "$(modinfo -k "$release" -F version sch_symphony)" = \
		"$(dpkg-deb -f "${packages[0]}" Version)" ]
}

# The plugin is found where this tc looks.
tc_knows()
{
	tc qdisc add symphony help 2>&1 | grep 'symphony \['
}

by_pyroute2()
{
	/usr/bin/python3 -c 'import pyroute2, pyroute2_symphony'
}

in_a_guest()
{
	"$TREE/scripts/vm" --kernel "$FLAVOUR" --bare --timeout 900 --out "$TREE/out/deb-guest-$FLAVOUR" \
		-- "$TREE/selftests/install/deb-guest.sh"
}

before=$(traces)
[ "$release" != none ] || touch /etc/dkms/no-autoinstall
tap_check "the packages install" dpkg -i "${packages[@]}" || tap_done
[ "$release" = none ] ||
	tap_check "DKMS has built the module, of the package's version" version_is
tap_check "tc knows the qdisc" tc_knows
tap_check "the command finds its library" symphony -V
tap_check "the manual pages are found" man -w tc-symphony symphony
if /usr/bin/python3 -c 'import pyroute2' 2> /dev/null; then
	tap_check "pyroute2 knows it" by_pyroute2
fi
[ "$release" = none ] ||
	tap_check "in a guest tc loads the module, which counts, and the command shows it" in_a_guest
tap_check "they purge" dpkg --purge "${names[@]}"
tap_equal "and leave nothing" "$before" "$(traces)"
tap_done
