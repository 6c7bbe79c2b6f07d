#!/bin/sh
# After the files are in place: $1 is how many versions are installed now.
systemd-sysusers hush.conf || :
# The settings may get a password, which only the service may read. rpm gives the
# file the owner of the package at each upgrade.
chgrp hush /etc/hush/hush.yaml || :
chmod 0640 /etc/hush/hush.yaml || :
if [ "$1" = 1 ] && [ -x /usr/bin/systemctl ]; then
	systemctl --no-reload preset hush.service hush.socket >/dev/null 2>&1 || :
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload >/dev/null 2>&1 || :
fi
