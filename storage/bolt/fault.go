package bolt

import (
	"fmt"
	"sync"
	"sync/atomic"

	"hush/storage"
)

// fault is the state that Store and Shares have in common once a sync failed.
// After such an error the kernel may have dropped the pages it could not
// write, so a second sync that succeeds proves nothing and none is tried.
type fault struct {
	tripped atomic.Bool
	once    sync.Once
	report  func(error)
}

// check returns ErrUnknownOutcome once the fault has been tripped.
func (f *fault) check() error {
	if f.tripped.Load() {
		return storage.ErrUnknownOutcome
	}
	return nil
}

// trip refuses all further work, reports the first cause, and returns the
// error for those whose outcome is unknown.
func (f *fault) trip(cause error) error {
	f.tripped.Store(true)
	f.once.Do(func() {
		if f.report != nil {
			f.report(cause)
		}
	})
	return fmt.Errorf("%w: %w", storage.ErrUnknownOutcome, cause)
}
