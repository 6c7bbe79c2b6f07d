#!/usr/bin/env bash
# Everything: all tests in their whole size with the race detector, on both stores,
# three browsers, nodes under faults, power loss, long fuzzing, two releases that must
# be the same, packages in fresh roots, other systems, and the benchmark guard.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/stages.sh
# The tests that start the program take two hours with the race detector on two processors
# that do the rest beside it.
export TEST_REQUIRE=${TEST_REQUIRE-all} TEST_TIER=full TEST_TIMEOUT=180m

# These two write into the tree, so nothing else runs meanwhile.
stage 'generated code' make check-generated
stage 'web' make check-web

# The tests of programs and pages run one after another and wait for each other half of
# the time; the processors do the rest meanwhile.
rest() {
	stage 'openapi' make check-openapi
	stage 'lint' make lint
	stage 'tests on PostgreSQL' make test-postgres
	# The race detector would only make fewer operations of the same time.
	stage 'nodes under faults' go test -count=1 -timeout 15m -v -run '^TestFaults$' ./vault/faulttest -faults.operations 50000 -faults.faults 32 -faults.stall
	stage 'fuzz' make fuzz FUZZTIME=10000x
	stage 'benchmarks run' make bench BENCHTIME=1x
	stage 'size' make size
	stage 'trip' make trip
	stage 'release' make check-release
	stage 'packages' make check-packages
	stage 'other systems' make vet-systems
}
lane rest
RACE=1 shown 'tests' scripts/test.sh ./...
joined

# It says what costs more than before, and fails only if it cannot measure. It runs
# alone, because what runs beside it changes what it measures.
stage 'benchmark guard' env BENCH_GUARD=print make bench-guard
finish
