package bolt

import (
	"fmt"
	"sync"
	"sync/atomic"

	"hush/storage"
)

// fault is the shared state of Store and Shares after a failed sync. The kernel
// may have dropped the pages that it could not write, so a second sync that
// succeeds would prove nothing, and none is tried.
type fault struct {
	tripped atomic.Bool
	once    sync.Once
	report  func(error)
}

// check returns ErrUnknownOutcome once the fault was tripped.
func (f *fault) check() error {
	if f.tripped.Load() {
		return storage.ErrUnknownOutcome
	}
	return nil
}

// trip refuses all further work, reports the first cause, and returns the error
// for the calls whose outcome is unknown.
func (f *fault) trip(cause error) error {
	f.tripped.Store(true)
	f.once.Do(func() {
		if f.report != nil {
			f.report(cause)
		}
	})
	return fmt.Errorf("%w: %w", storage.ErrUnknownOutcome, cause)
}
