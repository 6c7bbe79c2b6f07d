package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/cluster"
	"hush/vault/exam"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// BucketBudget has kind 1 ‖ 'n' or 'w' network 8, or 'a' account -> when the
// budget is full again.
const BucketBudget = "budget"

// Buckets returns the bucket of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketBudget, Check: rows.CheckRow(0, decodeFull)}}
}

// Invariants returns that of the bucket of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketBudget, Row: func(key, _ []byte) error {
		x.WantDue(sweep.DueBudget, BucketBudget, key)
		return nil
	}}}
}

const budgetVersion = 1

// fullFields carries when a budget is full again.
//
//	version 1 │ time 8
func fullFields(full *time.Time, c *rows.Codec) {
	c.Version(budgetVersion)
	c.Time(full)
}

func encodeFull(full time.Time) []byte { return rows.Encode(9, &full, fullFields) }

func decodeFull(data []byte) (full time.Time, err error) {
	err = rows.Decode(data, &full, fullFields)
	return full, err
}

// Stored keeps budgets in the store, where all nodes spend from them. Every call
// that is admitted writes, so it is for rare calls. A refused caller does not
// reach the store again until a call is back. It is safe for concurrent use.
type Stored struct {
	store cluster.Store
	clock *cluster.Clock
	keys  *seal.Keys
	// seen holds what this node last saw in the store. Other nodes only spend
	// more.
	seen *Memory
}

// NewStored returns the budgets of a store.
func NewStored(store cluster.Store, clock *cluster.Clock, keys *seal.Keys) *Stored {
	return &Stored{store: store, clock: clock, keys: keys, seen: NewMemory(clock.Now)}
}

// Take spends calls and returns 0, or spends nothing and returns how long to
// wait, at least as far as this node knows. After an error the caller must not
// be admitted.
func (s *Stored) Take(ctx context.Context, key Key, rate Rate, calls int) (wait time.Duration, err error) {
	if wait := s.seen.wait(key, rate, calls); wait > 0 {
		return wait, nil
	}
	now, row := s.clock.Now(), s.row(key)
	var full time.Time
	err = s.store.Update(ctx, func(tx *rows.Tx) error {
		stored, err := rows.Load(tx, BucketBudget, row, decodeFull)
		isNew := errors.Is(err, refusal.ErrNotFound)
		if err != nil && !isNew {
			return err
		}
		if full, wait = rate.spend(stored, now, calls); wait > 0 {
			return nil
		}
		if isNew {
			if err := sweep.PutDue(tx, full, sweep.DueBudget, row); err != nil {
				return err
			}
		}
		return tx.Put(BucketBudget, row, encodeFull(full))
	})
	if err != nil {
		return 0, fmt.Errorf("spending from a budget: %w", err)
	}
	s.seen.note(key, full)
	return wait, nil
}

// Give returns calls to a budget.
func (s *Stored) Give(ctx context.Context, key Key, rate Rate, calls int) error {
	row := s.row(key)
	var full time.Time
	err := s.store.Update(ctx, func(tx *rows.Tx) error {
		stored, err := rows.Load(tx, BucketBudget, row, decodeFull)
		if errors.Is(err, refusal.ErrNotFound) {
			full = time.Time{}
			return nil
		}
		if err != nil {
			return err
		}
		full = stored.Add(-rate.lasts(calls))
		return tx.Put(BucketBudget, row, encodeFull(full))
	})
	if err != nil {
		return fmt.Errorf("giving back to a budget: %w", err)
	}
	s.seen.note(key, full)
	return nil
}

// row returns the row of a budget. It does not reveal the network.
func (s *Stored) row(key Key) []byte {
	if key.Account != "" {
		return append([]byte{key.Kind, 'a'}, key.Account...)
	}
	kind, bytes := byte('n'), key.Network.Bytes()
	if key.Wide {
		kind, bytes = 'w', key.Network.WideBytes()
	}
	network := s.keys.NetworkID(bytes)
	return append([]byte{key.Kind, kind}, network[:]...)
}

// EndBudget deletes a budget that is full.
func (*Stored) EndBudget(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	full, err := rows.Load(tx, BucketBudget, key, decodeFull)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if now.Before(full) {
		return full, nil
	}
	return time.Time{}, tx.Delete(BucketBudget, key)
}
