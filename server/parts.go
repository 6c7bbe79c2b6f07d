package server

import (
	"context"
	"fmt"
	"net/http"

	"hush/cli/console"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/mail"
	"hush/resolver"
	"hush/routes"
	"hush/server/certificates"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/vault"
)

// parts are what the service consists of besides its data. Making them changes
// nothing, so that wrong settings show before anything has changed.
type parts struct {
	catalogue *locale.Catalogue
	post      *mail.Post // nil if no mail is set up
	dns       *resolver.Resolver
	spamKey   string
	pair      *certificates.Pair // nil without --tls-cert
	scrapers  *scrapers          // nil without --metrics-listen
}

// newParts makes the parts. Its errors name the settings; those of mail that
// contradict each other are an error of the settings and not of this function.
func newParts(ctx context.Context, s *settings.Settings) (made *parts, mistakes []error) {
	made = &parts{}
	note := func(name string, err error) {
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", name, err))
		}
	}
	var err error
	if made.catalogue, err = locale.New(); err != nil {
		return nil, []error{err}
	}
	if s.CheckMail() == nil {
		if made.post, err = newPost(ctx, s, made.catalogue); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	made.dns, err = resolver.New(s.Resolver)
	note("--resolver", err)
	if s.SpamKeyFile != "" {
		made.spamKey, err = console.ReadSecretFile(ctx, s.SpamKeyFile)
		note("--spam-key-file", err)
	}
	cert, key := publicPair(s)
	if made.pair, err = readPair(ctx, cert, key); err != nil {
		mistakes = append(mistakes, err)
	}
	if s.MetricsListen != "" {
		var wrong []error
		made.scrapers, wrong = newScrapers(ctx, s)
		mistakes = append(mistakes, wrong...)
	}
	return made, mistakes
}

// openVault opens the vault as the operator wants it to be.
func (s *server) openVault(ctx context.Context, d *datafolder.Data) (*vault.Vault, error) {
	return d.OpenVault(ctx, s.version, vault.Options{
		Log: s.log, Limits: s.Limits(), Leases: s.Leases(), Host: s.base.Hostname(), Policy: s.Policy(),
		Send: sendOn(s.post, s.base, s.log), Resolver: s.dns, SpamKey: s.spamKey, AuditKeep: s.AuditKeep,
		Observer: s.observed.ofVault(), Now: s.now, Manual: s.manual, ReadyShares: s.manual,
	})
}

// newTree builds what is served, and what ends its streams.
func (s *server) newTree(v *vault.Vault, d *datafolder.Data) (tree http.Handler, endStreams func(), err error) {
	api, err := handlers.New(handlers.Options{
		Settings: chain.Settings{
			Log: s.log, Now: s.now, BaseURL: s.base, RateLimits: s.RateLimits == "on", TrustedProxies: s.TrustedProxies,
			ProxiedRequests: s.NetworkConns, CORSOrigins: s.CORSOrigins, Observer: s.observed.ofRequests(),
			Pace: chain.Pace{Read: readTimeout, Write: writeTimeout},
		},
		Vault: v, Version: s.version, Instance: s.Instance, Backend: s.Backend(), FileBytes: d.FileBytes, FreeBytes: d.FreeBytes,
		Backups: s.backups.facts(),
	})
	if err != nil {
		return nil, nil, err
	}
	s.observed.know(api)
	tree, err = routes.New(routes.Options{API: api, BaseURL: s.base, Catalogue: s.catalogue, Accepting: s.accepting, DiskFull: v.DiskFull, Now: s.now})
	return tree, api.Chain.EndStreams, err
}
