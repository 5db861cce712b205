# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Building a kernel of a linux-source from fragments of configurations, once for each
# set of them. Sourced, after scripts/lib.sh, by scripts that set
#
#	version		of the linux-source
#	fragments	files, of which the last word on an option counts
#	build		directory of the result, in the cache
#	make		the words that run make for it
# shellcheck disable=SC2154

progress()
{
	say "$SECONDS s: $*"
}

# kernel_key FILE...: what tells a result from those of other files or compilers.
kernel_key()
{
	{
		cat "$@"
		dpkg-query -W -f '${Version}\n' "linux-source-$version" 2> /dev/null || echo unknown
		gcc -dumpfullversion
	} | sha256sum | cut -c 1-12
}

# Every option of the fragments must have survived Kconfig's dependencies.
check_config()
{
	local line name missing=""

	while read -r line; do
		case $line in
		CONFIG_*=n)
			name=${line%=n}
			grep -q "^$name=" "$build/.config" && missing+=" $line"
			;;
		CONFIG_*)
			grep -qxF "$line" "$build/.config" || missing+=" $line"
			;;
		esac
	done < "$build/fragment"
	[ -z "$missing" ] || die "options that Kconfig did not accept:$missing"
}

kernel_configure()
{
	mkdir -p "$build"
	cat "${fragments[@]}" > "$build/fragment"
	# The last of two settings of one option counts, as in merge_config.sh.
	tac "$build/fragment" | awk -F= '!/^CONFIG_/ || !seen[$1]++' | tac > "$build/fragment.tmp"
	mv "$build/fragment.tmp" "$build/fragment"
	KCONFIG_ALLCONFIG=$build/fragment "${make[@]}" allnoconfig > "$build/build.log" 2>&1 ||
		die "configuration failed, see $build/build.log"
	check_config
}

# Count compiled files against those that are expected to tell the time left.
follow_build()
{
	local pid=$1 expected=$2 done_files left

	while sleep 15 && kill -0 "$pid" 2> /dev/null; do
		done_files=$(grep -c '^  \(CC\|AR\|LD\)' "$build/build.log" || :)
		left=""
		if [ "$done_files" -gt 50 ] && [ "$expected" -gt "$done_files" ]; then
			left=", about $((SECONDS * (expected - done_files) / done_files)) s left"
		fi
		progress "$done_files files$left"
	done
}

# kernel_compile FILES TARGET...: FILES are as many as it will compile.
kernel_compile()
{
	local expected=$1 pid follow

	shift
	"${make[@]}" -j "$(nproc)" "$@" >> "$build/build.log" 2>&1 &
	pid=$!
	follow_build "$pid" "$expected" &
	follow=$!
	if ! wait "$pid"; then
		kill "$follow" 2> /dev/null || :
		tail -n 20 "$build/build.log" >&2
		die "build failed, see $build/build.log"
	fi
	kill "$follow" 2> /dev/null || :
}

# kernel_cached CMD: it runs if $build is not complete, one at a time.
kernel_cached()
{
	mkdir -p "$cache"
	exec 9> "$build.lock"
	flock 9
	[ ! -e "$build/complete" ] || return 0
	progress "building in $build"
	"$1"
	touch "$build/complete"
	progress "done"
}
