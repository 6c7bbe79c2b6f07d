package spentlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/storage"
)

// What was appended is read in order, over several segments and starts.
func TestAppend(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	l := mustCreate(t, dir, small())
	last := 0
	for _, n := range []int{1, 7, 0, 8, 31, 1, 64, 5, 100} {
		mustAppend(t, l, last+1, last+n)
		last += n
		id, sequence := l.Position()
		if sequence != uint64(last) {
			t.Errorf("Position(): got %d, want %d", sequence, last)
		}
		wantNumbers(t, dir, last)
		mustClose(t, l)
		l = mustOpen(t, dir, small())
		if again, sequence := l.Position(); again != id || sequence != uint64(last) {
			t.Errorf("Position() after a start: got %v %d, want %v %d", again, sequence, id, last)
		}
	}
	wantNumbers(t, dir, last)
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	stop := errors.New("enough")
	err = r.All(30, func(e Entry) error {
		got = append(got, e.Sequence)
		if len(got) == 5 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || len(got) != 5 || got[0] != 31 || got[4] != 35 {
		t.Errorf("All(30): got %d and %v, want 31 to 35 and %v", got, err, stop)
	}
	if err := r.All(uint64(last), func(e Entry) error { return errors.New(e.Time.String()) }); err != nil {
		t.Errorf("All(last): got %v, want nil", err)
	}
}

// An append is on the disk when it returns: it was synced after it was written.
func TestAppendSyncs(t *testing.T) {
	t.Parallel()
	disk := &moody{}
	opts := small()
	opts.disk = disk
	l := mustCreate(t, newDir(t), opts)
	mustAppend(t, l, 1, 1)
	l.running.Wait() // growing ahead
	before, written := disk.syncs(), -1
	disk.set(nil, nil, func([]byte) { written = disk.syncs() })
	mustAppend(t, l, 2, 2)
	if written != before || disk.syncs() != before+1 {
		t.Errorf("Append: got %d syncs before the write and %d in all, want %d and %d", written, disk.syncs(), before, before+1)
	}
}

// All who wait share a sync, and each gets what became of its own entries.
func TestAppendShares(t *testing.T) {
	t.Parallel()
	var syncs []int
	begun, proceed := make(chan struct{}), make(chan struct{})
	disk := &moody{}
	opts := Options{disk: disk, Synced: func(entries int, _ time.Duration, _ error) { syncs = append(syncs, entries) }}
	dir := newDir(t)
	l := mustCreate(t, dir, opts)
	var once sync.Once
	disk.set(nil, nil, func([]byte) { once.Do(func() { close(begun); <-proceed }) })
	var all sync.WaitGroup
	add := func() {
		if err := l.Append(entryOf(1)); err != nil {
			t.Errorf("Append: got %v, want nil", err)
		}
	}
	all.Go(add)
	<-begun
	for range 50 {
		all.Go(add)
	}
	for waits := 0; waits < 50; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		waits = len(l.waiting)
		l.mu.Unlock()
	}
	close(proceed)
	all.Wait()
	if len(syncs) != 2 || syncs[0] != 1 || syncs[1] != 50 {
		t.Errorf("51 appends: got syncs of %d entries, want 1 and 50", syncs)
	}
	if r, err := Read(dir); err != nil || r.Last() != 51 {
		t.Errorf("Read: got %v, want 51 entries", err)
	}
}

// After a failed sync nothing is appended any more, and nothing is synced: a
// second sync may succeed and prove nothing.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	disk := &moody{}
	var faults []error
	opts := Options{disk: disk, Fault: func(err error) { faults = append(faults, err) }}
	l := mustCreate(t, newDir(t), opts)
	mustAppend(t, l, 1, 3)
	l.running.Wait() // growing ahead
	disk.set(nil, errDisk, nil)
	if err := l.Append(entryOf(4)); !errors.Is(err, storage.ErrUnknownOutcome) || !errors.Is(err, errDisk) {
		t.Errorf("Append with a failing sync: got %v, want %v", err, storage.ErrUnknownOutcome)
	}
	if _, sequence := l.Position(); sequence != 3 {
		t.Errorf("Position() after a failed sync: got %d, want 3", sequence)
	}
	disk.set(nil, nil, nil)
	syncs := disk.syncs()
	if err := l.Append(entryOf(5)); !errors.Is(err, storage.ErrUnknownOutcome) || disk.syncs() != syncs {
		t.Errorf("Append after a failed sync: got %v and %d more syncs, want %v and none", err, disk.syncs()-syncs, storage.ErrUnknownOutcome)
	}
	if len(faults) != 1 || !errors.Is(faults[0], errDisk) {
		t.Errorf("faults: got %v, want the first one", faults)
	}
}

