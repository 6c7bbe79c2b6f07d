package spentlog

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"hush/storage"
)

const (
	// segmentEntries is the number of entries of a segment: 64 MiB.
	segmentEntries = 1 << 20
	// growthEntries is the number of entries of a step of growth, 1 MiB, and
	// the least number for which space is reserved while the disk has any.
	growthEntries = 1 << 14
	// retryEvery is the least time between two attempts to grow on a full disk.
	retryEvery = time.Second
)

// openSegment is a segment that is appended to, now or later.
type openSegment struct {
	segment
	file  *os.File
	slots uint64 // for which it has space
}

// ahead is the state of growing before the space is needed.
type ahead struct {
	mu     sync.Mutex // held while the log grows
	busy   atomic.Bool
	failed atomic.Pointer[time.Time] // the last attempt, if the disk was full; nil for none
}

// HasRoom reports whether the log has space for what may be on its way, so that
// more may be committed. It is false only while the disk of the log is full, and
// cheap. If so, it tries from time to time to reserve more, and to clear what a write
// that failed has left.
func (l *Log) HasRoom() bool {
	dirty := l.left.Load() > l.durable.Load()
	if dirty || l.room() < l.opts.Growth {
		l.growAhead()
	}
	return !dirty && l.room() >= l.opts.Growth/2
}

// room returns for how many entries space is reserved. What is durable is read
// first: it never passes an end that is read later.
func (l *Log) room() uint64 {
	durable := l.durable.Load()
	return l.end.Load() - 1 - durable
}

// growAhead clears what a write that failed has left, and reserves the next step of
// growth if less than one is left, both in the background. If the disk is full, that is
// tried again later.
func (l *Log) growAhead() {
	dirty := l.left.Load() > l.durable.Load()
	if !dirty && l.room() >= l.opts.Growth || !l.ahead.isDue(l.opts.Now()) {
		return
	}
	if !l.ahead.busy.CompareAndSwap(false, true) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.ahead.busy.Store(false)
		return
	}
	l.running.Go(func() {
		defer l.ahead.busy.Store(false)
		l.ahead.failed.Store(nil)
		var err error
		if dirty {
			err = l.syncs.Sync() // which clears it
		}
		if err == nil {
			err = l.reserve(l.opts.Growth)
		}
		if errors.Is(err, storage.ErrFull) {
			now := l.opts.Now()
			l.ahead.failed.Store(&now)
		}
	})
}

// isDue reports whether the last attempt that failed is long enough ago. The times
// have what Go's monotonic clock says, so that a clock that is set back delays nothing;
// one that has not, in a test, counts as due then.
func (a *ahead) isDue(now time.Time) bool {
	last := a.failed.Load()
	if last == nil {
		return true
	}
	passed := now.Sub(*last)
	return passed < 0 || passed >= retryEvery
}

// reserve grows the log until space is reserved for n entries after the last
// durable one.
func (l *Log) reserve(n uint64) error {
	l.ahead.mu.Lock()
	defer l.ahead.mu.Unlock()
	for l.room() < n {
		if err := l.grow(); err != nil {
			return err
		}
	}
	return nil
}

// grow reserves space for one more step. It really writes the zeros, and makes
// them durable before the first of them is used. The caller holds ahead.mu.
func (l *Log) grow() error {
	if err := l.check(); err != nil {
		return err
	}
	s := l.newest()
	if s == nil || s.slots == l.opts.capacity {
		return l.addSegment()
	}
	n := min(l.opts.Growth, l.opts.capacity-s.slots)
	if err := l.addZeros(s, n); err != nil {
		return err
	}
	l.files.Lock()
	s.slots += n
	l.files.Unlock()
	l.end.Add(n)
	return nil
}

// newest returns the last segment, nil if there is none.
func (l *Log) newest() *openSegment {
	l.files.Lock()
	defer l.files.Unlock()
	if len(l.open) == 0 {
		return nil
	}
	return l.open[len(l.open)-1]
}

// addZeros writes zeros for n entries at the end of a segment and syncs them.
func (l *Log) addZeros(s *openSegment, n uint64) error {
	at := s.offset(s.first + s.slots)
	if err := l.opts.disk.WriteAt(s.file, make([]byte, n*entrySize), at); err != nil {
		// The added part is not in use; truncating it helps a full disk.
		_ = s.file.Truncate(at)
		return l.classify("growing the spent log", err)
	}
	if err := l.opts.disk.Sync(s.file); err != nil {
		return l.trip(fmt.Errorf("syncing the spent log: %w", err))
	}
	return nil
}

// addSegment begins the next segment. It gets its name when it is durable.
func (l *Log) addSegment() error {
	first := l.end.Load()
	s := &openSegment{segment: segment{first, segmentPath(l.dir.path, first)}}
	unfinished := s.path + unfinishedSuffix
	// A crash may have left one. It is not opened: the program may run as root in a
	// folder of another user, who could have made a link of that name.
	err := os.Remove(unfinished)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return notMade(err)
	}
	if s.file, err = os.OpenFile(unfinished, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return notMade(err)
	}
	n := min(l.opts.Growth, l.opts.capacity)
	header := segmentHeader{l.id, first}.encode()
	if err := l.opts.disk.WriteAt(s.file, header[:], 0); err != nil {
		return errors.Join(l.classify("beginning a segment of the spent log", err), s.file.Close(), os.Remove(unfinished))
	}
	if err := l.addZeros(s, n); err != nil {
		return errors.Join(err, s.file.Close(), os.Remove(unfinished))
	}
	s.slots = n
	if err := os.Rename(unfinished, s.path); err != nil {
		return errors.Join(notMade(err), s.file.Close(), os.Remove(unfinished))
	}
	if err := l.dir.sync(); err != nil {
		return errors.Join(l.trip(err), s.file.Close())
	}
	l.files.Lock()
	l.open = append(l.open, s)
	l.files.Unlock()
	l.end.Add(n)
	return nil
}

// notMade is the error of a segment that could not be made. It is like a full
// disk: nothing was appended, and the next attempt may succeed.
func notMade(err error) error {
	return fmt.Errorf("beginning a segment of the spent log: %w: %w", storage.ErrFull, err)
}
