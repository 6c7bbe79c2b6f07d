package attempt

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"hush/client"
)

// RefusalMax is how many bytes are read of an answer that is an error: more than any
// refusal has.
const RefusalMax = 64 << 10

// RetryAfter returns the seconds of the header; 0 for none.
func RetryAfter(h http.Header) time.Duration {
	seconds, err := time.ParseDuration(h.Get("Retry-After") + "s")
	if err != nil || seconds < 0 {
		return 0
	}
	return seconds
}

// UnexpectedAnswerError is an answer that no server of the protocol gives: that of a proxy, a
// portal, or another server.
type UnexpectedAnswerError struct {
	Status     int
	Location   string
	RetryAfter time.Duration
}

// Error returns the status.
func (a *UnexpectedAnswerError) Error() string {
	return fmt.Sprintf("HTTP %d %s", a.Status, http.StatusText(a.Status))
}

// Meaning returns the error for the answer to a call of a protocol, as in "Hush". After
// a status of 500 and more, the server may answer the next call.
func (a *UnexpectedAnswerError) Meaning(protocol string) *client.Error {
	var meaning *client.Error
	switch {
	case a.Status == http.StatusTooManyRequests:
		meaning = &client.Error{Kind: client.KindLimited, Message: "the server gets too many calls", RetryAfter: a.RetryAfter}
	case a.Status >= 500:
		meaning = &client.Error{Kind: client.KindNetwork, Message: "the server cannot be reached at the moment", RetryAfter: a.RetryAfter}
	case a.Status >= 300 && a.Status < 400:
		return &client.Error{Kind: client.KindProtocol, Message: "the server has another address" + a.target()}
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden || a.Status == http.StatusProxyAuthRequired:
		meaning = &client.Error{Kind: client.KindProtocol, Message: "something in front of the server refuses the call"}
	default:
		meaning = Unexpected(protocol)
	}
	meaning.Cause = a
	return meaning
}

// target returns the host that a redirect names.
func (a *UnexpectedAnswerError) target() string {
	to, err := url.Parse(a.Location)
	if err != nil || to.Host == "" || to.User != nil {
		return ""
	}
	return ": " + client.Plain(to.Scheme+"://"+to.Host)
}

// Unexpected is the error for an answer that no server of the protocol gives. It does not
// say why: that would show parts of the answer.
func Unexpected(protocol string) *client.Error {
	return &client.Error{Kind: client.KindProtocol, Message: "this is not the answer of a " + protocol + " server"}
}

// NoToken is the error for a call of an account without a token.
func NoToken() *client.Error {
	return &client.Error{Kind: client.KindUnauthorized, Message: "this needs the token of an account"}
}

// OfReceipt returns the error of a call about a receipt with the words for receipts.
func OfReceipt(err error) error {
	if client.KindOf(err) == client.KindGone {
		return &client.Error{Kind: client.KindGone, Message: "there is no such receipt, or it was forgotten after its time"}
	}
	return err
}
