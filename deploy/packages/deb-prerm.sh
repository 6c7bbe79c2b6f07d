#!/bin/sh
# Before the files go: an upgrade keeps the service running until the new
# version restarts it.
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	deb-systemd-invoke stop hush.socket hush.service >/dev/null || true
fi
