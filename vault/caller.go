package vault

import (
	"fmt"
	"io"
	"net/netip"
)

// Caller is who asks. The zero Caller is anonymous on an unknown network.
type Caller struct {
	// Account is the account's id, or empty for anonymous callers.
	Account string
	// Network is where the call comes from.
	Network Network
}

// Anonymous tells whether the caller brought no credential.
func (c Caller) Anonymous() bool { return c.Account == "" }

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

// bytes is what the network's id is made of.
func (n Network) bytes() []byte {
	if !n.prefix.IsValid() {
		return nil
	}
	return n.prefix.Addr().AsSlice()
}
