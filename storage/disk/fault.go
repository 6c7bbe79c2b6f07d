package disk

import (
	"fmt"
	"sync"
	"sync/atomic"

	"hush/storage"
)

// Fault is the state of files that belong together after a failed sync of one of them.
// The kernel may have dropped the pages that it could not write, so a second sync that
// succeeds would prove nothing, and none is tried. It is safe for concurrent use.
type Fault struct {
	tripped atomic.Bool
	once    sync.Once
	report  func(error)
}

// NewFault returns the state of files without a fault. report, unless nil, is called
// once, with the cause of the first fault and before a caller gets it. It must return
// soon.
func NewFault(report func(error)) *Fault { return &Fault{report: report} }

// Check returns storage.ErrUnknownOutcome once there was a fault.
func (f *Fault) Check() error {
	if f.tripped.Load() {
		return storage.ErrUnknownOutcome
	}
	return nil
}

// Trip makes Check refuse all further work, reports the first cause, and returns the
// error for the calls whose outcome is unknown, which is storage.ErrUnknownOutcome.
func (f *Fault) Trip(cause error) error {
	f.tripped.Store(true)
	f.once.Do(func() {
		if f.report != nil {
			f.report(cause)
		}
	})
	return fmt.Errorf("%w: %w", storage.ErrUnknownOutcome, cause)
}
