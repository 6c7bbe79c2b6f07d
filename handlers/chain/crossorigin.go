package chain

import (
	"net/http"
	"slices"
	"strings"
	"time"

	connectcors "connectrpc.com/cors"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"github.com/rs/cors"

	hushv1 "hush/gen/hush/v1"
)

// AnyOrigin is the origin that stands for every origin.
const AnyOrigin = "*"

// preflightKept is how long browsers keep the answer to a preflight. Most of them
// keep none longer than two hours.
const preflightKept = 2 * time.Hour

// crossOrigins tells browsers which pages of other origins may call the API (CORS). No
// other code decides this but the rows that are open to every page. Cookies never
// count: no answer has Access-Control-Allow-Credentials, and no request that names
// another origin is a session's.
type crossOrigins struct {
	named []string // exact origins
	every bool     // any origin, for calls without a credential
	paths []string // what the paths of the API begin with
	cors  *cors.Cors
}

// newCrossOrigins returns the rules for exact origins, or for AnyOrigin alone. It returns
// nil without any.
func newCrossOrigins(origins []string) *crossOrigins {
	if len(origins) == 0 {
		return nil
	}
	c := &crossOrigins{named: origins, every: slices.Contains(origins, AnyOrigin), paths: []string{
		"/api/", "/" + grpchealth.HealthV1ServiceName + "/",
		"/" + grpcreflect.ReflectV1ServiceName + "/", "/" + grpcreflect.ReflectV1AlphaServiceName + "/",
	}}
	for _, service := range Services() {
		c.paths = append(c.paths, "/"+string(service.FullName())+"/")
	}
	headers := connectcors.AllowedHeaders()
	if !c.every {
		headers = append(headers, "Authorization")
	}
	c.cors = cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: append(connectcors.AllowedMethods(), http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete),
		AllowedHeaders: headers,
		ExposedHeaders: append(connectcors.ExposedHeaders(), "Retry-After", "X-OTS-Intended-Status"),
		MaxAge:         int(preflightKept.Seconds()),
	})
	return c
}

// begin adds to the header of an answer what a browser needs to know, and returns the
// handler of the request: next, or what responds to a preflight.
func (c *crossOrigins) begin(w http.ResponseWriter, r *http.Request, next http.Handler) http.Handler {
	switch {
	case c == nil || !c.isAPI(r.URL.Path):
		return next
	case !c.allows(r):
		w.Header().Add("Vary", "Origin")
		return next
	case r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
		return NoStore(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Route(r, routePreflight)
			c.cors.HandlerFunc(w, r)
		}))
	default:
		c.cors.HandlerFunc(w, r)
		return next
	}
}

// routePreflight is the route of a preflight in the log.
const routePreflight = "preflight"

func (c *crossOrigins) isAPI(path string) bool {
	return slices.ContainsFunc(c.paths, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// allows reports whether a page of the request's origin may read the answer.
func (c *crossOrigins) allows(r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) != 1 {
		return false
	}
	if c.every {
		// A preflight for a credential goes on to the rows that take it from every page.
		asks := strings.Contains(strings.ToLower(r.Header.Get("Access-Control-Request-Headers")), "authorization")
		return !asks && r.Header["Authorization"] == nil && r.Header["Cookie"] == nil
	}
	return slices.Contains(c.named, origins[0])
}

// names reports whether the operator named the origin of a request to the API.
func (c *crossOrigins) names(r *http.Request) bool {
	return c != nil && !c.every && c.isAPI(r.URL.Path) && c.allows(r)
}

// mayCallFromNamed reports whether pages of an origin that the operator named may call a
// method: any, but for those that take a password from someone without a session.
// People sign up and sign in on the service's own pages only.
func mayCallFromNamed(p policy) bool {
	if p.anyOrigin || p.access != hushv1.Access_ACCESS_PUBLIC {
		return true
	}
	switch p.method.Parent().FullName() {
	case "hush.v1.AccountService", "hush.v1.SessionService":
		return false
	default:
		return true
	}
}

// fromElsewhere reports whether a request names an origin that is not the service's own,
// whatever its method. A link from another site names none.
func (m *middleware) fromElsewhere(r *http.Request) bool {
	if r.Header.Get("Origin") == "" {
		return false
	}
	changing := *r
	changing.Method = http.MethodPost // the check lets all others pass
	return m.origins.Check(&changing) != nil
}
