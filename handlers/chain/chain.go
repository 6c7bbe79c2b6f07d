// Package chain holds everything between a request and a service: the
// middleware that identifies the caller and writes the one log line, the gate
// that decides on a call before its body is read, the codecs and size limits of
// messages, what every call passes on its way to a service, and the table that maps
// errors to codes.
//
// It promises that no service runs for a caller that the gate did not admit,
// over the wire or in process, and that no error reveals more than the table
// allows. It knows no service, only the contract's descriptors: handlers mounts
// and binds the services, and routes call them as Methods. Only handlers makes
// a Chain.
package chain

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/budget"
	"hush/vault/session"
)

// Settings are the settings of New. Log, Now and BaseURL are required.
type Settings struct {
	Log *slog.Logger
	// Now is the one clock; rate limits follow it.
	Now func() time.Time
	// BaseURL is the public address of the service. Pages of that origin are
	// its own, and only its host has sessions.
	BaseURL *url.URL
	// RateLimits enables the rate limits. Passphrase limits are always enabled.
	RateLimits bool
	// TrustedProxies are the proxies whose X-Forwarded-For names the client.
	TrustedProxies []netip.Prefix
	// ProxiedRequests is the maximum number of concurrent requests of one
	// network that come through trusted proxies; zero means any number. Further
	// ones get 503.
	ProxiedRequests int
	// CORSOrigins are the other origins whose pages may call the API, as browsers send
	// them, such as https://app.example; or AnyOrigin alone, for calls without a
	// credential. Their cookies never count.
	CORSOrigins []string
	// Pace is how slow requests and responses may be. Its fixed times must be those
	// of the server.
	Pace Pace
	// Observer is told about each request, for metrics; nil for nothing.
	Observer Observer
}

// Options are the settings and dependencies of New.
type Options struct {
	Settings

	// Sessions verifies credentials. Required.
	Sessions *session.Sessions
	// Budgets holds the small limits of all nodes; nil if there is only one
	// node.
	Budgets *budget.Stored
	// Ready returns an error while the services cannot serve. Nil means that they
	// always can.
	Ready func() error
}

// Chain is the only path to a service. Every call passes the gate before its
// message is read, and then run.
type Chain struct {
	policies   policies
	validation validation
	gate       gate
	recheck    recheck
	log        *slog.Logger
	streams    *streams
	flight     *flight
	middleware *middleware
	ready      func() error
}

// New builds the chain. It fails if a method declares no policy.
func New(opts Options) (*Chain, error) {
	origins := http.NewCrossOriginProtection()
	if err := origins.AddTrustedOrigin(opts.BaseURL.Scheme + "://" + opts.BaseURL.Host); err != nil {
		return nil, fmt.Errorf("chain: base URL: %w", err)
	}
	policies, err := readPolicies(Services())
	if err != nil {
		return nil, fmt.Errorf("reading policies: %w", err)
	}
	var budgets *limiter
	if opts.RateLimits {
		budgets = newLimiter(opts.Now, opts.Budgets)
	}
	g := gate{policies: policies, budgets: budgets}
	again := recheck{opts.Sessions, policies}
	bounds, bytes := newStreams(policies), newFlight()
	bounds.recheck = again
	c := &Chain{
		policies: policies, validation: newValidation(), gate: g, recheck: again, log: opts.Log,
		streams: bounds, flight: bytes, ready: opts.Ready,
	}
	if c.ready == nil {
		c.ready = func() error { return nil }
	}
	c.middleware = &middleware{
		sessions: opts.Sessions, log: opts.Log, now: opts.Now, trusted: opts.TrustedProxies,
		policies: policies, flight: bytes, pace: opts.Pace.withDefaults(), proxied: newProxied(opts.ProxiedRequests), origins: origins, others: newCrossOrigins(opts.CORSOrigins), home: newHome(opts.BaseURL), signIns: new(atomic.Uint64), warned: new(forwardedWarnings),
		observer: opts.Observer,
	}
	return c, nil
}

