package bolt_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/disktest"
	"hush/storage/sharefile"
)

// TestFullDisk fills a small file system for real. It needs the right to mount
// one.
func TestFullDisk(t *testing.T) {
	disk := disktest.Small(t, "6m")
	var fault error
	store, shares, folder := bolttest.Open(t, filepath.Join(disk, "data"), bolt.Options{Fault: func(err error) { fault = err }})
	if len(folder.Warnings()) != 1 {
		t.Errorf("Warnings(tmpfs): got %q, want one", folder.Warnings())
	}
	slot := bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
	filled := fill(t, store)
	if filled < 10 {
		t.Errorf("updates before the disk was full: got %d, want some", filled)
	}
	// What needs no new room still works: a share can be destroyed.
	if err := shares.Destroy(t.Context(), slot); err != nil {
		t.Errorf("Destroy(full disk): got %v, want nil", err)
	}
	for i := range filled {
		wantLength(t, store, i)
	}
	if err := store.View(t.Context(), func(storage.Tx) error { return nil }); err != nil || fault != nil {
		t.Errorf("after a full disk: got %v and fault %v, want neither", err, fault)
	}
}

// Overwriting a share finds the disk full, for real: a hole in the file needs a new
// block, as every block does on a file system that copies on write. Whatever is
// reported as stored or destroyed is so, and with free space it goes on.
func TestOverwriteOnFullDisk(t *testing.T) {
	disk := disktest.Small(t, "6m")
	_, shares, folder := bolttest.Open(t, filepath.Join(disk, "data"), bolt.Options{Fault: func(err error) { t.Errorf("Fault: got %v, want none", err) }})
	early := bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
	file, err := os.OpenFile(folder.Path("shares"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	// The slots from 64 on were never used, so they read as before.
	if err := unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 4096, 1<<20-4096); err != nil {
		t.Skipf("needs holes: %v", err)
	}
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("WriteFile(filler): got %v, want %v", err, syscall.ENOSPC)
	}
	var stored, full atomic.Int32
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			share := [storage.ShareSize]byte{byte(i), 2}
			slot, err := shares.Put(t.Context(), share)
			if errors.Is(err, storage.ErrFull) {
				full.Add(1)
				return
			}
			stored.Add(1)
			if got, wrong := shares.Get(t.Context(), slot); err != nil || wrong != nil || got != share {
				t.Errorf("Put: got %v, and then %x and %v from Get, want the share or %v", err, got, wrong, storage.ErrFull)
			}
			if err := shares.Destroy(t.Context(), slot); err != nil {
				t.Errorf("Destroy where there is no hole: got %v, want nil", err)
			}
		})
	}
	all.Wait()
	if full.Load() == 0 {
		t.Errorf("200 shares over holes on a full disk: got %d stored, want some %v", stored.Load(), storage.ErrFull)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	late := bolttest.PutShare(t, shares, [storage.ShareSize]byte{3})
	if err := shares.Destroy(t.Context(), early, late); err != nil {
		t.Errorf("Destroy with free space: got %v, want nil", err)
	}
}

// clock is ahead of the system's.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// pass lets time pass, after which HasDiskSpace asks the system again.
func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }

// The defect: a folder that had filled its disk refused everything for good,
// though it was empty again inside. Free pages are room.
func TestFreePagesAreRoom(t *testing.T) {
	disk := disktest.Small(t, "24m")
	const least = 4 << 20
	var later clock
	store, _, folder := bolttest.Open(t, filepath.Join(disk, "data"), bolt.Options{MinFree: least, Ballast: true, Now: later.now})
	if !folder.HasDiskSpace() {
		t.Error("HasDiskSpace(empty disk): got false, want true")
	}
	filled := fill(t, store)
	later.pass(time.Second)
	if folder.HasDiskSpace() {
		t.Error("HasDiskSpace(full disk): got true, want false")
	}
	empty(t, store, filled)
	later.pass(time.Second)
	if !folder.HasDiskSpace() {
		t.Error("HasDiskSpace(emptied): got false, want true")
	}
	for i := range filled / 2 {
		if err := putLarge(t, store, i); err != nil {
			t.Fatalf("Update %d in free pages: got %v, want nil", i, err)
		}
	}
}

