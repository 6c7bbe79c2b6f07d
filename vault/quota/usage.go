package quota

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Usage counts the bytes of live secrets and receipts: per account, per
// network, per /48, of all anonymous callers, and in total. Every start counts
// anew: the background pass adds what it finds while secrets come and go. Until
// the pass is finished, the count may be too low but never too high.
//
// On a store that nodes share, the ledger counts in the store instead, and Put
// and Drop do in a transaction what Reserve and Release do around it.
type Usage struct {
	ledger *ledger // nil on a store that no other node shares

	mu        sync.Mutex
	total     int64
	secrets   int64 // of total, without receipts
	anonymous int64
	accounts  map[string]int64
	networks  map[[8]byte]int64
	wides     map[[8]byte]int64
	skipped   map[uint64]struct{} // slots that ended before the pass counted them
	pass      *pass               // nil once the pass is finished
}

// New returns the count of a store. It is empty, and the background pass is still to
// run, unless nodes share the store: then the store has the count.
func New(store cluster.Store, clock *cluster.Clock) *Usage {
	u := newCount()
	if store.Node() != nil {
		u.ledger = newLedger(store, clock)
	}
	return u
}

// newCount returns an empty count of a store that no other node shares.
func newCount() *Usage {
	return &Usage{
		accounts: map[string]int64{},
		networks: map[[8]byte]int64{},
		wides:    map[[8]byte]int64{},
		skipped:  map[uint64]struct{}{},
		pass:     &pass{own: map[uint64]struct{}{}, adopted: map[seal.RowKey]struct{}{}},
	}
}

// Reserve takes the bytes of c, or returns ErrQuota. On a shared store it takes
// none, and returns what Put needs.
func (u *Usage) Reserve(ctx context.Context, c Charge, limits caller.Limits) (Elsewhere, error) {
	if u.ledger != nil {
		return u.ledger.admit(ctx, c, limits)
	}
	return Elsewhere{}, u.take(c, limits)
}

// take is Reserve on a store that no other node shares.
func (u *Usage) take(c Charge, limits caller.Limits) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.admits(c, limits) {
		return refusal.ErrQuota
	}
	u.add(c)
	return nil
}

// Put counts c, of a secret and a receipt in these rows, in the transaction that
// stores them. It may return ErrQuota, before it writes anything.
func (u *Usage) Put(tx *rows.Tx, c Charge, e Elsewhere, limits caller.Limits, secret, metadata seal.RowKey) error {
	if u.ledger == nil {
		return nil
	}
	c, err := u.ledger.part(tx, c, secret, metadata)
	if err != nil {
		return err
	}
	return u.ledger.put(tx, c, e, limits)
}

// Drop uncounts c, of a secret or a receipt in these rows, in the transaction
// that ends it.
func (u *Usage) Drop(tx *rows.Tx, c Charge, secret, metadata seal.RowKey) error {
	if u.ledger == nil {
		return nil
	}
	c, err := u.ledger.part(tx, c, secret, metadata)
	if err != nil {
		return err
	}
	return u.ledger.drop(tx, c)
}

// admits reports whether c fits every limit that it counts toward.
func (u *Usage) admits(c Charge, limits caller.Limits) bool {
	size := c.size()
	switch {
	case u.total+size > limits.TotalBytes:
		return false
	case c.unknown():
		return true
	case c.Owner != "":
		return u.accounts[c.Owner]+size <= limits.AccountBytes
	case u.anonymous+size > limits.AnonymousBytes(), u.networks[c.Network]+size > limits.NetworkBytes:
		return false
	}
	return c.Wide == [8]byte{} || u.wides[c.Wide]+size <= limits.WideBytes()
}

// Release gives the bytes of c back. On a shared store Drop did.
func (u *Usage) Release(c Charge) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	c.Secret, c.Receipt = -c.Secret, -c.Receipt
	u.add(c)
}

