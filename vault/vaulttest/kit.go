package vaulttest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/outbox"
)

// Options are the optional settings of a Kit. The zero value is a vault with
// the program's defaults in a new folder.
type Options struct {
	// Manual leaves sweeping and the background pass to the test.
	Manual bool
	// Limits are the vault's limits.
	Limits caller.Limits
	// Host is the service's own host name.
	Host string
	// HasDiskSpace reports whether the disk may take more; nil means always.
	HasDiskSpace func() bool
	// MinFree and Ballast are those of the data folder, which is asked for its
	// disk space if HasDiskSpace is nil.
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
	// SpamKey is the key of the ALTCHA server; empty for none.
	SpamKey string
	// Log receives what the vault logs; nil discards it.
	Log *slog.Logger
	// Dir is the data folder to open, for an existing one or a second run. If
	// it is empty, the kit creates one that is deleted with the test.
	Dir string
	// RootKey is the root key of the folder; nil means a new one.
	RootKey *seal.RootKey
	// AuditKeep is how long rows of the audit trail are kept; zero means the
	// vault's default.
	AuditKeep time.Duration
	// Start is the first time of the clock; zero means StartTime.
	Start time.Time
	// WrapStore and WrapShares wrap the vault's files at each start. What
	// WrapShares returns should be a storage.Recycler, too: without it slots
	// are not reused. Nil means no wrapper.
	WrapStore  func(storage.Store) storage.Store
	WrapShares func(storage.Shares) storage.Shares
}

// StartTime is the first time of a kit's clock, in whole seconds.
func StartTime() time.Time { return time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC) }

// Kit is a vault with its parts. It belongs to one test, which may use the
// vault from many goroutines, but not during Close or Reopen.
type Kit struct {
	// Vault is the vault; Reopen replaces it.
	Vault *vault.Vault
	// Store and Shares are the files below the wrappers, for tests that read
	// records or damage them; Reopen replaces them.
	Store  storage.Store
	Shares storage.Shares
	// Clock is the vault's only clock. Reopen keeps it.
	Clock *Clock
	// Dir is the data folder.
	Dir string
	// RootKey is the root key of the folder, and Keys are derived from it.
	RootKey seal.RootKey
	Keys    *seal.Keys

	opts   Options
	folder *bolt.Folder // nil while closed
}

// New opens a vault and closes it when the test ends.
func New(t testing.TB, opts Options) *Kit {
	t.Helper()
	if opts.Start.IsZero() {
		opts.Start = StartTime()
	}
	if opts.Dir == "" {
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
		RootKey: *opts.RootKey, Keys: seal.NewKeys(*opts.RootKey), opts: opts,
	}
	k.open(t)
	t.Cleanup(func() { k.Close(t) })
	return k
}

// Reopen closes everything and opens the same folder again, like a restart. The
// clock, the root key and the options stay.
func (k *Kit) Reopen(t testing.TB) {
	t.Helper()
	k.Close(t)
	k.open(t)
}

// Close closes the vault and the folder, unless they are closed. Only Reopen
// makes the kit usable again.
func (k *Kit) Close(t testing.TB) {
	t.Helper()
	if k.folder == nil {
		return
	}
	if k.Vault != nil {
		k.Vault.Close()
	}
	if err := k.folder.Close(); err != nil {
		t.Errorf("Folder.Close(): got %v, want nil", err)
	}
	k.folder, k.Vault = nil, nil
}

// CopyDir copies the data folder as it is, like a backup or a thief, and
// returns the copy's path. It does not wait for background work.
func (k *Kit) CopyDir(t testing.TB) string {
	t.Helper()
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
	folder, err := bolt.OpenFolder(k.Dir)
	if err != nil {
		t.Fatalf("OpenFolder(data folder): got %v, want nil", err)
	}
	k.folder = folder
	store, shares, err := folder.Open(bolt.Options{
		Init: vault.Init(k.Keys, k.Clock.Now()), MinFree: k.opts.MinFree, Ballast: k.opts.Ballast,
	})
	if err != nil {
		t.Fatalf("Folder.Open(): got %v, want nil", errors.Join(err, folder.Close()))
	}
	k.Store, k.Shares = store, shares
	opts := vault.Options{
		Store: store, Shares: shares, Keys: k.Keys, Now: k.Clock.Now, Log: k.opts.Log,
		Limits: k.opts.Limits, Host: k.opts.Host, HasDiskSpace: k.opts.HasDiskSpace, Manual: k.opts.Manual,
		Policy: k.opts.Policy, Send: k.opts.Send, Resolver: k.opts.Resolver, SpamKey: k.opts.SpamKey,
		Passwords: k.opts.Passwords, AuditKeep: k.opts.AuditKeep,
	}
	if opts.HasDiskSpace == nil && k.opts.MinFree > 0 {
		opts.HasDiskSpace = folder.HasDiskSpace
	}
	if opts.Passwords == (seal.PasswordParams{}) {
		opts.Passwords = seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1}
	}
	if wrap := k.opts.WrapStore; wrap != nil {
		opts.Store = wrap(store)
	}
	if wrap := k.opts.WrapShares; wrap != nil {
		opts.Shares = wrap(shares)
	}
	if k.Vault, err = vault.Open(t.Context(), opts); err != nil {
		t.Fatalf("vault.Open(): got %v, want nil", err)
	}
}
