package spentlog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// tornLog returns a log of 28 durable entries, after which a power cut kept only
// some of the last six, which reach into the second segment.
func tornLog(t *testing.T, kept uint) string {
	t.Helper()
	dir := newDir(t)
	l := mustCreate(t, dir, small())
	mustAppend(t, l, 1, 20)
	mustAppend(t, l, 21, 28)
	mustAppend(t, l, 29, 34)
	mustClose(t, l)
	for i := range uint64(6) {
		if kept&(1<<i) == 0 {
			change(t, dir, 29+i, func(entry []byte) { clear(entry) })
		}
	}
	return dir
}

// A power cut keeps any of the entries whose sync did not return. What follows
// the first missing one does not count, and does not come back.
func TestTornEnd(t *testing.T) {
	t.Parallel()
	for kept := range uint(1 << 6) {
		if testing.Short() && kept&(kept+1) != 0 && kept%5 != 0 {
			continue // without -short, every set of entries
		}
		last := 28
		for i := 0; kept&(1<<i) != 0 && i < 6; i++ {
			last++
		}
		dir := tornLog(t, kept)
		wantNumbers(t, dir, last)
		l := mustOpen(t, dir, small())
		if _, sequence := l.Position(); sequence != uint64(last) {
			t.Errorf("Position() with %06b kept: got %d, want %d", kept, sequence, last)
		}
		mustAppend(t, l, last+1, last+1)
		wantNumbers(t, dir, last+1)
		mustClose(t, l)
		if t.Failed() {
			t.Fatalf("with %06b kept", kept)
		}
	}
}

// An entry that was torn in the middle is not read.
func TestTornEntry(t *testing.T) {
	t.Parallel()
	dir := tornLog(t, 0b111111)
	for cut := entrySize - 4; cut >= 0; cut-- {
		change(t, dir, 31, func(entry []byte) { clear(entry[cut:]) })
		wantNumbers(t, dir, 30)
	}
}

// An entry that was durable and cannot be read is reported and never taken for
// the end of the log: what follows it has ended as well.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := tornLog(t, 0b111111)
	for _, sequence := range []uint64{1, 20, 21, 28} {
		for at := range entrySize {
			if testing.Short() && at%4 != 0 {
				continue // without -short, every byte
			}
			flip := func(entry []byte) { entry[at] ^= 0x10 }
			change(t, dir, sequence, flip)
			if _, err := Read(dir); !errors.Is(err, ErrDamaged) {
				t.Fatalf("Read with a changed byte %d of entry %d: got %v, want %v", at, sequence, err, ErrDamaged)
			}
			if _, err := Open(dir, small()); !errors.Is(err, ErrDamaged) {
				t.Fatalf("Open with a changed byte %d of entry %d: got %v, want %v", at, sequence, err, ErrDamaged)
			}
			change(t, dir, sequence, flip)
		}
	}
	wantNumbers(t, dir, 34)
}

// Damage in a segment that Read does not look at shows when it is walked.
func TestDamageInside(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(dir string) error{
		"changed": func(dir string) error {
			change(t, dir, 5, func(entry []byte) { entry[30] ^= 1 })
			return nil
		},
		"cut":            func(dir string) error { return os.Truncate(segmentPath(dir, 33), 7*entrySize) },
		"missing":        func(dir string) error { return os.Remove(segmentPath(dir, 33)) },
		"of another log": func(dir string) error { return swapSegment(t, dir) },
	} {
		dir := newDir(t)
		l := mustCreate(t, dir, small())
		mustAppend(t, l, 1, 120)
		mustClose(t, l)
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		read := 0
		r, err := Read(dir)
		if err == nil {
			err = r.All(0, func(Entry) error { read++; return nil })
		}
		if !errors.Is(err, ErrDamaged) || read == 120 {
			t.Errorf("%s: All: got %v after %d entries, want %v", name, err, read, ErrDamaged)
		}
	}
}

// swapSegment puts the second segment of another log in the place of this one's.
func swapSegment(t *testing.T, dir string) error {
	other := newDir(t)
	l := mustCreate(t, other, small())
	mustAppend(t, l, 1, 70)
	mustClose(t, l)
	return os.Rename(segmentPath(other, 33), segmentPath(dir, 33))
}

// What a start left unfinished is removed, and a header that cannot be read is
// damage.
func TestUnfinishedSegment(t *testing.T) {
	t.Parallel()
	dir := tornLog(t, 0b111111)
	unfinished := segmentPath(dir, 65) + unfinishedSuffix
	if err := os.WriteFile(unfinished, []byte("hush"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, dir, 34)
	mustClose(t, mustOpen(t, dir, small()))
	if _, err := os.Lstat(unfinished); err == nil {
		t.Error("unfinished segment: got it after a start, want it removed")
	}
	if err := os.WriteFile(segmentPath(dir, 65), make([]byte, entrySize), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, small()); !errors.Is(err, ErrDamaged) {
		t.Errorf("Open with a segment of zeros: got %v, want %v", err, ErrDamaged)
	}
}

// The attack: the owner of the folder makes a link of the next segment's name, and
// waits for root to begin it. What the link names stays as it is.
func TestSegmentFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spent")
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("otter"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := mustCreate(t, dir, small())
	if err := os.Symlink(victim, segmentPath(dir, 33)+unfinishedSuffix); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, 1, 40)
	if got, err := os.ReadFile(victim); string(got) != "otter" {
		t.Errorf("file behind a link: got %d bytes, %v, want it as it was", len(got), err)
	}
	wantNumbers(t, dir, 40)
}
