// Package handlers holds the services: a struct and a file for each, whose
// methods translate a message, call the vault and translate the result. New
// wires them to the chain (package handlers/chain), and nothing reaches the
// vault past that chain, whatever the protocol. Only package server calls New and
// NewAdmin; routes call the services behind API.Chain.
package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault"
)

// Options are the dependencies and settings of New.
type Options struct {
	// Vault, Log and Now are required.
	Vault *vault.Vault
	Log   *slog.Logger
	// Now is the one clock; rate limits follow it.
	Now func() time.Time
	// Version is the release, such as 0.1.0.
	Version string
	// RateLimits enables the rate limits. Passphrase limits are always enabled.
	RateLimits bool
	// BaseURL is the public address of the service. Pages of that origin are
	// its own, and only its host has sessions. Required.
	BaseURL *url.URL
	// Instance describes the service for its pages.
	Instance Instance
	// Backend names the store, and FileBytes returns the length of its data file;
	// nil if it has none.
	Backend   string
	FileBytes func() int64
	// FreeBytes returns the free bytes of the disk of the data folder, or 0 if they are
	// unknown; nil without a data folder.
	FreeBytes func() int64
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
	// Backups returns how the backups are doing that the service makes itself; nil
	// if it makes none.
	Backups func() Backups
	// Observer is told about each request, for metrics; nil for nothing.
	Observer Observer
}

// Backups is how the backups are doing that a service makes itself.
type Backups struct {
	Last    time.Time // of the last one; zero before the first
	Bytes   int64     // of that one
	Every   time.Duration
	Failing bool // the latest attempt failed
}

type (
	// Observer is told about each request after its response.
	Observer = chain.Observer
	// Load is what requests hold at the moment.
	Load = chain.Load
	// Pace is how slow a request and its response may be.
	Pace = chain.Pace
)

// AnyOrigin is the origin that stands for every origin.
const AnyOrigin = chain.AnyOrigin

// Codes returns the codes that an Observer can get.
func Codes() []string { return chain.Codes() }

// Limits returns the limits that an Observer can get.
func Limits() []string { return chain.Limits() }

// Instance describes the service for its pages. Everything may be empty.
type Instance struct {
	Name       string
	LogoURL    string
	ImprintURL string
	PrivacyURL string
	Banner     string
}

// API is all services with what stands before them.
type API struct {
	Services
	// Chain is what every call of a service passes.
	Chain *chain.Chain
	// Gate decides, before a request's body is read, whether it may call one of
	// the procedures. It is Chain.Admit.
	Gate func(ctx context.Context, header http.Header, procedures ...string) error
	// Mounts holds the same RPCs as Connect, gRPC and gRPC-Web handlers,
	// together with health and reflection.
	Mounts []chain.Mount
	// Middleware wraps the whole tree. It identifies the caller and the
	// network, keeps the record that becomes the request's log line, and drains
	// the rest of a refused body.
	Middleware func(http.Handler) http.Handler
	// Ready returns an error while the services cannot serve, because a store on a
	// server cannot be reached.
	Ready func() error
	// Policy is what GetPolicy returns on the service's own host.
	Policy *hushv1.GetPolicyResponse
	// EndStreams ends the running streams when the server stops. Streams that
	// start later end at once.
	EndStreams func()
	// Load returns what requests hold at the moment.
	Load func() Load
}

// New builds the API. It fails if a method declares no policy.
func New(opts Options) (*API, error) {
	if opts.Vault == nil || opts.Log == nil || opts.Now == nil || opts.BaseURL == nil {
		return nil, errors.New("handlers: vault, log, clock and base URL are required")
	}
	c, err := chain.New(chain.Options{
		Sessions: opts.Vault.Sessions, Log: opts.Log, Now: opts.Now, BaseURL: opts.BaseURL,
		RateLimits: opts.RateLimits, Budgets: opts.Vault.Budgets, TrustedProxies: opts.TrustedProxies, ProxiedRequests: opts.ProxiedRequests, CORSOrigins: opts.CORSOrigins, Pace: opts.Pace,
		Ready: opts.Vault.Ready, Observer: opts.Observer,
	})
	if err != nil {
		return nil, err
	}
	api := &API{Services: newServices(opts), Chain: c, Gate: c.Admit, Middleware: c.Middleware, EndStreams: c.EndStreams, Ready: opts.Vault.Ready, Load: c.Load}
	api.Policy = api.System.policy()
	api.Mounts = api.Services.mounts(c)
	return api, nil
}
