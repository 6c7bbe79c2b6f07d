package connections_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"

	"hush/server/connections"
)

// line is a listener whose connections come from addresses of the test's
// choice.
type line struct {
	conns chan net.Conn
	once  sync.Once
}

func newLine() *line { return &line{conns: make(chan net.Conn, 16)} }

func (l *line) Accept() (net.Conn, error) {
	c, open := <-l.conns
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l *line) Close() error   { l.once.Do(func() { close(l.conns) }); return nil }
func (l *line) Addr() net.Addr { return &net.TCPAddr{} }

// pipe is one end of a connection from an address.
type pipe struct {
	net.Conn
	remote net.Addr
}

func (p pipe) RemoteAddr() net.Addr { return p.remote }

// visit connects from an address and returns the caller's end.
func (l *line) visit(address string) net.Conn {
	ours, theirs := net.Pipe()
	l.conns <- pipe{theirs, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 1234))}
	return ours
}

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// tick moves the clock by a second, which is longer than connections are left
// alone after an answer.
func (c *clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
}

// site is a server on a line. Its handler answers each request when the test
// says so, if it asks for that.
type site struct {
	*line
	clock   *clock
	refused chan struct{}
	began   chan struct{}
	release chan struct{}
	idled   chan struct{} // gets a value after a connection became idle
}

func newSite(t *testing.T, limits connections.Limits) *site {
	t.Helper()
	s := &site{
		line: newLine(), clock: &clock{now: time.Unix(1, 0)},
		refused: make(chan struct{}, 100), began: make(chan struct{}, 100), release: make(chan struct{}), idled: make(chan struct{}, 100),
	}
	limits.Now = s.clock.read
	if limits.Requests == 0 {
		limits.Requests, limits.RequestsPerNetwork = 100, 100
	}
	limits.Refused = func() { s.refused <- struct{}{} }
	listener := connections.NewListener(s.line, limits)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			s.began <- struct{}{}
			<-s.release
		}
		_, _ = io.WriteString(w, "hello")
	})}
	listener.Attach(server)
	note := server.ConnState
	server.ConnState = func(c net.Conn, state http.ConnState) {
		note(c, state)
		if state == http.StateIdle {
			s.idled <- struct{}{}
		}
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return s
}

// ask sends a request on a connection and returns the answer's body.
func ask(c net.Conn, path string) (string, error) {
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return "", err
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// works fails the test unless a connection answers. It returns when the
// connection is idle.
func (s *site) works(t *testing.T, name string, c net.Conn) {
	t.Helper()
	if got, err := ask(c, "/"); got != "hello" || err != nil {
		t.Fatalf("request on %s: got %q and %v, want an answer", name, got, err)
	}
	<-s.idled
}

// closed waits until the server has closed a connection.
func closed(t *testing.T, name string, c net.Conn) {
	t.Helper()
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("%s: got %d bytes, want it closed", name, n)
	}
}

// hold begins a request on a connection that lasts until the test releases it.
func (s *site) hold(t *testing.T, c net.Conn) (answer func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := ask(c, "/slow")
		done <- err
	}()
	<-s.began
	return func() {
		s.release <- struct{}{}
		if err := <-done; err != nil {
			t.Errorf("held request: got %v, want an answer", err)
			return
		}
		<-s.idled
	}
}

// An attacker opens all the connections there are and sends nothing, so that no
// one else can connect. He gets the share of his network, and his newest
// connections push his oldest ones out.
func TestShareOfANetwork(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{Total: 8, PerNetwork: 3})
	attack := make([]net.Conn, 0, 20)
	for range 20 {
		attack = append(attack, s.visit("192.0.2.1"))
	}
	for i, c := range attack[:17] {
		closed(t, "idle connection "+string(rune('a'+i)), c)
	}
	for _, c := range attack[17:] {
		s.works(t, "one of the newest", c)
	}
	s.works(t, "a neighbour's", s.visit("192.0.2.2"))
}

// Half a request's header, half a handshake and silence all count as idle: a
// client that starts something and stops does not keep its place.
func TestHalfAHeaderIsIdle(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{Total: 8, PerNetwork: 2})
	half := s.visit("192.0.2.1")
	if _, err := io.WriteString(half, "POST /slow HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	kept := s.visit("192.0.2.1")
	s.works(t, "the second", kept)
	s.works(t, "the third", s.visit("192.0.2.1"))
	closed(t, "the one with half a header", half)
}

