package client

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Texts by which servers of the reference distinguish errors.
const (
	saidUnknown    = "Unknown secret"
	saidNoAccount  = "Not authorized"
	saidNoRoute    = "Not Found"
	saidUnburned   = "Secret could not be burned."
	saidUnexpected = "An unexpected error occurred :["
	saidError      = "An error occurred :["
	saidAway       = "We'll be back shortly!"
	saidPayload    = "Incorrect payload format"
)

// trouble is the body of an error, of any release.
type trouble struct {
	Message     word    `json:"message"`
	Error       word    `json:"error"`
	Code        word    `json:"code"`
	ErrorType   word    `json:"error_type"`
	SecretKey   *word   `json:"secret_key"`
	RetryAfter  number  `json:"retry_after"`
	MaxAttempts *number `json:"max_attempts"`
}

// said returns what the server said.
func (t trouble) said() string { return string(cmp.Or(t.Message, t.Error)) }

// isRoute reports whether the server has no such call. The newest release names the
// type of each error, and uses the same words for what is not found.
func (t trouble) isRoute() bool {
	return t.SecretKey == nil && (t.said() == saidNoRoute && t.ErrorType == "" || strings.Contains(string(t.ErrorType), "Route"))
}

// refusal returns what an answer means that is not the one to the call; nil if it
// is.
func (l *legacy) refusal(r *reply) *setback {
	if r.isDone() {
		return nil
	}
	if !r.isJSON || r.status < 400 {
		return l.fromBetween(r)
	}
	var t trouble
	if err := json.Unmarshal(r.body, &t); err != nil {
		return &setback{err: l.strange(), fate: fateRefused, futile: true, status: r.status}
	}
	s := &setback{status: r.status, said: t.said(), fate: fateRefused, futile: true}
	s.err, s.fate = l.meaning(r, t), fateRefused
	s.isRoute = s.err.Kind == KindProtocol
	if s.err.Kind == KindFailure || s.err.Kind == KindNetwork {
		s.fate = fateLost
	}
	return s
}

// fromBetween returns what the answer of something else than the server means: of a
// gateway, a portal, or another server. After an error of a gateway, and after a
// page in place of the answer, the server may have done what it was asked for.
func (l *legacy) fromBetween(r *reply) *setback {
	s := &setback{status: r.status, fate: fateRefused, futile: true}
	cause := &strangeError{status: r.status, location: r.header.Get("Location")}
	switch {
	case r.status == http.StatusTooManyRequests:
		s.err = &Error{Kind: KindLimited, Message: "the server gets too many calls", RetryAfter: retryAfter(r.header)}
	case r.status >= 500:
		s.err = &Error{Kind: KindNetwork, Message: "the server cannot be reached at the moment", RetryAfter: retryAfter(r.header)}
		s.fate, s.futile = fateLost, false
	case r.status >= 300 && r.status < 400:
		s.err = &Error{Kind: KindProtocol, Message: "the server has another address" + cause.target()}
		return s
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden || r.status == http.StatusProxyAuthRequired:
		s.err = &Error{Kind: KindProtocol, Message: "something in front of the server refuses the call"}
	case r.status < 300:
		s.err, s.fate = l.strange(), fateLost
	default:
		s.err = l.strange()
	}
	s.err.Cause = cause
	return s
}

