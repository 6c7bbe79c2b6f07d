package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// ballastName is the file that only occupies space.
const ballastName = "ballast"

// ballast is a file of ballastSize meaningless bytes. When the disk is full it
// is removed, and commits that end secrets use its space; when there is space
// again it is restored. A nil ballast never exists and is never missing.
type ballast struct {
	path   string
	folder *os.File
	tell   func(dropped bool)
	mu     sync.Mutex
	there  atomic.Bool
	short  atomic.Bool // missing for lack of space
}

// openBallast finds out whether the folder has its ballast. It creates nothing.
func openBallast(folder *os.File, tell func(dropped bool)) *ballast {
	b := &ballast{path: filepath.Join(folder.Name(), ballastName), folder: folder, tell: tell}
	info, err := os.Lstat(b.path)
	if err == nil && info.Mode().IsRegular() && info.Size() == ballastSize {
		b.there.Store(true)
	}
	return b
}

func (b *ballast) missing() bool { return b != nil && !b.there.Load() }

// drop removes the ballast, and reports whether that freed space.
func (b *ballast) drop() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.there.Swap(false) {
		return false
	}
	b.short.Store(true)
	if os.Remove(b.path) != nil {
		return false
	}
	// Some file systems reuse blocks only after the removal is durable. If it
	// is not, the commit that needs them fails.
	_ = b.folder.Sync()
	b.report(true)
	return true
}

// restore creates the ballast again if it is missing and free bytes are enough
// for it.
func (b *ballast) restore(free int64) {
	if !b.missing() {
		return
	}
	if free < ballastSize+ballastMargin {
		b.short.Store(true)
		return
	}
	if !b.mu.TryLock() {
		return
	}
	defer b.mu.Unlock()
	if b.write() != nil {
		_ = os.Remove(b.path)
		return
	}
	b.there.Store(true)
	b.short.Store(false)
	b.report(false)
}

func (b *ballast) report(dropped bool) {
	if b.tell != nil {
		b.tell(dropped)
	}
}

// write creates the file. Its bytes are random if they must be written, so that
// no file system can compress them.
func (b *ballast) write() (err error) {
	if err := os.Remove(b.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing an old ballast: %w", err)
	}
	file, err := os.OpenFile(b.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if reserve(file, ballastSize) == nil {
		return nil
	}
	block := make([]byte, 64<<10)
	for range ballastSize / len(block) {
		_, _ = rand.Read(block) // never fails: it ends the process instead
		if _, err := file.Write(block); err != nil {
			return err
		}
	}
	return nil
}
