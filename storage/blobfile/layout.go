package blobfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"hush/storage"
)

const (
	magic   = "hushblob"
	version = 1
	// headerSize is the length of what the first block of a file holds.
	headerSize = 64
	// blockSize is what the header takes, and what the places of parts are multiples of.
	blockSize = 4096
	// sizeMost bounds the size of a blob, so that no offset overflows.
	sizeMost = 1 << 50
)

// ErrDamaged reports that Begin has not made a file whole, or that it was changed since.
var ErrDamaged = errors.New("blobfile: a file is damaged")

var (
	errSize = errors.New("blobfile: no blob has that size")
	errPart = errors.New("blobfile: the blob has no such part")
)

// layout says where the parts of a blob lie in its file. Parts follow a header, each at a
// multiple of blockSize, so that writing one changes no block of another. The header, with
// numbers in little-endian, is followed by zeros up to the end of its block:
//
//	 0        8         12           16     32     40          48      60      64
//	+--------+---------+------------+------+------+-----------+-------+-------+
//	| magic  | version | block size | id   | size | part size | zeros | crc32c|
//	+--------+---------+------------+------+------+-----------+-------+-------+
//
// The checksum covers all bytes before it, and the id also finds a file that was given
// another's name.
type layout struct {
	id             storage.BlobID
	size, partSize int64
}

type rawHeader [headerSize]byte

// newLayout returns the layout of a new blob.
func newLayout(id storage.BlobID, size, partSize int64) (layout, error) {
	l := layout{id: id, size: size, partSize: partSize}
	if !l.isValid() {
		return layout{}, fmt.Errorf("%w: %d bytes in parts of %d", errSize, size, partSize)
	}
	return l, nil
}

func (l layout) isValid() bool {
	return l.size > 0 && l.size <= sizeMost && l.partSize > 0 && l.partSize <= sizeMost
}

func (l layout) encode() (raw rawHeader) {
	copy(raw[:8], magic)
	binary.LittleEndian.PutUint32(raw[8:], version)
	binary.LittleEndian.PutUint32(raw[12:], blockSize)
	copy(raw[16:32], l.id[:])
	binary.LittleEndian.PutUint64(raw[32:], uint64(l.size))
	binary.LittleEndian.PutUint64(raw[40:], uint64(l.partSize))
	sum := crc32.Checksum(raw[:60], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(raw[60:], sum)
	return raw
}

// decodeLayout reads the header of a file that has the name of a blob.
func decodeLayout(raw *rawHeader, id storage.BlobID) (layout, error) {
	if !bytes.HasPrefix(raw[:], []byte(magic)) {
		return layout{}, fmt.Errorf("%w: %s does not begin as a blob", ErrDamaged, id)
	}
	if found := binary.LittleEndian.Uint32(raw[8:]); found != version {
		return layout{}, fmt.Errorf("%w: %s has format version %d, not %d", ErrDamaged, id, found, version)
	}
	l := layout{
		id:       id,
		size:     int64(binary.LittleEndian.Uint64(raw[32:])),
		partSize: int64(binary.LittleEndian.Uint64(raw[40:])),
	}
	// Encoding again checks everything at once: checksum, id and zeros.
	if !l.isValid() || l.encode() != *raw {
		return layout{}, fmt.Errorf("%w: the header of %s", ErrDamaged, id)
	}
	return l, nil
}

// parts returns how many parts the blob has.
func (l layout) parts() int64 { return (l.size-1)/l.partSize + 1 }

// offset returns where a part lies.
func (l layout) offset(part int64) int64 {
	stride := (l.partSize + blockSize - 1) / blockSize * blockSize
	return blockSize + part*stride
}

// length returns the length of a part that the blob has.
func (l layout) length(part int64) int64 { return min(l.partSize, l.size-part*l.partSize) }

// fileSize returns the length of the file.
func (l layout) fileSize() int64 {
	last := l.parts() - 1
	return l.offset(last) + l.length(last)
}

// check returns an error unless the blob has a part of that length.
func (l layout) check(part int64, length int) error {
	if part < 0 || part >= l.parts() || int64(length) != l.length(part) {
		return fmt.Errorf("%w: part %d with %d bytes, of %d parts of %d and %d bytes in all", errPart, part, length, l.parts(), l.partSize, l.size)
	}
	return nil
}
