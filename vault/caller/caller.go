package caller

import (
	"fmt"
	"io"
	"net/netip"
)

// Caller is the origin of a call. The zero Caller is anonymous on an unknown
// network. WithCredential returns callers with an account; nothing else grants
// them anything.
type Caller struct {
	// Network is the network that the call comes from.
	Network Network
	// Site is the site that the call was sent to.
	Site Site
	// Device is the device that the call comes from; set for sign-ins alone.
	Device Device

	credential *Verified // nil for anonymous callers
}

// Device is what the program that makes a call says of itself. Nothing is granted
// for it: a program can say anything.
type Device struct {
	// Browser and System are names such as "Firefox" and "Windows"; empty if unknown.
	Browser, System string
}

// Site is a host of the service and the origin of a call to it.
type Site struct {
	// Host is the host's name without a port; empty for no particular host.
	Host string
	// Page reports whether a page of that host sent the call, according to the
	// browser.
	Page bool
}

// Scopes is a set of rights that a credential can have.
type Scopes byte

// The scopes. Their numbers are stored.
const (
	ScopeConceal  Scopes = 1 << 0
	ScopeReveal   Scopes = 1 << 1
	ScopeMetadata Scopes = 1 << 2
	ScopeAccount  Scopes = 1 << 3
	ScopeRequest  Scopes = 1 << 4
	// ScopesAll is the set that sessions and unrestricted tokens have.
	ScopesAll = scopesBefore | ScopeRequest
	// scopesBefore is what unrestricted tokens of releases before requests have.
	scopesBefore = ScopeConceal | ScopeReveal | ScopeMetadata | ScopeAccount
)

// Granted returns what a token with the stored set may do. One that may do all that an
// earlier release knew is unrestricted.
func (s Scopes) Granted() Scopes {
	if s&scopesBefore == scopesBefore {
		return ScopesAll
	}
	return s
}

// Network is the unit that limits count by: an IPv4 address or an IPv6 /64.
type Network struct{ prefix netip.Prefix }

// NetworkOf returns the network of an address. An IPv4-mapped IPv6 address
// counts as the IPv4 address; zones are dropped.
func NetworkOf(addr netip.Addr) Network {
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	prefix, err := addr.Prefix(bits)
	if err != nil {
		return Network{}
	}
	return Network{prefix}
}

// Masked returns the network in the form that may be shown and logged: /24 or
// /48, or "unknown".
func (n Network) Masked() string {
	if !n.prefix.IsValid() {
		return "unknown"
	}
	bits := 48
	if n.prefix.Addr().Is4() {
		bits = 24
	}
	prefix, err := n.prefix.Addr().Prefix(bits)
	if err != nil {
		return "unknown"
	}
	var text [len("ffff:ffff:ffff::/48")]byte
	return string(prefix.AppendTo(text[:0]))
}

// String returns Masked, so that no address is printed by accident.
func (n Network) String() string { return n.Masked() }

// Format writes Masked for every verb.
func (n Network) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, n.Masked()) }

// WideBytes identifies the IPv6 /48 around the network; nil for other networks.
// Its length differs from that of Bytes, so the two never collide.
func (n Network) WideBytes() []byte {
	if !n.prefix.IsValid() || n.prefix.Addr().Is4() {
		return nil
	}
	return n.prefix.Addr().AsSlice()[:6]
}

// Wide returns the IPv6 /48 around the network, and false for any other network.
func (n Network) Wide() (wide Network, ok bool) {
	if n.WideBytes() == nil {
		return Network{}, false
	}
	prefix, err := n.prefix.Addr().Prefix(48)
	return Network{prefix}, err == nil
}

// Bytes identifies the network.
func (n Network) Bytes() []byte {
	if !n.prefix.IsValid() {
		return nil
	}
	return n.prefix.Addr().AsSlice()
}
