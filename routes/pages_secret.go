package routes

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
)

const secretPath = "/secret/{key}"

// secretPage has the button that reveals a secret. It is the same for every
// key, and tells nobody whether there is a secret.
func secretPage() standIn {
	return standIn{"secret", secretSheet}
}

func secretSheet(x *exchange) *sheet {
	return &sheet{
		Title: x.text("page.secret.title"),
		Text:  []passage{{Text: x.text("page.secret.explanation")}},
		Form: &form{
			Button: x.text("page.secret.button"), Sure: true,
			Fields: []input{{
				Name: "passphrase", Label: x.text("page.secret.passphrase"), Hint: x.text("page.secret.hint"), Complete: "off",
			}},
		},
	}
}

// revealPage is the page after its button. A form that was sent without it
// reveals nothing.
func revealPage(c *handlers.Callable) livePage {
	reveal := counted(rpc(c.RevealSecret, decodeOpen, revealedText))
	return livePage{
		method: http.MethodPost, path: secretPath,
		action: either(isContinued, reveal, shown()), answer: answerReveal,
	}
}

// shown is an action without an RPC.
func shown() action {
	return action{operation: "page", run: func(context.Context, *exchange) (any, error) { return nil, nil }}
}

func decodeOpen(x *exchange) (*hushv1.RevealSecretRequest, error) {
	req, err := decodeReveal(x)
	if err == nil {
		req.SecretKey = linkKey(x.key)
	}
	return req, err
}

func revealedText(_ *exchange, res *hushv1.RevealSecretResponse) any { return res.GetValue() }

// linkKey is the key in a path without the marks around it that programs which
// find links in texts take for a part of the link.
func linkKey(segment string) string {
	other := func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	key := strings.TrimLeftFunc(segment, other)
	if end := strings.IndexFunc(key, other); end >= 0 {
		return key[:end]
	}
	return key
}

// counted says in the text of a refused passphrase how many tries there are
// before a pause, or how long the pause is.
func counted(a action) action {
	run := a.run
	a.run = func(ctx context.Context, x *exchange) (any, error) {
		answer, err := run(ctx, x)
		var refused *connect.Error
		if !errors.As(err, &refused) {
			return answer, err
		}
		f, refusal := readFault(err), readDetails(refused).refusal
		switch refusal.GetReason() {
		case hushv1.Refusal_REASON_PASSPHRASE:
			f.text = passphraseText(x, refusal, f.retry)
		case hushv1.Refusal_REASON_LOCKED:
			f.text = pauseText(x, "page.secret.locked", f.retry)
		default:
		}
		return nil, f
	}
	return a
}

func passphraseText(x *exchange, r *hushv1.Refusal, pause time.Duration) string {
	switch {
	case r.GetPassphraseMissing():
		return x.text("page.secret.needed")
	case r.GetTriesLeft() > 0:
		return x.text("page.secret.tries", "count", strconv.Itoa(int(r.GetTriesLeft())))
	default:
		return pauseText(x, "page.secret.pause", pause)
	}
}

// pauseText names the pause in minutes, rounded up. Without a pause there is
// nothing to wait for: all tries are used up.
func pauseText(x *exchange, key string, pause time.Duration) string {
	if pause <= 0 {
		return x.text("page.receipt.locked")
	}
	minutes := int((pause + time.Minute - 1) / time.Minute)
	return x.text(key, "minutes", strconv.Itoa(minutes))
}

// answerReveal shows the secret this once, or why not, with the form again
// where another try may help. Unknown, spent and expired are the same answer.
func answerReveal(t *tree, w http.ResponseWriter, x *exchange, result any, f *fault) {
	if f != nil {
		refuseReveal(t, w, x, f)
		return
	}
	s := secretSheet(x)
	if value, revealed := result.(string); revealed {
		s = &sheet{Title: x.text("event.revealed"), Done: []string{x.text("page.secret.done")}, Value: value}
	}
	t.showSheet(w, x, http.StatusOK, s)
}

func refuseReveal(t *tree, w http.ResponseWriter, x *exchange, f *fault) {
	status, text := x.reason(f)
	s := secretSheet(x)
	switch f.class {
	case classUnknown:
		text = x.text("page.secret.gone")
		s = &sheet{Title: x.text("page.unknown.title")}
	case classPassphrase, classLimited:
		text = cmp.Or(f.text, text)
	default:
	}
	s.Problem = text
	setRetryAfter(w, f)
	t.showSheet(w, x, status, s)
}
