package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	hushv1 "hush/gen/hush/v1"
)

// fate is what became of a call that failed.
type fate int

const (
	// fateRefused: the server answered, and did nothing.
	fateRefused fate = iota
	// fateUnsent: there was no connection, so no server did anything.
	fateUnsent
	// fateLost: whether the server did it is not known.
	fateLost
)

// failure is a call that failed.
type failure struct {
	err    *Error
	fate   fate
	reason hushv1.Refusal_Reason
	// futile reports whether the same call would fail again at once.
	futile bool
	// tooLong reports whether the answer was longer than any of a Hush server.
	tooLong bool
}

// failed returns what the error of a call means. ctx is that of the caller, whose
// end is not the server's fault.
func (h *hushBackend) failed(ctx context.Context, request proto.Message, err error) *failure {
	coded, ok := errors.AsType[*connect.Error](err)
	if ok && connect.IsWireError(coded) {
		return h.answered(coded, request)
	}
	if ended := ctx.Err(); ended != nil {
		return &failure{err: endedError(ended), fate: fateLost, futile: true}
	}
	if strange, ok := errors.AsType[*strangeError](err); ok {
		return strange.failure()
	}
	if errors.Is(err, errTooLong) {
		return &failure{err: &Error{Kind: KindFailure, Message: errTooLong.Error()}, fate: fateLost, futile: true, tooLong: true}
	}
	if ok && coded.Code() == connect.CodeInvalidArgument {
		return &failure{err: &Error{Kind: KindProtocol, Message: notHush}, fate: fateLost, futile: true}
	}
	return unanswered(err)
}

// notHush is what is said of an answer that is no message of the protocol.
const notHush = "this is not the answer of a Hush server"

func endedError(ended error) *Error {
	message := "the call was ended before the server answered"
	if errors.Is(ended, context.DeadlineExceeded) {
		message = "the server did not answer in time"
	}
	return &Error{Kind: KindNetwork, Message: message, Cause: ended}
}

// unanswered returns what the error of a connection means.
func unanswered(err error) *failure {
	if coded, ok := errors.AsType[*connect.Error](err); ok {
		err = coded.Unwrap()
	}
	cause := &plainError{err}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		wrong := &Error{Kind: KindNetwork, Message: "the server's certificate is not trusted", Cause: cause}
		return &failure{err: wrong, fate: fateUnsent, futile: true}
	}
	if wrong := speaksPlain(err); wrong != nil {
		return &failure{err: wrong, fate: fateUnsent, futile: true}
	}
	if wrong := speaksTLS(err); wrong != nil {
		return &failure{err: wrong, fate: fateRefused, futile: true}
	}
	if isDial(err) {
		return &failure{err: &Error{Kind: KindNetwork, Message: "there is no connection to the server", Cause: cause}, fate: fateUnsent}
	}
	lost := &Error{Kind: KindNetwork, Message: "the connection to the server was lost", Cause: cause}
	if isTimeout(err) {
		lost = &Error{Kind: KindNetwork, Message: "the server did not answer in time"}
	}
	return &failure{err: lost, fate: fateLost}
}

