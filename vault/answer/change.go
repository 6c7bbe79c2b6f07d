package answer

import (
	"errors"
	"time"

	"hush/seal"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Load returns an answer, or refusal.ErrNotFound.
func Load(tx *rows.Tx, ref Ref) (*Record, error) {
	return rows.Load(tx, BucketAnswer, ref.Key(), decode)
}

// Of calls fn for each answer of a request that can be read, in the order of their
// numbers, which is random.
func Of(tx *rows.Tx, request seal.RowKey, fn func(ref Ref, r *Record) error) error {
	return tx.Range(BucketAnswer, request[:], rows.PrefixEnd(request[:]), func(key, value []byte) error {
		ref, err := refOf(key)
		if err != nil {
			return nil //nolint:nilerr // the doctor reports it
		}
		r, err := decode(value)
		if err != nil {
			return nil //nolint:nilerr // the doctor reports it
		}
		return fn(ref, r)
	})
}

// Ended notes, in the transaction that ends the secret of an answer, how it ended: state
// is that of its receipt. claimed says that a claim keeps the content. It changes nothing
// if the request is forgotten. It returns an error about damage before it writes anything.
func Ended(tx *rows.Tx, ref Ref, state receipt.State, claimed bool, at time.Time) error {
	return change(tx, ref, func(r *Record) bool { return r.State.Live() }, func(r *Record, tally *Tally) {
		r.State, r.Ended = state, at
		if claimed {
			r.Outcome = receipt.OutcomeAwaited
		}
		if tally.Waiting > 0 {
			tally.Waiting--
		}
	})
}

// ClaimEnded notes, in the transaction that ends the claim on an answer, whether the
// device of the requester confirmed. It changes nothing if the request is forgotten, or if
// the answer awaits no claim. It returns an error about damage before it writes anything.
func ClaimEnded(tx *rows.Tx, ref Ref, delivered bool, at time.Time) error {
	return change(tx, ref, func(r *Record) bool { return r.Outcome == receipt.OutcomeAwaited }, func(r *Record, _ *Tally) {
		r.Outcome, r.OutcomeAt = receipt.OutcomeLapsed, at
		if delivered {
			r.Outcome = receipt.OutcomeDelivered
		}
	})
}

// change stores what apply changes of an answer and of what is counted of its request, if
// the answer is one that it concerns. It does nothing for a request that is forgotten. Once
// nothing of the content is left, what opens it goes.
func change(tx *rows.Tx, ref Ref, concerns func(r *Record) bool, apply func(r *Record, tally *Tally)) error {
	r, err := Load(tx, ref)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !concerns(r) {
		return nil
	}
	if err != nil {
		return err
	}
	tally, err := TallyOf(tx, ref.Request)
	if err != nil {
		return err
	}
	apply(r, &tally)
	if !r.Openable() {
		r.SealedKey, r.SealedLink = nil, nil
	}
	if err := tx.Put(BucketAnswer, ref.Key(), r.encode()); err != nil {
		return err
	}
	return tally.put(tx, ref.Request)
}

// Touched notes in a transaction that something was added to the timeline of an answer's
// receipt, or that a request was closed, so that those who watch the request see it. It
// changes nothing if the request is forgotten.
func Touched(tx *rows.Tx, request seal.RowKey) error {
	tally, err := LoadTally(tx, request)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return tally.put(tx, request)
}

// Forget deletes the answers of a request and their tally. The caller makes sure that no
// content is left of any.
func Forget(tx *rows.Tx, request seal.RowKey) error {
	if err := rows.DeletePrefix(tx, BucketAnswer, request[:]); err != nil {
		return err
	}
	return tx.Delete(BucketAnswers, request[:])
}
