package answer

import (
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// DraftOptions say what is kept of a new answer.
type DraftOptions struct {
	Ref
	// Places is how many answers the request takes.
	Places int
	// Pair is the public half of the request's pair.
	Pair seal.AccountPublic
	// Call is the digest of what the responder's device sent, and SealedLink a part of
	// that.
	Call       Call
	SealedLink []byte
	// Size is that of the content.
	Size          int
	HasPassphrase bool
	Created       time.Time
	Expires       time.Time
	// Secret and Receipt are the keys of the new secret, and of its receipt.
	Secret, Receipt seal.Token
}

// Draft is an answer that is not yet stored.
type Draft struct {
	ref    Ref
	places uint32
	record Record
}

// NewDraft seals what is kept of an answer. It stores nothing.
func NewDraft(keys *seal.Keys, o DraftOptions) (*Draft, error) {
	row := o.Secret.RowKey(seal.KindSecret)
	sealedKey, err := o.Pair.SealEntry(row, o.Secret)
	if err != nil {
		return nil, fmt.Errorf("sealing the key of an answer: %w", err)
	}
	return &Draft{ref: o.Ref, places: uint32(o.Places), record: Record{
		Arrived: o.Created, Expires: o.Expires, Size: uint64(o.Size), HasPassphrase: o.HasPassphrase, State: receipt.StateNew,
		Secret: row, Receipt: o.Receipt.RowKey(seal.KindMetadata), check: o.Call.check(),
		sealedReceipt: keys.SealRepeat(o.Call, o.Key(), o.Receipt), SealedKey: sealedKey, SealedLink: o.SealedLink,
	}}, nil
}

// Put stores the answer in the transaction that stores its secret, and takes a place. It
// returns refusal.ErrDuplicate if the request has an answer of that number, and
// refusal.ErrRequestEnded if all places are taken.
func (d *Draft) Put(tx *rows.Tx) error {
	key := d.ref.Key()
	there, err := rows.Exists(tx, BucketAnswer, key)
	if err == nil && there {
		err = refusal.ErrDuplicate
	}
	if err != nil {
		return err
	}
	tally, err := LoadTally(tx, d.ref.Request)
	if err != nil {
		return err
	}
	if tally.Taken >= d.places {
		return refusal.ErrRequestEnded
	}
	tally.Taken++
	tally.Waiting++
	tally.Last = d.record.Arrived
	record := d.record // a transaction may run several times
	record.Place = tally.Taken
	if err := tx.Put(BucketAnswer, key, record.encode()); err != nil {
		return err
	}
	return tally.put(tx, d.ref.Request)
}

// LoadTally returns what is counted of a request, or refusal.ErrNotFound for one that
// is unknown or forgotten.
func LoadTally(tx *rows.Tx, request seal.RowKey) (Tally, error) {
	return rows.Load(tx, BucketAnswers, request[:], decodeTally)
}

// TallyOf is LoadTally for a request that is stored: it has a tally, or the store is
// inconsistent.
func TallyOf(tx *rows.Tx, request seal.RowKey) (Tally, error) {
	tally, err := LoadTally(tx, request)
	if errors.Is(err, refusal.ErrNotFound) {
		err = rows.ErrInconsistent
	}
	return tally, err
}

// RowOf returns where the tally of a request is stored.
func RowOf(request seal.RowKey) (bucket string, key []byte) { return BucketAnswers, request[:] }

// put stores a tally that changed.
func (t Tally) put(tx *rows.Tx, request seal.RowKey) error {
	t.Changes++
	return tx.Put(BucketAnswers, request[:], t.encode())
}

// Begin stores the tally of a new request.
func Begin(tx *rows.Tx, request seal.RowKey) error { return Tally{}.put(tx, request) }
