// Package data opens the data of a service: its folder, with the root key, the
// database, the shares and the socket of "hush admin", or a store in memory. One
// process at a time holds a folder. New stores, and commands that look after the
// data, begin here.
package data

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"hush/cmd/hush/console"
	"hush/cmd/hush/settings"
	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/memory"
	"hush/vault"
)

// The files of the data folder.
const (
	RootKeyName  = "root.key"
	DatabaseName = "hush.db"
	SharesName   = "shares"
)

// ErrInUse is returned if another process holds the data folder.
var ErrInUse = errors.New("in use by another hush: stop that one first")

// Data is the open data of a service.
type Data struct {
	// Locked reports whether the keys are kept from swap.
	Locked bool
	// Fault gets the one error after which the process must stop.
	Fault <-chan error
	// FileBytes returns the length of the database's file. It is nil for a store in
	// memory.
	FileBytes func() int64

	folder       string
	store        storage.Store
	shares       storage.Shares
	keys         *seal.Keys
	hasDiskSpace func() bool
	close        func() error
}

// Close closes the data. A vault on it must be closed before.
func (d *Data) Close() error { return d.close() }

// OpenVault opens the vault on the data, which adds its own options.
func (d *Data) OpenVault(ctx context.Context, opts vault.Options) (*vault.Vault, error) {
	opts.Store, opts.Shares, opts.Keys, opts.HasDiskSpace, opts.Now = d.store, d.shares, d.keys, d.hasDiskSpace, time.Now
	v, err := vault.Open(ctx, opts)
	if errors.Is(err, seal.ErrWrongRootKey) {
		return nil, fmt.Errorf("the root key is not the one that the data in %s was made with; nothing was changed", d.folder)
	}
	return v, err
}

// Open opens the data that the settings name. In a new data folder it creates, in
// this order, the root key, the shares, and the database that makes it one. It
// returns ErrInUse if another process holds the folder.
func Open(s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	if s.Store == settings.StoreMemory {
		return openMemory(log)
	}
	folder, err := openFolder(s, c)
	if err != nil {
		return nil, err
	}
	d, err := openStore(folder, s, c, log)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	for _, warning := range folder.Warnings() {
		log.Warn(warning, "data", s.Data)
	}
	return d, nil
}

// OpenExisting is Open for data that exists: it creates nothing, and returns an
// error if the data folder has no database.
func OpenExisting(s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	if _, err := os.Stat(s.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no data folder %s", s.Data)
	}
	if _, err := os.Lstat(filepath.Join(s.Data, DatabaseName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder %s holds no data: it has no file %s", s.Data, DatabaseName)
	}
	return Open(s, c, log)
}

func openFolder(s *settings.Settings, c *console.Console) (*bolt.Folder, error) {
	folder, err := bolt.OpenFolder(s.Data)
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("the data folder %s is %w", s.Data, ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	if folder.Created {
		c.Tellf("created the data folder %s", s.Data)
	}
	return folder, nil
}

func openStore(folder *bolt.Folder, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	keys, locked, err := loadKeys(folder, s, c)
	if err != nil {
		return nil, err
	}
	fault := make(chan error, 1)
	store, shares, err := folder.Open(bolt.Options{
		Init:  vault.Init(keys, time.Now()),
		Fault: func(err error) { fault <- err },

		MinFree: s.MinFree, Ballast: true, Pressure: func(dropped bool) { tellPressure(log, dropped) },
	})
	if err != nil {
		return nil, err
	}
	return &Data{
		Locked: locked, Fault: fault, FileBytes: func() int64 { return lengthOf(folder.Path(DatabaseName)) },
		folder: s.Data, store: store, shares: shares, keys: keys, hasDiskSpace: folder.HasDiskSpace,
		close: func() error { return errors.Join(store.Close(), shares.Close(), folder.Close()) },
	}, nil
}

// lengthOf returns the length of a file, or 0 if it is unknown.
func lengthOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// tellPressure logs a change of the ballast.
func tellPressure(log *slog.Logger, dropped bool) {
	if dropped {
		log.Error("the disk is full: removed the ballast, so that secrets can be opened and burned; nothing new is kept")
		return
	}
	log.Debug("made the ballast, which keeps room for opening and burning on a full disk")
}

func openMemory(log *slog.Logger) (*Data, error) {
	log.Warn("keeping everything in memory: nothing survives the end of this process")
	keys, locked := keepKeys(seal.NewRootKey())
	store, shares := memory.New()
	if err := store.Update(context.Background(), vault.Init(keys, time.Now())); err != nil {
		return nil, err
	}
	return &Data{Locked: locked, store: store, shares: shares, keys: keys, close: store.Close}, nil
}
