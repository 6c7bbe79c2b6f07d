package vault

import (
	"crypto/rand"
	"time"

	"hush/seal"
)

// pairID names a key pair within its account; it is random.
type pairID [8]byte

func newPairID() pairID {
	var id pairID
	rand.Read(id[:])
	return id
}

// pair is what sealing to a key pair takes.
type pair struct {
	id     pairID
	public seal.AccountPublic
}

// pairRecord is a key pair of an account. Its private half lies wrapped here
// for the password, and in the row of each session and API token that holds
// it. What nothing holds any more goes.
//
//	version 1 │ created 8 │ public half 32 │ main? 1 │ wrapped (4, bytes)
//
// The main pair is the one that the password holds; nothing is wrapped in the
// others.
type pairRecord struct {
	created time.Time
	public  seal.AccountPublic
	main    bool
	wrapped []byte // for the password
}

const pairVersion = 1

func (r *pairRecord) encode() []byte {
	w := make(writer, 0, 46+len(r.wrapped))
	w.byte(pairVersion)
	w.time(r.created)
	w.bytes(r.public[:])
	w.bool(r.main)
	w.sized(r.wrapped)
	return w
}

func decodePair(data []byte) (*pairRecord, error) {
	in := reader{rest: data}
	var r pairRecord
	in.version(pairVersion)
	r.created = in.time()
	in.into(r.public[:])
	r.main, r.wrapped = in.bool(), in.sized()
	return &r, in.end()
}

// holderKind says what holds a wrapped key. The values are part of what wraps
// it, so that the wrap of one cannot be put in the place of another.
type holderKind byte

const (
	heldByPassword holderKind = 'p'
	heldBySession  holderKind = 's'
	heldByToken    holderKind = 't'
)

// wrapLabel is the place of a wrapped key: account id ‖ pair id ‖ kind 1.
func wrapLabel(id AccountID, pair pairID, kind holderKind) []byte {
	return append(pairKey(id, pair), byte(kind))
}

func pairKey(id AccountID, pair pairID) []byte {
	key := make([]byte, 0, len(id)+len(pair)+1)
	key = append(key, id[:]...)
	return append(key, pair[:]...)
}
