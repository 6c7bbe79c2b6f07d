package chain

import (
	"net/http"

	"connectrpc.com/connect"

	"hush/vault/caller"
	"hush/vault/fair"
)

// newProxied returns what counts the running requests of networks behind trusted
// proxies; most is how many one network may have, 0 for any number. A proxy's
// connections have no share, so the limits on connections do not distinguish those
// networks.
func newProxied(most int) *fair.Limiter[caller.Network] {
	if most == 0 {
		return fair.NewLimiter[caller.Network](fair.Any, fair.Any)
	}
	return fair.NewLimiter[caller.Network](fair.Any, int64(most))
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
