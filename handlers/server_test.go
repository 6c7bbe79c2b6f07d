package handlers_test

import (
	"cmp"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/apitest"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

const (
	testAddress  = "ada@example.com"
	testPassword = "sixteen tall oaks"
)

// testServer is the whole API over real HTTP, on a real vault with an account.
type testServer struct {
	kit        *vaulttest.Kit
	url        string
	host       string // of its base URL
	endStreams func()
}

func newTestServer(t *testing.T, opts vaulttest.Options, change func(*handlers.Options)) *testServer {
	t.Helper()
	opts.Manual = true
	return newServerOf(t, vaulttest.New(t, opts), change)
}

// newServerOf is newTestServer on the vault of a kit.
func newServerOf(t *testing.T, kit *vaulttest.Kit, change func(*handlers.Options)) *testServer {
	t.Helper()
	options := handlers.Options{Settings: chain.Settings{BaseURL: &url.URL{Scheme: "https", Host: "hush.example"}}}
	if change != nil {
		change(&options)
	}
	api := apitest.NewAPI(t, kit, options)
	server := httptest.NewUnstartedServer(apitest.NewRPCs(api))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true) // for gRPC
	server.Start()
	t.Cleanup(server.Close)
	_, err := kit.Vault.Operator().SignUps.CreateAccount(t.Context(), signup.OperatorAccount{Address: testAddress, Password: testPassword})
	if err != nil {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	return &testServer{kit: kit, url: server.URL, host: options.BaseURL.Host, endStreams: api.Chain.EndStreams}
}

// browser keeps a session and sends what a page of the service sends with it.
type browser struct {
	cookie, shrimp, bearer string
	host                   string   // that it calls
	agent                  string   // its User-Agent; empty for that of the Go client
	set                    []string // Set-Cookie of the last answer
}

// RoundTrip implements http.RoundTripper, so that a client can be a browser.
func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = b.host
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for name, value := range map[string]string{"Cookie": b.cookie, "O-Shrimp": b.shrimp, "User-Agent": b.agent} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if b.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+b.bearer)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		b.set = res.Header.Values("Set-Cookie")
	}
	return res, err
}

// client calls the server's own host, unless the browser is on another.
func (s *testServer) client(b *browser) *http.Client {
	b.host = cmp.Or(b.host, s.host)
	return &http.Client{Transport: b}
}

func (s *testServer) sessions(b *browser) hushv1connect.SessionServiceClient {
	return hushv1connect.NewSessionServiceClient(s.client(b), s.url, connect.WithProtoJSON())
}

func (s *testServer) accounts(b *browser) hushv1connect.AccountServiceClient {
	return hushv1connect.NewAccountServiceClient(s.client(b), s.url)
}

func (s *testServer) system(b *browser) hushv1connect.SystemServiceClient {
	return hushv1connect.NewSystemServiceClient(s.client(b), s.url)
}

// signIn returns a browser with a session of the server's account.
func (s *testServer) signIn(t *testing.T, remember bool) (*browser, *hushv1.Session) {
	t.Helper()
	b := &browser{}
	res, err := s.sessions(b).CreateSession(t.Context(), &hushv1.CreateSessionRequest{
		Address: testAddress, Password: testPassword, Remember: remember,
	})
	if err != nil {
		t.Fatalf("CreateSession: got %v, want no error", err)
	}
	if len(b.set) != 1 {
		t.Fatalf("CreateSession: got the cookies %q, want one", b.set)
	}
	b.cookie, _, _ = strings.Cut(b.set[0], ";")
	b.shrimp = res.GetShrimp()
	return b, res.GetSession()
}

// bearer returns a caller with an API token of the server's account.
func (s *testServer) bearer(t *testing.T, scopes caller.Scopes) *browser {
	t.Helper()
	token, _, err := s.kit.Vault.Operator().Tokens.CreateToken(t.Context(), testAddress, credential.NewToken{Scopes: scopes})
	if err != nil {
		t.Fatalf("CreateToken: got %v, want no error", err)
	}
	return &browser{bearer: token.Expose()}
}

// detailOf returns the detail of an error of that type.
func detailOf[T proto.Message](err error) (detail T, found bool) {
	coded, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return detail, false
	}
	for _, d := range coded.Details() {
		if value, err := d.Value(); err == nil {
			if detail, found = value.(T); found {
				return detail, true
			}
		}
	}
	return detail, false
}
