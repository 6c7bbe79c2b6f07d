package caller

import (
	"fmt"
	"io"
	"net/netip"

	"hush/seal"
)

// Caller is who asks. The zero Caller is anonymous on an unknown network.
// Callers with an account come from Authenticate.
type Caller struct {
	// Account is the account's id, or empty for anonymous callers.
	Account string
	// Network is where the call comes from.
	Network Network
	// Site is what the call was sent to.
	Site Site

	Credential *Credential // nil for anonymous callers
}

// Site is a host of the service's and who speaks to it.
type Site struct {
	// Host is the host's name without a port; empty for none in particular.
	Host string
	// Page tells whether a page of that host sent the call, by what the browser
	// says.
	Page bool
}

// Credential is what an account's caller proved, and what comes of it.
type Credential struct {
	ID      AccountID
	Address string // canonical
	Locale  string
	Colonel bool // the role takes effect
	Scopes  Scopes
	Row     [32]byte  // the session's or token's
	Session *[32]byte // the session's row; nil for tokens
	Shrimp  string    // the session's; empty for tokens
	// The key that opens what the account lists lies wrapped in the row of the
	// session or token; holder unwraps it.
	Pair           PairID
	Wrapped        []byte
	Label          []byte
	WrappingSecret seal.WrappingSecret
}

// Anonymous tells whether the caller brought no credential.
func (c Caller) Anonymous() bool { return c.Account == "" }

// Address is the account's, canonical; empty for anonymous callers. It must
// not be logged.
func (c Caller) Address() string {
	if c.Credential == nil {
		return ""
	}
	return c.Credential.Address
}

// Locale is the language that the account chose; empty if it chose none.
func (c Caller) Locale() string {
	if c.Credential == nil {
		return ""
	}
	return c.Credential.Locale
}

// Colonel tells whether the caller's role as a colonel takes effect.
func (c Caller) Colonel() bool { return c.Credential != nil && c.Credential.Colonel }

// May tells whether the caller's credential is good for a scope. Anonymous
// callers have nothing that could be narrowed.
func (c Caller) May(scope Scopes) bool {
	return c.Credential == nil || c.Credential.Scopes&scope == scope
}

// Shrimp is the token that protects the caller's session against forged
// requests; empty for callers without a session.
func (c Caller) Shrimp() string {
	if c.Credential == nil {
		return ""
	}
	return c.Credential.Shrimp
}

// FromSession tells whether the caller came with a session's cookie.
func (c Caller) FromSession() bool { return c.Credential != nil && c.Credential.Session != nil }

// Scopes is a set of things that a credential is good for.
type Scopes byte

// The scopes. Their numbers are stored.
const (
	ScopeConceal  Scopes = 1 << 0
	ScopeReveal   Scopes = 1 << 1
	ScopeMetadata Scopes = 1 << 2
	ScopeAccount  Scopes = 1 << 3
	// ScopesAll is what sessions have, and tokens that were not narrowed.
	ScopesAll = ScopeConceal | ScopeReveal | ScopeMetadata | ScopeAccount
)

// Network is the unit that limits count: an IPv4 address or an IPv6 /64.
type Network struct{ prefix netip.Prefix }

// NetworkOf returns the network of an address. An IPv4 address in IPv6
// clothing is the IPv4 address; zones are dropped.
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

// Masked returns the network as it may be shown and logged: /24 or /48, or
// "unknown".
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
	return prefix.String()
}

// String is Masked, so that no address is printed by accident.
func (n Network) String() string { return n.Masked() }

// Format writes what Masked returns, whatever the verb.
func (n Network) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, n.Masked()) }

// WideBytes returns what names the IPv6 /48 around the network; nil for any other.
// It has another length than bytes, so that the two never name the same.
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

// Bytes is what the network's id is made of.
func (n Network) Bytes() []byte {
	if !n.prefix.IsValid() {
		return nil
	}
	return n.prefix.Addr().AsSlice()
}