// After a failed write the log takes nothing more, unless the disk is full.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	disk, faults := &moody{}, 0
	l := mustCreate(t, newDir(t), Options{disk: disk, Fault: func(error) { faults++ }})
	disk.set(&os.PathError{Op: "write", Err: errDisk}, nil, nil)
	if err := l.Append(entryOf(1)); !errors.Is(err, storage.ErrUnknownOutcome) || faults != 1 {
		t.Errorf("Append: got %v and %d faults, want %v and 1", err, faults, storage.ErrUnknownOutcome)
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	l := mustCreate(t, newDir(t), Options{})
	for _, e := range []Entry{{Time: moment}, {Time: moment, Kind: 1, Row: make([]byte, RowMost+1)}} {
		if err := l.Append(e); !errors.Is(err, errBadEntry) {
			t.Errorf("Append(%v): got %v, want %v", e, err, errBadEntry)
		}
	}
	mustClose(t, l)
	if err := l.Append(entryOf(1)); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Append after Close: got %v, want %v", err, storage.ErrClosed)
	}
	if err := l.Close(); err != nil {
		t.Errorf("second Close: got %v, want nil", err)
	}
}

// Create replaces nothing: a log without entries may be that of a store in which
// nothing has ended yet. It never makes the same log twice.
func TestCreate(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	l := mustCreate(t, dir, small())
	first, _ := l.Position()
	if _, err := Open(dir, small()); !errors.Is(err, ErrInUse) {
		t.Errorf("Open beside an open log: got %v, want %v", err, ErrInUse)
	}
	mustClose(t, l)
	if _, err := Create(dir, small()); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("Create over a log without entries: got %v, want %v", err, ErrNotEmpty)
	}
	if err := CheckNew(dir); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("CheckNew(log without entries): got %v, want %v", err, ErrNotEmpty)
	}
	if second, _ := mustCreate(t, newDir(t), small()).Position(); second == first {
		t.Errorf("id of the second log: got that of the first")
	}
	named := small()
	named.ID = NewID()
	if id, _ := mustCreate(t, newDir(t), named).Position(); id != named.ID {
		t.Errorf("id of a log with a given one: got %s, want %s", id, named.ID)
	}
	l = mustOpen(t, dir, small())
	if again, _ := l.Position(); again != first {
		t.Errorf("id of the log after Create over it: got %s, want %s", again, first)
	}
	mustAppend(t, l, 1, 1)
	mustClose(t, l)
	if _, err := Create(dir, small()); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("Create over entries: got %v, want %v", err, ErrNotEmpty)
	}
	wantNumbers(t, dir, 1)
	other := t.TempDir()
	if err := errors.Join(os.Chmod(other, 0o700), os.WriteFile(filepath.Join(other, "letters"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(other, small()); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("Create beside other files: got %v, want %v", err, ErrNotEmpty)
	}
	if _, err := Create(filepath.Join(other, "missing", "log"), small()); err == nil {
		t.Error("Create below a missing folder: got nil, want an error")
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, small()); !errors.Is(err, errOpenToOthers) {
		t.Errorf("Open(mode 0750): got %v, want %v", err, errOpenToOthers)
	}
	if _, err := Open(other, small()); !errors.Is(err, ErrNoLog) {
		t.Errorf("Open(no log): got %v, want %v", err, ErrNoLog)
	}
	if _, err := Read(filepath.Join(other, "missing")); !errors.Is(err, ErrNoLog) {
		t.Errorf("Read(missing): got %v, want %v", err, ErrNoLog)
	}
}

// Whole segments are deleted once all their entries are old, and the log says
// where it begins.
func TestPrune(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	l := mustCreate(t, dir, small())
	mustAppend(t, l, 1, 80) // 32, 32, 16
	for _, step := range []struct {
		before int
		pruned int
		first  uint64
	}{{32, 0, 1}, {33, 1, 33}, {64, 0, 33}, {1000, 1, 65}, {1000, 0, 65}} {
		pruned, err := l.Prune(entryOf(step.before).Time)
		if err != nil || pruned != step.pruned || l.First() != step.first {
			t.Errorf("Prune(before %d): got %d, %v and first %d, want %d and %d", step.before, pruned, err, l.First(), step.pruned, step.first)
		}
		wantNumbers(t, dir, 80)
	}
	mustClose(t, l)
	l = mustOpen(t, dir, small())
	if l.First() != 65 {
		t.Errorf("First() after a start: got %d, want 65", l.First())
	}
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	fail := func(Entry) error { return errors.New("called") }
	if err := r.All(63, fail); !errors.Is(err, ErrPruned) {
		t.Errorf("All(63): got %v, want %v", err, ErrPruned)
	}
	if err := r.All(64, func(Entry) error { return nil }); err != nil {
		t.Errorf("All(64): got %v, want nil", err)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	id := ID{1, 2, 15: 255}
	if got, ok := ParseID(id.String()); !ok || got != id {
		t.Errorf("ParseID(%v): got %v %v, want the same", id, got, ok)
	}
	for _, bad := range []string{"", "00", strings.Repeat("0", 31), strings.Repeat("0", 34), strings.Repeat("g", 32)} {
		if _, ok := ParseID(bad); ok {
			t.Errorf("ParseID(%q): got true, want false", bad)
		}
	}
}
