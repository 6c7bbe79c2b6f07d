package vaulttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/memory"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/vault"
	"hush/vault/cluster"
)

// base is what a vault stands on while it is open.
type base struct {
	store        storage.Store
	shares       storage.Shares
	node         *cluster.NodeOptions // nil on a data folder
	hasDiskSpace func() bool          // nil on PostgreSQL
	close        func() error
}

// openFolder opens a data folder, which it creates if it is missing.
func openFolder(dir string, opts bolt.Options) (base, error) {
	folder, err := bolt.OpenFolder(dir)
	if err != nil {
		return base{}, err
	}
	store, shares, err := folder.Open(opts)
	if err != nil {
		return base{}, errors.Join(err, folder.Close())
	}
	return base{store: store, shares: shares, hasDiskSpace: folder.HasDiskSpace, close: folder.Close}, nil
}

// memoryStore is a store in memory that outlives the kit which opened it.
type memoryStore struct {
	store  *memory.Store
	shares *memory.Shares
	filled bool
}

func newMemoryStore() *memoryStore {
	store, shares := memory.New()
	return &memoryStore{store: store, shares: shares}
}

// open opens the store, which it fills if it is new.
func (m *memoryStore) open(ctx context.Context, keys *seal.Keys, now time.Time) (base, error) {
	if !m.filled {
		if err := m.store.Update(ctx, vault.Init(keys, now)); err != nil {
			return base{}, err
		}
		m.filled = true
	}
	return base{
		store: m.store, shares: m.shares,
		hasDiskSpace: func() bool { return true }, close: func() error { return nil },
	}, nil
}

// openSchema opens a schema on the server of the test run, which it creates if
// it is missing.
func openSchema(ctx context.Context, name string, clock *Clock, keys *seal.Keys) (base, error) {
	opened, shares, err := postgres.Open(ctx, postgrestest.Shared(), postgres.Options{Schema: name, MaxConns: 8})
	if err != nil {
		return base{}, err
	}
	store := &clockedStore{opened, clock}
	if err := vault.InitShared(ctx, store, keys, clock.Now()); err != nil {
		return base{}, errors.Join(err, opened.Close())
	}
	return base{
		store: store, shares: shares,
		node: &cluster.NodeOptions{Name: "test", Release: "test"}, close: opened.Close,
	}, nil
}

// newSchema returns the name of a schema that is dropped when t is over.
func newSchema(t testing.TB) string {
	t.Helper()
	name := postgrestest.NewName()
	t.Cleanup(func() {
		Want(t, "DropSchema()", postgrestest.DropSchema(context.Background(), postgrestest.Shared(), name), nil)
	})
	return name
}

// clockedStore is a store on PostgreSQL whose time is that of a test's clock.
type clockedStore struct {
	*postgres.Store
	clock *Clock
}

// Clock returns the store itself.
func (s *clockedStore) Clock() storage.Clock { return s }

// Now returns the time of the test's clock.
func (s *clockedStore) Now(context.Context) (time.Time, error) { return s.clock.Now(), nil }
