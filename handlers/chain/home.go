package chain

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"hush/hosts"
	"hush/vault/domain"
)

// home is the service's own host, the one that has sessions. On any other,
// people share and open: the owner of that name could read a session there.
type home struct {
	base     *url.URL
	name     string
	loopback bool // all names of this very machine count as one
}

func newHome(base *url.URL) home {
	name := domain.HostName(base.Hostname())
	addr, err := netip.ParseAddr(name)
	return home{base, name, hosts.IsLoopback(name) || err == nil && addr.IsUnspecified()}
}

// has reports whether a request's Host, or its :authority, names the home. The
// port does not matter: cookies know none, and proxies write it or leave it.
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

// ElsewhereError refuses to sign in on another host than the service's own.
type ElsewhereError struct{ Base *url.URL }

func (e *ElsewhereError) Error() string {
	return "signing in works on " + strings.TrimSuffix(e.Base.String(), "/") + " alone"
}