// On a full disk what was promised room gets it, and nothing else does.
func TestBallast(t *testing.T) {
	disk := disktest.Small(t, "20m")
	var told []bool
	var later clock
	store, shares, folder := bolttest.Open(t, filepath.Join(disk, "data"), bolt.Options{
		MinFree: 1, Ballast: true, Now: later.now, Pressure: func(dropped bool) { told = append(told, dropped) },
	})
	wantBallast(t, folder, 8<<20)
	filled := fill(t, store)
	wantBallast(t, folder, 8<<20)
	round := 0
	small := func(tx storage.Tx) error {
		for i := range 50 {
			if err := tx.Put("ends", fmt.Append(nil, round, i), make([]byte, 2000)); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	for ; err == nil && round < 1000; round++ { // into the last free pages
		err = store.Update(t.Context(), small)
	}
	if !errors.Is(err, storage.ErrFull) {
		t.Fatalf("Update(full disk): got %v, want %v", err, storage.ErrFull)
	}
	wantBallast(t, folder, 8<<20)
	if err := store.UpdateReserved(t.Context(), small); err != nil {
		t.Fatalf("UpdateReserved(full disk): got %v, want nil", err)
	}
	wantBallast(t, folder, 0)
	if folder.HasDiskSpace() {
		t.Error("HasDiskSpace(without the ballast): got true, want false")
	}
	wantKeptBack(t, store, shares, small)
	empty(t, store, filled)
	if !folder.HasDiskSpace() {
		t.Error("HasDiskSpace(free pages in place of the ballast): got false, want true")
	}
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatalf("Mount(larger): got %v, want nil", err)
	}
	later.pass(time.Second)
	if !folder.HasDiskSpace() {
		t.Error("HasDiskSpace(larger disk): got false, want true")
	}
	wantBallast(t, folder, 8<<20)
	if fmt.Sprint(told) != "[false true false]" {
		t.Errorf("Pressure: got %v, want made, dropped, made", told)
	}
}

// wantKeptBack checks that the ballast's room goes to reserved updates alone. The
// defect: ordinary ones took it as soon as one of the others had set it free.
func wantKeptBack(t *testing.T, store *bolt.Store, shares *sharefile.File, change func(storage.Tx) error) {
	t.Helper()
	for range 20 {
		if err := store.Update(t.Context(), change); !errors.Is(err, storage.ErrFull) {
			t.Fatalf("Update(without the ballast): got %v, want %v", err, storage.ErrFull)
		}
	}
	var err error
	for range 1 << 14 { // beyond what the file of the shares has
		if _, err = shares.Put(t.Context(), [storage.ShareSize]byte{}); err != nil {
			break
		}
	}
	if !errors.Is(err, storage.ErrFull) {
		t.Errorf("Put(without the ballast): got %v, want %v", err, storage.ErrFull)
	}
	for i := range 20 {
		if err := store.UpdateReserved(t.Context(), change); err != nil {
			t.Fatalf("UpdateReserved %d: got %v, want nil", i, err)
		}
	}
}

func wantBallast(t *testing.T, folder *bolt.Folder, size int64) {
	t.Helper()
	info, err := os.Stat(folder.Path("ballast"))
	if size == 0 {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat(ballast): got %v, want %v", err, fs.ErrNotExist)
		}
		return
	}
	if err != nil {
		t.Fatalf("Stat(ballast): got %v, want nil", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); info.Size() != size || !ok || stat.Blocks*512 < size {
		t.Errorf("ballast: got %d bytes in %+v, want %d on the disk", info.Size(), info.Sys(), size)
	}
}

// empty deletes what fill put.
func empty(t *testing.T, store *bolt.Store, filled int) {
	t.Helper()
	for i := range filled {
		err := store.UpdateReserved(t.Context(), func(tx storage.Tx) error { return tx.Delete("bucket", fmt.Append(nil, i)) })
		if err != nil {
			t.Fatalf("UpdateReserved(delete %d): got %v, want nil", i, err)
		}
	}
}

func putLarge(t *testing.T, store storage.Store, i int) error {
	t.Helper()
	return store.Update(t.Context(), func(tx storage.Tx) error {
		return tx.Put("bucket", fmt.Append(nil, i), make([]byte, 20_000))
	})
}

// fill puts large values until one finds no room, and returns how many did.
func fill(t *testing.T, store storage.Store) int {
	t.Helper()
	for i := range 1000 {
		err := putLarge(t, store, i)
		if errors.Is(err, storage.ErrFull) {
			return i
		}
		if err != nil {
			t.Fatalf("Update %d: got %v, want nil or %v", i, err, storage.ErrFull)
		}
	}
	t.Fatalf("1000 updates of 20,000 bytes: got no error, want %v", storage.ErrFull)
	return 0
}

func wantLength(t *testing.T, store storage.Store, i int) {
	t.Helper()
	err := store.View(t.Context(), func(tx storage.Tx) error {
		value, err := tx.Get("bucket", fmt.Append(nil, i))
		if len(value) != 20_000 {
			t.Errorf("Get(%d): got %d bytes, want 20000", i, len(value))
		}
		return err
	})
	if err != nil {
		t.Errorf("View: got %v, want nil", err)
	}
}
