package connections

import (
	"cmp"
	"container/heap"
	"time"
)

// grace is how long a connection is left alone after a response. HTTP/2 reports
// idle before the end of the response was written.
const grace = 100 * time.Millisecond

// table holds the connections of all networks. It must be guarded by a lock. It counts
// them itself, because beyond a share or the total it closes an idle connection for a new
// one, and so needs to know which those are.
type table struct {
	limits   Limits
	count    int
	unserved int // connections without a request yet
	requests requests
	networks map[origin]*network
	// ranks holds the networks with idle connections, busiest first.
	ranks ranking
	// resting holds connections that became idle less than grace ago, in order.
	resting list
	// moves counts changes, to compare how long connections have been idle.
	moves uint64
	// lingering is the number of connections being closed gracefully, at most
	// mostLingering; shareLingering is the maximum of one network.
	lingering, mostLingering, shareLingering int
}

// network is the state of one network.
type network struct {
	from      origin
	count     int
	requests  requests
	lingering int
	// Idle connections, longest idle first: fresh ones have served no request,
	// and used ones have.
	fresh, used list
	most        int // count is capped at this for the network's rank
	rank        int // index in the ranking; negative if it has none
}

// longest returns the connection that has been idle longest, or nil.
func (n *network) longest() *conn {
	fresh, used := n.fresh.first, n.used.first
	if fresh == nil || used != nil && used.since < fresh.since {
		return used
	}
	return fresh
}

// entry is the state of one connection.
type entry struct {
	network    *network // nil before and after it is in the table
	in         *list    // the list that holds it; nil while it is busy
	prev, next *conn    // in the list
	since      uint64   // the move that made it idle
	leaveUntil time.Time
	served     bool     // a request; its response may be pending
	lingers    *network // counts the connection while it is closed gracefully
	evicted    bool     // marked for a graceful close, and may be closed by now
}

func newTable(limits Limits) table {
	lingering := cmp.Or(limits.Lingering, Lingering)
	return table{
		limits: limits, networks: map[origin]*network{},
		mostLingering: lingering, shareLingering: max(1, lingering/lingeringNetworks),
	}
}

// admit adds a connection, or returns false if there is no room for it. It
// removes the connection that must be closed for it from the table and returns
// it. That one is closed gracefully if it is marked as evicted.
func (t *table) admit(c *conn, from origin, now time.Time) (closed *conn, ok bool) {
	t.settle(now)
	n := t.networks[from]
	switch {
	case n != nil && !from.exempt && n.count >= t.limits.PerNetwork:
		closed = t.choose(n, false)
	case t.count < t.limits.Total:
		t.add(c, from)
		return nil, true
	case len(t.ranks) > 0:
		closed = t.choose(t.ranks[0], true)
	}
	if closed == nil {
		return nil, false
	}
	t.evict(closed)
	t.add(c, from)
	return closed, true
}

// choose returns the connection of a network to close for another one, or nil:
// the longest idle. If that one has served a request and cannot linger, it
// returns the longest idle one that has served none. If all have, it returns
// the longest idle only if cut is set.
func (t *table) choose(n *network, cut bool) *conn {
	longest := n.longest()
	switch fresh := n.fresh.first; {
	case longest == nil || !longest.finishes() || t.mayLinger(n):
		return longest
	case fresh != nil && !fresh.finishes():
		return fresh
	case cut:
		return longest
	default:
		return nil
	}
}

// mayLinger reports whether one more connection of a network may linger.
func (t *table) mayLinger(n *network) bool {
	return t.lingering < t.mostLingering && n.lingering < t.shareLingering
}

// evict removes a connection that is to be closed for another one. If it has
// served a request and may linger, it is marked and counted until lingered.
func (t *table) evict(c *conn) {
	n := c.network
	if c.finishes() && t.mayLinger(n) {
		c.evicted, c.lingers = true, n
		n.lingering++
		t.lingering++
	}
	t.remove(c)
}

