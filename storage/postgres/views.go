package postgres

import (
	"context"
	"sync"
)

// views hands out snapshots. Those that wait while all groups are busy form the
// next group and share its snapshot, which begins after the last of them came.
type views struct {
	db    *Store
	slots chan struct{} // one for each open group

	mu   sync.Mutex
	next *viewGroup // waits for a slot; nil for none
}

// viewGroup is a snapshot and how many still need it.
type viewGroup struct {
	snap    *snapshot
	members int // under views.mu
	ready   chan struct{}
	err     error // set before ready is closed
}

func newViews(db *Store, groups int) *views {
	return &views{db: db, slots: make(chan struct{}, max(1, groups))}
}

// join returns a group whose snapshot has not begun, and which has to be left.
func (v *views) join(ctx context.Context) (*viewGroup, error) {
	v.mu.Lock()
	if g := v.next; g != nil {
		g.members++
		v.mu.Unlock()
		return v.await(ctx, g)
	}
	g := &viewGroup{members: 1, ready: make(chan struct{})}
	select {
	case v.slots <- struct{}{}:
		v.mu.Unlock()
		if c := v.db.pool.tryTake(); c != nil {
			g.snap = v.db.newSnapshot(c, certified)
			close(g.ready)
			return g, nil
		}
		g.members++
		go v.open(g) //nolint:gosec // others may join, whose contexts go on
	default:
		g.members++ // form is one until it has formed
		v.next = g
		v.mu.Unlock()
		go v.form(g)
	}
	return v.await(ctx, g)
}

func (v *views) await(ctx context.Context, g *viewGroup) (*viewGroup, error) {
	select {
	case <-g.ready:
	case <-ctx.Done():
		v.leave(g)
		return nil, ctx.Err()
	}
	if g.err != nil {
		v.leave(g)
		return nil, g.err
	}
	return g, nil
}

// form opens g when a slot is free; until then others may join.
func (v *views) form(g *viewGroup) {
	v.slots <- struct{}{}
	v.mu.Lock()
	v.next = nil
	v.mu.Unlock()
	v.open(g)
}

func (v *views) open(g *viewGroup) {
	c, err := v.db.pool.takePatiently(context.Background(), v.db.patience())
	if err != nil {
		g.err = err
	} else {
		g.snap = v.db.newSnapshot(c, certified)
	}
	close(g.ready)
	v.leave(g)
}

// leave ends the group after the last of its members.
func (v *views) leave(g *viewGroup) {
	v.mu.Lock()
	g.members--
	last := g.members == 0
	v.mu.Unlock()
	if !last {
		return
	}
	if g.snap != nil {
		if g.snap.failure() != nil {
			g.snap.abandon()
		} else {
			g.snap.end()
		}
	}
	<-v.slots
}
