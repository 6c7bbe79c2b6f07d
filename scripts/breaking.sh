#!/usr/bin/env bash
# Checks the contract against the one it grew out of, in the commit that
# scripts/base.sh names. Where there is no such commit, or it had no contract, there is
# nothing to break.
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(scripts/base.sh)
if [ -z "$base" ] || [ -z "$(git ls-tree "$base" -- buf.yaml proto 2>/dev/null)" ]; then
	echo 'buf breaking: left out, no earlier contract to compare with'
	exit 0
fi
git_dir=$(git rev-parse --git-common-dir)
echo "buf breaking --against $(git rev-parse --short "$base")"
go tool -modfile=tools/go.mod buf breaking --against "$git_dir#ref=$base"
