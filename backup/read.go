package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"hush/storage"
)

// valueStep is how much of a long value is read at once: a length in a file
// allocates no more than the file has.
const valueStep = 64 << 10

// Reader reads a backup. What it returns before the end was not checked against
// the hash. It is for one goroutine.
type Reader struct {
	// Header is that of the backup.
	Header Header

	in      *bufio.Reader
	sum     hash.Hash
	trailer Trailer
	bucket  string
	key     []byte // of the last row of the bucket
	slot    uint64 // number of the last one
	value   bytes.Buffer
	scratch [48]byte
}

// Read begins to read a plain backup with its header. Open reads encrypted ones
// too. It returns an error that is ErrDamaged or ErrNewer, or that of the file.
func Read(from io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(from, buffered), sum: sha256.New()}
	start, err := r.take(len(magic) + 4)
	if err != nil {
		return nil, err
	}
	if string(start[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it does not begin like one", ErrDamaged)
	}
	if v := binary.BigEndian.Uint32(start[len(magic):]); v > version {
		return nil, fmt.Errorf("%w (format %d)", ErrNewer, v)
	} else if v == 0 {
		return nil, fmt.Errorf("%w: it has no version", ErrDamaged)
	}
	start, err = r.take(5)
	if err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(start[1:])
	if start[0] != partHeader || length > maxHeader {
		return nil, fmt.Errorf("%w: it has no header", ErrDamaged)
	}
	header, err := r.long(int(length))
	if err != nil {
		return nil, err
	}
	r.Header, err = decodeHeader(header)
	return r, err
}

// All calls row for each row and then slot for each live share, in the order of
// Writer, and returns the trailer if everything was as it was written. Their
// slices are valid only during the call. It ends with their error, with one that
// is ErrDamaged, or with that of the file.
func (r *Reader) All(
	row func(bucket string, key, value []byte) error,
	slot func(slot storage.Slot, share [storage.ShareSize]byte) error,
) (Trailer, error) {
	for {
		letter, err := r.take(1)
		if err != nil {
			return Trailer{}, err
		}
		switch letter[0] {
		case partBucket:
			err = r.readBucket()
		case partRow:
			err = r.readRow(row)
		case partSlot:
			err = r.readSlot(slot)
		case partTrailer:
			return r.readTrailer()
		default:
			err = r.wrong("an unknown part")
		}
		if err != nil {
			return Trailer{}, err
		}
	}
}

func (r *Reader) readBucket() error {
	start, err := r.take(2)
	if err != nil {
		return err
	}
	length := int(binary.BigEndian.Uint16(start))
	if length == 0 || length > maxName {
		return r.wrong("the name of a bucket")
	}
	name, err := r.long(length)
	if err != nil {
		return err
	}
	if string(name) <= r.bucket || r.slot > 0 {
		return r.wrong("the order of the buckets")
	}
	r.bucket, r.key = string(name), r.key[:0]
	r.trailer.Buckets++
	return nil
}

func (r *Reader) readRow(row func(bucket string, key, value []byte) error) error {
	start, err := r.take(6)
	if err != nil {
		return err
	}
	keyLength, length := int(binary.BigEndian.Uint16(start)), binary.BigEndian.Uint32(start[2:])
	if keyLength == 0 || keyLength > maxKey || length > maxValue || r.bucket == "" || r.slot > 0 {
		return r.wrong("a row")
	}
	key, err := r.long(keyLength)
	if err != nil {
		return err
	}
	if bytes.Compare(key, r.key) <= 0 {
		return r.wrong("the order of the rows")
	}
	r.key = append(r.key[:0], key...)
	value, err := r.long(int(length))
	if err != nil {
		return err
	}
	r.trailer.Rows++
	return row(r.bucket, r.key, value)
}

func (r *Reader) readSlot(slot func(storage.Slot, [storage.ShareSize]byte) error) error {
	raw, err := r.take(16 + storage.ShareSize)
	if err != nil {
		return err
	}
	found := storage.Slot{Number: binary.BigEndian.Uint64(raw), Generation: binary.BigEndian.Uint64(raw[8:])}
	if found.Number <= r.slot || found.Generation == 0 {
		return r.wrong("the order of the shares")
	}
	r.slot = found.Number
	r.trailer.Shares++
	return slot(found, [storage.ShareSize]byte(raw[16:]))
}

func (r *Reader) readTrailer() (Trailer, error) {
	var t Trailer
	numbers := t.numbers()
	raw, err := r.take(8 * len(numbers))
	if err != nil {
		return Trailer{}, err
	}
	for i, n := range numbers {
		*n = binary.BigEndian.Uint64(raw[8*i:])
	}
	want := r.sum.Sum(nil)
	got, err := r.take(sha256.Size)
	if err != nil {
		return Trailer{}, err
	}
	if subtle.ConstantTimeCompare(got, want) == 0 {
		return Trailer{}, r.wrong("its hash is another")
	}
	r.trailer.Slots, r.trailer.Generation = t.Slots, t.Generation
	if t != r.trailer || r.slot >= max(t.Slots, 1) {
		return Trailer{}, r.wrong("its counts are others")
	}
	switch _, err := r.in.ReadByte(); {
	case err == nil:
		return Trailer{}, r.wrong("something follows its end")
	case !errors.Is(err, io.EOF):
		return Trailer{}, unexpected(err)
	}
	return t, nil
}

// wrong returns the error for what is not as it was written.
func (*Reader) wrong(what string) error { return fmt.Errorf("%w: %s", ErrDamaged, what) }

// take reads a few bytes, which are valid until the next call.
func (r *Reader) take(n int) ([]byte, error) {
	if _, err := io.ReadFull(r.in, r.scratch[:n]); err != nil {
		return nil, unexpected(err)
	}
	_, _ = r.sum.Write(r.scratch[:n]) // never fails
	return r.scratch[:n], nil
}

// long reads bytes of any number, which are valid until the next call.
func (r *Reader) long(n int) ([]byte, error) {
	r.value.Reset()
	if r.value.Cap() > valueStep {
		r.value = bytes.Buffer{}
	}
	if _, err := io.CopyN(&r.value, r.in, int64(n)); err != nil {
		return nil, unexpected(err)
	}
	_, _ = r.sum.Write(r.value.Bytes()) // never fails
	return r.value.Bytes(), nil
}

// unexpected makes an end of the file ErrDamaged.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	return err
}
