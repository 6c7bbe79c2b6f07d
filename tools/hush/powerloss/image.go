package main

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"
)

// image is the content of a file. Behind data it is zeros up to size.
type image struct {
	data []byte
	size int64
}

func (m *image) clone() *image { return &image{data: bytes.Clone(m.data), size: m.size} }

// write puts data at offset, without touching the length.
func (m *image) write(offset int64, data []byte) {
	end := offset + int64(len(data))
	if end > int64(len(m.data)) {
		// Zeros behind everything else need no memory.
		data = bytes.TrimRight(data, "\x00")
		end = offset + int64(len(data))
		if end > int64(len(m.data)) {
			m.data = append(m.data, make([]byte, end-int64(len(m.data)))...)
		} else {
			clear(m.data[min(offset, int64(len(m.data))):])
		}
	}
	copy(m.data[min(offset, int64(len(m.data))):], data)
}

// resize sets the length.
func (m *image) resize(size int64) {
	if size < int64(len(m.data)) {
		m.data = m.data[:size]
	}
	m.size = size
}

// apply applies a whole change.
func (m *image) apply(g *change) {
	if g.size >= 0 {
		m.resize(g.size)
		return
	}
	m.write(g.offset, g.data)
	m.size = max(m.size, g.offset+int64(len(g.data)))
}

// pageSize is how finely zeros are left out.
const pageSize = 4096

// filled yields the stretches of pages that are not all zeros.
func (m *image) filled(yield func(from, to int) bool) {
	var zeros [pageSize]byte
	begin := -1
	for at := 0; at < len(m.data); at += pageSize {
		page := m.data[at:min(at+pageSize, len(m.data))]
		empty := bytes.Equal(page, zeros[:len(page)])
		if empty && begin >= 0 && !yield(begin, at) {
			return
		}
		switch {
		case empty:
			begin = -1
		case begin < 0:
			begin = at
		}
	}
	if begin >= 0 {
		yield(begin, len(m.data))
	}
}

// snapshot is what a disk holds after the power came back: files by name.
type snapshot map[string]*image

func (s snapshot) hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		_, _ = h.WriteString(name)
		_ = h.WriteByte(0)
		number := func(n int64) {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], uint64(n))
			_, _ = h.Write(b[:])
		}
		number(s[name].size)
		for from, to := range s[name].filled {
			number(int64(from))
			_, _ = h.Write(bytes.TrimRight(s[name].data[from:to], "\x00"))
		}
	}
	return h.Sum64()
}
