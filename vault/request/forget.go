package request

import (
	"errors"
	"time"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const (
	// lookAgain is when the sweeper looks again at a request whose last content is not
	// gone yet: a claim lasts an hour at most.
	lookAgain = time.Hour
	// stuckAfter is how long after its time a request is forgotten in any case. What is
	// left of it then belongs to records that cannot be read.
	stuckAfter = 24 * time.Hour
)

// Forget deletes a request whose time is over, with what belongs to it, or returns when it
// is due.
func (re *Requests) Forget(tx *rows.Tx, key []byte, now time.Time) (next time.Time, err error) {
	if len(key) != len(seal.RowKey{}) {
		return next, rows.ErrDamaged
	}
	row := seal.RowKey(key)
	r, err := load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return next, nil
	}
	if err != nil {
		return next, err
	}
	forgotten := r.forgotten()
	if now.Before(forgotten) {
		return forgotten, nil
	}
	left := false
	err = answer.Of(tx, row, func(_ answer.Ref, a *answer.Record) error {
		left = left || a.Openable()
		return nil
	})
	if err != nil {
		return next, err
	}
	if left && now.Before(forgotten.Add(stuckAfter)) {
		return now.Add(lookAgain), nil
	}
	if err := answer.Forget(tx, row); err != nil {
		return next, err
	}
	if err := rows.DeleteAll(tx, BucketRequests, r.listKeys(row)); err != nil {
		return next, err
	}
	if err := tx.Delete(BucketCollection, r.collect[:]); err != nil {
		return next, err
	}
	return next, tx.Delete(BucketRequest, row[:])
}
