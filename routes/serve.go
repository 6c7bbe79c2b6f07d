package routes

import (
	"net/http"

	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

// routeHandler serves a route of a version.
func routeHandler(env *call.Env, v version.Version, rt version.Route) http.HandlerFunc {
	template := v.Prefix + rt.Path
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, template)
		if rt.AnyOrigin {
			chain.Open(r)
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		if rt.AnyCredential {
			chain.Anyone(r)
		}
		req := env.Request(r)
		answer, err := env.Run(req, r, rt.Action)
		if err != nil {
			v.Fail(w, req, refusal.Read(err))
			return
		}
		version.WriteJSON(w, http.StatusOK, answer)
	}
}

// preflightHandler tells browsers that scripts of other sites may call the path.
func preflightHandler(template string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, template)
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization")
		h.Set("Access-Control-Max-Age", "86400")
		h.Set("Allow", "GET, POST, OPTIONS")
		version.WriteJSON(w, http.StatusOK, struct{}{})
	}
}
