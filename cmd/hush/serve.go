package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"hush/cmd/hush/process"
	"hush/crash"
	"hush/handlers"
	"hush/hosts"
	"hush/locale"
	"hush/mail"
	"hush/resolver"
	"hush/routes"
	"hush/seal"
	"hush/vault"
)

// drainTime is how long running requests may take to end after SIGTERM.
const drainTime = 9 * time.Second

func noDeadline() context.Context { return context.Background() }

// serveCommand returns "hush serve".
func (p program) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "serve", Short: "run the service", Args: takes(0, 0),
		Long: `Run the service until SIGTERM or SIGINT. It needs no configuration: it creates
its data folder and root key, and listens on http://127.0.0.1:7143.

Each flag has a variable, shown behind it, that stands for it. An unknown
variable that begins with HUSH_, or a wrong value, stops the start.`,
	}
	s := addSettings(c, flagNames()...)
	c.RunE = func(c *cobra.Command, _ []string) error { return p.serve(c.Context(), s) }
	return c
}

// serve runs the service until ctx ends or its data cannot be trusted.
func (p program) serve(ctx context.Context, s *settings) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := checkFiles(process.FileLimit()); err != nil {
		return err
	}
	if s.tlsCert != "" { // read again to serve; a mistake must show before anything is created
		if _, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey); err != nil {
			return fmt.Errorf("reading the certificate: %w", err)
		}
	}
	made, err := s.parts()
	if err != nil {
		return err
	}
	process.LimitMemory(s.memoryLimit, "/")
	if err := p.prepareProcess(s); err != nil {
		return err
	}
	profiled, err := process.WriteProfile(s.cpuProfile)
	if err != nil {
		return err
	}
	defer profiled()
	log := s.logger(p)
	if s.memoryLimit > 0 && s.memoryLimit < process.EnoughMemory {
		log.Warn("the memory limit is low: allow 512 MiB or more", "flag", "--memory-limit")
	}
	d, err := openData(s, p, log)
	if err != nil {
		return err
	}
	if !d.locked {
		log.Warn("the keys could not be locked in memory and may be swapped out: see the limit on locked memory (ulimit -l)")
	}
	err = p.serveData(ctx, s, made, d, log)
	return errors.Join(err, d.close())
}

func (p program) serveData(ctx context.Context, s *settings, made *parts, d *data, log *slog.Logger) error {
	// Listen first: a taken port is an error before anything is changed.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer listener.Close()
	base := s.base(listener.Addr())
	v, err := s.openVault(ctx, d, base, made, log)
	if err != nil {
		return err
	}
	defer v.Close()
	tree, endStreams, err := s.newTree(v, base, made, log)
	if err != nil {
		return err
	}
	stop, err := s.serveAdmin(ctx, v, base, log)
	if err != nil {
		return err
	}
	defer stop()
	s.advise(listener.Addr(), base, log)
	if err := p.confine(s, log); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "hush: serving on %s\n", base)
	server := newServer(tree)
	server.RegisterOnShutdown(endStreams)
	limited := s.limitConnections(listener, log)
	limited.Attach(server)
	return p.run(ctx, server, limited, s, d, log)
}

// parts are what the service consists of besides its data. Making them changes
// nothing, so that wrong settings show before anything has changed.
type parts struct {
	catalogue *locale.Catalogue
	post      *mail.Post // nil if no mail is set up
	dns       *resolver.Resolver
	spamKey   string
}

func (s *settings) parts() (made *parts, err error) {
	made = &parts{}
	if made.catalogue, err = locale.New(); err != nil {
		return nil, err
	}
	if made.post, err = s.newPost(made.catalogue); err != nil {
		return nil, fmt.Errorf("setting up mail: %w", err)
	}
	if made.dns, err = resolver.New(s.resolver); err != nil {
		return nil, err
	}
	made.spamKey, err = s.spamKey()
	return made, err
}

// openVault opens the vault as the operator wants it to be.
func (s *settings) openVault(ctx context.Context, d *data, base *url.URL, made *parts, log *slog.Logger) (*vault.Vault, error) {
	return s.open(ctx, d, vault.Options{
		Log: log, Limits: s.limits(), Host: base.Hostname(), Policy: s.policy(),
		Send: sendOn(made.post, base, log), Resolver: made.dns, SpamKey: made.spamKey, AuditKeep: s.auditKeep,
	})
}

