package settings

import (
	"cmp"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"

	"hush/cli/command"
)

// listening is a flag with an address to listen on.
type listening struct{ flag, address string }

// checkAddresses returns a usage error for two addresses of which only one could
// be listened on.
func (s *Settings) checkAddresses() error {
	all := []listening{{"--listen", s.ListenAddress()}}
	if s.ACME {
		all = append(all, listening{"--acme-http-listen", s.ACMEHTTPListen})
	}
	if s.AdminListen != "" {
		all = append(all, listening{"--admin-listen", s.AdminListen})
	}
	if s.MetricsListen != "" {
		all = append(all, listening{"--metrics-listen", s.MetricsListen})
	}
	for i, one := range all {
		for _, other := range all[:i] {
			if collide(one.address, other.address) {
				return command.Usage("%s and %s need addresses of their own", one.flag, other.flag)
			}
		}
	}
	return nil
}

// collide reports whether two addresses cannot both be listened on.
func collide(a, b string) bool {
	kind, one := ParseAddress(a)
	same, other := ParseAddress(b)
	if kind != same {
		return false
	}
	switch kind {
	case ListenUnix:
		return filepath.Clean(one) == filepath.Clean(other)
	case ListenSystemd:
		return one == other
	}
	host, port := hostAndPort(one)
	otherHost, otherPort := hostAndPort(other)
	return port != 0 && port == otherPort && (host == otherHost || host == "" || otherHost == "")
}

// hostAndPort splits an address, which was checked when it was set. The host is
// empty if it is every address of this machine.
func hostAndPort(address string) (host string, port uint64) {
	host, text, _ := net.SplitHostPort(address)
	port, _ = strconv.ParseUint(cmp.Or(text, "0"), 10, 16)
	addr, err := netip.ParseAddr(host)
	switch {
	case host == "localhost":
		return "127.0.0.1", port
	case err != nil:
		return host, port
	case addr.IsUnspecified():
		return "", port
	}
	return addr.Unmap().String(), port
}
