package claim

import (
	"context"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Extend makes the claim on the secret of a token last as if it were new, but never
// longer than Longest since it was, and returns how long it lasts. It writes at most
// once in ExtendEvery. It returns ErrNotFound if there is no such claim, or if it is
// due: nothing brings back what may be ending.
func (cl *Claims) Extend(ctx context.Context, token seal.Token, claim string) (time.Duration, error) {
	bound, ok := bondOf(claim)
	if !ok {
		return 0, refusal.ErrNotFound
	}
	row := token.RowKey(seal.KindSecret)
	record, err := cl.find(ctx, row, bound)
	if err != nil {
		return 0, err
	}
	return cl.extend(ctx, row, record, bound)
}

func (cl *Claims) extend(ctx context.Context, row seal.RowKey, record *Record, bound bond) (time.Duration, error) {
	now, k := cl.clock.Now(), cl.see(row, record, cl.clock.Stopwatch())
	left, waited := cl.look(k, now)
	switch {
	case left == 0:
		return 0, refusal.ErrNotFound
	case !record.extendedAt(now, waited).After(record.deadline):
		return left, nil
	}
	var stored *Record
	update := cl.store.Update
	if record.ofFile {
		update = cl.store.UpdateReserved // the row has its room; a full disk must not end a download
	}
	err := update(ctx, func(tx *rows.Tx) (err error) {
		if stored, err = load(tx, row); err != nil {
			return err
		}
		now := cl.clock.Now()
		left, waited := cl.look(k, now)
		if !stored.matches(bound) || left == 0 || !now.Before(stored.deadline) {
			return refusal.ErrNotFound
		}
		if stored.deadline.After(record.deadline) {
			return nil // another call was first
		}
		to := stored.extendedAt(now, waited)
		if !to.After(stored.deadline) {
			return nil
		}
		stored.deadline = to
		if err := cl.noteFetched(tx, stored, k); err != nil {
			return err
		}
		return stored.putDeadline(tx, row)
	})
	if err != nil {
		return 0, fmt.Errorf("extending a claim: %w", err)
	}
	return cl.timeLeft(cl.see(row, stored, cl.clock.Stopwatch()), cl.clock.Now()), nil
}

// extendedAt returns the deadline that a claim has when its reader is at it: the
// present one, if it was written a short time ago. waited reports that it was written
// longer ago, by the time that passed here. Where the clock was set back and stands
// still meanwhile, the deadline then moves by the least that there is: every process
// that sees a later one knows that the reader is at it.
func (r *Record) extendedAt(now time.Time, waited bool) time.Time {
	to := now.Add(r.lease.silence)
	if least := r.deadline.Add(time.Millisecond); waited && to.Before(least) {
		to = least
	}
	if to.After(r.limit) {
		to = r.limit
	}
	if r.unmoved || !waited && to.Sub(r.deadline) < ExtendEvery {
		return r.deadline
	}
	return to
}
