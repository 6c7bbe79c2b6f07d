package chain

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// peer returns the caller's address: the connection's or, if that is a trusted
// proxy's, the last untrusted one in X-Forwarded-For. forwarded reports whether
// it differs from the connection's.
func (m *middleware) peer(r *http.Request) (addr netip.Addr, forwarded bool) {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	own := remote.Addr().Unmap()
	addr = m.caller(r, own)
	return addr, addr != own
}

// caller returns the caller's address on a connection from addr.
func (m *middleware) caller(r *http.Request, addr netip.Addr) netip.Addr {
	if !m.trusts(addr) {
		if len(r.Header.Values("X-Forwarded-For")) > 0 {
			m.warned.untrusted.Do(func() {
				m.log.Warn("X-Forwarded-For came from a peer that is no trusted proxy: all who come through it share one limit; see --trusted-proxies")
			})
		}
		return addr
	}
	whole := strings.TrimSpace(strings.Join(r.Header.Values("X-Forwarded-For"), ","))
	if whole == "" {
		return addr
	}
	for _, text := range slices.Backward(strings.Split(whole, ",")) {
		// What stands before an element that is empty may be from the client.
		hop, err := parseHop(strings.TrimSpace(text))
		if err != nil {
			m.warnUnreadable()
			return addr
		}
		if addr = hop; !m.trusts(addr) {
			return addr
		}
	}
	return addr
}

// parseHop reads an address as proxies write it: alone, with a port, or in brackets.
// An IPv6 address with a port and without brackets cannot be told from a longer
// address, and counts as one.
func parseHop(text string) (netip.Addr, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Unmap(), nil
	}
	if strings.HasSuffix(text, "]") {
		text += ":0"
	}
	addr, err := netip.ParseAddrPort(text)
	return addr.Addr().Unmap(), err
}

func (m *middleware) trusts(addr netip.Addr) bool {
	for _, prefix := range m.trusted {
		if prefix.Contains(addr.WithZone("")) {
			return true
		}
	}
	return false
}

// forwardedWarnings keeps the warnings about X-Forwarded-For few: everyone who
// connects could cause them.
type forwardedWarnings struct {
	untrusted sync.Once

	mu         sync.Mutex
	unreadable time.Time // when the last one was logged
}

// warnUnreadable warns, at most once a minute, about a trusted proxy that sends what
// is no address. The header's text stays out of the log: clients write parts of it.
func (m *middleware) warnUnreadable() {
	now := m.now()
	m.warned.mu.Lock()
	defer m.warned.mu.Unlock()
	if last := m.warned.unreadable; !last.IsZero() && now.Sub(last) < time.Minute {
		return
	}
	m.warned.unreadable = now
	m.log.Warn("X-Forwarded-For of a trusted proxy has an entry that is no address: all clients whose address is not read share the limits of that proxy")
}
