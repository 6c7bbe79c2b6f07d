package answer

import (
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"hush/seal"
	"hush/vault/receipt"
	"hush/vault/rows"
)

const (
	// BucketAnswer has row of the request (22) ‖ number (16) -> Record.
	BucketAnswer = "answer"
	// BucketAnswers has row of the request (22) -> Tally.
	BucketAnswers = "answers"
)

const (
	recordVersion = 1
	tallyVersion  = 1
)

// SealedLinkSize is the length of the link of an answer as a responder's device seals it.
const SealedLinkSize = 1648

// Call identifies all that a responder's device sent for an answer.
type Call [sha256.Size]byte

// CallOf returns the digest of the parts of a call, in their order:
//
//	SHA-256("hush answer call" ‖ each part behind its length)
func CallOf(parts ...[]byte) Call {
	w := rows.Writer("hush answer call")
	for _, part := range parts {
		w.Sized(part)
	}
	return sha256.Sum256(w)
}

// check returns what is stored to recognize the call. It does not lead back to the call,
// part of which is random and secret.
func (c Call) check() [sha256.Size]byte {
	return sha256.Sum256(append([]byte("hush answer repeat"), c[:]...))
}

// Record is an answer to a request.
//
//	version 1 │ place 4 │ arrived 8 │ expires 8 │ size 8 │ passphrase? 1
//	│ state 1 │ outcome 1 │ ended 8 │ outcome at 8 │ secret row 22 │ receipt row 22
//	│ repeat's check 32 │ sealed receipt (4, bytes)
//	│ sealed key (4, bytes) │ sealed link (4, bytes)
//
// Times are milliseconds. place is 1 for the first answer of the request, 2 for the next,
// and so on. size is that of the content as the device encrypted it. State and outcome
// are those of the receipt, which is forgotten earlier. The sealed receipt is the
// responder's key of it, for a repeat. The key of the secret, sealed to the pair of the
// request, and the sealed link are empty once the content is gone for good; a state in
// which it waits has both.
type Record struct {
	Place         uint32
	Arrived       time.Time
	Expires       time.Time
	Size          uint64
	HasPassphrase bool
	State         receipt.State
	Outcome       receipt.Outcome
	Ended         time.Time // when it was received, burned or expired
	OutcomeAt     time.Time
	Secret        seal.RowKey
	Receipt       seal.RowKey
	check         [sha256.Size]byte
	sealedReceipt []byte
	SealedKey     []byte
	SealedLink    []byte
}

func (r *Record) fields(c *rows.Codec) {
	c.Version(recordVersion)
	c.Uint32(&r.Place)
	c.Time(&r.Arrived)
	c.Time(&r.Expires)
	c.Uint64(&r.Size)
	c.Bool(&r.HasPassphrase)
	rows.Between(c, &r.State, receipt.StateNew, receipt.StateExpired)
	rows.Between(c, &r.Outcome, receipt.OutcomeNone, receipt.OutcomeLapsed)
	c.Time(&r.Ended)
	c.Time(&r.OutcomeAt)
	c.Bytes(r.Secret[:])
	c.Bytes(r.Receipt[:])
	c.Bytes(r.check[:])
	c.Sized(&r.sealedReceipt)
	c.Sized(&r.SealedKey)
	c.Sized(&r.SealedLink)
	c.Refuse(r.Openable() != (len(r.SealedKey) > 0) || r.Openable() != (len(r.SealedLink) > 0))
}

func (r *Record) encode() []byte {
	return rows.Encode(160+len(r.sealedReceipt)+len(r.SealedKey)+len(r.SealedLink), r, (*Record).fields)
}

func decode(data []byte) (*Record, error) {
	r := new(Record)
	return r, rows.Decode(data, r, (*Record).fields)
}

// Openable reports whether the content is not gone for good: it waits, or the claim lasts
// that it was revealed with.
func (r *Record) Openable() bool { return r.State.Live() || r.Outcome == receipt.OutcomeAwaited }

// IsRepeat reports, in constant time, whether a call sent what the answer is.
func (r *Record) IsRepeat(call Call) bool {
	check := call.check()
	return subtle.ConstantTimeCompare(check[:], r.check[:]) == 1
}

// ReceiptKey returns the key of the responder's receipt, which only a repeat of the call
// opens, or seal.ErrSealBroken.
func (r *Record) ReceiptKey(keys *seal.Keys, ref Ref, call Call) (seal.Token, error) {
	return keys.OpenRepeat(call, ref.Key(), r.sealedReceipt)
}

// Tally counts the answers of a request.
//
//	version 1 │ taken 4 │ waiting 4 │ last 8 │ changes 8
type Tally struct {
	// Taken is how many answers came, and Waiting how many of them wait to be opened.
	Taken, Waiting uint32
	// Last is when the last of them came; zero before the first.
	Last time.Time
	// Changes grows with each thing that happens to one of them, or to the request. So
	// those who watch it need to read this row alone.
	Changes uint64
}

func (t *Tally) fields(c *rows.Codec) {
	c.Version(tallyVersion)
	c.Uint32(&t.Taken)
	c.Uint32(&t.Waiting)
	c.Time(&t.Last)
	c.Uint64(&t.Changes)
}

func (t Tally) encode() []byte { return rows.Encode(25, &t, (*Tally).fields) }

func decodeTally(data []byte) (t Tally, err error) {
	err = rows.Decode(data, &t, (*Tally).fields)
	return t, err
}
