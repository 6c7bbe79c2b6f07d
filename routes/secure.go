package routes

import (
	"net/http"
	"net/url"
	"strings"

	"hush/handlers/chain"
)

// How long browsers use TLS only after an answer: two years.
const (
	strictTransport = "max-age=63072000"
	strictBelow     = strictTransport + "; includeSubDomains"
)

// secured tells browsers with every answer to use TLS only, if that is how clients
// reach the service. On the service's own host this includes the hosts below it;
// those below a customer's domain are the customer's.
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
