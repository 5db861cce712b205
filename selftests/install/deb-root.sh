#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install the packages on a copy of this system, which lives in memory, look, and purge
# them. For a mount namespace of its own. Prints TAP 13.
#
#	deb-root.sh RELEASE PACKAGE...
#
# RELEASE is the kernel that DKMS takes for the one that runs; "none": it builds nothing.

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
	# what stands on other file systems is not in the copy
	mkdir -p "$root/all/opt/deb/install" "$root/all/opt/deb/lib" "$root/all/opt/deb/bin"
	cp "$here/deb-root.sh" "$root/all/opt/deb/install/"
	cp "$here/../lib/"*.sh "$root/all/opt/deb/lib/"
	cp "$@" "$root/all/opt/deb/"
	printf '#!/bin/sh\n[ "$*" = -r ] && exec echo %s\nexec /usr/bin/uname "$@"\n' "$release" \
		> "$root/all/opt/deb/bin/uname"
	chmod +x "$root/all/opt/deb/bin/uname"
	exec chroot "$root/all" env -i DEB_ROOT="$release" DEBIAN_FRONTEND=noninteractive \
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
tap_check "they purge" dpkg --purge "${names[@]}"
tap_equal "and leave nothing" "$before" "$(traces)"
tap_done