// lingered removes a connection that has lingered.
func (t *table) lingered(c *conn) {
	n := c.lingers
	c.lingers = nil
	n.lingering--
	t.lingering--
	t.forget(n)
}

func (t *table) add(c *conn, from origin) {
	n := t.networks[from]
	if n == nil {
		n = &network{from: from, most: t.limits.PerNetwork, rank: -1}
		t.networks[from] = n
	}
	n.count++
	t.count++
	t.unserved++
	c.network = n
	t.idle(c)
}

// serve notes that a connection in the table has a request.
func (t *table) serve(c *conn) {
	if !c.served {
		t.unserved--
	}
	c.served = true
}

// idle puts a connection at the end of its network's queue.
func (t *table) idle(c *conn) {
	t.moves++
	c.since = t.moves
	if c.served {
		c.network.used.push(c)
	} else {
		c.network.fresh.push(c)
	}
	t.ranked(c.network)
}

// busy removes a connection from the queue. One that is not in the table stays
// out of it.
func (t *table) busy(c *conn) {
	if c.in == nil {
		return
	}
	c.in.drop(c)
	t.ranked(c.network)
}

// rest makes a connection idle: after grace, or at once if it has served no
// request. HTTP/2 also reports idle at the beginning.
func (t *table) rest(c *conn, now time.Time) {
	if c.network == nil {
		return
	}
	t.busy(c)
	if !c.served {
		t.idle(c)
		return
	}
	c.leaveUntil = now.Add(grace)
	t.resting.push(c)
	t.settle(now)
}

// settle makes those connections idle whose grace is over.
func (t *table) settle(now time.Time) {
	for c := t.resting.first; c != nil && !now.Before(c.leaveUntil); c = t.resting.first {
		t.resting.drop(c)
		t.idle(c)
	}
}

// remove removes a connection, if it is in the table.
func (t *table) remove(c *conn) {
	n := c.network
	if n == nil {
		return
	}
	if c.in != nil {
		c.in.drop(c)
	}
	c.network = nil
	t.count--
	if !c.served {
		t.unserved--
	}
	n.count--
	t.ranked(n)
	t.forget(n)
}

// forget drops a network without open connections. One with requests stays even
// after its connections are closed, since the requests may still be running. So
// does one whose connections linger.
func (t *table) forget(n *network) {
	if n.count == 0 && n.requests == (requests{}) && n.lingering == 0 {
		delete(t.networks, n.from)
	}
}

// ranked moves a network to its place in the ranking.
func (t *table) ranked(n *network) {
	switch idle := n.longest() != nil; {
	case idle && n.rank < 0:
		heap.Push(&t.ranks, n)
	case idle:
		heap.Fix(&t.ranks, n.rank)
	case n.rank >= 0:
		heap.Remove(&t.ranks, n.rank)
	}
}

// ranking is a heap of networks with idle connections: those with the most
// connections first, then those with the longest idle one. A network without a
// share, such as a proxy's, represents many clients; above a share its size
// does not count against it.
type ranking []*network

func (r ranking) Len() int { return len(r) }

func (r ranking) Less(i, j int) bool {
	a, b := min(r[i].count, r[i].most), min(r[j].count, r[j].most)
	if a != b {
		return a > b
	}
	return r[i].longest().since < r[j].longest().since
}

func (r ranking) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r[i].rank, r[j].rank = i, j
}

// Push implements heap.Interface.
func (r *ranking) Push(x any) {
	n, _ := x.(*network)
	n.rank = len(*r)
	*r = append(*r, n)
}

// Pop implements heap.Interface.
func (r *ranking) Pop() any {
	last := len(*r) - 1
	n := (*r)[last]
	(*r)[last] = nil
	*r = (*r)[:last]
	n.rank = -1
	return n
}

// list is a queue of connections that any of them can leave.
type list struct{ first, last *conn }

func (l *list) push(c *conn) {
	c.in, c.prev, c.next = l, l.last, nil
	if l.last == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
}

func (l *list) drop(c *conn) {
	if c.prev == nil {
		l.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		l.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.in, c.prev, c.next = nil, nil, nil
}
