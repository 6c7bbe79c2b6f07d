package disk

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestSyncIsShared: all who come while a sync runs share the next one.
func TestSyncIsShared(t *testing.T) { synctest.Test(t, testSyncIsShared) }

func testSyncIsShared(t *testing.T) {
	t.Helper()
	var syncs atomic.Int32
	begun, proceed := make(chan struct{}), make(chan struct{})
	s := Syncer{Do: func() error {
		if syncs.Add(1) == 1 {
			close(begun)
			<-proceed
		}
		return nil
	}}
	var all sync.WaitGroup
	all.Go(func() { _ = s.Sync() })
	<-begun
	for range 50 {
		all.Go(func() { _ = s.Sync() })
	}
	synctest.Wait() // all of them wait for the next sync
	close(proceed)
	all.Wait()
	if got := syncs.Load(); got != 2 {
		t.Errorf("51 calls of sync: got %d syncs, want 2", got)
	}
}
