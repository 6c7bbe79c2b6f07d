package domain

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"hush/hosts"
)

// The labels of a domain's name.
const (
	labelsMin  = 2
	labelsMost = 10
)

// canonicalDomain returns a host name in its DNS form: lower case, ASCII,
// without a trailing dot. It returns false unless text is a host name of at
// least two labels; IP addresses are refused.
func canonicalDomain(text string) (name string, ok bool) {
	name, ok = hosts.Canonical(strings.TrimSpace(text))
	if labels := 1 + strings.Count(name, "."); !ok || labels < labelsMin || labels > labelsMost {
		return "", false
	}
	if _, ok := parseAddr(name); ok {
		return "", false
	}
	return name, true
}

// parseAddr is netip.ParseAddr, but makes no error of most names: an IPv4 address
// ends in a digit, and an IPv6 address has a colon.
func parseAddr(text string) (addr netip.Addr, ok bool) {
	last := text[max(len(text)-1, 0):]
	if (last < "0" || last > "9") && !strings.Contains(text, ":") {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(text)
	return addr, err == nil
}

// publicDomain reports whether a canonical name is registrable or below a
// registrable one, by the public suffix list.
func publicDomain(name string) bool {
	suffix, icann := publicsuffix.PublicSuffix(name)
	known := icann || strings.Contains(suffix, ".")
	return known && name != suffix
}

// isBelow reports whether a canonical name equals another one or is below it.
func isBelow(name, other string) bool { return name == other || strings.HasSuffix(name, "."+other) }

// HostName returns the form in which hosts are compared: names in lower case
// and ASCII without a trailing dot, IP addresses in their shortest form.
func HostName(host string) string {
	if addr, ok := parseAddr(host); ok {
		return addr.Unmap().String()
	}
	if name, ok := canonicalDomain(host); ok {
		return name
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// nameParts are the parts of a domain's name.
type nameParts struct{ base, trd, tld, sld string }

// splitName splits a canonical name. A name that has become a public suffix
// since it was claimed is its own base.
func splitName(name string) nameParts {
	base, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		base = name
	}
	p := nameParts{base: base, trd: strings.TrimSuffix(strings.TrimSuffix(name, base), ".")}
	p.sld, p.tld, _ = strings.Cut(base, ".")
	return p
}
