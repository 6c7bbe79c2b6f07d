#!/bin/sh
# Fails if a tracked source or document contains a phrase of scripts/words.txt.
# docs/glossary.md fixes the vocabulary.
#
# Checked are Go, proto and Markdown files, except generated ones and test data.
set -eu
cd "$(dirname "$0")/.."

found=0
tab=$(printf '\t')
files=$(git ls-files -- '*.go' '*.proto' '*.md' | grep -vE '(^|/)(gen|dist|testdata|node_modules)/')
while IFS="$tab" read -r phrase instead; do
	case $phrase in '' | '#'*) continue ;; esac
	# shellcheck disable=SC2086 # tracked names hold no white space
	if grep -nHiE -- "$phrase" $files; then
		echo "  write instead: $instead" >&2
		found=1
	fi
done <scripts/words.txt
exit $found
