#!/usr/bin/env bash
# Prints the commit that a change is compared with: that of the merge base with main,
# or on main itself that of the commit before. It prints nothing where there is none.
set -euo pipefail

for main in origin/main main; do
	if git rev-parse --quiet --verify "$main^{commit}" >/dev/null; then
		base=$(git merge-base HEAD "$main" || true)
		[ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse --quiet --verify 'HEAD^' || true)
		echo "$base"
		exit 0
	fi
done
