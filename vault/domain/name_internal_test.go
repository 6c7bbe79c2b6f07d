package domain

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"hush/vault/refusal"
)

// Names that may be claimed, in the one form that they are kept in.
func TestClaimName(t *testing.T) {
	t.Parallel()
	label63 := strings.Repeat("a", 63)
	long := strings.Join([]string{label63, label63, label63, strings.Repeat("b", 57), "com"}, ".")
	v := &Domains{host: "Hush.Example.org"}
	for typed, want := range map[string]string{
		"example.com":              "example.com",
		"  Secrets.Example.COM. ":  "secrets.example.com",
		"secrets.example.co.uk":    "secrets.example.co.uk",
		"a.b.c.d.e.f.g.h.i.com":    "a.b.c.d.e.f.g.h.i.com", // ten labels
		long:                       long,                    // 253 bytes
		"bücher.example":           "",
		"bücher.de":                "xn--bcher-kva.de",
		"BÜCHER.de":                "xn--bcher-kva.de",
		"xn--bcher-kva.de":         "xn--bcher-kva.de",
		"faß.de":                   "xn--fa-hia.de",
		"аррӏе.com":                "xn--80ak6aa92e.com", // Cyrillic; shown as what it is
		"ｅｘａｍｐｌｅ.com":              "example.com",
		"example。com":              "example.com",
		"example.org":              "example.org", // above the own host
		"hush.example.org.evil.de": "hush.example.org.evil.de",
		"nothush.example.org":      "nothush.example.org",
		"me.github.io":             "me.github.io",
		"192.0.2.1.com":            "192.0.2.1.com",
		"foo.kawasaki.jp":          "", // a public suffix by a wildcard
		"bar.foo.kawasaki.jp":      "bar.foo.kawasaki.jp",
		"city.kawasaki.jp":         "city.kawasaki.jp", // an exception to it

		"com": "", "co.uk": "", "github.io": "", "org": "", "xn--p1ai": "",
		"localhost": "", "example": "", "foo.internal": "", "host.local": "", "foo.localhost": "", "x.test": "",
		"127.0.0.1": "", "192.0.2.1": "", "127.1": "", "0x7f.1": "", "2130706433": "", "::1": "", "[::1]": "", "1.2.3.4.": "",
		"hush.example.org": "", "HUSH.example.org.": "", "x.hush.example.org": "", "ｈush.example.org": "",
		"*.example.com": "", "*": "", "exa*mple.com": "", "under_score.example.com": "", "_dmarc.example.com": "",
		"exam ple.com": "", "example.com:443": "", "https://example.com": "", "user@example.com": "", "example.com/": "",
		"a..com": "", ".example.com": "", "example.com..": "", "-a.example.com": "", "a-.example.com": "",
		"xn--a.com": "", "xn--zzzzzzzz.com": "", "a\u200bb.com\x00": "", "ex\nample.com": "", "a\u202eb.com": "",
		"a.b.c.d.e.f.g.h.i.j.com": "", label63 + "a.com": "", "b" + long: "", strings.Repeat("a.", 600) + "com": "",
		"\xff\xfe.com": "", "%65xample.com": "", "example.com?x": "", "example.com#x": "", "'or 1=1.com": "",
	} {
		got, err := v.claimName(typed)
		if got != want {
			t.Errorf("claimName(%q): got %q, %v, want %q", typed, got, err, want)
		}
		wantText := ""
		if want == "" {
			wantText = "Not a valid public domain"
		}
		if invalid, ok := errors.AsType[*refusal.InvalidError](err); ok != (want == "") || ok && invalid.Text != wantText {
			t.Errorf("claimName(%q): got %v, want %q", typed, err, wantText)
		}
	}
	for _, empty := range []string{"", " ", "\t\n"} {
		_, err := v.claimName(empty)
		if invalid, ok := errors.AsType[*refusal.InvalidError](err); !ok || invalid.Text != "Please enter a domain" {
			t.Errorf("claimName(%q): got %v, want that one is asked for", empty, err)
		}
	}
}

// A service host that is not below a public suffix blocks no names.
func TestClaimNameOnAnyHost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "localhost", "192.0.2.1", "::1"} {
		v := &Domains{host: host}
		if got, err := v.claimName("secrets.example.com"); err != nil {
			t.Errorf("claimName(public name, host %q): got %q, %v, want nil", host, got, err)
		}
	}
}

func TestSplitName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]nameParts{
		"example.com":               {"example.com", "", "com", "example"},
		"secrets.example.com":       {"example.com", "secrets", "com", "example"},
		"a.b.example.co.uk":         {"example.co.uk", "a.b", "co.uk", "example"},
		"me.github.io":              {"me.github.io", "", "github.io", "me"},
		"github.io":                 {"github.io", "", "io", "github"},
		"xn--bcher-kva.de":          {"xn--bcher-kva.de", "", "de", "xn--bcher-kva"},
		"example.com.example.com":   {"example.com", "example.com", "com", "example"},
		"city.kawasaki.jp":          {"city.kawasaki.jp", "", "kawasaki.jp", "city"},
		"secrets.a.b.c.example.org": {"example.org", "secrets.a.b.c", "org", "example"},
	} {
		if got := splitName(name); got != want {
			t.Errorf("splitName(%s): got %v, want %v", name, got, want)
		}
	}
}

// What is accepted is in its final form, can be asked for in DNS, and comes
// apart into what it is made of.
func FuzzCanonicalDomain(f *testing.F) {
	for _, seed := range []string{"example.com", "BÜCHER.de.", " a。b.co.uk ", "xn--bcher-kva.de", "1.2.3.4", "*.com", "a_b.com", "\xff.com", "а\u200d.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, ok := canonicalDomain(text)
		if !ok {
			return
		}
		if again, ok := canonicalDomain(name); !ok || again != name {
			t.Errorf("canonicalDomain(%q): got %q, %t, want the same again", name, again, ok)
		}
		const allowed = "abcdefghijklmnopqrstuvwxyz0123456789-."
		if strings.Trim(name, allowed) != "" || len(name) > 253 {
			t.Errorf("canonicalDomain(%q): got %q, want a host name", text, name)
		}
		if !publicDomain(name) {
			return
		}
		p := splitName(name)
		whole := p.base
		if p.trd != "" {
			whole = p.trd + "." + p.base
		}
		if whole != name || p.sld+"."+p.tld != p.base {
			t.Errorf("splitName(%q): got %v, want parts of it", name, p)
		}
	})
}

// An address is what the library takes for one.
func TestParseAddr(t *testing.T) {
	t.Parallel()
	texts := []string{"", ".", "example.com", "1.2.3.4", "::1", "::", "fe80::1%eth0", "::ffff:1.2.3.4", "fe80::1%a.b", "a:b"}
	const pieces = "0123456789abcdefgz.:%"
	draw := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		random := make([]byte, draw.IntN(12))
		for i := range random {
			random[i] = pieces[draw.IntN(len(pieces))]
		}
		var bytes [16]byte
		for i := range bytes {
			bytes[i] = byte(draw.IntN(2) * draw.IntN(256))
		}
		texts = append(texts, string(random), netip.AddrFrom16(bytes).String(), netip.AddrFrom4([4]byte(bytes[:4])).String())
	}
	for _, text := range texts {
		want, err := netip.ParseAddr(text)
		if got, ok := parseAddr(text); got != want || ok != (err == nil) {
			t.Fatalf("parseAddr(%q): got %v, %v, want %v, %v", text, got, ok, want, err == nil)
		}
	}
}
