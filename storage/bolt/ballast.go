package bolt

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

// ballastName is the file that only takes room.
const ballastName = "ballast"

// ballast is a file of ballastSize bytes that mean nothing. When the disk is full
// it is removed, and the commits that end secrets have its room; when there is
// room again it comes back. A nil ballast is never there and never missing.
type ballast struct {
	path  string
	sync  func() error // makes names in the folder durable, and with them free blocks free
	tell  func(dropped bool)
	mu    sync.Mutex
	there atomic.Bool
	short atomic.Bool // it is missing for want of room
}

// openBallast finds the ballast of the folder, or makes it if the disk has
// room.
func openBallast(f *Folder, tell func(dropped bool)) *ballast {
	b := &ballast{path: f.Path(ballastName), sync: f.Sync, tell: tell}
	info, err := os.Lstat(b.path)
	if err == nil && info.Mode().IsRegular() && info.Size() == ballastSize {
		b.there.Store(true)
	}
	return b
}

func (b *ballast) missing() bool { return b != nil && !b.there.Load() }

// drop gives the ballast's room to others, and reports whether there was any.
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
	// Some file systems hand blocks out again only after the removal is durable.
	// If it is not, the commit that needs them says so.
	_ = b.sync()
	b.report(true)
	return true
}

// restore brings the ballast back if it is missing and the disk has so many free
// bytes that it fits in.
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

// write makes the file. Its bytes are random where they have to be written, so
// that no file system can compress them.
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
