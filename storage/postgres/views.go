package postgres

import (
	"context"
	"sync"
	"time"
)

const (
	// longView is how long a group may be open before it makes room for others.
	longView = time.Second
	// viewPoll is how often a group that waits looks whether another one has to make
	// room.
	viewPoll = 100 * time.Millisecond
	// otherConns is how many connections are taken at a time by what is neither a view
	// nor a commit: four by shares, one by the rest.
	otherConns = 5
)

// views hands out snapshots. Those that wait while all groups are busy form the
// next group and share its snapshot, which begins after the last of them came.
//
// A view may take long: it reads a whole bucket, or stands still. So that a few of
// them hold up no other, a group that is open for longView makes room for the next
// one: it is counted among the long ones, which have connections of their own. A
// group of which nothing is read for as long as the server leaves a session idle in
// its transaction loses its snapshot on the server; then it gives its connection back
// too, and what is still read of it fails.
type views struct {
	db      *Store
	most    [viewKinds]int
	long    time.Duration // see longView
	stalled time.Duration // nothing is read for so long: the snapshot is ended
	freed   chan struct{} // has a token when a group has ended

	mu   sync.Mutex
	next *viewGroup // waits for room; nil for none
	open map[*viewGroup]struct{}
	are  [viewKinds]int // open groups
}

// viewKind is how an open group is counted.
type viewKind int

const (
	viewYoung viewKind = iota
	viewLong
	viewKinds
)

// viewGroup is a snapshot and how many still need it.
type viewGroup struct {
	ready chan struct{}
	err   error // set before ready is closed

	// Under views.mu:
	snap    *snapshot
	members int
	kind    viewKind
	since   time.Time // when it was opened
}

func newViews(db *Store, tuned tuning) *views {
	set(&tuned.long, longView)
	set(&tuned.stalled, db.opts.StatementTimeout)
	v := &views{
		db: db, long: tuned.long, stalled: tuned.stalled,
		freed: make(chan struct{}, 1), open: map[*viewGroup]struct{}{},
	}
	v.most[viewYoung], v.most[viewLong] = viewLimits(tuned.groups, db.opts.MaxConns, tuned.lanes)
	return v
}

// viewLimits returns how many groups are open at most, before they are long and
// after. A view that asks for a bucket's number takes another connection for
// that: at least one is left.
func viewLimits(groups, conns, lanes int) (young, long int) {
	young = max(1, min(groups, conns-lanes-1))
	long = max(0, conns-lanes-otherConns-young)
	if long == 0 && young > 1 {
		young, long = young-1, 1
	}
	return young, long
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
	if v.admit(g) {
		if c := v.db.pool.tryTake(); c != nil {
			g.snap = v.db.newSnapshot(c, certified)
			close(g.ready)
			v.mu.Unlock()
			return g, nil
		}
		g.members++
		v.mu.Unlock()
		go v.connect(g) //nolint:gosec // others may join, whose contexts go on
	} else {
		g.members++ // form is one until it has formed
		v.next = g
		v.mu.Unlock()
		go v.form(g)
	}
	return v.await(ctx, g)
}

// await waits until g is ready: for room as long as the store is patient, and then
// for a connection, which has a limit of its own.
func (v *views) await(ctx context.Context, g *viewGroup) (*viewGroup, error) {
	patience := time.NewTimer(v.db.opts.Patience)
	defer patience.Stop()
	for {
		select {
		case <-g.ready:
			if g.err != nil {
				v.leave(g)
				return nil, g.err
			}
			return g, nil
		case <-ctx.Done():
			v.leave(g)
			return nil, ctx.Err()
		case <-patience.C:
			if v.isNext(g) {
				v.leave(g)
				return nil, errCrowded
			}
		}
	}
}

func (v *views) isNext(g *viewGroup) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.next == g
}

// form opens g when there is room; until then others may join.
func (v *views) form(g *viewGroup) {
	for !v.tryForm(g) {
		poll := time.NewTimer(viewPoll)
		select {
		case <-v.freed:
		case <-poll.C:
		}
		poll.Stop()
	}
	v.connect(g)
}

// tryForm opens g if there is room, or others have to make some.
func (v *views) tryForm(g *viewGroup) bool {
	v.mu.Lock()
	formed := v.admit(g)
	var ended []*conn
	if !formed {
		ended = v.makeRoom()
		formed = v.admit(g)
	}
	if formed {
		v.next = nil
	}
	v.mu.Unlock()
	for _, c := range ended {
		v.db.pool.drop(c)
	}
	return formed
}

// admit counts g among the open groups if there is room. It is called with mu held.
func (v *views) admit(g *viewGroup) bool {
	if v.are[viewYoung] >= v.most[viewYoung] {
		return false
	}
	v.are[viewYoung]++
	v.open[g] = struct{}{}
	g.since = time.Now()
	return true
}

// makeRoom ends the snapshots of groups that stand still, and counts groups that are
// long as such. It returns the connections of the ended ones. It is called with mu
// held.
func (v *views) makeRoom() (ended []*conn) {
	for g := range v.open {
		if g.snap == nil || g.members == 0 { // it begins, or ends by itself
			continue
		}
		c, idle := g.snap.endIdle(v.stalled)
		if c != nil {
			ended = append(ended, c)
		}
		if idle {
			v.free(g)
		}
	}
	for g := range v.open {
		if v.are[viewLong] == v.most[viewLong] {
			break
		}
		if g.kind == viewYoung && time.Since(g.since) >= v.long {
			v.are[viewYoung]--
			v.are[viewLong]++
			g.kind = viewLong
		}
	}
	return ended
}

// free no longer counts g among the open groups. It is called with mu held.
func (v *views) free(g *viewGroup) {
	if _, counted := v.open[g]; counted {
		delete(v.open, g)
		v.are[g.kind]--
	}
}

// connect gives g a snapshot.
func (v *views) connect(g *viewGroup) {
	c, err := v.db.pool.takePatiently(context.Background(), v.db.patience())
	if err != nil {
		g.err = err
	} else {
		v.mu.Lock()
		g.snap = v.db.newSnapshot(c, certified)
		v.mu.Unlock()
	}
	close(g.ready)
	v.leave(g)
}

// leave ends the group after the last of its members.
func (v *views) leave(g *viewGroup) {
	v.mu.Lock()
	g.members--
	last, snap := g.members == 0, g.snap
	v.mu.Unlock()
	if !last {
		return
	}
	if snap != nil {
		if snap.failure() != nil {
			snap.abandon()
		} else {
			snap.end()
		}
	}
	v.mu.Lock()
	v.free(g)
	v.mu.Unlock()
	select {
	case v.freed <- struct{}{}:
	default:
	}
}
