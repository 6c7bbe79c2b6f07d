package proxies_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// countingBackend counts the requests that reach it, by their header X-Case,
// and loses some of them.
type countingBackend struct {
	server  *http.Server
	unready atomic.Bool   // what /readyz responds
	release chan struct{} // what /wait waits for

	mu    sync.Mutex
	seen  map[string]int
	conns map[net.Conn]http.ConnState
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// startCounting starts a backend on addresses.
func startCounting(t *testing.T, addrs ...string) *countingBackend {
	t.Helper()
	b := &countingBackend{release: make(chan struct{}), seen: map[string]int{}, conns: map[net.Conn]http.ConnState{}}
	b.start(t, addrs...)
	return b
}

// start starts it, or starts it again.
func (b *countingBackend) start(t *testing.T, addrs ...string) {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: b, Protocols: &protocols, ConnState: b.note,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	b.server = server
	for _, addr := range addrs {
		listen, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = server.Serve(listen) }()
	}
	t.Cleanup(func() { _ = server.Close() })
}

func (b *countingBackend) note(c net.Conn, state http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conns[c] = state; state == http.StateClosed || state == http.StateHijacked {
		delete(b.conns, c)
	}
}

// count returns how often a request came.
func (b *countingBackend) count(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[name]
}

// open returns how many connections there are.
func (b *countingBackend) open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.conns)
}

func (b *countingBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.URL.Path == "/readyz" {
		if b.unready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return
	}
	b.mu.Lock()
	b.seen[r.Header.Get("X-Case")]++
	b.mu.Unlock()
	conn := r.Context().Value(connKey{}).(net.Conn)
	switch r.Header.Get("X-Do") {
	case "close":
		_ = conn.Close()
	case "reset":
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	case "half": // a response that ends in the middle
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		_ = conn.Close()
	case "unavailable": // what a proxy may take for a reason to ask another node
		w.WriteHeader(http.StatusServiceUnavailable)
	case "wait":
		<-b.release
	}
}

// A proxy repeats a request whose response was lost. A reveal that is repeated
// destroys a secret that no one saw. Whatever becomes of the connection, each
// request reaches a backend once, though there is another one, and the client
// gets a response, for which no browser sends the request again.
func TestProxiesSendOnce(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	for _, r := range servertest.Recipes() {
		t.Run(r.Program, func(t *testing.T) {
			t.Parallel()
			oneProxyInCheck(t, r, "port")
			servertest.NeedProgram(t, r.Program)
			first, second := servertest.FreeAddress(t), servertest.FreeAddress(t)
			b := startCounting(t, first, second)
			p := servertest.StartProxy(t, r, servertest.ProxyBackend{Addr: first, Second: second})
			for _, http2 := range []bool{false, true} {
				for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodPut} {
					for _, do := range []string{"close", "reset", "half", "unavailable"} {
						checkOnce(t, p, b, http2, method, do, "")
						checkOnce(t, p, b, http2, method, do, "a body")
					}
				}
			}
			// Over HTTP/2, which Caddy keeps, the service says what it has not taken.
			servertest.WaitUntil(t, "the idle connections to be closed", func() bool { return b.open() == 0 })
			for _, do := range []string{"", "close", "reset", "unavailable"} {
				checkRevealOnce(t, p, b, do)
			}
			if r.Program != "caddy" {
				servertest.WaitUntil(t, "the idle connections of gRPC to be closed", func() bool { return b.open() == 0 })
			}
			checkRestart(t, p, b, first, second)
		})
	}
}

// onceHeader is what tells the backend what to do.
func onceHeader(name, do string) http.Header {
	// withHeader adds it where the test's own client, one of Go's, which Caddy uses
	// too, does not see that it may repeat such a request.
	return http.Header{"X-Case": {name}, "X-Do": {do}, "Idempotency-Key": {"x"}}
}

