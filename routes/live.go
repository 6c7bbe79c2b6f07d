package routes

import (
	"fmt"
	"net/http"

	"hush/handlers"
)

// livePage is a path outside the API whose answer depends on the request.
type livePage struct {
	method string
	path   string
	action action
	answer func(t *tree, w http.ResponseWriter, x *exchange, result any, f *fault)
}

// livePages are, like the rows of the API, one RPC each and behind the same
// chain.
func livePages(c *handlers.Callable) []livePage {
	all := append([]livePage{revealPage(c)}, factsPages(c)...)
	for _, p := range ticketPages(c) {
		all = append(all, p.sent())
	}
	for _, image := range imageNames() {
		all = append(all, livePage{
			method: http.MethodGet, path: "/imagine/{domain}/" + image.file(),
			action: rpc(c.GetPublicImage, image.decodePublic, publicImage), answer: answerImage,
		})
	}
	return all
}

func (t *tree) addLivePages(c *handlers.Callable) error {
	for _, p := range livePages(c) {
		if p.action.ready != nil {
			return fmt.Errorf("page %s %s: %w", p.method, p.path, p.action.ready)
		}
		t.handle(p.method, p.path, restricted(t.live(p)))
	}
	return nil
}

func (t *tree) live(p livePage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handlers.Route(r, p.path)
		handlers.Form(r)
		x := t.exchange(r)
		result, err := t.run(x, r, p.action)
		if err != nil {
			p.answer(t, w, x, nil, readFault(err))
			return
		}
		p.answer(t, w, x, result, nil)
	}
}

// pageFailed answers a refusal where there is no page to put it on.
func (t *tree) pageFailed(w http.ResponseWriter, x *exchange, f *fault) {
	status, text := x.reason(f)
	if f.class == classUnknown || f.class == classInvalid || f.class == classRoute {
		status, text = http.StatusNotFound, textRoute
	}
	setRetryAfter(w, f)
	writeText(w, status, text)
}