func TestBusyConnectionsStay(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{Total: 8, PerNetwork: 2})
	first, second := s.visit("192.0.2.1"), s.visit("192.0.2.1")
	answerFirst, answerSecond := s.hold(t, first), s.hold(t, second)
	closed(t, "a third while two are busy", s.visit("192.0.2.1"))
	<-s.refused
	answerFirst()
	// The first is left alone for a moment, so that its answer gets out.
	closed(t, "a third while the answer may be on its way", s.visit("192.0.2.1"))
	<-s.refused
	s.clock.tick()
	s.works(t, "a third when one is idle", s.visit("192.0.2.1"))
	closed(t, "the idle one", first)
	answerSecond()
	s.works(t, "the one that was busy", second)
}

// The longest idle is the one that served a request longest ago, not the
// oldest.
func TestLongestIdleGoesFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{Total: 8, PerNetwork: 3})
	a, b, c := s.visit("192.0.2.1"), s.visit("192.0.2.1"), s.visit("192.0.2.1")
	for _, conn := range []net.Conn{c, b, a} {
		s.works(t, "a kept connection", conn)
		s.clock.tick()
	}
	s.works(t, "a new one", s.visit("192.0.2.1"))
	closed(t, "the longest idle", c)
	s.works(t, "the one used last", a)
	s.works(t, "the one used before", b)
}

// A thousand machines of one attacker fill the total. The next visitor takes the
// place of a connection of the network that has most of them.
func TestTotalGoesToTheBusiest(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{Total: 6, PerNetwork: 4})
	lone := s.visit("192.0.2.7")
	s.works(t, "the visitor that came first", lone)
	crowd := []net.Conn{s.visit("192.0.2.1"), s.visit("192.0.2.1"), s.visit("192.0.2.1")}
	pair := []net.Conn{s.visit("192.0.2.2"), s.visit("192.0.2.2")}
	late := s.visit("192.0.2.8")
	s.works(t, "a newcomer", late)
	closed(t, "the busiest network's longest idle", crowd[0])
	s.works(t, "another newcomer", s.visit("192.0.2.9"))
	closed(t, "the longest idle of two networks with two connections", crowd[1])
	for _, c := range []net.Conn{lone, late, pair[0], pair[1], crowd[2]} {
		s.works(t, "one of those that stay", c)
	}
}

func TestTotalWithoutIdleOnes(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{Total: 2, PerNetwork: 2})
	first, second := s.visit("192.0.2.1"), s.visit("192.0.2.1")
	answerFirst, answerSecond := s.hold(t, first), s.hold(t, second)
	closed(t, "a newcomer while all are busy", s.visit("192.0.2.2"))
	<-s.refused
	answerFirst()
	answerSecond()
	s.clock.tick()
	s.works(t, "a newcomer afterwards", s.visit("192.0.2.2"))
	closed(t, "the longest idle", first)
}

// All who come through a proxy come from its address.
func TestExemptNetworks(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{
		Total: 8, PerNetwork: 2, Exempt: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/30"), netip.MustParsePrefix("2001:db8::1/128")},
	})
	proxied := []net.Conn{s.visit("192.0.2.1"), s.visit("192.0.2.1"), s.visit("192.0.2.1"), s.visit("2001:db8::1"), s.visit("2001:db8::1"), s.visit("2001:db8::1")}
	for _, c := range proxied {
		s.works(t, "a proxy's", c)
	}
	s.clock.tick()
	// Above a share its size does not count against it: the others are as busy.
	strangers := []net.Conn{s.visit("192.0.2.9"), s.visit("192.0.2.9")}
	s.works(t, "a newcomer", s.visit("192.0.2.10"))
	closed(t, "the longest idle of all", proxied[0])
	for _, c := range append(strangers, proxied[1:]...) {
		s.works(t, "one of those that stay", c)
	}
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string
		same          bool
	}{
		"one IPv4 address":      {"192.0.2.1", "192.0.2.1", true},
		"two IPv4 addresses":    {"192.0.2.1", "192.0.2.2", false},
		"loopback is a network": {"127.0.0.1", "127.0.0.2", false},
		"IPv4 in IPv6 clothing": {"::ffff:192.0.2.1", "192.0.2.1", true},
		"two, in IPv6 clothing": {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
		"one IPv6 /64":          {"2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true},
		"two IPv6 /64":          {"2001:db8::1", "2001:db8:0:1::1", false},
		"IPv6 with a zone":      {"fe80::1%eth0", "fe80::2%eth1", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, connections.Limits{Total: 8, PerNetwork: 1})
			first := s.visit(c.first)
			s.works(t, "the first", first)
			s.clock.tick()
			s.works(t, "the second", s.visit(c.second))
			if c.same {
				closed(t, "the first of one network", first)
				return
			}
			s.works(t, "the first of two networks", first)
		})
	}
}

