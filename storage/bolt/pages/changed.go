package pages

import (
	"encoding/binary"
	"io"
	"slices"
)

// Span is a run of pages.
type Span struct{ First, Count uint64 }

// Changed returns the pages that the newer of two commits has and the older one has
// not, with at most a number of pages in all, and the spans in order. They are those
// that the newer commit wrote, as far as that can be known: pages do not say which
// commit wrote them. Later commits may have written over pages of the older one, so
// it is not trusted; what cannot be read in either is left out.
//
// It reads the changed pages and those that they replace, and no others, unless a
// tree has become two levels lower at once.
func Changed(file io.ReaderAt, pageSize int64, newer, older Meta, most uint64) []Span {
	c := comparison{
		file: file, pageSize: pageSize, most: most, known: map[uint64]bool{older.Root: true},
		ahead: []uint64{older.Root}, older: older.End, newer: newer.End, seen: map[uint64]bool{},
	}
	if newer.Free != older.Free && c.read(newer.Free, newer.End) {
		c.take(newer.Free)
	}
	for level := []uint64{newer.Root}; len(level) > 0 && c.total < most; {
		level = c.level(level)
	}
	slices.SortFunc(c.spans, func(a, b Span) int { return int(a.First) - int(b.First) })
	return join(c.spans)
}

// join joins spans that follow each other.
func join(spans []Span) (joined []Span) {
	for _, s := range spans {
		if last := len(joined) - 1; last >= 0 && joined[last].First+joined[last].Count == s.First {
			joined[last].Count += s.Count
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// comparison walks down two trees at once, level by level.
type comparison struct {
	file         io.ReaderAt
	pageSize     int64
	newer, older uint64 // the ends of both
	most, total  uint64
	known        map[uint64]bool // pages of the older tree
	ahead        []uint64        // those of its pages that are not read yet
	seen         map[uint64]bool // pages of the newer tree
	spans        []Span
	page         []byte
}

// level takes those of the pages of the newer tree that the older one has not, and
// returns what is below them.
func (c *comparison) level(all []uint64) (below []uint64) {
	if slices.ContainsFunc(all, func(id uint64) bool { return !c.known[id] }) {
		c.goAhead(all)
	}
	for _, id := range all {
		if c.known[id] || c.seen[id] || c.total >= c.most {
			continue
		}
		c.seen[id] = true
		if !c.read(id, c.newer) {
			continue
		}
		c.take(id)
		below = append(below, c.below()...)
	}
	return below
}

// goAhead reads one level more of the older tree, but for pages that the newer one has
// as well: nothing below them has changed.
func (c *comparison) goAhead(shared []uint64) {
	skip := map[uint64]bool{}
	for _, id := range shared {
		skip[id] = true
	}
	var next []uint64
	for _, id := range c.ahead {
		if skip[id] || !c.read(id, c.older) {
			continue
		}
		for _, child := range c.below() {
			if !c.known[child] {
				c.known[child] = true
				next = append(next, child)
			}
		}
	}
	c.ahead = next
}

// read reads a page with its overflow, and reports whether it is one of data.
func (c *comparison) read(id, end uint64) bool {
	if id < 2 || id >= end {
		return false
	}
	head := make([]byte, pageHead)
	if _, err := c.file.ReadAt(head, int64(id)*c.pageSize); err != nil || binary.NativeEndian.Uint64(head) != id {
		return false
	}
	count := uint64(binary.NativeEndian.Uint32(head[12:])) + 1
	if count > end-id || count > c.most {
		return false
	}
	if need := int64(count) * c.pageSize; int64(cap(c.page)) < need {
		c.page = make([]byte, need)
	}
	c.page = c.page[:int64(count)*c.pageSize]
	_, err := c.file.ReadAt(c.page, int64(id)*c.pageSize)
	return err == nil
}

// take adds the page that was read.
func (c *comparison) take(id uint64) {
	if count := uint64(int64(len(c.page)) / c.pageSize); count > 0 {
		c.spans = append(c.spans, Span{id, count})
		c.total += count
	}
}

// below returns the pages below the one that was read.
func (c *comparison) below() (ids []uint64) {
	e := elements{data: c.page}
	flags := binary.NativeEndian.Uint16(c.page[8:])
	for i := range e.count() {
		at := e.at(i)
		if at == nil {
			return ids
		}
		switch {
		case flags == pageBranch:
			ids = append(ids, binary.NativeEndian.Uint64(at[8:]))
		case flags == pageLeaf && binary.NativeEndian.Uint32(at) == leafBucket:
			position, key := binary.NativeEndian.Uint32(at[4:]), binary.NativeEndian.Uint32(at[8:])
			value := e.slice(i, position, key, binary.NativeEndian.Uint32(at[12:]))
			if len(value) < int(key)+bucketHead {
				return ids
			}
			if root := binary.NativeEndian.Uint64(value[key:]); root != 0 { // not within the value
				ids = append(ids, root)
			}
		}
	}
	return ids
}
