package certificates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/caddyserver/certmagic"
)

const (
	folderMode = 0o700
	fileMode   = 0o600
	// fileVersion is the first byte of every file.
	fileVersion = 1
	// newSuffix is that of a file that is being written.
	newSuffix = ".new"
)

// folder stores what belongs to certificates. It is CertMagic's storage.
//
// Files are sealed. A private key that is stolen, from a backup for example, lets
// the thief stand between people and the service unseen until the certificate
// expires, and read their secrets as they pass. Without the root key, which can
// be elsewhere, a stolen data folder gives nothing; that holds for these files,
// too. The price is that other programs cannot use them.
//
// Names of files show which hosts have certificates. Those of custom domains are
// in public logs of certificates anyway.
type folder struct {
	root *os.Root
	seal func(name string, content []byte) []byte
	open func(name string, sealed []byte) ([]byte, error)
	log  *slog.Logger

	writing sync.Mutex // held while a file is replaced

	mu sync.Mutex
	// held are the locks, by the names that CertMagic gives them; only this process uses
	// the folder. One is closed when it is free.
	held map[string]chan struct{}
}

func openFolder(opts ACMEOptions) (*folder, error) {
	if err := os.MkdirAll(opts.Folder, folderMode); err != nil {
		return nil, err
	}
	if err := os.Chmod(opts.Folder, folderMode); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(opts.Folder)
	if err != nil {
		return nil, err
	}
	return &folder{root: root, seal: opts.Seal, open: opts.Open, log: opts.Log, held: make(map[string]chan struct{})}, nil
}

func (f *folder) close() error { return f.root.Close() }

// Store implements certmagic.Storage. It returns after the file is durable, and
// leaves the one before if it fails.
func (f *folder) Store(_ context.Context, key string, value []byte) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	return f.store(path.Clean(key), value)
}

// store is Store for a caller that may write.
func (f *folder) store(key string, value []byte) error {
	if err := f.root.MkdirAll(path.Dir(key), folderMode); err != nil {
		return err
	}
	made := key + newSuffix
	if err := f.write(made, append([]byte{fileVersion}, f.seal(key, value)...)); err != nil {
		return errors.Join(err, f.root.Remove(made))
	}
	if err := f.root.Rename(made, key); err != nil {
		return err
	}
	return f.sync(path.Dir(key))
}

func (f *folder) write(name string, content []byte) (err error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}

// sync makes the names in a folder durable.
func (f *folder) sync(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Load implements certmagic.Storage. A file that cannot be opened, because it was
// made with another root key or is damaged, does not exist: a new certificate
// takes its place.
func (f *folder) Load(_ context.Context, key string) ([]byte, error) {
	key = path.Clean(key)
	file, err := f.root.Open(key)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	if value, ok := unseal(key, content, f.open); ok {
		return value, nil
	}
	f.log.Warn("a file of certificates cannot be opened with the root key; it will be replaced", "file", key)
	return nil, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
}

// Delete implements certmagic.Storage.
func (f *folder) Delete(_ context.Context, key string) error {
	return f.root.RemoveAll(path.Clean(key))
}

// Exists implements certmagic.Storage.
func (f *folder) Exists(ctx context.Context, key string) bool {
	info, err := f.root.Stat(path.Clean(key))
	if err != nil || info.IsDir() {
		return err == nil
	}
	_, err = f.Load(ctx, key)
	return err == nil
}

// List implements certmagic.Storage.
func (f *folder) List(_ context.Context, prefix string, recursive bool) (keys []string, err error) {
	prefix = path.Clean(prefix)
	err = fs.WalkDir(f.root.FS(), prefix, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == prefix {
			return err
		}
		if !strings.HasSuffix(name, newSuffix) {
			keys = append(keys, name)
		}
		if entry.IsDir() && !recursive {
			return fs.SkipDir
		}
		return nil
	})
	return keys, err
}

// Stat implements certmagic.Storage.
func (f *folder) Stat(_ context.Context, key string) (certmagic.KeyInfo, error) {
	info, err := f.root.Stat(path.Clean(key))
	if err != nil {
		return certmagic.KeyInfo{}, err
	}
	return certmagic.KeyInfo{Key: key, Modified: info.ModTime(), Size: info.Size(), IsTerminal: !info.IsDir()}, nil
}

// Lock implements certmagic.Locker.
func (f *folder) Lock(ctx context.Context, name string) error {
	for {
		held := f.tryLock(name)
		if held == nil {
			return nil
		}
		select {
		case <-held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryLock takes a lock, or returns what is closed when it is free.
func (f *folder) tryLock(name string) (held <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if held := f.held[name]; held != nil {
		return held
	}
	f.held[name] = make(chan struct{})
	return nil
}

// Unlock implements certmagic.Locker.
func (f *folder) Unlock(_ context.Context, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if held := f.held[name]; held != nil {
		close(held)
		delete(f.held, name)
	}
	return nil
}

// unseal returns what is sealed in a file of the folder.
func unseal(key string, content []byte, open func(name string, sealed []byte) ([]byte, error)) (value []byte, ok bool) {
	if len(content) == 0 || content[0] != fileVersion {
		return nil, false
	}
	value, err := open(key, content[1:])
	return value, err == nil
}

// Opens reports whether open opens a file of a folder of certificates: its path
// in the folder, and its content.
func Opens(key string, content []byte, open func(name string, sealed []byte) ([]byte, error)) bool {
	_, ok := unseal(key, content, open)
	return ok
}
