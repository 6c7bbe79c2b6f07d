package vault

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// errDamaged: a stored record cannot be read. An internal fault.
var errDamaged = errors.New("vault: damaged record")

// writer appends fixed-width big-endian numbers, bytes and length-prefixed
// text to a record.
type writer []byte

func (w *writer) byte(v byte)      { *w = append(*w, v) }
func (w *writer) uint32(v uint32)  { *w = binary.BigEndian.AppendUint32(*w, v) }
func (w *writer) uint64(v uint64)  { *w = binary.BigEndian.AppendUint64(*w, v) }
func (w *writer) bytes(v []byte)   { *w = append(*w, v...) }
func (w *writer) time(t time.Time) { w.uint64(millis(t)) }
func (w *writer) bool(v bool)      { w.byte(map[bool]byte{true: 1}[v]) }
func (w *writer) sized(v []byte)   { w.uint32(uint32(len(v))); w.bytes(v) }
func (w *writer) text(v string)    { w.uint32(uint32(len(v))); *w = append(*w, v...) }
func (w *writer) texts(list []string) {
	w.uint32(uint32(len(list)))
	for _, v := range list {
		w.text(v)
	}
}

// reader takes apart what writer wrote. After the first short read it returns
// zero values, and end returns errDamaged.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// bool accepts only what writer.bool writes, so that a record has one form.
func (r *reader) bool() bool {
	b := r.byte()
	r.bad = r.bad || b > 1
	return b == 1
}

// time accepts no moment before 1970, for which writer.time has no form of its
// own.
func (r *reader) time() time.Time {
	ms := r.uint64()
	r.bad = r.bad || ms > math.MaxInt64
	return fromMillis(ms)
}

// seconds reads a duration and refuses one that is longer than any.
func (r *reader) seconds() time.Duration {
	n := r.uint64()
	r.bad = r.bad || n > uint64(math.MaxInt64/time.Second)
	return time.Duration(n) * time.Second
}

func (r *reader) into(dst []byte) { copy(dst, r.take(len(dst))) }
func (r *reader) sized() []byte   { return r.take(r.size()) }
func (r *reader) text() string    { return string(r.sized()) }

// size reads a length and refuses one that the rest cannot hold.
func (r *reader) size() int {
	n := r.uint32()
	if uint64(n) > uint64(len(r.rest)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) texts() []string {
	n := r.size()
	var list []string
	for range n {
		if r.bad {
			return nil
		}
		list = append(list, r.text())
	}
	return list
}

// version reads the record's version and refuses any but want.
func (r *reader) version(want byte) { //nolint:unparam // records do not stay at one version
	if r.byte() != want {
		r.bad = true
	}
}

// upTo reads the version of a record that has had several, from 1 to most.
func (r *reader) upTo(most byte) byte {
	version := r.byte()
	r.bad = r.bad || version == 0 || version > most
	return version
}

// end returns errDamaged if anything was missing or is left over.
func (r *reader) end() error {
	if r.bad || len(r.rest) > 0 {
		return errDamaged
	}
	return nil
}

// millis is a moment as stored: milliseconds since 1970, 0 for the zero time.
func millis(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixMilli())
}

func fromMillis(ms uint64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func bigEndian(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }
