package offline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/bolt/offline"
	"hush/storage/sharefile"
)

// What a snapshot and the live shares have, a Builder makes again, under another
// id, and the slots that were not live never get a share that a record names.
func TestBuildFromSnapshot(t *testing.T) {
	from, shares, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "from"), bolt.Options{})
	err := from.Update(t.Context(), func(tx storage.Tx) error {
		for i := range 9000 { // more than the builder keeps in memory
			if err := tx.Put("a", fmt.Append(nil, i), []byte("value")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
	var gone []storage.Slot
	for range 3 {
		gone = append(gone, bolttest.PutShare(t, shares, [storage.ShareSize]byte{2}))
	}
	if err := shares.Destroy(t.Context(), gone...); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "to")
	built := bolttest.MustOpenFolder(t, dir)
	b := rebuild(t, built, from, shares)
	if _, err := os.Stat(filepath.Join(dir, "hush.db")); err == nil {
		t.Error("hush.db before Commit: got a file, want none")
	}
	if err := b.Commit(t.Context()); err != nil {
		t.Fatalf("Commit: got %v, want nil", err)
	}
	closeBuilder(t, b)
	to, copied, err := built.Open(bolt.Options{})
	if err != nil {
		t.Fatalf("Open(built): got %v, want nil", err)
	}
	if got, want := bolttest.RowsOf(t, to, func() {}), bolttest.RowsOf(t, from, func() {}); !slices.Equal(got, want) {
		t.Errorf("rows: got %d, want those %d of the source", len(got), len(want))
	}
	mine, err := from.ID()
	if theirs, other := to.ID(); err != nil || other != nil || mine == theirs || theirs == [16]byte{} {
		t.Errorf("ID(built): got %x, %v, want another than %x, %v", theirs, other, mine, err)
	}
	wantReplaced(t, copied, kept, gone)
}

// wantReplaced checks that a live share is there, and that those that are gone
// stay so when their slots are used again.
func wantReplaced(t *testing.T, shares *sharefile.File, kept storage.Slot, gone []storage.Slot) {
	t.Helper()
	if share, err := shares.Get(t.Context(), kept); err != nil || share[0] != 1 {
		t.Errorf("Get(live): got %v, %v, want its share", share, err)
	}
	shares.Recycler().Used(kept)
	shares.Recycler().Reclaim()
	taken := takeSlots(t, shares, 16382) // all others of the file
	for _, slot := range gone {
		if _, err := shares.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) || !taken[slot.Number] {
			t.Errorf("Get(%v, used again %v): got %v, want %v", slot, taken[slot.Number], err, storage.ErrShareGone)
		}
	}
}

func rebuild(t *testing.T, into *bolt.Folder, from *bolt.Store, shares *sharefile.File) *offline.Builder {
	t.Helper()
	b, err := offline.NewBuilder(into)
	if err != nil {
		t.Fatalf("NewBuilder: got %v, want nil", err)
	}
	t.Cleanup(func() { closeBuilder(t, b) })
	if err := from.Snapshot(t.Context(), func(s *bolt.Snapshot) error { return s.Rows(t.Context(), b.Row) }); err != nil {
		t.Fatal(err)
	}
	extent, err := shares.Live(t.Context(), b.Slot)
	if err == nil {
		err = b.Complete(t.Context(), extent)
	}
	if err != nil {
		t.Fatalf("Complete: got %v, want nil", err)
	}
	return b
}

func closeBuilder(t *testing.T, b *offline.Builder) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
}

// Changes between Complete and Commit are part of the data.
func TestBuildIsChangedBeforeItIsNamed(t *testing.T) {
	from, shares, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "from"), bolt.Options{})
	bolttest.Put(t, from, "key", "old")
	slot := bolttest.PutShare(t, shares, [storage.ShareSize]byte{1})
	folder := bolttest.MustOpenFolder(t, filepath.Join(t.TempDir(), "to"))
	b := rebuild(t, folder, from, shares)
	store, copied, err := b.Open()
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	bolttest.Put(t, store, "key", "new")
	if err := errors.Join(copied.Destroy(t.Context(), slot), b.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	store, copied, err = folder.Open(bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bolttest.WantValue(t, store, "key", "new")
	if _, err := copied.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) {
		t.Errorf("Get(destroyed): got %v, want %v", err, storage.ErrShareGone)
	}
}

// Without Commit nothing is left, and a folder with data is refused.
func TestBuildLeavesNothing(t *testing.T) {
	from, shares, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "from"), bolt.Options{})
	dir := filepath.Join(t.TempDir(), "to")
	folder := bolttest.MustOpenFolder(t, dir)
	closeBuilder(t, rebuild(t, folder, from, shares))
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files after Close: got %v, %v, want none", left, err)
	}
	for _, name := range []string{"hush.db", "shares"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := offline.NewBuilder(folder); !errors.Is(err, offline.ErrFolderInUse) {
			t.Errorf("NewBuilder(folder with %s): got %v, want %v", name, err, offline.ErrFolderInUse)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBuildRefusesSlots(t *testing.T) {
	folder := bolttest.MustOpenFolder(t, filepath.Join(t.TempDir(), "to"))
	b, err := offline.NewBuilder(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBuilder(t, b)
	if err := b.Slot(storage.Slot{Number: 7, Generation: 1}, [storage.ShareSize]byte{}); err != nil {
		t.Errorf("Slot: got %v, want nil", err)
	}
	for _, slot := range []storage.Slot{{}, {Number: 0, Generation: 1}, {Number: 8}, {Number: 7, Generation: 2}, {Number: 1 << 30, Generation: 1}, {Number: 9, Generation: 1<<63 + 1}} {
		if err := b.Slot(slot, [storage.ShareSize]byte{}); err == nil {
			t.Errorf("Slot(%v): got nil, want an error", slot)
		}
	}
	if err := b.Row("\x00store", []byte("id"), []byte("mine")); err == nil {
		t.Error("Row(bucket of the store): got nil, want an error")
	}
	if err := b.Complete(t.Context(), sharefile.Extent{Slots: 1 << 31}); err == nil {
		t.Error("Complete(too many slots): got nil, want an error")
	}
	if err := b.Commit(t.Context()); err == nil {
		t.Error("Commit(incomplete): got nil, want an error")
	}
}

// Attack: a backup of a few bytes names the last slot that there can be. Filling the
// slots before it ends with the context, as a long command must.
func TestBuildEndsWithItsContext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "to")
	b, err := offline.NewBuilder(bolttest.MustOpenFolder(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer closeBuilder(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Complete(ctx, sharefile.Extent{Slots: 1 << 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("Complete(cancelled): got %v, want %v", err, context.Canceled)
	}
	if info, err := os.Stat(filepath.Join(dir, "shares.new")); err != nil || info.Size() > 1<<20 {
		t.Errorf("shares of a cancelled Complete: got %v, %v, want none filled", info, err)
	}
}

// takeSlots puts shares and returns the numbers of their slots.
func takeSlots(t *testing.T, shares *sharefile.File, n int) map[uint64]bool {
	t.Helper()
	slots := make(chan storage.Slot, n)
	var all sync.WaitGroup
	for range 128 {
		all.Go(func() {
			for len(slots) < n-128 {
				if slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{3}); err == nil {
					slots <- slot
				}
			}
		})
	}
	all.Wait()
	for len(slots) < n {
		slots <- bolttest.PutShare(t, shares, [storage.ShareSize]byte{3})
	}
	taken := map[uint64]bool{}
	for range n {
		taken[(<-slots).Number] = true
	}
	return taken
}
