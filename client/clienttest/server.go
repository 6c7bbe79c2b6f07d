package clienttest

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/apitest"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// Server is a Hush server over real HTTP, on a real vault.
type Server struct {
	Kit *vaulttest.Kit
	// URL is its first address, and that of its links.
	URL string
	// Network is where it listens; nil for that of the system.
	Network *apitest.Network

	change     func(*handlers.Options)
	web        *apitest.Web
	addr       string
	endStreams func()
}

// Start starts a server until the end of the test, with the RPCs alone. change, unless
// nil, changes the options of its handlers.
func Start(t testing.TB, opts vaulttest.Options, change func(*handlers.Options)) *Server {
	t.Helper()
	opts.Manual = true
	if opts.Policy.SignUp == 0 {
		opts.Policy.SignUp = caller.SignUpClosed
	}
	s := &Server{Kit: vaulttest.New(t, opts), change: change}
	s.Serve(t, s.Listen(t))
	t.Cleanup(s.Stop)
	return s
}

// StartOn starts a server on a network in memory. Its vault is in a folder: a
// database elsewhere would be waited for outside a bubble.
func StartOn(t testing.TB, n *apitest.Network) *Server {
	t.Helper()
	s := &Server{Kit: vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true, Policy: caller.Policy{SignUp: caller.SignUpClosed}}), Network: n}
	s.Serve(t, s.Listen(t))
	t.Cleanup(s.Stop)
	return s
}

// StartWhole starts a server with all of its routes: a second witness for v1 and v2,
// which shares nothing with package otstest.
func StartWhole(t testing.TB) *Server {
	t.Helper()
	s := &Server{Kit: vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{SignUp: caller.SignUpClosed}})}
	l := s.Listen(t)
	api, base := s.api(t, l)
	tree := apitest.NewTree(t, s.Kit, api, base)
	dated := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.Kit.Clock.Now().UTC().Format(http.TimeFormat))
		tree.ServeHTTP(w, r)
	})
	s.addr, s.endStreams = l.Addr().String(), api.Chain.EndStreams
	s.web = apitest.Serve(&http.Server{Handler: dated, ReadHeaderTimeout: time.Minute}, l)
	t.Cleanup(s.Stop)
	return s
}

// Listen listens on the server's network.
func (s *Server) Listen(t testing.TB) net.Listener {
	t.Helper()
	if s.Network != nil {
		return s.Network.Listen()
	}
	return Listen(t)
}

// Addr returns the address at which the server was last served.
func (s *Server) Addr() string { return s.addr }

// Serve serves the vault on a listener, as after a start. The first address stays that
// of the links.
func (s *Server) Serve(t testing.TB, l net.Listener) {
	t.Helper()
	api, _ := s.api(t, l)
	s.addr, s.endStreams = l.Addr().String(), api.Chain.EndStreams
	web := &http.Server{Handler: apitest.NewRPCs(api), ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
	web.Protocols.SetHTTP1(true)
	web.Protocols.SetUnencryptedHTTP2(true)
	s.web = apitest.Serve(web, l)
}

// api returns the handlers of the vault, and the base URL of the server.
func (s *Server) api(t testing.TB, l net.Listener) (*handlers.API, *url.URL) {
	t.Helper()
	if s.URL == "" {
		s.URL = "http://" + l.Addr().String()
	}
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	options := handlers.Options{Settings: chain.Settings{BaseURL: base}}
	if s.change != nil {
		s.change(&options)
	}
	return apitest.NewAPI(t, s.Kit, options), base
}

// Stop ends the server, as at the end of its process: see apitest.Web.
func (s *Server) Stop() {
	s.endStreams()
	s.web.Stop()
}

// Token returns an API token of an account of the server, whose address is Address.
func (s *Server) Token(t testing.TB, scopes caller.Scopes) client.Text {
	t.Helper()
	operator := s.Kit.Vault.Operator()
	_, err := operator.SignUps.CreateAccount(t.Context(), signup.OperatorAccount{Address: Address, Password: vaulttest.Password})
	if err != nil && !strings.Contains(err.Error(), "already") {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	token, _, err := operator.Tokens.CreateToken(t.Context(), Address, credential.NewToken{Name: fmt.Sprint("token ", scopes), Scopes: scopes})
	if err != nil {
		t.Fatalf("CreateToken: got %v, want no error", err)
	}
	return client.Hide(token.Expose())
}
