package settings

import (
	"strings"
	"testing"
)

// Two addresses of which the second would be taken are refused, however they are
// written.
func TestAddressesOfTheirOwn(t *testing.T) {
	t.Parallel()
	const acme = "--acme --base-url=https://hush.example.com "
	for args, want := range map[string]string{
		"--listen=127.0.0.1:1 --admin-listen=127.0.0.1:1":                     "--admin-listen and --listen",
		"--listen=:1 --admin-listen=127.0.0.1:1":                              "--admin-listen and --listen",
		"--listen=[::]:1 --admin-listen=localhost:1":                          "--admin-listen and --listen",
		"--listen=127.0.0.1:1 --admin-listen=localhost:1":                     "--admin-listen and --listen",
		"--listen=127.0.0.1:1 --admin-listen=[::1]:1":                         "",
		"--listen=127.0.0.1:1 --admin-listen=127.0.0.1:2":                     "",
		"--listen=127.0.0.1:0 --admin-listen=127.0.0.1:0":                     "",
		"--listen=systemd --admin-listen=systemd":                             "--admin-listen and --listen",
		"--listen=systemd:a --admin-listen=systemd:b":                         "",
		"--listen=unix:/a/b --admin-listen=unix:/a//b --base-url=https://h.x": "--admin-listen and --listen",
		acme + "--listen=:80":                                                 "--acme-http-listen and --listen",
		acme + "--listen=0.0.0.0:80":                                          "--acme-http-listen and --listen",
		acme + "--acme-http-listen=192.0.2.1:443":                             "--acme-http-listen and --listen",
		acme + "--listen=192.0.2.1:443 --acme-http-listen=192.0.2.2:443":      "",
		acme + "--admin-listen=127.0.0.1:80":                                  "--admin-listen and --acme-http-listen",
		acme:                                                                  "",
		"--listen=:80":                                                        "",
	} {
		_, err := parse(nil, strings.Fields(args)...)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want+" need addresses of their own") {
			t.Errorf("serve %s: got %v, want %q", args, err, want)
		}
	}
}
