package chunked

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sizes of the format, in bytes.
const (
	KeySize    = 32
	HeaderSize = saltSize + commitmentSize
	ChunkSize  = chunkSize
	// SealedChunkSize is the length of an encrypted chunk but the last.
	SealedChunkSize = sealedChunk

	saltSize       = 24
	commitmentSize = 32
	chunkSize      = 16384
	tagSize        = 16
	sealedChunk    = chunkSize + tagSize
	nonceSize      = 12
)

// maxChunks bounds the number of a chunk: the format numbers them below 2^38.
const maxChunks = 1 << 38

// MaxSize is the maximum length of a message in bytes: 4 PiB less one.
const MaxSize = maxChunks*chunkSize - 1

const info = "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00"

// Errors of this package. Those that reading returns name the kind of fault;
// what was read before it is good.
var (
	// ErrKey says that an input key has not KeySize bytes.
	ErrKey = errors.New("chunked: the key has a wrong length")
	// ErrSize says that a message is longer than MaxSize.
	ErrSize = errors.New("chunked: the message is too long")
	// ErrHeader says that the header is too short, or that the key or the context
	// is not the one that the message was encrypted with.
	ErrHeader = errors.New("chunked: the header does not fit the key")
	// ErrChunk says that a chunk was altered, moved or cut.
	ErrChunk = errors.New("chunked: a chunk is damaged")
	// ErrTruncated says that the end of the message is missing.
	ErrTruncated = errors.New("chunked: the end is missing")
)

// Salt tells a message from all others under one key. It is no secret.
type Salt [saltSize]byte

// NewSalt draws a salt.
func NewSalt() (salt Salt) {
	_, _ = rand.Read(salt[:]) // never fails
	return salt
}

// Place returns the number of the chunk that has byte n of a message, and where this
// chunk begins in the encrypted message. n is at least 0.
func Place(n int64) (chunk uint64, offset int64) {
	return uint64(n / chunkSize), HeaderSize + n/chunkSize*sealedChunk
}

// SealedSize returns the number of bytes that a message of n bytes has when it is
// encrypted. n is at least 0 and at most MaxSize.
func SealedSize(n int64) int64 { return HeaderSize + n + (n/chunkSize+1)*tagSize }

// Size returns the number of bytes of the message that n encrypted bytes hold.
// It returns ErrHeader or ErrTruncated for a number that no message has.
func Size(n int64) (int64, error) {
	if n < HeaderSize {
		return 0, ErrHeader
	}
	whole, last := (n-HeaderSize)/sealedChunk, (n-HeaderSize)%sealedChunk
	switch {
	case last < tagSize:
		return 0, ErrTruncated
	case whole >= maxChunks:
		return 0, ErrSize
	}
	return whole*chunkSize + last - tagSize, nil
}

// message seals and opens the chunks of one message.
type message struct {
	aead  cipher.AEAD
	nonce [nonceSize]byte
}

// newMessage derives what one message needs, and its commitment.
func newMessage(key, salt, context []byte) (*message, []byte, error) {
	if len(key) != KeySize {
		return nil, nil, ErrKey
	}
	okm, err := hkdf.Expand(sha512.New, key, info+string(salt)+string(context), KeySize+nonceSize+commitmentSize)
	if err != nil {
		return nil, nil, fmt.Errorf("deriving keys: %w", err)
	}
	block, err := aes.NewCipher(okm[:KeySize])
	if err != nil {
		return nil, nil, fmt.Errorf("making a cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, nil, fmt.Errorf("making a cipher: %w", err)
	}
	clear(okm[:KeySize])
	return &message{aead: aead, nonce: [nonceSize]byte(okm[KeySize:])}, okm[KeySize+nonceSize:], nil
}

// openHeader derives what the message of a header needs. It returns ErrHeader
// unless the header commits to key and context.
func openHeader(header, key, context []byte) (*message, error) {
	if len(header) != HeaderSize {
		return nil, ErrHeader
	}
	m, commitment, err := newMessage(key, header[:saltSize], context)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(commitment, header[saltSize:]) != 1 {
		return nil, ErrHeader
	}
	return m, nil
}

// chunkNonce returns the nonce of chunk k.
func (m *message) chunkNonce(k uint64) [nonceSize]byte {
	nonce := m.nonce
	tail := nonce[nonceSize-8:]
	binary.BigEndian.PutUint64(tail, binary.BigEndian.Uint64(tail)^k)
	return nonce
}

// seal appends chunk k, encrypted, to dst.
func (m *message) seal(dst, chunk []byte, k uint64) []byte {
	nonce := m.chunkNonce(k)
	return m.aead.Seal(dst, nonce[:], chunk, nil)
}

// open appends what the encrypted chunk k holds to dst.
func (m *message) open(dst, sealed []byte, k uint64) ([]byte, error) {
	nonce := m.chunkNonce(k)
	chunk, err := m.aead.Open(dst, nonce[:], sealed, nil)
	if err != nil {
		return nil, ErrChunk
	}
	return chunk, nil
}
