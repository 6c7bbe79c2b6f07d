package claim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// Acknowledge ends the claim on the secret of a token, and returns once its share
// is destroyed. If there is no such claim, it changes nothing.
func (cl *Claims) Acknowledge(ctx context.Context, token seal.Token, claim string) error {
	bound, ok := bondOf(claim)
	if !ok {
		return nil
	}
	row := token.RowKey(seal.KindSecret)
	_, err := cl.find(ctx, row, bound)
	if errors.Is(err, refusal.ErrNotFound) {
		return cl.destroyLeft(ctx, row, func(l leftover) bool { return l.check == sha256.Sum256(bound[:]) })
	}
	if err != nil {
		return err
	}
	now := cl.clock.Now()
	var ended *Record
	err = cl.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		ended = nil
		record, err := load(tx, row)
		if errors.Is(err, refusal.ErrNotFound) || err == nil && !record.matches(bound) {
			return nil
		}
		if err != nil {
			return err
		}
		ended = record
		return cl.endIn(tx, row, record, cl.lasts(row, record, now), now)
	})
	if err != nil {
		return fmt.Errorf("acknowledging a claim: %w", err)
	}
	if ended == nil {
		return nil
	}
	if ended.ofFile { // parts that are being read have their key already
		if give, _, err := cl.take(context.WithoutCancel(ctx), row); err == nil {
			defer give()
		}
	}
	return cl.finish(ctx, map[seal.RowKey]*Record{row: ended})
}

// lasts reports whether a claim is not due yet.
func (cl *Claims) lasts(row seal.RowKey, r *Record, now time.Time) bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if k := cl.known[row]; k != nil {
		k.moveTo(r.deadline) // another node may have extended it
		return k.timeLeft(now) > 0
	}
	return now.Before(r.deadline)
}

// endIn ends a claim: it deletes it and lists its share for destruction. A damaged
// receipt does not keep the content alive.
func (cl *Claims) endIn(tx *rows.Tx, row seal.RowKey, r *Record, delivered bool, now time.Time) error {
	kind := audit.Lapse
	if delivered {
		kind = audit.Deliver
	}
	err := rows.Try(tx, func() error {
		if err := receipt.ClaimEnded(tx, r.Receipt, delivered, now); err != nil {
			return err
		}
		return cl.usage.EndClaim(tx, r.Charge())
	})
	if rows.IsDamage(err) && !errors.Is(err, rows.ErrHalfDone) {
		cl.log.Error("noting the end of a claim in its receipt", "cause", err)
	} else if err != nil {
		return err
	}
	if r.ofAnswer {
		if err := cl.endAnswer(tx, r, delivered, now); err != nil {
			return err
		}
	}
	if r.ofFile {
		if err := cl.endFile(tx, row, r, delivered); err != nil {
			return err
		}
	}
	if err := deleteIn(tx, row, r); err != nil {
		return err
	}
	if err := cl.shares.List(tx, r.slot); err != nil {
		return err
	}
	return audit.Write(tx, now, kind, r.Receipt)
}

// endAnswer notes the end of a claim in the answer that its secret was. A damaged answer
// does not keep the content alive either.
func (cl *Claims) endAnswer(tx *rows.Tx, r *Record, delivered bool, now time.Time) error {
	err := rows.Try(tx, func() error { return answer.ClaimEnded(tx, r.Answer, delivered, now) })
	if rows.IsDamage(err) && !errors.Is(err, rows.ErrHalfDone) {
		cl.log.Error("noting the end of a claim in its answer", "cause", err)
		return nil
	}
	return err
}

func deleteIn(tx *rows.Tx, row seal.RowKey, r *Record) error {
	if err := tx.Delete(BucketDeadline, r.deadlineRow(row)); err != nil {
		return err
	}
	return tx.Delete(BucketClaim, row[:])
}

// finish destroys the shares of claims that have durably ended. Those that it
// cannot destroy now are tried again.
func (cl *Claims) finish(ctx context.Context, ended map[seal.RowKey]*Record) error {
	slots := make([]storage.Slot, 0, len(ended))
	for row, r := range ended {
		slots = append(slots, r.slot)
		cl.forget(row)
	}
	err := cl.shares.Destroy(ctx, spent.KindNone, slots...)
	if err != nil {
		cl.mu.Lock()
		for row, r := range ended {
			cl.left[row] = leftover{r.slot, r.check}
		}
		cl.mu.Unlock()
	}
	for _, r := range ended {
		if r.ofFile {
			cl.files.Wake()
		}
		cl.usage.Release(r.Charge())
		cl.watches.Tell(r.Receipt)
		if r.ofAnswer {
			cl.watches.Tell(r.Answer.Request)
		}
	}
	return err
}

// destroyLeft destroys the share that an end left at a row, if it is the one that
// is looked for.
func (cl *Claims) destroyLeft(ctx context.Context, row seal.RowKey, wanted func(leftover) bool) error {
	cl.mu.Lock()
	l, there := cl.left[row]
	cl.mu.Unlock()
	if !there || !wanted(l) {
		return nil
	}
	if err := cl.shares.DestroyListed(ctx, spent.KindNone, l.slot); err != nil {
		return err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if cl.left[row] == l {
		delete(cl.left, row)
	}
	return nil
}
