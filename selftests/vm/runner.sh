#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/tap.awk and scripts/run-tests count what they should: what proves
# nothing is no pass. scripts/uml-test builds what a test needs.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/selftests/lib/tap.sh"
. "$top/selftests/lib/wait.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# finds NAME WANT PATTERN FILE: WANT is the status of finds_nothing
finds()
{
	local status=0

	finds_nothing grep "$3" "$4" > /dev/null 2>&1 || status=$?
	tap_equal "$1" "$2" "$status"
}

echo text > "$tmp/text"
finds "nothing is found" 0 other "$tmp/text"
finds "something is" 1 text "$tmp/text"
finds "a missing file is no proof" 1 other "$tmp/missing"

# counts NAME WANT INPUT: WANT is passed, failed, skipped, protocol errors.
counts()
{
	local have

	have=$(printf '%b' "$3" | awk -f "$top/scripts/tap.awk" |
		awk '/^(passed|failed|skipped)/ { printf "%s ", $2 } /^error/ { e++ } END { print e + 0 }')
	tap_equal "$1" "$2" "$have"
}

counts "passed, failed, skipped" "1 1 1 0" "TAP version 13\n1..3\nok 1 a\nnot ok 2 b\nok 3 c # SKIP no tool\n"
counts "plan at the end" "2 0 0 0" "ok 1\nok 2\n1..2\n"
counts "diagnostics are no points" "1 0 0 0" "1..1\n# ok 1 x\n# not ok 2\nok 1 a\n"
counts "no plan" "1 0 0 1" "ok 1 a\n"
counts "too few" "1 0 0 1" "1..2\nok 1 a\n"
counts "too many" "2 0 0 1" "1..1\nok 1 a\nok 2 b\n"
counts "nothing" "0 0 0 1" ""
counts "bail out" "1 0 0 1" "1..1\nok 1 a\nBail out! broken\n"
counts "skipped as a whole" "0 0 1 0" "1..0 # SKIP no device\n"
counts "skip without a reason" "0 0 1 1" "1..1\nok 1 a # SKIP\n"
counts "tdc's way to skip" "0 0 1 0" "1..1\nok 1 a - b # skipped - not here\n"
counts "nested points, not their sum" "2 1 0 0" \
	"KTAP version 1\n1..1\n    KTAP version 1\n    1..3\n    ok 1 a\n    not ok 2 b\n    ok 3 c\nnot ok 1 suite\n"
counts "twice nested" "3 0 0 0" \
	"1..1\n    1..2\n        1..2\n        ok 1 p\n        ok 2 q\n    ok 1 a\n    ok 2 b\nok 1 suite\n"
counts "nested plan is checked" "1 0 0 1" "1..1\n    1..2\n    ok 1 a\nok 1 suite\n"
counts "a sum that fails alone" "1 1 0 0" "1..1\n    1..1\n    ok 1 a\nnot ok 1 suite\n"

# sleeps NAME WANT LINES: WANT are the numbers of the lines that rest on a sleep.
sleeps()
{
	printf '%b' "$3" > "$tmp/sleeps"
	tap_equal "$1" "$2" "$(awk -f "$top/scripts/sleeps.awk" "$tmp/sleeps" |
		cut -d : -f 2 | paste -s -d ' ')"
}

sleeps "a sleep in a row of commands" "2" "start &\nsleep 1\ncheck\n"
sleeps "one in a function, below a loop" "5" "f()\n{\n\tfor i in 1; do\n\t\ttrue; done\n\tsleep 1\n}\n"
sleeps "the pause of a loop" "" "until look; do\n\tsleep 0.1\ndone\nuntil look; do sleep 1; done\n"
sleeps "one after the loop" "4" "until look; do\n\tsleep 0.1\ndone\nsleep 1\n"
sleeps "what hangs" "" "true; sleep infinity\n"
sleeps "a comment" "" "#\tsleep 1\n *\tsleep(1);\n"
sleeps "of the time" "4" "# Time is meant.\nsleep 1\ntrue\nsleep 1\n"
sleeps "of a program" "2 3 7" "{\n\tusleep(100);\n\tnanosleep(&ts, NULL);\n\tfor (;;)\n\t\tsleep(1);\n}\n\tssleep (1);\n"
sleeps "of a test case" "1" '\t"sleep 0.2",\n'

# run NAME WANT SCRIPT: WANT is the last line of the runner.
run()
{
	local have

	mkdir -p "$tmp/tree/scripts" "$tmp/tree/selftests"
	cp "$top"/scripts/{run-tests,tap.awk,lib.sh} "$tmp/tree/scripts/"
	printf 'plugin:\n' > "$tmp/tree/Makefile"
	printf '#!/bin/sh\n%b\n' "$3" > "$tmp/tree/test.sh"
	chmod +x "$tmp/tree/test.sh"
	echo "t host - 3 fast ./test.sh" > "$tmp/tree/selftests/tests.list"
	have=$("$tmp/tree/scripts/run-tests" fast 2>&1 | tee "$tmp/said" | tail -n 1
		echo "status ${PIPESTATUS[0]}")
	tap_equal "$1" "$2" "$(echo "$have" | paste -s -d ' ')"
}

