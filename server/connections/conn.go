package connections

import (
	"io"
	"net"
	"sync"
	"time"
)

const (
	// lingerTime is the maximum duration of a graceful close.
	lingerTime = 5 * time.Second
	// lingeringNetworks is the number of networks that together use up all
	// lingering connections.
	lingeringNetworks = 16
)

// Lingering is the default of Limits.Lingering.
const Lingering = 1024

// halfCloser is a connection that can close its sending side and still receive.
type halfCloser interface{ CloseWrite() error }

// conn is an accepted connection.
type conn struct {
	net.Conn

	listener *Listener
	half     halfCloser // Conn, if it is one

	// writing is held during a write. timing guards leaving: from then on the
	// listener sets the deadlines, not the server.
	writing, timing sync.Mutex
	leaving         bool

	ahead  []byte // memory for what arrived with the header of a frame; nil before the first
	unread []byte // the part of it that was not read yet

	entry // under the listener's lock
}

// finishes reports whether the connection is to be closed gracefully.
func (c *conn) finishes() bool { return c.served && c.half != nil }

// Close closes the connection and frees its place. A lingering connection stays
// open until it has finished.
func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.listener.table.remove(c)
	lingers := c.evicted
	c.listener.mu.Unlock()
	if lingers {
		return nil
	}
	return c.Conn.Close()
}

// Over HTTP/2 the server reads the header of each frame by itself, then the rest
// of the frame, and a call has several frames: each was a system call.
const (
	frameHeader = 9
	readAhead   = 2 << 10
)

// Read implements io.Reader. With the header of a frame it reads what follows,
// for the next reads.
func (c *conn) Read(b []byte) (int, error) {
	if len(c.unread) == 0 {
		if len(b) != frameHeader {
			return c.Conn.Read(b)
		}
		if c.ahead == nil {
			c.ahead = make([]byte, readAhead)
		}
		n, err := c.Conn.Read(c.ahead)
		if n == 0 {
			return 0, err
		}
		c.unread = c.ahead[:n] // the next read of the connection has the same error
	}
	n := copy(b, c.unread)
	clear(c.unread[:n]) // it may be a secret
	c.unread = c.unread[n:]
	return n, nil
}

// Write implements io.Writer.
func (c *conn) Write(b []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.Conn.Write(b)
}

// SetDeadline implements net.Conn. It and its siblings do nothing while the
// connection lingers.
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

// finish sends what is pending and closes the sending side. It discards what
// arrives until the peer has closed, too, or lingerTime is over. If data
// arrives at a fully closed connection, the system discards what it has yet to
// send. The server may be reading as well; it gets the same end.
func (c *conn) finish() {
	c.setLeaving()
	c.writing.Lock() // a write in progress is completed
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
	_ = c.Conn.SetDeadline(time.Now().Add(lingerTime)) // by the system's clock
}

// evict closes a connection that was removed from the table, without blocking:
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

// mayFinish reports whether a connection lingers, and records it for Close.
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

// takeLingering returns the lingering connections. From then on no connection
// lingers.
func (l *Listener) takeLingering() map[*conn]struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.linger
	l.linger = nil
	return taken
}
