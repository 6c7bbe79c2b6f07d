#!/bin/sh
# Before the files go: $1 is how many versions will be left.
if [ "$1" = 0 ] && [ -x /usr/bin/systemctl ]; then
	if [ -d /run/systemd/system ]; then
		systemctl --no-reload disable --now hush.socket hush.service >/dev/null 2>&1 || :
	else
		systemctl --no-reload disable hush.socket hush.service >/dev/null 2>&1 || :
	fi
fi
