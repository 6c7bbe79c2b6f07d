package server

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hush/server/settings"
)

// A trusted proxy does not mean that TLS ends at it, and a wide network of proxies
// lets others choose their address.
func TestAdviceOnProxies(t *testing.T) {
	t.Parallel()
	const inClear, wide = "secrets cross the network in the clear", "wide network"
	everywhere := &net.TCPAddr{IP: net.IPv4zero, Port: 7143}
	for _, c := range []struct {
		base, proxies string
		addr          net.Addr
		want          []string
	}{
		{"http://secrets.example.com", "", everywhere, []string{inClear}},
		{"http://secrets.example.com", "10.0.0.5/32", everywhere, []string{inClear}},
		{"https://secrets.example.com", "", everywhere, []string{inClear}},
		{"https://secrets.example.com", "10.0.0.5/32", everywhere, nil},
		{"https://secrets.example.com", "10.0.0.0/16 2001:db8::/48", everywhere, nil},
		{"https://secrets.example.com", "10.0.0.0/15 2001:db8::/47", everywhere, []string{wide, wide}},
		{"https://secrets.example.com", "10.0.0.0/8", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7143}, []string{wide}},
		{"http://secrets.example.com", "", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7143}, nil},
	} {
		var log strings.Builder
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		s := &server{Settings: &settings.Settings{}, parts: &parts{}, base: base, log: slog.New(slog.NewTextHandler(&log, nil))}
		for text := range strings.FieldsSeq(c.proxies) {
			s.TrustedProxies = append(s.TrustedProxies, netip.MustParsePrefix(text))
		}
		s.advise(c.addr)
		for _, words := range []string{inClear, wide} {
			want := strings.Count(strings.Join(c.want, "\n"), words)
			if got := strings.Count(log.String(), words); got != want {
				t.Errorf("advise(%s, %q, %s): got %d times %q, want %d", c.base, c.proxies, c.addr, got, words, want)
			}
		}
	}
}

// The start says what is given up with a protection that is off.
func TestAdviseOfProtectionsThatAreOff(t *testing.T) {
	t.Parallel()
	const noLog = "--spent-log is off"
	for _, c := range []struct {
		limits, sandbox, store, spentLog string
		want                             []string
	}{
		{"on", "auto", "bolt", "/mnt/other/spent", nil},
		{"on", "auto", "bolt", "", []string{noLog}},
		{"on", "auto", "bolt", "off", []string{noLog}},
		{"on", "auto", "memory", "", nil},
		{"on", "auto", "postgres://hush@db.example.com/hush", "", nil},
		{"off", "auto", "memory", "", []string{"--rate-limits=off"}},
		{"on", "off", "memory", "", []string{"--sandbox=off"}},
		{"off", "off", "memory", "", []string{"--rate-limits=off", "--sandbox=off"}},
	} {
		var log strings.Builder
		s := &server{
			Settings: &settings.Settings{}, parts: &parts{}, base: &url.URL{Scheme: "https", Host: "secrets.example.com"},
			log: slog.New(slog.NewTextHandler(&log, nil)),
		}
		s.RateLimits, s.Sandbox, s.Store, s.SpentLog = c.limits, c.sandbox, c.store, c.spentLog
		s.advise(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7143})
		for _, words := range []string{"--rate-limits=off", "--sandbox=off", noLog} {
			if got := strings.Contains(log.String(), words); got != slices.Contains(c.want, words) {
				t.Errorf("advise(rate limits %s, sandbox %s, store %s, spent log %q): got %s told %t, want %t", c.limits, c.sandbox, c.store, c.spentLog, words, got, !got)
			}
		}
	}
}
