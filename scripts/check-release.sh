#!/usr/bin/env bash
# Builds a release of HEAD in a clone, with a signing key of its own, and again
# for this system in another clone with an empty build cache. Both must give the
# same bytes. What is left in .tmp/dist is what the packages are tested with.
#
# With RELEASE_TARGETS=linux/amd64 it builds that target alone, once, and leaves
# .tmp/dist as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "FAIL: $*" >&2; exit 1; }

for program in npm ssh-keygen; do
	command -v "$program" >/dev/null || fail "needs $program: not installed"
done
mkdir -p .tmp
work=$(mktemp -d "$PWD/.tmp/release.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
go build -C tools/hush -o "$work/release" ./release

git clone --quiet . "$work/one"
ssh-keygen -q -t ed25519 -N '' -C test -f "$work/key"

echo "--- ${RELEASE_TARGETS:-all targets}"
"$work/release" -source "$work/one" -out "$work/dist" -key "$work/key" ${RELEASE_TARGETS:+-targets "$RELEASE_TARGETS"}
ls -l "$work/dist"

if [ -z "${RELEASE_TARGETS:-}" ]; then
	echo '--- linux/amd64 again, elsewhere'
	git clone --quiet . "$work/another/clone"
	GOCACHE=$work/cache "$work/release" -source "$work/another/clone" -out "$work/again" -targets linux/amd64
	different=$(comm -13 <(sort "$work/dist/SHA256SUMS") <(sort "$work/again/SHA256SUMS"))
	[ -s "$work/again/SHA256SUMS" ] || fail 'the second build made nothing'
	[ -z "$different" ] || fail "two builds differ in"$'\n'"$different"
	wc -l <"$work/again/SHA256SUMS" | sed 's/$/ files are the same/'
fi

echo '--- as someone who downloads it checks it'
cd "$work/dist"
sha256sum --check --quiet SHA256SUMS
printf 'releases@example.com %s\n' "$(cat "$work/key.pub")" >"$work/signers"
verify() { ssh-keygen -Y verify -f "$work/signers" -I releases@example.com -n hush-release -s SHA256SUMS.sig; }
verify <SHA256SUMS
if sed 's/^./x/' SHA256SUMS | verify 2>/dev/null; then fail 'a signature for changed checksums is accepted'; fi

echo '--- the program'
tar -xzf hush_*_linux_amd64.tar.gz -C "$work" hush
case $(uname -sm) in 'Linux x86_64')
	"$work/hush" version | tee "$work/version"
	commit=$(git -C "$work/one" rev-parse HEAD)
	grep -qx "commit $commit" "$work/version" || fail "the binary does not name commit $commit"
	grep -q '^date 20' "$work/version" || fail 'the binary has no date'
	;;
esac
for list in *.cdx.json; do
	node -e '
		const list = JSON.parse(require("fs").readFileSync(process.argv[1]));
		const names = list.components.map((c) => c.purl ?? "");
		for (const want of ["pkg:golang/std@", "pkg:golang/go.etcd.io/bbolt@", "pkg:npm/preact@"])
			if (!names.some((name) => name.startsWith(want))) throw new Error(process.argv[1] + " does not list " + want);
	' "$list"
done

cd "$OLDPWD"
if [ -z "${RELEASE_TARGETS:-}" ]; then
	rm -rf .tmp/dist
	mv "$work/dist" .tmp/dist
fi
echo PASS
