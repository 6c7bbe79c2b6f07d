package apitest

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// Network is a network in memory. In a bubble the clock stands while anything waits
// for the network of the system, and does not for this one. A connection has no buffers, so
// nothing overtakes what was sent before it.
type Network struct {
	mu    sync.Mutex
	lines map[string]*pipes // by their addresses
	conns uint16            // dialled so far
}

// NewNetwork returns a network without servers.
func NewNetwork() *Network { return &Network{lines: map[string]*pipes{}} }

// Listen listens on an address of its own.
func (n *Network) Listen() net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(1000+len(n.lines)))
	l := &pipes{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
	n.lines[address.String()] = l
	return l
}

// Dial is the DialContext of a transport.
func (n *Network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.lines[address]
	n.conns++
	from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 32768+n.conns%32768)
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	if l == nil {
		return nil, refused
	}
	near, far := net.Pipe()
	select {
	case l.conns <- &pipe{far, l.address, from}:
		return &pipe{near, from, l.address}, nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Transport returns a transport that reaches the servers on the network.
func (n *Network) Transport() *http.Transport { return &http.Transport{DialContext: n.Dial} }

// pipe is an end of a connection, with the addresses of both.
type pipe struct {
	net.Conn

	local, remote netip.AddrPort
}

// LocalAddr implements net.Conn.
func (p *pipe) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(p.local) }

// RemoteAddr implements net.Conn.
func (p *pipe) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(p.remote) }

// pipes is a listener on a network.
type pipes struct {
	address netip.AddrPort
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
func (l *pipes) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.address) }