run "a test that passes" "1 passed, 0 failed, 0 skipped status 0" 'echo 1..1; echo ok 1'
# shellcheck disable=SC2016	# the test's variable
run "a test that may hand a guest more time" "1 passed, 0 failed, 0 skipped status 0" \
	'echo 1..1; [ "$SYMPHONY_PATIENCE" -ge 1 ] && echo ok 1'
run "a test that fails" "0 passed, 1 failed, 0 skipped status 1" 'echo 1..1; echo not ok 1; exit 1'
run "a test that says why" "0 passed, 1 failed, 0 skipped status 1" \
	'echo 1..1; echo not ok 1 sums; echo "# have 3 want 4"; echo oops >&2; exit 1'
tap_equal "and the end of the output has it" "not ok 1 sums # have 3 want 4 | oops" \
	"$(sed -n '/^failed:/,$p' "$tmp/said" | grep -E 'sums|have|oops' | xargs)"
run "a test that dies" "1 passed, 1 failed, 0 skipped status 1" 'echo 1..1; echo ok 1; kill -9 $$'
run "exit 1 with all points passed" "1 passed, 1 failed, 0 skipped status 1" 'echo 1..1; echo ok 1; exit 1'
run "exit 0 with a failed point" "0 passed, 2 failed, 0 skipped status 1" 'echo 1..1; echo not ok 1'
run "a test that hangs" "1 passed, 1 failed, 0 skipped status 1" 'echo 1..1; echo ok 1; sleep infinity'
run "a silent test" "0 passed, 1 failed, 0 skipped status 1" ':'
run "a test that skips itself" "0 passed, 0 failed, 1 skipped status 0" 'echo no device; exit 4'

# What a user ends with Ctrl-C goes, children and all.
interrupt()
{
	local runner

	sed -i 's/ 3 fast / 900 fast /' "$tmp/tree/selftests/tests.list"
	printf '#!/bin/sh\nsleep 900 &\necho $! > %s\nwait\n' "$tmp/began" > "$tmp/tree/test.sh"
	# What a shell starts in the background does not hear of Ctrl-C.
	env --default-signal=INT setsid "$tmp/tree/scripts/run-tests" fast > "$tmp/interrupted" 2>&1 &
	runner=$!
	wait_for 120 test -s "$tmp/began" || return
	kill -INT -- "-$runner"
	wait_for 120 gone "$(cat "$tmp/began")" && wait_for 120 gone "$runner"
}

gone()
{
	! kill -0 "$1" 2> /dev/null
}

tap_check "Ctrl-C ends the test that runs" interrupt

# plans NAME WANT TEST...: WANT are the runs of these tests, by the names that a
# failure prints; scripts/vm fails here.
plans()
{
	local name=$1 want=$2

	shift 2
	"$tmp/tree/scripts/run-tests" full "$@" > "$tmp/plans" 2>&1
	tap_equal "$name" "$want" \
		"$(sed -n 's/^\[.*\] [a-zA-Z]* *\([^ ]*\) .* passed.*/\1/p' "$tmp/plans" | sort | paste -s -d ' ')"
}

printf '#!/bin/sh\nexit 0\n' > "$tmp/tree/scripts/build-module"
printf '#!/bin/sh\necho "$*" >> "%s"\nexit 1\n' "$tmp/guests" > "$tmp/tree/scripts/vm"
chmod +x "$tmp/tree/scripts/build-module" "$tmp/tree/scripts/vm"
cat > "$tmp/tree/selftests/tests.list" <<-'END'
	t	vm	all	3	fast	./test.sh
	u	vm	6.12,6.12-rt	3	full	./test.sh
END
plans "a test on every kernel" "t-6.1 t-6.12 t-6.12-rt" t
plans "a run by the name that a failure prints" "u-6.12-rt" u-6.12-rt
plans "and two" "t-6.12 u-6.12" t-6.12 u-6.12
plans "not a kernel that the test has not" "" u-6.1
tap_equal "and it says so" "there is no test u-6.1" "$(cat "$tmp/plans")"
sed -i '/^u/s/vm/smp/' "$tmp/tree/selftests/tests.list"
rm "$tmp/guests"
plans "tests of one processor and of two" "t-6.12 u-6.12" t-6.12 u-6.12
tap_equal "have guests of so many" "1 2" \
	"$(grep -o 'cpus [0-9]*' "$tmp/guests" | cut -d ' ' -f 2 | sort | paste -s -d ' ')"

