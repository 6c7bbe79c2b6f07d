package request

import (
	"bytes"
	"crypto/hpke"
	"encoding/binary"

	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// HeadSize is what stands before the message of a card.
const HeadSize = headSize

// Raw returns the bytes of a card.
func Raw(a *Asked) []byte { return a.raw() }

// Public returns the public key to which answers are sealed.
func Public(a *Asked) hpke.PublicKey { return a.public }

// PublicOf returns the public key in the bytes of a card.
func PublicOf(raw []byte) []byte { return raw[headSize-publicSize : headSize] }

// Hash returns the secret of the link to the bytes of a card.
func Hash(raw []byte) endtoend.LinkSecret { return hash(raw) }

// CardKey returns the key of a card.
func CardKey(r endtoend.LinkSecret) []byte { return keysOf(r).card }

// Plain returns what is encrypted for the bytes of a card.
func Plain(raw []byte) []byte {
	plain := make([]byte, endtoend.Padded(uint64(lengthSize+len(raw))))
	binary.BigEndian.PutUint32(plain, uint32(len(raw)))
	copy(plain[lengthSize:], raw)
	return plain
}

// SealRaw encrypts any bytes as a card, as a server that has the link could.
func SealRaw(r endtoend.LinkSecret, raw []byte) []byte {
	message, _ := chunked.Seal(CardKey(r), []byte(contextCard), Plain(raw))
	return message
}

// SealPlain seals any bytes as an answer, as everyone who has the link can.
func SealPlain(a *Asked, number Number, plain []byte) []byte {
	sealed, _ := hpke.Seal(a.public, suite().kdf, suite().aead, a.infoOf(number), plain)
	return sealed
}

// LinkBoxKey returns the key of a link box.
func LinkBoxKey(c Collector) []byte { return bytes.Clone(c.keys().linkBox) }

// Seed returns the private key of a collect link.
func Seed(c Collector) []byte {
	seed, _ := c.keys().private.Bytes()
	return seed
}
