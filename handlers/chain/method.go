package chain

import (
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
)

// Method is an RPC as a Go call. It runs the service behind the same chain of
// interceptors as a call over the wire, and its errors are *connect.Error.
type Method[Req, Res any] struct {
	// Procedure is the RPC's full name, such as
	// "/hush.v1.SecretService/BurnSecret".
	Procedure string
	// Access declares who may call the method. A method for administrators does
	// not exist for anyone else; see Hides.
	Access hushv1.Access
	call   func(ctx context.Context, header http.Header, req *Req) (*Res, error)
}

// Call runs the method. ctx must come from a request that passed
// Chain.Middleware, which identifies the caller; header is that request's.
func (m Method[Req, Res]) Call(ctx context.Context, header http.Header, req *Req) (*Res, error) {
	return m.call(ctx, header, req)
}

// call is an in-process request as interceptors see it: the message with the
// procedure, the peer and the headers, which connect itself does not know.
type call struct {
	connect.AnyRequest
	spec   connect.Spec
	header http.Header
}

func (c *call) Spec() connect.Spec  { return c.spec }
func (c *call) Peer() connect.Peer  { return connect.Peer{Protocol: "http"} }
func (c *call) Header() http.Header { return c.header }
func (c *call) HTTPMethod() string  { return http.MethodPost }

// Bind returns a service's method as one for callers in this process.
func Bind[Req, Res any](c *Chain, procedure string, serve func(context.Context, *Req) (*Res, error)) Method[Req, Res] {
	spec := connect.Spec{StreamType: connect.StreamTypeUnary, Procedure: procedure, Schema: c.policies[procedure].method}
	next := c.WrapUnary(func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		message, ok := req.Any().(*Req)
		if !ok {
			return nil, errWrongMessage
		}
		res, err := serve(ctx, message)
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(res), nil
	})
	return Method[Req, Res]{Procedure: procedure, Access: c.policies[procedure].access, call: func(ctx context.Context, header http.Header, req *Req) (*Res, error) {
		res, err := next(ctx, &call{AnyRequest: connect.NewRequest(req), spec: spec, header: header})
		if err != nil {
			return nil, err
		}
		message, ok := res.Any().(*Res)
		if !ok {
			return nil, connect.NewError(connect.CodeInternal, errWrongMessage)
		}
		return message, nil
	}}
}

// errWrongMessage reports that an interceptor replaced a message with one of
// another type.
var errWrongMessage = errors.New("chain: message of a wrong type")
