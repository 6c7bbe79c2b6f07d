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
set -euo pipefail
cd "$(dirname "$0")/.."

require=,${TEST_REQUIRE:-},
required() { [[ $require == *,all,* || $require == *,$1,* ]]; }

mkdir -p .tmp
work=$(mktemp -d .tmp/test.XXXXXX)
trap 'rm -rf "$work"' EXIT

# A compiler without the C library's headers is as good as none.
race=() skipped_race=''
read -r -a cc <<<"$(go env CC)"
if [ "${CGO_ENABLED:-1}" = 0 ]; then
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
go test -v -timeout 30m ${race[@]+"${race[@]}"} "$@" 2>&1 | tee "$work/log" | awk -f scripts/test-verdicts.awk || status=$?

echo
echo '--- skipped'
[ -z "$skipped_race" ] || echo "race detector ($skipped_race)"
awk -f scripts/test-skips.awk "$work/log" | tee "$work/skips"
[ -n "$skipped_race" ] || [ -s "$work/skips" ] || echo 'nothing'

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
