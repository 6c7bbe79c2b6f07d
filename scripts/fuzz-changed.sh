#!/usr/bin/env bash
# Fuzzes the packages that changed since the commit that scripts/base.sh names, some
# seconds each. The seeds of all targets are tests, and run with the others.
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(scripts/base.sh)
if [ -z "$base" ]; then
	echo 'no commit to compare with'
	exit 0
fi
mapfile -t folders < <(git diff --name-only --diff-filter=d "$base" -- '*.go' | xargs -r -n1 dirname | sort -u)
packages=()
for folder in "${folders[@]}"; do
	grep -qs '^func Fuzz' "$folder"/*_test.go && packages+=("./$folder")
done
if [ "${#packages[@]}" = 0 ]; then
	echo "no package with a fuzz target changed since $base"
	exit 0
fi
FUZZTIME=${FUZZTIME:-2000x} scripts/fuzz.sh "${packages[@]}"
