package routes

import (
	"net/http"

	"hush/handlers"
	"hush/routes/refusal"
)

// serve answers with a route.
func (t *tree) serve(v apiVersion, rt route) http.HandlerFunc {
	template := v.prefix + rt.path
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, template)
		if rt.open {
			handlers.Open(r)
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		if rt.anyone {
			handlers.Anyone(r)
		}
		req := t.env.Request(r)
		answer, err := t.env.Run(req, r, rt.action)
		if err != nil {
			v.fail(w, req, refusal.Read(err))
			return
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

// preflight tells browsers that scripts of other sites may call the path.
func (t *tree) preflight(template string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, template)
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization")
		h.Set("Access-Control-Max-Age", "86400")
		h.Set("Allow", "GET, POST, OPTIONS")
		writeJSON(w, http.StatusOK, struct{}{})
	}
}
