// Package pages checks the pages of a bbolt database without trusting them. bbolt
// itself does: a damaged page may lead outside its map of the file, or round in
// circles, and end the process.
package pages

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// What bbolt's pages look like, in the machine's byte order:
//
//	page:            id 8 │ flags 2 │ count 2 │ overflow 4 │ elements
//	branch element:  position 4 │ key size 4 │ page 8
//	leaf element:    flags 4 │ position 4 │ key size 4 │ value size 4
//	bucket's value:  root page 8 │ sequence 8 [ │ page, if root is 0 ]
//
// A position counts from its element.
const (
	pageHead    = 16
	elementSize = 16
	bucketHead  = 16

	pageBranch = 0x01
	pageLeaf   = 0x02
	leafBucket = 0x01

	// pagesDeep is more than any tree of pages is deep.
	pagesDeep = 64
)

// ErrDamaged reports that a page cannot be used.
var ErrDamaged = errors.New("damaged")

// File says where the pages of a database are.
type File struct {
	File     *os.File
	PageSize int64
	Root     uint64 // the page where all begins
	End      uint64 // the first page that is not in use
}

// Check returns ErrDamaged unless every page can be read and is part of one
// tree, the keys are in order, and the tree has buckets with rows, and nothing else.
// Where a later commit has written over a page of the tree, that page is sound, and
// shows only by not being what belongs there. Check returns how many pages there are.
// tell, unless nil, is called with the number of pages that were read.
func Check(ctx context.Context, f File, tell func(pages, of int64)) (count int64, err error) {
	w := pageWalk{ctx: ctx, file: f.File, pageSize: f.PageSize, end: f.End, seen: make([]uint64, f.End/64+1), tell: tell}
	err = w.tree(f.Root, 0)
	if err == nil && w.buckets == 0 {
		err = damaged(f.Root, "should list buckets and has none: they are lost")
	}
	return w.pages, err
}

// pageWalk is a walk over the pages of a database.
type pageWalk struct {
	ctx      context.Context //nolint:containedctx // the walk lasts as long as one call
	file     *os.File
	pageSize int64
	end      uint64   // the first page that is not in use
	seen     []uint64 // bits
	pages    int64
	buffers  [pagesDeep][]byte
	inside   bool // a bucket
	buckets  int
	tell     func(pages, of int64)
}

func damaged(page uint64, what string) error {
	return fmt.Errorf("%w: page %d %s", ErrDamaged, page, what)
}

// tree checks a tree of pages by its root.
func (w *pageWalk) tree(root uint64, depth int) error { return w.page(root, nil, nil, depth) }

