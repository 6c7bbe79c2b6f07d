package chain

import (
	"net/http"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	hushv1 "hush/gen/hush/v1"
)

// Mount is a service at its path, ready for an http.Handler tree.
type Mount struct {
	// Path ends in a slash, such as "/hush.v1.SecretService/".
	Path    string
	Handler http.Handler
	// Procedures are the RPCs below Path; none for health and reflection.
	Procedures []string
	// Access is ACCESS_COLONEL if every procedure is for administrators,
	// otherwise ACCESS_PUBLIC.
	Access hushv1.Access
}

// Mount returns a service at its path with the procedures below it.
func (c *Chain) Mount(path string, handler http.Handler) Mount {
	m := Mount{Path: path, Handler: NoStore(spoken(brief(c.hidden(c.streams.around(handler)))))}
	for procedure := range c.policies {
		if strings.HasPrefix(procedure, path) {
			m.Procedures = append(m.Procedures, procedure)
		}
	}
	slices.Sort(m.Procedures)
	m.Access = c.policies.accessOf(m.Procedures)
	return m
}

// hidden responds to a procedure that does not exist for the caller like the
// service responds to an unknown one.
func (c *Chain) hidden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Hides(c.policies[r.URL.Path].access, r) {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (c *Chain) plain(path string, handler http.Handler) Mount {
	return Mount{Path: path, Handler: NoStore(spoken(brief(c.streams.around(handler))))}
}

// NoStore forbids caching responses and guessing their type.
func NoStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		// One piece of memory instead of three. Each list has room for one value
		// only, so that nothing that is added to one gets into the next.
		values := []string{"no-store", "nosniff", "no-referrer"}
		header["Cache-Control"] = values[0:1:1]
		header["X-Content-Type-Options"] = values[1:2:2]
		header["Referrer-Policy"] = values[2:3:3]
		next.ServeHTTP(w, r)
	})
}

// Besides returns the other public services: health and reflection. They know
// nothing of secrets, have no access option, and do not list what is for
// administrators.
func (c *Chain) Besides() []Mount {
	var names []string
	for _, service := range Services() {
		if c.policies.accessOf(proceduresOf(service)) != hushv1.Access_ACCESS_COLONEL {
			names = append(names, string(service.FullName()))
		}
	}
	options := connect.WithHandlerOptions(connect.WithReadMaxBytes(messageLimit),
		packing(c.flight, messageLimit, false), connect.WithInterceptors(c.streams, c.validation), jsonCodecs(maxElements))
	reflector := grpcreflect.NewStaticReflector(names...)
	var mounts []Mount
	add := func(m Mount) { mounts = append(mounts, m) }
	add(c.plain(grpchealth.NewHandler(health{names, c.streams.stopping, c.ready}, options)))
	add(c.plain(grpcreflect.NewHandlerV1(reflector, options)))
	add(c.plain(grpcreflect.NewHandlerV1Alpha(reflector, options)))
	return mounts
}
