package rows

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"time"

	"hush/storage"
)

// ErrDamaged reports that a stored record cannot be read. It is an internal
// error.
var ErrDamaged = errors.New("vault: damaged record")

// Codec carries a record between its fields and its bytes. Each record has one
// function that passes the fields to a Codec in the order in which they are stored:
// Encode runs it to write them, Decode to read them. So what is written is what is
// read.
//
// Numbers are big-endian and of a fixed width. Writing leaves the values of the fields as
// they are, but may store them again, so a record must not be written while another
// goroutine reads it. In a record that ends too early, reading sets the missing fields to
// zero.
type Codec struct {
	data    []byte // of the record, as far as it was written; all of it in reading
	at      int    // how much of it was read
	reading bool
	bad     bool // in what was read
}

// Encode returns the bytes of a record. size is how many are expected. The function
// fields is a method expression, such as (*Record).fields: the compiler then calls it
// directly, and nothing but the result is allocated.
func Encode[T any](size int, r *T, fields func(*T, *Codec)) []byte {
	return EncodeTo(make([]byte, 0, size), r, fields)
}

// EncodeTo is Encode to the end of buffer.
func EncodeTo[T any](buffer []byte, r *T, fields func(*T, *Codec)) []byte {
	c := Codec{data: buffer}
	fields(r, &c)
	return c.data
}

// Decode is the inverse of Encode. It returns ErrDamaged if data is not exactly what
// fields reads, or if fields refuses it. The record keeps parts of data. Fields that its
// version does not have stay as they are.
func Decode[T any](data []byte, r *T, fields func(*T, *Codec)) error {
	c := Codec{data: data, reading: true}
	fields(r, &c)
	if c.bad || c.at < len(c.data) {
		return ErrDamaged
	}
	return nil
}

// Refuse makes Decode return ErrDamaged if wrong.
func (c *Codec) Refuse(wrong bool) { c.bad = c.bad || wrong }

// take returns the next n bytes, or nil if there are not as many.
func (c *Codec) take(n int) []byte {
	if c.bad || n > len(c.data)-c.at {
		c.bad = true
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at : c.at]
}

// Version carries the version of a record that has only one.
func (c *Codec) Version(only byte) {
	version := only
	Byte(c, &version)
	c.Refuse(version != only)
}

// VersionUpTo carries the version of a record that has several, from 1 to newest. It
// writes own, and returns the one that the record has.
func (c *Codec) VersionUpTo(newest, own byte) (version byte) {
	version = own
	Byte(c, &version)
	c.Refuse(version < 1 || version > newest)
	return version
}

// Byte carries one byte.
func Byte[T ~byte](c *Codec, v *T) {
	if !c.reading {
		c.data = append(c.data, byte(*v))
		return
	}
	*v = 0
	if b := c.take(1); b != nil {
		*v = T(b[0])
	}
}

// Between carries one byte, and refuses numbers outside least to most.
func Between[T ~byte](c *Codec, v *T, least, most T) {
	Byte(c, v)
	c.Refuse(*v < least || *v > most)
}

// Bool carries 1 or 0, and refuses all else, so that a record has one form.
func (c *Codec) Bool(v *bool) {
	var b byte
	if *v {
		b = 1
	}
	Byte(c, &b)
	if c.reading {
		c.Refuse(b > 1)
		*v = b == 1
	}
}

// Uint32 carries four bytes.
func (c *Codec) Uint32(v *uint32) {
	if !c.reading {
		c.putUint32(*v)
	} else {
		*v = c.readUint32()
	}
}

