package servertest

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// balancer passes TCP connections on to nodes that answer a health check, as
// HAProxy and its like do. A connection goes to another node only while nothing
// was sent: what came of a request that was sent, only the client can judge. The
// connections of a node that fails the check are closed.
type balancer struct {
	URL    string
	listen net.Listener
	stop   context.CancelFunc
	all    sync.WaitGroup

	mu    sync.Mutex
	nodes [FleetSize]backend
	next  int
}

// backend is a node as the balancer sees it.
type backend struct {
	addr  string // empty for none
	up    bool
	conns map[net.Conn]struct{}
}

const (
	checkEvery   = 200 * time.Millisecond
	checkTimeout = time.Second
)

func startBalancer(t testing.TB) *balancer {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &balancer{URL: "http://" + listen.Addr().String(), listen: listen, stop: cancel}
	for i := range b.nodes {
		b.nodes[i].conns = map[net.Conn]struct{}{}
		b.all.Go(func() { b.check(ctx, i) })
	}
	b.all.Go(b.accept)
	t.Cleanup(func() {
		cancel()
		_ = listen.Close()
		for i := range b.nodes {
			b.set(i, "")
		}
		b.all.Wait()
	})
	return b
}

// Addr is where clients connect.
func (b *balancer) Addr() string { return b.listen.Addr().String() }

// set tells where a node listens; it is used once it passes the check.
func (b *balancer) set(i int, addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes[i].addr = addr
	b.down(i)
}

// down closes the connections of a node, with the lock held.
func (b *balancer) down(i int) {
	b.nodes[i].up = false
	for c := range b.nodes[i].conns {
		_ = c.Close()
	}
}

// Await waits until so many nodes pass the check.
func (b *balancer) Await(t testing.TB, nodes int) {
	t.Helper()
	WaitUntil(t, "the nodes to pass the health check", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		up := 0
		for i := range b.nodes {
			if b.nodes[i].up {
				up++
			}
		}
		return up >= nodes
	})
}

func (b *balancer) check(ctx context.Context, i int) {
	client := &http.Client{Timeout: checkTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	for ctx.Err() == nil {
		b.mu.Lock()
		addr := b.nodes[i].addr
		b.mu.Unlock()
		up := addr != "" && passesCheck(client, addr)
		b.mu.Lock()
		if b.nodes[i].addr == addr {
			if b.nodes[i].up = up; !up {
				b.down(i)
			}
		}
		b.mu.Unlock()
		time.Sleep(checkEvery)
	}
}

func passesCheck(client *http.Client, addr string) bool {
	res, err := client.Get("http://" + addr + "/healthz")
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func (b *balancer) accept() {
	for {
		client, err := b.listen.Accept()
		if err != nil {
			return
		}
		b.all.Go(func() { b.serve(client) })
	}
}

func (b *balancer) serve(client net.Conn) {
	defer client.Close()
	i, node := b.connect()
	if node == nil {
		return
	}
	defer func() {
		b.mu.Lock()
		delete(b.nodes[i].conns, node)
		b.mu.Unlock()
		_ = node.Close()
	}()
	var both sync.WaitGroup
	pipe := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_ = to.(*net.TCPConn).CloseWrite()
	}
	both.Go(func() {
		pipe(client, node)
		_ = client.Close() // the node has ended it, or was lost
	})
	both.Go(func() { pipe(node, client) })
	both.Wait()
}

// connect opens a connection to the next node that takes it.
func (b *balancer) connect() (int, net.Conn) {
	for range 4 * FleetSize {
		b.mu.Lock()
		i := b.next % FleetSize
		b.next++
		n := b.nodes[i]
		b.mu.Unlock()
		if !n.up {
			time.Sleep(checkEvery / 4)
			continue
		}
		conn, err := net.DialTimeout("tcp", n.addr, checkTimeout)
		if err != nil {
			continue
		}
		b.mu.Lock()
		if b.nodes[i].addr == n.addr && b.nodes[i].up {
			b.nodes[i].conns[conn] = struct{}{}
			b.mu.Unlock()
			return i, conn
		}
		b.mu.Unlock()
		_ = conn.Close()
	}
	return 0, nil
}
