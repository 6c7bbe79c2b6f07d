#!/usr/bin/env bash
# Runs go test with flags for benchmarks over its arguments, whose packages may be of the
# service and of the tools in tools/hush.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/modules.sh

benchmarks() { go test -C "$1" -run '^$' "${@:2}"; }
in_modules benchmarks "$@"
