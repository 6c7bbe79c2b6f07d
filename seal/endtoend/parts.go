package endtoend

import (
	"bytes"
	"errors"
	"io"

	"hush/seal/chunked"
)

const (
	// PartSize is the length of each part of a file but the last, in bytes of the encrypted
	// content.
	PartSize = 8 << 20
	// PartBuffer is how many bytes PartSealer.Next needs at most.
	PartBuffer = PartSize + chunked.SealedChunkSize
)

// Parts returns the number of parts that n bytes of encrypted content have.
func Parts(n uint64) uint32 { return uint32((n + PartSize - 1) / PartSize) }

// PartLength returns the length of a part of n bytes of encrypted content; 0 for a number
// that they do not have.
func PartLength(n uint64, number uint32) int {
	begin := uint64(number) * PartSize
	if begin >= n {
		return 0
	}
	return int(min(PartSize, n-begin))
}

// Part is a part of an encrypted content.
type Part struct {
	// Number is that of the part, from 0.
	Number uint32
	// Content is what is sent.
	Content []byte
	// Rest is the end of the chunk that the end of the part cuts. The next part begins
	// with it.
	Rest []byte
	// Chunks is how many chunks of the message Content, Rest and the parts before have.
	Chunks uint64
}

// PartSealer encrypts a content part by part: the same bytes that Keys.Seal writes. It is
// not safe for concurrent use.
type PartSealer struct {
	plain  io.Reader
	left   uint64 // bytes that are not encrypted yet
	writer *chunked.Writer
	sealed sink
	chunk  []byte
	rest   []byte // of the part before
	number uint32
	chunks uint64
	ended  bool
	err    error
}

// sink collects what is written to it.
type sink struct{ bytes []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.bytes = append(s.bytes, p...)
	return len(p), nil
}

// SealParts returns the sealer of the parts that follow after: the last part that exists,
// of which only its content may be absent; the zero Part begins the content. The parts up
// to it must be kept or have arrived. They are never encrypted again under the same
// salt, and who has lost one begins anew with another salt. It returns ErrHeader.
func (k Keys) SealParts(h Header, salt chunked.Salt, body io.ReaderAt, after Part) (*PartSealer, error) {
	header, err := h.marshal()
	if err != nil {
		return nil, err
	}
	s := &PartSealer{chunk: make([]byte, chunked.ChunkSize), chunks: after.Chunks, rest: bytes.Clone(after.Rest)}
	if after.Chunks > 0 {
		s.number = after.Number + 1
	}
	keys := k.derived()
	s.sealed.bytes = make([]byte, 0, chunked.HeaderSize)
	if s.writer, err = chunked.ResumeWriter(&s.sealed, keys.content[:], context(), salt, after.Chunks); err != nil {
		return nil, refused(err)
	}
	s.rest = append(s.rest, s.sealed.bytes...) // the header of the message
	length := uint64(len(header)) + h.Size
	total, begin := Padded(length), after.Chunks*chunked.ChunkSize
	if begin > total {
		s.ended = true
		return s, nil
	}
	s.left = total - begin
	s.plain = io.MultiReader(
		bytes.NewReader(header[min(begin, uint64(len(header))):]),
		&bodyReader{from: body, at: skipped(begin, uint64(len(header)), h.Size), size: h.Size},
		zeros{},
	)
	return s, nil
}

// skipped returns how many bytes of a body of size bytes behind a header lie before begin.
func skipped(begin, header, size uint64) uint64 {
	if begin <= header {
		return 0
	}
	return min(begin-header, size)
}

// bodyReader reads a body that must have its whole length.
type bodyReader struct {
	from     io.ReaderAt
	at, size uint64
}

// Read implements io.Reader. It returns ErrSize for a body that is shorter.
func (r *bodyReader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	n, err := r.from.ReadAt(p[:min(uint64(len(p)), r.size-r.at)], int64(r.at))
	r.at += uint64(n)
	switch {
	case errors.Is(err, io.EOF) && r.at < r.size:
		return n, ErrSize
	case errors.Is(err, io.EOF):
		return n, nil
	}
	return n, err
}

// Number returns the number of the next part, if there is one.
func (s *PartSealer) Number() uint32 { return s.number }

// Next encrypts the next part in buffer, which has room for PartBuffer bytes, or else in
// new memory. What it returns is in there, too. It returns io.EOF behind the last part,
// ErrSize for a body that is shorter than its header says, or an error of the body; after
// an error each call returns it.
func (s *PartSealer) Next(buffer []byte) (Part, error) {
	if s.err == nil && s.ended && len(s.rest) == 0 {
		s.err = io.EOF
	}
	if s.err != nil {
		return Part{}, s.err
	}
	if cap(buffer) < PartBuffer {
		buffer = make([]byte, 0, PartBuffer)
	}
	s.sealed.bytes = append(buffer[:0], s.rest...)
	for len(s.sealed.bytes) < PartSize && !s.ended {
		if s.err = s.sealChunk(); s.err != nil {
			return Part{}, s.err
		}
	}
	sealed := s.sealed.bytes
	cut := min(PartSize, len(sealed))
	part := Part{Number: s.number, Content: sealed[:cut], Rest: sealed[cut:], Chunks: s.chunks}
	s.rest = append(s.rest[:0], part.Rest...)
	s.number++
	return part, nil
}

// sealChunk encrypts the next chunk. A short one is the last.
func (s *PartSealer) sealChunk() error {
	n := int(min(s.left, chunked.ChunkSize))
	if _, err := io.ReadFull(s.plain, s.chunk[:n]); err != nil {
		return refused(err)
	}
	if _, err := s.writer.Write(s.chunk[:n]); err != nil {
		return err
	}
	s.left -= uint64(n)
	s.chunks++
	if n == chunked.ChunkSize {
		return nil
	}
	s.ended = true
	clear(s.chunk)
	return s.writer.Close()
}

// Skip goes on behind the first have bytes of the body, without reading those again: from
// where at returns the encrypted content from an offset on. Nothing of the body may have
// been read before. It returns ErrSize for more bytes than the body has, or an error as
// Read does.
func (c *Content) Skip(have uint64, at func(offset int64) io.Reader) error {
	if have > c.Header.Size {
		return ErrSize
	}
	place := c.used - c.Header.Size + have // in the message
	chunk, offset := chunked.Place(int64(place))
	rest := have
	if chunk > 0 {
		rest = place % chunked.ChunkSize
		c.src.Jump(at(offset), chunk)
		if have < rest { // the chunk begins within the header, which only chunk 0 does
			return ErrSize
		}
		c.left -= have - rest
	}
	_, err := io.CopyN(io.Discard, c, int64(rest))
	return err
}
