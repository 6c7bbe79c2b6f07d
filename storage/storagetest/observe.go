package storagetest

import (
	"sync"
	"testing"
	"time"

	"hush/storage"
)

// watcher counts what a store reports.
type watcher struct {
	mu                      sync.Mutex
	commits, updates, syncs int
	wrong                   []error
}

func (w *watcher) Committed(updates int, took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits++
	w.updates += updates
	w.note(took, err)
}

func (w *watcher) Synced(took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.syncs++
	w.note(took, err)
}

func (w *watcher) note(took time.Duration, err error) {
	if err != nil || took <= 0 {
		w.wrong = append(w.wrong, err)
	}
}

// RunObserver tests what a store and shares report that make things durable.
func RunObserver(t *testing.T, open func(t *testing.T) (storage.Store, storage.Shares)) {
	store, shares := open(t)
	seen := &watcher{}
	store.Observe(seen)
	shares.Observe(seen)
	mustPut(t, store, "a", "1")
	mustView(t, store, func(storage.Tx) error { return nil })
	mustUpdate(t, store, func(storage.Tx) error { return nil }) // writes nothing, so nothing is committed
	mustDestroy(t, shares, mustPutShare(t, shares, newShare()))
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if seen.commits != 1 || seen.updates != 1 || seen.syncs < 2 || len(seen.wrong) != 0 {
		t.Errorf("Observer: got %d commits of %d updates, %d syncs, and %v; want 1 of 1, at least 2, and no error",
			seen.commits, seen.updates, seen.syncs, seen.wrong)
	}
}
