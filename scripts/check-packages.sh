#!/usr/bin/env bash
# Installs, upgrades and removes the packages that `make check-release` left in
# .tmp/dist, each kind in a fresh root, and runs the installed program with the
# flags of its unit. Only systemd as process 1 is missing: systemd-socket-activate
# passes the socket, and this script does what the unit says of folders and
# credentials. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "FAIL: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || fail 'needs root: chroot and dpkg --root'
for program in mmdebstrap rpm dpkg strace curl systemd-analyze systemd-socket-activate; do
	command -v "$program" >/dev/null || fail "needs $program: not installed"
done
dist=$PWD/.tmp/dist
[ -e "$dist/SHA256SUMS" ] || fail 'there are no packages: run make check-release'
work=$(mktemp -d "$PWD/.tmp/packages.XXXXXX")
server=''
stop() {
	[ -n "$server" ] || return 0
	kill "$server" 2>/dev/null || true
	wait "$server" || fail "the service ended with $?: $(cat "$work/log")"
	server=''
}
trap '[ -z "$server" ] || kill "$server" || true; rm -rf "$work"' EXIT

echo '--- the unit'
systemd-analyze security --no-pager --offline=true --threshold=15 deploy/systemd/hush.service | tail -n 1

# The syscalls that the unit admits, one a line.
admitted() {
	local name
	sed -n 's/^SystemCallFilter=//p' deploy/systemd/hush.service | while read -r line; do
		for name in ${line#\~}; do
			case $line in '~'*) members "$name" | sed 's/^/-/' ;; *) members "$name" | sed 's/^/+/' ;; esac
		done
	done | awk '/^\+/ { on[substr($0, 2)] = 1 } /^-/ { delete on[substr($0, 2)] } END { for (name in on) print name }'
}
members() {
	local name
	case $1 in
	@*) systemd-analyze syscall-filter "$1" | sed -n 's/^    \([@a-z]\)/\1/p' | while read -r name; do members "$name"; done ;;
	*) echo "$1" ;;
	esac
}
admitted | sort -u >"$work/admitted"
grep -qx landlock_restrict_self "$work/admitted" || fail 'the unit does not admit Landlock'

echo '--- packages of an older version'
go build -C tools/hush -o "$work/release" ./release
git clone --quiet . "$work/source"
"$work/release" -source "$work/source" -out "$work/older" -version 0.0.1 -targets linux/amd64

echo '--- a fresh root'
sources=()
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources; do [ ! -e "$list" ] || sources+=("$list"); done
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mmdebstrap --quiet --variant=essential --include=systemd-standalone-sysusers --dpkgopt=force-unsafe-io \
	"$codename" "$work/debian" "${sources[@]}"
cp -a "$work/debian" "$work/fedora"
cp -a "$work/debian" "$work/first-day"
cp -a "$work/debian" "$work/worst-day"

