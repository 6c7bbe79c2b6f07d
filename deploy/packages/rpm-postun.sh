#!/bin/sh
# After the files are gone: $1 is how many versions are left. What was shared, and
# the key to it, stay.
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload >/dev/null 2>&1 || :
	if [ "$1" -ge 1 ]; then
		systemctl try-restart hush.service >/dev/null 2>&1 || :
	fi
fi
if [ "$1" = 0 ]; then
	for kept in /var/lib/hush /etc/hush/root.key /etc/hush/root.key.cred; do
		if [ -e "$kept" ]; then
			echo "hush: $kept is kept; remove it if nothing in it is needed any more"
		fi
	done
fi
