// Package handlers holds the services: a struct and a file for each, whose
// methods translate a message, call the vault and translate the result. New
// wires them to the chain (package handlers/chain), and nothing reaches the
// vault past that chain, whatever the protocol. Only package server calls New and
// NewAdmin; routes call the services behind API.Chain.
package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault"
)

// Options are the dependencies and settings of New.
type Options struct {
	// Settings are those of the chain.
	chain.Settings

	// Vault is required.
	Vault *vault.Vault
	// Version is the release, such as 0.1.0.
	Version string
	// Instance describes the service for its pages.
	Instance Instance
	// Backend names the store, and FileBytes returns the length of its data file;
	// nil if it has none.
	Backend   string
	FileBytes func() int64
	// FreeBytes returns the free bytes of the disk of the data folder, or 0 if they are
	// unknown; nil without a data folder.
	FreeBytes func() int64
	// Backups returns how the backups are doing that the service makes itself; nil
	// if it makes none.
	Backups func() Backups
}

// Backups is how the backups are doing that a service makes itself.
type Backups struct {
	Last    time.Time // of the last one; zero before the first
	Bytes   int64     // of that one
	Every   time.Duration
	Failing bool // the latest attempt failed
}

// Instance describes the service for its pages. Everything may be empty.
type Instance struct {
	Name       string
	LogoURL    string
	ImprintURL string
	PrivacyURL string
	// SecurityContact is where to report a weakness: an e-mail address, or a page.
	SecurityContact string
	// SourceURL is the place of the source code of what runs.
	SourceURL string
	Banner    string
}

// securityLink returns the URI of SecurityContact, which for an address is one of mail;
// empty if there is none.
func (i Instance) securityLink() string {
	if i.SecurityContact == "" || strings.Contains(i.SecurityContact, ":") {
		return i.SecurityContact
	}
	return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(i.SecurityContact)}).String()
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
}

// New builds the API. It fails if a method declares no policy.
func New(opts Options) (*API, error) {
	if opts.Vault == nil || opts.Log == nil || opts.Now == nil || opts.BaseURL == nil {
		return nil, errors.New("handlers: vault, log, clock and base URL are required")
	}
	c, err := chain.New(chain.Options{Settings: opts.Settings, Sessions: opts.Vault.Sessions, Budgets: opts.Vault.Budgets, Ready: opts.Vault.Ready})
	if err != nil {
		return nil, err
	}
	api := &API{Services: newServices(opts), Chain: c, Gate: c.Admit, Middleware: c.Middleware, Ready: opts.Vault.Ready}
	api.Policy = api.System.policy()
	api.Mounts = api.Services.mounts(c)
	return api, nil
}
