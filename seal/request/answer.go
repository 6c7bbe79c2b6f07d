package request

import (
	"crypto/hpke"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"hush/seal/endtoend"
)

const (
	infoAnswer = "hush answer v1"
	plainSize  = 512 // bytes of what is sealed
	secretSize = 32

	// NameMax is the largest length of an answer's name in bytes.
	NameMax = plainSize - lengthSize - secretSize
)

// SealedSize is the length of a sealed link: what X-Wing encapsulates (1,120), what is
// sealed (512) and its tag (16).
const SealedSize = 1120 + plainSize + 16

// Number is 16 random bytes that the answering device draws for an answer. A repeat of
// the same answer has the same number, so that it takes no second place.
type Number [16]byte

// NewNumber draws a number.
func NewNumber() Number {
	var n Number
	_, _ = rand.Read(n[:]) // never fails
	return n
}

// Answer is what the requester's device learns of an answer before it opens it.
type Answer struct {
	// Secret is the link secret K of the end-to-end secret that the answer is.
	Secret endtoend.LinkSecret
	// Name is the name of the file, shortened to NameMax bytes, or empty.
	Name string
}

// SealAnswer seals the link secret of an answer to the requester's key, with the name of
// its file, by HPKE in its base mode:
//
//	info  = "hush answer v1" ‖ 00 ‖ R ‖ A
//	plain = length (4) ‖ K ‖ name ‖ zeros, 512 bytes in all
//
// A name that is longer than NameMax is shortened. It returns ErrName.
func (a *Asked) SealAnswer(number Number, answer Answer) ([]byte, error) {
	name, err := shortened(answer.Name)
	if err != nil {
		return nil, err
	}
	secret := answer.Secret.Expose()
	plain := binary.BigEndian.AppendUint32(make([]byte, 0, plainSize), uint32(secretSize+len(name)))
	plain = append(append(plain, secret[:]...), name...)
	return hpke.Seal(a.public, suite().kdf, suite().aead, a.infoOf(number), plain[:plainSize])
}

// OpenAnswer opens what SealAnswer returned for the same request and number. It returns
// ErrAnswer.
func (c Collector) OpenAnswer(asked *Asked, number Number, sealed []byte) (Answer, error) {
	if len(sealed) != SealedSize {
		return Answer{}, ErrAnswer
	}
	plain, err := hpke.Open(c.keys().private, suite().kdf, suite().aead, asked.infoOf(number), sealed)
	if err != nil {
		return Answer{}, ErrAnswer
	}
	used, ok := unpadded(plain, len(plain))
	if !ok || len(plain) != plainSize || len(used) < secretSize || !endtoend.IsFileName(string(used[secretSize:])) {
		return Answer{}, ErrAnswer
	}
	return Answer{Secret: endtoend.SecretOf([secretSize]byte(used)), Name: string(used[secretSize:])}, nil
}

// infoOf binds a sealed link to its request and its answer.
func (a *Asked) infoOf(number Number) []byte {
	r := a.Secret().Expose()
	return slices.Concat([]byte(infoAnswer+"\x00"), r[:], number[:])
}

// shortened returns the name in at most NameMax bytes.
func shortened(name string) (string, error) {
	if !endtoend.IsFileName(name) {
		return "", ErrName
	}
	for len(name) > NameMax {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name, nil
}
