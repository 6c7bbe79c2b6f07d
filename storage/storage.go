// Package storage is the interface between Hush's rules and the storage of
// bytes: ordered buckets of bytes in serializable transactions (Store), and
// fixed-size shares that are destroyed by overwriting them in place (Shares). A
// backend knows nothing of secrets; the packages above hold every rule.
package storage

import (
	"context"
	"errors"
	"time"
)

// The errors of this package. A backend may wrap them; callers compare them
// with errors.Is.
var (
	// ErrNotFound: the bucket has no such key.
	ErrNotFound = errors.New("storage: not found")
	// ErrShareGone: the slot has another generation than the given one, or its
	// share was destroyed, or its bytes are damaged.
	ErrShareGone = errors.New("storage: share is gone")
	// ErrFull: the disk is full. The update was not applied, nothing else was
	// affected, and the store keeps working.
	ErrFull = errors.New("storage: no space left")
	// ErrUnknownOutcome: the update may or may not have been applied: a sync
	// failed, or a database did not answer. A store on a local disk refuses
	// every further operation; the process must be restarted to learn the
	// outcome. One on another machine goes on.
	ErrUnknownOutcome = errors.New("storage: outcome unknown after an input/output error")
	// ErrUnavailable: the store cannot be reached at present. Nothing was
	// changed; the operation may be tried again.
	ErrUnavailable = errors.New("storage: unavailable")
	// ErrClosed: the store was closed before the operation began.
	ErrClosed = errors.New("storage: closed")
)

// Viewer is what rows are read from: a Store, or the rows of one that is stopped or that
// stands still for a moment.
type Viewer interface {
	// View runs fn on a consistent snapshot. Put, Delete and Change fail in it. No
	// method of the store may be called from inside fn.
	View(ctx context.Context, fn func(Tx) error) error
}

// Store keeps ordered buckets of bytes. Implementations are safe for
// concurrent use.
type Store interface {
	Viewer
	// Update runs fn in a serializable transaction and returns after the commit
	// is durable, even if fn fails. fn may run more than once, so it must
	// assign its results and never accumulate them. An error from fn discards
	// its writes and is returned unchanged. Once fn has run, ctx no longer
	// cancels the update. No method of the store may be called from inside fn.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close waits for running operations and releases the store.
	Close() error
}

// Tx is one transaction. It is valid until fn returns. Keys are 1 to 1,024
// bytes; values may be empty. Using a bucket creates it. Byte slices passed in
// must not change before fn returns.
type Tx interface {
	// Get returns the value of key, which the caller owns, or ErrNotFound.
	Get(bucket string, key []byte) ([]byte, error)
	// GetMany returns the values of keys in their order, nil for a missing one. The
	// caller owns them. An empty value is not nil.
	GetMany(bucket string, keys [][]byte) ([][]byte, error)
	// Same reports whether key has that value. A missing key has none.
	Same(bucket string, key, value []byte) (bool, error)
	// Put sets the value of key.
	Put(bucket string, key, value []byte) error
	// Delete removes key; a missing key is not an error.
	Delete(bucket string, key []byte) error
	// Range calls fn for each key with from <= key < to in ascending order; a
	// nil to means the end of the bucket. The slices are valid only during the
	// call, and fn must not write to that bucket. An error from fn ends the
	// walk and is returned.
	Range(bucket string, from, to []byte, fn func(key, value []byte) error) error
	// Change stores what fn returns as the value of key. fn gets the present value, nil
	// for a missing row, which it may overwrite and return; it is valid only during the
	// call. An error from fn is returned, and must fail the transaction. fn may read in
	// the transaction, and must not write in it. It is for a row that many updates of
	// one commit change: a store may write it once for all of them.
	Change(bucket, key string, fn func(value []byte) ([]byte, error)) error
	// NeedShare makes the update fail with ErrShareGone, and change nothing, unless the
	// database that it is committed to has the share in slot. It is for the update that
	// stores what the share opens. A database may be replaced by one that lacks its last
	// changes: a standby that lagged, or an older disk. Where that cannot be,
	// NeedShare does nothing.
	NeedShare(slot Slot)
}

// Reserver is implemented by stores that reserve space for updates that must
// succeed on a full disk.
type Reserver interface {
	// UpdateReserved is Update, and may use the reserved space. It is for
	// updates that end something and do not grow the database.
	UpdateReserved(ctx context.Context, fn func(Tx) error) error
}

// Clock is implemented by stores on another machine that tell their own time,
// which is the same for all who share the store.
type Clock interface {
	// Now returns the store's time.
	Now(ctx context.Context) (time.Time, error)
}
