package vaulttest

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/bolt"
	"hush/storage/disk"
	"hush/storage/postgres/postgrestest"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/domain"
	"hush/vault/outbox"
	"hush/vault/rootkey"
	"hush/vault/spent"
)

// Options are the optional settings of a Kit. The zero value is a vault with
// the program's defaults in a new store.
type Options struct {
	// Folder says that the test is about the data folder, its files and how
	// shares are overwritten in them. The kit is then on bbolt in every run. Dir,
	// MinFree, Ballast and SpentLog imply it. Other kits are in memory with -short.
	Folder bool
	// Alone says that the test is about a store that nodes do not share. The kit is
	// then on bbolt in a run on PostgreSQL, or in memory with -short.
	Alone bool
	// Manual leaves sweeping and the background pass to the test.
	Manual bool
	// Node is for the nodes of a Cluster, which give it their name.
	Node cluster.NodeOptions
	// Limits are the vault's limits.
	Limits caller.Limits
	// Host is the service's own host name.
	Host string
	// HasDiskSpace reports whether the disk may take more; nil means always.
	HasDiskSpace func() bool
	// MinFree and Ballast are those of the data folder, which is asked for its
	// disk space if HasDiskSpace is nil, once in each second of the kit's clock.
	MinFree int64
	Ballast bool
	// Policy is what the operator allows.
	Policy caller.Policy
	// Send delivers mail; nil means that mail is not configured.
	Send func(ctx context.Context, m outbox.Mail) error
	// Resolver queries DNS; nil means that there is no resolver.
	Resolver domain.Resolver
	// Passwords is the cost of hashing a password; zero means almost none,
	// whereas the service takes a tenth of a second and 64 MiB.
	Passwords seal.PasswordParams
	// Passphrases is the cost of hashing the passphrase of a new secret; zero means
	// almost none, whereas the service takes 25 ms and 19 MiB: seal.NewPassphraseParams
	// returns that cost.
	Passphrases seal.PassphraseParams
	// SpamKey is the key of the ALTCHA server; empty for none.
	SpamKey string
	// Observer is told what the background does; nil for nothing.
	Observer vault.Observer
	// Log receives what the vault logs; nil discards it.
	Log *slog.Logger
	// Dir is the data folder to open, for an existing one or a second run. If
	// it is empty, the kit creates one that is deleted with the test.
	Dir string
	// SpentLog is the folder of the spent log; empty for none. It implies Folder.
	SpentLog string
	// SpentOptions are those of the spent log.
	SpentOptions spentlog.Options
	// RootKey is the root key of the folder; nil means a new one.
	RootKey *seal.RootKey
	// KeyFile is the file of the root keys; nil if they cannot be changed.
	KeyFile rootkey.File
	// AuditKeep is how long rows of the audit trail are kept; zero means the
	// vault's default.
	AuditKeep time.Duration
	// Start is the first time of the clock; zero means StartTime.
	Start time.Time
	// Leases says how long claims on files last; zero fields mean the defaults.
	Leases claim.Leases
	// After is a kit that was closed, whose store the new one opens; nil means a
	// new store.
	After *Kit
	// WrapStore and WrapShares wrap the vault's store at each start. Nil means no
	// wrapper.
	WrapStore  func(storage.Store) storage.Store
	WrapShares func(storage.Shares) storage.Shares
	// WrapBlobs is the same for the vault's blobs.
	WrapBlobs func(storage.Blobs) storage.Blobs
}

// StartTime is the first time of a kit's clock, in whole seconds.
func StartTime() time.Time { return time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC) }

// Kit is a vault with its parts: on bbolt in a data folder, in memory with -short, or,
// in a run of the tests on PostgreSQL, a node on a schema of its own. It belongs to one test,
// which may use the vault from many goroutines, but not during Close or Reopen.
type Kit struct {
	// Vault is the vault; Reopen replaces it.
	Vault *vault.Vault
	// Store and Shares are what lies below the wrappers, for tests that read
	// records or damage them; Reopen replaces them.
	Store  storage.Store
	Shares storage.Shares
	// Blobs are those of the vault, nil on PostgreSQL; Reopen replaces them.
	Blobs *blobfile.Folder
	// SpentLog is the log of the vault, nil for none; Reopen replaces it.
	SpentLog *spentlog.Log
	// Clock is the vault's only clock. Reopen keeps it.
	Clock *Clock
	// Dir is the data folder, or "" in memory and on PostgreSQL.
	Dir string
	// RootKey is the first root key of the store, and Keys are derived from it. A test
	// may set others before Reopen.
	RootKey seal.RootKey
	Keys    *seal.Keys

	opts   Options
	blobs  string       // the folder of blobs; empty on PostgreSQL
	claims atomic.Int32 // that were made for files
	schema string       // on PostgreSQL
	memory *memoryStore // in memory
	base   *base        // nil while closed
}

