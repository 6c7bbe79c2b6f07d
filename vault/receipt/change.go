package receipt

import (
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Revealed writes into the receipt in a row, in the transaction that ends its secret,
// that the secret was revealed to a network; see caller.Network.Masked. claimed says
// that a claim keeps the content. It returns the receipt as it is now, and
// rows.ErrInconsistent unless its secret lived.
func Revealed(tx *rows.Tx, row seal.RowKey, network string, claimed bool, at time.Time) (*Record, error) {
	r, err := loadLive(tx, row, StateReceived)
	if err != nil {
		return nil, err
	}
	if claimed {
		r.outcome = OutcomeAwaited
	}
	return r, r.end(tx, row, StateReceived, network, at)
}

// Burned is Revealed for a secret that was destroyed unread. network is empty if no
// caller did it.
func Burned(tx *rows.Tx, row seal.RowKey, network string, at time.Time) (*Record, error) {
	r, err := loadLive(tx, row, StateBurned)
	if err != nil {
		return nil, err
	}
	return r, r.end(tx, row, StateBurned, network, at)
}

// Expired is Revealed for a secret whose time ran out. The receipt says when it did,
// whenever that is noticed.
func Expired(tx *rows.Tx, row seal.RowKey) (*Record, error) {
	r, err := loadLive(tx, row, StateExpired)
	if err != nil {
		return nil, err
	}
	return r, r.end(tx, row, StateExpired, "", r.expires)
}

// loadLive loads the receipt of a secret that lives and is about to end.
func loadLive(tx *rows.Tx, row seal.RowKey, to State) (*Record, error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, fmt.Errorf("secret without metadata: %w", rows.ErrInconsistent)
	}
	if err != nil {
		return nil, err
	}
	if !r.state.mayBecome(to) {
		return nil, fmt.Errorf("secret lives in state %d: %w", r.state, rows.ErrInconsistent)
	}
	return r, nil
}

// end moves a receipt to the state in which its secret ended, and stores it.
func (r *Record) end(tx *rows.Tx, row seal.RowKey, to State, network string, at time.Time) error {
	r.markEnded(to, at)
	r.endedBy = network
	return tx.Put(BucketMetadata, row[:], r.encode())
}

// markEnded moves a receipt to the state in which its secret ended.
func (r *Record) markEnded(to State, at time.Time) {
	r.state = to
	r.ended = at
	r.secret = seal.RowKey{}
	r.sealedKey = nil
	if at.After(r.updated) {
		r.updated = at
	}
}

// ClaimEnded writes into the receipt in a row, in the transaction that ends the claim
// on its secret, whether the recipient's device confirmed. It changes nothing if the
// receipt awaits no claim or is forgotten.
func ClaimEnded(tx *rows.Tx, row seal.RowKey, delivered bool, at time.Time) error {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && r.outcome != OutcomeAwaited {
		return nil
	}
	if err != nil {
		return err
	}
	r.outcome = OutcomeLapsed
	if delivered {
		r.outcome = OutcomeDelivered
	}
	r.outcomeAt = at
	if at.After(r.updated) {
		r.updated = at
	}
	return tx.Put(BucketMetadata, row[:], r.encode())
}

// Forget deletes the receipt in a row, which is r, and everything that belongs to it.
// The caller removes its row in the index of what is due.
func Forget(tx *rows.Tx, row seal.RowKey, r *Record) error {
	if id, ok := caller.ParseAccountID(r.owner); ok {
		if err := deleteEntry(tx, id, r.created, row); err != nil {
			return err
		}
	}
	if err := tx.Delete(bucketTimeline, row[:]); err != nil {
		return err
	}
	if err := file.Forget(tx, row); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Metadata, By: -1}); err != nil {
		return err
	}
	return tx.Delete(BucketMetadata, row[:])
}
