package connections_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/server/connections"
)

// HTTP/2 is idle when it has no stream, and over TLS the server wraps the
// listener's connections in its own.
func TestProtocols(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ secure, http2 bool }{
		"HTTP/1.1": {}, "HTTP/1.1 over TLS": {secure: true}, "h2c": {http2: true}, "HTTP/2 over TLS": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testProtocol(t, c.secure, c.http2)
		})
	}
}

// testProtocol keeps one request open while idle connections come and go. Its
// connection stays open, and after the answer it is idle like any other.
func testProtocol(t *testing.T, secure, http2 bool) {
	t.Helper()
	s := newWire(t, secure, http2)
	busy, second, third, fourth := s.caller(), s.caller(), s.caller(), s.caller()
	done := make(chan error, 1)
	go func() { done <- busy.get(t.Context(), "/slow") }()
	<-s.began
	s.works(t, second)
	s.works(t, third) // evicts the second: the first is busy
	close(s.release)
	if err := <-done; err != nil {
		t.Fatalf("busy connection: got %v, want an answer", err)
	}
	s.idle()
	s.works(t, fourth) // evicts the third, which has been idle longest
	s.works(t, busy)
	third.awaitEnd(t)
	s.works(t, third)
	second.awaitEnd(t)
	s.works(t, second)
	for name, c := range map[string]struct {
		*caller
		want int64
	}{"busy": {busy, 1}, "second": {second, 2}, "third": {third, 2}, "fourth": {fourth, 1}} {
		if got := c.dials.Load(); got != c.want {
			t.Errorf("%s caller: got %d connections, want %d", name, got, c.want)
		}
	}
}

// wire is a server on loopback with room for two connections.
type wire struct {
	*httptest.Server
	http2          bool
	clock          *clock
	began, release chan struct{}
	idled          chan struct{} // gets a value after a connection became idle that had a request

	mu   sync.Mutex
	used map[net.Conn]bool // those that had a request since they were idle
}

// connKey is that of the connection in the context of a request.
type connKey struct{}

// observe makes the server tell when a connection is idle after a request. Over HTTP/2
// one is so before its first request, too.
func (s *wire) observe() {
	note, with := s.Config.ConnState, s.Config.ConnContext
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(with(ctx, c), connKey{}, c)
	}
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		note(c, state)
		if state == http.StateIdle && s.swapUsed(c, false) {
			s.idled <- struct{}{}
		}
	}
}

// swapUsed says whether a connection had a request, and returns what was said before.
func (s *wire) swapUsed(c net.Conn, used bool) (before bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.used[c] = s.used[c], used
	return before
}

func newWire(t *testing.T, secure, http2 bool) *wire {
	t.Helper()
	s := &wire{
		http2: http2, clock: &clock{now: time.Unix(1, 0)},
		began: make(chan struct{}), release: make(chan struct{}), idled: make(chan struct{}, 100),
		used: map[net.Conn]bool{},
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if (r.ProtoMajor == 2) != http2 || (r.TLS != nil) != secure {
			t.Errorf("protocol: got %s, TLS %t", r.Proto, r.TLS != nil)
		}
		s.swapUsed(r.Context().Value(connKey{}).(net.Conn), true)
		switch r.URL.Path {
		case "/slow":
			close(s.began)
			<-s.release
		case "/large":
			close(s.began)
			_, _ = w.Write(make([]byte, largeAnswer))
			return
		}
		_, _ = io.WriteString(w, "hello")
	}))
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2 || secure)
	protocols.SetHTTP2(http2 && secure)
	protocols.SetUnencryptedHTTP2(http2 && !secure)
	s.Config.Protocols, s.EnableHTTP2 = protocols, http2
	listener := connections.NewListener(s.Listener, connections.Limits{
		Total: 10, PerNetwork: 2, Requests: 10, RequestsPerNetwork: 10, Now: s.clock.read,
	})
	listener.Attach(s.Config)
	s.observe()
	s.Listener = listener
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// idle waits until the connection of the last answer is idle, and lets the time
// pass in which it is left alone.
func (s *wire) idle() {
	<-s.idled
	s.clock.tick()
}

func (s *wire) works(t *testing.T, c *caller) {
	t.Helper()
	if err := c.get(t.Context(), "/"); err != nil {
		t.Fatalf("request: got %v, want an answer", err)
	}
	s.idle()
}

// caller keeps one connection, and dials another when it was closed.
type caller struct {
	http.Client
	url   string
	dials atomic.Int64
	ended chan struct{} // gets a value after a connection was closed at the other end
}

// awaitEnd returns once the server has closed the connection of the caller, and leaves
// it: a request that is sent at that very moment would be lost.
func (c *caller) awaitEnd(t *testing.T) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		t.Fatal("connection: got it open, want it evicted")
	}
	c.CloseIdleConnections()
}

// endConn tells when a connection was closed.
type endConn struct {
	net.Conn
	once  sync.Once
	ended chan struct{}
}

// Read implements io.Reader.
func (c *endConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		c.once.Do(func() { c.ended <- struct{}{} })
	}
	return n, err
}

func (s *wire) caller() *caller {
	c := &caller{url: s.URL, ended: make(chan struct{}, 10)}
	transport := s.Client().Transport.(*http.Transport).Clone()
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(!s.http2)
	transport.Protocols.SetHTTP2(s.http2)
	transport.Protocols.SetUnencryptedHTTP2(s.http2)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c.dials.Add(1)
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &endConn{Conn: conn, ended: c.ended}, nil
	}
	c.Transport = transport
	return c
}

func (c *caller) get(ctx context.Context, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "hello" {
		return fmt.Errorf("answer: %q, %w", body, err)
	}
	return nil
}
