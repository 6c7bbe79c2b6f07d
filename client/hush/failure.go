package hush

import (
	"context"
	"errors"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
)

// failure is a call that failed.
type failure = attempt.Failure[refusal]

// refusal is what a Hush server says when it refuses.
type refusal struct {
	reason hushv1.Refusal_Reason
	// tooLong reports whether the answer was longer than any of a Hush server.
	tooLong bool
}

// failed returns what the error of a call means. ctx is that of the caller, whose
// end is not the server's fault.
func (h *Client) failed(ctx context.Context, request proto.Message, err error) *failure {
	coded, ok := errors.AsType[*connect.Error](err)
	if ok && connect.IsWireError(coded) {
		return h.answered(coded, request)
	}
	if ended := ctx.Err(); ended != nil {
		return &failure{Err: attempt.Ended(ended), Outcome: attempt.OutcomeUnknown}
	}
	if wrong, ok := errors.AsType[*client.Error](err); ok { // an answer of checkAnswer
		return &failure{Err: wrong, Outcome: attempt.OutcomeRefused}
	}
	if unexpected, ok := errors.AsType[*attempt.UnexpectedAnswerError](err); ok {
		// It may have been given after a server did what it was asked for.
		return &failure{Err: unexpected.Meaning(product), Outcome: attempt.OutcomeUnknown, Repeatable: unexpected.Status >= 500}
	}
	if errors.Is(err, errTooLong) {
		long := &client.Error{Kind: client.KindFailure, Message: errTooLong.Error()}
		return &failure{Err: long, Outcome: attempt.OutcomeUnknown, Refusal: refusal{tooLong: true}}
	}
	if ok && coded.Code() == connect.CodeInvalidArgument {
		return &failure{Err: attempt.Unexpected(product), Outcome: attempt.OutcomeUnknown}
	}
	if ok {
		err = coded.Unwrap()
	}
	return attempt.Unanswered[refusal](err)
}

// product is whose answers the calls expect.
const product = "Hush"

// answered returns what an error means that the server itself returned.
func (h *Client) answered(coded *connect.Error, request proto.Message) *failure {
	var detail *hushv1.Refusal
	var wait time.Duration
	for _, one := range coded.Details() {
		switch value, _ := one.Value(); value := value.(type) {
		case *hushv1.Refusal:
			detail = value
		case *errdetails.RetryInfo:
			wait = max(wait, value.GetRetryDelay().AsDuration())
		}
	}
	f := &failure{Err: &client.Error{RetryAfter: wait}, Outcome: attempt.OutcomeRefused, Refusal: refusal{reason: detail.GetReason()}}
	message := h.withheld(coded.Message(), request)
	if !byReason(f.Err, detail, message) && byCode(f.Err, coded.Code(), message) {
		f.Outcome, f.Repeatable = attempt.OutcomeUnknown, true
	}
	return f
}

// byReason is the table of the reasons. It reports whether the reason is in it.
func byReason(e *client.Error, refusal *hushv1.Refusal, message string) bool {
	switch refusal.GetReason() {
	case hushv1.Refusal_REASON_UNSPECIFIED:
		return false
	case hushv1.Refusal_REASON_PASSPHRASE:
		e.Kind, e.Message, e.TriesLeft = client.KindPassphrase, "the passphrase is wrong", int(refusal.GetTriesLeft())
		if refusal.GetPassphraseMissing() {
			e.Message, e.Missing, e.TriesLeft = "a passphrase is needed", true, -1
		}
	case hushv1.Refusal_REASON_LOCKED:
		e.Kind, e.Message, e.ForGood = client.KindLocked, "too many wrong passphrases were tried: tries are paused", refusal.GetForGood()
		if e.ForGood {
			e.Message = "too many wrong passphrases were tried: no passphrase is accepted any more"
		}
	case hushv1.Refusal_REASON_LINK:
		e.Kind, e.Message = client.KindLink, "the link is wrong: a part of it was changed"
	case hushv1.Refusal_REASON_ENCRYPTION:
		e.Kind, e.Message = client.KindAltered, "the server says something else of the secret than its link"
	case hushv1.Refusal_REASON_VERSION:
		e.Kind, e.Message = client.KindUnsupported, "the secret is a large file, which is fetched in parts: open it with \"hush open\" of this version or a newer one"
	case hushv1.Refusal_REASON_ARRIVING:
		e.Kind, e.Message = client.KindArriving, "the file is still arriving: its sender has not sent all of it yet"
	case hushv1.Refusal_REASON_REQUEST_ENDED:
		e.Kind, e.Message = client.KindGone, "the request takes no more answers: it is full, its time is over, or it was closed"
	case hushv1.Refusal_REASON_RATE_LIMITED, hushv1.Refusal_REASON_TOO_MANY:
		e.Kind, e.Message = client.KindLimited, "the server gets too many calls"
	case hushv1.Refusal_REASON_SCOPE:
		e.Kind, e.Message = client.KindUnauthorized, "the token does not permit this"
	case hushv1.Refusal_REASON_ACCOUNT_REQUIRED:
		e.Kind, e.Message = client.KindUnauthorized, message
	default:
		e.Kind, e.Message = client.KindRefused, message
	}
	return true
}

// byCode is the table of the codes without a reason. It reports whether the server
// may have done what it was asked for.
func byCode(e *client.Error, code connect.Code, message string) (lost bool) {
	switch code {
	case connect.CodeNotFound:
		e.Kind, e.Message = client.KindGone, "the secret was opened, was burned, has expired or never existed"
	case connect.CodeUnauthenticated:
		e.Kind, e.Message = client.KindUnauthorized, "the server does not accept the token"
	case connect.CodeResourceExhausted:
		e.Kind, e.Message = client.KindLimited, "the server gets too many calls"
	case connect.CodeUnimplemented:
		e.Kind, e.Message = client.KindProtocol, "this is not a Hush server, or one of another version"
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeAborted:
		e.Kind, e.Message = client.KindNetwork, "the server cannot answer at the moment"
		return true
	case connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		e.Kind, e.Message = client.KindFailure, "the server failed: "+message
		return true
	default:
		e.Kind, e.Message = client.KindRefused, message
	}
	return false
}

// withheld returns a message of the server, made safe for a terminal, without what
// the request has in confidence: errors end up in logs.
func (h *Client) withheld(message string, request proto.Message) string {
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
	if message = client.Plain(message); message == "" {
		return "the server refuses the call"
	}
	return message
}
