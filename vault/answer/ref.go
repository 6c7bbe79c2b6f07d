package answer

import (
	"time"

	"hush/seal"
	"hush/vault/rows"
)

// Number is what a responder's device numbers an answer with. It drew it at random.
type Number [16]byte

// Lifetime is how long an answer waits to be opened.
const Lifetime = 7 * 24 * time.Hour

// RowBytes are the bytes that an answer counts for besides its content, as long as that
// can be opened: the sealed link and what else its row has. TestRowBytes measures them.
const RowBytes = 2048

// Ref names an answer: its request, and its number. The zero Ref names none.
type Ref struct {
	Request seal.RowKey
	Number  Number
}

// refSize is the length of a key of BucketAnswer.
const refSize = len(seal.RowKey{}) + len(Number{})

// Key returns the key of the answer in BucketAnswer: row of the request 22 ‖ number 16.
func (r Ref) Key() []byte {
	return append(append(make([]byte, 0, refSize), r.Request[:]...), r.Number[:]...)
}

// Fields carries a name in a record of another package.
func (r *Ref) Fields(c *rows.Codec) {
	c.Bytes(r.Request[:])
	c.Bytes(r.Number[:])
}

// refOf returns the answer that a key of BucketAnswer names, or rows.ErrDamaged.
func refOf(key []byte) (Ref, error) {
	if len(key) != refSize {
		return Ref{}, rows.ErrDamaged
	}
	row := len(seal.RowKey{})
	return Ref{Request: seal.RowKey(key[:row]), Number: Number(key[row:])}, nil
}
