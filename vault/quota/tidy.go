package quota

import (
	"context"
	"time"

	"hush/vault/rows"
)

// tidyRows is the number of rows that are checked for owners with nothing left,
// at a time.
const tidyRows = 4096

// Tidy deletes rows of accounts and networks whose sum is zero: a secret
// that began on one node and ended on another leaves a row of each. It goes
// through the bucket a part at a time, so in a large store that takes a while.
func (u *Usage) Tidy(ctx context.Context, _ time.Time, _ *rows.Damage) (int, error) {
	if u.ledger == nil {
		return 0, nil
	}
	empty, err := u.ledger.empty(ctx)
	if err != nil || len(empty) == 0 {
		return 0, err
	}
	deleted := 0
	err = u.ledger.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		deleted = 0
		for _, who := range empty {
			done, err := deleteIfEmpty(tx, who)
			if err != nil {
				return err
			}
			if done {
				deleted++
			}
		}
		return nil
	})
	return deleted, err
}

// empty returns some of those whose rows can all be read and whose sum is zero, from
// where the last call ended.
func (l *ledger) empty(ctx context.Context) (empty []countKey, err error) {
	l.mu.Lock()
	from := l.tidied
	l.mu.Unlock()
	var last countKey
	err = l.store.View(ctx, func(tx *rows.Tx) error {
		empty, last = nil, ""
		var sum tally
		read, damaged := 0, false
		end := func() {
			if last != "" && last[0] != kindTotal && sum == (tally{}) && !damaged && len(empty) < rows.SweepBatch {
				empty = append(empty, last)
			}
		}
		err := rangeTallies(tx, rows.PrefixEnd([]byte(from)), func(who countKey, value []byte) error {
			if who != last {
				end()
				if read >= tidyRows {
					return rows.ErrEnough
				}
				last, sum, damaged = who, tally{}, false
			}
			read++
			if t, err := decodeTally(value); err == nil {
				sum = sum.plus(t)
			} else {
				damaged = true // the doctor reports it
			}
			return nil
		})
		if err == nil {
			end()
			last = ""
		}
		return rows.IgnoreEnough(err)
	})
	if err == nil {
		l.mu.Lock()
		l.tidied = last
		l.mu.Unlock()
	}
	return empty, err
}

// deleteIfEmpty deletes the rows of who if all can be read and their sum is still
// zero, and reports whether it did.
func deleteIfEmpty(tx *rows.Tx, who countKey) (bool, error) {
	own, others, err := sumTallies(tx, who, 0)
	if rows.IsDamage(err) || err == nil && own.plus(others) != (tally{}) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, deleteTallies(tx, who)
}
