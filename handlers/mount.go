package handlers

import (
	"net/http"
	"slices"
	"strings"
)

// mounted names the procedures below a service's path.
func (c chain) mounted(path string, handler http.Handler) Mount {
	m := Mount{Path: path, Handler: noStore(handler)}
	for procedure := range c.policies {
		if strings.HasPrefix(procedure, path) {
			m.Procedures = append(m.Procedures, procedure)
		}
	}
	slices.Sort(m.Procedures)
	m.Colonels = c.policies.forColonels(m.Procedures)
	return m
}

func plain(path string, handler http.Handler) Mount {
	return Mount{Path: path, Handler: noStore(handler)}
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
