package chunked

import (
	"errors"
	"fmt"
	"io"
)

// ErrOffset says that ReadAt was called with a negative offset.
var ErrOffset = errors.New("chunked: the offset is negative")

// ReaderAt decrypts a message at any place. Each call reads and decrypts only
// the chunks that it needs. It is safe for concurrent use if the reader below is.
type ReaderAt struct {
	src     io.ReaderAt
	message *message
	size    int64
}

// NewReaderAt returns the reader of a message of which src holds size encrypted
// bytes. It decrypts the last chunk, so Size is certain. It returns ErrKey,
// ErrHeader, ErrChunk, ErrTruncated, or the error of src.
func NewReaderAt(src io.ReaderAt, size int64, key, context []byte) (*ReaderAt, error) {
	header := make([]byte, HeaderSize)
	n, err := src.ReadAt(header[:max(0, min(size, HeaderSize))], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	m, err := openHeader(header[:n], key, context)
	if err != nil {
		return nil, err
	}
	length, err := Size(size)
	if err != nil {
		return nil, err
	}
	r := &ReaderAt{src: src, message: m, size: length}
	if _, err := r.open(make([]byte, 0, sealedChunk), length/chunkSize); err != nil {
		return nil, err
	}
	return r, nil
}

// Size returns the length of the message in bytes.
func (r *ReaderAt) Size() int64 { return r.size }

// ReadAt decrypts len(p) bytes from offset on. It returns io.EOF if the message
// ends before, ErrOffset, ErrChunk, or the error of the reader below.
func (r *ReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("%w: %d", ErrOffset, offset)
	}
	read := 0
	buffer := make([]byte, 0, sealedChunk)
	for read < len(p) && offset < r.size {
		chunk, err := r.open(buffer, offset/chunkSize)
		if err != nil {
			return read, err
		}
		n := copy(p[read:], chunk[offset%chunkSize:])
		read, offset = read+n, offset+int64(n)
	}
	if read < len(p) {
		return read, io.EOF
	}
	return read, nil
}

// open decrypts chunk k in buffer, which has room for an encrypted chunk.
func (r *ReaderAt) open(buffer []byte, k int64) ([]byte, error) {
	sealed := buffer[:min(sealedChunk, r.size-k*chunkSize+tagSize)]
	n, err := r.src.ReadAt(sealed, HeaderSize+k*sealedChunk)
	switch {
	case n < len(sealed) && (err == nil || errors.Is(err, io.EOF)):
		return nil, ErrTruncated // the file got shorter
	case n < len(sealed):
		return nil, err
	}
	return r.message.open(sealed[:0], sealed, uint64(k))
}
