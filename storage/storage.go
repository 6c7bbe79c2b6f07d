// Package storage is the narrow waist between Hush's rules and the places
// where bytes are kept: ordered buckets of bytes in serializable transactions
// (Store), and fixed-size shares that are destroyed by overwriting them
// (Shares). A backend knows nothing of secrets; every rule lives above.
package storage

import (
	"context"
	"errors"
)

// The errors of this package. A backend returns them wrapped or as they are;
// callers recognise them with errors.Is.
var (
	// ErrNotFound: the bucket holds no such key.
	ErrNotFound = errors.New("storage: not found")
	// ErrShareGone: the slot holds another generation than the one asked for,
	// or its share was destroyed, or its bytes are damaged.
	ErrShareGone = errors.New("storage: share is gone")
	// ErrFull: the disk has no room. The update was not applied, nothing else
	// was harmed, and the store goes on.
	ErrFull = errors.New("storage: no space left")
	// ErrUnknownOutcome: a sync failed, so the update may or may not have
	// been applied. The store refuses every further operation; the process
	// has to stop and start again to learn the truth.
	ErrUnknownOutcome = errors.New("storage: outcome unknown after an input/output error")
	// ErrClosed: the store was closed before the operation began.
	ErrClosed = errors.New("storage: closed")
)

// Store keeps ordered buckets of bytes. Implementations are safe for
// concurrent use. Neither method may be called from inside fn.
type Store interface {
	// View runs fn on a consistent snapshot. Puts and deletes in it fail.
	View(ctx context.Context, fn func(Tx) error) error
	// Update runs fn in a serializable transaction and returns after the
	// commit is durable, errors of fn included. fn may run more than once,
	// so it assigns its results and never accumulates them. An error from fn
	// discards its writes and is returned as it is. Once fn has run, ctx no
	// longer cancels the update.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close waits for running operations and releases the store.
	Close() error
}

// Tx is one transaction. It is valid until fn returns. Keys are 1 to 1,024
// bytes; values may be empty. Buckets exist by being used. Byte slices passed
// in must not change before fn returns.
type Tx interface {
	// Get returns the value of key, which the caller owns, or ErrNotFound.
	Get(bucket string, key []byte) ([]byte, error)
	// Put sets the value of key.
	Put(bucket string, key, value []byte) error
	// Delete removes key; removing what is not there is no error.
	Delete(bucket string, key []byte) error
	// Range calls fn for each key with from <= key < to in ascending order; a
	// nil to means the end of the bucket. The slices are valid only during the
	// call, and fn must not write to the bucket it ranges over. An error from
	// fn ends the walk and is returned.
	Range(bucket string, from, to []byte, fn func(key, value []byte) error) error
}

// Reserver is implemented by stores that keep room back for what must go on
// when the disk is full.
type Reserver interface {
	// UpdateReserved is Update, and may use that room. It is for updates that
	// end something, and that leave no more behind than they take away.
	UpdateReserved(ctx context.Context, fn func(Tx) error) error
}

// ShareSize is the length in bytes of one share.
const ShareSize = 32

// Slot names the place of one share. A number is used again for later shares,
// each with a higher generation.
type Slot struct {
	Number     uint64
	Generation uint64
}

// Shares keeps shares of ShareSize bytes in slots that are overwritten where
// they lie. Implementations are safe for concurrent use, and each method that
// changes something returns after the change is durable; all who wait at the
// same time share one sync.
type Shares interface {
	// Put writes share into a free slot.
	Put(ctx context.Context, share [ShareSize]byte) (Slot, error)
	// Get returns the share in slot, or ErrShareGone.
	Get(ctx context.Context, slot Slot) ([ShareSize]byte, error)
	// Destroy overwrites the shares in slots. A slot whose stored generation
	// is newer than the one named is left alone. Destroyed slots are not
	// handed out again before Release.
	Destroy(ctx context.Context, slots ...Slot) error
}

// Recycler is implemented by Shares whose slots are used again. Its methods
// only keep account of free slots in memory.
//
// After the start nothing is known of which old slots are free, so new shares
// go to the end of the file. A background pass above walks every live record
// and tells of each with Used; Reclaim then frees all slots that are older
// than the start and were neither reported nor released nor touched.
type Recycler interface {
	// Release gives destroyed slots back. Call it only after the record that
	// listed them for destruction is durably gone.
	Release(slots ...Slot)
	// Touch says that the running process is about to destroy slot, so that
	// Reclaim leaves it to Release.
	Touch(slot Slot)
	// Used reports a slot that a live record owns.
	Used(slot Slot)
	// Reclaim ends the pass and returns how many orphaned slots it freed.
	Reclaim() int
}
