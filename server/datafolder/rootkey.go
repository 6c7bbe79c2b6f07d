package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hush/cli/console"
	"hush/seal"
	"hush/server/process"
	"hush/server/settings"
	"hush/storage/bolt"
)

// loadKeys returns the keys of roots, which were read before; without them it reads the
// root key, or makes one for a new data folder.
func loadKeys(ctx context.Context, folder *bolt.Folder, s *settings.Settings, c *console.Console, roots []seal.RootKey) (keys *seal.Keys, locked bool, err error) {
	if len(roots) > 0 {
		keys, locked = keepKeys(roots...)
		return keys, locked, nil
	}
	path := s.RootKeyFile
	if path == "" {
		path = folder.Path(RootKeyName)
		if err := provideRootKey(folder, path, c); err != nil {
			return nil, false, err
		}
	}
	return readKeys(ctx, path)
}

// ErrNoKey is returned for a file of a root key that is missing.
var ErrNoKey = errors.New("there is no root key file")

// readKeys reads the root keys of a file and derives the working keys.
func readKeys(ctx context.Context, path string) (keys *seal.Keys, locked bool, err error) {
	roots, err := readRoots(ctx, path)
	if err != nil {
		return nil, false, err
	}
	keys, locked = keepKeys(roots...)
	return keys, locked, nil
}

// readRoots reads the root keys of a file, which the caller wipes.
func readRoots(ctx context.Context, path string) ([]seal.RootKey, error) {
	content, err := readRootKey(ctx, path)
	if err != nil {
		return nil, err
	}
	defer clear(content)
	roots, err := seal.ParseRootKeys(content)
	if err != nil {
		return nil, fmt.Errorf("root key file %s: %w", path, err)
	}
	return roots, nil
}

// keepKeys derives the working keys into locked memory, where the system has
// it, and forgets the root keys. One page has room for the most keys.
func keepKeys(roots ...seal.RootKey) (keys *seal.Keys, locked bool) {
	memory, locked := process.LockedMemory(seal.KeySetSize(len(roots)))
	keys = seal.NewKeySet(roots, memory)
	for _, root := range roots {
		root.Wipe()
	}
	return keys, locked
}

// provideRootKey makes a root key where there is neither one nor data. The key
// gets its name once it is durable: a first start that the power ended in between
// would leave a key file without a key, which every later start refuses.
func provideRootKey(folder *bolt.Folder, path string, c *console.Console) error {
	there, err := isFile(path)
	if err != nil || there {
		return err
	}
	exists, err := folder.Exists()
	if err != nil {
		return err
	}
	if exists {
		return missingKeyError(path)
	}
	unnamed := path + unnamedSuffix
	if err := writeUnnamed(folder, unnamed); err != nil {
		return err
	}
	return nameRootKey(folder, unnamed, path, c)
}

// missingKeyError is for a data folder whose root key is gone.
func missingKeyError(path string) error {
	return fmt.Errorf("the root key %s is missing: without it nothing in the data folder can be opened; put it back, or name its place with --root-key-file", path)
}

// unnamedSuffix ends the name of a root key that is not in use yet.
const unnamedSuffix = ".new"

// writeUnnamed writes a new root key durably, in the place of one that an
// earlier start left unfinished.
func writeUnnamed(folder *bolt.Folder, unnamed string) error {
	if err := remove(unnamed); err != nil {
		return err
	}
	if err := WriteRootKey(unnamed); err != nil {
		return err
	}
	return folder.Sync()
}

func nameRootKey(folder *bolt.Folder, unnamed, path string, c *console.Console) error {
	if err := os.Rename(unnamed, path); err != nil {
		return err
	}
	c.Tellf("created a root key, %s: keep a copy of it apart from the data", path)
	return folder.Sync()
}

func isFile(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxKeyFile is the maximum bytes that are read of a file of root keys, which has a few
// lines.
const maxKeyFile = 1 << 16

// readRootKey reads a file of root keys. It gives up waiting for a pipe when ctx ends.
func readRootKey(ctx context.Context, path string) ([]byte, error) {
	if err := checkKeyFile(path); err != nil {
		return nil, err
	}
	return readKeyFile(ctx, path, os.Open)
}

func readKeyFile(ctx context.Context, path string, open func(string) (*os.File, error)) ([]byte, error) {
	return console.Interruptible(ctx, func() ([]byte, error) {
		file, err := open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		content := make([]byte, maxKeyFile) // of which no copy is left that nothing clears
		n, err := io.ReadFull(file, content)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		return content[:n], err
	})
}

// checkKeyFile refuses a file that is missing, a folder or one that everybody may
// read, and does not open it.
func checkKeyFile(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w %s: copy the key of the service there, or make one with \"hush admin keygen\" if it holds no data yet", ErrNoKey, path)
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("root key file %s: it is a folder", path)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return fmt.Errorf("every user of this machine may read the root key file %s: run chmod 0400 on it", path)
	}
	return nil
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
	return errors.Join(file.Sync(), SyncFolder(filepath.Dir(path)))
}
