package onetime

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hush/client"
	"hush/client/attempt"
)

// Texts by which servers of the reference distinguish errors.
const (
	messageUnknown    = "Unknown secret"
	messageNoAccount  = "Not authorized"
	messageNoRoute    = "Not Found"
	messageUnburned   = "Secret could not be burned."
	messageUnexpected = "An unexpected error occurred :["
	messageError      = "An error occurred :["
	messageAway       = "We'll be back shortly!"
	messagePayload    = "Incorrect payload format"
)

// errorBody is the body of an error, of any release.
type errorBody struct {
	Message     jsonString  `json:"message"`
	Error       jsonString  `json:"error"`
	Code        jsonString  `json:"code"`
	ErrorType   jsonString  `json:"error_type"`
	SecretKey   *jsonString `json:"secret_key"`
	RetryAfter  jsonNumber  `json:"retry_after"`
	MaxAttempts *jsonNumber `json:"max_attempts"`
}

// message returns what the server said.
func (e errorBody) message() string { return string(cmp.Or(e.Message, e.Error)) }

// isRoute reports whether the server has no such call. The newest release names the
// type of each error, and uses the same words for what is not found.
func (e errorBody) isRoute() bool {
	return e.SecretKey == nil && (e.message() == messageNoRoute && e.ErrorType == "" || strings.Contains(string(e.ErrorType), "Route"))
}

// failed returns what an answer means that is not the one to the call; nil if it
// is.
func (c *caller) failed(r *reply) *failure {
	if r.isDone() {
		return nil
	}
	if !r.isJSON || r.status < 400 {
		return c.fromIntermediary(r)
	}
	var body errorBody
	if err := json.Unmarshal(r.body, &body); err != nil {
		return &failure{Err: c.unexpected(), Outcome: attempt.OutcomeRefused, Refusal: refusal{status: r.status}}
	}
	f := &failure{Err: c.meaning(r, body), Outcome: attempt.OutcomeRefused}
	f.Refusal = refusal{status: r.status, message: body.message(), isRoute: f.Err.Kind == client.KindProtocol}
	if f.Err.Kind == client.KindFailure || f.Err.Kind == client.KindNetwork {
		f.Outcome = attempt.OutcomeUnknown
	}
	return f
}

// fromIntermediary returns what the answer of something else than the server means: of a
// gateway, a portal, or another server. After an error of a gateway, and after a
// page in place of the answer, the server may have done what it was asked for.
func (c *caller) fromIntermediary(r *reply) *failure {
	unexpected := &attempt.UnexpectedAnswerError{Status: r.status, Location: r.header.Get("Location"), RetryAfter: attempt.RetryAfter(r.header)}
	f := &failure{Err: unexpected.Meaning(c.name), Outcome: attempt.OutcomeRefused, Refusal: refusal{status: r.status}}
	if r.status >= 500 || r.status < 300 {
		f.Outcome, f.Repeatable = attempt.OutcomeUnknown, r.status >= 500
	}
	return f
}

// meaning is the table of errors. It goes by the text where servers have one status
// for all.
func (c *caller) meaning(r *reply, e errorBody) *client.Error {
	message := e.message()
	lower := strings.ToLower(message)
	switch {
	case r.status == http.StatusTooManyRequests || r.intended == http.StatusTooManyRequests || strings.Contains(lower, "rate limit"):
		return limited(r, e)
	case strings.HasPrefix(string(e.Code), "GUEST_"):
		return &client.Error{Kind: client.KindUnauthorized, Message: "the server lets only its accounts do this"}
	case message == messageNoAccount || r.intended == http.StatusUnauthorized:
		return c.unauthorized()
	case e.isRoute():
		return &client.Error{Kind: client.KindProtocol, Message: "the server does not know this call: it does not speak " + c.name}
	case message == messageUnknown || e.SecretKey != nil && r.status == http.StatusNotFound:
		return gone()
	case strings.Contains(lower, "end-to-end encrypted"):
		return c.unsupported("cannot open end-to-end encrypted secrets: use the link that ends in the secret's key, with Hush")
	case message == messageUnexpected || message == messageError || r.intended >= 500 && message != messageUnburned:
		return &client.Error{Kind: client.KindFailure, Message: "the server failed"}
	case message == messageAway:
		return &client.Error{Kind: client.KindNetwork, Message: "the server cannot answer at the moment"}
	case e.ErrorType != "" && r.status == http.StatusNotFound:
		return gone()
	}
	return &client.Error{Kind: client.KindRefused, Message: "the server refuses the call"}
}