func isTimeout(err error) bool {
	timed, ok := errors.AsType[net.Error](err)
	return ok && timed.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// isDial reports whether an error is one of connecting, to a server or to a proxy.
func isDial(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect"
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// failure returns what the answer of something else means. It may have been given
// after a server did what it was asked for.
func (e *strangeError) failure() *failure {
	f := &failure{fate: fateLost, futile: true}
	switch {
	case e.scheme != nil:
		return &failure{err: e.scheme, fate: fateRefused, futile: true}
	case e.status == http.StatusTooManyRequests:
		f.err = &Error{Kind: KindLimited, Message: "the server gets too many calls", RetryAfter: e.retryAfter}
	case e.status >= 500:
		f.err, f.futile = &Error{Kind: KindNetwork, Message: "the server cannot be reached at the moment", RetryAfter: e.retryAfter}, false
	case e.status >= 300 && e.status < 400:
		f.err = &Error{Kind: KindProtocol, Message: "the server has another address" + e.target()}
		return f
	case e.status == http.StatusUnauthorized || e.status == http.StatusForbidden || e.status == http.StatusProxyAuthRequired:
		f.err = &Error{Kind: KindProtocol, Message: "something in front of the server refuses the call"}
	default:
		f.err = &Error{Kind: KindProtocol, Message: notHush}
	}
	f.err.Cause = e
	return f
}

// target returns the host that a redirect names.
func (e *strangeError) target() string {
	to, err := url.Parse(e.location)
	if err != nil || to.Host == "" || to.User != nil {
		return ""
	}
	return ": " + plain(to.Scheme+"://"+to.Host)
}

// answered returns what an error means that the server itself returned.
func (h *hushBackend) answered(coded *connect.Error, request proto.Message) *failure {
	var refusal *hushv1.Refusal
	var wait time.Duration
	for _, detail := range coded.Details() {
		switch value, _ := detail.Value(); value := value.(type) {
		case *hushv1.Refusal:
			refusal = value
		case *errdetails.RetryInfo:
			wait = max(wait, value.GetRetryDelay().AsDuration())
		}
	}
	f := &failure{reason: refusal.GetReason(), err: &Error{RetryAfter: wait}}
	said := h.withheld(coded.Message(), request)
	if !byReason(f.err, refusal, said) && byCode(f.err, coded.Code(), said) {
		f.fate = fateLost
	}
	return f
}

// byReason is the table of the reasons. It reports whether the reason is in it.
func byReason(e *Error, refusal *hushv1.Refusal, said string) bool {
	switch refusal.GetReason() {
	case hushv1.Refusal_REASON_UNSPECIFIED:
		return false
	case hushv1.Refusal_REASON_PASSPHRASE:
		e.Kind, e.Message, e.TriesLeft = KindPassphrase, "the passphrase is wrong", int(refusal.GetTriesLeft())
		if refusal.GetPassphraseMissing() {
			e.Message, e.Missing, e.TriesLeft = "a passphrase is needed", true, -1
		}
	case hushv1.Refusal_REASON_LOCKED:
		e.Kind, e.Message, e.ForGood = KindLocked, "too many wrong passphrases were tried: tries are paused", refusal.GetForGood()
		if e.ForGood {
			e.Message = "too many wrong passphrases were tried: no passphrase is accepted any more"
		}
	case hushv1.Refusal_REASON_LINK:
		e.Kind, e.Message = KindLink, "the link is wrong: a part of it was changed"
	case hushv1.Refusal_REASON_ENCRYPTION:
		e.Kind, e.Message = KindAltered, "the server says something else of the secret than its link"
	case hushv1.Refusal_REASON_RATE_LIMITED, hushv1.Refusal_REASON_TOO_MANY:
		e.Kind, e.Message = KindLimited, "the server gets too many calls"
	case hushv1.Refusal_REASON_SCOPE:
		e.Kind, e.Message = KindUnauthorized, "the token does not permit this"
	case hushv1.Refusal_REASON_ACCOUNT_REQUIRED:
		e.Kind, e.Message = KindUnauthorized, said
	default:
		e.Kind, e.Message = KindRefused, said
	}
	return true
}

// byCode is the table of the codes without a reason. It reports whether the server
// may have done what it was asked for.
func byCode(e *Error, code connect.Code, said string) (lost bool) {
	switch code {
	case connect.CodeNotFound:
		e.Kind, e.Message = KindGone, "the secret was opened, was burned, has expired or never existed"
	case connect.CodeUnauthenticated:
		e.Kind, e.Message = KindUnauthorized, "the server does not accept the token"
	case connect.CodeResourceExhausted:
		e.Kind, e.Message = KindLimited, "the server gets too many calls"
	case connect.CodeUnimplemented:
		e.Kind, e.Message = KindProtocol, "this is not a Hush server, or one of another version"
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeAborted:
		e.Kind, e.Message = KindNetwork, "the server cannot answer at the moment"
		return true
	case connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		e.Kind, e.Message = KindFailure, "the server failed: "+said
		return true
	default:
		e.Kind, e.Message = KindRefused, said
	}
	return false
}

// withheld returns a message of the server, made safe for a terminal, without what
// the request has in confidence: errors end up in logs.
func (h *hushBackend) withheld(message string, request proto.Message) string {
	hide := func(secret string) {
		if len(secret) >= 4 {
			message = strings.ReplaceAll(message, secret, "[redacted]")
		}
	}
	hide(h.token.Expose())
	request.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		options, ok := field.Options().(*descriptorpb.FieldOptions)
		if ok && options.GetDebugRedact() && field.Kind() == protoreflect.StringKind && !field.IsList() {
			hide(value.String())
		}
		return true
	})
	if message = plain(message); message == "" {
		return "the server refuses the call"
	}
	return message
}

// plainMax is how much is shown of a text of others, in characters.
const plainMax = 300

// plain returns a text of others without what controls a terminal or turns the
// direction of text, and not too long.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return utf8.RuneError
		}
		return r
	}, strings.TrimSpace(text))
	if runes := []rune(text); len(runes) > plainMax {
		text = string(runes[:plainMax]) + "…"
	}
	return strings.TrimSuffix(text, ".")
}

// plainError is an error of a connection, with a text that is safe to print.
type plainError struct{ err error }

// Error returns the text.
func (e *plainError) Error() string { return plain(e.err.Error()) }

// Unwrap returns the error.
func (e *plainError) Unwrap() error { return e.err }
