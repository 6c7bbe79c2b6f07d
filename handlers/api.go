// Package handlers carries calls from the wire to the vault and back: one
// struct a service, one chain of interceptors around all of them, one place
// that says who calls, and one table that turns the vault's errors into codes.
// Nothing reaches the vault past that chain, whatever the protocol.
package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

// Options is what an API is made of.
type Options struct {
	// Vault, Log and Now are required.
	Vault *vault.Vault
	Log   *slog.Logger
	// Now is the one clock; rate limits follow it.
	Now func() time.Time
	// Version is the release, as in 0.1.0.
	Version string
	// RateLimits turns the budgets on. Passphrase limits are always on.
	RateLimits bool
	// BaseURL is where people reach the service; pages of that origin are its
	// own, and sessions are made and count on its host alone. Required.
	BaseURL *url.URL
	// Instance is what pages show of the service.
	Instance Instance
	// Backend names the store, and FileBytes tells how long its data file is;
	// nil if it has none.
	Backend   string
	FileBytes func() int64
	// TrustedProxies may say in X-Forwarded-For for whom they call.
	TrustedProxies []netip.Prefix
	// ProxiedRequests is how many requests one network may have at a time that
	// come through trusted proxies; zero is any number. Further ones get 503.
	ProxiedRequests int
}

// Instance is what pages show of the service. Everything may be empty.
type Instance struct {
	Name       string
	LogoURL    string
	ImprintURL string
	PrivacyURL string
	Banner     string
}

// Mount is a service at its path, ready for an http.Handler tree.
type Mount struct {
	// Path ends in a slash, as in "/hush.v1.SecretService/".
	Path    string
	Handler http.Handler
	// Procedures are the RPCs below it; none for health and reflection.
	Procedures []string
	// Access is who all of it is for: ACCESS_COLONEL if every procedure is for
	// administrators, otherwise ACCESS_PUBLIC.
	Access hushv1.Access
}

// API is the whole set of services.
type API struct {
	// Callable holds the RPCs for the legacy routes.
	Callable Callable
	// Gate decides before a request's body is read whether it may call one of
	// the procedures. The call that follows does not pass it again; one that did
	// not pass it passes it then. Its error is a *connect.Error or nil. ctx and
	// header are those of Callable's methods.
	Gate func(ctx context.Context, header http.Header, procedures ...string) error
	// Mounts holds the same RPCs as Connect, gRPC and gRPC-Web handlers, with
	// health and reflection beside them.
	Mounts []Mount
	// Middleware wraps the whole tree: it says who calls (Caller and
	// network), keeps the record that becomes the request's log line, and
	// drains what is left of a refused body.
	Middleware func(http.Handler) http.Handler
	// EndStreams ends the streams that run, for a server that stops. Those
	// that begin afterwards end at once.
	EndStreams func()

	streams *streams
}

// New builds the API. It fails if a method declares no policy.
func New(opts Options) (*API, error) {
	if opts.Vault == nil || opts.Log == nil || opts.Now == nil || opts.BaseURL == nil {
		return nil, errors.New("handlers: vault, log, clock and base URL are required")
	}
	origins := http.NewCrossOriginProtection()
	if err := origins.AddTrustedOrigin(opts.BaseURL.Scheme + "://" + opts.BaseURL.Host); err != nil {
		return nil, fmt.Errorf("handlers: base URL: %w", err)
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
	c := chain{policies: policies, validation: validation, gate: g, streams: bounds, flight: bytes, interceptors: []connect.UnaryInterceptorFunc{
		noteProcedure,
		mapErrors(opts.Log),
		checkGate(g),
		checkForgery(policies),
		limitRate(g),
		holdUnpacked,
	}}
	api := &API{Gate: g.admit, EndStreams: bounds.stop, streams: bounds}
	api.Callable, api.Mounts = c.assemble(opts)
	m := middleware{
		sessions: opts.Vault.Sessions, log: opts.Log, now: opts.Now, trusted: opts.TrustedProxies,
		policies: policies, flight: bytes, proxied: newProxied(opts.ProxiedRequests), origins: origins, home: newHome(opts.BaseURL), warned: new(sync.Once),
	}
	api.Middleware = m.wrap
	return api, nil
}
