package sweep

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"hush/vault/cluster"
	"hush/vault/rows"
)

const (
	// DamagedPause is how long the sweeper waits before it retries a record
	// that cannot be read.
	DamagedPause = 24 * time.Hour
)

// Batch handles some of the due rows in bounded transactions. It returns how
// many, 0 if nothing is due, and adds the records that it could not read to
// lost.
type Batch func(ctx context.Context, now time.Time, lost *rows.Damage) (int, error)

// Rounds runs one batch of each kind in turn until nothing is due. Other
// callers get access to the store between any two transactions. A batch that
// fails and handles nothing is not run again; the others go on. Rounds returns
// the first error.
func Rounds(ctx context.Context, log *slog.Logger, now time.Time, kinds ...Batch) (total int, err error) {
	var lost rows.Damage
	defer lost.Report(log)
	for len(kinds) > 0 {
		kinds = slices.DeleteFunc(kinds, func(next Batch) bool {
			n, failed := next(ctx, now, &lost)
			total += n
			if err == nil {
				err = failed
			}
			return n == 0
		})
		if ctx.Err() != nil {
			return total, ctx.Err()
		}
		runtime.Gosched()
	}
	return total, err
}

// Drain runs end for the keys of a bucket, some in each transaction, until
// the bucket is empty, and returns how many there were. end must delete the rows
// of the keys. Nothing may add rows at the same time.
func Drain(ctx context.Context, store cluster.Store, bucket string, end func(tx *rows.Tx, keys [][]byte) error) (total int, err error) {
	for {
		n := 0
		err := store.UpdateReserved(ctx, func(tx *rows.Tx) error {
			keys, err := rows.FirstKeys(tx, bucket, nil, rows.SweepBatch)
			if n = len(keys); err != nil || n == 0 {
				return err
			}
			return end(tx, keys)
		})
		if err != nil || n == 0 {
			return total, err
		}
		total += n
	}
}
