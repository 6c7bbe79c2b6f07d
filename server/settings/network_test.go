package settings

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://secrets.example.com":           "https://secrets.example.com",
		"https://Secrets.Example.com./":         "https://secrets.example.com",
		"https://bücher.example":                "https://xn--bcher-kva.example",
		"https://BÜCHER.example:8443":           "https://xn--bcher-kva.example:8443",
		"https://b%C3%BCcher.example":           "https://xn--bcher-kva.example",
		"https://xn--bcher-kva.example":         "https://xn--bcher-kva.example",
		"http://localhost:7143":                 "http://localhost:7143",
		"http://hush:1":                         "http://hush:1",
		"https://192.0.2.1":                     "https://192.0.2.1",
		"https://[2001:DB8::0:1]:65535":         "https://[2001:db8::1]:65535",
		"https://*.example":                     "",
		"https://a_b.example":                   "",
		"https://-a.example":                    "",
		"https://a..example":                    "",
		"https://.":                             "",
		"https://a b.example":                   "",
		"https://xn--a.example":                 "",
		"https://" + strings.Repeat("a", 64):    "",
		"https://a.example:99999":               "",
		"https://a.example:0":                   "",
		"https://a.example:":                    "",
		"https://a.example:x":                   "",
		"https://[2001:db8::1":                  "",
		"https://[fe80::1%25eth0]":              "",
		"https://a.example/path":                "",
		"http://0.0.0.0:7143":                   "",
		"http://[::]:7143":                      "",
		"https://user@a.example":                "",
		"ftp://a.example":                       "",
		"a.example":                             "",
		"https://" + strings.Repeat("a.b", 100): "",
	} {
		got, err := parseBaseURL(text)
		if want == "" && err == nil || want != "" && (err != nil || got.String() != want) {
			t.Errorf("parseBaseURL(%q): got %v %v, want %q", text, got, err, want)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.0.0.5,::1":                         "",
		"10.1.2.0/24, 2001:db8:1::/48":         "",
		"10.0.0.0/8":                           "",
		"::ffff:127.0.0.1,::ffff:10.0.0.0/104": "",
		"::ffff:0:0/96":                        "the whole network",
		"::ffff:10.0.0.5/104":                  "write 10.0.0.0/8",
		"10.0.0.1,0.0.0.0":                     "0.0.0.0 is the address of no machine",
		"::":                                   ":: is the address of no machine",
		"fe80::1%eth0":                         "",
		"0.0.0.0/0":                            "the whole network",
		"::/0":                                 "the whole network",
		"10.0.0.5/8":                           "10.0.0.5/8 is not the first address of its network: write 10.0.0.0/8, or the address alone",
		"2001:db8::1/64":                       "write 2001:db8::/64",
		"10.0.0.1, 10.0.0.0/33":                "must be addresses or networks",
		"proxy":                                "must be addresses or networks",
		"REPLACE: the addresses of x":          "must be addresses or networks",
		"10.0.0.5:443":                         "must be addresses or networks",
		"10.0.0.5/32,2001:db8::1/128,::1 ":     "",
	} {
		_, err := parsePrefixes(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("parsePrefixes(%q): got %v, want %q", text, err, want)
		}
	}
}

func TestCORSOrigins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://app.example":                        "https://app.example",
		"https://app.example, http://localhost:5173": "https://app.example http://localhost:5173",
		"https://APP.example:443":                    "https://app.example",
		"http://app.example:80":                      "http://app.example",
		"https://app.example:80":                     "https://app.example:80",
		"https://bücher.example":                     "https://xn--bcher-kva.example",
		"https://[2001:DB8::1]:8443":                 "https://[2001:db8::1]:8443",
		"*":                                          "*",
		"*,https://app.example":                      "",
		"https://*.example":                          "",
		"https://app.example/":                       "",
		"https://app.example/path":                   "",
		"https://user@app.example":                   "",
		"app.example":                                "",
		"null":                                       "",
		"https://app.example https://b.example":      "",
		"chrome-extension://abcdefghijklmnopabcdefghijklmnop": "",
	} {
		got, err := parseOrigins(text)
		if want == "" && err == nil || want != "" && (err != nil || strings.Join(got, " ") != want) {
			t.Errorf("parseOrigins(%q): got %q %v, want %q", text, got, err, want)
		}
	}
}

// Peers are compared as addresses of IPv4, whichever socket accepted them.
func TestTrustedProxiesAreUnmapped(t *testing.T) {
	t.Parallel()
	got, err := parsePrefixes("::ffff:127.0.0.1,::ffff:10.0.0.0/104")
	want := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("parsePrefixes(mapped): got %v and %v, want %v", got, err, want)
	}
}
