package clienttest

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// Network is a network in memory, for tests in a bubble: the clock of a bubble stands
// while anything waits for the network of the system. A connection has no buffers, so
// nothing overtakes what was sent before it.
type Network struct {
	mu    sync.Mutex
	lines map[string]*pipes // by their addresses
}

// NewNetwork returns a network without servers.
func NewNetwork() *Network { return &Network{lines: map[string]*pipes{}} }

// Listen listens on an address of its own.
func (n *Network) Listen() net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &pipes{address: "127.0.0.1:" + strconv.Itoa(1000+len(n.lines)), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.lines[l.address] = l
	return l
}

// Dial is the DialContext of a transport.
func (n *Network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
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

// Transport returns a transport that reaches the servers on the network.
func (n *Network) Transport() *http.Transport { return &http.Transport{DialContext: n.Dial} }

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
