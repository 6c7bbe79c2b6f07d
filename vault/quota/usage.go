package quota

import (
	"context"
	"errors"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/rows"
)

// Usage counts the bytes of live secrets, receipts and claims: per account, per
// network, per /48, of all anonymous callers, and in total. On a store that no other
// node shares, it counts in memory, around the transactions: Reserve, Cancel, Release
// and SecretEnded. On one that nodes share, it counts in the store, in the
// transactions: Put, EndSecret, EndReceipt, PutClaim and EndClaim. Callers do both.
type Usage struct {
	ledger *ledger // nil on a store that no other node shares
	memory *memory // nil on a store that nodes share
}

// New returns the count of a store. It is empty, and the pass is still to run, unless
// nodes share the store: then the store has the count.
func New(store cluster.Store, clock *cluster.Clock) *Usage {
	if store.Node() != nil {
		return &Usage{ledger: newLedger(store, clock)}
	}
	return &Usage{memory: newMemory()}
}

// Shared reports whether nodes share the store: then the count is in it, and no pass
// has to be run.
func (u *Usage) Shared() bool { return u.ledger != nil }

// Reserve takes the bytes of c, or returns ErrQuota. On a shared store it takes
// none, and returns what Put needs.
func (u *Usage) Reserve(ctx context.Context, c Charge, limits caller.Limits) (Elsewhere, error) {
	if u.ledger != nil {
		return u.ledger.admit(ctx, c, limits)
	}
	return Elsewhere{}, u.memory.reserve(c, limits)
}

// Cancel gives back what was reserved for an update that failed with cause. If
// its outcome is unknown, the bytes stay counted: what was stored all the same
// gives them back when it ends.
func (u *Usage) Cancel(c Charge, cause error) {
	if !errors.Is(cause, storage.ErrUnknownOutcome) {
		u.Release(c)
	}
}

// Put counts c, of a secret and its receipt in these rows, in the transaction that
// stores them; c is reserved. It may return ErrQuota, before it writes anything.
func (u *Usage) Put(tx *rows.Tx, c Charge, e Elsewhere, limits caller.Limits, slot uint64, secret, metadata seal.RowKey) error {
	if u.ledger != nil {
		return u.ledger.put(tx, c, e, limits, secret, metadata)
	}
	u.memory.storing(slot, metadata)
	return nil
}

// MoveSecret says that a live secret has its share in another slot from now on.
func (u *Usage) MoveSecret(from, to uint64) {
	if u.memory != nil {
		u.memory.moving(from, to)
	}
}

// EndSecret uncounts c, of a secret, in the transaction that ends it. The rows are
// those of the secret and of its receipt. SecretEnded must follow once that
// transaction is durable, and gets counted: whether it has bytes to give back.
func (u *Usage) EndSecret(tx *rows.Tx, c Charge, slot uint64, secret, metadata seal.RowKey) (counted bool, err error) {
	if u.ledger != nil {
		return false, u.ledger.drop(tx, c, secret, metadata)
	}
	return u.memory.ending(secret, slot), nil
}

// SecretEnded is called once a secret has durably ended. counted is what EndSecret
// returned, c what the secret counted for, and claimed says that a claim keeps its
// content, and counts for as much until it ends.
func (u *Usage) SecretEnded(c Charge, counted, claimed bool) {
	switch {
	case counted && !claimed:
		u.Release(c)
	case claimed && !counted:
		u.AddClaim(c)
	}
}

// EndReceipt uncounts c, of a receipt, in the transaction that deletes it. The rows are
// those of its secret and of the receipt. Release must follow once that transaction
// is durable.
func (u *Usage) EndReceipt(tx *rows.Tx, c Charge, secret, metadata seal.RowKey) error {
	if u.ledger != nil {
		return u.ledger.drop(tx, c, secret, metadata)
	}
	u.memory.countReceipt(metadata, c)
	return nil
}

// PutClaim counts c, of a claim, in the transaction that makes it. SecretEnded does so
// on a store that is not shared.
func (u *Usage) PutClaim(tx *rows.Tx, c Charge) error {
	if u.ledger == nil {
		return nil
	}
	return u.ledger.changeClaim(tx, c, +1)
}

// EndClaim uncounts c, of a claim, in the transaction that ends it. Release must follow
// once that transaction is durable.
func (u *Usage) EndClaim(tx *rows.Tx, c Charge) error {
	if u.ledger == nil {
		return nil
	}
	return u.ledger.changeClaim(tx, c, -1)
}

// AddClaim counts the bytes of a claim that an earlier process has stored. On a shared
// store they are counted already, or its count adds them.
func (u *Usage) AddClaim(c Charge) {
	if u.memory != nil {
		u.memory.change(c, +1)
	}
}

// Release gives the bytes of c back. On a shared store the transaction did.
func (u *Usage) Release(c Charge) {
	if u.memory != nil {
		u.memory.change(c, -1)
	}
}

// ProcessBytes returns the bytes of live secrets, without receipts, as this process has
// counted them: zero on a shared store.
func (u *Usage) ProcessBytes() int64 {
	if u.memory == nil {
		return 0
	}
	return u.memory.secrets()
}

// LiveBytes returns the bytes of live secrets, without receipts.
func (u *Usage) LiveBytes(ctx context.Context) (int64, error) {
	if u.ledger != nil {
		return u.ledger.secrets(ctx)
	}
	return u.memory.secrets(), nil
}
