package chain_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/seal"
	"hush/storage/memory"
	"hush/vault"
)

// newVault returns a vault in memory.
func newVault(t testing.TB) *vault.Vault {
	t.Helper()
	keys := seal.NewKeys(seal.NewRootKey())
	store, shares := memory.New()
	if err := store.Update(t.Context(), vault.Init(keys, time.Now())); err != nil {
		t.Fatalf("Init: got %v, want no error", err)
	}
	v, err := vault.Open(context.Background(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: time.Now, Log: slog.New(slog.DiscardHandler), Manual: true,
	})
	if err != nil {
		t.Fatalf("vault.Open: got %v, want no error", err)
	}
	t.Cleanup(v.Close)
	return v
}

// lines keeps log lines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// newAPI returns an API; change may set options.
func newAPI(t testing.TB, change func(*handlers.Options)) (*handlers.API, *lines) {
	t.Helper()
	log := &lines{}
	opts := handlers.Options{
		Settings: chain.Settings{Log: log.logger(), Now: time.Now, BaseURL: &url.URL{Scheme: "https", Host: "hush.example"}},
		Vault:    newVault(t), Version: "1.2.3",
	}
	if change != nil {
		change(&opts)
	}
	api, err := handlers.New(opts)
	if err != nil {
		t.Fatalf("New: got %v, want no error", err)
	}
	return api, log
}

// serve runs handler behind the API's middleware over real HTTP.
func serve(t testing.TB, api *handlers.API, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(api.Middleware(handler))
	t.Cleanup(server.Close)
	return server
}

// inside runs do like a request that came through the middleware.
func inside(t testing.TB, api *handlers.API, change func(*http.Request), do func(ctx context.Context, header http.Header)) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
	r.RemoteAddr = "192.0.2.1:1234"
	if change != nil {
		change(r)
	}
	ran := false
	api.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ran = true
		do(r.Context(), r.Header)
	})).ServeHTTP(httptest.NewRecorder(), r)
	if !ran {
		t.Error("Middleware: got no call of the handler, want one")
	}
}

// through passes the gate and calls a method.
func through[Req, Res any](ctx context.Context, api *handlers.API, header http.Header, m chain.Method[Req, Res], req *Req) (*Res, error) {
	if err := api.Gate(ctx, header, m.Procedure); err != nil {
		return nil, err
	}
	return m.Call(ctx, header, req)
}

// codeOf returns the code of an error of a call in this process.
func codeOf(err error) connect.Code {
	if refused, ok := errors.AsType[*chain.RefusedError](err); ok {
		return refused.Code
	}
	return connect.CodeOf(err)
}