// New opens a vault and closes it when the test ends.
func New(t testing.TB, opts Options) *Kit {
	t.Helper()
	if opts.Start.IsZero() {
		opts.Start = StartTime()
	}
	var schema string
	var inMemory *memoryStore
	if before := opts.After; before != nil {
		schema, inMemory, opts.Dir, opts.RootKey = before.schema, before.memory, before.Dir, &before.RootKey
	}
	switch {
	case schema != "", inMemory != nil:
	case opts.onPostgres():
		schema = newSchema(t)
	case opts.inMemory():
		inMemory = newMemoryStore()
	case opts.Dir == "":
		opts.Dir = filepath.Join(t.TempDir(), "data")
	}
	if opts.RootKey == nil {
		root := seal.NewRootKey()
		opts.RootKey = &root
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	k := &Kit{
		Clock: NewClock(opts.Start), Dir: opts.Dir,
		RootKey: *opts.RootKey, Keys: seal.NewKeys(*opts.RootKey), opts: opts, schema: schema, memory: inMemory,
	}
	switch {
	case schema != "":
	case opts.After != nil:
		k.blobs = opts.After.blobs
	case opts.Dir != "":
		k.blobs = filepath.Join(opts.Dir, "files")
	default:
		k.blobs = filepath.Join(t.TempDir(), "files")
	}
	k.open(t)
	t.Cleanup(func() { k.Close(t) })
	return k
}

// OnFolder is what a test logs that is on bbolt in a run on PostgreSQL.
const OnFolder = "about the data folder: on bbolt"

// onPostgres reports whether a kit with these options is on PostgreSQL.
func (o Options) onPostgres() bool {
	return postgrestest.Shared() != "" && !o.inFolder() && !o.Alone
}

// inMemory reports whether a kit with these options is in memory: a disk makes every
// change wait, and what needs one is tested without -short as well.
func (o Options) inMemory() bool { return testing.Short() && !o.inFolder() }

// inFolder reports whether a kit with these options needs a data folder.
func (o Options) inFolder() bool {
	return o.Folder || o.SpentLog != "" || o.Dir != "" || o.MinFree != 0 || o.Ballast
}

// Reopen closes everything and opens the same store again, like a restart. The
// clock, the root key and the options stay.
func (k *Kit) Reopen(t testing.TB) {
	t.Helper()
	k.Close(t)
	k.open(t)
}

// Close closes the vault and the store, unless they are closed. Only Reopen
// makes the kit usable again.
func (k *Kit) Close(t testing.TB) {
	t.Helper()
	if k.Vault != nil {
		k.Vault.Close()
	}
	k.Vault = nil
	if k.base == nil {
		return
	}
	if k.SpentLog != nil {
		Want(t, "SpentLog.Close()", k.SpentLog.Close(), nil)
		k.SpentLog = nil
	}
	if k.Blobs != nil {
		Want(t, "Blobs.Close()", k.Blobs.Close(), nil)
		k.Blobs = nil
	}
	Want(t, "Store.Close()", k.base.close(), nil)
	k.base = nil
}

// CopyDir copies the data folder as it is, like a backup or a thief, and
// returns the copy's path. It does not wait for background work.
func (k *Kit) CopyDir(t testing.TB) string {
	t.Helper()
	if k.Dir == "" {
		t.Fatal("CopyDir(): got a kit without a data folder, want Options.Folder")
	}
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(k.Dir)); err != nil {
		t.Fatalf("CopyFS(data folder): got %v, want nil", err)
	}
	//nolint:gosec // a folder needs its execute bit, and only its owner has any
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatalf("Chmod(copy, 0700): got %v, want nil", err)
	}
	return dir
}

