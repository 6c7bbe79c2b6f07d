package chain_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
)

// responses keeps what an observer is told.
type responses struct {
	mu      sync.Mutex
	all     []response
	refused []string
}

type response struct {
	route, code string
	status      int
}

func (o *responses) Responded(route, code string, status int, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if took < 0 {
		code = "ended before it began"
	}
	o.all = append(o.all, response{route, code, status})
}

func (o *responses) Refused(limit string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = append(o.refused, limit)
}

func TestObserver(t *testing.T) {
	t.Parallel()
	seen := &responses{}
	api, _ := newAPI(t, func(o *handlers.Options) { o.Observer, o.RateLimits = seen, true })
	server := serve(t, api, func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, "/secret/{key}")
		if r.Method == http.MethodPost {
			_, err := through(r.Context(), api, r.Header, chain.Bind(api.Chain, api.System.GetStatus), &hushv1.GetStatusRequest{})
			w.WriteHeader(map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized}[err == nil])
		}
	})
	for _, request := range []struct{ method, credential string }{{"GET", ""}, {"POST", ""}, {"POST", "Bearer x"}} {
		r, err := http.NewRequestWithContext(t.Context(), request.method, server.URL+"/secret/canary?canary", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if request.credential != "" {
			r.Header.Set("Authorization", request.credential)
		}
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	server.Close()
	want := []response{
		{"/secret/{key}", "none", 200}, {"/secret/{key}", "ok", 200}, {"/secret/{key}", connect.CodeUnauthenticated.String(), 401},
	}
	if !slices.Equal(seen.all, want) || len(seen.refused) != 0 {
		t.Errorf("Observer: got %v and refusals %v, want %v and none", seen.all, seen.refused, want)
	}
	for _, r := range seen.all {
		if !slices.Contains(chain.Codes(), r.code) {
			t.Errorf("Codes(): got %v, want %s in it", chain.Codes(), r.code)
		}
	}
}

// A request that a limit refused is counted with the limit.
func TestObserverOfRefusals(t *testing.T) {
	t.Parallel()
	seen := &responses{}
	api, _ := newAPI(t, func(o *handlers.Options) { o.Observer, o.RateLimits = seen, true })
	for range 31 {
		inside(t, api, nil, func(ctx context.Context, header http.Header) {
			_ = api.Gate(ctx, header, "/hush.v1.SessionService/CreateSession")
		})
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if last := seen.all[len(seen.all)-1]; last.code != connect.CodeResourceExhausted.String() {
		t.Errorf("the 31st sign-in: got %v, want it refused", last)
	}
	if !slices.Contains(seen.refused, "rate_sign_in") {
		t.Errorf("Observer: got refusals by %v, want one by rate_sign_in", seen.refused)
	}
	for _, limit := range seen.refused {
		if !slices.Contains(chain.Limits(), limit) {
			t.Errorf("Limits(): got %v, want %s in it", chain.Limits(), limit)
		}
	}
}
