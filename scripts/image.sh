#!/usr/bin/env bash
# image.sh FOLDER ARCH... lays out in FOLDER the files of the container image for each
# architecture, as amd64 or arm64, for deploy/container/Dockerfile to copy.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
shift
roots=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}

rm -rf "$out"
for arch in "$@"; do
	mkdir -p "$out/$arch/etc/ssl/certs"
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -ldflags '-s -w' -o "$out/$arch/hush" ./cmd/hush
	chmod 0555 "$out/$arch/hush"
	# Servers of mail and ACME prove themselves by these.
	install -m 0444 "$roots" "$out/$arch/etc/ssl/certs/ca-certificates.crt"
done
# A new volume takes over the owner of this folder.
install -d -m 0700 "$out/data"
