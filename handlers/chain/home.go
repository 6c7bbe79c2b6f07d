package chain

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"hush/hosts"
	"hush/vault/domain"
)

// home is the service's own host, the only one with sessions. On any other
// host, people can only share and open: its owner could read a session there.
type home struct {
	base     *url.URL
	name     string
	loopback bool // all names of this machine are equal
}

func newHome(base *url.URL) home {
	name := domain.HostName(base.Hostname())
	addr, err := netip.ParseAddr(name)
	return home{base, name, hosts.IsLoopback(name) || err == nil && addr.IsUnspecified()}
}

// has reports whether a request's Host or :authority is the service's own. The
// port does not matter: cookies ignore it, and proxies may add or drop it.
func (h home) has(host string) bool {
	name := HostOf(host)
	if name == h.name {
		return true
	}
	name = domain.HostName(name)
	return name == h.name || h.loopback && hosts.IsLoopback(name)
}

// AtHome reports whether a call was sent to the service's own host.
func AtHome(ctx context.Context) bool {
	record := recordFrom(ctx)
	return record != nil && record.home
}

// ElsewhereError refuses a sign-in on another host than the service's own.
type ElsewhereError struct{ Base *url.URL }

func (e *ElsewhereError) Error() string {
	return "signing in works only on " + strings.TrimSuffix(e.Base.String(), "/")
}
