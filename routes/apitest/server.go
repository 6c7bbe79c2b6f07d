package apitest

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// Options are the optional settings of a Server. The zero value is a service with
// the program's defaults, but without limits on rates.
type Options struct {
	// Vault are those of the vault, which does nothing by itself: a test sweeps, and posts
	// mails. Signing up is closed unless they say otherwise.
	Vault vaulttest.Options
	// Handlers are those of the chain and the services. The server sets Vault, Now and
	// BaseURL, and what else it needs and is zero.
	Handlers handlers.Options
	// Network is where the server listens; nil for one of its own.
	Network *Network
}

// Server is the whole service at work, but for its process: the real routes, the real
// chain and a real vault, over HTTP/1.1 and unencrypted HTTP/2 in memory.
type Server struct {
	Kit *vaulttest.Kit
	// URL is its address, and that of its links, without a slash at its end.
	URL string
	// Addr is the host and port in URL.
	Addr string

	network    *Network
	web        *Web
	endStreams func()
}

// What the handlers have to know of the bounds of net/http; package server has the
// reasons. The bounds themselves are tested in package booted, on the program's server.
const (
	readTimeout  = 15 * time.Second
	writeTimeout = 30 * time.Second
)

// Start serves until the test ends.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	opts.Vault.Manual = true
	if opts.Vault.Policy.SignUp == 0 {
		opts.Vault.Policy.SignUp = caller.SignUpClosed
	}
	if opts.Network == nil {
		opts.Network = NewNetwork()
	}
	listener := opts.Network.Listen()
	s := &Server{Addr: listener.Addr().String(), network: opts.Network}
	base := &url.URL{Scheme: "http", Host: s.Addr}
	s.URL = base.String()
	if opts.Vault.Host == "" {
		opts.Vault.Host = base.Hostname()
	}
	s.Kit = vaulttest.New(t, opts.Vault)
	opts.Handlers.BaseURL, opts.Handlers.Pace = base, chain.Pace{Read: readTimeout, Write: writeTimeout}
	api := NewAPI(t, s.Kit, opts.Handlers)
	s.endStreams = api.Chain.EndStreams
	web := &http.Server{
		Handler: NewTree(t, s.Kit, api, base), Protocols: new(http.Protocols), ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		MaxHeaderBytes: 1 << 20, DisableGeneralOptionsHandler: true,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	web.Protocols.SetHTTP1(true)
	web.Protocols.SetUnencryptedHTTP2(true)
	s.web = Serve(web, listener)
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the server, as at the end of its process: see Web.Stop. The vault stays open
// until the end of the test.
func (s *Server) Stop() {
	s.endStreams()
	s.web.Stop()
}

// NewAPI returns the chain and the services on a vault. It sets Vault and Now of the options,
// and all else that is required and zero, but for BaseURL.
func NewAPI(t testing.TB, kit *vaulttest.Kit, opts handlers.Options) *handlers.API {
	t.Helper()
	opts.Vault, opts.Now = kit.Vault, kit.Clock.Now
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	opts.Version, opts.Backend = cmp.Or(opts.Version, "1.2.3"), cmp.Or(opts.Backend, "bolt")
	api, err := handlers.New(opts)
	if err != nil {
		t.Fatalf("handlers.New: got %v, want no error", err)
	}
	return api
}

// NewTree returns all routes of the services.
func NewTree(t testing.TB, kit *vaulttest.Kit, api *handlers.API, base *url.URL) http.Handler {
	t.Helper()
	catalogue, err := locale.New()
	if err != nil {
		t.Fatalf("locale.New: got %v, want no error", err)
	}
	tree, err := routes.New(routes.Options{API: api, BaseURL: base, Catalogue: catalogue, DiskFull: kit.Vault.DiskFull, Now: kit.Clock.Now})
	if err != nil {
		t.Fatalf("routes.New: got %v, want no error", err)
	}
	return tree
}

// NewRPCs returns the RPCs of the services alone, behind the chain.
func NewRPCs(api *handlers.API) http.Handler {
	mux := http.NewServeMux()
	for _, mount := range api.Mounts {
		mux.Handle(mount.Path, mount.Handler)
	}
	return api.Middleware(mux)
}

// StartAccounts serves a store with accounts until the test ends. Its clock stands a
// day after what is over began. Their passwords are hashed at almost no cost, whatever the
// options say.
func StartAccounts(t testing.TB, opts Options) (*Accounts, *Server) {
	t.Helper()
	before := vaulttest.New(t, vaulttest.Options{
		Manual: true, Folder: opts.Vault.Folder, Policy: caller.Policy{SignUp: caller.SignUpOpen},
		Send: func(context.Context, outbox.Mail) error { return nil }, // mails are dropped
	})
	env, err := Fill(t.Context(), before.Vault, before.Clock)
	if err != nil {
		t.Fatalf("making accounts: got %v, want no error", err)
	}
	before.Close(t)
	opts.Vault.After, opts.Vault.Start = before, before.Clock.Now()
	return env, Start(t, opts)
}

// Dial connects to the server, as a client that speaks for itself does.
func (s *Server) Dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := s.network.Dial(t.Context(), "tcp", s.Addr)
	if err != nil {
		t.Fatalf("Dial: got %v, want a connection", err)
	}
	return conn
}

// Client speaks one version of HTTP with the server, whatever name is called, and adds
// header to every request.
func (s *Server) Client(t testing.TB, http2 bool, header http.Header) *http.Client {
	t.Helper()
	return NewClient(t, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return s.network.Dial(ctx, network, s.Addr)
	}, http2, header)
}

// Drivers makes a driver for each of the six protocols; see Drivers.
func (s *Server) Drivers(t testing.TB, header http.Header) []Driver {
	t.Helper()
	return Drivers(s.Client(t, false, header), s.Client(t, true, header), s.URL)
}
