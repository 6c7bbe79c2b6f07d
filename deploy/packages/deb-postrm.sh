#!/bin/sh
# After the files are gone. What was shared, and the key to it, stay.
set -e
if [ -d /run/systemd/system ]; then
	systemctl --system daemon-reload >/dev/null || true
fi
if [ -x /usr/bin/deb-systemd-helper ]; then
	case $1 in
	remove) deb-systemd-helper mask hush.service >/dev/null || true ;;
	purge)
		deb-systemd-helper purge hush.service hush.socket >/dev/null || true
		deb-systemd-helper unmask hush.service >/dev/null || true
		;;
	esac
fi
if [ "$1" = purge ]; then
	for kept in /var/lib/hush /etc/hush/root.key /etc/hush/root.key.cred; do
		if [ -e "$kept" ]; then
			echo "hush: $kept is kept; remove it if nothing in it is needed any more"
		fi
	done
fi
