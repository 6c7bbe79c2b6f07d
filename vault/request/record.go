package request

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const (
	// BucketRequest has the row of the key in a request's link -> Record.
	BucketRequest = "request"
	// BucketCollection has the row of the key in a collect link -> row of the request.
	BucketCollection = "collection"
	// BucketRequests has kind 1 ‖ id ‖ ^created 8 ‖ row of the request -> nothing. The
	// kinds are 'a' with the id of an account (16), and for requests of no account 'n'
	// with a network (8), and 'w' with the IPv6 /48 around it (8). So an account lists its
	// requests, the newest first, and each can be limited.
	BucketRequests = "requests"
)

// The kinds of rows of BucketRequests.
const (
	kindAccount = 'a'
	kindNetwork = 'n'
	kindWide    = 'w'
)

const recordVersion = 1

// stored is the stored state of a request. The numbers are stored.
type stored byte

const (
	storedOpen      stored = 1 // unless its time is over, or no place is left
	storedClosed    stored = 2 // by its requester
	storedWithdrawn stored = 3 // by an administrator
)

// Record is a request.
//
//	version 1 │ state 1 │ created 8 │ expires 8 │ closed 8 │ answers 4
//	│ shows address? 1 │ notifies? 1 │ network 8 │ wide 8
//	│ SHA-256 of the link's proof 32 │ SHA-256 of the collect link's proof 32
//	│ collect row 22 │ public half of the pair 32
//	│ owner │ created by │ share domain │ box │ link box │ card
//
// The last six are length-prefixed. Times are milliseconds. owner is the account's id;
// network and wide are the requester's without an account, and else zero. "created by" is
// a masked network. box is what seal.Keys.SealCollection made, link box and card are as
// the requester's device encrypted them.
type Record struct {
	state                   stored
	created, expires        time.Time
	closed                  time.Time // zero while it is open
	answers                 uint32
	showsAddress, notifies  bool
	network, wide           [8]byte
	linkProof, collectProof [sha256.Size]byte
	collect                 seal.RowKey
	pair                    seal.AccountPublic
	owner                   string
	createdBy               string
	shareDomain             string
	box, linkBox, card      []byte
}

func (r *Record) fields(c *rows.Codec) {
	c.Version(recordVersion)
	rows.Between(c, &r.state, storedOpen, storedWithdrawn)
	c.Time(&r.created)
	c.Time(&r.expires)
	c.Time(&r.closed)
	c.Uint32(&r.answers)
	c.Bool(&r.showsAddress)
	c.Bool(&r.notifies)
	c.Bytes(r.network[:])
	c.Bytes(r.wide[:])
	c.Bytes(r.linkProof[:])
	c.Bytes(r.collectProof[:])
	c.Bytes(r.collect[:])
	c.Bytes(r.pair[:])
	c.Text(&r.owner)
	c.Text(&r.createdBy)
	c.Text(&r.shareDomain)
	c.Sized(&r.box)
	c.Sized(&r.linkBox)
	c.Sized(&r.card)
}

func (r *Record) encode() []byte {
	return rows.Encode(320+len(r.box)+len(r.linkBox)+len(r.card), r, (*Record).fields)
}

func decode(data []byte) (*Record, error) {
	r := new(Record)
	return r, rows.Decode(data, r, (*Record).fields)
}

// decodeCollection decodes a row of BucketCollection.
func decodeCollection(data []byte) (row seal.RowKey, err error) {
	if len(data) != len(row) {
		return row, rows.ErrDamaged
	}
	return seal.RowKey(data), nil
}

// listKey returns the row of BucketRequests of a kind and id.
func (r *Record) listKey(kind byte, id []byte, row seal.RowKey) []byte {
	return slices.Concat([]byte{kind}, id, rows.BigEndian(^rows.Millis(r.created)), row[:])
}

// listKeys returns the rows of BucketRequests that the request has.
func (r *Record) listKeys(row seal.RowKey) [][]byte {
	if id, ok := caller.ParseAccountID(r.owner); ok {
		return [][]byte{r.listKey(kindAccount, id[:], row)}
	}
	keys := [][]byte{r.listKey(kindNetwork, r.network[:], row)}
	if r.wide != [8]byte{} {
		keys = append(keys, r.listKey(kindWide, r.wide[:], row))
	}
	return keys
}

// listedRow returns the request that a row of BucketRequests lists, or rows.ErrDamaged.
func listedRow(key []byte) (row seal.RowKey, err error) {
	size := 1 + 8 + 8 + len(row)
	if len(key) > 0 && key[0] == kindAccount {
		size += len(caller.AccountID{}) - 8
	}
	if len(key) != size || key[0] != kindAccount && key[0] != kindNetwork && key[0] != kindWide {
		return row, rows.ErrDamaged
	}
	return seal.RowKey(key[size-len(row):]), nil
}

// isProof reports, in constant time, whether a hash is that of a proof.
func isProof(proof caller.Text, hash [sha256.Size]byte) bool {
	shown := sha256.Sum256([]byte(proof))
	return subtle.ConstantTimeCompare(shown[:], hash[:]) == 1
}

// forgotten returns when a request is forgotten: when no answer can wait any more. The time
// does not depend on the answers that came, so that it tells nothing about them to those
// who have the request's link.
func (r *Record) forgotten() time.Time { return r.expires.Add(answer.Lifetime) }

// idOf returns what names a request to its owner's account.
func idOf(row seal.RowKey) string { return hex.EncodeToString(row[:]) }

// parseID is the inverse of idOf.
func parseID(id string) (row seal.RowKey, ok bool) {
	data, err := hex.DecodeString(id)
	if err != nil || len(data) != len(row) || hex.EncodeToString(data) != id {
		return row, false
	}
	return seal.RowKey(data), true
}

// load returns a request, also a forgotten one, or refusal.ErrNotFound.
func load(tx *rows.Tx, row seal.RowKey) (*Record, error) {
	return rows.Load(tx, BucketRequest, row[:], decode)
}

// loadKept returns a request that is not forgotten, with its tally, or refusal.ErrNotFound.
func loadKept(tx *rows.Tx, row seal.RowKey, now time.Time) (*Record, answer.Tally, error) {
	r, err := load(tx, row)
	if err != nil {
		return nil, answer.Tally{}, err
	}
	tally, err := answer.TallyOf(tx, row)
	if err == nil && !now.Before(r.forgotten()) {
		err = refusal.ErrNotFound
	}
	return r, tally, err
}
