package spentlog

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGolden: the format of the first release stays readable, and is what this
// one writes.
func TestGolden(t *testing.T) {
	t.Parallel()
	id := ID{0: 0x11, 15: 0xff}
	head := segmentHeader{id, 1}.encode()
	written := head[:]
	for n := 1; n <= 3; n++ {
		e := entryOf(n)
		e.Sequence = uint64(n)
		raw := e.encode(id, uint64(n-1))
		written = append(written, raw[:]...)
	}
	golden := filepath.Join("testdata", "version1.spent")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, written, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored, written) {
		t.Errorf("segment: got\n%x\nwant\n%x", written, stored)
	}
	dir := t.TempDir()
	if err := os.WriteFile(segmentPath(dir, 1), stored, 0o600); err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, dir, 3)
	if r, err := Read(dir); err != nil || r.ID() != id {
		t.Errorf("Read: got %v, want the log %v", err, id)
	}
}

// FuzzRead: whatever is in a segment, each entry that is read has the bytes that
// Append would write, and the log that Open makes of it reads the same.
func FuzzRead(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "version1.spent"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add(append(bytes.Clone(golden), make([]byte, 200)...))
	f.Add(golden[:2*entrySize+5])
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(segmentPath(dir, 1), data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Read(dir)
		if err != nil {
			return
		}
		n := uint64(0)
		err = r.All(0, func(e Entry) error {
			n++
			raw := (*rawEntry)(data[n*entrySize:])
			_, durable, _ := raw.decode(r.ID(), n)
			if again := e.encode(r.ID(), durable); e.Sequence != n || again != *raw {
				t.Errorf("entry %d: got %v, which encodes to %x, want %x", n, e, again, *raw)
			}
			return nil
		})
		if err != nil || n != r.Last() {
			t.Errorf("All: got %v after %d entries, want %d", err, n, r.Last())
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		l, err := Open(dir, small())
		if err != nil {
			t.Skip("too long for a small log")
		}
		defer l.Close()
		if id, sequence := l.Position(); id != r.ID() || sequence != n {
			t.Errorf("Open: got the log %v up to %d, want %v up to %d", id, sequence, r.ID(), n)
		}
	})
}
