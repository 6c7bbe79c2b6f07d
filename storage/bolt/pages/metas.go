package pages

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"
)

// What bbolt's first two pages hold behind their heads, in the machine's byte order:
//
//	magic 4 │ version 4 │ page size 4 │ flags 4 │ root page 8 │ sequence 8 │
//	free list's page 8 │ end 8 │ transaction 8 │ checksum of all before it 8
const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSummed  = 56
	metaSize    = metaSummed + 8
)

// Meta is what one of the first two pages says: where the tree of a commit begins.
// Commits take them in turn.
type Meta struct {
	Page   uint64 // its own number
	Root   uint64
	Free   uint64 // the page of the list of free pages, if it is before End
	End    uint64
	Commit uint64 // the number of the commit
}

// Metas returns the size of pages, and what the first two pages say, the newer one
// first and without those that cannot be read.
func Metas(file io.ReaderAt) (pageSize int64, found []Meta) {
	var first, second []byte
	if first = readMeta(file, 0); first != nil {
		pageSize = int64(binary.NativeEndian.Uint32(first[8:]))
		second = readMeta(file, pageSize)
	} else {
		// Only the second one tells where it is.
		for pageSize = leastPage; pageSize <= mostPage && second == nil; pageSize *= 2 {
			if second = readMeta(file, pageSize); second != nil && int64(binary.NativeEndian.Uint32(second[8:])) == pageSize {
				break
			}
			second = nil
		}
	}
	for page, raw := range [][]byte{first, second} {
		if raw == nil {
			continue
		}
		at := func(offset int) uint64 { return binary.NativeEndian.Uint64(raw[offset:]) }
		found = append(found, Meta{Page: uint64(page), Root: at(16), Free: at(32), End: at(40), Commit: at(48)})
	}
	slices.SortStableFunc(found, func(a, b Meta) int { return cmp.Compare(b.Commit, a.Commit) })
	return pageSize, found
}

// leastPage and mostPage are the sizes of pages that bbolt looks for.
const (
	leastPage = 1 << 10
	mostPage  = 16 << 20
)

// readMeta reads what a page says that begins at an offset, nil if it is no meta page.
func readMeta(file io.ReaderAt, at int64) []byte {
	raw := make([]byte, pageHead+metaSize)
	if _, err := file.ReadAt(raw, at); err != nil {
		return nil
	}
	raw = raw[pageHead:]
	sum := fnv.New64a()
	_, _ = sum.Write(raw[:metaSummed])
	size := binary.NativeEndian.Uint32(raw[8:])
	if binary.NativeEndian.Uint32(raw) != metaMagic || binary.NativeEndian.Uint32(raw[4:]) != metaVersion ||
		binary.NativeEndian.Uint64(raw[metaSummed:]) != sum.Sum64() || size < leastPage || size > mostPage {
		return nil
	}
	return raw
}
