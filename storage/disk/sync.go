// Package disk is what stores in files know of the disk below them: callers share a
// sync, what a failed sync has lost is not taken for durable, and a disk that is nearly
// full keeps free space, or a file in its place, for what must still end.
package disk

import (
	"runtime"
	"sync"
)

// Syncer lets concurrent callers share one sync. The first one leads: it syncs
// for all whose writes were done before it began. Later callers wait for the
// next round, which one of them leads.
type Syncer struct {
	// Do makes durable what was written before it was called. Its calls do not
	// overlap. It is set before the first Sync.
	Do func() error

	mu   sync.Mutex
	busy bool
	next *round
}

// round is a sync that has not begun, with its waiting callers.
type round struct {
	lead chan struct{} // tells one of them to lead
	done chan struct{} // closed when err is set
	err  error
}

// Sync returns after a call of Do that began after the call of Sync, with its
// error.
func (s *Syncer) Sync() error {
	s.mu.Lock()
	if s.next == nil {
		s.next = &round{lead: make(chan struct{}, 1), done: make(chan struct{})}
	}
	r, leads := s.next, !s.busy
	s.busy = true
	s.mu.Unlock()
	if !leads {
		select {
		case <-r.done:
			return r.err
		case <-r.lead:
		}
	}

	// Goroutines that are ready to run may be about to join the round; this delays no
	// one.
	runtime.Gosched()
	s.mu.Lock()
	s.next = nil
	s.mu.Unlock()

	r.err = s.Do()

	s.mu.Lock()
	if s.next != nil {
		s.next.lead <- struct{}{}
	} else {
		s.busy = false
	}
	s.mu.Unlock()
	close(r.done)
	return r.err
}
