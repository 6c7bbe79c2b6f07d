#!/usr/bin/env bash
# Runs go test over its arguments, whose packages may be of the service and of the
# tools in tools/hush, and reports what a person wants to know: each
# package's verdict as it comes, the output of what failed, the slowest tests, what
# was skipped and why, and what another run has (package testtier). It installs
# nothing. A file that a flag names, as -coverprofile does, is in the folder of the
# module: name the packages of one.
#
# A test that needs something a machine may lack says so and skips itself:
#
#	t.Skip("needs strace: not installed")
#
# TEST_REQUIRE lists the names that must not be missing, separated by commas;
# a skip for one of them then fails the run. `all` forbids every skip.
# `race` stands for the race detector.
#
# RACE=1 turns the race detector on where a C compiler is found.
# TEST_TIMES names a file to which each test's time is appended.
#
# With STORE=postgres the tests run on a private PostgreSQL server, each on a
# schema or database of its own; without PostgreSQL the run fails. What is about
# the data folder stays on bbolt, and what would test the same as in the run on
# bbolt is left out: both are listed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/modules.sh

mkdir -p .tmp
work=$(mktemp -d .tmp/test.XXXXXX)
trap 'rm -rf "$work"' EXIT
go build -C tools/hush -o "$PWD/$work/report" ./testreport

report=("$work/report" -require "${TEST_REQUIRE:-}" -times "${TEST_TIMES:-}")
server=() race=()
case ${STORE:-bolt} in
bolt) report+=(-left-out .tmp/left-out) ;;
postgres)
	go build -C tools/hush -o "$PWD/$work/hush-postgres" ./postgres
	server=("$work/hush-postgres")
	report+=(-stores)
	;;
*)
	echo "STORE=$STORE: must be bolt or postgres" >&2
	exit 2
	;;
esac

# A compiler without the C library's headers is as good as none.
if [ -n "${RACE:-}" ]; then
	read -r -a cc <<<"$(go env CC)"
	if ! command -v "${cc[0]:-none}" >/dev/null; then
		report+=(-no-race 'no C compiler')
	elif ! printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | "${cc[@]}" -x c -o "$work/probe" - 2>/dev/null; then
		report+=(-no-race 'the C compiler does not work')
	else
		export CGO_ENABLED=1
		race=(-race)
	fi
fi

# tests FOLDER ARGUMENT... tests packages of the module in a folder. vet is a part of
# lint. Without the tables for debuggers, which panics do not need, a hundred programs of
# tests are linked faster and take half the disk. What a test reads outside its module
# does not count for go's cache of results, and the tools read the tree, so they have none.
tests() {
	local folder=$1 uncached=()
	shift
	[ "$folder" = . ] || uncached=(-count=1)
	"${server[@]}" go test -C "$folder" "${race[@]}" "${uncached[@]}" -json -vet=off -ldflags='-s -w' -timeout "${TEST_TIMEOUT:-45m}" "$@"
}
status=0
in_modules tests "$@" 2>&1 | "${report[@]}" || status=1
[ "$status" = 0 ] && echo PASS
exit "$status"
