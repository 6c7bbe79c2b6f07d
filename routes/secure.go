package routes

import (
	"net/http"
	"net/url"
	"strings"

	"hush/handlers/chain"
)

// How long browsers use only TLS after a response: two years.
const (
	strictTransport = "max-age=63072000"
	strictBelow     = strictTransport + "; includeSubDomains"
)

// secured tells browsers in every response to use only TLS, if the base URL
// does. On the service's own host this includes the hosts below it; the hosts
// below a customer's domain belong to the customer.
func secured(base *url.URL, next http.Handler) http.Handler {
	if base.Scheme != "https" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		policy := strictTransport
		if strings.EqualFold(chain.HostOf(r.Host), base.Hostname()) {
			policy = strictBelow
		}
		w.Header().Set("Strict-Transport-Security", policy)
		next.ServeHTTP(w, r)
	})
}
