package server

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"hush/cmd/hush/settings"
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
