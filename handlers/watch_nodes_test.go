package handlers_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/seal"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/testtier"
	"hush/vault"
	"hush/vault/cluster"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// postgresNode is a node with all its loops on a database, behind real HTTP.
func postgresNode(t *testing.T, server *postgrestest.Server, root seal.RootKey, name string) *testServer {
	t.Helper()
	store, shares, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{})
	if err != nil {
		t.Fatalf("postgres.Open: got %v, want nil", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	keys, log := seal.NewKeys(root), slog.New(slog.DiscardHandler)
	if err := vault.InitShared(t.Context(), store, keys, time.Now()); err != nil {
		t.Fatalf("InitShared: got %v, want nil", err)
	}
	v, err := vault.Open(t.Context(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: time.Now, Log: log,
		Passwords: seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1},
		Node:      &cluster.NodeOptions{Name: name, Release: "test"},
	})
	if err != nil {
		t.Fatalf("vault.Open: got %v, want nil", err)
	}
	t.Cleanup(v.Close)
	base := &url.URL{Scheme: "https", Host: "hush.example"}
	api, err := handlers.New(handlers.Options{Settings: chain.Settings{Log: log, Now: time.Now, BaseURL: base}, Vault: v, Version: "1.2.3", Backend: "postgres"})
	if err != nil {
		t.Fatalf("New: got %v, want nil", err)
	}
	mux := http.NewServeMux()
	for _, mount := range api.Mounts {
		mux.Handle(mount.Path, mount.Handler)
	}
	web := httptest.NewServer(api.Middleware(mux))
	t.Cleanup(web.Close)
	t.Cleanup(api.Chain.EndStreams)
	kit := &vaulttest.Kit{Vault: v, Store: store, Shares: shares, RootKey: root, Keys: keys}
	return &testServer{kit: kit, url: web.URL, host: base.Host, endStreams: api.Chain.EndStreams}
}

// Streams of one node follow what happens on another over PostgreSQL: the states
// of a receipt in their order and each once, also over a restart of the
// database; and the end of the session that a stream was opened with.
func TestWatchMetadataOnPostgres(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "starts PostgreSQL")
	server, err := postgrestest.Start()
	if errors.Is(err, postgrestest.ErrMissing) {
		t.Skip("needs postgres: not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	root := seal.NewRootKey()
	a, b := postgresNode(t, server, root, "a"), postgresNode(t, server, root, "b")
	_, err = a.kit.Vault.Operator().SignUps.CreateAccount(t.Context(), signup.OperatorAccount{Address: testAddress, Password: testPassword})
	if err != nil {
		t.Fatalf("CreateAccount: got %v, want nil", err)
	}
	t.Run("states", func(t *testing.T) { followStates(t, a, b, func() {}) })
	t.Run("session", func(t *testing.T) { followSession(t, a, b) })
	t.Run("restart", func(t *testing.T) {
		followStates(t, a, b, func() {
			if err := errors.Join(server.Crash(), server.Run()); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// followStates conceals and reveals on one node and follows the receipt on the
// other. between runs while the stream is open.
func followStates(t *testing.T, a, b *testServer, between func()) {
	t.Helper()
	visitor := &browser{}
	kept := a.conceal(t, visitor)
	receipts := hushv1connect.NewMetadataServiceClient(b.client(&browser{}), b.url)
	stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
	if err != nil {
		t.Fatalf("WatchMetadata: got %v, want no error", err)
	}
	seen := make(chan hushv1.State, 10)
	go states(t, stream, seen)
	for _, want := range []hushv1.State{hushv1.State_STATE_NEW, hushv1.State_STATE_VIEWED} {
		if got := <-seen; got != want {
			t.Errorf("WatchMetadata: got %v, want %v", got, want)
		}
	}
	between()
	secrets := hushv1connect.NewSecretServiceClient(a.client(visitor), a.url)
	if _, err := secrets.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: kept.GetSecretKey()}); err != nil {
		t.Fatalf("RevealSecret on the other node: got %v, want no error", err)
	}
	if got := <-seen; got != hushv1.State_STATE_RECEIVED {
		t.Errorf("WatchMetadata: got %v, want received", got)
	}
	if got, more := <-seen; more || stream.Err() != nil {
		t.Errorf("WatchMetadata: got %v and %v, want the end of the stream", got, stream.Err())
	}
}

// The attack: follow a receipt on one node with a stolen session. When its owner
// signs out everywhere on another node, the stream ends.
func followSession(t *testing.T, a, b *testServer) {
	t.Helper()
	thief, _ := a.signIn(t, false)
	kept := a.conceal(t, &browser{})
	receipts := hushv1connect.NewMetadataServiceClient(b.client(thief), b.url)
	stream, err := receipts.WatchMetadata(t.Context(), &hushv1.WatchMetadataRequest{MetadataKey: kept.GetMetadataKey()})
	if err != nil || !stream.Receive() {
		t.Fatalf("WatchMetadata: got %v, want a message", errors.Join(err, stream.Err()))
	}
	owner, _ := a.signIn(t, false)
	if _, err := a.sessions(owner).RevokeSessions(t.Context(), &hushv1.RevokeSessionsRequest{All: true}); err != nil {
		t.Fatalf("RevokeSessions: got %v, want no error", err)
	}
	for stream.Receive() { // messages already sent
	}
	if connect.CodeOf(stream.Err()) != connect.CodeUnauthenticated {
		t.Errorf("WatchMetadata after the end of its session: got %v, want unauthenticated", stream.Err())
	}
}
