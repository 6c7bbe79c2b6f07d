#!/usr/bin/env bash
# Runs go test over its arguments, with the race detector where a C compiler is
# found, and ends with a list of what was skipped and why. It installs nothing.
#
# A test that needs something a machine may lack says so and skips itself:
#
#	t.Skip("needs strace: not installed")
#
# TEST_REQUIRE lists the names that must not be missing, separated by commas;
# a skip for one of them then fails the run. `all` forbids every skip.
# `race` stands for the race detector.
#
# With STORE=postgres the tests run on a private PostgreSQL server, each on a
# schema or database of its own; without PostgreSQL the run fails. What is about
# the data folder stays on bbolt, and what would test the same as in the run on
# bbolt is left out: both are listed at the end. The race detector, which watches
# the same code in a run on bbolt, is off.
set -euo pipefail
cd "$(dirname "$0")/.."

require=,${TEST_REQUIRE:-},
required() { [[ $require == *,all,* || $require == *,$1,* ]]; }

mkdir -p .tmp
work=$(mktemp -d .tmp/test.XXXXXX)
trap 'rm -rf "$work"' EXIT

command=(go test)
if [ "${STORE:-bolt}" = postgres ]; then
	go build -o "$work/hush-postgres" ./cmd/hush-postgres
	command=("$work/hush-postgres" go test)
elif [ "${STORE:-bolt}" != bolt ]; then
	echo "STORE=$STORE: must be bolt or postgres" >&2
	exit 2
fi

# A compiler without the C library's headers is as good as none.
race=() skipped_race=''
read -r -a cc <<<"$(go env CC)"
if [ "${STORE:-bolt}" = postgres ]; then
	:
elif [ "${CGO_ENABLED:-1}" = 0 ]; then
	skipped_race='CGO_ENABLED=0'
elif ! command -v "${cc[0]:-none}" >/dev/null; then
	skipped_race='no C compiler'
elif ! printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | "${cc[@]}" -x c -o "$work/probe" - 2>/dev/null; then
	skipped_race='the C compiler does not work'
else
	export CGO_ENABLED=1
	race=(-race)
fi

# -v is what makes go test tell of skips; the filter shows each package's
# verdict as it comes, and the tests' own words only where something failed.
status=0
"${command[@]}" -v -timeout 45m ${race[@]+"${race[@]}"} "$@" 2>&1 | tee "$work/log" | awk -f scripts/test-verdicts.awk || status=$?

echo
echo '--- skipped'
[ -z "$skipped_race" ] || echo "race detector ($skipped_race)"
awk -f scripts/test-skips.awk "$work/log" | tee "$work/skips"
[ -n "$skipped_race" ] || [ -s "$work/skips" ] || echo 'nothing'

echo
if [ "${STORE:-bolt}" = postgres ]; then
	echo '--- not on the shared PostgreSQL server'
	awk -f scripts/test-stores.awk "$work/log"
else
	echo 'The suites ran on bbolt; "make test-postgres" runs them on PostgreSQL.'
fi

missing=0
if [ -n "$skipped_race" ] && required race; then
	missing=1
fi
while IFS= read -r line; do
	name=$(sed -n 's/^[^ ]* [^ ]* (needs \([^:]*\):.*$/\1/p' <<<"$line")
	required "${name:-anything}" && missing=1
done <"$work/skips"

if [ "$missing" != 0 ]; then
	echo "FAIL: skipped what TEST_REQUIRE=$TEST_REQUIRE forbids to skip"
	exit 1
fi
if [ "$status" != 0 ]; then
	echo 'FAIL'
	exit 1
fi
echo 'PASS'
