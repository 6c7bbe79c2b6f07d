package rows

import (
	"encoding/binary"
	"math"
	"time"
)

// Writer appends fixed-width big-endian numbers, bytes and length-prefixed
// text to a record.
type Writer []byte

// Byte appends one byte.
func (w *Writer) Byte(v byte) { *w = append(*w, v) }

// Uint32 appends four bytes.
func (w *Writer) Uint32(v uint32) { *w = binary.BigEndian.AppendUint32(*w, v) }

// Uint64 appends eight bytes.
func (w *Writer) Uint64(v uint64) { *w = binary.BigEndian.AppendUint64(*w, v) }

// Bytes appends bytes as they are.
func (w *Writer) Bytes(v []byte) { *w = append(*w, v...) }

// Time appends a time in milliseconds; the zero time is 0.
func (w *Writer) Time(t time.Time) { w.Uint64(Millis(t)) }

// Bool appends 1 or 0.
func (w *Writer) Bool(v bool) {
	if v {
		w.Byte(1)
	} else {
		w.Byte(0)
	}
}

// Sized appends a length and the bytes.
func (w *Writer) Sized(v []byte) { w.Uint32(uint32(len(v))); w.Bytes(v) }

// Text appends a length and the text.
func (w *Writer) Text(v string) { w.Uint32(uint32(len(v))); *w = append(*w, v...) }

// Texts appends a count and the texts.
func (w *Writer) Texts(list []string) {
	w.Uint32(uint32(len(list)))
	for _, v := range list {
		w.Text(v)
	}
}

// Reader decodes what Writer wrote. After the first short read it returns zero
// values, and End returns ErrDamaged.
type Reader struct {
	Rest []byte
	bad  bool
}

// NewReader returns a reader of a record.
func NewReader(data []byte) Reader { return Reader{Rest: data} }

// Refuse marks the record as damaged if wrong.
func (r *Reader) Refuse(wrong bool) { r.bad = r.bad || wrong }

// Failed reports whether the record is damaged, so that a loop over its parts
// can stop.
func (r *Reader) Failed() bool { return r.bad }

// Take returns the next n bytes of the record.
func (r *Reader) Take(n int) []byte {
	if r.bad || n > len(r.Rest) {
		r.bad = true
		return nil
	}
	taken := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return taken
}

// Byte returns the next byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 returns the next four bytes.
func (r *Reader) Uint32() uint32 {
	if b := r.Take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64 returns the next eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.Take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Bool accepts only what Writer.Bool writes, so that a record has one form.
func (r *Reader) Bool() bool {
	b := r.Byte()
	r.bad = r.bad || b > 1
	return b == 1
}

// Time refuses times before 1970, which Writer.Time cannot represent.
func (r *Reader) Time() time.Time {
	ms := r.Uint64()
	r.bad = r.bad || ms > math.MaxInt64
	return FromMillis(ms)
}

// Seconds reads a duration and refuses one that overflows.
func (r *Reader) Seconds() time.Duration {
	n := r.Uint64()
	r.bad = r.bad || n > uint64(math.MaxInt64/time.Second)
	return time.Duration(n) * time.Second
}

// Into fills dst with the next bytes.
func (r *Reader) Into(dst []byte) { copy(dst, r.Take(len(dst))) }

// Sized returns length-prefixed bytes.
func (r *Reader) Sized() []byte { return r.Take(r.Size()) }

// Text returns length-prefixed text.
func (r *Reader) Text() string { return string(r.Sized()) }

// Size reads a length and refuses one that the rest cannot hold.
func (r *Reader) Size() int {
	n := r.Uint32()
	if uint64(n) > uint64(len(r.Rest)) {
		r.bad = true
		return 0
	}
	return int(n)
}

// Texts returns count-prefixed texts.
func (r *Reader) Texts() []string {
	n := r.Size()
	var list []string
	for range n {
		if r.bad {
			return nil
		}
		list = append(list, r.Text())
	}
	return list
}

// Version reads the record's version and refuses any but want.
func (r *Reader) Version(want byte) {
	if r.Byte() != want {
		r.bad = true
	}
}

// UpTo reads the version of a record that has several, from 1 to most.
func (r *Reader) UpTo(most byte) byte { return r.Between(1, most) }

// Between reads one byte and refuses numbers outside least to most.
func (r *Reader) Between(least, most byte) byte {
	b := r.Byte()
	r.bad = r.bad || b < least || b > most
	return b
}

// End returns ErrDamaged if anything is missing or left over.
func (r *Reader) End() error {
	if r.bad || len(r.Rest) > 0 {
		return ErrDamaged
	}
	return nil
}
