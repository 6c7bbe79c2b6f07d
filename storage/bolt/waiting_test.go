package bolt_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
)

// What waits while another update runs is counted, until it is committed.
func TestWaiting(t *testing.T) {
	t.Parallel()
	store, _, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	running, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_ = store.Update(t.Context(), func(storage.Tx) error { close(running); <-release; return nil })
	})
	<-running
	const waiting = 3
	for range waiting {
		all.Go(func() { _ = store.Update(t.Context(), func(storage.Tx) error { return nil }) })
	}
	for until := time.Now().Add(time.Minute); store.Waiting() < waiting; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("Waiting(): got %d for a minute, want %d", store.Waiting(), waiting)
		}
	}
	close(release)
	all.Wait()
	if got := store.Waiting(); got != 0 {
		t.Errorf("Waiting() of a store at rest: got %d, want 0", got)
	}
}
