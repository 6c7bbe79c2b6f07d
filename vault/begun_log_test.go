package vault_test

import (
	"context"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/memory"
	"hush/storage/spentlog"
	"hush/vault/spent"
	"hush/vault/vaulttest"
)

// stoppingStore fails every Update once updates of them have succeeded, as if the
// process had ended.
type stoppingStore struct {
	storage.Store
	updates int
}

func (s *stoppingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if s.updates--; s.updates < 0 {
		return storage.ErrUnknownOutcome
	}
	return s.Store.Update(ctx, fn)
}

func (s *stoppingStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

func newStore() storage.Store {
	store, _ := memory.New()
	return store
}

// beginsIn opens the log of a store in a folder, closes it, and returns its id.
func beginsIn(t *testing.T, store storage.Store, dir string, mayBegin, want bool) spentlog.ID {
	t.Helper()
	log, began, err := spent.Open(t.Context(), store, dir, mayBegin, spentlog.Options{Growth: 256})
	vaulttest.Want(t, "spent.Open()", err, nil)
	vaulttest.Want(t, "began", began, want)
	defer func() { vaulttest.Want(t, "Close()", log.Close(), nil) }()
	id, _ := log.Position()
	return id
}

// The log of a store in which nothing has ended yet has no entries. Another store does
// not take its place, also not where it may begin a new one.
func TestSpentLogOfAnotherStoreStays(t *testing.T) {
	t.Parallel()
	dir, others := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "log")
	one, other := newStore(), newStore()
	id := beginsIn(t, one, dir, false, true)
	_, _, err := spent.Open(t.Context(), other, dir, false, spentlog.Options{})
	vaulttest.WantErr(t, "spent.Open(log of another store)", err, spentlog.ErrNotEmpty)
	beginsIn(t, other, others, false, true)
	_, _, err = spent.Open(t.Context(), other, dir, true, spentlog.Options{})
	vaulttest.WantErr(t, "spent.Open(log of another store, begin)", err, spent.ErrOther)
	vaulttest.Want(t, "id of the log after that", beginsIn(t, one, dir, false, false), id)
}

// A crash while a log is begun leaves one that only its own store takes.
func TestCrashWhileSpentLogBegins(t *testing.T) {
	t.Parallel()
	for updates, left := range []bool{false, true} {
		for _, used := range []bool{false, true} {
			dir, store := filepath.Join(t.TempDir(), "log"), newStore()
			if used {
				beginsIn(t, store, filepath.Join(t.TempDir(), "lost"), false, true)
			}
			_, _, err := spent.Open(t.Context(), &stoppingStore{store, updates}, dir, used, spentlog.Options{Growth: 256})
			vaulttest.WantErr(t, "spent.Open(crash)", err, storage.ErrUnknownOutcome)
			r, err := spentlog.Read(dir)
			vaulttest.Want(t, "the crash left a log", err == nil, left)
			if left {
				_, _, err = spent.Open(t.Context(), newStore(), dir, false, spentlog.Options{})
				vaulttest.WantErr(t, "spent.Open(what a crash left of another store)", err, spentlog.ErrNotEmpty)
			}
			id := beginsIn(t, store, dir, used, true)
			if left {
				vaulttest.Want(t, "id after the crash", id, r.ID())
			}
			vaulttest.Want(t, "id of the next start", beginsIn(t, store, dir, false, false), id)
		}
	}
}
