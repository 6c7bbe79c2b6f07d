package connections

import (
	"io"
	"net"
	"sync"
	"time"
)

const (
	// lingerTime bounds how long a connection that is closed gracefully stays.
	lingerTime = 5 * time.Second
	// lingeringNetworks is how many networks use up all such connections.
	lingeringNetworks = 16
)

// Lingering is how many connections are closed gracefully at a time, unless
// Limits say otherwise.
const Lingering = 1024

// halfCloser is a connection that can end what it sends and still receive.
type halfCloser interface{ CloseWrite() error }

// conn is a connection that the listener accepted.
type conn struct {
	net.Conn

	listener *Listener
	half     halfCloser // Conn, if it is one

	// writing is held during a write. timing guards leaving: from then on the
	// deadlines are the listener's, not the server's.
	writing, timing sync.Mutex
	leaving         bool

	entry // under the listener's lock
}

func newConn(inner net.Conn, l *Listener) *conn {
	half, _ := inner.(halfCloser)
	return &conn{Conn: inner, listener: l, half: half}
}

// finishes reports whether the connection is to be closed gracefully.
func (c *conn) finishes() bool { return c.served && c.half != nil }

// Close closes the connection and makes room for another one. One that lingers
// stays open until that is over.
func (c *conn) Close() error {
	if c.leave() {
		return nil
	}
	return c.Conn.Close()
}

// leave takes the connection out of the table, and reports whether it lingers.
func (c *conn) leave() bool {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.table.remove(c)
	return c.evicted
}

// Write implements io.Writer.
func (c *conn) Write(b []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.Conn.Write(b)
}

// SetDeadline implements net.Conn. It does nothing while the connection lingers,
// and so do its siblings.
func (c *conn) SetDeadline(at time.Time) error {
	c.timing.Lock()
	defer c.timing.Unlock()
	if c.leaving {
		return nil
	}
	return c.Conn.SetDeadline(at)
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(at time.Time) error {
	c.timing.Lock()
	defer c.timing.Unlock()
	if c.leaving {
		return nil
	}
	return c.Conn.SetReadDeadline(at)
}

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(at time.Time) error {
	c.timing.Lock()
	defer c.timing.Unlock()
	if c.leaving {
		return nil
	}
	return c.Conn.SetWriteDeadline(at)
}

// finish sends what there is and the end, and discards what arrives until the
// other side has ended, too, or lingerTime is over. A system answers what
// arrives at a closed connection by throwing away what is yet to be sent. The
// server may be reading as well; it gets the same end.
func (c *conn) finish() {
	c.setLeaving()
	c.writing.Lock() // a write that has begun comes to its end
	err := c.half.CloseWrite()
	c.writing.Unlock()
	if err == nil {
		_, _ = io.Copy(io.Discard, c.Conn)
	}
}

func (c *conn) setLeaving() {
	c.timing.Lock()
	defer c.timing.Unlock()
	c.leaving = true
	_ = c.Conn.SetDeadline(time.Now().Add(lingerTime)) // the system's clock
}

// evict closes a connection that is out of the table without waiting:
// gracefully if it is marked so.
func (l *Listener) evict(c *conn) {
	if !l.mayFinish(c) {
		_ = c.Conn.Close()
		return
	}
	go func() {
		defer l.lingers.Done()
		c.finish()
		_ = c.Conn.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.linger, c)
		l.table.lingered(c)
	}()
}

// mayFinish reports whether a connection lingers, and notes it for Close.
func (l *Listener) mayFinish(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !c.evicted:
		return false
	case l.linger == nil:
		l.table.lingered(c)
		return false
	}
	l.linger[c] = struct{}{}
	l.lingers.Add(1)
	return true
}

// Close closes the inner listener and the connections that linger.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	for c := range l.takeLingering() {
		_ = c.Conn.Close()
	}
	l.lingers.Wait()
	return err
}

// takeLingering returns the connections that linger. From then on none does.
func (l *Listener) takeLingering() map[*conn]struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.linger
	l.linger = nil
	return taken
}