func gone() *client.Error {
	return &client.Error{Kind: client.KindGone, Message: "the secret was opened, was burned, has expired or never existed"}
}

// limited returns the error for too many calls, or too many tries of a passphrase
// where a release counts them apart.
func limited(r *reply, e errorBody) *client.Error {
	wait := max(attempt.RetryAfter(r.header), e.RetryAfter.duration(), 0)
	if e.MaxAttempts != nil {
		return &client.Error{Kind: client.KindLocked, Message: "too many wrong passphrases were tried: tries are paused", RetryAfter: wait}
	}
	return &client.Error{Kind: client.KindLimited, Message: "the server gets too many calls", RetryAfter: wait}
}

func (c *caller) unauthorized() *client.Error {
	if !c.hasAccount() {
		return &client.Error{Kind: client.KindUnauthorized, Message: "this needs an account: its e-mail address and its token"}
	}
	return &client.Error{Kind: client.KindUnauthorized, Message: "the server does not accept the e-mail address with the token"}
}

// isAboutPassphrase reports whether the server refused the passphrase of a call that
// opens or burns. The text is all that says so.
func isAboutPassphrase(f *failure) bool {
	return f.Err.Kind == client.KindRefused && strings.Contains(strings.ToLower(f.Refusal.message), "passphrase")
}

// wrongPassphrase is the error for a passphrase that the server refused.
func wrongPassphrase(sent client.Text) *client.Error {
	if sent.IsEmpty() {
		return &client.Error{Kind: client.KindPassphrase, Message: "a passphrase is needed", Missing: true, TriesLeft: -1}
	}
	return &client.Error{Kind: client.KindPassphrase, Message: "the passphrase is wrong", TriesLeft: -1}
}

// withText returns the error of a refused request to share with the server's text, for
// its sender. The text is left out where it repeats a part of what was sent in confidence.
func withText(f *failure, sent ...string) *client.Error {
	shown := client.Plain(f.Refusal.message)
	if f.Err.Kind != client.KindRefused && f.Err.Kind != client.KindFailure || shown == "" || quotes(shown, sent) {
		return f.Err
	}
	f.Err.Message += ": " + shown
	return f.Err
}

// quoteSize is how long a part of a text is that counts as quoted, in bytes.
const quoteSize = 8

// quotes reports whether a message repeats one of the texts, or a part of one. It
// reads each text once: they may be long.
func quotes(message string, texts []string) bool {
	parts := map[string]bool{}
	for at := 0; at+quoteSize <= len(message); at++ {
		parts[message[at:at+quoteSize]] = true
	}
	for _, text := range texts {
		if text != "" && len(text) < quoteSize && strings.Contains(message, text) {
			return true
		}
		for at := 0; at+quoteSize <= len(text); at++ {
			if parts[text[at:at+quoteSize]] {
				return true
			}
		}
	}
	return false
}

// keyPath returns the path of a call about a secret or a receipt.
func keyPath(noun string, key client.Text, verb string) string {
	return "/" + noun + "/" + url.PathEscape(key.Expose()) + verb
}

// wholeSeconds returns a duration in whole seconds for a server: at least one, since
// none means the longest to some.
func wholeSeconds(d time.Duration) int64 { return max(int64(d/time.Second), 1) }
