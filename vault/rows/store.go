package rows

import (
	"context"
	"errors"
	"time"

	"hush/storage"
	"hush/vault/refusal"
)

// Store marks the storage's own failures as ErrUnavailable, so that the layers
// above do not depend on the storage's errors.
type Store struct {
	storage.Store
	diskSpace func() bool
	node      *Node // nil if no other process shares the store
	ends      *EndLog
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
func (s Store) View(ctx context.Context, fn func(storage.Tx) error) error {
	return s.node.note(refusal.Unavailable(s.Store.View(ctx, s.node.guardView(fn))))
}

// Update runs fn in a transaction, possibly several times, and returns when it
// is durable. On a shared store it returns ErrNodeLost or ErrLeaseLost without
// running fn if the node may not write; see Store.Hold. If ctx comes from Checked,
// its check runs before fn. It returns when what ended in the transaction is in the
// log of ends, if there is one.
func (s Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	var ended []End
	err := s.Store.Update(ctx, s.noting(s.node.guard(ctx, checked(ctx, fn)), &ended))
	err = s.follow(ended, err)
	if errors.Is(err, storage.ErrShareGone) {
		return errors.Join(refusal.ErrUnavailable, err) // see NeedShare
	}
	return refusal.Unavailable(err)
}

// UpdateReserved is Update for what ends something, and for the steps that lead
// there. It succeeds on a full disk if the store holds space in reserve.
func (s Store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	if r, ok := s.Store.(storage.Reserver); ok {
		var ended []End
		err := r.UpdateReserved(ctx, s.noting(s.node.guard(ctx, checked(ctx, fn)), &ended))
		return refusal.Unavailable(s.follow(ended, err))
	}
	return s.Update(ctx, fn)
}

// Prune deletes the first rows of a bucket up to the key to, at most
// SweepBatch, and returns how many.
func (s Store) Prune(ctx context.Context, bucket string, to []byte) (n int, err error) {
	return s.pruneRange(ctx, bucket, nil, to)
}

// pruneRange is Prune for the rows from the key from on.
func (s Store) pruneRange(ctx context.Context, bucket string, from, to []byte) (n int, err error) {
	err = s.UpdateReserved(ctx, func(tx storage.Tx) error {
		keys, err := firstKeysFrom(tx, bucket, from, to, SweepBatch)
		if n = len(keys); err != nil {
			return err
		}
		return DeleteAll(tx, bucket, keys)
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

// End is something other than a secret that ends in a transaction, and that a log
// outside the store must have before the update returns.
type End struct {
	Kind byte // of package spent
	Row  []byte
	At   time.Time
	// Tag tells two ends of the same row apart.
	Tag [8]byte
	// Replaces is the tag of an earlier end of the same row that was still pending;
	// zero for none.
	Replaces [8]byte
}

// EndLog is a log of what ends. Its functions are those of package spent.
type EndLog struct {
	// Pend stores an end in the transaction that makes it, so that a crash before
	// Follow does not lose it. It returns the end as Follow gets it. ok is false
	// for one that is not logged. An error fails the transaction.
	Pend func(tx storage.Tx, e End) (pending End, ok bool, err error)
	// Follow logs the ends of a transaction that is durable, and returns when they
	// are durable in the log.
	Follow func(ends []End) error
}

// WithEnds returns the store with a log, to which its updates write what NoteEnd
// tells. A nil log is none.
func (s Store) WithEnds(log *EndLog) Store {
	s.ends = log
	return s
}

// NoteEnd tells that something ends in a transaction. On a store without a log it
// does nothing.
func NoteEnd(tx storage.Tx, e End) error {
	noting, ok := find[*endsTx](tx)
	if !ok {
		return nil
	}
	pending, ok, err := noting.log.Pend(tx, e)
	if ok && err == nil {
		noting.ends = append(noting.ends, pending)
	}
	return err
}

// endsTx is a transaction that remembers what ends in it.
type endsTx struct {
	storage.Tx
	log  *EndLog
	ends []End
}

// Unwrap implements Wrapper.
func (t *endsTx) Unwrap() storage.Tx { return t.Tx }

// Change implements storage.Changer.
func (t *endsTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.Change(t.Tx, bucket, key, fn)
}

// Same implements storage.Comparer.
func (t *endsTx) Same(bucket string, key, value []byte) (bool, error) {
	return storage.Same(t.Tx, bucket, key, value)
}

// noting returns fn for a transaction, of which ended gets what the last run of fn
// ended.
func (s Store) noting(fn func(storage.Tx) error, ended *[]End) func(storage.Tx) error {
	if s.ends == nil {
		return fn
	}
	return func(tx storage.Tx) error {
		noting := &endsTx{Tx: tx, log: s.ends}
		err := fn(noting)
		*ended = noting.ends
		return err
	}
}

// follow logs what ended in an update with that outcome.
func (s Store) follow(ended []End, outcome error) error {
	if outcome != nil || len(ended) == 0 {
		return outcome
	}
	return s.ends.Follow(ended)
}
