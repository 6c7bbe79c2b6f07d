package outbox

import (
	"errors"

	"hush/storage"
	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/sweep"
)

// Invariants returns those of the buckets of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	return []exam.Invariant{
		{Bucket: BucketOutbox, Counters: []counter.Counter{counter.Queued}, Row: func(key, value []byte) error {
			x.Count(counter.Queued)
			return checkQueued(x, key, value)
		}},
		{Bucket: BucketDelivery, Row: func(key, _ []byte) error {
			x.WantDue(sweep.DueDelivery, BucketDelivery, key)
			return nil
		}},
	}
}

// checkQueued checks that a mail can be opened: with its share, or without one by
// the root key alone.
func checkQueued(x *exam.Exam, key, value []byte) error {
	r, err := decodeMail(value)
	if err != nil {
		return err
	}
	id, err := mailIDOf(key)
	if err != nil {
		return err
	}
	if r.slot != nil {
		x.Own(*r.slot, BucketOutbox, key)
	}
	if x.Keys == nil || r.slot != nil && x.Slots == nil {
		return nil
	}
	if r.slot == nil {
		if _, err := x.Keys.OpenField(fieldMail, id[:], r.sealed); err != nil {
			x.Report(exam.CodeMailSealed, BucketOutbox, key)
		}
		return nil
	}
	share, err := x.Slots.Get(*r.slot)
	if errors.Is(err, storage.ErrShareGone) {
		return nil // Own reported it
	}
	if err == nil && openShare(x.Keys, key, value, share) != nil {
		x.Report(exam.CodeMailSealed, BucketOutbox, key)
	}
	return err
}
