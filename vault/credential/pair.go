package credential

import (
	"crypto/rand"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketPair has account id ‖ pair id (8) -> PairRecord.
const BucketPair = "pair"

// Pair is what sealing to a key pair needs.
type Pair struct {
	ID     caller.PairID
	Public seal.AccountPublic
}

// PairRecord is a key pair of an account. Its private half is wrapped here for
// the password, and in the row of each session and API token that holds it. A
// pair that nothing holds is deleted.
//
//	version 1 │ created 8 │ public half 32 │ main? 1 │ wrapped (4, bytes)
//
// The main pair is the one that the password holds; the others have nothing
// wrapped here.
type PairRecord struct {
	created time.Time
	public  seal.AccountPublic
	main    bool
	wrapped []byte // for the password
}

const pairVersion = 1

func (r *PairRecord) fields(c *rows.Codec) {
	c.Version(pairVersion)
	c.Time(&r.created)
	c.Bytes(r.public[:])
	c.Bool(&r.main)
	c.Sized(&r.wrapped)
}

func (r *PairRecord) encode() []byte {
	return rows.Encode(46+len(r.wrapped), r, (*PairRecord).fields)
}

// decodePair decodes a stored pair.
func decodePair(data []byte) (*PairRecord, error) {
	r := new(PairRecord)
	return r, rows.Decode(data, r, (*PairRecord).fields)
}

// holderKind is the kind of what holds a wrapped key. It is part of the wrap's
// label, so that one wrap cannot replace another.
type holderKind byte

// The kinds of holders. The numbers are stored.
const (
	heldByPassword holderKind = 'p'
	HeldBySession  holderKind = 's'
	HeldByToken    holderKind = 't'
)

// WrapLabel returns the label of a wrapped key: account id ‖ pair id ‖ kind 1.
func WrapLabel(id caller.AccountID, pair caller.PairID, kind holderKind) []byte {
	return append(pairKey(id, pair), byte(kind))
}

func pairKey(id caller.AccountID, pair caller.PairID) []byte {
	key := make([]byte, 0, len(id)+len(pair)+1)
	key = append(key, id[:]...)
	return append(key, pair[:]...)
}

// NewPairID returns a fresh id.
func NewPairID() caller.PairID {
	var id caller.PairID
	rand.Read(id[:])
	return id
}
