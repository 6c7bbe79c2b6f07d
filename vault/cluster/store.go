package cluster

import (
	"context"
	"errors"

	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Store marks the storage's own failures as ErrUnavailable, so that the layers
// above do not depend on the storage's errors.
type Store struct {
	storage.Store
	diskSpace func() bool
	node      *Node       // nil if no other process shares the store
	ends      rows.EndLog // nil for none
}

// NewStore returns a store on a backend. diskSpace reports whether the disk may
// take more; nil means always.
func NewStore(backend storage.Store, diskSpace func() bool) Store {
	return Store{Store: backend, diskSpace: diskSpace}
}

// Node returns the node whose transactions the store runs, nil if no other
// process shares it.
func (s Store) Node() *Node { return s.node }

// View runs fn in a read transaction. On a shared store it returns a
// FormatError without running fn if this release can no longer read the store.
func (s Store) View(ctx context.Context, fn func(*rows.Tx) error) error {
	err := s.Store.View(ctx, func(backend storage.Tx) error {
		if s.node != nil {
			if err := s.node.admitView(backend); err != nil {
				return err
			}
		}
		return fn(rows.NewTx(backend, nil))
	})
	err = refusal.Unavailable(err)
	if s.node != nil {
		s.node.note(err)
	}
	return err
}

// Update runs fn in a transaction, possibly several times, and returns when it
// is durable. On a shared store it returns ErrNodeLost or ErrLeaseLost without
// running fn if the node may not write; see Store.Hold. If ctx comes from Checked,
// its check runs before fn. It returns when what ended in the transaction is in the
// log of ends, if there is one.
func (s Store) Update(ctx context.Context, fn func(*rows.Tx) error) error {
	err := s.update(ctx, s.Store.Update, fn)
	if errors.Is(err, storage.ErrShareGone) {
		return errors.Join(refusal.ErrUnavailable, err) // see Tx.NeedShare
	}
	return refusal.Unavailable(err)
}

// UpdateReserved is Update for what ends something, and for the steps that lead
// there. It succeeds on a full disk if the store holds space in reserve.
func (s Store) UpdateReserved(ctx context.Context, fn func(*rows.Tx) error) error {
	return refusal.Unavailable(s.update(ctx, s.Store.UpdateReserved, fn))
}

// update runs fn by a method of the backend, after what may refuse the update, and
// logs what ended.
func (s Store) update(ctx context.Context, run func(context.Context, func(storage.Tx) error) error, fn func(*rows.Tx) error) error {
	var tx *rows.Tx // of the last run
	var may writer  // what a node may write with
	if s.node != nil {
		may = s.node.writer(ctx)
	}
	check, _ := ctx.Value(checkKey{}).(func(*rows.Tx) error)
	err := run(ctx, func(backend storage.Tx) (err error) {
		if s.node == nil {
			tx = rows.NewTx(backend, s.ends)
		} else if tx, err = may.begin(backend, s.ends); err != nil {
			return err
		}
		if check != nil {
			if err := check(tx); err != nil {
				return err
			}
		}
		return fn(tx)
	})
	if err != nil || tx == nil || len(tx.Ended()) == 0 {
		return err
	}
	return s.ends.Follow(tx.Ended())
}

// Prune deletes the first rows of a bucket up to the key to, at most
// SweepBatch, and returns how many.
func (s Store) Prune(ctx context.Context, bucket string, to []byte) (n int, err error) {
	return s.PruneRange(ctx, bucket, nil, to)
}

// PruneRange is Prune for the rows from the key from on.
func (s Store) PruneRange(ctx context.Context, bucket string, from, to []byte) (n int, err error) {
	err = s.UpdateReserved(ctx, func(tx *rows.Tx) error {
		keys, err := rows.FirstKeysFrom(tx, bucket, from, to, rows.SweepBatch)
		if n = len(keys); err != nil {
			return err
		}
		return rows.DeleteAll(tx, bucket, keys)
	})
	return n, err
}

// CheckDiskSpace returns ErrUnavailable while the disk may not take more.
func (s Store) CheckDiskSpace() error {
	if s.diskSpace != nil && !s.diskSpace() {
		return refusal.Unavailable(storage.ErrFull)
	}
	return nil
}

// WithEnds returns the store with a log of what ends in its updates; see
// Tx.NoteEnd.
func (s Store) WithEnds(log rows.EndLog) Store {
	s.ends = log
	return s
}