// page checks the tree below a page. Its keys are not before low, and before
// high; nil stands for no bound.
func (w *pageWalk) page(id uint64, low, high []byte, depth int) error {
	if depth == pagesDeep {
		return damaged(id, "is too deep in the tree")
	}
	data, err := w.read(id, depth)
	if err != nil {
		return err
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	e := elements{page: id, data: data, last: low, high: high}
	flags := binary.NativeEndian.Uint16(data[8:])
	switch flags {
	case pageBranch:
		return w.branch(e, depth)
	case pageLeaf:
		return w.leaf(e, depth)
	}
	return damaged(id, "is no page of data")
}

// read reads a page with its overflow, and marks it as seen.
func (w *pageWalk) read(id uint64, depth int) ([]byte, error) {
	if id < 2 || id >= w.end {
		return nil, damaged(id, "is not in use")
	}
	buffer := w.buffers[depth]
	if buffer == nil {
		buffer = make([]byte, w.pageSize)
	}
	if err := w.readAt(buffer[:w.pageSize], id); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint64(buffer) != id {
		return nil, damaged(id, "has another number")
	}
	count := uint64(binary.NativeEndian.Uint32(buffer[12:])) + 1
	if count > w.end-id {
		return nil, damaged(id, "is longer than the file")
	}
	for n := id; n < id+count; n++ {
		if w.seen[n/64]&(1<<(n%64)) != 0 {
			return nil, damaged(n, "is in two places of the tree")
		}
		w.seen[n/64] |= 1 << (n % 64)
	}
	if need := int64(count) * w.pageSize; need > int64(len(buffer)) {
		longer := make([]byte, need)
		copy(longer, buffer[:w.pageSize])
		buffer = longer
	}
	if count > 1 {
		if err := w.readAt(buffer[w.pageSize:int64(count)*w.pageSize], id+1); err != nil {
			return nil, err
		}
	}
	w.buffers[depth] = buffer
	if w.pages += int64(count); w.tell != nil {
		w.tell(w.pages, int64(w.end))
	}
	return buffer[:int64(count)*w.pageSize], nil
}

func (w *pageWalk) readAt(buffer []byte, id uint64) error {
	_, err := w.file.ReadAt(buffer, int64(id)*w.pageSize)
	if errors.Is(err, io.EOF) {
		return damaged(id, "is beyond the end of the file")
	}
	if err != nil {
		return damaged(id, "cannot be read: "+err.Error())
	}
	return nil
}

func (w *pageWalk) branch(e elements, depth int) error {
	if e.count() == 0 {
		return damaged(e.page, "has no pages below it")
	}
	for i := range e.count() {
		at := e.at(i)
		if at == nil {
			return damaged(e.page, "is cut off")
		}
		key, err := e.key(i, binary.NativeEndian.Uint32(at), binary.NativeEndian.Uint32(at[4:]), 0)
		if err != nil {
			return err
		}
		high := e.high
		if i+1 < e.count() {
			next := e.at(i + 1)
			if next == nil {
				return damaged(e.page, "is cut off")
			}
			if high = e.slice(i+1, binary.NativeEndian.Uint32(next), binary.NativeEndian.Uint32(next[4:]), 0); high == nil {
				return damaged(e.page, "has an element outside of itself")
			}
		}
		if err := w.page(binary.NativeEndian.Uint64(at[8:]), key, high, depth+1); err != nil {
			return err
		}
		e.last = key
	}
	return nil
}

func (w *pageWalk) leaf(e elements, depth int) error {
	for i := range e.count() {
		at := e.at(i)
		if at == nil {
			return damaged(e.page, "is cut off")
		}
		flags, position := binary.NativeEndian.Uint32(at), binary.NativeEndian.Uint32(at[4:])
		keySize, valueSize := binary.NativeEndian.Uint32(at[8:]), binary.NativeEndian.Uint32(at[12:])
		key, err := e.key(i, position, keySize, valueSize)
		if err != nil {
			return err
		}
		e.last = key
		switch {
		case flags == 0 && !w.inside:
			return damaged(e.page, "should list buckets and has rows: the buckets are lost")
		case flags == 0:
		case flags == leafBucket && w.inside:
			return damaged(e.page, "should have rows and lists buckets: the rows are lost")
		case flags == leafBucket:
			if err := w.bucket(e.page, e.slice(i, position, keySize, valueSize)[keySize:], depth); err != nil {
				return err
			}
		default:
			return damaged(e.page, "has an element of an unknown kind")
		}
	}
	return nil
}

// bucket checks a bucket by its value: a tree of its own, or a page within the
// value.
func (w *pageWalk) bucket(page uint64, value []byte, depth int) error {
	if len(value) < bucketHead {
		return damaged(page, "has a bucket that is cut off")
	}
	w.buckets++
	w.inside = true
	defer func() { w.inside = false }()
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return w.tree(root, depth+1)
	}
	inline := value[bucketHead:]
	if len(inline) < pageHead || binary.NativeEndian.Uint16(inline[8:]) != pageLeaf {
		return damaged(page, "has a bucket that is no page")
	}
	return w.leaf(elements{page: page, data: inline}, depth+1)
}

// elements are those of a page.
type elements struct {
	page       uint64
	data       []byte
	last, high []byte // the bounds of the next key
	some       bool   // last is a key of this page
}

func (e *elements) count() int { return int(binary.NativeEndian.Uint16(e.data[10:])) }

// at returns an element, nil if the page is too short for it.
func (e *elements) at(i int) []byte {
	begin := pageHead + i*elementSize
	if begin+elementSize > len(e.data) {
		return nil
	}
	return e.data[begin : begin+elementSize]
}

// slice returns key and value of an element, nil if they are not in the page.
func (e *elements) slice(i int, position, key, value uint32) []byte {
	begin := int64(pageHead+i*elementSize) + int64(position)
	end := begin + int64(key) + int64(value)
	if key == 0 || end > int64(len(e.data)) {
		return nil
	}
	return e.data[begin:end:end]
}

// key returns the key of an element, and checks that it follows the last one.
func (e *elements) key(i int, position, size, value uint32) ([]byte, error) {
	both := e.slice(i, position, size, value)
	if both == nil {
		return nil, damaged(e.page, "has an element outside of itself")
	}
	key := both[:size:size]
	order := bytes.Compare(e.last, key)
	if e.last != nil && (order > 0 || e.some && order == 0) || e.high != nil && bytes.Compare(key, e.high) >= 0 {
		return nil, damaged(e.page, "has keys out of order")
	}
	e.some = true
	return key, nil
}