// A request arrives while its connection is being closed for another one. If it
// were served, a secret would be revealed and its value lost.
func TestEvictedRequestsAreNotServed(t *testing.T) {
	t.Parallel()
	served := make(chan string, 10)
	listener := connections.NewListener(newLine(), connections.Limits{Total: 1, PerNetwork: 1, Requests: 1, RequestsPerNetwork: 1})
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { served <- r.URL.Path })}
	listener.Attach(server)
	l := listener.Listener.(*line)
	defer l.visit("192.0.2.1").Close()
	first, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer l.visit("192.0.2.1").Close()
	second, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []net.Conn{first, second} {
		server.ConnState(c, http.StateActive)
		r := httptest.NewRequestWithContext(server.ConnContext(context.Background(), c), http.MethodGet, "/"+c.RemoteAddr().String(), http.NoBody)
		aborted := func() (value any) {
			defer func() { value = recover() }()
			server.Handler.ServeHTTP(httptest.NewRecorder(), r)
			return nil
		}()
		err, _ := aborted.(error)
		if want := c == first; errors.Is(err, http.ErrAbortHandler) != want {
			t.Errorf("request on a connection, evicted is %t: got %v", want, aborted)
		}
	}
	if len(served) != 1 {
		t.Errorf("handler: got %d requests, want the one of the connection that stays", len(served))
	}
}

// An HTTP/2 connection has many requests at a time, so a share of connections
// bounds too little. Closing the connection gives back no request that runs.
func TestRequestsAtATime(t *testing.T) {
	t.Parallel()
	s := newSite(t, connections.Limits{
		Total: 8, PerNetwork: 4, Requests: 3, RequestsPerNetwork: 2, Exempt: []netip.Prefix{netip.MustParsePrefix("192.0.2.9/32")},
	})
	first := s.visit("192.0.2.1")
	first.Close()
	a, b := s.visit("192.0.2.1"), s.visit("192.0.2.1")
	answerA, answerB := s.hold(t, a), s.hold(t, b)
	unavailable := func(name, from string) {
		t.Helper()
		c := s.visit(from)
		defer c.Close()
		if got, _ := ask(c, "/"); got != `{"code":"unavailable","message":"too many requests at a time"}` {
			t.Errorf("%s: got %q, want it refused", name, got)
		}
		<-s.idled
		<-s.refused
	}
	unavailable("a network's third request", "192.0.2.1")
	s.works(t, "another network's", s.visit("192.0.2.2"))
	proxy := s.visit("192.0.2.9")
	answerProxy := s.hold(t, proxy)
	unavailable("the fourth request of all", "192.0.2.3")
	answerA() // in the order in which they began
	s.works(t, "a network's next request", s.visit("192.0.2.1"))
	answerB()
	answerProxy()
}

// A client that keeps its connection is told to leave, and its requests until
// then are served.
func TestRetire(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := connections.NewListener(inner, connections.Limits{Total: 2, PerNetwork: 2, Requests: 2, RequestsPerNetwork: 2})
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	listener.Attach(server)
	note := server.ConnState
	begun, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	server.ConnState = func(c net.Conn, state http.ConnState) {
		note(c, state)
		switch state {
		case http.StateNew:
			begun <- struct{}{}
		case http.StateClosed:
			ended <- struct{}{}
		default:
		}
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	client := &http.Client{Transport: new(http.Transport)}
	for _, retired := range []bool{false, true} {
		if retired {
			listener.Retire()
		}
		res, err := client.Get("http://" + inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.Close != retired {
			t.Errorf("response, Retire called %t: got %t for Connection: close, want %t", retired, res.Close, retired)
		}
	}
	silent, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	<-begun // that of the client
	<-ended
	<-begun
	if all, unserved := listener.Open(); all != 1 || unserved != 1 {
		t.Errorf("Open(): got %d and %d unserved, want the silent one", all, unserved)
	}
	listener.CloseUnserved()
	if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a silent connection after CloseUnserved: got %v, want its end", err)
	}
}
