package spentlog

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/storage"
)

var errNoSpace = &os.PathError{Op: "write", Err: syscall.ENOSPC}

// While the disk is full, the log warns before its reserve is used up, what is on
// its way still fits, and the log does not fail. With space again it goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := &moody{}
	opts := Options{disk: disk, capacity: 1 << 10, Growth: 8, Fault: func(err error) { t.Errorf("fault: got %v, want none", err) }}
	dir := newDir(t)
	l := mustCreate(t, dir, opts)
	mustAppend(t, l, 1, 1)
	l.running.Wait() // growing ahead
	var full atomic.Bool
	disk.set(nil, nil, func(data []byte) {
		var err error
		if full.Load() && data[56] == 0 { // the zeros of growth
			err = errNoSpace
		}
		disk.mu.Lock()
		disk.writeErr = err
		disk.mu.Unlock()
	})
	full.Store(true)
	last := 1
	for l.HasRoom() {
		last++
		mustAppend(t, l, last, last)
		l.running.Wait()
	}
	if left := l.room(); left < 1 || left >= 8 {
		t.Errorf("reserve after HasRoom said no: got %d, want a few", left)
	}
	for l.room() > 0 {
		last++
		mustAppend(t, l, last, last)
		l.running.Wait()
	}
	if err := l.Append(entryOf(last + 1)); !errors.Is(err, storage.ErrFull) || errors.Is(err, storage.ErrUnknownOutcome) {
		t.Errorf("Append without reserve: got %v, want %v", err, storage.ErrFull)
	}
	wantNumbers(t, dir, last)
	full.Store(false)
	mustAppend(t, l, last+1, last+3)
	last += 3
	for !l.HasRoom() {
		time.Sleep(time.Millisecond)
	}
	mustAppend(t, l, last+1, last+20)
	wantNumbers(t, dir, last+20)
}

// What a write on a full disk leaves is not in the log, neither for a reader nor
// for the next start, even if the next entries replace only a part of it.
func TestFullDiskLeavesNothing(t *testing.T) {
	t.Parallel()
	disk := &moody{}
	dir := newDir(t)
	opts := small()
	opts.disk = disk
	l := mustCreate(t, dir, opts)
	mustAppend(t, l, 1, 26)
	l.running.Wait() // growing ahead
	writes := 0
	disk.set(nil, nil, func([]byte) {
		var err error
		if writes++; writes == 2 { // the part in the second segment
			err = errNoSpace
		}
		disk.mu.Lock()
		disk.writeErr = err
		disk.mu.Unlock()
	})
	var all []Entry
	for n := range 14 {
		all = append(all, entryOf(100+n))
	}
	if err := l.Append(all...); !errors.Is(err, storage.ErrFull) {
		t.Errorf("Append on a full disk: got %v, want %v", err, storage.ErrFull)
	}
	wantNumbers(t, dir, 26)
	mustAppend(t, l, 27, 28)
	wantNumbers(t, dir, 28)
	mustClose(t, l)
	if _, sequence := mustOpen(t, dir, small()).Position(); sequence != 28 {
		t.Errorf("Position() after a start: got %d, want 28", sequence)
	}
}

// A caller whose entry a failing write has taken must not be told that it is
// durable because the next sync succeeds.
func TestFullDiskTellsAll(t *testing.T) {
	t.Parallel()
	disk := &moody{}
	dir := newDir(t)
	l := mustCreate(t, dir, Options{disk: disk})
	mustAppend(t, l, 1, 2)
	l.running.Wait() // growing ahead
	begun, proceed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	l.syncs.Do = func() error {
		// The first round has begun, and has not yet taken what waits.
		once.Do(func() { close(begun); <-proceed })
		return l.flush()
	}
	disk.set(errNoSpace, nil, nil)
	var all sync.WaitGroup
	failed := make([]error, 2)
	all.Go(func() { failed[0] = l.Append(entryOf(100), entryOf(101)) })
	<-begun
	all.Go(func() { failed[1] = l.Append(entryOf(102), entryOf(103)) })
	for waits := 0; waits < 2; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		waits = len(l.waiting)
		l.mu.Unlock()
	}
	close(proceed)
	all.Wait()
	disk.set(nil, nil, nil)
	for _, err := range failed {
		if !errors.Is(err, storage.ErrFull) {
			t.Errorf("Append on a full disk: got %v, want %v", err, storage.ErrFull)
		}
	}
	if _, sequence := l.Position(); sequence != 2 {
		t.Errorf("Position() after a full disk: got %d, want 2", sequence)
	}
	// A part of the failed write is in the file; new entries go over it.
	mustAppend(t, l, 3, 10)
	wantNumbers(t, dir, 10)
}
