package attempt

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"hush/client"
)

// Ended is the error for a call whose context ended before an answer came.
func Ended(cause error) *client.Error {
	message := "the call was ended before the server answered"
	if errors.Is(cause, context.DeadlineExceeded) {
		message = "the server did not answer in time"
	}
	return &client.Error{Kind: client.KindNetwork, Message: message, Cause: cause}
}

// Unanswered returns what the error of a connection means.
func Unanswered[R any](err error) *Failure[R] {
	cause := &plainError{err}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		wrong := &client.Error{Kind: client.KindNetwork, Message: "the server's certificate is not trusted", Cause: cause}
		return &Failure[R]{Err: wrong, Outcome: OutcomeUnsent}
	}
	if wrong := speaksPlain(err); wrong != nil {
		return &Failure[R]{Err: wrong, Outcome: OutcomeUnsent}
	}
	if wrong := SpeaksTLS(err); wrong != nil {
		return &Failure[R]{Err: wrong, Outcome: OutcomeRefused}
	}
	if IsDial(err) {
		none := &client.Error{Kind: client.KindNetwork, Message: "there is no connection to the server", Cause: cause}
		return &Failure[R]{Err: none, Outcome: OutcomeUnsent, Repeatable: true}
	}
	lost := &client.Error{Kind: client.KindNetwork, Message: "the connection to the server was lost", Cause: cause}
	if isTimeout(err) {
		lost = &client.Error{Kind: client.KindNetwork, Message: "the server did not answer in time"}
	}
	return &Failure[R]{Err: lost, Outcome: OutcomeUnknown, Repeatable: true}
}

func isTimeout(err error) bool {
	timed, ok := errors.AsType[net.Error](err)
	return ok && timed.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// IsDial reports whether an error is one of connecting, to a server or to a proxy.
func IsDial(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect"
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// plainError is an error of a connection, with a text that is safe to print.
type plainError struct{ err error }

// Error returns the text.
func (e *plainError) Error() string { return client.Plain(e.err.Error()) }

// Unwrap returns the error.
func (e *plainError) Unwrap() error { return e.err }
