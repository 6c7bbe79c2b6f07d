package routes

import (
	"net/http"

	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/refusal"
)

// routeHandler serves a route of a version.
func routeHandler(env *call.Env, v apiVersion, rt route) http.HandlerFunc {
	template := v.prefix + rt.path
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, template)
		if rt.open {
			chain.Open(r)
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		if rt.anyone {
			chain.Anyone(r)
		}
		req := env.Request(r)
		answer, err := env.Run(req, r, rt.action)
		if err != nil {
			v.fail(w, req, refusal.Read(err))
			return
		}
		writeJSON(w, http.StatusOK, answer)
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
		writeJSON(w, http.StatusOK, struct{}{})
	}
}
