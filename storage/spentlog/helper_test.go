package spentlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hush/storage/disk"
)

// moment is the time of the entries of tests.
var moment = time.UnixMilli(1_800_000_000_123)

// entryOf returns an entry that is told by a number.
func entryOf(n int) Entry {
	return Entry{Time: moment.Add(time.Duration(n) * time.Millisecond), Kind: 1 + byte(n%7), Row: binary.BigEndian.AppendUint64(nil, uint64(n))}
}

func small() Options { return Options{capacity: 32, Growth: 8} }

func mustCreate(t *testing.T, dir string, opts Options) *Log {
	t.Helper()
	l, err := Create(dir, opts)
	if err != nil {
		t.Fatalf("Create: got %v, want nil", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func mustOpen(t *testing.T, dir string, opts Options) *Log {
	t.Helper()
	l, err := Open(dir, opts)
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// mustAppend appends the entries of the numbers from up to to, in one call.
func mustAppend(t *testing.T, l *Log, from, to int) {
	t.Helper()
	var all []Entry
	for n := from; n <= to; n++ {
		all = append(all, entryOf(n))
	}
	if err := l.Append(all...); err != nil {
		t.Fatalf("Append(%d..%d): got %v, want nil", from, to, err)
	}
}

func mustClose(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("Close: got %v, want nil", err)
	}
}

// wantNumbers checks that a log has exactly the entries of 1 to last.
func wantNumbers(t *testing.T, dir string, last int) {
	t.Helper()
	r, err := Read(dir)
	if err != nil {
		t.Fatalf("Read: got %v, want nil", err)
	}
	if r.Last() != uint64(last) {
		t.Errorf("Last(): got %d, want %d", r.Last(), last)
	}
	next := int(r.First())
	err = r.All(r.First()-1, func(e Entry) error {
		want := entryOf(next)
		if e.Sequence != uint64(next) || !e.Time.Equal(want.Time) || e.Kind != want.Kind || !bytes.Equal(e.Row, want.Row) {
			t.Errorf("entry: got %v, want %v with sequence %d", e, want, next)
		}
		next++
		return nil
	})
	if err != nil || next != last+1 {
		t.Errorf("All: got %v after %d, want nil after %d", err, next-1, last)
	}
}

// change changes the bytes of the entry with a sequence in a small log without pruned
// segments.
func change(t *testing.T, dir string, sequence uint64, with func(entry []byte)) {
	t.Helper()
	first := (sequence-1)/32*32 + 1
	path := segmentPath(dir, first)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := (sequence - first + 1) * entrySize
	with(data[at : at+entrySize])
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func newDir(t *testing.T) string { return filepath.Join(t.TempDir(), "log") }

// moody is a disk that fails while an error is set.
type moody struct {
	mu                sync.Mutex
	writeErr, syncErr error
	before            func(data []byte) // called before each write
	synced            int
}

func (m *moody) set(writeErr, syncErr error, before func(data []byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writeErr, m.syncErr, m.before = writeErr, syncErr, before
}

func (m *moody) syncs() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.synced
}

func (m *moody) WriteAt(file *os.File, data []byte, at int64) error {
	m.mu.Lock()
	before := m.before
	m.mu.Unlock()
	if before != nil {
		before(data)
	}
	m.mu.Lock()
	err := m.writeErr
	m.mu.Unlock()
	if err != nil {
		// A full disk may take a part.
		_, _ = file.WriteAt(data[:len(data)/2/entrySize*entrySize], at)
		return err
	}
	return disk.System{}.WriteAt(file, data, at)
}

func (m *moody) Sync(file *os.File) error {
	m.mu.Lock()
	m.synced++
	err := m.syncErr
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return disk.System{}.Sync(file)
}

var errDisk = errors.New("the disk fails")
