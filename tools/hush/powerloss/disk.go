package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// sectorSize is what a disk writes as a whole.
const sectorSize = 512

var errUnsupported = errors.New("the record holds a call that the replay does not understand")

// change is one change of a file's content or of its length.
type change struct {
	start, end int
	offset     int64
	data       []byte
	size       int64 // new length, for one that only sets it; else -1
	durable    int   // the line at which a sync had made it durable, or never
	lost       bool  // a sync that was to make it durable has failed
}

// file is what an inode went through.
type file struct {
	changes  []*change
	position int64 // of plain writes
}

// naming is one change of the folder: name stands for file from then on, or for
// nothing; old is the name that a rename takes away.
type naming struct {
	start, end int
	name, old  string
	file       *file
	durable    int
}

// span is a sync, on the lines where it began and ended.
type span struct{ start, end int }

// disk is the history of a data folder.
type disk struct {
	dir     string
	parent  string
	made    *naming // the folder itself
	files   []*file
	namings []*naming
	syncs   map[*file][]span
	failed  map[*file][]span // syncs that ended with an input or output error
	folder  []span           // syncs of the folder
	above   []span           // and of the one that it lies in
	names   map[string]*file
	cuts    map[int]struct{}
}

func newDisk(dir string) *disk {
	return &disk{
		dir: dir, parent: filepath.Dir(dir),
		syncs: map[*file][]span{}, failed: map[*file][]span{}, names: map[string]*file{}, cuts: map[int]struct{}{},
	}
}

// replay reads the calls of one life that change the folder. When the last life
// was read, settle follows.
func (d *disk) replay(calls []*call) error {
	for _, c := range calls {
		if err := d.apply(c); err != nil {
			return fmt.Errorf("line %d, %s: %w", c.start+1, c.name, err)
		}
	}
	return nil
}

// inside returns the name in the folder that path stands for.
func (d *disk) inside(path string) (name string, ok bool) {
	name, ok = strings.CutPrefix(path, d.dir+"/")
	return name, ok && !strings.Contains(name, "/")
}

// opened returns the file behind a descriptor, if it is one of the folder's.
func (d *disk) opened(c *call) *file {
	name, ok := d.inside(c.target(0))
	if !ok {
		return nil
	}
	return d.names[name]
}

func (d *disk) mark(c *call) {
	d.cuts[c.start+1] = struct{}{}
	if c.end != never {
		d.cuts[c.end+1] = struct{}{}
	}
}

func (d *disk) apply(c *call) error {
	// A call interrupted by the kill may still have changed something.
	if c.end != never && c.result < 0 && !c.failedSync() {
		return nil
	}
	switch c.name {
	case "openat":
		return d.open(c)
	case "mkdirat":
		if path, err := c.bytes(1); err == nil && string(path) == d.dir {
			d.made = &naming{start: c.start, end: c.end}
			d.mark(c)
		}
		return nil
	case "renameat", "renameat2":
		return d.rename(c)
	case "unlinkat":
		return d.unlink(c)
	case "read":
		return nil
	case "fsync", "fdatasync":
		return d.sync(c)
	case "pwrite64", "write":
		return d.write(c)
	case "ftruncate", "fallocate":
		return d.resize(c)
	case "mmap":
		writes := strings.Contains(c.arg(2), "PROT_WRITE") && strings.Contains(c.arg(3), "MAP_SHARED")
		if _, ours := d.inside(c.target(4)); ours && writes {
			return fmt.Errorf("%w: a mapping that can be written to", errUnsupported)
		}
		return nil
	default:
		return d.refuse(c)
	}
}

// refuse makes sure that a call that is not understood has nothing to do with
// the folder.
func (d *disk) refuse(c *call) error {
	for i, arg := range c.args {
		path := c.target(i)
		if text, err := unescape(arg); err == nil {
			path = string(text)
		}
		if _, ours := d.inside(path); ours {
			return errUnsupported
		}
	}
	return nil
}

func (d *disk) open(c *call) error {
	path, err := c.bytes(1)
	if err != nil {
		return err
	}
	name, ours := d.inside(string(path))
	flags := c.arg(2)
	if !ours || c.end == never && d.names[name] == nil {
		return nil
	}
	if strings.Contains(flags, "SYNC") || strings.Contains(flags, "O_DIRECT") {
		return fmt.Errorf("%w: %s", errUnsupported, flags)
	}
	f := d.names[name]
	switch {
	case f == nil && strings.Contains(flags, "O_CREAT"):
		f = &file{}
		d.files = append(d.files, f)
		d.name(c, &naming{name: name, file: f})
	case f != nil && strings.Contains(flags, "O_TRUNC"):
		d.change(c, f, &change{size: 0})
	}
	if f != nil {
		f.position = 0
	}
	return nil
}

