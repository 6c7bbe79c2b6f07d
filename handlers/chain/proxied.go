package chain

import (
	"hash/maphash"
	"net/http"
	"sync/atomic"

	"connectrpc.com/connect"

	"hush/vault/caller"
)

// proxyLimiter counts the running requests of networks behind trusted proxies.
// A proxy's connections have no share, so the limits on connections do not
// distinguish those networks. Counting takes an atomic addition and no lock.
type proxyLimiter struct {
	most     int64
	seed     maphash.Seed
	networks [heldNetworks]atomic.Int64
}

// newProxyLimiter returns nil, which counts nothing, if most is zero.
func newProxyLimiter(most int) *proxyLimiter {
	if most == 0 {
		return nil
	}
	return &proxyLimiter{most: int64(most), seed: maphash.MakeSeed()}
}

// begin counts a request until end is called. room reports whether there was
// room for it.
func (p *proxyLimiter) begin(network caller.Network) (end func(), room bool) {
	if p == nil {
		return func() {}, true
	}
	running := &p.networks[maphash.Comparable(p.seed, network)%heldNetworks]
	if running.Add(1) > p.most {
		running.Add(-1)
		return nil, false
	}
	return func() { running.Add(-1) }, true
}

// refuseRequest refuses a request in the protocol that it is in: Connect reads the
// code in the JSON, and the legacy versions show its message. Over HTTP/1 the response
// closes the connection, because otherwise the server would first wait for the rest of
// the body.
func refuseRequest(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.ProtoMajor == 1 && r.ContentLength != 0 {
		h.Set("Connection", "close")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Retry-After", "1")
	refuseCall(w, r, http.StatusServiceUnavailable, connect.CodeUnavailable, "too many requests at a time")
}
