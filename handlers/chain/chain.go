// Package chain holds everything that stands between a request and a service:
// middleware that finds out who calls and writes the one log line, the gate
// that decides on a call before its body is read, the codecs and bounds of what
// is read, the interceptors around the call, and the table that turns errors
// into codes.
//
// It promises that no service runs for a caller that the gate did not admit,
// over the wire or in process, and that no error tells more than the table
// says. It knows no service but the contract's descriptors: handlers mounts and
// binds the services, and routes call them as Methods. Only handlers makes a
// Chain.
package chain

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	"hush/vault/session"
)

// Options is what a chain is made of.
type Options struct {
	// Sessions, Log, Now and BaseURL are required. The fields mean what they
	// mean in the options of package handlers.
	Sessions        *session.Sessions
	Log             *slog.Logger
	Now             func() time.Time
	BaseURL         *url.URL
	RateLimits      bool
	TrustedProxies  []netip.Prefix
	ProxiedRequests int
}

// Chain is the one way to a service: every call passes the gate before its
// message is read, then all interceptors, the first of them outermost, and then
// validation, which needs the message.
type Chain struct {
	policies     policies
	interceptors []connect.UnaryInterceptorFunc
	validation   connect.Interceptor
	gate         gate
	streams      *streams
	flight       *flight
	middleware   middleware
}

// New builds the chain. It fails if a method declares no policy.
func New(opts Options) (*Chain, error) {
	origins := http.NewCrossOriginProtection()
	if err := origins.AddTrustedOrigin(opts.BaseURL.Scheme + "://" + opts.BaseURL.Host); err != nil {
		return nil, fmt.Errorf("chain: base URL: %w", err)
	}
	policies, err := readPolicies(services())
	if err != nil {
		return nil, fmt.Errorf("reading policies: %w", err)
	}
	validation, err := newValidation(services())
	if err != nil {
		return nil, fmt.Errorf("compiling field limits: %w", err)
	}
	var budgets *limiter
	if opts.RateLimits {
		budgets = newLimiter(opts.Now)
	}
	g := gate{policies: policies, budgets: budgets, log: opts.Log}
	bounds, bytes := newStreams(policies), newFlight()
	c := &Chain{policies: policies, validation: validation, gate: g, streams: bounds, flight: bytes, interceptors: []connect.UnaryInterceptorFunc{
		noteProcedure,
		mapErrors(opts.Log),
		checkGate(g),
		checkForgery(policies),
		limitRate(g),
		holdUnpacked,
	}}
	c.middleware = middleware{
		sessions: opts.Sessions, log: opts.Log, now: opts.Now, trusted: opts.TrustedProxies,
		policies: policies, flight: bytes, proxied: newProxied(opts.ProxiedRequests), origins: origins, home: newHome(opts.BaseURL), warned: new(sync.Once),
	}
	return c, nil
}

// Described returns a chain for services that are listed and never called: it has
// no gate and no middleware.
func Described() (*Chain, error) {
	policies, err := readPolicies(services())
	if err != nil {
		return nil, err
	}
	validation, err := newValidation(services())
	if err != nil {
		return nil, err
	}
	return &Chain{policies: policies, validation: validation, streams: newStreams(policies), flight: newFlight()}, nil
}

// Middleware wraps the whole tree: it says who calls (Caller and network), keeps
// the record that becomes the request's log line, and drains what is left of a
// refused body.
func (c *Chain) Middleware(next http.Handler) http.Handler { return c.middleware.wrap(next) }

// Admit decides before a request's body is read whether it may call one of the
// procedures. The call that follows does not pass the gate again; one that did
// not pass it passes it then. The error is a *connect.Error or nil. ctx and
// header are those of Method.Call.
func (c *Chain) Admit(ctx context.Context, header http.Header, procedures ...string) error {
	return c.gate.admit(ctx, header, procedures...)
}

// EndStreams ends the streams that run, for a server that stops. Those that
// begin afterwards end at once.
func (c *Chain) EndStreams() { c.streams.stop() }

// guard puts the interceptors around next.
func (c *Chain) guard(next connect.UnaryFunc) connect.UnaryFunc {
	for _, interceptor := range slices.Backward(c.interceptors) {
		next = interceptor(next)
	}
	return next
}

// WrapUnary puts the whole chain around a call. It is part of
// connect.Interceptor.
func (c *Chain) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return c.guard(c.validation.WrapUnary(next))
}

// WrapStreamingClient does nothing: no service here is a client.
func (*Chain) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler puts the whole chain around a stream. What the
// interceptors look at, who calls which procedure with which headers, is known
// before its first message; they see an empty one in its place.
func (c *Chain) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
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

// HandlerOptions are those of every Connect handler. The chain is one interceptor, so
// that calls over the wire and calls in process pass the very same function.
func (c *Chain) HandlerOptions() []connect.HandlerOption {
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
