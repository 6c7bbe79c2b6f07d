package connections

import (
	"net"
	"net/netip"
	"slices"
)

// origin is where a connection comes from: a network, or an exempt address.
type origin struct {
	prefix netip.Prefix
	exempt bool
}

// networkOf returns the network of an address: the IPv4 address, or the IPv6
// /64. An IPv4-mapped address counts as the IPv4 address; zones are dropped. An
// address in an exempt network is its own origin. Everything that is not an
// address belongs to one network.
func networkOf(remote net.Addr, exempt []netip.Prefix) origin {
	var addr netip.Addr
	if tcp, ok := remote.(*net.TCPAddr); ok {
		addr = tcp.AddrPort().Addr()
	} else if port, err := netip.ParseAddrPort(remote.String()); err == nil {
		addr = port.Addr()
	}
	addr = addr.Unmap().WithZone("")
	if slices.ContainsFunc(exempt, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return origin{netip.PrefixFrom(addr, addr.BitLen()), true}
	}
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return origin{}
	}
	return origin{prefix: network}
}
