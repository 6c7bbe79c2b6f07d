package chain

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/refusal"
	"hush/vault/session"
)

// Method is an RPC as a Go call. It runs the service behind the same chain as a call over
// the wire.
type Method[Req, Res any] struct {
	// Procedure is the RPC's full name, such as
	// "/hush.v1.SecretService/BurnSecret".
	Procedure string
	// Access declares who may call the method. A method for administrators does
	// not exist for anyone else; see Hides.
	Access hushv1.Access
	chain  *Chain
	serve  Service[Req, Res]
}

// Service is a method of a service.
type Service[Req, Res any] func(context.Context, *Req) (*Res, error)

// Bind returns a service's method as one for callers in this process: that of the RPC
// whose request it takes, which no other takes. Without such an RPC, it has no procedure
// and no access, and must not be called.
func Bind[Req, Res any](c *Chain, serve Service[Req, Res]) Method[Req, Res] {
	message, ok := any(new(Req)).(proto.Message)
	if !ok {
		return Method[Req, Res]{}
	}
	return bind(c, c.policies.taking(message.ProtoReflect().Descriptor().FullName()), serve)
}

func bind[Req, Res any](c *Chain, procedure string, serve Service[Req, Res]) Method[Req, Res] {
	return Method[Req, Res]{procedure, c.policies[procedure].access, c, serve}
}

// Call runs the method. ctx must come from a request that passed Chain.Middleware, which
// identifies the caller, and that Chain.Admit admitted to it; header is that request's.
// Its error is a *RefusedError, or the *connect.Error of a message that is not valid or
// cannot be taken.
func (m Method[Req, Res]) Call(ctx context.Context, header http.Header, req *Req) (*Res, error) {
	return run(ctx, m.chain, call{m.Procedure, header, req}, func(ctx context.Context) (*Res, error) {
		return m.serve(ctx, req)
	})
}

// call is a call whose message was read, in whichever way it came.
type call struct {
	procedure string
	header    http.Header
	message   any // nil for a stream, whose messages come later
}

// run takes a call through the chain to its service. There is no other way to one.
func run[Res any](ctx context.Context, c *Chain, in call, serve func(context.Context) (Res, error)) (Res, error) {
	record := recordFrom(ctx)
	res, err := settled(ctx, c.log, in.procedure, func() (res Res, err error) {
		if err := c.check(ctx, record, in); err != nil {
			return res, err
		}
		// All that the call changes checks the credential once more, in its transaction.
		asColonel := c.policies[in.procedure].access == hushv1.Access_ACCESS_COLONEL
		res, err = serve(c.recheck.sessions.Hold(ctx, record.caller, asColonel))
		if errors.Is(err, session.ErrEnded) {
			return *new(Res), cmp.Or(c.recheck.end(record, in.procedure), refusal.ErrUnauthenticated)
		}
		return res, err
	})
	if record != nil {
		record.procedure, record.code = in.procedure, "ok"
		if err != nil {
			record.code = codeOf(err).String()
		}
	}
	return res, err
}

// check returns why a call must not reach its service: what the gate decided before its
// message was read still holds, a session's call has the session's token, without which
// another site may have made a browser send it, and the message is in order.
func (c *Chain) check(ctx context.Context, record *record, in call) error {
	if record == nil {
		return errNoCaller
	}
	if err := c.gate.enter(ctx, record, in.procedure); err != nil {
		return err
	}
	if err := c.recheck.pass(ctx, record, in.procedure); err != nil {
		return err
	}
	if needsShrimp(c.policies[in.procedure], record) && !SameShrimp(shrimpFrom(in.header), record.caller.Shrimp()) {
		return errShrimp
	}
	if err := c.gate.chargeMessage(ctx, record, in.procedure, in.message); err != nil {
		return err
	}
	// So far only the received bytes of a compressed message were counted.
	if m, ok := in.message.(proto.Message); ok && record.packed && record.body != nil && !record.body.hold(int64(proto.Size(m))) {
		record.limit = limitBodies
		return heldError()
	}
	return c.validation.check(in.message)
}

// WrapUnary takes a call over the wire through the chain. It is part of
// connect.Interceptor.
func (c *Chain) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		res, err := run(ctx, c, call{req.Spec().Procedure, req.Header(), req.Any()}, func(ctx context.Context) (connect.AnyResponse, error) {
			return next(ctx, req)
		})
		return res, onWire(err)
	}
}

// WrapStreamingHandler takes a stream through the chain, which needs only the caller, the
// procedure and the headers: they are known before the first message.
func (c *Chain) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	next = c.streams.WrapStreamingHandler(c.validation.WrapStreamingHandler(next))
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		_, err := run(ctx, c, call{conn.Spec().Procedure, conn.RequestHeader(), nil}, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, next(ctx, conn)
		})
		return onWire(err)
	}
}

// WrapStreamingClient does nothing: no service here is a client.
func (*Chain) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
