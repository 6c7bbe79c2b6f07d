#!/usr/bin/env bash
# Checks the contract against the one it grew out of: that of the merge base
# with main, or on main itself that of the commit before. Where there is no
# such commit, or it had no contract, there is nothing to break.
set -euo pipefail
cd "$(dirname "$0")/.."

base=''
for main in origin/main main; do
	if git rev-parse --quiet --verify "$main^{commit}" >/dev/null; then
		base=$(git merge-base HEAD "$main" || true)
		break
	fi
done
if [ -z "$base" ]; then
	echo 'buf breaking: left out, no main to compare with'
	exit 0
fi
if [ "$base" = "$(git rev-parse HEAD)" ]; then
	base=$(git rev-parse --quiet --verify 'HEAD^' || true)
fi
if [ -z "$base" ] || [ -z "$(git ls-tree "$base" -- buf.yaml proto 2>/dev/null)" ]; then
	echo 'buf breaking: left out, no earlier contract on main'
	exit 0
fi
git_dir=$(git rev-parse --git-common-dir)
echo "buf breaking --against $(git rev-parse --short "$base")"
go tool -modfile=tools/go.mod buf breaking --against "$git_dir#ref=$base"
