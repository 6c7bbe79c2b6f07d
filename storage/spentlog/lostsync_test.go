package spentlog

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"hush/storage"
	"hush/storage/disktest"
)

// The defect: a sync of entries failed, the process ended, and the next one read them,
// took them for durable and appended after them. After a power cut the log was damaged
// at the first of them, and of no use for a start or a restore.
func TestLostSync(t *testing.T) {
	t.Parallel()
	// The entries of the sync that fails are in one segment, or reach into the next.
	for _, batch := range []int{4, 12, 20} {
		dir := newDir(t)
		mustClose(t, mustCreate(t, dir, small()))
		disk := disktest.New(t, dir)
		opts := small()
		opts.disk = disk
		l := mustOpen(t, dir, opts)
		mustAppend(t, l, 1, 10)
		mustAppend(t, l, 11, 16)
		l.running.Wait() // growing ahead
		for l.room() < 20 {
			if err := l.reserve(20); err != nil {
				t.Fatal(err)
			}
		}
		disk.FailSyncs(true)
		var entries []Entry
		for n := range batch {
			entries = append(entries, entryOf(17+n))
		}
		if err := l.Append(entries...); !errors.Is(err, storage.ErrUnknownOutcome) {
			t.Fatalf("Append while syncs fail: got %v, want %v", err, storage.ErrUnknownOutcome)
		}
		for _, path := range []string{segmentPath(dir, 1), segmentPath(dir, 33)} {
			disk.Lose(filepath.Base(path)) // the failed sync reported what was lost of both
		}
		mustClose(t, l)
		if _, err := Open(dir, opts); !errors.Is(err, syscall.EIO) {
			t.Fatalf("Open while syncs fail: got %v, want %v", err, syscall.EIO)
		}
		disk.FailSyncs(false)
		l = mustOpen(t, dir, opts)
		last := 16 + batch
		if _, sequence := l.Position(); sequence != uint64(last) {
			t.Fatalf("Position() after a failed sync of %d entries: got %d, want %d", batch, sequence, last)
		}
		wantNumbers(t, disk.CutPower(), last)
		mustAppend(t, l, last+1, last+1)
		wantNumbers(t, disk.CutPower(), last+1)
		mustClose(t, l)
	}
}

// The zeros with which a start overwrites what was torn off are durable, too, although
// a start before has written them and its sync has failed.
func TestLostClearing(t *testing.T) {
	t.Parallel()
	dir := tornLog(t, 0b111101) // 30 is missing, so 31 to 34 were torn off
	disk := disktest.New(t, dir)
	opts := small()
	opts.disk = disk
	disk.FailSyncs(true)
	if _, err := Open(dir, opts); !errors.Is(err, syscall.EIO) {
		t.Fatalf("Open while syncs fail: got %v, want %v", err, syscall.EIO)
	}
	disk.FailSyncs(false)
	l := mustOpen(t, dir, opts)
	mustAppend(t, l, 30, 30)
	wantNumbers(t, disk.CutPower(), 30)
	mustClose(t, l)
}

// The defect: a write found the disk full and had taken a part, the disk refused to
// have that overwritten with zeros, and the next start took it for appended.
func TestFullDiskAndStop(t *testing.T) {
	t.Parallel()
	disk := &moody{}
	dir := newDir(t)
	opts := Options{disk: disk, capacity: 1 << 10, Growth: 64}
	l := mustCreate(t, dir, opts)
	mustAppend(t, l, 1, 4)
	l.running.Wait() // growing ahead
	disk.set(errNoSpace, nil, nil)
	var entries []Entry
	for n := range 16 {
		entries = append(entries, entryOf(100+n))
	}
	if err := l.Append(entries...); !errors.Is(err, storage.ErrFull) {
		t.Fatalf("Append on a full disk: got %v, want %v", err, storage.ErrFull)
	}
	if l.HasRoom() {
		t.Error("HasRoom() while a part of a failed write is left: got true, want false")
	}
	if err := l.Append(entryOf(5)); !errors.Is(err, storage.ErrFull) {
		t.Errorf("Append while a part of a failed write is left: got %v, want %v", err, storage.ErrFull)
	}
	wantNumbers(t, dir, 4)
	mustClose(t, l)
	l = mustOpen(t, dir, opts) // a start on a full disk succeeds
	if _, sequence := l.Position(); sequence != 4 {
		t.Errorf("Position() after a start: got %d, want 4", sequence)
	}
	disk.set(nil, nil, nil)
	mustAppend(t, l, 5, 5)
	wantNumbers(t, dir, 5)
	for n := 6; n < 14; n++ {
		mustAppend(t, l, n, n)
		wantNumbers(t, dir, n)
	}
}
