package storage

import (
	"errors"
	"sync/atomic"
	"time"
)

// ErrConflict means that another process changed what the updates of a commit had
// read, so they run again. Only an Observer gets it.
var ErrConflict = errors.New("storage: conflict")

// Observer is told what a store does, for metrics. Its methods are called where
// others wait, so they must return at once; they must be safe for concurrent use
// and must not call back into the store.
type Observer interface {
	// Committed reports a commit that a number of updates shared: how long it
	// took to make it durable, and its error. A store on a server tries a commit
	// again after an error that may pass, and reports each attempt.
	Committed(updates int, took time.Duration, err error)
	// Synced reports that changes of shares were made durable together: how long
	// that took, and its error.
	Synced(took time.Duration, err error)
}

// Observed is the part of a store that reports to an observer; the zero value
// reports nothing. It is safe for concurrent use.
type Observed struct{ by atomic.Pointer[Observer] }

// By makes the store report to o from now on.
func (d *Observed) By(o Observer) { d.by.Store(&o) }

// Commit runs a commit of a number of updates. The observer gets shown of its
// error.
func (d *Observed) Commit(updates int, do func() error, shown func(error) error) error {
	by := d.by.Load()
	if by == nil {
		return do()
	}
	began := time.Now()
	err := do()
	(*by).Committed(updates, time.Since(began), shown(err))
	return err
}

// Sync runs what makes changes of shares durable. The observer gets shown of its
// error.
func (d *Observed) Sync(do func() error, shown func(error) error) error {
	by := d.by.Load()
	if by == nil {
		return do()
	}
	began := time.Now()
	err := do()
	(*by).Synced(time.Since(began), shown(err))
	return err
}