func (c *Codec) putUint32(v uint32) {
	c.data = append(c.data, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func (c *Codec) readUint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint64 carries eight bytes.
func (c *Codec) Uint64(v *uint64) {
	if !c.reading {
		c.putUint64(*v)
	} else {
		*v = c.readUint64()
	}
}

func (c *Codec) putUint64(v uint64) {
	c.data = append(c.data, byte(v>>56), byte(v>>48), byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func (c *Codec) readUint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Int64 carries eight bytes.
func (c *Codec) Int64(v *int64) {
	if !c.reading {
		c.putUint64(uint64(*v))
	} else {
		*v = int64(c.readUint64())
	}
}

// Float64 carries the eight bytes of IEEE 754.
func (c *Codec) Float64(v *float64) {
	if !c.reading {
		c.putUint64(math.Float64bits(*v))
	} else {
		*v = math.Float64frombits(c.readUint64())
	}
}

// Time carries a time in milliseconds, of which the zero time is 0. It cannot carry
// earlier times than those of 1970.
func (c *Codec) Time(t *time.Time) {
	if !c.reading {
		c.putUint64(Millis(*t))
		return
	}
	ms := c.readUint64()
	c.Refuse(ms > math.MaxInt64)
	*t = FromMillis(ms)
}

// Seconds carries a duration in whole seconds, and refuses one that overflows.
func (c *Codec) Seconds(d *time.Duration) {
	if !c.reading {
		c.putUint64(uint64(*d / time.Second))
		return
	}
	n := c.readUint64()
	c.Refuse(n > uint64(math.MaxInt64/time.Second))
	*d = time.Duration(n) * time.Second
}

// Slot carries the number and the generation of a slot.
func (c *Codec) Slot(s *storage.Slot) {
	c.Uint64(&s.Number)
	c.Uint64(&s.Generation)
}

// Bytes carries as many bytes as v has, which reading fills.
func (c *Codec) Bytes(v []byte) {
	if !c.reading {
		c.data = append(c.data, v...)
	} else {
		copy(v, c.take(len(v)))
	}
}

// Label carries a text that is always the same.
func (c *Codec) Label(text string) {
	if !c.reading {
		c.data = append(c.data, text...)
	} else {
		c.Refuse(string(c.take(len(text))) != text)
	}
}

// Sized carries a length and the bytes.
func (c *Codec) Sized(v *[]byte) {
	if !c.reading {
		c.putUint32(uint32(len(*v)))
		c.data = append(c.data, *v...)
	} else {
		*v = c.take(c.readSize())
	}
}

// Rest carries the bytes at the end of a record, whose length is not stored.
func (c *Codec) Rest(v *[]byte) {
	if !c.reading {
		c.data = append(c.data, *v...)
	} else {
		*v = c.take(len(c.data) - c.at)
	}
}

// Text carries a length and the text.
func (c *Codec) Text(v *string) {
	if !c.reading {
		c.putUint32(uint32(len(*v)))
		c.data = append(c.data, *v...)
	} else {
		*v = string(c.take(c.readSize()))
	}
}

// readSize reads a length or a count, and refuses one that the rest cannot have.
func (c *Codec) readSize() int {
	n := c.readUint32()
	if uint64(n) > uint64(len(c.data)-c.at) {
		c.bad = true
		return 0
	}
	return int(n)
}

// Texts carries a count and the texts.
func (c *Codec) Texts(list *[]string) {
	for text := range List(c, list) {
		c.Text(text)
	}
}

// List carries a count, and returns the elements of a list for the loop that carries
// their fields. Reading makes a new list, and ends where the record is damaged.
func List[T any](c *Codec, list *[]T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		if !c.reading {
			c.putUint32(uint32(len(*list)))
			writeList(*list, yield)
		} else {
			*list = readList(c, c.readSize(), yield)
		}
	}
}

// ShortList is List with a count of one byte.
func ShortList[T any](c *Codec, list *[]T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		n := byte(len(*list))
		Byte(c, &n)
		if !c.reading {
			writeList(*list, yield)
		} else {
			*list = readList(c, int(n), yield)
		}
	}
}

func writeList[T any](list []T, yield func(*T) bool) {
	for i := range list {
		if !yield(&list[i]) {
			return
		}
	}
}

func readList[T any](c *Codec, n int, yield func(*T) bool) (list []T) {
	for range n {
		if c.bad {
			break
		}
		list = append(list, *new(T))
		if !yield(&list[len(list)-1]) {
			break
		}
	}
	return list
}

// Present carries whether there is a value, and reports it. Reading sets v to a new one, or
// to nil.
func Present[T any](c *Codec, v **T) bool {
	has := *v != nil
	c.Bool(&has)
	if c.reading {
		*v = nil
		if has {
			*v = new(T)
		}
	}
	return has
}

// Millis returns a time as stored: milliseconds since 1970, 0 for the zero
// time.
func Millis(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixMilli())
}

// FromMillis is the inverse of Millis; 0 is the zero time.
func FromMillis(ms uint64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// BigEndian returns a number as eight bytes, which sort like the number.
func BigEndian(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

// TimeKey returns a row of an index that sorts by time: time in ms 8 ‖ key.
func TimeKey(at time.Time, key []byte) []byte {
	row := make([]byte, 0, 8+len(key))
	return append(binary.BigEndian.AppendUint64(row, Millis(at)), key...)
}