func (d *disk) name(c *call, n *naming) {
	n.start, n.end = c.start, c.end
	d.namings = append(d.namings, n)
	if n.old != "" {
		delete(d.names, n.old)
	}
	if n.file == nil {
		delete(d.names, n.name)
	} else {
		d.names[n.name] = n.file
	}
	d.mark(c)
}

func (d *disk) change(c *call, f *file, g *change) {
	g.start, g.end = c.start, c.end
	f.changes = append(f.changes, g)
	d.mark(c)
}

func (d *disk) rename(c *call) error {
	from, err := c.bytes(1)
	if err != nil {
		return err
	}
	to, err := c.bytes(3)
	if err != nil {
		return err
	}
	old, ours := d.inside(string(from))
	name, also := d.inside(string(to))
	if ours != also {
		return fmt.Errorf("%w: a file that enters or leaves the folder", errUnsupported)
	}
	if f := d.names[old]; ours && f != nil {
		d.name(c, &naming{name: name, old: old, file: f})
	}
	return nil
}

func (d *disk) unlink(c *call) error {
	path, err := c.bytes(1)
	if err != nil {
		return err
	}
	if name, ours := d.inside(string(path)); ours && d.names[name] != nil {
		d.name(c, &naming{name: name})
	}
	return nil
}

func (d *disk) sync(c *call) error {
	if c.end == never {
		return nil
	}
	at, f, target := span{c.start, c.end}, d.opened(c), c.target(0)
	switch {
	case f != nil && c.failure != "":
		d.failed[f] = append(d.failed[f], at)
	case f != nil:
		d.syncs[f] = append(d.syncs[f], at)
	case target != d.dir && target != d.parent:
		return nil
	case c.failure != "":
		return fmt.Errorf("%w: a failed sync of a folder", errUnsupported)
	case target == d.dir:
		d.folder = append(d.folder, at)
	default:
		d.above = append(d.above, at)
	}
	d.mark(c)
	return nil
}

func (d *disk) write(c *call) error {
	f := d.opened(c)
	if f == nil {
		return nil
	}
	data, err := c.bytes(1)
	if err != nil {
		return err
	}
	if c.end != never {
		data = data[:min(c.result, int64(len(data)))]
	}
	if d.called(f, ballastName) {
		clear(data) // its bytes mean nothing, and zeros cost the replay nothing
	}
	offset := f.position
	if c.name == "pwrite64" {
		if offset, err = c.number(3); err != nil {
			return err
		}
	} else {
		f.position += int64(len(data))
	}
	d.change(c, f, &change{offset: offset, data: data, size: -1})
	return nil
}

func (d *disk) resize(c *call) error {
	f := d.opened(c)
	if f == nil {
		return nil
	}
	size, err := c.number(1)
	if err != nil {
		return err
	}
	if c.name == "ftruncate" {
		d.change(c, f, &change{size: size})
		return nil
	}
	if c.arg(1) != "0" {
		return fmt.Errorf("%w: fallocate with mode %s", errUnsupported, c.arg(1))
	}
	offset, err := c.number(2)
	if err != nil {
		return err
	}
	length, err := c.number(3)
	if err != nil {
		return err
	}
	// Room without content: the length grows, and zeros are read.
	d.change(c, f, &change{offset: offset + length, data: []byte{}, size: -1})
	return nil
}

// settle finds for each change the sync that made it durable. drop says which
// syncs are taken out of the record.
func (d *disk) settle(drop dropped) {
	for _, f := range d.files {
		syncs := drop.syncs(d, f)
		for _, g := range f.changes {
			g.durable = after(g.end, syncs)
		}
		for _, failed := range d.failed[f] {
			f.lose(failed, syncs, drop)
		}
	}
	folder := drop.folderSyncs(d)
	for _, n := range d.namings {
		n.durable = after(n.end, folder)
	}
	if d.made != nil {
		d.made.durable = after(d.made.end, d.above)
	}
}

// after returns the end of the first sync that began after line.
func after(line int, syncs []span) int {
	durable := math.MaxInt
	for _, s := range syncs {
		if s.start > line {
			durable = min(durable, s.end)
		}
	}
	return durable
}