// meaning is the table of errors. It goes by the text where servers have one status
// for all.
func (l *legacy) meaning(r *reply, t trouble) *Error {
	said := t.said()
	lower := strings.ToLower(said)
	switch {
	case r.status == http.StatusTooManyRequests || r.meant == http.StatusTooManyRequests || strings.Contains(lower, "rate limit"):
		return limited(r, t)
	case strings.HasPrefix(string(t.Code), "GUEST_"):
		return &Error{Kind: KindUnauthorized, Message: "the server lets only its accounts do this"}
	case said == saidNoAccount || r.meant == http.StatusUnauthorized:
		return l.unauthorized()
	case t.isRoute():
		return &Error{Kind: KindProtocol, Message: "the server does not know this call: it does not speak " + l.name}
	case said == saidUnknown || t.SecretKey != nil && r.status == http.StatusNotFound:
		return gone()
	case strings.Contains(lower, "end-to-end encrypted"):
		return l.unsupported("cannot open end-to-end encrypted secrets: use the link that ends in the secret's key, with Hush")
	case said == saidUnexpected || said == saidError || r.meant >= 500 && said != saidUnburned:
		return &Error{Kind: KindFailure, Message: "the server failed"}
	case said == saidAway:
		return &Error{Kind: KindNetwork, Message: "the server cannot answer at the moment"}
	case t.ErrorType != "" && r.status == http.StatusNotFound:
		return gone()
	}
	return &Error{Kind: KindRefused, Message: "the server refuses the call"}
}

func gone() *Error {
	return &Error{Kind: KindGone, Message: "the secret was opened, was burned, has expired or never existed"}
}

// limited returns the error for too many calls, or too many tries of a passphrase
// where a release counts them apart.
func limited(r *reply, t trouble) *Error {
	wait := max(retryAfter(r.header), t.RetryAfter.duration(), 0)
	if t.MaxAttempts != nil {
		return &Error{Kind: KindLocked, Message: "too many wrong passphrases were tried: tries are paused", RetryAfter: wait}
	}
	return &Error{Kind: KindLimited, Message: "the server gets too many calls", RetryAfter: wait}
}

func (l *legacy) unauthorized() *Error {
	if !l.hasAccount() {
		return &Error{Kind: KindUnauthorized, Message: "this needs an account: its e-mail address and its token"}
	}
	return &Error{Kind: KindUnauthorized, Message: "the server does not accept the e-mail address with the token"}
}

// isAboutPassphrase reports whether the server refused the passphrase of a call that
// opens or burns. The text is all that says so.
func (s *setback) isAboutPassphrase() bool {
	return s.err.Kind == KindRefused && strings.Contains(strings.ToLower(s.said), "passphrase")
}

// wrongPassphrase is the error for a passphrase that the server refused.
func wrongPassphrase(sent Text) *Error {
	if sent.IsEmpty() {
		return &Error{Kind: KindPassphrase, Message: "a passphrase is needed", Missing: true, TriesLeft: -1}
	}
	return &Error{Kind: KindPassphrase, Message: "the passphrase is wrong", TriesLeft: -1}
}

// words returns the server's words about a request to share, for its sender. They
// are left out where they repeat a part of what was sent in confidence.
func (s *setback) words(sent ...string) *Error {
	shown := plain(s.said)
	if s.err.Kind != KindRefused && s.err.Kind != KindFailure || shown == "" || quotes(shown, sent) {
		return s.err
	}
	s.err.Message += ": " + shown
	return s.err
}

// quoted is how long a part of a text is that counts as quoted, in bytes.
const quoted = 8

// quotes reports whether a message repeats one of the texts, or a part of one. It
// reads each text once: they may be long.
func quotes(message string, texts []string) bool {
	parts := map[string]bool{}
	for at := 0; at+quoted <= len(message); at++ {
		parts[message[at:at+quoted]] = true
	}
	for _, text := range texts {
		if text != "" && len(text) < quoted && strings.Contains(message, text) {
			return true
		}
		for at := 0; at+quoted <= len(text); at++ {
			if parts[text[at:at+quoted]] {
				return true
			}
		}
	}
	return false
}

// isKey reports whether a text can stand in the path of a call.
func isKey(key string) bool { return keyPattern.MatchString(key) }

// keyPath returns the path of a call about a secret or a receipt.
func keyPath(noun string, key Text, verb string) string {
	return "/" + noun + "/" + url.PathEscape(key.Expose()) + verb
}

// wholeSeconds returns a duration in whole seconds for a server: at least one, since
// none means the longest to some.
func wholeSeconds(d time.Duration) int64 { return max(int64(d/time.Second), 1) }
