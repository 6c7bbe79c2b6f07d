package connections

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Limits are the limits on connections and requests.
type Limits struct {
	// Total is the maximum number of connections, and PerNetwork that of one
	// network. Both must be positive.
	Total, PerNetwork int
	// Lingering is the maximum number of connections, besides Total, that are
	// being closed gracefully; 0 means the constant Lingering. One network may
	// have a sixteenth of them, or one.
	Lingering int
	// Requests is the maximum number of requests at a time, and
	// RequestsPerNetwork that of one network: an HTTP/2 connection can have
	// many. Further requests get 503. If a quarter as many are being refused,
	// the next ones are reset. Both must be positive.
	Requests, RequestsPerNetwork int
	// Exempt networks have no share; their connections count toward the totals.
	Exempt []netip.Prefix
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Refused, unless nil, is called after a connection or request was refused.
	// It must not block.
	Refused func()
}

// Listener accepts connections within limits. Use NewListener and Attach.
type Listener struct {
	net.Listener

	limits   Limits
	retiring atomic.Bool

	mu      sync.Mutex
	table   table
	linger  map[*conn]struct{} // those that linger; nil after Close
	lingers sync.WaitGroup
}

// NewListener returns a listener that accepts the connections of inner within
// the limits. Closing it closes inner, and ends graceful closes at once.
func NewListener(inner net.Listener, limits Limits) *Listener {
	if limits.Now == nil {
		limits.Now = time.Now
	}
	if limits.Refused == nil {
		limits.Refused = func() {}
	}
	return &Listener{Listener: inner, limits: limits, table: newTable(limits), linger: map[*conn]struct{}{}}
}

// Attach makes a server report to the listener which of its connections are
// idle. It must be called before the server serves; without it every connection
// counts as idle.
func (l *Listener) Attach(server *http.Server) {
	server.ConnState = l.note
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, ours(c))
	}
	server.Handler = l.guard(server.Handler)
}

type connKey struct{}

// guard counts requests, and drops those of connections that were closed for
// others: their response could not be sent.
func (l *Listener) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if !ok || c == nil {
			next.ServeHTTP(w, r)
			return
		}
		n, place := l.begin(c)
		if n != nil && place != placeServed {
			l.limits.Refused()
		}
		if place == placeNone {
			panic(http.ErrAbortHandler) //nolint:forbidigo // how net/http is told to drop a request
		}
		defer l.end(n, place)
		if r.ProtoMajor == 1 && l.retiring.Load() {
			w.Header().Set("Connection", "close")
		}
		if place == placeRefused {
			refuse(w)
		} else {
			next.ServeHTTP(w, r)
		}
		if r.ProtoMajor == 2 {
			// Until the response is taken, the server would keep the body that arrives.
			_ = r.Body.Close()
		}
	})
}

// refuse writes a response that every protocol understands: Connect reads the
// code in the JSON, gRPC the status, and the legacy versions show the message.
func refuse(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"code":"unavailable","message":"too many requests at a time"}`)
}

// begin counts a request if there is room for it. It returns the network to
// pass to end, or nil if the connection is closed.
func (l *Listener) begin(c *conn) (*network, place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.network == nil {
		return nil, placeNone
	}
	l.table.serve(c)
	return c.network, l.table.begin(c.network)
}

// Retire makes each HTTP/1 response that begins from now on the last of its
// connection, and tells the client so. Clients that send one request after
// another then leave by themselves, between two. [http.Server.Shutdown] would
// close a connection on which the next request is already under way.
func (l *Listener) Retire() { l.retiring.Store(true) }

// Open returns how many connections are open, and how many of them have not sent
// a request yet.
func (l *Listener) Open() (all, unserved int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.table.count, l.table.unserved
}

// CloseUnserved closes the connections that have not sent a whole request yet.
func (l *Listener) CloseUnserved() {
	for _, c := range l.unserved() {
		_ = c.Conn.Close()
	}
}

func (l *Listener) unserved() (all []*conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.table.networks {
		for c := n.fresh.first; c != nil; c = c.next {
			all = append(all, c)
		}
	}
	return all
}

func (l *Listener) end(n *network, p place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.table.end(n, p)
}

// Accept returns the next connection that has room.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		limitBacklog(inner)
		c := &conn{Conn: inner, listener: l}
		c.half, _ = inner.(halfCloser)
		from := networkOf(inner.RemoteAddr(), l.limits.Exempt)
		l.mu.Lock()
		closed, ok := l.table.admit(c, from, l.limits.Now())
		l.mu.Unlock()
		if closed != nil {
			l.evict(closed)
		}
		if ok {
			return c, nil
		}
		_ = inner.Close()
		l.limits.Refused()
	}
}

// note handles a change of a connection's state in the server.
func (l *Listener) note(c net.Conn, state http.ConnState) {
	mine := ours(c)
	if mine == nil {
		return
	}
	switch state {
	case http.StateActive:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.table.busy(mine)
	case http.StateIdle:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.table.rest(mine, l.limits.Now())
	case http.StateNew, http.StateHijacked, http.StateClosed:
		// New connections are idle, and Close handles the end.
	}
}

// ours returns the listener's connection below a connection of the server, or
// nil if there is none.
func ours(c net.Conn) *conn {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	mine, _ := c.(*conn)
	return mine
}
