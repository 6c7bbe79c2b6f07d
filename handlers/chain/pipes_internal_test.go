package chain

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Pipes is a listener in memory for tests in a bubble of testing/synctest: its
// connections do not count as something from outside that time waits for.
type Pipes struct {
	conns chan net.Conn
	ended chan struct{}
	once  sync.Once
}

// ServePipes serves a handler until the end of the test. change may be nil.
func ServePipes(t testing.TB, handler http.Handler, change func(*http.Server)) *Pipes {
	t.Helper()
	p := &Pipes{conns: make(chan net.Conn), ended: make(chan struct{})}
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	if change != nil {
		change(server)
	}
	go func() { _ = server.Serve(p) }()
	t.Cleanup(func() {
		server.Close()
		time.Sleep(time.Second) // net/http waits half of it before it hangs up
	})
	return p
}

// Accept returns the far end of a connection.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.ended) })
	return nil
}

// Addr returns an address without a meaning.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)} }

// Dial connects, until the end of the test.
func (p *Pipes) Dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := p.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func (p *Pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Client returns a client whose connections end with the test.
func (p *Pipes) Client(t testing.TB) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: p.dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
