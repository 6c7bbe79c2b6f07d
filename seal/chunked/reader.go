package chunked

import (
	"errors"
	"io"
)

// Reader decrypts a message as a stream. It takes 32 KiB of memory however long
// the message is. It is not safe for concurrent use.
//
// What Read has returned is good, and it is the whole message only once Read has
// returned io.EOF: who acts on a message as a whole waits for that.
type Reader struct {
	src     io.Reader
	message *message
	sealed  []byte
	chunk   []byte // what is decrypted and not read yet
	buffer  []byte
	number  uint64
	err     error // what Read returns after chunk
}

// NewReader reads the header from src and returns the reader of the message. It
// returns ErrKey, ErrHeader, or the error of src.
func NewReader(src io.Reader, key, context []byte) (*Reader, error) {
	header := make([]byte, HeaderSize)
	n, err := io.ReadFull(src, header)
	if err != nil && !isEnd(err) {
		return nil, err
	}
	m, err := openHeader(header[:n], key, context)
	if err != nil {
		return nil, err
	}
	return &Reader{src: src, message: m, sealed: make([]byte, sealedChunk), buffer: make([]byte, 0, chunkSize)}, nil
}

// Read decrypts up to len(p) bytes. It returns ErrChunk, ErrTruncated, or the
// error of the reader below after all that is good before the fault.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.chunk) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		r.next()
	}
	n := copy(p, r.chunk)
	r.chunk = r.chunk[n:]
	return n, nil
}

// next decrypts the next chunk. A short one is the last.
func (r *Reader) next() {
	n, err := io.ReadFull(r.src, r.sealed)
	switch {
	case err != nil && !isEnd(err):
		r.err = err
		return
	case n < tagSize, r.number >= maxChunks:
		r.err = ErrTruncated
		return
	case err != nil:
		r.err = io.EOF
	}
	chunk, err := r.message.open(r.buffer, r.sealed[:n], r.number)
	if err != nil {
		r.err = err
		return
	}
	r.chunk = chunk
	r.number++
}

// Jump goes on reading at the beginning of a chunk, from where src has the encrypted
// message; see Place. What lies between is not read, and is for the caller to know.
func (r *Reader) Jump(src io.Reader, chunk uint64) {
	r.src, r.number, r.chunk, r.err = src, chunk, nil, nil
}

// isEnd reports whether io.ReadFull met the end of its reader.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
