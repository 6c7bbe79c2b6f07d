#!/usr/bin/env bash
# Lays the protovalidate module that buf.lock pins into buf's cache, out of the
# Go module of the same release, for machines that cannot reach the Buf
# registry. buf checks the digest in buf.lock against what is laid here, so
# nothing but the pinned bytes is ever used. Elsewhere it changes nothing: the
# same three files are what buf would have fetched.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's|.*buf.build/bufbuild/protovalidate:\(v[0-9.]*\).*|\1|p' buf.yaml)
commit=$(sed -n 's|^ *commit: *||p' buf.lock)
cache=${BUF_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/buf}
module=$cache/v3/modules/b5/buf.build/bufbuild/protovalidate/$commit
[ -f "$module/module.yaml" ] && exit 0

source=$(go mod download -json "github.com/bufbuild/protovalidate@$version" | sed -n 's|^\t"Dir": "\(.*\)",*$|\1|p')
mkdir -p "$module/files/buf/validate"
cp "$source/proto/protovalidate/buf/validate/validate.proto" "$module/files/buf/validate/"
cp "$source/LICENSE" "$source/README.md" "$module/files/"
chmod -R u+w "$module"
printf 'version: v1\nfiles_dir: files\n' >"$module/module.yaml"
