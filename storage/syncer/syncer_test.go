package syncer

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSyncIsShared: all who come while a sync runs share the next one.
func TestSyncIsShared(t *testing.T) {
	var syncs, waiting atomic.Int32
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
		all.Go(func() {
			waiting.Add(1)
			_ = s.Sync()
		})
	}
	for waiting.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	close(proceed)
	all.Wait()
	if got := syncs.Load(); got > 3 {
		t.Errorf("51 calls of sync: got %d syncs, want about 2", got)
	}
}
