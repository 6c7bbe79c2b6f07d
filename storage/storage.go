// Package storage is the interface between Hush's rules and the storage of
// bytes: ordered buckets of bytes in serializable transactions (Store),
// fixed-size shares that are destroyed by overwriting them in place (Shares), and
// long runs of bytes in parts (Blobs). A backend knows nothing of secrets; the
// packages above hold every rule.
//
// A backend implements Store, Tx and Shares with all their methods, and passes the
// suite in storagetest. Three things it may lack. It returns them, or nil, and a caller
// asks for them so, and never whether a store is something else as well:
//
//   - Store.Clock. Without it the store is one process's alone, and the time is that of
//     its machine.
//   - Store.Notifier. Without it the processes that share a store read now and then what
//     others changed.
//   - Shares.Recycler. Without it a slot is used once, and a start finds none that could
//     be used again.
//
// So what wraps a Store, a Tx or Shares passes on whatever it does not change, if it
// embeds them, and does not compile before it has every method, if it does not. Some
// methods do the same in several ways: Update and UpdateReserved; Put and PutMany; Get
// with GetMany and Same; Get and Put with Change. A wrapper that changes one of these
// must change the others.
package storage

import (
	"context"
	"errors"
	"time"
)

// The errors of this package. A backend may wrap them; callers compare them
// with errors.Is.
var (
	// ErrNotFound: the bucket has no such key, or there is no such blob.
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
	// View runs fn on a consistent snapshot. Put, Delete and Change fail in it, and
	// NeedShare has no meaning. fn must not call View, Update or UpdateReserved.
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
	// cancels the update. fn must not call View, Update or UpdateReserved.
	Update(ctx context.Context, fn func(Tx) error) error
	// UpdateReserved is Update, and may use space that the store holds in reserve, so
	// that it succeeds on a full disk. It is for updates that end something and do not
	// grow the database. A store without a reserve makes no difference.
	UpdateReserved(ctx context.Context, fn func(Tx) error) error
	// Waiting returns how many updates wait for a commit in this process; 0 for a store
	// in which none waits.
	Waiting() int
	// Observe makes the store report to o from now on. It is called once. A store that
	// makes nothing durable reports nothing.
	Observe(o Observer)
	// Clock returns the store's own clock. It is nil for a store that only this
	// process uses: then the time is that of this machine.
	Clock() Clock
	// Notifier returns what tells the other processes that share the store at once what
	// changed. It is nil where they find out by reading, or where there are none.
	Notifier() Notifier
	// Close waits for running operations and releases the store.
	Close() error
}

// Clock is that of a store on another machine. It is the same for all who share the
// store.
type Clock interface {
	// Now returns the store's time.
	Now(ctx context.Context) (time.Time, error)
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
