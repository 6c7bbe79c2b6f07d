package chain

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
)

// limits are those of the fields of messages. The validator is made for the first message
// that it checks, and compiles the limits of a kind of message for the first of that kind.
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

// validate returns a *protovalidate.ValidationError for a message that exceeds a limit, and
// errLimits if that cannot be told.
func (l limits) validate(message proto.Message) error {
	if err := refusedBy(message); err != nil {
		return err
	}
	validator, err := l.made()
	if err == nil {
		err = validator.Validate(message)
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
//
// It is an interceptor for services without a chain.
type validation struct{ limits limits }

func newValidation() validation { return validation{newLimits()} }

// check returns a *connect.Error for a message that exceeds a limit, and errLimits if that
// cannot be told. A nil message passes.
func (v validation) check(message any) error {
	if message == nil || isPlain(message) {
		return nil
	}
	m, err := asProto(message)
	if err != nil {
		return err
	}
	err = v.limits.validate(m)
	exceeded, ok := errors.AsType[*protovalidate.ValidationError](err)
	if !ok {
		return err
	}
	refused := connect.NewError(connect.CodeInvalidArgument, exceeded)
	if detail, err := connect.NewErrorDetail(exceeded.ToProto()); err == nil {
		refused.AddDetail(detail)
	}
	return refused
}

// WrapUnary is part of connect.Interceptor.
func (v validation) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if err := v.check(req.Any()); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
}

// WrapStreamingHandler checks each message that a stream receives.
func (v validation) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		return next(ctx, validConn{conn, v})
	}
}

// WrapStreamingClient does nothing: no service here is a client.
func (validation) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// validConn is a stream whose messages are within their limits.
type validConn struct {
	connect.StreamingHandlerConn

	validation validation
}

// Receive reads a message.
func (c validConn) Receive(message any) error {
	if err := c.StreamingHandlerConn.Receive(message); err != nil {
		return err
	}
	return c.validation.check(message)
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
			isPlainProof(m.GetLinkProof()) && isPlainProof(m.GetProof()) && isPlainProof(m.GetClaim()) && isPlainProof(m.GetCollectProof())
	default:
		return false
	}
}

func isPlainTime(d *durationpb.Duration) bool {
	return d == nil || d.GetSeconds() > 0 && d.GetSeconds() <= plainSeconds && d.GetNanos() == 0
}

func isPlainProof(proof []byte) bool { return len(proof) == 0 || len(proof) == 32 }
