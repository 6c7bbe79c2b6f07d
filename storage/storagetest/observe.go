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

// runObserver checks what a store reports, if it reports anything.
func runObserver(t *testing.T, open Opener) {
	store, shares := open(t)
	if _, ok := store.(storage.Observable); !ok {
		return
	}
	seen := &watcher{}
	storage.Observe(seen, store, shares)
	if queue, ok := store.(storage.Queuer); !ok || queue.Waiting() != 0 {
		t.Errorf("Waiting() of a store at rest: got something or no Queuer (%t), want 0", ok)
	}
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