func (k *Kit) open(t testing.TB) {
	t.Helper()
	b, err := k.openBase(t)
	if err != nil {
		t.Fatalf("opening the store: got %v, want nil", err)
	}
	k.base, k.Store, k.Shares = &b, b.store, b.shares
	if k.blobs != "" {
		fault := disk.NewFault(func(err error) { t.Errorf("the folder of blobs has failed: %v", err) })
		if k.Blobs, err = blobfile.Open(k.blobs, blobfile.Options{Fault: fault}); err != nil {
			t.Fatalf("blobfile.Open(): got %v, want nil", err)
		}
	}
	if k.opts.SpentLog != "" {
		if k.SpentLog, _, err = spent.Open(t.Context(), b.store, k.opts.SpentLog, false, k.spentOptions()); err != nil {
			t.Fatalf("spent.Open(): got %v, want nil", err)
		}
	}
	opts := k.VaultOptions()
	if wrap := k.opts.WrapStore; wrap != nil {
		opts.Store = wrap(b.store)
	}
	if wrap := k.opts.WrapShares; wrap != nil {
		opts.Shares = wrap(b.shares)
	}
	if wrap := k.opts.WrapBlobs; wrap != nil && k.Blobs != nil {
		opts.Blobs = wrap(k.Blobs)
	}
	if k.Vault, err = vault.Open(t.Context(), opts); err != nil {
		t.Fatalf("vault.Open(): got %v, want nil", err)
	}
}

// spentOptions returns the options of the spent log, which grows in small steps unless
// the test says how.
func (k *Kit) spentOptions() spentlog.Options {
	opts := k.opts.SpentOptions
	opts.Growth = cmp.Or(opts.Growth, 256)
	return opts
}

func (k *Kit) openBase(t testing.TB) (base, error) {
	t.Helper()
	if k.schema != "" {
		return openSchema(t.Context(), k.schema, k.Clock, k.Keys)
	}
	if k.memory != nil {
		return k.memory.open(t.Context(), k.Keys, k.Clock.Now())
	}
	if postgrestest.Shared() != "" {
		t.Log(OnFolder) // scripts/test.sh counts these tests
	}
	// A program that a test starts has this process's descriptors until it executes, and
	// with them its file locks. A test with a clock of its own cannot wait for that.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	init := vault.Init(k.Keys, k.Clock.Now())
	return openFolder(k.Dir, bolt.Options{Init: init, MinFree: k.opts.MinFree, Ballast: k.opts.Ballast, Small: true, Now: k.Clock.Now})
}

// VaultOptions returns those of the kit's vault without wrappers, for a test
// that opens another one on the store.
func (k *Kit) VaultOptions() vault.Options {
	opts := vault.Options{
		Store: k.Store, Shares: k.Shares, Node: k.base.node, Keys: k.Keys, Now: k.Clock.Now, Log: k.opts.Log,
		Limits: k.opts.Limits, Host: k.opts.Host, HasDiskSpace: k.opts.HasDiskSpace, Manual: k.opts.Manual,
		Policy: k.opts.Policy, Send: k.opts.Send, Resolver: k.opts.Resolver, SpamKey: k.opts.SpamKey, Observer: k.opts.Observer,
		Passwords: k.opts.Passwords, Passphrases: k.opts.Passphrases, AuditKeep: k.opts.AuditKeep, KeyFile: k.opts.KeyFile,
		SpentLog: k.SpentLog, Leases: k.opts.Leases,
	}
	if k.Blobs != nil {
		opts.Blobs = k.Blobs
	}
	if opts.HasDiskSpace == nil && k.opts.MinFree > 0 {
		opts.HasDiskSpace = k.base.hasDiskSpace
	}
	if opts.Passwords == (seal.PasswordParams{}) {
		opts.Passwords = CheapPasswords()
	}
	if opts.Passphrases == (seal.PassphraseParams{}) {
		opts.Passphrases = CheapPassphrases()
	}
	return opts
}

// CheapPasswords is vault.Options.Passwords for a vault whose tests are not about
// what a password costs.
func CheapPasswords() seal.PasswordParams {
	return seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1}
}

// CheapPassphrases is vault.Options.Passphrases for a vault whose tests are not about
// what a passphrase costs.
func CheapPassphrases() seal.PassphraseParams { return seal.PassphraseParams(CheapPasswords()) }
