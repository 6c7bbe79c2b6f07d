package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"hush/storage"
)

// buffered is how much is written at once.
const buffered = 64 << 10

// Writer writes a backup. Nothing is complete before End. It is for one
// goroutine.
type Writer struct {
	out     *bufio.Writer
	sum     hash.Hash
	written int64
	scratch []byte
	bucket  string
	slots   bool // rows are over
	trailer Trailer
}

// NewWriter begins a backup with its header.
func NewWriter(to io.Writer, h Header) (*Writer, error) {
	header, err := h.encode()
	if err != nil {
		return nil, err
	}
	w := &Writer{out: bufio.NewWriterSize(to, buffered), sum: sha256.New()}
	start := binary.BigEndian.AppendUint32([]byte(magic), version)
	start = binary.BigEndian.AppendUint32(append(start, partHeader), uint32(len(header)))
	return w, w.write(start, header)
}

// Row adds a row. Buckets come in the order of their names, and rows in that of
// their keys.
func (w *Writer) Row(bucket string, key, value []byte) error {
	if w.slots || bucket < w.bucket {
		return errors.New("backup: rows are not in their order")
	}
	if bucket == "" || len(bucket) > maxName || len(key) == 0 || len(key) > maxKey || len(value) > maxValue {
		return fmt.Errorf("backup: a row of bucket %q is too long", bucket)
	}
	if bucket != w.bucket {
		w.bucket = bucket
		w.trailer.Buckets++
		start := binary.BigEndian.AppendUint16(append(w.scratch[:0], partBucket), uint16(len(bucket)))
		if err := w.write(start, []byte(bucket)); err != nil {
			return err
		}
	}
	w.trailer.Rows++
	start := binary.BigEndian.AppendUint16(append(w.scratch[:0], partRow), uint16(len(key)))
	start = binary.BigEndian.AppendUint32(start, uint32(len(value)))
	return w.write(start, key, value)
}

// Slot adds a live share. Shares come after all rows, in the order of the numbers
// of their slots.
func (w *Writer) Slot(slot storage.Slot, share [storage.ShareSize]byte) error {
	w.slots = true
	w.trailer.Shares++
	start := binary.BigEndian.AppendUint64(append(w.scratch[:0], partSlot), slot.Number)
	start = binary.BigEndian.AppendUint64(start, slot.Generation)
	return w.write(start, share[:])
}

// End completes the backup. Slots and generation are those of Trailer.
func (w *Writer) End(slots, generation uint64) (Trailer, error) {
	w.trailer.Slots, w.trailer.Generation = slots, generation
	w.scratch = append(w.scratch[:0], partTrailer)
	for _, n := range w.trailer.numbers() {
		w.scratch = binary.BigEndian.AppendUint64(w.scratch, *n)
	}
	if err := w.write(w.scratch); err != nil {
		return Trailer{}, err
	}
	if _, err := w.out.Write(w.sum.Sum(nil)); err != nil {
		return Trailer{}, err
	}
	return w.trailer, w.out.Flush()
}

// Bytes returns how many bytes were written so far.
func (w *Writer) Bytes() int64 { return w.written }

// Rows returns how many rows were written so far.
func (w *Writer) Rows() uint64 { return w.trailer.Rows }

// write writes parts. The first one may be in scratch, which it keeps.
func (w *Writer) write(parts ...[]byte) error {
	w.scratch = parts[0][:0]
	for _, part := range parts {
		w.written += int64(len(part))
		_, _ = w.sum.Write(part) // never fails
		if _, err := w.out.Write(part); err != nil {
			return err
		}
	}
	return nil
}
