package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"hush/seal"
	"hush/server/process"
	"hush/server/settings"
)

// keyFile is the file of the root keys of open data.
type keyFile struct {
	path string
	// own says that the file is in the data folder of a store that no other node
	// shares, and that this program writes it. Any other is the operator's.
	own bool
	// seen is the file that Refresh read last.
	seen os.FileInfo
}

// keyFileOf returns the file of a data folder that no other node shares. Behind a link,
// root.key is the operator's as well.
func keyFileOf(s *settings.Settings) *keyFile {
	f := &keyFile{path: rootKeyPath(s)}
	info, err := os.Lstat(f.path)
	f.own = s.RootKeyFile == "" && err == nil && info.Mode().IsRegular()
	return f
}

// Reload implements rootkey.File.
func (f *keyFile) Reload(keys *seal.Keys) (kids [][4]byte, err error) {
	if info, err := os.Stat(f.path); err == nil && info.Mode().Type() != 0 {
		return nil, fmt.Errorf("the root key file %s is a pipe or a device, which is read only once: restart the service, which reads it then, and try again", f.path)
	}
	content, err := readRootKey(context.Background(), f.path)
	if err != nil {
		return nil, fmt.Errorf("the root key file cannot be read again: %w; restart the service, which reads it then, and try again", err)
	}
	defer clear(content)
	roots, err := seal.ParseRootKeys(content)
	if err != nil {
		return nil, fmt.Errorf("root key file %s: %w", f.path, err)
	}
	for _, root := range roots {
		if !slices.Contains(keys.Ring().KIDs(), root.KID()) {
			addKey(keys, root)
		}
		kids = append(kids, root.KID())
		root.Wipe()
	}
	return kids, nil
}

// Refresh implements rootkey.File. Only the heartbeats of a node call it.
func (f *keyFile) Refresh(keys *seal.Keys) {
	info, err := os.Stat(f.path)
	if err != nil || info.Mode().Type() != 0 || f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() {
		return
	}
	if _, err := f.Reload(keys); err == nil {
		f.seen = info
	}
}

// addKey adds a root key to keys, if they have room for it.
func addKey(keys *seal.Keys, root seal.RootKey) {
	if len(keys.Ring().KIDs()) == seal.RootKeysMost {
		return
	}
	memory, _ := process.LockedMemory(seal.KeysSize)
	keys.Ring().Add(root, memory)
}

// Create implements rootkey.File.
func (f *keyFile) Create(keys *seal.Keys) error {
	if !f.own {
		return fmt.Errorf("the root key file %s has no key that is not in use yet: add one with \"hush admin keygen --add FILE\", on all nodes the same, and try again", f.path)
	}
	root := seal.NewRootKey()
	defer root.Wipe()
	if err := addRootKey(f.path, root); err != nil {
		return fmt.Errorf("adding a root key: %w", err)
	}
	addKey(keys, root)
	return nil
}

// Remove implements rootkey.File.
func (f *keyFile) Remove(kid [4]byte) (removed bool, err error) {
	if !f.own {
		return false, nil
	}
	err = rewriteRootKeys(f.path, func(roots []seal.RootKey) []seal.RootKey {
		return slices.DeleteFunc(roots, func(r seal.RootKey) bool { return r.KID() == kid })
	})
	return err == nil, err
}

// AddRootKey puts a root key in front of those of a file, durably. If the path is a
// link, that is the file behind it. A process that ends meanwhile leaves the file as it
// was, or with the new key.
func AddRootKey(path string, root seal.RootKey) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s: make one with \"hush admin keygen FILE\"", path)
	}
	if err != nil {
		return fmt.Errorf("root key file %s: %w", path, err)
	}
	return addRootKey(target, root)
}

func addRootKey(path string, root seal.RootKey) error {
	return rewriteRootKeys(path, func(roots []seal.RootKey) []seal.RootKey {
		return append([]seal.RootKey{root}, roots...)
	})
}

// rewriteRootKeys replaces a file of root keys by one with other keys, of the same
// owner and mode.
func rewriteRootKeys(path string, change func([]seal.RootKey) []seal.RootKey) error {
	unlock, err := lockKeyFile(path)
	if err != nil {
		return err
	}
	defer unlock()
	content, err := readRootKey(context.Background(), path)
	if err != nil {
		return err
	}
	defer clear(content)
	roots, err := seal.ParseRootKeys(content)
	if err != nil {
		return fmt.Errorf("root key file %s: %w", path, err)
	}
	roots = change(roots)
	switch {
	case len(roots) == 0:
		return errors.New("no root key would be left")
	case len(roots) > seal.RootKeysMost:
		return fmt.Errorf("root key file %s: it has %d keys, and takes no more: retire one with \"hush admin keys retire\" first, and remove its line", path, seal.RootKeysMost)
	}
	next := make([]byte, 0, len(content)+65)
	defer func() { clear(next) }()
	for _, root := range roots {
		next = append(next, root.Text()...)
	}
	unnamed := path + unnamedSuffix
	if err := remove(unnamed); err != nil {
		return err
	}
	if err := writeLike(path, unnamed, next); err != nil {
		return errors.Join(err, remove(unnamed))
	}
	if err := os.Rename(unnamed, path); err != nil {
		return errors.Join(err, remove(unnamed))
	}
	return SyncFolder(filepath.Dir(path))
}

// lockKeyFile makes others who would replace the file wait: a key that one of them adds
// would be lost in what the other one writes.
func lockKeyFile(path string) (unlock func(), err error) {
	if err := checkKeyFile(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Type() != 0 {
		return nil, fmt.Errorf("root key file %s: it is a pipe or a device, to which no key can be added", path)
	}
	for {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		unlock = func() { _ = file.Close() }
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
			unlock()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		locked, err := file.Stat()
		now, gone := os.Stat(path)
		if err == nil && gone == nil && os.SameFile(locked, now) {
			return unlock, nil
		}
		unlock() // it was replaced before the lock was ours
		if err := errors.Join(err, gone); err != nil {
			return nil, err
		}
	}
}

// writeLike writes a new file with the owner and mode of another.
func writeLike(model, path string, content []byte) (err error) {
	info, err := os.Stat(model)
	if err != nil {
		return err
	}
	as, err := ownerOf(model)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return err
	}
	if mine, err := ownerOf(path); err != nil || mine != as {
		if err = errors.Join(err, file.Chown(int(as.uid), int(as.gid))); err != nil {
			return err
		}
	}
	if mode := info.Mode().Perm(); mode != 0o400 {
		if err := file.Chmod(mode); err != nil {
			return err
		}
	}
	return file.Sync()
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
