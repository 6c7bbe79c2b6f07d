package settings

import (
	"net"
	"strings"
	"testing"
)

func TestAdminListenIsLocal(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "127.1.2.3:7144": true, "[::1]:7144": true, "localhost:7144": true,
		"unix:/run/hush/metrics.sock": true, "systemd": true, "systemd:metrics": true, "systemd:7144": true, "": true,
		"0.0.0.0:7144": false, "[::]:7144": false, ":7144": false, "10.0.0.1:7144": false, "hush.example:7144": false,
		"localhost.example:7144": false, "127.0.0.1": false, "127.0.0.1:x": false, "unix:": false,
	} {
		if _, err := parse(nil, "--admin-listen="+address); (err == nil) != want {
			t.Errorf("--admin-listen=%s: got %v, want it accepted %t", address, err, want)
		}
	}
	if _, err := parse(nil, "--listen=127.0.0.1:1", "--admin-listen=127.0.0.1:1"); err == nil {
		t.Error("--admin-listen like --listen: got nil, want an error")
	}
}

// A socket that systemd opened may be on another address.
func TestCheckAdminAddr(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr net.Addr
		want bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true}, {&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.UnixAddr{Name: "/run/hush/metrics.sock"}, true},
		{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, false}, {&net.TCPAddr{IP: net.IPv6zero}, false}, {&net.TCPAddr{}, false},
	} {
		if err := CheckAdminAddr(c.addr); (err == nil) != c.want {
			t.Errorf("CheckAdminAddr(%v): got %v, want it accepted %t", c.addr, err, c.want)
		}
	}
}

// Metrics leave this machine over TLS only, and only to who proves something.
func TestMetricsListen(t *testing.T) {
	t.Parallel()
	const address, cert, key = "--metrics-listen=0.0.0.0:7145", "--metrics-tls-cert=c.pem", "--metrics-tls-key=k.pem"
	const token, authority = "--metrics-token-file=token", "--metrics-client-ca=ca.pem"
	for want, calls := range map[string][][]string{
		"": {
			{}, {address, cert, key, token}, {address, cert, key, authority}, {address, cert, key, token, authority},
			{address, "--tls-cert=c.pem", "--tls-key=k.pem", token}, {"--metrics-listen=systemd:metrics", cert, key, token},
			{"--metrics-listen=127.0.0.1:7145", cert, key, token, "--admin-listen=127.0.0.1:7144"},
		},
		"needs TLS: name a certificate with --metrics-tls-cert and --metrics-tls-key":  {{address, token}, {address, authority}, {address}, {"--metrics-listen=127.0.0.1:7145", token}},
		"say who may scrape, with --metrics-token-file or --metrics-client-ca":         {{address, cert, key}, {address, "--tls-cert=c.pem", "--tls-key=k.pem"}},
		"--metrics-tls-cert and --metrics-tls-key go together":                         {{address, cert, token}, {address, key, token}},
		"--metrics-token-file needs --metrics-listen":                                  {{token}},
		"--metrics-client-ca needs --metrics-listen":                                   {{authority}},
		"--metrics-tls-cert needs --metrics-listen":                                    {{cert, key}},
		"must be host:port or systemd:NAME: --admin-listen serves metrics on a socket": {{"--metrics-listen=unix:/run/metrics.sock", cert, key, token}},
		"must be host:port": {{"--metrics-listen=7145", cert, key, token}},
		"--metrics-listen and --admin-listen need addresses of their own": {{"--metrics-listen=:7144", "--admin-listen=127.0.0.1:7144", cert, key, token}},
		"--metrics-listen and --listen need addresses of their own":       {{"--metrics-listen=127.0.0.1:7143", cert, key, token}},
	} {
		for _, args := range calls {
			_, err := parse(nil, args...)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("parse(%q): got %v, want %q", args, err, want)
			}
		}
	}
}
