#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/vm-accel: KVM only where a guest comes up with it, tried once, and never for
# longer than it says. A script with the emulator's name stands for it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
cat > "$tmp/bin/qemu-system-x86_64" <<'END'
#!/bin/bash
echo $$ >> "$PIDS"
for arg; do
	case $arg in
	file,id=con,path=*) console=${arg##*path=} ;;
	esac
done
case $GUEST in
up)	echo "[    0.5] VFS: Unable to mount root fs on unknown-block(0,0)" > "$console" ;;
stuck)	echo "[    0.0] Linux version 6" > "$console"
	trap '' TERM
	exec sleep infinity ;;
abort)	echo "qemu: error: failed to set MSR" >&2
	kill -ABRT $$ ;;
reset)	echo "[    0.0] Linux version 6" > "$console" ;;
esac
END
chmod +x "$tmp/bin/qemu-system-x86_64"
export PIDS="$tmp/pids" SYMPHONY_CACHE="$tmp/cache" SYMPHONY_KVM="$tmp/device"

# asks NAME WANT RUNS GUEST: WANT is the answer, RUNS how often a guest was started.
asks()
{
	: > "$PIDS"
	tap_equal "$1" "$2 $3" "$(GUEST=$4 PATH=$tmp/bin:$PATH "$top/scripts/vm-accel" image \
		2> /dev/null) $(wc -l < "$PIDS")"
}

forget()
{
	rm -rf "$tmp/cache"
}

# Zombies of the script are left to init.
nobody_left()
{
	local pid

	while read -r pid; do
		if [ -e "/proc/$pid" ] && ! grep -q '^State:	Z' "/proc/$pid/status" 2> /dev/null; then
			return 1
		fi
	done < "$PIDS"
}

asks "no device: no guest" tcg 0 up
touch "$tmp/device"
asks "a guest that comes up" kvm 1 up
asks "is remembered" kvm 0 abort
PATH=$tmp/bin:$PATH "$top/scripts/vm-accel" --distrust "a later one died"
asks "until one does not" tcg 0 up
forget
asks "an emulator that aborts" tcg 1 abort
asks "is remembered, too" tcg 0 up
tap_check "with its reason" grep -q "failed to set MSR" "$tmp/cache/accel"
forget
asks "a guest that resets itself" tcg 1 reset
forget
SECONDS=0
asks "one that hangs" tcg 1 stuck
tap_check "is ended" nobody_left
tap_check "in time" test "$SECONDS" -lt 60
forget
asks "it is asked anew" kvm 1 up
sed -i '1s/.*/another start of this machine/' "$tmp/cache/accel"
asks "after a restart" tcg 1 abort
tap_done
