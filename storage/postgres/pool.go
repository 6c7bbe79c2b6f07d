package postgres

import (
	"context"
	"sync"
	"time"

	"hush/storage"
)

// pool keeps connections. The last one used is the next one taken, so that a
// quiet store keeps few busy. Its bound is a channel and not a semaphore, because the
// close of the pool ends a wait for it as well.
type pool struct {
	open func(context.Context) (*conn, error)
	sem  chan struct{} // one for each connection that may be taken
	stop chan struct{} // closed by close

	mu     sync.Mutex
	idle   []*conn
	drops  uint64
	closed bool
}

func newPool(most int, open func(context.Context) (*conn, error)) *pool {
	return &pool{open: open, sem: make(chan struct{}, most), stop: make(chan struct{})}
}

// take returns a connection, which has to be given back.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case p.sem <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.stop:
		return nil, storage.ErrClosed
	}
	c, drops, closed := p.last()
	if closed {
		<-p.sem
		return nil, storage.ErrClosed
	}
	if c != nil {
		return c, nil
	}
	c, err := p.open(ctx)
	if err != nil {
		<-p.sem
		return nil, err
	}
	c.dropped = drops
	return c, nil
}

// tryTake returns an idle connection, or nil.
func (p *pool) tryTake() *conn {
	select {
	case p.sem <- struct{}{}:
	default:
		return nil
	}
	if c, _, _ := p.last(); c != nil {
		return c
	}
	<-p.sem
	return nil
}

func (p *pool) last() (c *conn, drops uint64, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 && !p.closed {
		c, p.idle = p.idle[last], p.idle[:last]
	}
	return c, p.drops, p.closed
}

// give returns a connection. Answers that its user did not read are not those of
// the next one. Where one broke, those opened before are closed
// too: most likely the server was restarted or replaced.
func (p *pool) give(c *conn) {
	var unwanted []*conn
	c.owed = c.awaited
	p.mu.Lock()
	switch {
	case c.broken && c.dropped == p.drops:
		p.drops++
		unwanted, p.idle = p.idle, nil
	case c.broken:
	case p.closed || c.dropped != p.drops:
		unwanted = []*conn{c}
	default:
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	for _, u := range unwanted {
		u.close()
	}
	<-p.sem
}

// drop closes a connection that was taken. Unlike one that broke, it says nothing of
// the others.
func (p *pool) drop(c *conn) {
	c.close()
	<-p.sem
}

// close waits for the connections that are taken and closes all.
func (p *pool) close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	close(p.stop)
	for _, c := range idle {
		c.close()
	}
	for range cap(p.sem) {
		p.sem <- struct{}{}
	}
}

// takePatiently is take that tries again while the database does not answer,
// until ctx or patience ends.
func (p *pool) takePatiently(ctx context.Context, until time.Time) (*conn, error) {
	for attempt := 0; ; attempt++ {
		c, err := p.take(ctx)
		if err == nil || !isPassing(err) || !pause(ctx, attempt, until) {
			return c, err
		}
	}
}