// checkOnce sends a request that comes to nothing, as the second on a client's
// connection.
func checkOnce(t *testing.T, p *servertest.Proxy, b *countingBackend, http2 bool, method, do, body string) {
	t.Helper()
	name := fmt.Sprintf("%s-%s-of-%d-bytes-h2-%t", method, do, len(body), http2)
	client := p.Client(t, http2, "", nil)
	client.Timeout = apitest.Patience / 10
	defer client.CloseIdleConnections()
	for _, do := range []string{"", do} {
		var content io.Reader
		if body != "" {
			content = struct{ io.Reader }{strings.NewReader(body)}
		}
		req, err := http.NewRequestWithContext(t.Context(), method, servertest.ProxyURL+"/api/v1/secret/x", content)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"X-Case": {name + "-then-" + do}, "X-Do": {do}}
		status := 0
		if res, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			status = res.StatusCode
		}
		want := map[string][]int{"": {200}, "half": {200}, "close": {502}, "reset": {502}, "unavailable": {503}}[do]
		if other, ok := map[string]int{"half": 0, "close": 500, "reset": 500}[do]; ok && http2 && p.Recipe.Program == "apache2" {
			want = append(want, other) // 0 is a reset stream
		}
		if !slices.Contains(want, status) {
			t.Errorf("%s: %s: got status %d, want %d", p.Recipe.Program, name, status, want)
		}
		if got := b.count(name + "-then-" + do); got != 1 {
			t.Errorf("%s: %s: got %d requests at the backends, want 1", p.Recipe.Program, name, got)
		}
	}
}

// checkRevealOnce does so over gRPC.
func checkRevealOnce(t *testing.T, p *servertest.Proxy, b *countingBackend, do string) {
	t.Helper()
	name := "grpc-" + do
	two := p.Client(t, true, "", onceHeader(name, do))
	two.Timeout = apitest.Patience / 10
	client := hushv1connect.NewSecretServiceClient(two, servertest.ProxyURL, connect.WithGRPC())
	_, err := client.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: "x"})
	code := connect.CodeOf(err)
	if do != "" && code != connect.CodeUnavailable && code != connect.CodeInternal && code != connect.CodeCanceled {
		t.Errorf("%s: %s: got %v, want unavailable or internal", p.Recipe.Program, name, err)
	}
	if got := b.count(name); got != 1 {
		t.Errorf("%s: %s: got %d requests at the backends, want 1", p.Recipe.Program, name, got)
	}
}

// checkRestart restarts the backends while requests are under way. Those get
// their responses, those of the time between are refused, and all is well after.
func checkRestart(t *testing.T, p *servertest.Proxy, b *countingBackend, addrs ...string) {
	t.Helper()
	const clients = 4
	statuses := make(chan int, 2*clients)
	for i := range 2 * clients {
		client := p.Client(t, i%2 == 0, "", onceHeader("under-way", "wait"))
		go func() {
			res, err := client.Post(servertest.ProxyURL+"/api/v1/secret/x", apitest.TypeForm, strings.NewReader("continue=true"))
			if err != nil {
				statuses <- 0
				return
			}
			res.Body.Close()
			statuses <- res.StatusCode
		}()
	}
	servertest.WaitUntil(t, "the requests to be under way", func() bool { return b.count("under-way") == 2*clients })
	ended := make(chan error, 1)
	stopping := make(chan struct{})
	b.server.RegisterOnShutdown(func() { close(stopping) })
	go func() { ended <- b.server.Shutdown(t.Context()) }()
	<-stopping
	close(b.release)
	for range 2 * clients {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("%s: under way during a restart: got status %d, want 200", p.Recipe.Program, status)
		}
	}
	if err := <-ended; err != nil {
		t.Fatal(errors.Join(errors.New("stopping the backend"), err))
	}
	refused := p.Send(t, p.Client(t, true, "", onceHeader("between", "")), http.MethodPost, "/", apitest.TypeForm, strings.NewReader("x=y"))
	if refused.Status != http.StatusBadGateway && refused.Status != http.StatusServiceUnavailable {
		t.Errorf("%s: between the two: got status %d, want 502 or 503", p.Recipe.Program, refused.Status)
	}
	b.start(t, addrs...)
	for i := range clients {
		after := p.Send(t, p.Client(t, i%2 == 0, "", onceHeader("after", "")), http.MethodPost, "/", apitest.TypeForm, strings.NewReader("x=y"))
		if after.Status != http.StatusOK {
			t.Errorf("%s: after the restart: got status %d, want 200", p.Recipe.Program, after.Status)
		}
	}
	for name, want := range map[string]int{"under-way": 2 * clients, "between": 0, "after": clients} {
		if got := b.count(name); got != want {
			t.Errorf("%s: %s: got %d requests at the backends, want %d", p.Recipe.Program, name, got, want)
		}
	}
}
