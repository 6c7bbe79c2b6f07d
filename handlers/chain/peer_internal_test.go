package chain

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// A caller writes anything into X-Forwarded-For. Only what a trusted proxy
// appended may count.
func TestPeer(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"no header":                    {"192.0.2.1:1", nil, "192.0.2.1"},
		"a stranger forges":            {"192.0.2.1:1", []string{"198.51.100.1"}, "192.0.2.1"},
		"a stranger forges a proxy":    {"192.0.2.1:1", []string{"10.0.0.1"}, "192.0.2.1"},
		"a proxy tells":                {"10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		"the last stranger counts":     {"10.0.0.1:1", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		"proxies in between":           {"10.0.0.1:1", []string{"203.0.113.9, 198.51.100.1, 10.0.0.2 ,10.0.0.3"}, "198.51.100.1"},
		"several headers are one":      {"10.0.0.1:1", []string{"203.0.113.9", "198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		"a proxy without a header":     {"10.0.0.1:1", nil, "10.0.0.1"},
		"an empty header":              {"10.0.0.1:1", []string{""}, "10.0.0.1"},
		"only proxies":                 {"10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"garbage ends the chain":       {"10.0.0.1:1", []string{"198.51.100.1, unknown, 10.0.0.2"}, "10.0.0.2"},
		"garbage at the end":           {"10.0.0.1:1", []string{"198.51.100.1, <script>"}, "10.0.0.1"},
		"a port is garbage":            {"10.0.0.1:1", []string{"198.51.100.1:8080"}, "10.0.0.1"},
		"IPv6":                         {"[2001:db8:ffff::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
		"IPv4 in IPv6 clothing":        {"[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		"a zone makes nobody trusted":  {"[fe80::1%eth0]:1", []string{"198.51.100.1"}, "fe80::1%eth0"},
		"an address that is not one":   {"@", []string{"198.51.100.1"}, "invalid IP"},
		"a thousand hops are no worry": {"10.0.0.1:1", manyHops(1000), "198.51.100.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			r.RemoteAddr = c.remote
			for _, value := range c.forwarded {
				r.Header.Add("X-Forwarded-For", value)
			}
			m := middleware{trusted: trusted, log: slog.New(slog.DiscardHandler), warned: new(sync.Once)}
			addr, forwarded := m.peer(r)
			if got := addr.String(); got != c.want {
				t.Errorf("peer(%s, %q): got %s, want %s", c.remote, c.forwarded, got, c.want)
			}
			if want := addr.IsValid() && !strings.Contains(c.remote, c.want); forwarded != want {
				t.Errorf("peer(%s, %q): got %t, want forwarded to be %t", c.remote, c.forwarded, forwarded, want)
			}
		})
	}
}

func manyHops(n int) []string {
	hops := []string{"198.51.100.1"}
	for range n {
		hops = append(hops, "10.1.2.3")
	}
	return hops
}
