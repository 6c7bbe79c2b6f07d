package secret

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/quota"
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
	read   map[quota.Key]reading
	tidied quota.Key // TidyUsage goes on behind it
}

// reading is what was read of who bytes count toward.
type reading struct {
	node        uint16
	age         func() time.Duration
	own, others quota.Tally
}

func newLedger(store cluster.Store, clock *cluster.Clock) *ledger {
	return &ledger{store: store, clock: clock, read: map[quota.Key]reading{}}
}

// elsewhere is what other nodes counted a moment ago for who a charge counts
// toward, in the order of its keys.
type elsewhere struct {
	node  uint16
	total quota.Tally
	who   []quota.Tally
}

// admit returns what other nodes counted, and ErrQuota if c fits no longer. It
// reads nothing if it did so a moment ago, unless c would be refused.
func (l *ledger) admit(ctx context.Context, c charge, limits caller.Limits) (elsewhere, error) {
	who := append([]quota.Key{quota.NewKey(quota.KindTotal, nil)}, c.keys()...)
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
func (l *ledger) recall(who []quota.Key) (found []reading, fresh bool) {
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
func (l *ledger) look(ctx context.Context, who []quota.Key) (found []reading, err error) {
	node, ok := l.store.Node().Number()
	if !ok {
		return nil, cluster.ErrNodeLost
	}
	age := l.clock.Stopwatch()
	err = l.store.View(ctx, func(tx *rows.Tx) error {
		found = found[:0]
		for _, k := range who {
			r := reading{node: node, age: age}
			if r.own, r.others, err = quota.SumTallies(tx, k, node); err != nil {
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
	sums := []quota.Tally{found[0].own.Plus(found[0].others)}
	for _, r := range found[1:] {
		e.who = append(e.who, r.others)
		sums = append(sums, r.own.Plus(r.others))
	}
	return e, c.fits(sums, limits)
}

// fits reports whether c fits every limit beside what is counted already: in
// all, and for each of its keys.
func (c charge) fits(counted []quota.Tally, limits caller.Limits) bool {
	size := c.size()
	if counted[0].Bytes+size > limits.TotalBytes {
		return false
	}
	if c.owner == "" && !c.unknown() && counted[0].Anonymous+size > limits.AnonymousBytes() {
		return false
	}
	for i, who := range c.keys() {
		if counted[i+1].Bytes+size > limitOf(who, limits) {
			return false
		}
	}
	return true
}

// limitOf returns the maximum bytes of an account, a network or a /48.
func limitOf(who quota.Key, limits caller.Limits) int64 {
	switch who[0] {
	case quota.KindAccount:
		return limits.AccountBytes
	case quota.KindWide:
		return limits.WideBytes()
	default:
		return limits.NetworkBytes
	}
}

// keys returns who c counts toward besides the total: an account, or a network
// and a /48, or no one.
func (c charge) keys() []quota.Key {
	switch {
	case c.unknown():
		return nil
	case c.owner != "":
		return []quota.Key{quota.NewKey(quota.KindAccount, []byte(c.owner))}
	case c.wide == [8]byte{}:
		return []quota.Key{quota.NewKey(quota.KindNetwork, c.network[:])}
	}
	return []quota.Key{quota.NewKey(quota.KindNetwork, c.network[:]), quota.NewKey(quota.KindWide, c.wide[:])}
}

// put counts c in the transaction that stores it, or returns ErrQuota before it
// writes anything.
func (l *ledger) put(tx *rows.Tx, c charge, e elsewhere, limits caller.Limits) error {
	node, shared := tx.Node()
	if !shared || node != e.node || len(e.who) != len(c.keys()) {
		return cluster.ErrNodeLost // another node took the number meanwhile
	}
	own, err := c.load(tx, node)
	if err != nil {
		return err
	}
	counted := []quota.Tally{own[0].Plus(e.total)}
	for i, others := range e.who {
		counted = append(counted, own[i+1].Plus(others))
	}
	if !c.fits(counted, limits) {
		return refusal.ErrQuota
	}
	return c.add(tx, node, own, +1)
}

// drop uncounts c in the transaction that ends it.
func (l *ledger) drop(tx *rows.Tx, c charge) error {
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
func (c charge) load(tx *rows.Tx, node uint16) ([]quota.Tally, error) {
	total, err := quota.LoadTally(tx, quota.NewKey(quota.KindTotal, nil), node)
	own := []quota.Tally{total}
	for _, who := range c.keys() {
		if err != nil {
			return nil, err
		}
		total, err = quota.LoadTally(tx, who, node)
		own = append(own, total)
	}
	return own, err
}

// add stores own with c added to it once, or taken from it for a negative sign.
func (c charge) add(tx *rows.Tx, node uint16, own []quota.Tally, sign int64) error {
	change := quota.Tally{Bytes: sign * c.size(), Secrets: sign * c.secret}
	if c.owner == "" && !c.unknown() {
		change.Anonymous = change.Bytes
	}
	if err := quota.PutTally(tx, quota.NewKey(quota.KindTotal, nil), node, own[0].Plus(change)); err != nil {
		return err
	}
	for i, who := range c.keys() {
		if err := quota.PutTally(tx, who, node, own[i+1].Plus(quota.Tally{Bytes: change.Bytes})); err != nil {
			return err
		}
	}
	return nil
}

// part returns the parts of c that are counted: those of its secret and of its
// receipt. While the store is being counted, that is what the count has passed;
// it finds the rest.
func (l *ledger) part(tx *rows.Tx, c charge, secret, metadata seal.RowKey) (charge, error) {
	if l.done.Load() {
		return c, nil
	}
	s, err := quota.LoadCursor(tx)
	if err != nil || s.Done {
		return c, err
	}
	if !passed(s.Secret, secret) {
		c.secret = 0
	}
	if !passed(s.Metadata, metadata) {
		c.receipt = 0
	}
	return c, nil
}

// claim adds the bytes of a claim in the transaction that makes it, or takes them
// away in that which ends it, for a negative sign. While the store is being
// counted, it does neither: the last step of the count finds all claims.
func (l *ledger) claim(tx *rows.Tx, c charge, sign int64) error {
	node, shared := tx.Node()
	if !shared {
		return cluster.ErrNodeLost
	}
	if !l.done.Load() {
		if s, err := quota.LoadCursor(tx); err != nil || !s.Done {
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
	found, err := l.look(ctx, []quota.Key{quota.NewKey(quota.KindTotal, nil)})
	if err != nil {
		return 0, err
	}
	return found[0].own.Plus(found[0].others).Secrets, nil
}
