package quota

import (
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

// reading is what was read of a key.
type reading struct {
	node        uint16
	age         func() time.Duration
	own, others tally
}

func newLedger(store cluster.Store, clock *cluster.Clock) *ledger {
	return &ledger{store: store, clock: clock, read: map[countKey]reading{}}
}

// Elsewhere is what other nodes counted a moment ago for the keys of a charge.
type Elsewhere struct {
	node    uint16 // that asked
	keys    int
	counted tallies
}

// readings are what was read of the keys of a charge, in their order.
type readings []reading

// elsewhere returns what the other nodes counted.
func (r readings) elsewhere() Elsewhere {
	e := Elsewhere{node: r[0].node, keys: len(r)}
	for i := range r {
		e.counted[i] = r[i].others
	}
	return e
}

// own returns what this node counted.
func (r readings) own() (t tallies) {
	for i := range r {
		t[i] = r[i].own
	}
	return t
}

// admit returns what other nodes counted, and ErrQuota if c fits no longer. It
// reads nothing if it did so a moment ago, unless c would be refused.
func (l *ledger) admit(ctx context.Context, c Charge, limits caller.Limits) (Elsewhere, error) {
	keys := c.keys()
	fits := func(r readings) bool { return c.fits(r.own().plus(r.elsewhere().counted), limits) }
	if recent, ok := l.recent(keys); ok && fits(recent) {
		return recent.elsewhere(), nil
	}
	present, err := l.readNow(ctx, keys)
	if err != nil {
		return Elsewhere{}, err
	}
	if !fits(present) {
		err = refusal.ErrQuota
	}
	return present.elsewhere(), err
}

// recent returns what was read a moment ago under the node's present number, and false
// if that is not known of all keys.
func (l *ledger) recent(keys []countKey) (recent readings, ok bool) {
	node, ok := l.store.Node().Number()
	if !ok {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		r, known := l.read[k]
		if !known || r.node != node || r.age() >= ledgerFresh {
			return nil, false
		}
		recent = append(recent, r)
	}
	return recent, true
}

// readNow reads the rows of all nodes.
func (l *ledger) readNow(ctx context.Context, keys []countKey) (present readings, err error) {
	node, ok := l.store.Node().Number()
	if !ok {
		return nil, cluster.ErrNodeLost
	}
	age := l.clock.Stopwatch()
	err = l.store.View(ctx, func(tx *rows.Tx) error {
		present = present[:0]
		for _, k := range keys {
			r := reading{node: node, age: age}
			if r.own, r.others, err = sumTallies(tx, k, node); err != nil {
				return err
			}
			present = append(present, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.read)+len(keys) > ledgerMost {
		clear(l.read)
	}
	for i, k := range keys {
		l.read[k] = present[i]
	}
	return present, nil
}

// put counts c, of a secret and a receipt in these rows, in the transaction that stores
// them, or returns ErrQuota before it writes anything.
func (l *ledger) put(tx *rows.Tx, c Charge, e Elsewhere, limits caller.Limits, secret, metadata seal.RowKey) error {
	c, err := l.part(tx, c, secret, metadata)
	if err != nil {
		return err
	}
	node, shared := tx.Node()
	if !shared || node != e.node || len(c.keys()) != e.keys {
		return cluster.ErrNodeLost // another node took the number meanwhile
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	if !c.fits(own.plus(e.counted), limits) {
		return refusal.ErrQuota
	}
	return c.store(tx, node, own, +1)
}

// drop uncounts c, of a secret or a receipt in these rows, in the transaction that ends
// it.
func (l *ledger) drop(tx *rows.Tx, c Charge, secret, metadata seal.RowKey) error {
	c, err := l.part(tx, c, secret, metadata)
	if err != nil {
		return err
	}
	return c.change(tx, -1)
}

// changeClaim adds c, of a claim, in the transaction that makes it, or takes it away in
// that which ends it, for a negative sign. While the store is being counted, it does
// neither: the last step of the count adds all claims.
func (l *ledger) changeClaim(tx *rows.Tx, c Charge, sign int64) error {
	if _, shared := tx.Node(); !shared {
		return cluster.ErrNodeLost
	}
	if !l.done.Load() {
		if s, err := LoadCursor(tx); err != nil || !s.Done {
			return err
		}
	}
	return c.change(tx, sign)
}

// change adds c to what the node of the transaction counted, or takes it away for a
// negative sign.
func (c Charge) change(tx *rows.Tx, sign int64) error {
	node, shared := tx.Node()
	if !shared {
		return cluster.ErrNodeLost
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	return c.store(tx, node, own, sign)
}

// load loads what a node counted for the keys of c.
func (c Charge) load(tx *rows.Tx, node uint16) (own tallies, err error) {
	for i, who := range c.keys() {
		if own[i], err = loadTally(tx, who, node); err != nil {
			return own, err
		}
	}
	return own, nil
}

// store stores own, which load returned, with c added to it, or taken away from it for
// a negative sign.
func (c Charge) store(tx *rows.Tx, node uint16, own tallies, sign int64) error {
	change := c.ofTotal(sign)
	for i, who := range c.keys() {
		if err := putTally(tx, who, node, own[i].plus(change)); err != nil {
			return err
		}
		change = tally{Bytes: sign * c.size()} // of all others
	}
	return nil
}

// ofTotal returns what c adds to the tally of all, or takes from it for a negative
// sign.
func (c Charge) ofTotal(sign int64) tally {
	t := tally{Bytes: sign * c.size(), Secrets: sign * c.Secret}
	if c.Owner == "" && !c.unknown() {
		t.Anonymous = t.Bytes
	}
	return t
}

// part returns the parts of c that are counted: those of its secret and of its
// receipt. While the store is being counted, that is what the count has passed;
// it adds the rest.
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

// secrets returns the bytes of live secrets, without receipts.
func (l *ledger) secrets(ctx context.Context) (int64, error) {
	present, err := l.readNow(ctx, []countKey{newKey(kindTotal, nil)})
	if err != nil {
		return 0, err
	}
	return present[0].own.plus(present[0].others).Secrets, nil
}

// Counted reports whether a shared store is counted. One that was filled elsewhere, as by
// a copy, is not. It remembers that a store is.
func (u *Usage) Counted(ctx context.Context) (bool, error) { return u.ledger.counted(ctx) }

// AddCounted adds what a count of a shared store has read on its way to cursor, in the
// transaction that read it.
func (u *Usage) AddCounted(tx *rows.Tx, read []Charge, cursor Cursor) error {
	for _, c := range read {
		if err := c.change(tx, +1); err != nil {
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
