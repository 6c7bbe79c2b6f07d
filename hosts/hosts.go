// Package hosts answers questions about the names of hosts without asking DNS.
// Every package may use it.
package hosts

import "net/netip"

// IsLoopback reports whether a host is this machine. The host is a name or an
// IP address without port and brackets. It does not look names up: the address
// of a name can change.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
