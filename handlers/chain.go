package handlers

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"
)

// chain is the one way to a service: every call passes the gate before its
// message is read, then all interceptors, the first of them outermost, and then
// validation, which needs the message.
type chain struct {
	policies     policies
	interceptors []connect.UnaryInterceptorFunc
	validation   connect.Interceptor
	gate         gate
	streams      *streams
	flight       *flight
}

// guard puts the interceptors around next.
func (c chain) guard(next connect.UnaryFunc) connect.UnaryFunc {
	for _, interceptor := range slices.Backward(c.interceptors) {
		next = interceptor(next)
	}
	return next
}

// WrapUnary puts the whole chain around a call. It is part of
// connect.Interceptor.
func (c chain) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return c.guard(c.validation.WrapUnary(next))
}

// WrapStreamingClient does nothing: no service here is a client.
func (chain) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler puts the whole chain around a stream. What the
// interceptors look at, who calls which procedure with which headers, is known
// before its first message; they see an empty one in its place.
func (c chain) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	next = c.streams.WrapStreamingHandler(c.validation.WrapStreamingHandler(next))
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		run := c.guard(func(ctx context.Context, _ connect.AnyRequest) (connect.AnyResponse, error) {
			return nil, next(ctx, conn)
		})
		nothing := connect.NewRequest(new(emptypb.Empty))
		_, err := run(ctx, &call{AnyRequest: nothing, spec: conn.Spec(), header: conn.RequestHeader()})
		return err
	}
}

// options are those of every Connect handler. The chain is one interceptor, so
// that calls over the wire and calls in process pass the very same function.
func (c chain) options() []connect.HandlerOption {
	return []connect.HandlerOption{
		connect.WithRequestGate(c.gate.beforeMessage),
		connect.WithInterceptors(c),
		connect.WithCompressMinBytes(compressFrom),
		connect.WithCodec(protoCodec{}),
		connect.WithCodec(jsonCodec{name: "json", elements: maxElements}),
		connect.WithCodec(jsonCodec{name: "json; charset=utf-8", elements: maxElements}),
		connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
			most := readLimit(spec.Procedure)
			return []connect.HandlerOption{connect.WithReadMaxBytes(most), packing(c.flight, most)}
		}),
	}
}

// call is a request of a caller in this process, as interceptors see it: the
// message with the procedure, the peer and the headers that connect itself
// would not know.
type call struct {
	connect.AnyRequest
	spec   connect.Spec
	header http.Header
}

func (c *call) Spec() connect.Spec  { return c.spec }
func (c *call) Peer() connect.Peer  { return connect.Peer{Protocol: "http"} }
func (c *call) Header() http.Header { return c.header }
func (c *call) HTTPMethod() string  { return http.MethodPost }

// bind turns a service's method into one that callers in this process may use.
func bind[Req, Res any](c chain, procedure string, serve func(context.Context, *Req) (*Res, error)) Method[Req, Res] {
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

// errWrongMessage: an interceptor exchanged a message for one of another type.
var errWrongMessage = errors.New("handlers: message of a wrong type")
