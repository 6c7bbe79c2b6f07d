package pages

import (
	"net/http"

	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/refusal"
)

// dynamicPage is a path outside the API whose response depends on the request.
type dynamicPage struct {
	method string
	path   string
	action call.Action
	answer func(site *Site, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error)
}

func (site *Site) dynamic(p dynamicPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, p.path)
		chain.Form(r)
		req := site.env.Request(r)
		result, err := site.env.Run(req, r, p.action)
		if err != nil {
			p.answer(site, w, req, nil, refusal.Read(err))
			return
		}
		p.answer(site, w, req, result, nil)
	}
}
