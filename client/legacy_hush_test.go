package client_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"hush/client"
	"hush/handlers"
	"hush/locale"
	"hush/routes"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// startWhole starts a Hush server with all of its routes: a second witness for v1 and
// v2, which shares nothing with the double.
func startWhole(t *testing.T) *server {
	t.Helper()
	s := &server{kit: vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{SignUp: caller.SignUpClosed}})}
	l := listen(t)
	s.url = "http://" + l.Addr().String()
	base, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	api, err := handlers.New(handlers.Options{
		Vault: s.kit.Vault, Log: slog.New(slog.DiscardHandler), Now: s.kit.Clock.Now, Version: "1.2.3", BaseURL: base, Backend: "bolt",
	})
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := routes.New(routes.Options{API: api, BaseURL: base, Catalogue: catalogue, Now: s.kit.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	dated := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.kit.Clock.Now().UTC().Format(http.TimeFormat))
		tree.ServeHTTP(w, r)
	})
	s.http, s.endStreams = &http.Server{Handler: dated, ReadHeaderTimeout: time.Minute}, api.EndStreams
	go func() { _ = s.http.Serve(l) }()
	t.Cleanup(s.stop)
	return s
}

// Hush serves v1 and v2 as a reference would without its defects.
func TestLegacyOnHush(t *testing.T) {
	t.Parallel()
	s := startWhole(t)
	token := s.token(t, caller.ScopesAll)
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		c := s.client(t, client.Options{Protocol: protocol, Username: anAddress, Token: token})
		account, err := c.Account(t.Context())
		if err != nil || account.Address != anAddress {
			t.Errorf("%v: Account: got %+v, %v", protocol, account, err)
		}
		request := aText(aCanary)
		request.Passphrase, request.TTL = client.Hide(aPhrase), time.Hour
		shared := mustShare(t, c, request)
		if shared.Receipt.TTL != time.Hour || !shared.Receipt.HasPassphrase || shared.Receipt.State != client.StateWaiting {
			t.Errorf("%v: Share: got %+v", protocol, shared.Receipt)
		}
		_, err = c.Open(t.Context(), shared.Link, client.Hide("wrong"), client.Claim{})
		want := map[client.Protocol]*client.Error{client.ProtocolV1: client.ErrGone, client.ProtocolV2: client.ErrPassphrase}[protocol]
		wantError(t, protocol.String()+": Open with a wrong passphrase", err, want)
		opened, err := c.Open(t.Context(), parsed(t, shared.Link), client.Hide(aPhrase), client.NewClaim())
		wantText(t, opened, err, aCanary)
		receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
		if err != nil || receipt.State != client.StateOpened {
			t.Errorf("%v: Receipt: got %v, %v, want it opened", protocol, receipt.State, err)
		}
		other := mustShare(t, c, aText(aCanary))
		burned, err := c.Burn(t.Context(), other.Receipt.Key, client.Text{})
		if err != nil || burned.State != client.StateBurned {
			t.Errorf("%v: Burn: got %v, %v, want it burned", protocol, burned.State, err)
		}
		_, err = c.Burn(t.Context(), other.Receipt.Key, client.Text{})
		wantError(t, protocol.String()+": Burn again", err, client.ErrGone)
		count := 0
		for _, err := range c.Receipts(t.Context()) {
			if err != nil {
				t.Fatalf("%v: Receipts: got %v, want no error", protocol, err)
			}
			count++
		}
		if count < 2 {
			t.Errorf("%v: Receipts: got %d, want both", protocol, count)
		}
		_, err = s.client(t, client.Options{Protocol: protocol, Username: anAddress, Token: client.Hide("wrong")}).Account(t.Context())
		wantError(t, protocol.String()+": Account with a wrong token", err, client.ErrUnauthorized)
	}
}

// A secret that was encrypted on a device opens by Hush only, and stays.
func TestLegacyEndToEndSecretOfHush(t *testing.T) {
	t.Parallel()
	s := startWhole(t)
	shared := mustShare(t, s.client(t, client.Options{}), aText(aCanary))
	bare := client.Link{Server: s.url, Encryption: client.EncryptionServer, Key: shared.Link.Key, Foreign: true}
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		_, err := s.client(t, client.Options{Protocol: protocol}).Open(t.Context(), bare, client.Text{}, client.Claim{})
		wantError(t, protocol.String()+": Open", err, client.ErrUnsupported)
	}
	opened, err := s.client(t, client.Options{}).Open(t.Context(), parsed(t, shared.Link), client.Text{}, client.NewClaim())
	wantText(t, opened, err, aCanary)
}
