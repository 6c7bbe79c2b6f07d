package quota

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
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
	store cluster.Store
	clock *cluster.Clock
	done  atomic.Bool // the count is through; seen in the store

	mu     sync.Mutex
	read   map[countKey]reading
	tidied countKey // Tidy goes on behind it
}

// reading is what was read of who bytes count toward.
type reading struct {
	node        uint16
	age         func() time.Duration
	own, others tally
}

func newLedger(store cluster.Store, clock *cluster.Clock) *ledger {
	return &ledger{store: store, clock: clock, read: map[countKey]reading{}}
}

// Elsewhere is what other nodes counted a moment ago for who a charge counts
// toward, in the order of its keys.
type Elsewhere struct {
	node  uint16
	total tally
	who   []tally
}

// admit returns what other nodes counted, and ErrQuota if c fits no longer. It
// reads nothing if it did so a moment ago, unless c would be refused.
func (l *ledger) admit(ctx context.Context, c Charge, limits caller.Limits) (Elsewhere, error) {
	who := append([]countKey{newKey(kindTotal, nil)}, c.keys()...)
	if found, fresh := l.recall(who); fresh {
		if e, fits := c.fitsReadings(found, limits); fits {
			return e, nil
		}
	}
	found, err := l.look(ctx, who)
	if err != nil {
		return Elsewhere{}, err
	}
	e, fits := c.fitsReadings(found, limits)
	if !fits {
		return e, refusal.ErrQuota
	}
	return e, nil
}

// recall returns what was read a moment ago under the node's present number.
func (l *ledger) recall(who []countKey) (found []reading, fresh bool) {
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
func (l *ledger) look(ctx context.Context, who []countKey) (found []reading, err error) {
	node, ok := l.store.Node().Number()
	if !ok {
		return nil, cluster.ErrNodeLost
	}
	age := l.clock.Stopwatch()
	err = l.store.View(ctx, func(tx *rows.Tx) error {
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
func (c Charge) fitsReadings(found []reading, limits caller.Limits) (e Elsewhere, fits bool) {
	e = Elsewhere{node: found[0].node, total: found[0].others}
	sums := []tally{found[0].own.plus(found[0].others)}
	for _, r := range found[1:] {
		e.who = append(e.who, r.others)
		sums = append(sums, r.own.plus(r.others))
	}
	return e, c.fits(sums, limits)
}

// put counts c in the transaction that stores it, or returns ErrQuota before it
// writes anything.
func (l *ledger) put(tx *rows.Tx, c Charge, e Elsewhere, limits caller.Limits) error {
	node, shared := tx.Node()
	if !shared || node != e.node || len(e.who) != len(c.keys()) {
		return cluster.ErrNodeLost // another node took the number meanwhile
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
func (l *ledger) drop(tx *rows.Tx, c Charge) error {
	node, shared := tx.Node()
	if !shared {
		return cluster.ErrNodeLost
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	return c.add(tx, node, own, -1)
}

// load loads what a node added in all, and for each key of c.
func (c Charge) load(tx *rows.Tx, node uint16) ([]tally, error) {
	total, err := loadTally(tx, newKey(kindTotal, nil), node)
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
func (c Charge) add(tx *rows.Tx, node uint16, own []tally, sign int64) error {
	change := tally{Bytes: sign * c.size(), Secrets: sign * c.Secret}
	if c.Owner == "" && !c.unknown() {
		change.Anonymous = change.Bytes
	}
	if err := putTally(tx, newKey(kindTotal, nil), node, own[0].plus(change)); err != nil {
		return err
	}
	for i, who := range c.keys() {
		if err := putTally(tx, who, node, own[i+1].plus(tally{Bytes: change.Bytes})); err != nil {
			return err
		}
	}
	return nil
}

// part returns the parts of c that are counted: those of its secret and of its
// receipt. While the store is being counted, that is what the count has passed;
// it finds the rest.
func (l *ledger) part(tx *rows.Tx, c Charge, secret, metadata seal.RowKey) (Charge, error) {
	if l.done.Load() {
		return c, nil
	}
	s, err := LoadCursor(tx)
	if err != nil || s.Done {
		return c, err
	}
	if !passed(s.Secret, secret) {
		c.Secret = 0
	}
	if !passed(s.Metadata, metadata) {
		c.Receipt = 0
	}
	return c, nil
}

// claim adds the bytes of a claim in the transaction that makes it, or takes them
// away in that which ends it, for a negative sign. While the store is being
// counted, it does neither: the last step of the count finds all claims.
func (l *ledger) claim(tx *rows.Tx, c Charge, sign int64) error {
	node, shared := tx.Node()
	if !shared {
		return cluster.ErrNodeLost
	}
	if !l.done.Load() {
		if s, err := LoadCursor(tx); err != nil || !s.Done {
			return err
		}
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	return c.add(tx, node, own, sign)
}

// bytes returns the bytes of live secrets, without receipts.
func (l *ledger) bytes(ctx context.Context) (int64, error) {
	found, err := l.look(ctx, []countKey{newKey(kindTotal, nil)})
	if err != nil {
		return 0, err
	}
	return found[0].own.plus(found[0].others).Secrets, nil
}

// passed reports whether the count that came to cursor has passed row.
func passed(cursor, row seal.RowKey) bool { return bytes.Compare(row[:], cursor[:]) <= 0 }

// Counted reports whether a shared store is counted. One that was filled elsewhere, as by
// a copy, is not. It remembers that a store is.
func (u *Usage) Counted(ctx context.Context) (bool, error) { return u.ledger.counted(ctx) }

// AddCounted adds what a count of a shared store has found on its way to cursor, in the
// transaction that read it.
func (u *Usage) AddCounted(tx *rows.Tx, found []Charge, cursor Cursor) error {
	node, shared := tx.Node()
	if !shared {
		return cluster.ErrNodeLost
	}
	for _, c := range found {
		own, err := c.load(tx, node)
		if err != nil {
			return err
		}
		if err := c.add(tx, node, own, +1); err != nil {
			return err
		}
	}
	return cursor.put(tx)
}

// counted reports whether the store is counted, and remembers it.
func (l *ledger) counted(ctx context.Context) (bool, error) {
	if l.done.Load() {
		return true, nil
	}
	var s Cursor
	err := l.store.View(ctx, func(tx *rows.Tx) (err error) {
		s, err = LoadCursor(tx)
		return err
	})
	if err == nil && s.Done {
		l.done.Store(true)
	}
	return err == nil && s.Done, err
}
