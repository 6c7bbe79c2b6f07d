package handlers

import (
	"net/http"
	"slices"
	"strings"
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
	m.Access = c.policies.accessOf(m.Procedures)
	return m
}

// hidden answers a procedure that does not exist for the caller as the service
// answers one that it does not have.
func (c chain) hidden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Hides(c.policies[r.URL.Path].access, r) {
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
