#!/usr/bin/env bash
# Runs every fuzz target of the packages given for FUZZTIME, one after the
# other, since go test takes only one at a time. It goes through all of them
# and fails if one did.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/modules.sh

count=0
# fuzz FOLDER PACKAGE... runs the targets of packages of the module in a folder.
fuzz() {
	local folder=$1 packages package listed target failed=0
	shift
	packages=$(go list -C "$folder" -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' "$@") || return 1
	for package in $packages; do
		if ! listed=$(go test -C "$folder" -list '^Fuzz' "$package" 2>&1); then
			echo "$listed"
			failed=1
			continue
		fi
		for target in $(grep '^Fuzz' <<<"$listed" || true); do
			echo "fuzz $package $target"
			count=$((count + 1))
			go test -C "$folder" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-20000x}" "$package" || failed=1
		done
	done
	return "$failed"
}
failed=0
in_modules fuzz "${@:-./...}" || failed=1
echo "$count fuzz targets ran"
exit "$failed"
