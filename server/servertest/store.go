package servertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/storage/storagetest"
	"hush/vault"
	"hush/vault/vaulttest"
)

// InFolder is the flag of a test that is about the data folder, its files or
// its lock: it stays on bbolt when the others run on PostgreSQL.
const InFolder = "--store=bolt"

// RunOnce leaves a test out of a run on PostgreSQL that would test the same as
// the run on bbolt, because of what it is about.
func RunOnce(t testing.TB, about string) {
	t.Helper()
	if postgrestest.Shared() != "" {
		t.Skip(about + ": not run again")
	}
}

// Fewer returns how often a test does what it does many times: less often on
// PostgreSQL, where the run is the second one.
func Fewer(times int) int {
	if postgrestest.Shared() != "" {
		return (times + 4) / 5
	}
	return times
}

// StoreFlags returns the flags of "hush" that name the store of a data folder in
// this run of the tests: none for the folder itself, or on PostgreSQL a database
// that belongs to the folder. It is created when first asked for, and dropped at
// the end of t. A folder that has data keeps it.
func StoreFlags(t testing.TB, data string, flags []string) []string {
	t.Helper()
	server := postgrestest.Shared()
	if server == "" {
		return nil
	}
	if slices.Contains(flags, InFolder) || HasData(data) {
		t.Log(vaulttest.OnFolder)
		return nil
	}
	if slices.Contains(flags, "--store") || slices.Contains(flags, "--store=memory") {
		return nil
	}
	made, err := makeDatabase(t.Context(), data, "")
	if err != nil {
		t.Fatalf("creating a database: got %v, want nil", err)
	}
	if made {
		t.Cleanup(func() { dropDatabase(t, data) })
	}
	return []string{"--store", databaseURL(data)}
}

// HasData reports whether a data folder holds data of its own, and not in a database.
func HasData(data string) bool {
	_, err := os.Stat(filepath.Join(data, "hush.db"))
	return err == nil
}

// databaseOf returns the name of the database of a data folder.
func databaseOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return "test_" + hex.EncodeToString(sum[:12])
}

func databaseURL(data string) string {
	url, _ := postgrestest.DatabaseURL(postgrestest.Shared(), databaseOf(data))
	return url
}

// makeDatabase creates the database of a data folder unless it is there, as a
// copy of a template if that is not "".
func makeDatabase(ctx context.Context, data, template string) (made bool, err error) {
	err = postgrestest.CreateDatabase(ctx, postgrestest.Shared(), databaseOf(data), template)
	if errors.Is(err, postgrestest.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

func dropDatabase(t testing.TB, data string) {
	t.Helper()
	err := postgrestest.DropDatabase(context.Background(), postgrestest.Shared(), databaseOf(data))
	if err != nil {
		t.Errorf("dropping a database: got %v, want nil", err)
	}
}

// Store is the store of a data folder whose program does not run.
type Store struct {
	storage.Store
	Shares storage.Shares
	// Release closes the store, and all that was opened with it.
	Release func() error
}

// storeOpener opens the store at a place: a data folder, or a URL for openDatabase.
// With keys it makes it at the time that now tells. To the vault it is a store
// without a clock, so that the data may be of the past.
type storeOpener func(ctx context.Context, place string, keys *seal.Keys, now func() time.Time) (*Store, error)

// OpenStore is the storeOpener of this run of the tests.
func OpenStore(ctx context.Context, data string, keys *seal.Keys, now func() time.Time) (*Store, error) {
	if postgrestest.Shared() == "" || HasData(data) {
		return OpenFolder(ctx, data, keys, now)
	}
	return openDatabaseOf(ctx, data, keys, now)
}

// openDatabaseOf opens or makes the store in the database of a data folder.
func openDatabaseOf(ctx context.Context, data string, keys *seal.Keys, now func() time.Time) (*Store, error) {
	return openDatabase(ctx, databaseURL(data), keys, now)
}

// openDatabase opens or makes the store in the database at a URL.
func openDatabase(ctx context.Context, url string, keys *seal.Keys, now func() time.Time) (*Store, error) {
	opened, shares, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, err
	}
	s := &Store{storagetest.WithoutClock(opened), shares, opened.Close}
	if keys != nil {
		err = vault.InitShared(ctx, s, keys, now())
	}
	if err != nil {
		return nil, errors.Join(err, s.Release())
	}
	return s, nil
}

// OpenFolder opens or makes the store in a data folder, as OpenStore does.
func OpenFolder(_ context.Context, data string, keys *seal.Keys, now func() time.Time) (*Store, error) {
	folder, err := bolt.OpenFolder(data)
	if err != nil {
		return nil, err
	}
	opts := bolt.Options{Fault: func(error) {}}
	if keys != nil {
		opts.Init = vault.Init(keys, now())
	}
	opened, shares, err := folder.Open(opts)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &Store{opened, shares, folder.Close}, nil
}

// WriteRootKey makes a data folder with a new root key in it.
func WriteRootKey(data string) (*seal.Keys, error) {
	root := seal.NewRootKey()
	err := os.MkdirAll(data, 0o700)
	return seal.NewKeys(root), errors.Join(err, os.WriteFile(filepath.Join(data, "root.key"), root.Text(), 0o400))
}
