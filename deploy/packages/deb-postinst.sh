#!/bin/sh
# After the files are in place: $1 is configure, $2 the version before, if any.
set -e
[ "$1" = configure ] || exit 0

systemd-sysusers hush.conf
# The settings may get a password, which only the service may read. Afterwards the
# file is the administrator's, who may also have removed it.
if [ -z "$2" ] && [ -f /etc/hush/hush.yaml ]; then
	chgrp hush /etc/hush/hush.yaml
	chmod 0640 /etc/hush/hush.yaml
fi

if [ -x /usr/bin/deb-systemd-helper ]; then
	deb-systemd-helper unmask hush.service >/dev/null || true
	if deb-systemd-helper --quiet was-enabled hush.service; then
		deb-systemd-helper enable hush.service >/dev/null || true
	else
		deb-systemd-helper update-state hush.service >/dev/null || true
	fi
fi
if [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null || true
	if [ -n "$2" ]; then
		deb-systemd-invoke try-restart hush.service >/dev/null || true
	else
		deb-systemd-invoke start hush.service >/dev/null || true
	fi
fi
