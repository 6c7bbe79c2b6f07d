#!/usr/bin/env bash
# What a change must pass: the tests of "make test", then those that start programs,
# the race detector, PostgreSQL and Chromium, beside lint, generated code, the
# contract and a build of a release. Skips are forbidden unless TEST_REQUIRE says
# which tools must be there.
#
# A run of all stages that passed on a tree without changes writes its commit to
# .tmp/ci-passed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/stages.sh
export TEST_REQUIRE=${TEST_REQUIRE-all}

# commit names the tree if it has no changes.
commit() {
	[ -z "$(git status --porcelain 2>/dev/null)" ] && git rev-parse HEAD 2>/dev/null
}
before=$(commit) || before=''

# Where goroutines meet.
raced=(vault storage handlers server/connections client)
for folder in "${raced[@]}"; do
	[ -d "$folder" ] || { echo "there is no folder $folder for the race detector"; exit 1; }
done
others() {
	local IFS='|'
	go list ./... | grep -vE "^hush/(${raced[*]})(/|$)"
}
# Programs wait for each other a good part of the time; the processors do the rest
# meanwhile.
programs() {
	local packages
	packages=$(others)
	# shellcheck disable=SC2086 # paths of packages hold no white space
	stage 'programs and pages' scripts/test.sh $packages ./tools/hush/...
	# What is larger than -short in the vault has the race detector, and runs here in
	# "make full".
	STORE=postgres stage 'PostgreSQL' scripts/test.sh ./storage/postgres ./server/booted ./cmd/hush ./cmd/hush/admin
	STORE=postgres stage 'routes on PostgreSQL' scripts/test.sh -run '^TestExchanges$' ./routes/apitest
	STORE=postgres stage 'vault on PostgreSQL' scripts/test.sh -short ./vault/...
}
rest() {
	stage 'lint' make lint
	stage 'openapi' make check-openapi
	stage 'size' make size
	stage 'trip' make trip
	stage 'release' env RELEASE_TARGETS=linux/amd64 scripts/check-release.sh
	stage 'fuzz' scripts/fuzz-changed.sh
	local trees=("${raced[@]/#/./}")
	RACE=1 stage 'race detector' scripts/test.sh "${trees[@]/%//...}"
}

shown 'test' make test
# These two write into the tree, so nothing else runs meanwhile.
stage 'generated code' make check-generated
stage 'web' make check-web
lane programs
lane rest
joined

mkdir -p .tmp
if finish; then
	if [ -z "${ONLY:-}" ] && [ -n "$before" ] && [ "$(commit)" = "$before" ]; then echo "$before" >.tmp/ci-passed; fi
else
	exit 1
fi
