#!/bin/sh
# Fails if a tracked source or document contains a phrase of scripts/words.txt.
# docs/glossary.md fixes the vocabulary.
#
# CLEAN lists what is checked: folders and files. To widen the check, rewrite a
# folder's texts and add it here.
set -eu
cd "$(dirname "$0")/.."

CLEAN='
CHANGELOG.md
CONTRIBUTING.md
README.md
SECURITY.md
connections
crash
docs
hosts
locale
mail
proto
resolver
seal
storage
vault
'

found=0
tab=$(printf '\t')
# shellcheck disable=SC2086 # CLEAN is a list
files=$(git ls-files -- $CLEAN | grep -E '\.(go|proto|md|ts|tsx)$' | grep -vE '(^|/)(gen|dist|testdata)/')
while IFS="$tab" read -r phrase instead; do
	case $phrase in '' | '#'*) continue ;; esac
	# shellcheck disable=SC2086 # tracked names hold no white space
	if grep -nHiE -- "$phrase" $files; then
		echo "  write instead: $instead" >&2
		found=1
	fi
done <scripts/words.txt
exit $found
