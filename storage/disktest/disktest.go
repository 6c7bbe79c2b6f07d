// Package disktest has a disk that forgets. It behaves as Linux does after an input
// or output error: what a failed sync was to write counts as written from then on,
// programs read it, later syncs succeed, and the disk does not have it.
//
// The files are real ones, which stand for what programs read. Beside them the disk
// keeps what is durable, in pages.
package disktest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
)

const pageSize = 4096

// Disk is a disk.Writer for the files of one folder. It is safe for concurrent use.
type Disk struct {
	mu    sync.Mutex
	fails bool
	t     *testing.T
	dir   string
	files map[uint64]*content // by inode: names change
}

// content is what became of a file.
type content struct {
	durable []byte
	read    []byte // as programs read it, when that was last looked at
	dirty   map[int]bool
}

// New returns a disk on which all files of a folder are durable as they are.
func New(t *testing.T, dir string) *Disk {
	t.Helper()
	d := &Disk{t: t, dir: dir, files: map[uint64]*content{}}
	for _, name := range d.names() {
		c := d.file(name)
		c.durable = bytes.Clone(c.read)
		clear(c.dirty)
	}
	return d
}

// FailSyncs makes syncs fail from now on, or succeed again.
func (d *Disk) FailSyncs(fail bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = fail
}

// CopyOf returns a copy of a data folder, which is gone when t is over.
func CopyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o700); err != nil { //nolint:gosec // a folder is of no use without x
		t.Fatal(err)
	}
	return to
}

func (d *Disk) names() (names []string) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.t.Fatalf("ReadDir: got %v, want nil", err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names
}

// file returns the file of a name.
func (d *Disk) file(name string) *content {
	file, err := os.Open(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Fatalf("Open(%s): got %v, want nil", name, err)
	}
	defer file.Close()
	return d.look(file)
}

// look returns a file, with all pages as dirty that were changed since it was last
// looked at.
func (d *Disk) look(file *os.File) *content {
	info, err := file.Stat()
	if err != nil {
		d.t.Fatalf("Stat(%s): got %v, want nil", file.Name(), err)
	}
	system, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		d.t.Fatalf("Stat(%s): got no inode", file.Name())
	}
	c := d.files[system.Ino]
	if c == nil {
		c = &content{dirty: map[int]bool{}}
		d.files[system.Ino] = c
	}
	now := make([]byte, info.Size())
	if _, err := file.ReadAt(now, 0); err != nil && len(now) > 0 {
		d.t.Fatalf("ReadAt(%s): got %v, want nil", file.Name(), err)
	}
	for at := 0; at < len(now); at += pageSize {
		end := min(at+pageSize, len(now))
		if end > len(c.read) || !bytes.Equal(now[at:end], c.read[at:end]) {
			c.dirty[at/pageSize] = true
		}
	}
	c.read = now
	return c
}

// WriteAt implements disk.Writer: the pages are dirty, whatever they held.
func (d *Disk) WriteAt(file *os.File, data []byte, at int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := file.WriteAt(data, at); err != nil {
		return err
	}
	c := d.look(file)
	for page := int(at / pageSize); len(data) > 0 && page <= int(at+int64(len(data))-1)/pageSize; page++ {
		c.dirty[page] = true
	}
	return nil
}

// Sync implements disk.Writer.
func (d *Disk) Sync(file *os.File) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails {
		clear(d.look(file).dirty)
		return &os.SyscallError{Syscall: "fdatasync", Err: syscall.EIO}
	}
	d.look(file).keep(nil)
	return nil
}

// Keep makes durable what was written to a file in the folder, or to some pages of
// it, as a sync does that succeeds.
func (d *Disk) Keep(name string, pages ...int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.file(name).keep(pages)
}

func (c *content) keep(pages []int) {
	for page := range c.dirty {
		if len(pages) > 0 && !slices.Contains(pages, page) {
			continue
		}
		at, end := page*pageSize, min((page+1)*pageSize, len(c.read))
		if grown := end - len(c.durable); grown > 0 {
			c.durable = append(c.durable, make([]byte, grown)...)
		}
		copy(c.durable[at:end], c.read[at:end])
		delete(c.dirty, page)
	}
	c.durable = c.durable[:min(len(c.durable), len(c.read))]
}

// Lose counts as written what was written to a file, as a sync does that fails.
func (d *Disk) Lose(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.file(name).dirty)
}

// CutPower returns a folder with what the disk holds.
func (d *Disk) CutPower() (dir string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	dir = filepath.Join(d.t.TempDir(), "after")
	if err := os.Mkdir(dir, 0o700); err != nil {
		d.t.Fatalf("Mkdir: got %v, want nil", err)
	}
	for _, name := range d.names() {
		if err := os.WriteFile(filepath.Join(dir, name), d.file(name).durable, 0o600); err != nil {
			d.t.Fatalf("WriteFile(%s): got %v, want nil", name, err)
		}
	}
	return dir
}
