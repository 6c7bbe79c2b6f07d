package main

import (
	"bytes"
	"math"
	"slices"
)

// failedSync reports whether a sync ended with an input or output error. One that a
// signal interrupted has not looked for errors.
func (c *call) failedSync() bool {
	return (c.name == "fsync" || c.name == "fdatasync") && c.failure == "EIO"
}

// lose puts in doubt what a failed sync was to make durable. Linux counts those pages
// as written, though the disk may have any part of them or none: later syncs leave them
// out. Only after another write to a page does a sync write it, whole. The length of a
// file is with the file system and its journal, and is not lost.
func (f *file) lose(failed span, syncs []span, drop dropped) {
	if drop == dropRenew {
		same := f.unchanged()
		f.changes = slices.DeleteFunc(f.changes, func(g *change) bool { return g.start >= failed.end && same[g] })
	}
	again := slices.DeleteFunc(slices.Clone(f.changes), func(g *change) bool {
		return g.start < failed.end || len(g.data) == 0
	})
	var changes []*change
	for _, g := range f.changes {
		if len(g.data) == 0 || g.start >= failed.end || g.durable < failed.end {
			changes = append(changes, g)
			continue
		}
		changes = append(changes, g.onlyLength())
		for _, page := range g.pages() {
			page.lost, page.durable = true, math.MaxInt
			for _, h := range again {
				if h.touchesPageOf(page) {
					page.durable = min(page.durable, after(h.end, syncs))
				}
			}
			changes = append(changes, page)
		}
	}
	f.changes = changes
}

// onlyLength returns what a write does to the length of its file.
func (g *change) onlyLength() *change {
	length := *g
	length.offset, length.data = g.offset+int64(len(g.data)), []byte{}
	return &length
}

// pages returns a write in pieces of which each lies in one page.
func (g *change) pages() (pieces []*change) {
	for data, at := g.data, g.offset; len(data) > 0; {
		n := min(int64(len(data)), pageSize-at%pageSize)
		piece := *g
		piece.offset, piece.data = at, data[:n]
		pieces = append(pieces, &piece)
		data, at = data[n:], at+n
	}
	return pieces
}

// touchesPageOf reports whether a write changes anything in the page of a piece.
func (g *change) touchesPageOf(piece *change) bool {
	page := piece.offset / pageSize * pageSize
	return g.offset < page+pageSize && g.offset+int64(len(g.data)) > page
}

// unchanged returns the writes that wrote what was there.
func (f *file) unchanged() map[*change]bool {
	same := map[*change]bool{}
	var m image
	for _, g := range f.changes {
		if end := g.offset + int64(len(g.data)); end <= m.size && g.size < 0 {
			old := make([]byte, len(g.data))
			if g.offset < int64(len(m.data)) {
				copy(old, m.data[g.offset:])
			}
			same[g] = bytes.Equal(old, g.data)
		}
		m.apply(g)
	}
	return same
}

// hits is what a record with a failed sync must show.
type hits func(d *disk) bool

// lostAny reports whether a failed sync has lost anything.
func lostAny(d *disk) bool {
	return slices.ContainsFunc(d.files, func(f *file) bool {
		return slices.ContainsFunc(f.changes, func(g *change) bool { return g.lost })
	})
}

// lostCommit reports whether a failed sync has lost the page that names a commit, one
// of the first two of the database. Then a start that trusts what it reads breaks
// promises for certain.
func lostCommit(d *disk) bool {
	return slices.ContainsFunc(d.files, func(f *file) bool {
		return d.called(f, databaseName) && slices.ContainsFunc(f.changes, func(g *change) bool {
			return g.lost && g.offset < 2*pageSize
		})
	})
}
