package blobfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/disk"
	"hush/storage/disktest"
)

// fillDisk takes all free bytes of a disk, and returns what gives them back.
func fillDisk(t *testing.T, dir string) (empty func()) {
	t.Helper()
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("WriteFile(filler): got %v, want %v", err, syscall.ENOSPC)
	}
	return func() {
		t.Helper()
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
}

// A small disk for real: what was begun has its room whatever fills the disk, what finds
// no room leaves nothing, and a blob that is deleted gives its room back.
func TestFullDisk(t *testing.T) {
	small := disktest.Small(t, "6m")
	f, seen := openWith(t, filepath.Join(small, "files"), nil)
	const size, part = 4 << 20, 1 << 20
	id, second := storage.NewBlobID(), storage.NewBlobID()
	if err := f.Begin(t.Context(), id, size, part); err != nil {
		t.Fatalf("Begin: got %v, want nil", err)
	}
	wantFull := func(way string) {
		t.Helper()
		if err := f.Begin(t.Context(), second, size, part); !errors.Is(err, storage.ErrFull) {
			t.Errorf("Begin(no room, %s): got %v, want %v", way, err, storage.ErrFull)
		}
		if got := names(t, f); len(got) != 1 {
			t.Errorf("names after Begin without room: got %q, want one", got)
		}
	}
	wantFull("by the free bytes")
	free := f.free
	f.free = func() (int64, bool) { return 0, false }
	wantFull("by the system")
	f.free = free
	empty := fillDisk(t, small)
	for n := range int64(size / part) {
		if err := f.Put(t.Context(), id, n, bytes.Repeat([]byte("a"), part)); err != nil {
			t.Errorf("Put(part %d, full disk): got %v, want nil", n, err)
		}
	}
	empty()
	if err := f.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(t.Context(), second, size, part); err != nil || seen.calls != 0 {
		t.Errorf("Begin(room again): got %v and %d faults, want nil and none", err, seen.calls)
	}
}

// A part finds the disk full, for real: a hole in its file needs new blocks, as every
// block does on a file system that copies on write. Nothing else is harmed.
func TestPutOnFullDisk(t *testing.T) {
	small := disktest.Small(t, "6m")
	f, seen := openWith(t, filepath.Join(small, "files"), nil)
	f.free = func() (int64, bool) { return 0, false } // so that the write is tried
	const part = 1 << 20
	id, content := storage.NewBlobID(), bytes.Repeat([]byte("a"), part)
	if err := errors.Join(f.Begin(t.Context(), id, 2*part, part), f.Put(t.Context(), id, 0, content)); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(f.pathOf(id), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const half = part / 2 // the write takes one, and then finds no more
	if err := unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, blockSize+part+half, half); err != nil {
		t.Skipf("needs holes: %v", err)
	}
	empty := fillDisk(t, small)
	if err := f.Put(t.Context(), id, 1, content); !errors.Is(err, storage.ErrFull) || errors.Is(err, storage.ErrUnknownOutcome) {
		t.Errorf("Put(hole, full disk): got %v, want %v", err, storage.ErrFull)
	}
	empty()
	if err := f.Put(t.Context(), id, 1, content); err != nil || seen.calls != 0 {
		t.Errorf("Put(room again): got %v and %d faults, want nil and none", err, seen.calls)
	}
	for n := range int64(2) {
		if got, err := f.Get(t.Context(), id, n, part); err != nil || !bytes.Equal(got, content) {
			t.Errorf("Get(part %d): got %d bytes and %v, want those that were put", n, len(got), err)
		}
	}
}

// The spare bytes of the disk are left to others.
func TestSpare(t *testing.T) {
	f, _ := openWith(t, filepath.Join(disktest.Small(t, "6m"), "files"), nil)
	f.spare = 3 << 20
	for _, tt := range []struct {
		size int64
		want error
	}{{4 << 20, storage.ErrFull}, {2 << 20, nil}, {1 << 20, storage.ErrFull}} {
		if err := f.Begin(t.Context(), storage.NewBlobID(), tt.size, tt.size); !errors.Is(err, tt.want) {
			t.Errorf("Begin(%d bytes of 6 MiB, with 3 MiB spare): got %v, want %v", tt.size, err, tt.want)
		}
	}
}

// A disk without room for a folder is full, and not broken.
func TestOpenOnFullDisk(t *testing.T) {
	small := disktest.Small(t, "64k")
	for i := 0; ; i++ {
		if i > 1000 {
			t.Fatal("1,000 files on a disk of 64 KiB: got room, want none")
		}
		if err := os.WriteFile(filepath.Join(small, storage.NewBlobID().String()), []byte("a"), 0o600); errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(filepath.Join(small, "files"), Options{Fault: disk.NewFault(nil)})
	if err == nil {
		f.Close() // this file system had room for a folder
	} else if !errors.Is(err, storage.ErrFull) {
		t.Errorf("Open(full disk): got %v, want %v", err, storage.ErrFull)
	}
}