// open opens the vault on a data folder.
func (s *settings) open(ctx context.Context, d *data, opts vault.Options) (*vault.Vault, error) {
	opts.Store, opts.Shares, opts.Keys, opts.HasDiskSpace, opts.Now = d.store, d.shares, d.keys, d.hasDiskSpace, time.Now
	v, err := vault.Open(ctx, opts)
	if errors.Is(err, seal.ErrWrongRootKey) {
		return nil, fmt.Errorf("the root key is not the one that the data in %s was made with; nothing was changed", s.data)
	}
	return v, err
}

// newTree builds what is served, and what ends its streams.
func (s *settings) newTree(v *vault.Vault, base *url.URL, made *parts, log *slog.Logger) (tree http.Handler, endStreams func(), err error) {
	api, err := handlers.New(handlers.Options{
		Vault: v, Log: log, Now: time.Now, Version: version,
		BaseURL: base, Instance: s.instance, Backend: s.store, FileBytes: s.fileBytes(),
		RateLimits: s.rateLimits == "on", TrustedProxies: s.trustedProxies,
		ProxiedRequests: s.networkConns,
	})
	if err != nil {
		return nil, nil, err
	}
	tree, err = routes.New(routes.Options{API: api, BaseURL: base, Catalogue: made.catalogue})
	return tree, api.EndStreams, err
}

// base is where links lead.
func (s *settings) base(addr net.Addr) *url.URL {
	if s.baseURL != nil {
		return s.baseURL
	}
	return &url.URL{Scheme: s.scheme(), Host: addr.String()}
}

// publicURL is where links lead, as a command knows it that does not listen.
func (s *settings) publicURL() *url.URL {
	if s.baseURL != nil {
		return s.baseURL
	}
	return &url.URL{Scheme: s.scheme(), Host: s.listen}
}

func (s *settings) scheme() string {
	if s.tlsCert != "" {
		return "https"
	}
	return "http"
}

// advise warns of what production needs and this start lacks.
func (s *settings) advise(addr net.Addr, base *url.URL, log *slog.Logger) {
	if s.signUp == "open" && !s.mails() {
		log.Warn("--sign-up=open without --smtp-host: addresses are taken without being confirmed")
	}
	if s.baseURL != nil && base.Scheme == "http" && !hosts.IsLoopback(base.Hostname()) {
		log.Warn("--base-url begins with http: nobody can sign in with a browser")
	}
	for _, file := range []string{s.smtpPasswordFile, s.spamKeyFile} {
		if file != "" && isEverybodys(file) {
			log.Warn("every user of this machine may read a file with a secret", "file", file)
		}
	}
	local, err := netip.ParseAddrPort(addr.String())
	if err != nil || local.Addr().IsLoopback() {
		return
	}
	if s.baseURL == nil {
		log.Warn("no --base-url: links name the address listened on, which others may not reach")
	}
	if s.tlsCert == "" && len(s.trustedProxies) == 0 {
		log.Warn("neither TLS nor a trusted proxy: secrets cross the network in the clear")
	}
}

// run serves until ctx ends, then lets running requests end; after a fault it
// stops at once.
func (p program) run(ctx context.Context, server *http.Server, listener net.Listener, s *settings, d *data, log *slog.Logger) error {
	failed := make(chan error, 1)
	go crash.Guard(log, func() {
		if s.tlsCert != "" {
			failed <- server.ServeTLS(listener, s.tlsCert, s.tlsKey)
			return
		}
		failed <- server.Serve(listener)
	})
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case err := <-d.fault:
		_ = server.Close()
		return fmt.Errorf("stopping, because it is unknown what is on the disk: %w", err)
	case <-ctx.Done():
	}
	log.Info("stopping: no new requests, letting the running ones end")
	ending, cancel := context.WithTimeout(noDeadline(), drainTime)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		_ = server.Close()
		return fmt.Errorf("some requests did not end within %s: %w", drainTime, err)
	}
	log.Info("stopped")
	return nil
}
