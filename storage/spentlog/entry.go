package spentlog

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"time"
)

const (
	entrySize     = 64
	headerMagic   = "hushspnt"
	formatVersion = 1
	// RowMost is the maximum length of an entry's row.
	RowMost = 32
)

// ID names a log. It is random, so that no two logs are mistaken for each other.
type ID [16]byte

// NewID returns the id of a log that is yet to be made.
func NewID() (id ID) {
	_, _ = rand.Read(id[:]) // never fails: it ends the process instead
	return id
}

// String returns the id as people see it: 32 characters 0-9 and a-f.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID is the inverse of String.
func ParseID(text string) (id ID, ok bool) {
	decoded, err := hex.DecodeString(text)
	return id, err == nil && copy(id[:], decoded) == len(id) && len(decoded) == len(id)
}

// Entry is one thing that ended.
type Entry struct {
	// Sequence numbers the entries from 1 on. Append sets it.
	Sequence uint64
	// Time is when the thing ended, in whole milliseconds.
	Time time.Time
	// Kind is what ended; not 0.
	Kind byte
	// Row names what ended, in at most RowMost bytes.
	Row []byte
}

// rawEntry is an entry on disk, numbers little-endian:
//
//	 0          8         16          24    56     57           58      60     64
//	+----------+---------+-----------+-----+------+------------+-------+------+
//	| sequence | durable | time (ms) | row | kind | row length | zeros | crc32c|
//	+----------+---------+-----------+-----+------+------------+-------+------+
//
// The checksum covers the log's id and all bytes before it. Durable is the last
// sequence that was durable when the entry was written. An entry that cannot be
// read was torn off by a power cut if no later one says that it was durable, and
// is damaged otherwise. 64 bytes never cross a sector.
//
// A segment begins with a header of the same size:
//
//	 0        8         12           16       32               40      60     64
//	+--------+---------+------------+--------+----------------+-------+------+
//	| magic  | version | entry size | log id | first sequence | zeros | crc32c|
//	+--------+---------+------------+--------+----------------+-------+------+
type rawEntry [entrySize]byte

// encode encodes an entry of a log. Its row must not be longer than RowMost.
func (e *Entry) encode(id ID, durable uint64) (raw rawEntry) {
	binary.LittleEndian.PutUint64(raw[0:], e.Sequence)
	binary.LittleEndian.PutUint64(raw[8:], durable)
	binary.LittleEndian.PutUint64(raw[16:], uint64(e.Time.UnixMilli()))
	raw[57] = byte(copy(raw[24:56], e.Row))
	raw[56] = e.Kind
	raw.seal(id)
	return raw
}

// decode decodes the entry with a sequence. Its row is part of raw. ok is false
// for anything else.
func (r *rawEntry) decode(id ID, sequence uint64) (e Entry, durable uint64, ok bool) {
	e = Entry{
		Sequence: binary.LittleEndian.Uint64(r[0:]),
		Time:     time.UnixMilli(int64(binary.LittleEndian.Uint64(r[16:]))),
		Kind:     r[56],
	}
	durable = binary.LittleEndian.Uint64(r[8:])
	if e.Sequence != sequence || e.Kind == 0 || r[57] > RowMost || durable >= sequence {
		return Entry{}, 0, false
	}
	e.Row = r[24 : 24+r[57]]
	// Encoding again checks everything at once: the checksum and the zeros.
	return e, durable, e.encode(id, durable) == *r
}

// segmentHeader is what the first 64 bytes of a segment say.
type segmentHeader struct {
	id    ID
	first uint64
}

func (h segmentHeader) encode() (raw rawEntry) {
	copy(raw[:], headerMagic)
	binary.LittleEndian.PutUint32(raw[8:], formatVersion)
	binary.LittleEndian.PutUint32(raw[12:], entrySize)
	copy(raw[16:32], h.id[:])
	binary.LittleEndian.PutUint64(raw[32:], h.first)
	raw.seal(h.id)
	return raw
}

func (r *rawEntry) header() (h segmentHeader, err error) {
	if !bytes.HasPrefix(r[:], []byte(headerMagic)) {
		return h, fmt.Errorf("%w: not a segment", ErrDamaged)
	}
	if v := binary.LittleEndian.Uint32(r[8:]); v != formatVersion {
		return h, fmt.Errorf("%w: a segment has format version %d, and this release reads %d", ErrDamaged, v, formatVersion)
	}
	h = segmentHeader{ID(r[16:32]), binary.LittleEndian.Uint64(r[32:])}
	if h.encode() != *r {
		return h, fmt.Errorf("%w: the header of a segment is damaged", ErrDamaged)
	}
	return h, nil
}

// seal sets the checksum.
func (r *rawEntry) seal(id ID) {
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.LittleEndian.PutUint32(r[60:], crc32.Update(crc32.Checksum(id[:], table), table, r[:60]))
}
