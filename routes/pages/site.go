package pages

import (
	"bytes"
	"net/http"
	"sync"

	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/call"
	"hush/routes/refusal"
)

// Site is the web client and its pages.
type Site struct {
	env    *call.Env
	client *client
}

// addShell adds the shell of a page in a language. It is rendered for its first
// visitor.
func (site *Site) addShell(says noscriptPage, l locale.Locale) {
	name := shellName{says.name, l}
	if site.client.shells[name] != nil {
		return
	}
	site.client.shells[name] = sync.OnceValues(func() (*asset, error) {
		req := &call.Request{Env: site.env, Visitor: chain.Visitor{Locale: l}}
		html, err := site.client.render(req, says, says.view(req))
		if err != nil {
			return nil, err
		}
		return newAsset(typeHTML, notStored, html), nil
	})
}

// showShell sends the page that starts the client. Nothing on it depends on the
// path's parameters, and nothing is looked up for it: people and programs that
// open a link learn what it is for and change nothing. A page for a session
// contains the session's token and is sent uncompressed: next to text that
// others choose, its compressed size could leak the token.
func (site *Site) showShell(w http.ResponseWriter, req *call.Request, status int, says noscriptPage) {
	s := says.view(req)
	s.allowReferrer(w.Header())
	if s.Form == nil || req.Visitor.Shrimp == "" {
		shell, err := site.client.shells[shellName{says.name, req.Visitor.Locale}]()
		if err != nil {
			writeText(w, http.StatusInternalServerError, refusal.TextInternal)
			return
		}
		shell.answer(w, req.Header, status)
		return
	}
	s.Form.Shrimp = req.Visitor.Shrimp
	html, err := site.client.render(req, says, s)
	if err != nil {
		writeText(w, http.StatusInternalServerError, refusal.TextInternal)
		return
	}
	writeBytes(w, status, typeHTML, html)
}

// showView sends a page without scripts.
func (site *Site) showView(w http.ResponseWriter, req *call.Request, status int, v *view) {
	v.Language, v.Direction, v.Styles, v.Instance = languageTag(req), req.Visitor.Locale.Direction(), site.client.shell.styles, instanceName(req)
	v.allowReferrer(w.Header())
	if v.Form != nil {
		v.Form.Shrimp = req.Visitor.Shrimp
	}
	var b bytes.Buffer
	if err := site.client.plain.Execute(&b, v); err != nil {
		writeText(w, http.StatusInternalServerError, refusal.TextInternal)
		return
	}
	writeBytes(w, status, typeHTML, b.Bytes())
}

// pageFailed sends a refusal as text, without a page.
func (site *Site) pageFailed(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	status, text := req.Reason(refused)
	if refused.Class == refusal.ClassUnknown || refused.Class == refusal.ClassInvalid || refused.Class == refusal.ClassRoute {
		status, text = http.StatusNotFound, refusal.TextRoute
	}
	refused.SetRetryAfter(w.Header())
	writeText(w, status, text)
}
