package postgrestest

import (
	"bytes"
	"errors"
	"net"
	"net/url"
	"sync"
	"time"
)

// Proxy stands in front of a server on a TCP port of this machine and disturbs
// what passes, as a network does. All methods may be called at any time. A
// disturbance concerns all connections unless it says otherwise.
type Proxy struct {
	listen net.Listener
	draw   func(n int) int
	all    sync.WaitGroup

	mu      sync.Mutex
	server  *Server
	links   map[*link]struct{}
	oneIn   int
	cuts    int
	delay   time.Duration
	mute    bool
	refuse  bool
	release chan struct{} // closed when held data may pass
	holdAll bool          // it holds new connections too
	marked  []byte        // what HoldStatement stops
	marks   int           // how often it still does
}

// StartProxy starts a proxy. draw returns a random number below n; a test that
// can be repeated passes one with a seed. It must be safe for concurrent use.
func StartProxy(server *Server, draw func(n int) int) (*Proxy, error) {
	listen, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it begins at once
	if err != nil {
		return nil, err
	}
	p := &Proxy{listen: listen, draw: draw, server: server, links: map[*link]struct{}{}, release: make(chan struct{})}
	p.all.Go(p.accept)
	return p, nil
}

// URL returns the address of a database of the server, through the proxy.
func (p *Proxy) URL(database string) string {
	return "postgres://hush@" + p.listen.Addr().String() + "/" + url.PathEscape(database) + "?sslmode=disable"
}

// Close ends the proxy and all its connections.
func (p *Proxy) Close() {
	_ = p.listen.Close()
	p.Release()
	p.Cut()
	p.all.Wait()
}

// Point directs new connections to another server.
func (p *Proxy) Point(server *Server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

// CutOneIn cuts connections: of n pieces that clients send, one ends in a cut,
// before it has arrived, amid it, or after it has arrived and before the answer.
// 0 ends that.
func (p *Proxy) CutOneIn(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.oneIn = n
}

// Cuts returns how many connections CutOneIn has cut.
func (p *Proxy) Cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// Cut cuts the connections that there are.
func (p *Proxy) Cut() {
	for _, l := range p.present() {
		l.end()
	}
}

// Delay lets each piece wait, in both directions.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Mute delivers what a client sends, but no answer, and lets no client in.
func (p *Proxy) Mute(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = on
}

// Refuse lets no client in. Connections that there are go on.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = on
}

// Hold lets nothing pass in either direction until Release, which delivers what
// was sent meanwhile, even by clients that have given up.
func (p *Proxy) Hold() { p.hold(true) }

// HoldPresent is Hold for the connections that there are. New ones work.
func (p *Proxy) HoldPresent() { p.hold(false) }

// HoldStatement holds the next executions of the prepared statement with that
// name, at most so many, and what their clients send after them, until Release.
// All else passes, so a client can connect again and ask what became of them.
func (p *Proxy) HoldStatement(name string, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marked, p.marks = []byte("\x00"+name+"\x00"), most
}

// Held returns how many connections HoldStatement stopped that have not ended.
// One that its client gave up ends after Release, when the server has done what
// was held.
func (p *Proxy) Held() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.stopped {
			n++
		}
	}
	return n
}

func (p *Proxy) hold(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holdAll = p.holdAll || all
	for l := range p.links {
		l.held = true
	}
}

// Release ends Hold, HoldPresent and HoldStatement.
func (p *Proxy) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.release)
	p.release, p.holdAll, p.marks = make(chan struct{}), false, 0
	for l := range p.links {
		l.held = false
	}
}

// LoseServer ends the connections that there are on the side of the server
// alone. To clients they seem open, and nothing answers.
func (p *Proxy) LoseServer() {
	for _, l := range p.present() {
		l.lose(true)
	}
}

// LoseClients ends the connections that there are on the side of the clients
// alone. To the server they seem open and silent.
func (p *Proxy) LoseClients() {
	for _, l := range p.present() {
		l.lose(false)
	}
}

// EndLost ends what LoseServer and LoseClients left open, as keepalives do on a
// network. The server is reached over a Unix socket, which has none.
func (p *Proxy) EndLost() {
	for _, l := range p.present() {
		if l.lost(true) || l.lost(false) {
			l.end()
		}
	}
}

func (p *Proxy) present() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]*link, 0, len(p.links))
	for l := range p.links {
		all = append(all, l)
	}
	return all
}

