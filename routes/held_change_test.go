package routes_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/handlers"
	"hush/routes"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/secret"
	"hush/vault/tables"
	"hush/vault/vaulttest"
)

// betweenKey marks the context of a call whose updates a pausedStore counts.
type betweenKey struct{}

// pausedStore runs a function before the update of a call with that number.
type pausedStore struct {
	storage.Store

	mu     sync.Mutex
	seen   int
	at     int
	before func()
}

// Update updates the inner store, after the function if it is its turn.
func (s *pausedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if ctx.Value(betweenKey{}) != nil {
		s.mu.Lock()
		s.seen++
		before := s.before
		if s.seen != s.at {
			before = nil
		}
		s.mu.Unlock()
		if before != nil {
			before()
		}
	}
	return s.Store.Update(ctx, fn)
}

// UpdateReserved is Update.
func (s *pausedStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// stored are all rows but those of shares that are about to be destroyed, and of the keys
// of hours on a store that does not overwrite, which are made before the share.
func stored(t *testing.T, s *site) string {
	t.Helper()
	var all bytes.Buffer
	for _, bucket := range tables.Names() {
		if bucket == "shred" || bucket == "epoch" {
			continue
		}
		for _, row := range vaulttest.RowsIn(t, s.kit.Store, bucket) {
			fmt.Fprintf(&all, "%s %x\n", bucket, row)
		}
	}
	return all.String()
}

// change is an RPC that changes something, with what must be there before.
type change struct {
	procedure string
	colonel   bool
	body      func(t *testing.T, s *site, h *holder) string
}

func plain(body string) func(*testing.T, *site, *holder) string {
	return func(*testing.T, *site, *holder) string { return body }
}

// onSecret formats a body with the keys of a secret of the holder.
func onSecret(format string, terms secret.Terms) func(*testing.T, *site, *holder) string {
	return func(t *testing.T, s *site, h *holder) string {
		t.Helper()
		kept := s.kit.MustConceal(t, h.caller(t, s), "the text", terms)
		return strings.NewReplacer("SECRET", kept.Secret.Key.Expose(), "RECEIPT", kept.Metadata.Key.Expose()).Replace(format)
	}
}

const claimText = `"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="`

func changes() []change {
	const confirmed = `"password":"` + password + `"`
	other := func(format string) func(*testing.T, *site, *holder) string {
		return func(t *testing.T, s *site, _ *holder) string {
			t.Helper()
			return fmt.Sprintf(format, s.newHolder(t, account.RoleCustomer).address)
		}
	}
	onDomain := func(body string) func(*testing.T, *site, *holder) string {
		return func(t *testing.T, s *site, h *holder) string {
			t.Helper()
			_, err := s.kit.Vault.Domains.AddDomain(t.Context(), h.caller(t, s), string(h.address[:1])+"x.example.com")
			vaulttest.Want(t, "AddDomain()", err, nil)
			return strings.ReplaceAll(body, "DOMAIN", string(h.address[:1])+"x.example.com")
		}
	}
	return []change{
		{"SecretService/ConcealSecret", false, plain(`{"secret":"x"}`)},
		{"SecretService/GenerateSecret", false, plain(`{}`)},
		{"SecretService/RevealSecret", false, onSecret(`{"secretKey":"SECRET"}`, secret.Terms{})},
		{"SecretService/RevealSecret", false, onSecret(`{"secretKey":"SECRET","passphrase":"right"}`, secret.Terms{Passphrase: "right"})},
		{"SecretService/RevealSecret", false, onSecret(`{"secretKey":"SECRET","claim":`+claimText+`}`, secret.Terms{})},
		{"SecretService/BurnSecret", false, onSecret(`{"metadataKey":"RECEIPT"}`, secret.Terms{})},
		{"MetadataService/GetMetadata", false, onSecret(`{"metadataKey":"RECEIPT"}`, secret.Terms{})},
		{"MetadataService/UpdateMetadata", false, onSecret(`{"metadataKey":"RECEIPT","memo":"m"}`, secret.Terms{})},
		{"AccountService/BurnAllSecrets", false, onSecret(`{}`, secret.Terms{})},
		{"AccountService/ChangeAccountPassword", false, plain(`{"currentPassword":"` + password + `","newPassword":"eleven loud geese"}`)},
		{"AccountService/DestroyAccount", false, onSecret(`{"confirmation":"`+password+`"}`, secret.Terms{})},
		{"AccountService/RequestAddressChange", false, plain(`{"newAddress":"new@example.com",` + confirmed + `}`)},
		{"AccountService/UpdateLocale", false, plain(`{"locale":"de"}`)},
		{"AccountService/UpdateNotifications", false, plain(`{"notifications":{"secretOpened":true}}`)},
		{"AccountService/CreateInvite", true, plain(`{}`)},
		{"AccountService/CreateInvite", true, plain(`{"address":"guest@example.com"}`)},
		{"AccountService/GenerateApiToken", false, plain(`{"name":"n"}`)},
		{"AccountService/RevokeApiToken", false, func(_ *testing.T, _ *site, h *holder) string { return `{"tokenId":"` + h.named.ID + `"}` }},
		{"SessionService/DestroySession", false, plain(`{}`)},
		{"SessionService/RevokeSessions", false, plain(`{"all":true}`)},
		{"DomainService/AddDomain", false, plain(`{"domain":"new.example.com"}`)},
		{"DomainService/RemoveDomain", false, onDomain(`{"domain":"DOMAIN"}`)},
		{"DomainService/UpdateDomainBrand", false, onDomain(`{"domain":"DOMAIN","brand":{"primaryColor":"#112233"}}`)},
		{"IntakeService/ReceiveException", false, plain(`{"message":"x"}`)},
		{"ColonelService/SetAccountRole", true, other(`{"account":"%s","role":"ROLE_COLONEL",` + confirmed + `}`)},
		{"ColonelService/DisableAccount", true, other(`{"account":"%s",` + confirmed + `}`)},
		{"ColonelService/ResetAccountPassword", true, other(`{"account":"%s","newPassword":"eleven loud geese",` + confirmed + `}`)},
		{"ColonelService/DestroyOtherAccount", true, other(`{"account":"%s",` + confirmed + `}`)},
	}
}

// The attack: end the credential at the last moment, after the chain has looked at it
// again and before the call changes anything. Each update of the call looks in its own
// transaction: it is refused and changes nothing, or what had to follow an end that was
// durable is done all the same.
func TestEndedBeforeAChange(t *testing.T) {
	t.Parallel()
	var paused *pausedStore
	s := newSiteWith(t, "https://hush.example", vaulttest.Options{
		WrapStore: func(inner storage.Store) storage.Store {
			paused = &pausedStore{Store: inner}
			return paused
		},
	}, func(made *handlers.Options, _ *routes.Options) { made.RateLimits = false })
	for _, c := range changes() {
		for _, e := range endings() {
			with := map[string]bool{"a disabled account": true, "RevokeSessions": true, "a lost role": c.colonel}
			if !with[e.name] {
				continue
			}
			at := 1
			for s.endBefore(t, paused, c, e, at) {
				at++
			}
		}
	}
}

// endBefore makes a call whose credential ends before its update of that number. It
// reports whether there was one.
func (s *site) endBefore(t *testing.T, paused *pausedStore, c change, e ending, at int) bool {
	t.Helper()
	role := account.RoleCustomer
	if c.colonel {
		role = account.RoleColonel
	}
	h := s.newHolder(t, role)
	body := c.body(t, s, h)
	name := fmt.Sprintf("%s %s, %s before update %d", c.procedure, body, e.name, at)
	after := ""
	paused.mu.Lock()
	paused.seen, paused.at, paused.before = 0, at, func() { e.by(t, s, h); after = stored(t, s) }
	paused.mu.Unlock()
	r := httptest.NewRequest(http.MethodPost, "https://hush.example/hush.v1."+c.procedure, strings.NewReader(body))
	r = r.WithContext(context.WithValue(r.Context(), betweenKey{}, true))
	r.Header.Set("Content-Type", "application/json")
	h.page(r.Header)
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	refused := heldCall{colonel: c.colonel}.refused(w)
	switch {
	case after == "" && at == 1:
		t.Errorf("%s: got no update (%d %s), want one", name, w.Code, w.Body)
	case after == "":
		return false
	case refused && stored(t, s) != after:
		t.Errorf("%s: got a refused call that changed something", name)
	case !refused && (at == 1 || w.Code != http.StatusOK):
		t.Errorf("%s: got %d %s, want it refused", name, w.Code, w.Body)
	}
	if refused && len(w.Header().Values("Set-Cookie")) > 0 {
		t.Errorf("%s: got the cookies %q, want none", name, w.Header().Values("Set-Cookie"))
	}
	return true
}

// A browser signs in while a request of its former session waits for its body. The
// answer to that must not clear the new session, and what caches share has no cookie
// at all.
func TestLateAnswersClearNoCookie(t *testing.T) {
	t.Parallel()
	s := newHeldSite(t)
	const policy, out = "/hush.v1.SystemService/GetPolicy", "/hush.v1.SessionService/DestroySession"
	signIn := func(h *holder) {
		r := httptest.NewRequest(http.MethodPost, "https://hush.example/hush.v1.SessionService/CreateSession",
			strings.NewReader(`{"address":"`+string(h.address)+`","password":"`+password+`"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.h.ServeHTTP(w, r)
		if set := w.Header().Values("Set-Cookie"); w.Code != http.StatusOK || len(set) != 1 || strings.Contains(set[0], "Max-Age=0") {
			t.Errorf("CreateSession: got %d and the cookies %q, want a session", w.Code, set)
		}
	}
	for _, c := range []struct {
		name, method, path string
		over               bool // the session ended before the request
		held               func(*holder)
		cleared            bool
	}{
		{"an ended session", http.MethodPost, policy, true, func(*holder) {}, true},
		{"a sign-out", http.MethodPost, out, false, func(*holder) {}, true},
		{"an ended session, a new one while the body is held", http.MethodPost, policy, true, signIn, false},
		{"a sign-out, a new session while the body is held", http.MethodPost, out, false, signIn, false},
		{"an ended session, a body that is late", http.MethodPost, policy, true, func(*holder) { s.kit.Clock.Advance(13 * time.Second) }, false},
		{"a sign-out, a body that is late", http.MethodPost, out, false, func(*holder) { s.kit.Clock.Advance(13 * time.Second) }, false},
		{"a page", http.MethodGet, "/signin", true, nil, true},
		{"an asset", http.MethodGet, "/icon.svg", true, nil, false},
		{"the description", http.MethodGet, "/openapi.yaml", true, nil, false},
	} {
		h := s.newHolder(t, account.RoleCustomer)
		if c.over {
			_, err := s.kit.Vault.Sessions.RevokeSessions(t.Context(), h.caller(t, s), nil, true)
			vaulttest.Want(t, "RevokeSessions()", err, nil)
		}
		w, _ := heldCall{method: c.method, path: c.path, kind: "application/json", body: `{}`}.send(s, h.page, func() { c.held(h) })
		set := w.Header().Values("Set-Cookie")
		if cleared := len(set) == 1 && strings.HasPrefix(set[0], "__Host-hush=; "); w.Code != http.StatusOK || cleared != c.cleared || !cleared && len(set) > 0 {
			t.Errorf("%s: got %d and the cookies %q, want one cleared: %t", c.name, w.Code, set, c.cleared)
		}
		if public := strings.Contains(w.Header().Get("Cache-Control"), "public"); public && len(set) > 0 {
			t.Errorf("%s: got the cookies %q in an answer for all, want none", c.name, set)
		}
	}
}

// A body that is held back on a real connection, over HTTP/1.1 and HTTP/2: the server
// tells when it asks for the body, and the client sends it after the end.
func TestHeldOnConnections(t *testing.T) {
	t.Parallel()
	s := newHeldSite(t)
	asked := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := r.Body
		r.Body = struct {
			*heldBody
			closer
		}{&heldBody{body, func() { asked <- struct{}{} }}, body.Close}
		s.h.ServeHTTP(w, r)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	connects, others := rpcCalls(t)
	for _, two := range []bool{false, true} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(!two)
		transport.Protocols.SetUnencryptedHTTP2(two)
		t.Cleanup(transport.CloseIdleConnections)
		for _, c := range append(others, connects...) {
			name := c.path[strings.LastIndexByte(c.path, '/')+1:]
			if name != "ListMetadata" && name != "WatchMetadata" && name != "CreateInvite" || !two && c.kind == "application/grpc+json" {
				continue
			}
			s.heldOn(t, transport, server.URL, c, asked)
		}
	}
}

// closer closes a body.
type closer func() error

// Close implements io.Closer.
func (c closer) Close() error { return c() }

func (s *site) heldOn(t *testing.T, transport *http.Transport, url string, c heldCall, asked <-chan struct{}) {
	t.Helper()
	role := account.RoleCustomer
	if c.colonel {
		role = account.RoleColonel
	}
	h := s.newHolder(t, role)
	h.token = s.scoped(t, h)
	reader, writer := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, reader)
	vaulttest.Want(t, "NewRequest()", err, nil)
	r.Host = "hush.example"
	r.Header.Set("Content-Type", c.kind)
	h.bearer(r.Header)
	go func() {
		<-asked
		_, err := s.kit.Vault.Operator().Tokens.RevokeToken(context.Background(), h.address, "wire")
		_, _ = writer.Write([]byte(c.body))
		_ = writer.CloseWithError(err)
	}()
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s (%s): got %v, want an answer", c.path, c.kind, err)
	}
	body := new(bytes.Buffer)
	_, err = body.ReadFrom(res.Body)
	vaulttest.Want(t, "reading the answer", err, nil)
	_ = res.Body.Close()
	w := httptest.NewRecorder()
	maps.Copy(w.Header(), res.Header)
	w.Header().Set("Grpc-Status", res.Header.Get("Grpc-Status")+res.Trailer.Get("Grpc-Status"))
	w.WriteHeader(res.StatusCode)
	_, err = body.WriteTo(w)
	vaulttest.Want(t, "keeping the answer", err, nil)
	if !c.refused(w) {
		t.Errorf("%s (%s) over %s: got %d %s %v, want it refused", c.path, c.kind, res.Proto, res.StatusCode, w.Body, res.Trailer)
	}
}

// scoped returns a token of the holder's that is called wire.
func (s *site) scoped(t *testing.T, h *holder) string {
	t.Helper()
	token, _, err := s.kit.Vault.Operator().Tokens.CreateToken(t.Context(), h.address, credential.NewToken{Name: "wire", Scopes: caller.ScopesAll})
	vaulttest.Want(t, "CreateToken()", err, nil)
	return token.Expose()
}
