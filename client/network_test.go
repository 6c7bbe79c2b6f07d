package client_test

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"hush/client"
)

// network is a network in memory, for tests in a bubble: the clock of a bubble stands
// while anything waits for the network of the system. A connection has no buffers, so
// nothing overtakes what was sent before it.
type network struct {
	mu    sync.Mutex
	lines map[string]*pipes // by their addresses
}

func newNetwork() *network { return &network{lines: map[string]*pipes{}} }

// listen listens on an address of its own.
func (n *network) listen() net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &pipes{address: "127.0.0.1:" + strconv.Itoa(1000+len(n.lines)), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.lines[l.address] = l
	return l
}

// dial is the DialContext of a transport.
func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.lines[address]
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	if l == nil {
		return nil, refused
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (n *network) transport() *http.Transport { return &http.Transport{DialContext: n.dial} }

// client returns a client that reaches servers on the network.
func (n *network) client(t testing.TB, server string, options client.Options) *client.Client {
	t.Helper()
	if options.HTTP == nil {
		options.HTTP = &http.Client{Transport: n.transport()}
	}
	return clientOf(t, server, options)
}

// pipes is a listener on a network.
type pipes struct {
	address string
	conns   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *pipes) Addr() net.Addr { return pipeAddr(l.address) }

type pipeAddr string

// Network implements net.Addr.
func (pipeAddr) Network() string { return "pipe" }

// String implements net.Addr.
func (a pipeAddr) String() string { return string(a) }
