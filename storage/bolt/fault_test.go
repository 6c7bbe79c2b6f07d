package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

// faults counts the calls of Options.Fault.
type faults struct {
	calls int
	last  error
}

// openForFault opens a new folder whose shares are written by w; nil for the system.
func openForFault(t *testing.T, w disk.Writer) (*Store, *sharefile.File, *faults) {
	t.Helper()
	folder, err := OpenFolder(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatalf("OpenFolder: got %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := folder.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
	seen := &faults{}
	store, shares, err := folder.Open(Options{shares: w, Fault: func(err error) {
		seen.calls++
		seen.last = err
	}})
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	return store, shares, seen
}

func putKey(ctx context.Context, s *Store, key string) error {
	return s.Update(ctx, func(tx storage.Tx) error { return tx.Put("b", []byte(key), nil) })
}

// wantPoisoned expects every operation of both to be refused.
func wantPoisoned(t *testing.T, store *Store, shares *sharefile.File, seen *faults) {
	t.Helper()
	nothing := func(storage.Tx) error { return nil }
	_, putErr := shares.Put(t.Context(), [storage.ShareSize]byte{})
	_, getErr := shares.Get(t.Context(), storage.Slot{Number: 1, Generation: 1})
	for name, err := range map[string]error{
		"View":    store.View(t.Context(), nothing),
		"Update":  store.Update(t.Context(), nothing),
		"Put":     putErr,
		"Get":     getErr,
		"Destroy": shares.Destroy(t.Context(), storage.Slot{Number: 1, Generation: 1}),
	} {
		if !errors.Is(err, storage.ErrUnknownOutcome) {
			t.Errorf("%s after a fault: got %v, want %v", name, err, storage.ErrUnknownOutcome)
		}
	}
	if seen.calls != 1 {
		t.Errorf("Fault: called %d times, want once", seen.calls)
	}
}

func TestCommitFaults(t *testing.T) {
	tests := map[string]func(*bbolt.Tx) error{
		"sync":       func(tx *bbolt.Tx) error { return errors.Join(tx.Rollback(), syscall.EIO) },
		"sync, full": func(tx *bbolt.Tx) error { return errors.Join(tx.Rollback(), syscall.ENOSPC) },
		"write": func(tx *bbolt.Tx) error {
			return errors.Join(tx.Rollback(), &fs.PathError{Op: "write", Err: syscall.EIO})
		},
		// Full, but what was written is visible.
		"full, committed": func(tx *bbolt.Tx) error {
			return errors.Join(tx.Commit(), &fs.PathError{Op: "write", Err: syscall.ENOSPC})
		},
		"panic": func(*bbolt.Tx) error { panic("damaged page") },
	}
	for name, commit := range tests {
		t.Run(name, func(t *testing.T) {
			store, shares, seen := openForFault(t, nil)
			if err := putKey(t.Context(), store, "before"); err != nil {
				t.Fatalf("Update: got %v, want nil", err)
			}
			store.writer.commit = commit
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() {
					err := putKey(t.Context(), store, fmt.Sprint(i))
					if !errors.Is(err, storage.ErrUnknownOutcome) {
						t.Errorf("Update: got %v, want %v", err, storage.ErrUnknownOutcome)
					}
				})
			}
			all.Wait()
			wantPoisoned(t, store, shares, seen)
		})
	}
}

func TestCommitFull(t *testing.T) {
	store, shares, seen := openForFault(t, nil)
	full := true
	store.writer.commit = func(tx *bbolt.Tx) error {
		if full {
			return errors.Join(tx.Rollback(), &fs.PathError{Op: "write", Path: "hush.db", Err: syscall.ENOSPC})
		}
		return tx.Commit()
	}
	if err := putKey(t.Context(), store, "a"); !errors.Is(err, storage.ErrFull) || errors.Is(err, storage.ErrUnknownOutcome) {
		t.Errorf("Update(full disk): got %v, want %v", err, storage.ErrFull)
	}
	// What wrote nothing needs no room.
	if err := store.Update(t.Context(), func(storage.Tx) error { return nil }); err != nil {
		t.Errorf("Update(nothing, full disk): got %v, want nil", err)
	}
	full = false
	if err := putKey(t.Context(), store, "b"); err != nil {
		t.Errorf("Update after a full disk: got %v, want nil", err)
	}
	err := store.View(t.Context(), func(tx storage.Tx) error {
		if _, err := tx.Get("b", []byte("a")); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Get(key of the failed update): got %v, want %v", err, storage.ErrNotFound)
		}
		_, err := tx.Get("b", []byte("b"))
		return err
	})
	if err != nil || seen.calls != 0 {
		t.Errorf("View: got %v and %d faults, want nil and none", err, seen.calls)
	}
	if _, err := shares.Put(t.Context(), [storage.ShareSize]byte{}); err != nil {
		t.Errorf("Put: got %v, want nil", err)
	}
}

// failsOnce is a disk of which a sync fails after it was armed, and no later one.
type failsOnce struct {
	disk.System

	armed, failed bool
}

func (w *failsOnce) Sync(file *os.File) error {
	if w.armed && !w.failed {
		w.failed = true
		return syscall.EIO
	}
	return w.System.Sync(file)
}

// TestSharesSyncFault: the system reports lost pages once. Later syncs would
// succeed, and must not count as a success.
func TestSharesSyncFault(t *testing.T) {
	w := &failsOnce{}
	store, shares, seen := openForFault(t, w)
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	w.armed = true
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := shares.Destroy(t.Context(), slot); !errors.Is(err, storage.ErrUnknownOutcome) {
				t.Errorf("Destroy: got %v, want %v", err, storage.ErrUnknownOutcome)
			}
		})
	}
	all.Wait()
	wantPoisoned(t, store, shares, seen)
	if !errors.Is(seen.last, syscall.EIO) {
		t.Errorf("Fault: got %v, want %v", seen.last, syscall.EIO)
	}
}

func TestPanicInUpdate(t *testing.T) {
	store, _, seen := openForFault(t, nil)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			err := store.Update(t.Context(), func(tx storage.Tx) error {
				if err := tx.Put("b", fmt.Append(nil, i), nil); err != nil {
					return err
				}
				if i%10 == 0 {
					panic("hunter2")
				}
				return nil
			})
			if (err != nil) != (i%10 == 0) || (err != nil && strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("Update %d: got %v, want an error without its value from each tenth", i, err)
			}
		})
	}
	all.Wait()
	if seen.calls != 0 {
		t.Errorf("Fault: got %v, want no call", seen.last)
	}
}
