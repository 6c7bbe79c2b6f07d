package rows

import "encoding/binary"

// Writer joins bytes so that no two lists of them look the same, for a hash.
type Writer []byte

// Sized appends a length and the bytes.
func (w *Writer) Sized(v []byte) {
	*w = append(binary.BigEndian.AppendUint32(*w, uint32(len(v))), v...)
}