func (p *Proxy) accept() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.connect(client.(*net.TCPConn)) }) //nolint:forcetypeassert // it listens for nothing else
	}
}

// connect serves one connection until both its directions have ended.
func (p *Proxy) connect(client *net.TCPConn) {
	p.pass(nil)
	p.mu.Lock()
	server, closed := p.server, p.mute || p.refuse
	p.mu.Unlock()
	back, err := net.Dial("unix", server.socket()) //nolint:noctx // it begins at once
	if err != nil || closed {
		_ = client.SetLinger(0)
		_ = client.Close()
		if err == nil {
			_ = back.Close()
		}
		return
	}
	l := &link{client: client, server: back.(*net.UnixConn)} //nolint:forcetypeassert // it was dialed as such
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.forward(l) })
	both.Go(func() { p.answer(l) })
	both.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
	l.end()
}

// forward carries what the client sends.
func (p *Proxy) forward(l *link) {
	piece := make([]byte, 64<<10)
	for {
		n, err := l.client.Read(piece)
		if err != nil {
			if !l.lost(false) {
				_ = l.server.CloseWrite()
			}
			return
		}
		p.pass(l)
		if p.strikes() {
			l.cutAmid(p.draw(3), piece[:n])
			return
		}
		if err := l.deliver(p, piece[:n]); err != nil && !l.lost(true) {
			l.end()
			return
		}
	}
}

// strikes reports whether the next piece ends in a cut.
func (p *Proxy) strikes() bool {
	p.mu.Lock()
	oneIn := p.oneIn
	p.mu.Unlock()
	if oneIn == 0 || p.draw(oneIn) != 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts++
	return true
}

// answer carries what the server sends.
func (p *Proxy) answer(l *link) {
	piece := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(piece)
		if err != nil {
			if !l.lost(true) {
				_ = l.client.Close()
			}
			return
		}
		// An answer that finds no client is dropped: the server must not notice
		// before it has read all that was sent.
		if p.pass(l) {
			_, _ = l.client.Write(piece[:n])
		} else {
			_ = l.client.Close()
		}
	}
}

// pass waits as long as a piece must, or a new connection if l is nil. It
// reports whether an answer may go on.
func (p *Proxy) pass(l *link) bool {
	p.mu.Lock()
	release, delay, held := p.release, p.delay, p.holdAll || l != nil && l.held
	p.mu.Unlock()
	if held {
		<-release
	}
	if delay > 0 {
		time.Sleep(delay)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.mute
}

// link is a connection with its two sides.
type link struct {
	client *net.TCPConn
	server *net.UnixConn
	// Both are guarded by the mutex of the proxy.
	held, stopped bool

	mu                     sync.Mutex
	lostServer, lostClient bool
}

// cutAmid cuts the connection at a piece of which it delivers none for 0, half for
// 1 and all for 2.
func (l *link) cutAmid(part int, piece []byte) {
	switch part {
	case 0:
		piece = nil
	case 1:
		piece = piece[:len(piece)/2]
	default:
		_ = l.client.Close() // the answer finds no client
	}
	_, _ = l.server.Write(piece)
	l.end()
}

// deliver writes a piece to the server, and waits amid it where an execution
// begins that HoldStatement stops.
func (l *link) deliver(p *Proxy, piece []byte) error {
	p.mu.Lock()
	release, at := p.release, -1
	if p.marks > 0 {
		at = bytes.Index(piece, p.marked) - bindHeader
	}
	stops := at >= 0 && piece[at] == 'B' // not its preparation
	if stops {
		l.stopped = true
		p.marks--
	}
	p.mu.Unlock()
	if stops {
		if _, err := l.server.Write(piece[:at]); err != nil {
			return err
		}
		piece = piece[at:]
		<-release
	}
	_, err := l.server.Write(piece)
	return err
}

// bindHeader is the length of what precedes the names in a Bind message: its
// type and its length. The first name, of the portal, is empty.
const bindHeader = 5

// lose ends one side and leaves the other one open.
func (l *link) lose(server bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if server {
		l.lostServer = true
		_ = l.server.Close()
	} else {
		l.lostClient = true
		_ = l.client.Close()
	}
}

// lost reports whether a side was ended alone.
func (l *link) lost(server bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return server && l.lostServer || !server && l.lostClient
}

// end cuts both sides.
func (l *link) end() {
	_ = l.client.SetLinger(0)
	_ = errors.Join(l.client.Close(), l.server.Close())
}