// Described returns a chain for services that are listed but never called: it
// has no gate and no middleware.
func Described() (*Chain, error) {
	policies, err := readPolicies(Services())
	if err != nil {
		return nil, err
	}
	return &Chain{policies: policies, validation: newValidation(), streams: newStreams(policies), flight: newFlight()}, nil
}

// Middleware wraps the whole tree. It identifies the caller and the network,
// keeps the record that becomes the request's log line, and drains the rest of
// a refused body.
func (c *Chain) Middleware(next http.Handler) http.Handler { return c.middleware.wrap(next) }

// Admit decides, before a request's body is read, whether it may call one of the
// procedures, once. The error is a *RefusedError or nil. ctx and header are those of
// Method.Call. It records procedure and code for the request's log line, because a refusal
// here reaches no call.
func (c *Chain) Admit(ctx context.Context, header http.Header, procedures ...string) error {
	record := recordFrom(ctx)
	err := c.gate.pass(ctx, record, header, procedures...)
	if record != nil && len(procedures) > 0 {
		record.procedure, record.code = procedures[0], codeUnread
	}
	if err == nil {
		return nil
	}
	noteLimit(ctx, err)
	err = mapped(c.log, strings.Join(procedures, " or "), err)
	if record != nil {
		record.code = codeOf(err).String()
	}
	return err
}

// beforeMessage is Admit for calls over the wire.
func (c *Chain) beforeMessage(ctx context.Context, spec connect.Spec, _ connect.Peer, header http.Header) (context.Context, error) {
	if record := recordFrom(ctx); record != nil {
		record.most = int64(readLimit(spec.Procedure)) + framing
		record.packed = len(header["Content-Encoding"]) > 0 || len(header["Grpc-Encoding"]) > 0 || len(header["Connect-Content-Encoding"]) > 0
	}
	return ctx, onWire(c.Admit(ctx, header, spec.Procedure))
}

// framing is what a protocol adds around a message, plus one byte, by which a
// message shows that it is too long.
const framing = 16

// codeUnread is the logged code of a call whose message could not be read.
const codeUnread = "unread"

// EndStreams ends the running streams when the server stops. Streams that start
// later end at once.
func (c *Chain) EndStreams() { c.streams.stop() }

// HandlerOptions returns the options of every Connect handler. The chain is one
// interceptor: calls over the wire and calls in process run the same function.
func (c *Chain) HandlerOptions() []connect.HandlerOption {
	return []connect.HandlerOption{
		connect.WithRequestGate(c.beforeMessage),
		connect.WithInterceptors(c),
		connect.WithCompressMinBytes(compressFrom),
		connect.WithCodec(protoCodec{reads: readsOf(Services()), elements: maxElements}),
		jsonCodecs(maxElements),
		connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
			most := readLimit(spec.Procedure)
			return []connect.HandlerOption{connect.WithReadMaxBytes(most), packing(c.flight, most, c.policies[spec.Procedure].isPart())}
		}),
	}
}

// OperatorOptions returns the options of a service on the operator's socket.
// Its messages are validated and its errors mapped like those of the public
// port. It has no gate and authenticates no caller, so it must never be part of
// the public tree.
func OperatorOptions(log *slog.Logger) []connect.HandlerOption {
	services := adminv1.File_hush_admin_v1_admin_service_proto.Services()
	reads := readsOf([]protoreflect.ServiceDescriptor{services.ByName("AdminService")})
	return []connect.HandlerOption{
		connect.WithInterceptors(mapErrors(log), newValidation()),
		connect.WithCodec(protoCodec{reads: reads}),
		jsonCodecs(0),
	}
}

// jsonCodecs returns the codecs for JSON under every name that connect has for it: one
// that is left out would stay connect's own, which drops unknown fields and quotes
// what was sent.
func jsonCodecs(elements int) connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCodec(jsonCodec{name: "json", elements: elements}),
		connect.WithCodec(jsonCodec{name: "json; charset=utf-8", elements: elements}),
	)
}
