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

	"golang.org/x/net/netutil"

	"hush/handlers"
	"hush/routes"
	"hush/seal"
	"hush/vault"
)

// drainTime is how long running requests may take to end after SIGTERM.
const drainTime = 9 * time.Second

func noDeadline() context.Context { return context.Background() }

// serve runs the service until ctx ends or its data cannot be trusted.
func (p program) serve(ctx context.Context, args []string) error {
	s, err := p.parse("serve", "", args, "data", "listen", "base-url", "root-key-file", "rate-limits", "log-format",
		"log-level", "trusted-proxies", "store", "max-bytes", "max-network-bytes", "min-free-bytes", "tls-cert", "tls-key", "cpu-profile")
	if err != nil {
		return err
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return usage("--tls-cert and --tls-key go together")
	}
	if s.tlsCert != "" { // read again to serve; a mistake is to show before anything is made
		if _, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey); err != nil {
			return fmt.Errorf("reading the certificate: %w", err)
		}
	}
	harden()
	profiled, err := profile(s.cpuProfile)
	if err != nil {
		return err
	}
	defer profiled()
	log := s.logger(p)
	d, err := openData(&s.settings, p, log)
	if err != nil {
		return err
	}
	err = p.serveData(ctx, &s.settings, d, log)
	return errors.Join(err, d.close())
}

func (p program) serveData(ctx context.Context, s *settings, d *data, log *slog.Logger) error {
	// Listen first: a taken port is an error before anything is changed.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer listener.Close()
	base := s.base(listener.Addr())
	v, err := openVault(ctx, s, d, base, log)
	if err != nil {
		return err
	}
	defer v.Close()
	tree, err := newTree(s, v, base, log)
	if err != nil {
		return err
	}
	s.advise(listener.Addr(), log)
	fmt.Fprintf(p.stderr, "hush: serving on %s\n", base)
	return p.run(ctx, newServer(tree), netutil.LimitListener(listener, maxConnections), s, d, log)
}

func openVault(ctx context.Context, s *settings, d *data, base *url.URL, log *slog.Logger) (*vault.Vault, error) {
	v, err := vault.Open(ctx, vault.Options{
		Store: d.store, Shares: d.shares, Keys: d.keys, Now: time.Now, Log: log,
		Limits: vault.Limits{TotalBytes: s.maxBytes, NetworkBytes: s.networkBytes},
		Host:   base.Hostname(), HasRoom: d.room,
	})
	if errors.Is(err, seal.ErrWrongRootKey) {
		return nil, fmt.Errorf("the root key is not the one that the data in %s was made with; nothing was changed", s.data)
	}
	return v, err
}

func newTree(s *settings, v *vault.Vault, base *url.URL, log *slog.Logger) (http.Handler, error) {
	api, err := handlers.New(handlers.Options{
		Vault: v, Log: log, Now: time.Now, Version: version,
		RateLimits: s.rateLimits == "on", TrustedProxies: s.trustedProxies,
	})
	if err != nil {
		return nil, err
	}
	return routes.New(routes.Options{API: api, BaseURL: base})
}

// base is where links lead.
func (s *settings) base(addr net.Addr) *url.URL {
	if s.baseURL != nil {
		return s.baseURL
	}
	scheme := "http"
	if s.tlsCert != "" {
		scheme = "https"
	}
	return &url.URL{Scheme: scheme, Host: addr.String()}
}

// advise says what production needs and this start lacks.
func (s *settings) advise(addr net.Addr, log *slog.Logger) {
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
	go func() {
		if s.tlsCert != "" {
			failed <- server.ServeTLS(listener, s.tlsCert, s.tlsKey)
			return
		}
		failed <- server.Serve(listener)
	}()
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
