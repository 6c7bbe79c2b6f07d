package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hush/seal"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/offline"
	"hush/storage/spentlog"
)

// unfinishedNames are the files of data that is being made out of a backup. The
// second one tells it from a first start that was cut short.
func unfinishedNames() []string { return []string{DatabaseName + ".new", SharesName + ".new"} }

// Restoring is a data folder whose data comes from a backup. Until Commit it has
// nothing that a service would open.
type Restoring struct {
	*offline.Builder

	dir    string
	folder *bolt.Folder
}

// OpenRestoring prepares a folder that is empty or missing. It may have the root
// key, and what an unfinished restore left, which is removed. It returns ErrInUse
// if another process holds the folder.
func OpenRestoring(dir string) (r *Restoring, err error) {
	folder, err := bolt.OpenFolder(dir)
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("the data folder %s is %w", dir, ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	r = &Restoring{dir: dir, folder: folder}
	if err = checkEmpty(dir); err == nil {
		r.Builder, err = offline.NewBuilder(folder)
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return r, nil
}

// Created reports whether the folder was missing.
func (r *Restoring) Created() bool { return r.folder.Created }

// Commit makes what was built the data of the folder, and calls then with its store,
// whose error is returned. Run as root, it leaves the files to the owner of the folder.
func (r *Restoring) Commit(ctx context.Context, then func(storage.Store) error) error {
	if err := r.Builder.Commit(ctx); err != nil {
		return err
	}
	store, shares, err := r.folder.Open(bolt.Options{})
	if err == nil {
		err = errors.Join(then(store), store.Close(), shares.Close())
	}
	return errors.Join(err, HandOver(r.dir))
}

// Close gives up what is not committed, and releases the folder.
func (r *Restoring) Close() error { return errors.Join(r.Builder.Close(), r.folder.Close()) }

// checkEmpty returns an error for a folder with anything but a root key, the folder of
// files, an unfinished restore and what the disk's file system makes. Files are in no
// backup, so those that were saved may be there before it is restored.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	allowed := append(unfinishedNames(), RootKeyName, FilesName)
	var others []string
	for _, entry := range entries {
		if name := entry.Name(); !slices.Contains(allowed, name) && !storage.IsOfDisk(name) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("the folder %s is not empty (%s): restore into a new folder, which may have the root key", dir, strings.Join(others, ", "))
	}
	return nil
}

// checkRestored refuses a folder with a restore that was not finished, which a
// first start would take for a new one.
func checkRestored(dir string) error {
	path := filepath.Join(dir, unfinishedNames()[1])
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || holdsData(dir) == nil {
		return nil
	}
	return fmt.Errorf("the restore into %s was not finished: run \"hush admin restore\" again, or delete %s to begin without its data", dir, path)
}

// checkFinished is checkRestored for a folder that another process may hold. While
// that restores, the folder is in use.
func checkFinished(dir string) error {
	err := checkRestored(dir)
	if err != nil && Held(dir) {
		return fmt.Errorf("the data folder %s is %w", dir, ErrInUse)
	}
	return err
}

// checkNew refuses what keeps new data from being served, before any is made: a
// folder with data in it is no longer one to restore a backup into. It returns the root
// keys that it read, which the caller wipes: a pipe cannot be read again.
func checkNew(ctx context.Context, s *settings.Settings) (roots []seal.RootKey, err error) {
	if holdsData(s.Data) == nil || Held(s.Data) {
		return nil, nil
	}
	if err := errors.Join(checkRestored(s.Data), checkMoved(s), checkNewLog(s)); err != nil {
		return nil, err
	}
	if s.RootKeyFile == "" {
		return nil, nil
	}
	return readRoots(ctx, s.RootKeyFile)
}

// wipe forgets root keys.
func wipe(roots []seal.RootKey) {
	for _, root := range roots {
		root.Wipe()
	}
}

// checkNewLog refuses a folder for the spent log of new data that has one already.
func checkNewLog(s *settings.Settings) error {
	folder := s.SpentLogFolder()
	if folder == "" {
		return nil
	}
	err := spentlog.CheckNew(folder)
	switch {
	case errors.Is(err, spentlog.ErrNotEmpty), errors.Is(err, spentlog.ErrDamaged):
		return fmt.Errorf("--spent-log: %w, and %s has no data; if its data was lost, restore a backup with \"hush admin restore\" and its log; for new data name an empty folder", err, s.Data)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--spent-log: %w; mount the disk of the log, or make the folder above it", err)
	case err != nil:
		return fmt.Errorf("--spent-log: %w", err)
	}
	return nil
}

// KeysOf reads the root key that a data folder will be served with, and returns
// ErrNoKey if there is none.
func KeysOf(ctx context.Context, s *settings.Settings) (*seal.Keys, error) {
	keys, _, err := readKeys(ctx, rootKeyPath(s))
	return keys, err
}
