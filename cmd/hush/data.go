package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"hush/cmd/hush/process"
	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/memory"
	"hush/vault"
)

// The files of the data folder.
const (
	rootKeyName  = "root.key"
	databaseName = "hush.db"
	sharesName   = "shares"
)

// errInUse: another process holds the data folder.
var errInUse = errors.New("in use by another hush: stop that one first")

// data is an open data folder.
type data struct {
	store        storage.Store
	shares       storage.Shares
	keys         *seal.Keys
	locked       bool // whether the keys are kept from swap
	hasDiskSpace func() bool
	fault        chan error // gets the one error after which the process must stop
	close        func() error
}

// fileBytes returns a function for the length of the database's file, or nil for
// a store in memory.
func (s *settings) fileBytes() func() int64 {
	if s.store == "memory" {
		return nil
	}
	path := filepath.Join(s.data, databaseName)
	return func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
}

// openData opens the data folder and makes what is missing in a new one, in
// this order: root key, shares, and the database that makes it a data folder.
func openData(s *settings, p program, log *slog.Logger) (*data, error) {
	if s.store == "memory" {
		return openMemory(log)
	}
	folder, err := openFolder(s, p)
	if err != nil {
		return nil, err
	}
	d, err := openStore(folder, s, p, log)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	for _, warning := range folder.Warnings() {
		log.Warn(warning, "data", s.data)
	}
	return d, nil
}

func openFolder(s *settings, p program) (*bolt.Folder, error) {
	folder, err := bolt.OpenFolder(s.data)
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("the data folder %s is %w", s.data, errInUse)
	}
	if err != nil {
		return nil, err
	}
	if folder.Created {
		fmt.Fprintf(p.stderr, "hush: created the data folder %s\n", s.data)
	}
	return folder, nil
}

func openStore(folder *bolt.Folder, s *settings, p program, log *slog.Logger) (*data, error) {
	keys, locked, err := loadKeys(folder, s, p)
	if err != nil {
		return nil, err
	}
	d := &data{keys: keys, locked: locked, fault: make(chan error, 1)}
	store, shares, err := folder.Open(bolt.Options{
		Init:  vault.Init(keys, time.Now()),
		Fault: func(err error) { d.fault <- err },

		MinFree: s.minFree, Ballast: true, Pressure: func(dropped bool) { tellPressure(log, dropped) },
	})
	if err != nil {
		return nil, err
	}
	d.store, d.shares = store, shares
	d.hasDiskSpace = folder.HasDiskSpace
	d.close = func() error { return errors.Join(store.Close(), shares.Close(), folder.Close()) }
	return d, nil
}

// tellPressure logs a change of the ballast.
func tellPressure(log *slog.Logger, dropped bool) {
	if dropped {
		log.Error("the disk is full: removed the ballast, so that secrets can be opened and burned; nothing new is kept")
		return
	}
	log.Debug("made the ballast, which keeps room for opening and burning on a full disk")
}

func openMemory(log *slog.Logger) (*data, error) {
	log.Warn("keeping everything in memory: nothing survives the end of this process")
	keys, locked := keepKeys(seal.NewRootKey())
	store, shares := memory.New()
	if err := store.Update(noDeadline(), vault.Init(keys, time.Now())); err != nil {
		return nil, err
	}
	return &data{store: store, shares: shares, keys: keys, locked: locked, fault: make(chan error, 1), close: store.Close}, nil
}

// loadKeys reads the root key, or makes one for a new data folder.
func loadKeys(folder *bolt.Folder, s *settings, p program) (keys *seal.Keys, locked bool, err error) {
	path := s.rootKeyFile
	if path == "" {
		path = folder.Path(rootKeyName)
		if err := provideRootKey(folder, path, p); err != nil {
			return nil, false, err
		}
	}
	content, err := readRootKey(path)
	if err != nil {
		return nil, false, err
	}
	defer clear(content)
	root, err := seal.ParseRootKey(content)
	if err != nil {
		return nil, false, fmt.Errorf("root key file %s: %w", path, err)
	}
	keys, locked = keepKeys(root)
	return keys, locked, nil
}

// keepKeys derives the working keys into locked memory, where the system has
// it, and forgets the root key.
func keepKeys(root seal.RootKey) (keys *seal.Keys, locked bool) {
	defer root.Wipe()
	memory, locked := process.LockedMemory(seal.KeysSize)
	return seal.NewKeysIn(root, memory), locked
}

// provideRootKey makes a root key where there is neither one nor data. The key
// gets its name once it is durable: a first start that the power ended in between
// would leave a key file without a key, which every later start refuses.
func provideRootKey(folder *bolt.Folder, path string, p program) error {
	_, err := os.Stat(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	exists, err := folder.Exists()
	if err != nil {
		return err
	}
	if exists {
		return fmt.Errorf("the root key %s is missing: without it nothing in the data folder can be opened; put it back, or name its place with --root-key-file", path)
	}
	unnamed := path + ".new"
	if err := os.Remove(unnamed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeRootKey(unnamed); err != nil {
		return err
	}
	if err := os.Rename(unnamed, path); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "hush: created a root key, %s: keep a copy of it apart from the data\n", path)
	return folder.Sync()
}

func readRootKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no root key file %s: make one with \"hush keygen\"", path)
	}
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf("every user of this machine may read the root key file %s: run chmod 0400 on it", path)
	}
	return os.ReadFile(path)
}

// writeRootKey writes a new root key, durably and never over another.
func writeRootKey(path string) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(seal.NewRootKey().Text()); err != nil {
		return err
	}
	return file.Sync()
}
