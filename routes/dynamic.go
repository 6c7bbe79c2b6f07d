package routes

import (
	"fmt"
	"net/http"

	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
)

// dynamicPage is a path outside the API whose answer depends on the request.
type dynamicPage struct {
	method string
	path   string
	action call.Action
	answer func(t *tree, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error)
}

// dynamicPages are, like the routes of the API, one RPC each and behind the same
// chain.
func dynamicPages(c *handlers.Callable) []dynamicPage {
	all := append([]dynamicPage{revealPage(c)}, receiptPages(c)...)
	for _, p := range ticketPages(c) {
		all = append(all, p.sent())
	}
	for _, image := range imageNames() {
		all = append(all, dynamicPage{
			method: http.MethodGet, path: "/imagine/{domain}/" + image.file(),
			action: call.RPC(c.GetPublicImage, image.decodePublic, publicImage), answer: answerImage,
		})
	}
	return all
}

func (t *tree) addDynamicPages(c *handlers.Callable) error {
	for _, p := range dynamicPages(c) {
		if p.action.Ready != nil {
			return fmt.Errorf("page %s %s: %w", p.method, p.path, p.action.Ready)
		}
		t.handle(p.method, p.path, restricted(t.dynamic(p)))
	}
	return nil
}

func (t *tree) dynamic(p dynamicPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, p.path)
		handlers.Form(r)
		req := t.env.Request(r)
		result, err := t.env.Run(req, r, p.action)
		if err != nil {
			p.answer(t, w, req, nil, refusal.Read(err))
			return
		}
		p.answer(t, w, req, result, nil)
	}
}

// pageFailed answers a refusal where there is no page to put it on.
func (t *tree) pageFailed(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	status, text := req.Reason(refused)
	if refused.Class == refusal.ClassUnknown || refused.Class == refusal.ClassInvalid || refused.Class == refusal.ClassRoute {
		status, text = http.StatusNotFound, refusal.TextRoute
	}
	refused.SetRetryAfter(w.Header())
	writeText(w, status, text)
}
