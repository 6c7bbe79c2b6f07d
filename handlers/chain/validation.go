package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect"
	"connectrpc.com/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	hushv1 "hush/gen/hush/v1"
)

// newValidation returns the check of the field limits of every request.
func newValidation() validation { return validationBy(newLimits()) }

// limits is a protovalidate.Validator that is made for the first message it
// checks, and compiles the limits of a kind of message for the first of that kind.
// It makes up to 20,000 objects, which a service whose callers send only plain
// messages does not need, and which each collection of garbage would look at.
// TestLimitsCompile checks that all limits compile.
type limits struct {
	made func() (protovalidate.Validator, error)
}

// newLimits returns limits that stop at the first one that a message exceeds: a
// message with a million violations must not cause a response with a million.
func newLimits() limits {
	return limits{sync.OnceValues(func() (protovalidate.Validator, error) {
		return protovalidate.New(protovalidate.WithFailFast())
	})}
}

// Validate is part of protovalidate.Validator.
func (l limits) Validate(message proto.Message, options ...protovalidate.ValidationOption) error {
	if err := refusedBy(message); err != nil {
		return err
	}
	validator, err := l.made()
	if err == nil {
		err = validator.Validate(message, options...)
	}
	if _, exceeded := errors.AsType[*protovalidate.ValidationError](err); err == nil || exceeded {
		return err
	}
	if compiling, ok := errors.AsType[*protovalidate.CompilationError](err); ok {
		return fmt.Errorf("%w: %w", errLimits, compiling)
	}
	return fmt.Errorf("%w: %T", errLimits, err) // its text may contain what was sent
}

// validation checks field limits. The messages of the calls that are made most
// are first looked at as Go values: protovalidate, which walks a message by
// reflection, decides on all that are not plainly within the limits.
type validation struct {
	connect.Interceptor
	whole connect.UnaryFunc // checks a message, and does nothing else
}

func validationBy(limits protovalidate.Validator) validation {
	interceptor := validate.NewInterceptor(validate.WithValidator(limits))
	valid := connect.NewResponse(new(emptypb.Empty))
	return validation{interceptor, interceptor.WrapUnary(func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) {
		return valid, nil
	})}
}

// check returns an error for a message that exceeds a limit. A nil one has none.
func (v validation) check(ctx context.Context, message any) error {
	if message == nil || isPlain(message) {
		return nil
	}
	_, err := v.whole(ctx, anyMessage{message: message})
	return err
}

// anyMessage is a request of which the interceptor reads the message alone.
type anyMessage struct {
	connect.AnyRequest
	message any
}

// Any is part of connect.AnyRequest.
func (m anyMessage) Any() any { return m.message }

// WrapUnary is part of connect.Interceptor.
func (v validation) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if err := v.check(ctx, req.Any()); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
}

// The limits in bytes within which a message is plain. Where the contract counts
// characters, they are as many bytes.
const (
	plainSecret     = 1 << 20
	plainSeconds    = 1 << 30
	plainPassphrase = 128
	plainDomain     = 253
	plainPayload    = 1024
	plainMemo       = 500
	plainKey        = 256
)

// isPlain reports whether a message is of a kind that is known here, and is
// within all its limits.
func isPlain(message any) bool {
	switch m := message.(type) {
	case *hushv1.ConcealSecretRequest:
		return m != nil && !isRefused(m) && m.GetSecret() != "" && len(m.GetSecret()) <= plainSecret && m.GetSealed() == nil && isPlainTime(m.GetTtl()) &&
			len(m.GetPassphrase()) <= plainPassphrase && len(m.GetRecipients()) == 0 && len(m.GetShareDomain()) <= plainDomain &&
			len(m.GetAuthenticityPayload()) <= plainPayload && len(m.GetMemo()) <= plainMemo && (len(m.GetGroup()) == 0 || len(m.GetGroup()) == 16)
	case *hushv1.RevealSecretRequest:
		return m != nil && !isRefused(m) && len(m.GetSecretKey()) <= plainKey && len(m.GetPassphrase()) <= plainPassphrase &&
			isPlainProof(m.GetLinkProof()) && isPlainProof(m.GetProof()) && isPlainProof(m.GetClaim())
	default:
		return false
	}
}

func isPlainTime(d *durationpb.Duration) bool {
	return d == nil || d.GetSeconds() > 0 && d.GetSeconds() <= plainSeconds && d.GetNanos() == 0
}

func isPlainProof(proof []byte) bool { return len(proof) == 0 || len(proof) == 32 }
