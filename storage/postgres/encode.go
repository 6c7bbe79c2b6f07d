package postgres

import "encoding/binary"

// The type numbers that PostgreSQL gives to what arrays hold.
const (
	oidBytea = 17
	oidInt8  = 20
	oidInt2  = 21
	oidInt4  = 23
	oidXid   = 28
)

func encodeInt2(n int16) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
func encodeInt8(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// array is a one-dimensional array in PostgreSQL's binary form:
//
//	dimensions (4) | nulls (4) | type (4) | length (4) | lower bound (4) | elements
//
// where each element is its length (4) and its bytes. The number of elements
// is put in by bytes.
type array struct {
	raw []byte
	n   uint32
}

const arrayHeader = 20

func newArray(element uint32) array {
	raw := make([]byte, arrayHeader, 512)
	binary.BigEndian.PutUint32(raw[0:], 1)
	binary.BigEndian.PutUint32(raw[8:], element)
	binary.BigEndian.PutUint32(raw[16:], 1)
	return array{raw: raw}
}

func (a *array) bytea(value []byte) {
	a.n++
	a.raw = binary.BigEndian.AppendUint32(a.raw, uint32(len(value)))
	a.raw = append(a.raw, value...)
}

func (a *array) text(value string) {
	a.n++
	a.raw = binary.BigEndian.AppendUint32(a.raw, uint32(len(value)))
	a.raw = append(a.raw, value...)
}

func (a *array) int2(n int16) {
	a.n++
	a.raw = binary.BigEndian.AppendUint32(a.raw, 2)
	a.raw = binary.BigEndian.AppendUint16(a.raw, uint16(n))
}

func (a *array) int4(n uint32) {
	a.n++
	a.raw = binary.BigEndian.AppendUint32(a.raw, 4)
	a.raw = binary.BigEndian.AppendUint32(a.raw, n)
}

func (a *array) int8(n int64) {
	a.n++
	a.raw = binary.BigEndian.AppendUint32(a.raw, 8)
	a.raw = binary.BigEndian.AppendUint64(a.raw, uint64(n))
}

// bytes returns the array, which must not be added to afterwards.
func (a *array) bytes() []byte {
	binary.BigEndian.PutUint32(a.raw[12:], a.n)
	return a.raw
}
