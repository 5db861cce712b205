# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Building modules outside the kernel's tree. Sourced.

# checkpatch_root TREE DIR: DIR becomes, of links, the kernel's tree but for get_maintainer.pl,
# which checkpatch.pl would run for each file: it tells whether a file of the kernel is
# obsolete, and takes more time than many a file's check. checkpatch.pl finds the headers
# by find, which enters no link.
checkpatch_root()
{
	mkdir "$2" "$2/scripts"
	ln -s "$1"/* "$2/" 2> /dev/null || :
	ln -s "$1"/scripts/* "$2/scripts/"
	rm -f "$2/include" "$2/scripts/get_maintainer.pl"
	cp -rs "$1/include" "$2/include"
}

# kbuild_copy FROM TO: the sources, since Kbuild leaves its objects beside them and
# one tree is built for several kernels. Times are kept, so that make sees what has
# changed; what is no longer there goes.
kbuild_copy()
{
	mkdir -p "$2"
	(cd "$1" && find . -type f \( -name '*.[ch]' -o -name Kbuild -o -name Makefile \) -print0 |
		tar -cf - --null -T -) | tar -xf - -C "$2"
	find "$2" -name '*.[ch]' ! -name '*.mod.c' | while read -r file; do
		[ -e "$1${file#"$2"}" ] || rm "$file"
	done
}

# kbuild_warnings LOG DIR: the warnings in it of the files in DIR, the module's, with
# two lines below each, and those of modpost. All else that calls itself a warning,
# of make, of a compiler of another release or of the kernel's headers, says nothing
# of the module; a symbol that is missing is an error unless the caller wants none.
kbuild_warnings()
{
	awk -v dir="$2" '
	function own(file) {
		if (file !~ /^\//)
			file = dir "/" file
		return index(file, dir "/") == 1 && (getline text < file) >= 0
	}
	/^[^ :]*\.[ch]:[0-9]+:([0-9]+:)? (warning|error): / {
		if (inlined || own(substr($0, 1, index($0, ":") - 1)))
			show = 3
		inlined = 0
	}
	/inlined from .* at / {
		sub(/.* at /, "")
		inlined = own(substr($0, 1, index($0, ":") - 1))
	}
	/^WARNING: modpost: .*sch_symphony/ && !/undefined!$/ { show = 3 }
	show-- > 0' "$1"
}

# kbuild_accept LOG DIR: show these warnings, and leave them in $warnings. They fail a build
# only in checks, where SYMPHONY_STRICT is set: a user's compiler may know more of them than
# ours.
kbuild_accept()
{
	warnings=$(kbuild_warnings "$1" "$2")
	[ -n "$warnings" ] || return 0
	echo "$warnings" >&2
	[ -z "${SYMPHONY_STRICT:-}" ]
}

# kbuild_forget DIR: throw away the objects of what $warnings are about, so that the next
# build tells them again; all objects if that is more than sources, which have one each.
kbuild_forget()
{
	warned=$(echo "$warnings" | sed -n 's/^\([^ :]*\.[ch]\):[0-9].* warning: .*/\1/p' | sort -u)
	case $warned in
	''|*.h*)
		find "$1" -name '*.o' -delete
		return
		;;
	esac
	for warned in $warned; do
		case $warned in
		/*)	rm -f "${warned%.c}.o" ;;
		*)	rm -f "$1/${warned%.c}.o" ;;
		esac
	done
}