port=$((20000 + RANDOM % 20000))
url=http://127.0.0.1:$port
# start ROOT [STRACE...] starts the installed program as its unit does.
start() {
	local root=$1 user credentials=/run/credentials/hush.service
	shift
	user=$(chroot "$root" id -u hush):$(chroot "$root" id -g hush)
	if [ ! -e "$root/etc/hush/root.key" ]; then # hush-keygen.service
		chroot "$root" $(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/hush-keygen.service")
	fi
	mkdir -p "$root$credentials" "$root/var/lib/hush"
	install -m 0400 "$root/etc/hush/root.key" "$root$credentials/root.key"
	chmod 0700 "$root/var/lib/hush"
	chown -R "$user" "$root$credentials" "$root/var/lib/hush"
	systemd-socket-activate -l "127.0.0.1:$port" --fdname=hush -E "HUSH_ROOT_KEY_FILE=$credentials/root.key" \
		"$@" chroot --userspec="$user" "$root" $(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/hush.service") >"$work/log" 2>&1 &
	server=$!
	curl -sf --retry 20 --retry-connrefused --retry-delay 1 -o "$work/health" "$url/healthz" || fail "the service does not answer: $(cat "$work/log")"
}
share() { curl -sf -d "secret=$1" "$url/api/v1/share" | sed 's/.*"secret_key":"\([^"]*\)".*/\1/'; }
reveal() { curl -sf -X POST "$url/api/v1/secret/$1"; }

# try ROOT INSTALL UPGRADE REMOVE goes through the life of a package in a root.
try() {
	local root=$1 secret
	"$2"
	[ "$(chroot "$root" hush --version)" = 'hush 0.0.1' ] || fail 'the older version is not installed'
	[ "$(stat -c %a "$root/etc/hush/hush.yaml")" = 640 ] || fail 'hush.yaml is not 0640'
	[ "$(stat -c %g "$root/etc/hush/hush.yaml")" = "$(chroot "$root" id -g hush)" ] || fail 'hush.yaml is not of the group hush'
	for name in usr/share/man/man1/hush-serve.1.gz usr/share/bash-completion/completions/hush usr/share/fish/vendor_completions.d/hush.fish; do
		[ -s "$root/$name" ] || fail "the package has no /$name"
	done
	chroot "$root" hush admin config check --config /etc/hush/hush.yaml >"$work/settings" || fail 'the packaged configuration has mistakes'
	grep -q '^data: /var/lib/hush ' "$work/settings" || fail 'the packaged configuration names no data folder'
	sed -i "s/^#listen: .*/listen: systemd:$port/" "$root/etc/hush/hush.yaml" # as the operator does

	start "$root"
	secret=$(share before-the-upgrade)
	chroot "$root" hush admin account list --config /etc/hush/hush.yaml >/dev/null || fail 'hush admin does not reach the service'
	stop
	"$3"
	[ "$(chroot "$root" hush --version)" != 'hush 0.0.1' ] || fail 'the older version is still installed'
	grep -qx "listen: systemd:$port" "$root/etc/hush/hush.yaml" || fail 'the upgrade changed the configuration'
	start "$root" strace -D -f -qq -o "$work/trace"
	[[ $(reveal "$secret") == *before-the-upgrade* ]] || fail 'the upgrade lost a secret'
	secret=$(share before-the-removal)
	stop
	"$4"
	[ ! -e "$root/usr/bin/hush" ] || fail 'the program is still there'
	[ -s "$root/var/lib/hush/hush.db" ] || fail 'the removal took the data'
	[ -s "$root/etc/hush/root.key" ] || fail 'the removal took the root key'
	"$2" && "$3"
	grep -q '^listen: ' "$root/etc/hush/hush.yaml" || sed -i "s/^#listen: .*/listen: systemd:$port/" "$root/etc/hush/hush.yaml"
	start "$root"
	[[ $(reveal "$secret") == *before-the-removal* ]] || fail 'the removal lost a secret'
	stop
}

echo '--- deb'
deb() { dpkg --root="$work/debian" --force-confold --force-unsafe-io "$@" >"$work/dpkg" 2>&1 || { cat "$work/dpkg"; return 1; }; }
deb_older() { deb --install "$work"/older/hush_*_amd64.deb; }
deb_newer() { deb --install "$dist"/hush_*_amd64.deb; }
deb_remove() {
	deb --remove hush
	[ -s "$work/debian/etc/hush/hush.yaml" ] || fail 'the removal took the configuration'
}
try "$work/debian" deb_older deb_newer deb_remove
deb --purge hush
[ ! -e "$work/debian/etc/hush/hush.yaml" ] || fail 'purge left the configuration'
[ -s "$work/debian/var/lib/hush/hush.db" ] || fail 'purge took the data'
grep -q '/var/lib/hush is kept' "$work/dpkg" || fail 'purge does not say that data are kept'

echo '--- the service under the filters of its unit'
# What counts begins with the program, after chroot.
awk '/execve\("\/usr\/bin\/hush"/ { on = 1 } on' "$work/trace" >"$work/served"
sed -nE 's/^[0-9]+ +(<\.\.\. )?([a-z0-9_]+)(\(| resumed).*/\2/p' "$work/served" | sort -u >"$work/called"
[ "$(wc -l <"$work/called")" -gt 30 ] || fail 'strace recorded next to nothing'
grep -qx landlock_restrict_self "$work/called" || echo 'this kernel has no Landlock'
refused=$(comm -23 "$work/called" "$work/admitted")
[ -z "$refused" ] || fail "SystemCallFilter= refuses what the service calls:"$'\n'"$refused"
! grep -E 'PROT_WRITE\|PROT_EXEC|PROT_EXEC\|PROT_WRITE' "$work/served" || fail 'MemoryDenyWriteExecute= refuses this'
! grep -E ' socket\(AF_' "$work/served" | grep -vE 'AF_(INET6?|UNIX)\b' || fail 'RestrictAddressFamilies= refuses this'
echo "$(wc -l <"$work/called") system calls, all admitted"

echo '--- the first day, and the worst'
mkdir "$work/packages"
cp "$work"/older/hush_*_amd64.deb "$dist"/hush_*_amd64.deb "$work/packages"
go test -count=1 -run '^TestFirstDay$' ./cmd/hush -firstday.root "$work/first-day" -worstday.root "$work/worst-day" -firstday.packages "$work/packages"

echo '--- rpm'
# The root is Debian's, so the database of rpm does not know its systemd.
rpms() { rpm --root="$work/fedora" --nodeps "$@" >"$work/rpm" 2>&1 || { cat "$work/rpm"; return 1; }; }
rpm_older() { rpms --install "$work"/older/hush-*.x86_64.rpm; }
rpm_newer() { rpms --upgrade "$dist"/hush-*.x86_64.rpm; }
rpm_remove() {
	rpms --erase hush
	grep -q '/var/lib/hush is kept' "$work/rpm" || fail 'the removal does not say that data are kept'
	[ -s "$work/fedora/etc/hush/hush.yaml.rpmsave" ] || fail 'the removal took the changed configuration'
}
try "$work/fedora" rpm_older rpm_newer rpm_remove

echo '--- arm64'
[ "$(dpkg-deb --field "$dist"/hush_*_arm64.deb Architecture)" = arm64 ] || fail 'the deb is not for arm64'
[ "$(rpm --query --package --queryformat '%{ARCH}' "$dist"/hush-*.aarch64.rpm)" = aarch64 ] || fail 'the rpm is not for aarch64'
echo PASS
