package handlers

import (
	"net/http"
	"slices"
	"strings"

	hushv1 "hush/gen/hush/v1"
)

// mounted names the procedures below a service's path.
func (c chain) mounted(path string, handler http.Handler) Mount {
	m := Mount{Path: path, Handler: noStore(c.hidden(brief(c.streams.around(handler))))}
	for procedure := range c.policies {
		if strings.HasPrefix(procedure, path) {
			m.Procedures = append(m.Procedures, procedure)
		}
	}
	slices.Sort(m.Procedures)
	m.Colonels = c.policies.forColonels(m.Procedures)
	return m
}

// hidden answers a procedure for colonels as the service does one that it does
// not have, unless a colonel asks.
func (c chain) hidden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.policies[r.URL.Path].access == hushv1.Access_ACCESS_COLONEL && !VisitorOf(r).Colonel {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (c chain) plain(path string, handler http.Handler) Mount {
	return Mount{Path: path, Handler: noStore(brief(c.streams.around(handler)))}
}

// noStore keeps answers out of every cache and from being taken for something
// else than they are.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
