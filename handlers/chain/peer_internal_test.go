package chain

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
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
		"an empty element ends":        {"10.0.0.1:1", []string{"198.51.100.1, , 10.0.0.2"}, "10.0.0.2"},
		"an empty last element":        {"10.0.0.1:1", []string{"6.6.6.6, "}, "10.0.0.1"},
		"a port":                       {"10.0.0.1:1", []string{"203.0.113.9, 203.0.113.7:5678"}, "203.0.113.7"},
		"a port of a proxy":            {"10.0.0.1:1", []string{"203.0.113.7:5678, 10.0.0.2:443"}, "203.0.113.7"},
		"IPv6 in brackets":             {"10.0.0.1:1", []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv6 with a port":             {"10.0.0.1:1", []string{"[2001:db8::7]:443"}, "2001:db8::7"},
		"IPv6 of a proxy with a port":  {"10.0.0.1:1", []string{"198.51.100.1, [2001:db8:ffff::7]:443"}, "198.51.100.1"},
		"mapped IPv4 with a port":      {"10.0.0.1:1", []string{"[::ffff:198.51.100.1]:443"}, "198.51.100.1"},
		"IPv4 in brackets":             {"10.0.0.1:1", []string{"[198.51.100.1]"}, "10.0.0.1"},
		"a port that is too large":     {"10.0.0.1:1", []string{"198.51.100.1:65536"}, "10.0.0.1"},
		"a port that is no number":     {"10.0.0.1:1", []string{"198.51.100.1:http"}, "10.0.0.1"},
		"a bracket alone":              {"10.0.0.1:1", []string{"2001:db8::7]"}, "10.0.0.1"},
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
			m := middleware{trusted: trusted, log: slog.New(slog.DiscardHandler), now: time.Now, warned: new(forwardedWarnings)}
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

// A proxy whose header cannot be read makes all its clients share one network. The
// operator reads so once a minute, and never what the header says.
func TestUnreadableHopIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m := middleware{
		trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, log: slog.New(slog.NewTextHandler(&log, nil)),
		now: func() time.Time { return now }, warned: new(forwardedWarnings),
	}
	for _, step := range []struct {
		forwarded string
		after     time.Duration
		lines     int
	}{
		{"198.51.100.1:8080, [2001:db8::7], 10.0.0.2", 0, 0},
		{"", 0, 0},
		{"canary-a", 0, 1},
		{"canary-b", 59 * time.Second, 1},
		{"canary-c", time.Second, 2},
		{"canary-d", 0, 2},
	} {
		now = now.Add(step.after)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = "10.0.0.1:1"
		r.Header.Set("X-Forwarded-For", step.forwarded)
		m.peer(r)
		if got := strings.Count(log.String(), "\n"); got != step.lines {
			t.Errorf("peer(%q) after %v: got %d lines, want %d", step.forwarded, step.after, got, step.lines)
		}
	}
	if strings.Contains(log.String(), "canary") {
		t.Errorf("log: got the header in it, want none: %s", log.String())
	}
}
