package chunked

import (
	"errors"
	"io"
)

// ErrClosed says that a Writer was used after Close.
var ErrClosed = errors.New("chunked: the writer is closed")

// Writer encrypts what is written to it. The message is complete once Close has
// returned nil; without it, readers refuse the message as truncated. A Writer
// takes 32 KiB of memory however long the message is. It is not safe for
// concurrent use.
type Writer struct {
	dst     io.Writer
	message *message
	chunk   []byte // the open end of the message, shorter than a chunk
	sealed  []byte
	number  uint64
	err     error
}

// NewWriter writes the header of a new message to dst and returns the writer of
// its content. It returns ErrKey, or the error of dst.
func NewWriter(dst io.Writer, key, context []byte) (*Writer, error) {
	salt := NewSalt()
	return newWriter(dst, key, salt[:], context)
}

func newWriter(dst io.Writer, key, salt, context []byte) (*Writer, error) {
	w, commitment, err := resumeWriter(dst, key, salt, context)
	if err != nil {
		return nil, err
	}
	if _, err := dst.Write(append(salt[:saltSize:saltSize], commitment...)); err != nil {
		return nil, err
	}
	return w, nil
}

// ResumeWriter returns a writer that goes on with a message: behind its first chunks, as
// another Writer wrote them under the same key, salt and context. With 0 chunks it
// begins the message, and writes its header.
//
// Nothing must be encrypted twice under one salt: who goes on keeps what was written, and
// makes none of it again. It returns ErrKey, ErrSize, or the error of dst.
func ResumeWriter(dst io.Writer, key, context []byte, salt Salt, chunks uint64) (*Writer, error) {
	switch {
	case chunks == 0:
		return newWriter(dst, key, salt[:], context)
	case chunks >= maxChunks:
		return nil, ErrSize
	}
	w, _, err := resumeWriter(dst, key, salt[:], context)
	if err != nil {
		return nil, err
	}
	w.number = chunks
	return w, nil
}

func resumeWriter(dst io.Writer, key, salt, context []byte) (w *Writer, commitment []byte, err error) {
	m, commitment, err := newMessage(key, salt, context)
	if err != nil {
		return nil, nil, err
	}
	return &Writer{dst: dst, message: m, chunk: make([]byte, 0, chunkSize), sealed: make([]byte, 0, sealedChunk)}, commitment, nil
}

// Write encrypts p. It returns ErrSize when the message gets longer than
// MaxSize, or the error of the writer below; after either, each call returns the
// same error.
func (w *Writer) Write(p []byte) (int, error) {
	written := 0
	for w.err == nil && len(p) > 0 {
		n := min(len(p), chunkSize-len(w.chunk))
		if n == chunkSize {
			w.flush(p[:n]) // a whole chunk needs no copy
		} else if w.chunk = append(w.chunk, p[:n]...); len(w.chunk) == chunkSize {
			w.flush(w.chunk)
			w.chunk = w.chunk[:0]
		}
		if w.err == nil {
			written += n
		}
		p = p[n:]
	}
	return written, w.err
}

// flush encrypts one chunk and writes it.
func (w *Writer) flush(chunk []byte) {
	if w.number >= maxChunks || (len(chunk) == chunkSize && w.number == maxChunks-1) {
		w.err = ErrSize
		return
	}
	_, w.err = w.dst.Write(w.message.seal(w.sealed, chunk, w.number))
	w.number++
}

// Close writes the last chunk. It does not close the writer below. A second
// Close returns ErrClosed.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.flush(w.chunk)
	clear(w.chunk[:cap(w.chunk)])
	if w.err != nil {
		return w.err
	}
	w.err = ErrClosed
	return nil
}
