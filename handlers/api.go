// Package handlers carries calls from the wire to the vault and back: one
// struct a service, one chain of interceptors around all of them, one place
// that says who calls, and one table that turns the vault's errors into codes.
// Nothing reaches the vault past that chain, whatever the protocol.
package handlers

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"connectrpc.com/connect"

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
	// TrustedProxies may say in X-Forwarded-For for whom they call.
	TrustedProxies []netip.Prefix
}

// Mount is a service at its path, ready for an http.Handler tree.
type Mount struct {
	// Path ends in a slash, as in "/hush.v1.SecretService/".
	Path    string
	Handler http.Handler
	// Procedures are the RPCs below it; none for health and reflection.
	Procedures []string
}

// API is the whole set of services.
type API struct {
	// Callable holds the RPCs for the legacy routes.
	Callable Callable
	// Mounts holds the same RPCs as Connect, gRPC and gRPC-Web handlers, with
	// health and reflection beside them.
	Mounts []Mount
	// Middleware wraps the whole tree: it says who calls (Caller and
	// network), keeps the record that becomes the request's log line, and
	// drains what is left of a refused body.
	Middleware func(http.Handler) http.Handler
}

// New builds the API. It fails if a method declares no policy.
func New(opts Options) (*API, error) {
	if opts.Vault == nil || opts.Log == nil || opts.Now == nil {
		return nil, errors.New("handlers: vault, log and clock are required")
	}
	policies, err := readPolicies(services())
	if err != nil {
		return nil, fmt.Errorf("reading policies: %w", err)
	}
	validation, err := newValidation()
	if err != nil {
		return nil, fmt.Errorf("compiling field limits: %w", err)
	}
	var budgets *limiter
	if opts.RateLimits {
		budgets = newLimiter(opts.Now)
	}
	c := chain{policies: policies, interceptors: []connect.UnaryInterceptorFunc{
		noteProcedure,
		mapErrors(opts.Log),
		checkAccess(policies),
		limitRate(policies, budgets),
		validation.WrapUnary,
	}}
	api := &API{}
	api.Callable, api.Mounts = c.assemble(opts)
	m := middleware{log: opts.Log, now: opts.Now, trusted: opts.TrustedProxies, policies: policies}
	api.Middleware = m.wrap
	return api, nil
}
