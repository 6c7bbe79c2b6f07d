package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"hush/cmd/hush/console"
	"hush/cmd/hush/data"
	"hush/cmd/hush/settings"
	"hush/handlers"
	"hush/locale"
	"hush/mail"
	"hush/resolver"
	"hush/routes"
	"hush/vault"
)

// parts are what the service consists of besides its data. Making them changes
// nothing, so that wrong settings show before anything has changed.
type parts struct {
	catalogue *locale.Catalogue
	post      *mail.Post // nil if no mail is set up
	dns       *resolver.Resolver
	spamKey   string
}

func newParts(s *settings.Settings) (made *parts, err error) {
	made = &parts{}
	if made.catalogue, err = locale.New(); err != nil {
		return nil, err
	}
	if made.post, err = newPost(s, made.catalogue); err != nil {
		return nil, fmt.Errorf("setting up mail: %w", err)
	}
	if made.dns, err = resolver.New(s.Resolver); err != nil {
		return nil, err
	}
	if s.SpamKeyFile != "" {
		made.spamKey, err = console.ReadSecretFile(s.SpamKeyFile)
	}
	return made, err
}

// openVault opens the vault as the operator wants it to be.
func (s *server) openVault(ctx context.Context, d *data.Data) (*vault.Vault, error) {
	return d.OpenVault(ctx, vault.Options{
		Log: s.log, Limits: s.Limits(), Host: s.base.Hostname(), Policy: s.Policy(),
		Send: sendOn(s.post, s.base, s.log), Resolver: s.dns, SpamKey: s.spamKey, AuditKeep: s.AuditKeep,
	})
}

// newTree builds what is served, and what ends its streams.
func (s *server) newTree(v *vault.Vault, fileBytes func() int64) (tree http.Handler, endStreams func(), err error) {
	api, err := handlers.New(handlers.Options{
		Vault: v, Log: s.log, Now: time.Now, Version: s.version,
		BaseURL: s.base, Instance: s.Instance, Backend: s.Store, FileBytes: fileBytes,
		RateLimits: s.RateLimits == "on", TrustedProxies: s.TrustedProxies,
		ProxiedRequests: s.NetworkConns,
	})
	if err != nil {
		return nil, nil, err
	}
	tree, err = routes.New(routes.Options{API: api, BaseURL: s.base, Catalogue: s.catalogue})
	return tree, api.EndStreams, err
}
