#!/usr/bin/env bash
# Runs every fuzz target of the packages given for FUZZTIME, one after the
# other, since go test takes only one at a time. It goes through all of them
# and fails if one did.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0 count=0
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' "${@:-./...}"); do
	if ! listed=$(go test -list '^Fuzz' "$package" 2>&1); then
		echo "$listed"
		failed=1
		continue
	fi
	for target in $(grep '^Fuzz' <<<"$listed" || true); do
		echo "fuzz $package $target"
		count=$((count + 1))
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-20000x}" "$package" || failed=1
	done
done
echo "$count fuzz targets ran"
exit "$failed"
