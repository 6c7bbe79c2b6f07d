package secret

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const (
	// ledgerFresh is how long a node trusts what it read of other nodes. What
	// they admit meanwhile is the most that a limit can be exceeded by.
	ledgerFresh = time.Second
	// ledgerMost bounds the memory of what was read, to about 2 MiB.
	ledgerMost = 10_000
)

// ledger counts bytes in the store, for nodes that share it. Each node adds to
// rows of its own, in the transaction of what it counts, so the sum of all rows
// is exact at any moment, whatever becomes of a node, and no row is written by
// two. A limit is checked in that transaction, against the node's own row as it
// is and the rows of the others as they were a moment ago: reading those there
// would make the nodes wait for each other.
type ledger struct {
	store rows.Store
	clock *rows.Clock
	done  atomic.Bool // the count is through; seen in the store

	mu     sync.Mutex
	read   map[usageKey]reading
	tidied usageKey // TidyUsage goes on behind it
}

// reading is what was read of who bytes count toward.
type reading struct {
	node        uint16
	age         func() time.Duration
	own, others tally
}

func newLedger(store rows.Store, clock *rows.Clock) *ledger {
	return &ledger{store: store, clock: clock, read: map[usageKey]reading{}}
}

// elsewhere is what other nodes counted a moment ago for who a charge counts
// toward, in the order of its keys.
type elsewhere struct {
	node  uint16
	total tally
	who   []tally
}

// admit returns what other nodes counted, and ErrQuota if c fits no longer. It
// reads nothing if it did so a moment ago, unless c would be refused.
func (l *ledger) admit(ctx context.Context, c charge, limits caller.Limits) (elsewhere, error) {
	who := append([]usageKey{newUsageKey(usageTotal, nil)}, c.keys()...)
	if found, fresh := l.recall(who); fresh {
		if e, fits := c.fitsReadings(found, limits); fits {
			return e, nil
		}
	}
	found, err := l.look(ctx, who)
	if err != nil {
		return elsewhere{}, err
	}
	e, fits := c.fitsReadings(found, limits)
	if !fits {
		return e, refusal.ErrQuota
	}
	return e, nil
}

// recall returns what was read a moment ago under the node's present number.
func (l *ledger) recall(who []usageKey) (found []reading, fresh bool) {
	node, ok := l.store.Node().Number()
	if !ok {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range who {
		r, known := l.read[k]
		if !known || r.node != node || r.age() >= ledgerFresh {
			return nil, false
		}
		found = append(found, r)
	}
	return found, true
}

// look reads rows of all nodes.
func (l *ledger) look(ctx context.Context, who []usageKey) (found []reading, err error) {
	node, ok := l.store.Node().Number()
	if !ok {
		return nil, rows.ErrNodeLost
	}
	age := l.clock.Stopwatch()
	err = l.store.View(ctx, func(tx storage.Tx) error {
		found = found[:0]
		for _, k := range who {
			r := reading{node: node, age: age}
			if r.own, r.others, err = sumTallies(tx, k, node); err != nil {
				return err
			}
			found = append(found, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.read)+len(who) > ledgerMost {
		clear(l.read)
	}
	for i, k := range who {
		l.read[k] = found[i]
	}
	return found, nil
}

// fitsReadings reports whether c fits every limit as far as it was read, of the
// total first, and returns what the other nodes have.
func (c charge) fitsReadings(found []reading, limits caller.Limits) (e elsewhere, fits bool) {
	e = elsewhere{node: found[0].node, total: found[0].others}
	sums := []tally{found[0].own.plus(found[0].others)}
	for _, r := range found[1:] {
		e.who = append(e.who, r.others)
		sums = append(sums, r.own.plus(r.others))
	}
	return e, c.fits(sums, limits)
}

// fits reports whether c fits every limit beside what is counted already: in
// all, and for each of its keys.
func (c charge) fits(counted []tally, limits caller.Limits) bool {
	size := c.size()
	if counted[0].bytes+size > limits.TotalBytes {
		return false
	}
	if c.owner == "" && !c.unknown() && counted[0].anonymous+size > limits.AnonymousBytes() {
		return false
	}
	for i, who := range c.keys() {
		if counted[i+1].bytes+size > who.limit(limits) {
			return false
		}
	}
	return true
}

// limit returns the maximum bytes of an account, a network or a /48.
func (k usageKey) limit(limits caller.Limits) int64 {
	switch k[0] {
	case usageAccount:
		return limits.AccountBytes
	case usageWide:
		return limits.WideBytes()
	default:
		return limits.NetworkBytes
	}
}

// put counts c in the transaction that stores it, or returns ErrQuota before it
// writes anything.
func (l *ledger) put(tx storage.Tx, c charge, e elsewhere, limits caller.Limits) error {
	node, shared := rows.NodeNumber(tx)
	if !shared || node != e.node || len(e.who) != len(c.keys()) {
		return rows.ErrNodeLost // another node took the number meanwhile
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	counted := []tally{own[0].plus(e.total)}
	for i, others := range e.who {
		counted = append(counted, own[i+1].plus(others))
	}
	if !c.fits(counted, limits) {
		return refusal.ErrQuota
	}
	return c.add(tx, node, own, +1)
}

// drop uncounts c in the transaction that ends it.
func (l *ledger) drop(tx storage.Tx, c charge) error {
	node, shared := rows.NodeNumber(tx)
	if !shared {
		return rows.ErrNodeLost
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	return c.add(tx, node, own, -1)
}

// load loads what a node added in all, and for each key of c.
func (c charge) load(tx storage.Tx, node uint16) ([]tally, error) {
	total, err := loadTally(tx, newUsageKey(usageTotal, nil), node)
	own := []tally{total}
	for _, who := range c.keys() {
		if err != nil {
			return nil, err
		}
		total, err = loadTally(tx, who, node)
		own = append(own, total)
	}
	return own, err
}

// add stores own with c added to it once, or taken from it for a negative sign.
func (c charge) add(tx storage.Tx, node uint16, own []tally, sign int64) error {
	change := tally{bytes: sign * c.size(), secrets: sign * c.secret}
	if c.owner == "" && !c.unknown() {
		change.anonymous = change.bytes
	}
	if err := putTally(tx, newUsageKey(usageTotal, nil), node, own[0].plus(change)); err != nil {
		return err
	}
	for i, who := range c.keys() {
		if err := putTally(tx, who, node, own[i+1].plus(tally{bytes: change.bytes})); err != nil {
			return err
		}
	}
	return nil
}

// part returns the parts of c that are counted: those of its secret and of its
// receipt. While the store is being counted, that is what the count has passed;
// it finds the rest.
func (l *ledger) part(tx storage.Tx, c charge, secret, metadata seal.RowKey) (charge, error) {
	if l.done.Load() {
		return c, nil
	}
	s, err := loadUsageCursor(tx)
	if err != nil || s.done {
		return c, err
	}
	if !s.passed(s.secret, secret) {
		c.secret = 0
	}
	if !s.passed(s.metadata, metadata) {
		c.receipt = 0
	}
	return c, nil
}

// bytes returns the bytes of live secrets, without receipts.
func (l *ledger) bytes(ctx context.Context) (int64, error) {
	found, err := l.look(ctx, []usageKey{newUsageKey(usageTotal, nil)})
	if err != nil {
		return 0, err
	}
	return found[0].own.plus(found[0].others).secrets, nil
}
