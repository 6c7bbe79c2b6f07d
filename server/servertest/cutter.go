package servertest

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// Cutter is a TCP proxy that breaks most of its connections: after some bytes of
// the answers it resets both ends, so that a caller may have nothing, a part, or
// all of an answer.
type Cutter struct {
	URL   string
	Cuts  atomic.Int64 // connections that it broke
	Whole int          // how many of five connections it leaves whole

	listener net.Listener
	random   *rand.Rand // guarded by mu

	mu      sync.Mutex
	backend string // address of the service; changes with a restart
	open    map[net.Conn]struct{}
}

// StartCutter starts a proxy to no service yet; see To.
func StartCutter(t testing.TB, seed uint64) *Cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cutter{
		URL: "http://" + l.Addr().String(), listener: l, Whole: 1,
		random: rand.New(rand.NewPCG(seed, 1)), open: map[net.Conn]struct{}{},
	}
	t.Cleanup(c.close)
	go c.accept()
	return c
}

// To sends later connections to the service at addr.
func (c *Cutter) To(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backend = addr
}

func (c *Cutter) close() {
	_ = c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
}

func (c *Cutter) accept() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		go c.serve(conn)
	}
}

// next returns the service's address, and after how many bytes of answers the
// connection breaks; -1 for never.
func (c *Cutter) next() (backend string, after int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.random.IntN(5) < c.Whole {
		return c.backend, -1
	}
	// Small numbers often: the head of an answer, and the frames of HTTP/2.
	return c.backend, c.random.Int64N(1 << (1 + c.random.IntN(13)))
}

func (c *Cutter) serve(caller net.Conn) {
	defer c.keep(caller)()
	backend, after := c.next()
	service, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer c.keep(service)()
	go func() {
		_, _ = io.Copy(service, caller)
		_ = service.(*net.TCPConn).CloseWrite()
	}()
	if after < 0 {
		_, _ = io.Copy(caller, service)
		return
	}
	if n, _ := io.CopyN(caller, service, after); n == after {
		c.Cuts.Add(1)
		_ = caller.(*net.TCPConn).SetLinger(0)
	}
}

// keep lists a connection until the returned function closes it.
func (c *Cutter) keep(conn net.Conn) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = struct{}{}
	return func() {
		_ = conn.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, conn)
	}
}
