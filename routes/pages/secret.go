package pages

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

const secretPath = "/secret/{key}"

// secretPage has the button that reveals a secret. It is the same for every
// key, so it does not show whether there is a secret.
func secretPage() noscriptPage {
	return noscriptPage{name: "secret", start: startOpen, view: secretView, ofSecret: true}
}

func secretView(req *call.Request) *view {
	return &view{
		Title: req.Text("page.secret.title"),
		Text:  []passage{{Text: req.Text("page.secret.explanation")}},
		Form: &form{
			Button: req.Text("page.secret.button"), Sure: true,
			Fields: []input{{
				Name: version.PassphraseField().Name, Label: req.Text("page.secret.passphrase"), Hint: req.Text("page.secret.hint"), Complete: "off",
			}},
		},
	}
}

// revealPage is the page after the button. A form sent without the button
// reveals nothing.
func revealPage(api *handlers.API) dynamicPage {
	shown := call.Action{Operation: "page", Run: func(context.Context, *call.Request) (any, error) { return nil, nil }}
	reveal := countTries(call.RPCWith(api.Chain, api.Secrets.RevealSecret, revealInput(), revealedText))
	return dynamicPage{
		method: http.MethodPost, path: secretPath,
		action: call.Either(call.Continues(""), reveal, shown), answer: answerReveal,
	}
}

func revealInput() call.Input[hushv1.RevealSecretRequest] {
	return call.Fill(func(req *call.Request) (*hushv1.RevealSecretRequest, error) {
		return &hushv1.RevealSecretRequest{SecretKey: linkKey(req.Key)}, nil
	}, version.PassphraseField())
}

func revealedText(_ *call.Request, res *hushv1.RevealSecretResponse) any { return res.GetValue() }

// linkKey returns the key in a path without surrounding punctuation, which some
// programs that detect links include.
func linkKey(segment string) string {
	other := func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	key := strings.TrimLeftFunc(segment, other)
	if end := strings.IndexFunc(key, other); end >= 0 {
		return key[:end]
	}
	return key
}

// countTries adds to a refused passphrase's text how many tries are left before
// a pause, or how long the pause is.
func countTries(a call.Action) call.Action {
	run := a.Run
	a.Run = func(ctx context.Context, req *call.Request) (any, error) {
		answer, err := run(ctx, req)
		detail := refusal.Detail(err)
		if detail == nil {
			return answer, err
		}
		refused := refusal.Read(err)
		switch detail.GetReason() {
		case hushv1.Refusal_REASON_PASSPHRASE:
			refused.Text = passphraseText(req, detail, refused.Retry)
		case hushv1.Refusal_REASON_LOCKED:
			refused.Text = pauseText(req, "page.secret.locked", refused.Retry)
		default:
		}
		return nil, refused
	}
	return a
}

func passphraseText(req *call.Request, r *hushv1.Refusal, pause time.Duration) string {
	switch {
	case r.GetPassphraseMissing():
		return req.Text("page.secret.needed")
	case r.GetTriesLeft() > 0:
		return req.Text("page.secret.tries", "count", strconv.Itoa(int(r.GetTriesLeft())))
	default:
		return pauseText(req, "page.secret.pause", pause)
	}
}

// pauseText gives the pause in minutes, rounded up. Without a pause all tries
// are used up.
func pauseText(req *call.Request, key string, pause time.Duration) string {
	if pause <= 0 {
		return req.Text("page.receipt.locked")
	}
	minutes := int((pause + time.Minute - 1) / time.Minute)
	return req.Text(key, "minutes", strconv.Itoa(minutes))
}

// answerReveal shows the secret this once, or the refusal, with the form again
// if another try may help. Unknown, spent and expired secrets get the same
// response.
func answerReveal(site *Site, w http.ResponseWriter, req *call.Request, result any, refused *refusal.Error) {
	if refused != nil {
		refuseReveal(site, w, req, refused)
		return
	}
	v := secretView(req)
	if value, revealed := result.(string); revealed {
		v = &view{Title: req.Text("event.revealed"), Done: []string{req.Text("page.secret.done")}, Value: value}
	}
	site.showView(w, req, http.StatusOK, v)
}

func refuseReveal(site *Site, w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	status, text := req.Reason(refused)
	v := secretView(req)
	switch refused.Class {
	case refusal.ClassUnknown:
		text = req.Text("page.secret.gone")
		v = &view{Title: req.Text("page.secret.gone.title")}
	case refusal.ClassEndToEnd:
		v.Form, v.Text = nil, nil // it cannot be opened here
	case refusal.ClassPassphrase, refusal.ClassLimited:
		text = cmp.Or(refused.Text, text)
	default:
	}
	v.Problem = text
	refused.SetRetryAfter(w.Header())
	site.showView(w, req, status, v)
}