// Settle is called once a secret has durably ended. counted says whether its bytes
// c were counted, and claimed whether a claim keeps them, which counts them until
// it ends.
func (u *Usage) Settle(c Charge, counted, claimed bool) {
	switch {
	case counted && !claimed:
		u.Release(c)
	case claimed && !counted:
		u.FoundClaim(c)
	}
}

// Claim counts the bytes of a claim in the transaction that makes it, or uncounts
// them in that which ends it, for a negative sign. Settle and Release do so around
// it on a store that is not shared.
func (u *Usage) Claim(tx *rows.Tx, c Charge, sign int64) error {
	if u.ledger == nil {
		return nil
	}
	return u.ledger.claim(tx, c, sign)
}

// FoundClaim counts the bytes of a claim. On a shared store Claim did, or its count
// does.
func (u *Usage) FoundClaim(c Charge) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(c)
}

func (u *Usage) add(c Charge) {
	size := c.size()
	u.total += size
	u.secrets += c.Secret
	switch {
	case c.unknown():
		return
	case c.Owner != "":
		addBytes(u.accounts, c.Owner, size)
		return
	}
	u.anonymous += size
	addBytes(u.networks, c.Network, size)
	if c.Wide != [8]byte{} {
		addBytes(u.wides, c.Wide, size)
	}
}

// addBytes adds size to the count of who. It deletes a count that reaches zero.
func addBytes[K comparable](kept map[K]int64, who K, size int64) {
	if left := kept[who] + size; left > 0 {
		kept[who] = left
	} else {
		delete(kept, who)
	}
}

// Cancel gives back what was reserved for an update that failed with cause. If
// its outcome is unknown, the bytes stay counted: what was stored all the same
// gives them back when it ends.
func (u *Usage) Cancel(c Charge, cause error) {
	if !errors.Is(cause, storage.ErrUnknownOutcome) {
		u.Release(c)
	}
}

// Handed records that this process is about to write a secret to slot, and its
// receipt. Both are counted already.
func (u *Usage) Handed(slot uint64, receipt seal.RowKey) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.skipped, slot)
	if u.pass != nil {
		u.pass.own[slot] = struct{}{}
		u.pass.adopted[receipt] = struct{}{}
	}
}

// Touch records that a secret is about to end. It reports whether its bytes
// were counted, so that only those are released. If the end fails and is tried
// again after the pass, Touch returns the same.
func (u *Usage) Touch(row seal.RowKey, slot uint64) (counted bool) {
	if u.ledger != nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, skipped := u.skipped[slot]; skipped {
		return false
	}
	if u.pass == nil {
		return true
	}
	if _, own := u.pass.own[slot]; own {
		return true
	}
	if bytes.Compare(row[:], u.pass.cursor[:]) <= 0 {
		return true
	}
	u.skipped[slot] = struct{}{}
	return false
}

// Adopt records that a receipt is about to change or to be deleted. If the pass
// has not counted it yet, Adopt counts it now as c, its charge as stored.
func (u *Usage) Adopt(row seal.RowKey, c Charge) {
	if u.ledger != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pass == nil || bytes.Compare(row[:], u.pass.receipts[:]) <= 0 {
		return
	}
	if _, adopted := u.pass.adopted[row]; adopted {
		return
	}
	u.pass.adopted[row] = struct{}{}
	u.add(c)
}

// ProcessBytes returns the bytes of live secrets, without receipts, as this process has
// counted them: zero on a shared store.
func (u *Usage) ProcessBytes() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.secrets
}

// LiveBytes returns the bytes of live secrets, without receipts.
func (u *Usage) LiveBytes(ctx context.Context) (int64, error) {
	if u.ledger != nil {
		return u.ledger.bytes(ctx)
	}
	return u.ProcessBytes(), nil
}

// Shared reports whether nodes share the store: then the count is in it, and no pass
// has to be run.
func (u *Usage) Shared() bool { return u.ledger != nil }
