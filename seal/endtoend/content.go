package endtoend

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"hush/seal/chunked"
)

// maxSize is what fits into the format below, with room for header and padding.
const maxSize = chunked.MaxSize / 2

const contentContext = "hush.v1 content"

// context binds an encrypted message to its use.
func context() []byte { return []byte(contentContext) }

// SealedSize returns the number of bytes that Seal writes. It returns ErrHeader for
// a header that no device writes.
func SealedSize(h Header) (int64, error) {
	header, err := h.marshal()
	if err != nil {
		return 0, err
	}
	return chunked.SealedSize(int64(Padded(uint64(len(header)) + h.Size))), nil
}

// Seal encrypts the content that body reads, and writes it to dst:
//
//	length of the header (4 bytes, big-endian) ‖ header ‖ body ‖ zeros
//
// as one message of package chunked, padded so that its length says little. It
// returns ErrHeader, ErrSize if body has not h.Size bytes, or an error of body or
// dst. What was written before an error opens nowhere.
func (k Keys) Seal(dst io.Writer, h Header, body io.Reader) error {
	header, err := h.marshal()
	if err != nil {
		return err
	}
	keys := k.derived()
	w, err := chunked.NewWriter(dst, keys.content[:], context())
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	if n, err := io.Copy(w, io.LimitReader(body, int64(h.Size)+1)); err != nil {
		return err
	} else if uint64(n) != h.Size {
		return ErrSize
	}
	length := uint64(len(header)) + h.Size
	if _, err := io.CopyN(w, zeros{}, int64(Padded(length)-length)); err != nil {
		return err
	}
	return w.Close()
}

// Content reads a content that was encrypted. What Read has returned is good, and
// it is all of the content only once Read has returned io.EOF.
type Content struct {
	Header Header
	src    *chunked.Reader
	used   uint64 // bytes of the message before the zeros
	left   uint64 // bytes of the body
	zeros  uint64
	err    error
}

// Open reads the header of the content that src has. It returns ErrContent,
// ErrHeader, ErrSize, or an error of src.
func (k Keys) Open(src io.Reader) (*Content, error) {
	keys := k.derived()
	message, err := chunked.NewReader(src, keys.content[:], context())
	if err != nil {
		return nil, refused(err)
	}
	var length [lengthSize]byte
	if _, err := io.ReadFull(message, length[:]); err != nil {
		return nil, refused(err)
	}
	size := binary.BigEndian.Uint32(length[:])
	if size > headerMax {
		return nil, ErrHeader
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(message, header); err != nil {
		return nil, refused(err)
	}
	h, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	used := lengthSize + uint64(size) + h.Size
	return &Content{Header: h, src: message, used: used, left: h.Size, zeros: Padded(used) - used}, nil
}

// Read decrypts up to len(p) bytes. It returns ErrContent, ErrSize, or an error of
// the reader below.
func (c *Content) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.left == 0 {
		c.err = c.end()
		return 0, c.err
	}
	n, err := c.src.Read(p[:min(uint64(len(p)), c.left)])
	c.left -= uint64(n)
	if err != nil {
		c.err = refused(err)
	}
	return n, c.err
}

// end reads what follows the body, and returns io.EOF if it is as it must be.
func (c *Content) end() error {
	buffer := make([]byte, 4096)
	for {
		n, err := c.src.Read(buffer)
		if uint64(n) > c.zeros || len(bytes.Trim(buffer[:n], "\x00")) > 0 {
			return ErrSize
		}
		c.zeros -= uint64(n)
		switch {
		case errors.Is(err, io.EOF) && c.zeros == 0:
			return io.EOF
		case err != nil:
			return refused(err)
		}
	}
}

// refused translates the errors of package chunked. An end that comes too early is
// one of the content, since chunked knows where a message ends.
func refused(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrSize
	case errors.Is(err, chunked.ErrHeader), errors.Is(err, chunked.ErrChunk), errors.Is(err, chunked.ErrTruncated):
		return ErrContent
	}
	return err
}

// zeros reads zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
