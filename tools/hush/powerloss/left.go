package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

var errLeft = errors.New("the record does not lead to the folder that the server left")

// outlive compares the disk with what a life left in its folder, where programs
// see it whether or not it is durable. line is the last of the life. The kill
// interrupts calls, and the record does not have their results; the next life
// builds on them, so they are taken from the folder. Everything else must be as
// the record has it.
func (d *disk) outlive(left fs.FS, line int) error {
	entries, err := fs.ReadDir(left, ".")
	if err != nil {
		return err
	}
	if len(entries) != len(d.names) {
		return fmt.Errorf("%w: %d files, not %d", errLeft, len(entries), len(d.names))
	}
	for name, f := range d.names {
		content, err := fs.ReadFile(left, name)
		if err != nil {
			return fmt.Errorf("%w: %w", errLeft, err)
		}
		if d.called(f, ballastName) {
			continue // its bytes mean nothing
		}
		f.finish(content, line)
		if at := f.differs(content); at >= 0 {
			return fmt.Errorf("%w: %s, byte %d", errLeft, name, at)
		}
	}
	for _, n := range d.namings {
		if n.end == never { // the names are those of the folder, so it happened
			n.end = line
		}
	}
	d.cuts[line+1] = struct{}{}
	return nil
}

// finish ends the changes of a file that the kill cut short as content shows:
// they were made, or not, or a write came as far as some byte.
func (f *file) finish(content []byte, line int) {
	size := int64(len(content))
	f.changes = slices.DeleteFunc(f.changes, func(g *change) bool {
		if g.end != never {
			return false
		}
		g.end = line
		switch {
		case g.size >= 0:
			return g.size != size
		case len(g.data) == 0: // room without content
			return g.offset > size
		}
		g.data = g.data[:common(g.data, content[min(g.offset, size):])]
		return len(g.data) == 0
	})
}

// common returns how many bytes two texts have in common from their beginning.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// differs returns the first byte at which the content is not what the changes
// make of the file, or -1.
func (f *file) differs(content []byte) int {
	var m image
	for _, g := range f.changes {
		m.apply(g)
	}
	at := common(m.data, content)
	switch {
	case m.size != int64(len(content)):
		return min(at, len(content))
	case at < len(m.data):
		return at
	case len(bytes.TrimLeft(content[at:], "\x00")) > 0:
		return at
	default:
		return -1
	}
}
