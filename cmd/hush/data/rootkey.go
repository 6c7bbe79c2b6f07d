package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hush/cmd/hush/console"
	"hush/cmd/hush/process"
	"hush/cmd/hush/settings"
	"hush/seal"
	"hush/storage/bolt"
)

// loadKeys reads the root key, or makes one for a new data folder.
func loadKeys(folder *bolt.Folder, s *settings.Settings, c *console.Console) (keys *seal.Keys, locked bool, err error) {
	path := s.RootKeyFile
	if path == "" {
		path = folder.Path(RootKeyName)
		if err := provideRootKey(folder, path, c); err != nil {
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
func provideRootKey(folder *bolt.Folder, path string, c *console.Console) error {
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
	if err := WriteRootKey(unnamed); err != nil {
		return err
	}
	if err := os.Rename(unnamed, path); err != nil {
		return err
	}
	c.Tellf("created a root key, %s: keep a copy of it apart from the data", path)
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

// WriteRootKey writes a new root key, durably and never over another.
func WriteRootKey(path string) (err error) {
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