# What needs the kernel for debugging: skipped without it, unless it is asked for.
cat > "$tmp/tree/selftests/tests.list" <<-'END'
	t	host	-	3	full	./test.sh
	d	host	-	3	debug	./test.sh
END
printf '#!/bin/sh\necho "%s/debug"\n' "$tmp" > "$tmp/tree/scripts/uml-build"
printf '#!/bin/sh\necho 1..1; echo ok 1\n' > "$tmp/tree/test.sh"
chmod +x "$tmp/tree/scripts/uml-build"
# ends NAME WANT ARG...: WANT is the last line of such a run
ends()
{
	local name=$1 want=$2

	shift 2
	tap_equal "$name" "$want" "$("$tmp/tree/scripts/run-tests" "$@" 2>&1 | tail -n 1)"
}
ends "no kernel for debugging" "1 passed, 0 failed, 1 skipped" full
ends "but it is asked for" "1 passed, 0 failed, 0 skipped" full d
ends "all tests that need it" "1 passed, 0 failed, 0 skipped" debug
ends "a fast run has none" "run-tests: no test to run" fast
mkdir "$tmp/debug"
touch "$tmp/debug/complete"
ends "a kernel for debugging" "2 passed, 0 failed, 0 skipped" full
rm "$tmp/tree/scripts/uml-build"
printf 't\thost\t-\t3\tfull\t./test.sh\nm\thost\t-\t3\tmore\t./test.sh\n' \
	> "$tmp/tree/selftests/tests.list"
ends "one that is more" "1 passed, 0 failed, 0 skipped" full
ends "if it is asked for" "1 passed, 0 failed, 0 skipped" full m
ends "all" "2 passed, 0 failed, 0 skipped" all

# The estimate: of the list, and of what the last run took.
# What is skipped for want of the kernel for debugging takes nothing.
printf '%s\t%s\t-\t600/%s\t%s\t./test.sh\n' a host 120 full b alone 60 full d host 900 debug \
	> "$tmp/tree/selftests/tests.list"
export SYMPHONY_PROCESSORS=2 SYMPHONY_CACHE="$tmp/cache"
tap_equal "two minutes on two processors, and one alone" \
	"about 3 minutes if nothing else runs on 2 processors: 0 to build, 2 to test" \
	"$("$tmp/tree/scripts/run-tests" --estimate full)"
"$tmp/tree/scripts/run-tests" full > "$tmp/log"
tap_equal "what it took the last time" \
	"about 1 minutes if nothing else runs on 2 processors: 0 to build, 0 to test" \
	"$("$tmp/tree/scripts/run-tests" --estimate full)"
unset SYMPHONY_PROCESSORS SYMPHONY_CACHE

# In a tree whose UML is this machine.
# shellcheck disable=SC2016	# expanded there
{
	mkdir -p "$tmp/tree/selftests/t"
	cp "$top/scripts/uml-test" "$tmp/tree/scripts/"
	printf '.PHONY: program\nprogram:\n\t@$(RECIPE)\n' > "$tmp/tree/selftests/t/Makefile"
	printf '#!/bin/sh\n' | tee "$tmp/tree/scripts/uml-modules" > "$tmp/tree/scripts/uml"
	echo 'until [ "$1" = -- ]; do shift; done; shift; exec "$@"' >> "$tmp/tree/scripts/uml"
	printf '#!/bin/sh\ncat "$(dirname "$0")/program"\n' > "$tmp/tree/selftests/t/test.sh"
	chmod +x "$tmp/tree/scripts/uml"* "$tmp/tree/selftests/t/test.sh"
}

# uml_test NAME WANT RECIPE TEST: WANT is the exit status of scripts/uml-test and
# the last line of what it and the test print; RECIPE makes the test's program.
uml_test()
{
	local have

	have=$(cd "$tmp/tree/selftests" || exit
		RECIPE=$3 ../scripts/uml-test "$4" 2>&1 | tail -n 1
		echo "${PIPESTATUS[0]}")
	tap_equal "$1" "$2" "$(echo "$have" | tac | paste -s -d ' ')"
}

uml_test "the program of a test is made" "0 new" 'echo new > program' t/test.sh
uml_test "and again" "0 newer" 'echo newer > program' t/test.sh
uml_test "no test without it" "1 uml-test: t does not build" 'false' t/test.sh
printf 'include ../lib.mk\n' > "$tmp/tree/selftests/Makefile"
printf '#!/bin/sh\necho top\n' > "$tmp/tree/selftests/top.sh"
chmod +x "$tmp/tree/selftests/top.sh"
uml_test "the kernel makes what is of all tests" "0 top" false top.sh
uml_test "a test that is none" "2 uml-test: 't/none.sh' is no script that can be run" : t/none.sh
tap_done
